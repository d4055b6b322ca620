"""Elements of rows are read and written in the array itself; nothing the size of a row is copied."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from anabranch import jit, make_xpr
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.ir.verify import check as verify
from anabranch.runtime.passes import optimise
from anabranch.runtime.passes.dce import eliminate_dead_code
from anabranch.runtime.passes.slice_composition import compose_slices
from tests.equations import I, equation, every_equation, literal, ops
from tests.equivalence import check

X = np.arange(60.0).reshape(3, 4, 5)
PLACES = (-2, 0, 1, 4, 9)


def var(*shape):
    return Var(ArrayType(shape, np.dtype(float)))


def parts(sizes, shape, inner):
    """The Program of a part of a view of a block, and of the array with the part written; starts are arguments."""
    x, i, j, v = var(*X.shape), Var(I), Var(I), var(*inner)
    starts, within = (i, literal(np.int64(1)), j)[: X.ndim], [j, i, j][: len(shape)]
    block, view, part, changed, put, after = (
        var(*sizes),
        var(*shape),
        var(*inner),
        var(*shape),
        var(*sizes),
        var(*X.shape),
    )
    equations = (
        equation("dynamic_slice", (x, *starts), (block,), sizes=sizes),
        equation("reshape", (block,), (view,), shape=shape),
        equation("dynamic_slice", (view, *within), (part,), sizes=inner),
        equation("dynamic_update_slice", (view, v, *within), (changed,)),
        equation("reshape", (changed,), (put,), shape=sizes),
        equation("dynamic_update_slice", (x, put, *starts), (after,)),
    )
    return Program((x, v, i, j), equations, (part, after))


@pytest.mark.parametrize(
    ("sizes", "shape", "inner", "copies"),
    [
        ((1, 1, 5), (5,), (1,), 0),
        ((1, 4, 5), (4, 5), (1, 5), 0),
        ((1, 4, 5), (4, 5), (2, 3), 0),
        ((3, 1, 1), (3,), (2,), 0),
        ((3, 1, 1), (3, 1), (1, 1), 0),
        ((1, 1, 1), (1,), (1,), 0),
        ((3, 1, 5), (3, 5), (1, 1), 0),
        ((2, 1, 5), (2, 5), (1, 1), 1),
        ((1, 1, 3), (3,), (1,), 1),
    ],
)
def test_parts_of_views_are_parts_of_the_array(sizes, shape, inner, copies):
    program = parts(sizes, shape, inner)
    after = eliminate_dead_code(compose_slices(program))
    verify(after)
    assert (ops(after).count("dynamic_slice"), ops(after).count("dynamic_update_slice")) == (1 + copies, 1 + copies)
    update = -1.0 - np.arange(np.prod(inner)).reshape(inner)
    for i, j in itertools.product(PLACES, PLACES):
        args = (X, update, np.int64(i), np.int64(j))
        for got, want in zip(evaluate(after, *args), evaluate(program, *args), strict=True):
            np.testing.assert_array_equal(got, want)


def test_an_array_that_is_written_in_between_is_not_read_later():
    x, i, row, flat, v, after, part = var(3, 4), Var(I), var(1, 4), var(4), var(1, 1), var(3, 4), var(1)
    zero = literal(np.int64(0))
    program = Program(
        (x, v, i),
        (
            equation("dynamic_slice", (x, i, zero), (row,), sizes=(1, 4)),
            equation("reshape", (row,), (flat,), shape=(4,)),
            equation("dynamic_update_slice", (x, v, i, zero), (after,)),
            equation("dynamic_slice", (flat, i), (part,), sizes=(1,)),
        ),
        (part, after),
    )
    assert compose_slices(program) is program


def test_a_static_slice_of_a_static_slice_is_one():
    x, block, view, part = var(*X.shape), var(1, 4, 5), var(4, 5), var(2, 5)
    program = Program(
        (x,),
        (
            equation("slice", (x,), (block,), starts=(2, 0, 0), limits=(3, 4, 5), strides=(1, 1, 1)),
            equation("reshape", (block,), (view,), shape=(4, 5)),
            equation("slice", (view,), (part,), starts=(1, 0), limits=(3, 5), strides=(1, 1)),
        ),
        (part,),
    )
    after = eliminate_dead_code(compose_slices(program))
    assert ops(after) == ["slice", "reshape"]
    np.testing.assert_array_equal(evaluate(after, X)[0], X[2, 1:3])


def rows(a):
    for i in range(a.shape[0]):
        row = a[i]
        for j in range(a.shape[1]):
            row[j] = row[j - 1] + i * j
    return a


def columns(a):
    for i in range(a.shape[1]):
        column = a[:, i]
        for j in range(a.shape[0]):
            column[j] += column[0]
    return a


def rows_of_pages(a):
    for i in range(a.shape[0]):
        page = a[i]
        for j in range(a.shape[1]):
            row = page[j]
            row[1:3] = row[0]
            for k in range(a.shape[2]):
                row[k] -= page[0, k]
    return a


@pytest.mark.parametrize(
    ("function", "array", "size"),
    [(rows, X[0].copy(), 1), (columns, X[0].copy(), 1), (rows_of_pages, X, 2)],
)
def test_loops_over_rows_move_single_elements(function, array, size):
    check(function, array.copy())
    check(jit(function, native_loops=False).plain(), array.copy())
    program = optimise(make_xpr(function)(array), native_loops=True)
    moved = [out.type.size for e in every_equation(program) if e.op.name == "dynamic_slice" for out in e.outputs]
    assert max(moved) <= size

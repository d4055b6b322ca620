"""Indices out of range that are known only at run time: raised as in NumPy, or moved to the end of the axis."""

from __future__ import annotations

import copy
import pickle
import traceback

import numpy as np
import pytest

from anabranch import configure, jit
from anabranch.runtime.ir import interpret
from anabranch.runtime.signature.flatten_to_key import buffers

V = np.array([10.0, 20.0, 30.0])
M = np.arange(12.0).reshape(3, 4)


def reads(a, i):
    return a[i]


def reads_many(a, i):
    return a[[0, i]], np.take(a, [i, 1], axis=0), a.take(i)


def writes(a, i):
    a[i] = 7
    return a


def writes_many(a, i):
    a[np.array([i, 0])] = -1
    return a


def augments(a, i):
    a[i] += 1
    np.add.at(a, [i, i], 5)
    return a


def puts(a, i):
    a.put([i], 3)
    return a


PROGRAMS = (reads, reads_many, writes, writes_many, augments, puts)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("i", [3, -4, 2**40])
def test_out_of_range_raises_on_the_line_of_the_index(program, i):
    with pytest.raises(IndexError) as want:
        program(V.copy(), i)
    given = V.copy()
    with pytest.raises(IndexError) as got:
        jit(program)(given, i)
    assert type(got.value) is IndexError
    assert str(got.value) == str(want.value)
    lines = [
        [x.lineno for x in traceback.extract_tb(e.__traceback__) if x.name == program.__name__]
        for e in (want.value, got.value)
    ]
    assert lines[0] == lines[1]
    np.testing.assert_array_equal(given, V)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(("i", "end"), [(3, 2), (99, 2), (-4, 0), (-99, 0), (1, 1), (-1, -1)])
def test_without_checks_the_index_is_moved_to_the_end_of_its_axis(program, i, end):
    unchecked = jit(program, checks=False)
    want, got, evaluated = program(V.copy(), end), unchecked(V.copy(), i), _evaluated(unchecked, V.copy(), i)
    for result in (got, evaluated):
        for w, g in zip(want, result, strict=True) if isinstance(want, tuple) else [(want, result)]:
            np.testing.assert_array_equal(g, w)


def _evaluated(wrapped, *args):
    traced = wrapped.trace(*args)
    _, leaves, _ = wrapped._signature(args, {})
    return traced.plan.finish(
        [np.array(x) for x in interpret.evaluate(traced.program, *buffers(traced.plan.inputs(leaves.values)))], leaves
    )


def test_in_loops_and_branches():
    def f(a, n, flag):
        total = 0.0
        for i in range(n):
            if flag:
                total += a[i]
            else:
                a[i] = total
        return total

    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        jit(f)(V.copy(), 5, True)
    assert jit(f)(V.copy(), 3, True) == 60.0
    assert jit(f, checks=False)(V.copy(), 5, True) == 120.0


def test_views_at_positions_without_checks():
    def f(a, i):
        row = a[i]
        row[1] = 0
        return row

    given = M.copy()
    result = jit(f, checks=False)(given, 7)
    assert np.shares_memory(result, given)
    assert given[2, 1] == 0


def test_the_settings_decide_where_jit_does_not():
    wrapped = jit(reads)
    with pytest.raises(IndexError):
        wrapped(V, 5)
    with configure(checks=False):
        assert wrapped(V, 5) == 30.0
        with pytest.raises(IndexError):
            jit(reads, checks=True)(V, 5)
    with pytest.raises(IndexError):
        wrapped(V, 5)


def test_a_jitted_helper_keeps_its_own_setting():
    inner = jit(reads, checks=False)

    @jit
    def outer(a, i):
        return inner(a, i) + a[0]

    assert outer(V, 9) == 40.0


def test_static_indices_are_always_checked():
    with pytest.raises(IndexError):
        jit(reads, static_argnames="i", checks=False)(V, 5)


def test_copies_keep_the_setting():
    unchecked = jit(reads, checks=False)
    for again in (
        copy.copy(unchecked),
        pickle.loads(pickle.dumps(unchecked)),
        jit(unchecked),
        jit(unchecked, checks=False),
    ):
        assert again(V, 5) == 30.0
    with pytest.raises(IndexError):
        jit(unchecked, checks=True)(V, 5)


def test_as_a_decorator_and_for_methods():
    class Table:
        @jit(checks=False)
        def row(self, rows, i):
            return rows[i]

    assert Table().row(V, 8) == 30.0


def test_checks_cost_nothing_where_the_range_is_known():
    def f(a):
        total = 0.0
        for i in range(a.shape[0]):
            total += a[i]
        return total

    assert str(jit(f).trace(V).program) == str(jit(f, checks=False).trace(V).program)

"""Parts of written and chosen arrays are read where they come from; nothing the size of the arrays is computed."""

from __future__ import annotations

import numpy as np
import pytest

import anabranch
from anabranch import jit
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.ir.verify import check
from anabranch.runtime.passes import optimise
from anabranch.runtime.passes.load_forwarding import forward_loads
from tests.equations import I, equation, every_equation, literal, ops
from tests.equivalence import check as equal

V, ONE = ArrayType((50,), np.dtype(float)), ArrayType((1,), np.dtype(float))


def read_after_write(start, place):
    """The Program of `x[place:place+1] = v; x[start:start+1]`, with atoms as positions."""
    x, v, i, j, written, read = Var(V), Var(ONE), Var(I), Var(I), Var(V), Var(ONE)
    names = {"i": i, "j": j}
    start, place = (names.get(n) or literal(np.int64(n)) for n in (start, place))
    return Program(
        (x, v, i, j),
        (
            equation("dynamic_update_slice", (x, v, place), (written,)),
            equation("dynamic_slice", (written, start), (read,), sizes=(1,)),
        ),
        (read,),
    )


@pytest.mark.parametrize(("start", "place", "reads"), [("i", "i", 0), (3, 3, 0), ("i", "j", 1), (3, 4, 1), ("i", 3, 1)])
def test_what_was_written_to_this_very_part_is_read(start, place, reads):
    program = read_after_write(start, place)
    after = optimise(program)
    check(after)
    assert ops(after).count("dynamic_slice") == reads
    for i in (-1, 0, 3, 49, 99):
        for j in (0, 3, 49, 60):
            args = (np.arange(50.0), np.array([7.5]), np.int64(i), np.int64(j))
            np.testing.assert_array_equal(evaluate(after, *args)[0], evaluate(program, *args)[0])


def chosen(a, b, c, v):
    for i in range(len(c)):
        y = a if c[i] else b
        y[i] = v[i]
        a[0] = y[i] + y[i - 1]
    return a.sum() + b.sum()


def chosen_before(a, b, c, v):
    y = a if c[0] else b
    for i in range(len(c)):
        y[i] += v[i]
    return y[3], a[3], b[3]


def chosen_twice(a, b, c, v):
    for i in range(len(c)):
        y = a if c[i] else b
        z = y if c[i - 1] else a
        z[i] += y[i - 1]
        y[0] = z[i - 1]
    return a[0] + b[0]


def chosen_rows(a, b, c, v):
    for i in range(5):
        y = a[:20] if c[i] else b[20:40]
        y[i] = v[i]
        y[i + 1 : i + 3] *= 2.0
    return a, b


def chosen_columns(a, b, c, v):
    s, t = a.reshape(5, 10), b.reshape(5, 10)
    for i in range(5):
        y = s if c[i] else t.T[:5].T
        y[i, 2] += y[2, i] + v[i]
    return s, t


CALL = (np.arange(50.0), np.arange(50.0) * -2, np.arange(50) % 3 == 0, np.arange(50.0) / 8)


@pytest.mark.parametrize("function", [chosen, chosen_before, chosen_twice, chosen_rows, chosen_columns])
def test_writes_through_a_chosen_name(function):
    equal(function, *CALL)
    equal(function, CALL[0], CALL[0][::-1].copy(), ~CALL[2], CALL[3])


@pytest.mark.parametrize("function", [chosen, chosen_before])
def test_nothing_of_the_size_of_the_arrays_is_computed_in_a_step(function):
    program = jit(function).lower(*CALL).program
    bodies = [body for e in every_equation(program) if e.op.name == "for" for body in e.programs()]
    sizes = [v.type.size for body in bodies for e in every_equation(body) if e.op.update is None for v in e.outputs]
    assert max(sizes) < 50


def test_results_are_the_same_without_the_pass():
    with anabranch.configure(disable_passes=("load_forwarding",)):
        equal(chosen, *CALL)


def test_a_part_of_a_choice_of_choices_is_forwarded_at_once():
    program = jit(chosen_twice).trace(*CALL).program
    once = forward_loads(program)
    assert forward_loads(once) is once


def scaled(a, b, c, v):
    for i in range(len(c)):
        a[i] += v[i]
        a[i] *= 0.5
    return a


def test_what_is_computed_from_the_memory_is_read_back():
    # XLA would compute a forwarded value again after the write, from a copy of the memory as it was.
    equal(scaled, *CALL)
    program = jit(scaled).lower(*CALL).program
    (loop,) = [e for e in every_equation(program) if e.op.name == "for"]
    (body,) = loop.programs()
    memory = body.outputs[0]
    (last,) = [e for e in body.equations if memory in e.outputs]
    assert [e for e in body.equations if e.op.name == "dynamic_slice" and e.inputs[0] is last.inputs[0]]


def relaxed(a, b, n):
    for _ in range(n):
        b[1:-1] = 0.5 * (a[2:] + a[:-2])
        a[1:-1] = 0.25 * (b[2:] + 2.0 * b[1:-1] + b[:-2])
    return a


@pytest.mark.parametrize("size", [6, 90])
def test_a_large_block_that_is_written_in_any_case_is_read_back(size):
    a = np.random.default_rng(2).random(size)
    equal(relaxed, a, a.copy(), 3)
    program = jit(relaxed).lower(a, a.copy(), 3).program
    (loop,) = [e for e in every_equation(program) if e.op.name == "for"]
    (body,) = loop.programs()
    reads = [e for e in body.equations if e.op.name == "slice"]
    assert len(reads) == (5 if size > 16 else 4)

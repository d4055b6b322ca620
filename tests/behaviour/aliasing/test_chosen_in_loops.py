"""Names that each step of a loop makes one of a few arrays: no step copies the array."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.passes import optimise
from tests.equations import every_equation
from tests.program_table import Program, Table

case = Table()
ARRAYS = tuple(
    (np.arange(6.0), np.arange(6.0) * 10, np.array(chosen), n)
    for chosen, n in [([True, False, True, True], 4), ([False, True, True, False], 3), ([True] * 4, 1), ([True] * 4, 0)]
)


@case(*ARRAYS)
def chosen_and_written_after_the_loop(a, b, c, n):
    y = a
    for i in range(n):
        y = a if c[i] else b
        y[i] = -1
    y[5] = 7
    return y, a[0]


@case(*ARRAYS)
def chosen_of_three_by_nested_conditions(a, b, c, n):
    z = a * 2
    y = z
    for i in range(n):
        y = a if c[i] else (b if i % 2 else z)
        y[i] += 1
    y[0] -= 3
    return a, b, y, z


@case(*ARRAYS)
def read_before_it_is_chosen(a, b, c, n):
    y, total = a, 0.0
    for i in range(n):
        total += y[i]
        y[i] *= 2
        y = a if c[i] else b
    y[:] = total
    return y, total


@case(*ARRAYS)
def kept_or_chosen(a, b, c, n):
    y = a
    for i in range(n):
        if c[i]:
            y = b
        elif i > 1:
            y = a
        y[i] += i
    return y, a, b


@case(*ARRAYS)
def looked_at_by_the_condition(a, b, c, n):
    y, i = b, 0
    while i < n and y[i] < 25:
        y = a if c[i] else b
        y[i + 1] += 2
        i += 1
    y[0] = 1
    return y, i


@case(*ARRAYS)
def left_before_the_end(a, b, c, n):
    y = b
    for i in range(n):
        y = a if c[i] else b
        y[i] += 5
        if y[i + 1] > 15:
            break
    y[1] = 0
    return y


@case(*ARRAYS)
def chosen_in_an_inner_loop(a, b, c, n):
    y = a
    for i in range(n):
        for j in range(n):
            y = a if c[(i + j) % 4] else b
            y[j] += i
        y[i] = j
    y[2] = 9
    return y


@case(*ARRAYS)
def views_of_two_arrays(a, b, c, n):
    y = a[1:]
    for i in range(n):
        y = a[1:] if c[i] else b[:0:-1]
        y[i] += 1
    y[0] = 50
    return a, b, y.sum()


@case(*ARRAYS)
def chosen_and_traded_by_a_third_name(a, b, c, n):
    t = a
    for i in range(n):
        t = a
        a = b
        b = t
        a[i] += 1
    t += 100
    return t, a, b


@case(*ARRAYS)
def not_set_before_the_loop(a, b, c, n):
    for i in range(n + 1):
        y = a if c[i % 4] else b
        y[i] = 2
    y += 1
    return y


@case(*ARRAYS)
def a_step_that_fails(a, b, c, n):
    y = a
    try:
        for i in range(n + 2):
            y = a if c[i] else b
            y[i] = 4
    except IndexError:
        y[0] += 10
    return y


@case(*ARRAYS)
def read_and_swapped_and_then_copied_by_a_branch(a, b, c, n):
    y, z, t, d = a, b[::-1], 0, a
    while t < n and t < 4 and y[0] < 99:
        t += 2
        y[1] += b[0]
        if y[2] > 1:
            y, b = b, y
        b[0] = 9
    if n > 1:
        a = a.copy()
        a[2:] += 1
    return a, b, y, z, d


@case(*((*rows, n) for rows in [[np.arange(6.0) * k for k in range(1, 9)]] for n in (0, 1, 7, 11)))
def chosen_of_eight(a, b, c, d, p, q, r, s, n):
    y = d
    for i in range(n):
        y[i % 6] += 1
        k = i * 5 % 8
        y = a if k == 0 else b if k == 1 else c if k == 2 else d if k == 3 else p if k == 4 else q if k == 5 else r
        if k == 6:
            y = s
        y[2] += y[(i + 1) % 6]
    y[5] = -1
    return y


@case(*((np.arange(4.0), np.arange(4.0) * 3, n, k) for n in (0, 1, 4) for k in (0, 2, 9)))
def written_and_replaced_until_a_loop_ends_early(a, b, n, k):
    c, d, alias = np.zeros(4), a.copy(), a
    for i in range(n):
        a += 1
        if i == k:
            break
        c[0] = i + 1
        c = c + b
        if i % 2 == 1:
            d, b = b, d
        d *= 2
        a = a + d
    return a, b, c, d, alias


@pytest.mark.parametrize("program", case.programs)
def test_chosen_in_loops(program: Program) -> None:
    program.check()


def test_a_loop_carries_no_elements_of_an_array_that_it_chooses():
    def f(a, b, c):
        y = a
        for i in range(len(c)):
            y = a if c[i] else b
            y[i] = 1.0
        return y[0]

    n = 1000
    program = optimise(jit(f).trace(np.zeros(n), np.ones(n), np.zeros(n, bool)).program)
    (loop,) = [e for e in program.equations if e.op.name == "for"]
    assert sum(v.type.shape == (n,) for v in loop.outputs) == 2  # a and b
    (body,) = loop.programs()
    assert {e.op.name for e in body.equations if e.outputs[0].type.shape == (n,)} == {"dynamic_update_slice"}


def test_a_loop_that_ends_early_carries_an_array_once_that_each_step_writes_to_and_replaces():
    def f(c, n):
        z = np.zeros(c.shape)
        for i in range(n):
            if i == 7:
                break
            z += c
            kept = z < 2
            z, c = z[kept], c[kept]
        return z

    program = optimise(jit(f).trace(np.arange(50.0), 4).program)
    (loop,) = [e for e in program.equations if e.op.name == "for_until"]
    assert sum(v.type.shape == (50,) for v in loop.outputs) == 2


def equations_of_a_choice(count):
    """How many equations a loop has that chooses among so many arrays, and how many of them compute whole arrays."""
    names = [f"x{k}" for k in range(count)]
    choice = "".join(f"{name} if i % {count} == {k} else " for k, name in enumerate(names[:-1])) + names[-1]
    lines = [f"def f({', '.join(names)}):", " y = x0", " for i in range(20):", "  y[i] += 1.0", f"  y = {choice}"]
    scope: dict[str, object] = {}
    text, file = "\n".join(lines), f"<choice of {count}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), scope)
    n = 1000
    program = optimise(jit(scope["f"]).trace(*(np.zeros(n) for _ in names)).program)
    (loop,) = [e for e in every_equation(program) if e.op.name == "for"]
    (body,) = loop.programs()
    wholes = [e for e in body.equations if e.op.name != "dynamic_update_slice" and e.outputs[0].type.shape == (n,)]
    return len(list(every_equation(program))), len(wholes)


def test_a_choice_of_many_arrays_costs_as_much_for_each_and_copies_none():
    counted = [equations_of_a_choice(count) for count in (4, 8, 12, 16)]
    assert [wholes for _, wholes in counted] == [0] * 4
    more = np.diff([equations for equations, _ in counted])
    assert more[0] == more[1] == more[2] < 4 * 14

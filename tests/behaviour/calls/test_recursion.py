"""Recursion to a depth known only at run time: a function that calls itself is traced once, whatever the depth."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from anabranch import configure, jit
from anabranch.runtime.control.calls import recursion
from anabranch.testing import assert_equivalent
from tests.behaviour.calls.recursive_programs import INLINED, PROGRAMS, fibonacci

WITHOUT_MACHINE_CODE = (
    "raise_caught_inside", "mutual", "endless_caught", "lists_pushpop", "sudoku4", "merge_dyn", "merge_lists",
    "r_qsort", "r_flood",
)  # fmt: skip


def by_name(case: tuple[Any, Any]) -> str:
    return case[0].__name__


@pytest.fixture
def bodies(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that were traced by themselves."""
    found = []
    plain = recursion.RecursiveFunction.run

    def counted(function):
        made = plain(function)
        found.append(function.name)
        return made

    monkeypatch.setattr(recursion.RecursiveFunction, "run", counted)
    return found


@pytest.mark.parametrize("case", PROGRAMS, ids=by_name)
def test_recursion_is_as_in_python(case, bodies):
    function, args = case
    assert_equivalent(function, *args)
    assert bodies


@pytest.mark.parametrize("case", [c for c in PROGRAMS if by_name(c) in WITHOUT_MACHINE_CODE], ids=by_name)
def test_recursion_is_as_in_python_without_machine_code(case, bodies):
    function, args = case
    with configure(native_loops=False):
        assert_equivalent(function, *args)
    assert bodies


@pytest.mark.parametrize("case", INLINED, ids=by_name)
def test_what_cannot_be_one_function_is_traced_at_each_level(case):
    function, args = case
    assert_equivalent(function, *args)


def test_one_compilation_serves_every_depth():
    compiled = jit(fibonacci)
    assert [compiled(n) for n in range(15)] == [fibonacci(n) for n in range(15)]
    assert compiled.cache_info().misses == 1


def test_the_program_does_not_grow_with_the_depth():
    def down(n, x):
        return x if n == 0 else down(n - 1, x + 1.0) * 0.5

    sizes = {len(str(jit(down).trace(n, 1.5).program)) for n in (3, 300)}
    assert len(sizes) == 1


def test_a_program_is_evaluated_without_a_compiler_too():
    traced = jit(fibonacci).trace(9)
    from anabranch.runtime.ir.interpret import evaluate
    from anabranch.runtime.ir.verify import check

    check(traced.program)
    assert int(evaluate(traced.program, np.int64(9))[0]) == 34


def test_as_deep_as_pythons_limit():
    def down(n):
        return 0 if n == 0 else 1 + down(n - 1)

    compiled, limit = jit(down), sys.getrecursionlimit()
    assert compiled(limit - 1) == limit - 1
    for n in (limit + 100, 10**9):
        with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
            compiled(n)


def test_a_failure_shows_the_line_in_the_function():
    def find(a, i):
        if a[i] < 0:
            return i
        return find(a, i + 1)

    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4") as caught:
        jit(lambda a: find(a, 0))(np.ones(4))
    assert "a[i] < 0" in str(caught.traceback[-1].statement)


def test_too_large_frames_are_refused_with_a_reason():
    def f(x, n):
        return x if n == 0 else f(x + 1, n - 1) + x

    with pytest.raises(Exception, match="bytes, which for"):
        jit(f, auto_static=False, recursion_limit=2)(np.ones(400_000), 50)


def test_explain_says_that_it_is_one_function():
    compiled = jit(fibonacci)
    compiled(5)
    assert "traced once: calls of itself are steps of one loop" in str(compiled.explain(5))


def _lists_of_earlier_calls(values, x):
    """A loop reads in the next call what it has written in one."""
    halves = [0.0] * len(values)
    for i in range(len(values)):
        halves[i] = values[i] * 0.5
    if x < 3:
        return _lists_of_earlier_calls(halves, x + 1) + 1
    return values[0] + x


def test_a_list_that_a_loop_writes_and_hands_on(bodies):
    assert_equivalent(_lists_of_earlier_calls, [0.5, 0.25], 0.5)
    assert "_lists_of_earlier_calls" in bodies

"""Items of lists of run-time length: their kinds, and which writes into them are refused."""

from __future__ import annotations

import collections

import numpy as np
import pytest

from anabranch import AliasError, UnsupportedOperationError, configure, jit
from tests.equivalence import check
from tests.program_table import Program, Table

case = Table()
SIGNED = np.array([1.5, -2.0, 3.0, -4.0, 0.0, 6.0])
NONE = np.array([-1.0, -2.0])


# ---- elements --------------------------------------------------------------------------------------------------------


@case((SIGNED,), (NONE,))
def mixed_numbers(a):
    out = []
    for i, x in enumerate(a):
        if x > 0:
            out.append(i)
        else:
            out.append(0.5)
            out.append(x)
            out.append(x < -3)
    return out


@case((SIGNED,), (NONE,))
def text_and_none(a):
    out = []
    for x in a:
        if x > 2:
            out.append("big")
        elif x > 0:
            out.append(None)
        else:
            out.append("small")
    return out


@case(
    (np.arange(12.0).reshape(4, 3) - 4,),
)
def rows(a):
    out = []
    for i in range(len(a)):
        if a[i].sum() > 0:
            out.append(a[i] * 2)
    return out


@case(
    (np.arange(12.0).reshape(4, 3) - 4,),
)
def records(a):
    out = []
    for i, row in enumerate(a):
        if row[0] > 0:
            out.append((i, "row", (row.sum(), row + 1)))
    return out


@case((SIGNED.astype(np.float32), 2), (SIGNED.astype(np.int16), 1))
def small_dtypes(a, k):
    out = []
    for x in a:
        if x > k:
            out.append(x)
    return out


@case((np.arange(12.0).reshape(4, 3) - 4,), (np.ones((2, 3)),))
def states(a):
    x = np.zeros(3)
    path = []
    for row in a:
        x = x + row
        if x.sum() > 0:
            path.append(x)
    return path, x


@case((np.arange(12.0).reshape(4, 3) - 4,))
def copies_of_what_changes(a):
    x = np.zeros(3)
    path = []
    for row in a:
        x += row
        if x[0] > -5:
            path.append(x.copy())
    x[0] = 100.0
    return path


@case((np.arange(12.0).reshape(4, 3) - 4,))
def written_before(a):
    out = []
    for row in a:
        new = np.zeros(3)
        new[1] = row.sum()
        if new[1] > 0:
            out.append(new)
    return out


@case((SIGNED, 2), (SIGNED, 0))
def lists_and_numbers(a, n):
    out = [[2, 4]]
    out[0].append(n)
    if a[0] > n:
        out.append(3)
    out[0].append(5)
    return out


@case((SIGNED, 2), (SIGNED, 0))
def a_list_that_both_branches_leave(a, n):
    first = [2, 4]
    out = [first]
    if a[0] > n:
        out.append(3)
        first.append(7)
    first[0] = 1
    return out, first


@case((SIGNED, 2), (SIGNED, 0))
def a_list_that_a_branch_makes(a, n):
    out = []
    last = []
    if a[0] > n:
        last = [n]
        out.append(last)
    last.append(3)
    return out, last


@case((SIGNED, 2), (SIGNED, 0))
def dicts_and_numbers(a, n):
    out = [{"n": n}]
    if a[0] > n:
        out.append(3)
    return out


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python_with_all_numbers_at_run_time(program: Program) -> None:
    with configure(auto_static=False):
        program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_as_in_eager_python_with_static_arguments(program: Program) -> None:
    program.check_static()


# ---- refused ---------------------------------------------------------------------------------------------------------


def _changes_after_it_was_appended(a):
    out, x = [], np.zeros(3)
    for row in a:
        if row[0] > 0:
            out.append(x)
    x[0] = 1.0
    return out


def _changes_in_the_next_step(a):
    out, x = [], np.zeros(3)
    for row in a:
        x += row
        if row[0] > 0:
            out.append(x)
    return out


def _changes_in_the_next_step_under_another_name(a):
    out, x = [], np.zeros(3)
    for row in a:
        x[0] += 1
        x = x.copy()
        if row[0] > 0:
            out.append(x)
    return out


def _changes_what_it_reads(a):
    out = [row for row in a if row[0] > 0]
    first = out[0]
    first[0] = 3.0
    return out


def _changes_what_it_reads_in_a_loop(a):
    out = [row for row in a if row[0] > 0]
    for row in out:
        row += 1
    return out


def _changes_what_a_branch_read(a):
    out = [row for row in a if row[0] > 0]
    x = out[0] if a[0, 0] > 5 else np.zeros(3)
    x[0] = 3.0
    return out


@pytest.mark.parametrize(
    "function",
    [_changes_after_it_was_appended, _changes_in_the_next_step, _changes_in_the_next_step_under_another_name],
)
def test_writes_to_arrays_that_were_appended(function):
    check(function, np.arange(12.0).reshape(4, 3) - 4)


@pytest.mark.parametrize(
    "function",
    [
        _changes_what_it_reads,
        _changes_what_it_reads_in_a_loop,
        _changes_what_a_branch_read,
    ],
)
def test_writes_into_views_that_are_items_are_refused(function):
    with pytest.raises(AliasError, match="an item of a list whose length is known only at run time"):
        jit(function)(np.arange(12.0).reshape(4, 3) - 4)


def test_a_deque_as_an_item_is_refused():
    def f(a):
        out = []
        for x in a:
            if x > 0:
                out.append(collections.deque([x, x]))
        return out

    with pytest.raises(UnsupportedOperationError, match=r"a deque is an item of a list .* append a tuple"):
        jit(f)(SIGNED)


def test_a_list_that_is_an_item_may_be_changed():
    def f(a):
        out = []
        for x in a:
            if x > 0:
                out.append([x, x])
        out[0][1] = 3.0
        return out

    check(f, SIGNED)


def test_methods_of_the_class_change_the_list_itself():
    def f(a):
        out = [x for x in a if x > 0]
        list.append(out, 9.0)
        list.sort(out)
        return out, list.pop(out), list.index(out, 9.0) if out.count(9.0) else -1

    check(f, SIGNED)

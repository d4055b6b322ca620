"""Dicts of run-time keys whose items are replaced by new lists made of the old ones, and what shares these lists."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()
KEYS = np.array([3, 1, 3, 3, 5, 1])
ARGS = (KEYS, 5)
IN_XLA = ("_grouped",)  # also without machine code: the others have the same loops


def _grouped(keys, n):
    groups = {}
    for i in range(n):
        groups[keys[i]] = groups.get(keys[i], []) + [i]  # noqa: RUF005
    return groups


def _replaced(keys, n):
    groups = {}
    for i in range(n):
        if keys[i] in groups:
            groups[keys[i]] = groups[keys[i]] + [i]
        else:
            groups[keys[i]] = [i]
    return {k: len(v) for k, v in groups.items()}, groups


def _in_front(keys, n):
    groups = {}
    for i in range(n):
        groups[keys[i]] = [i] + groups.get(keys[i], [])  # noqa: RUF005
    return groups


def _of_sets(keys, n):
    groups = {}
    for i in range(n):
        groups[keys[i]] = groups.get(keys[i], set()) | {i}
    return groups


def _changed_afterwards(keys, n):
    groups = _grouped(keys, n)
    found = groups.get(keys[0], [])
    found.append(99)
    return groups


def _returned_twice(keys, n):
    groups = _grouped(keys, n)
    return groups, groups.get(keys[0], [])


def _one_list_at_two_keys(keys, n):
    both = [n, 1]
    groups = {}
    groups[keys[0]] = both
    groups[keys[1]] = both
    groups[keys[0]].append(3)
    return groups


def _changed_by_its_name(keys, n):
    one = [n]
    groups = {}
    if keys[2] > 2:
        groups[keys[0]] = one
    one.append(4)
    return groups, one


def _changed_where_something_fails(keys, n):
    one, groups = [n], {}
    try:
        groups[keys[0]] = one
        if keys[1] < 4:
            raise ValueError
    except ValueError:
        one.append(3)
    return groups, one


def _in_two_dicts(keys, n):
    groups = _grouped(keys, n)
    others = {}
    for k in keys[:n]:
        others[k] = groups[k]
    others[keys[0]].append(9)
    return groups, others


FUNCTIONS = (
    _grouped, _replaced, _in_front, _of_sets, _changed_afterwards, _returned_twice,
    _one_list_at_two_keys, _changed_by_its_name, _changed_where_something_fails, _in_two_dicts,
)  # fmt: skip


def _shape(value, seen):
    """A value with a number in place of each list that was met before."""
    if isinstance(value, tuple):
        return [_shape(part, seen) for part in value]
    if isinstance(value, dict):
        return [(k, _shape(part, seen)) for k, part in value.items()]
    if not isinstance(value, list):
        return value
    if id(value) in seen:
        return f"list {seen.index(id(value))}"
    seen.append(id(value))
    return [_shape(part, seen) for part in value]


@pytest.mark.parametrize(
    ("function", "native_loops"),
    [(f, native) for f in FUNCTIONS for native in (True, False) if native or f.__name__ in IN_XLA],
)
def test_items_are_the_lists_that_they_are_in_python(function, native_loops) -> None:
    compiled = jit(function, native_loops=native_loops)
    for _ in range(3):
        want, got = function(*ARGS), compiled(*ARGS)
        assert type(got) is type(want)
        assert _shape(got, []) == _shape(want, [])


@case((KEYS[:4],))
def sorted_lists(keys):
    lists = defaultdict(list)
    for i, k in enumerate(keys):
        lists[k].append(i * i % 7)
    return {k: sorted(v) for k, v in lists.items()}, lists


@case((KEYS[:4],))
def sorted_sets(keys):
    sets = {}
    for i, k in enumerate(keys):
        sets.setdefault(k, set()).add(i * i % 7)
    return {k: sorted(v) for k, v in sets.items()}


@case((3,))
def dicts_from_the_beginning_and_from_the_factory(n):
    d = defaultdict(dict, {1: {7: n}})
    for i in range(n):
        d[i][n] = i
    return d


@case((3,))
def dicts_set_before_and_from_the_factory(n):
    d = defaultdict(dict)
    d[1] = {7: n}
    for i in range(n):
        d[i][n] = i
    return d


@pytest.mark.parametrize("program", case.programs)
def test_programs(program: Program) -> None:
    program.check()

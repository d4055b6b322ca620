"""Lists, dicts and sets in dicts and lists of run-time length; those of the beginning are not as those that come."""

from __future__ import annotations

import collections

import pytest

from tests.program_table import Program, Table

case = Table()
KEYS = ((3,), (1,))


@case(*KEYS)
def set_by_default(n):
    d = {1: [n]}
    d.setdefault(n, []).append(n)
    return d


@case((1.0,), (2.0,))
def tuples_in_tuples(x):
    found = {0: (0, ())}
    if x > 1:
        found[0] = (x, (1,))
    else:
        found[1] = (x, (1, 2))
    return sorted(found.items()), max(found.values())


@case(*KEYS)
def changed_in_another_statement(n):
    d = {1: [7]}
    d.setdefault(n, [])
    d[n].append(5)
    return d


@case(*KEYS)
def kept_under_a_name(n):
    d = {1: [7], 2: [8, 9]}
    x = d.setdefault(n, [])
    x.append(n)
    d[1].append(3)
    return d, x


@case(*KEYS)
def dicts(n):
    d = {1: {7: n}}
    d.setdefault(n, {})[n] = 4
    return d


@case(*KEYS)
def sets(n):
    d = {1: {7}}
    d.setdefault(n, set()).add(n)
    return d


@case(*KEYS)
def made_by_a_factory(n):
    d = collections.defaultdict(list, {1: [n]})
    d[n].append(n)
    return d


@case(*KEYS)
def dicts_made_by_a_factory(n):
    d = collections.defaultdict(dict, {1: {7: n}})
    d[n][n] = 4
    return d


@case(*KEYS)
def sets_made_by_a_factory(n):
    d = collections.defaultdict(set, {1: {7}})
    d[n].add(n)
    return d


@case(*KEYS)
def dicts_in_a_loop(n):
    d = {1: {7: n}}
    for i in range(n):
        d.setdefault(i, {})[n] = i
    return d


@case((5,), (1,))
def lists_in_a_list(n):
    rows = [[n], [1, 2]]
    for i in range(n):
        rows.append([])
        rows[i].append(i)
    return rows


@case((48,), (7,))
def factorings_on_a_stack(number):
    todo, found = [(number, 2, [])], []
    while todo:
        remaining, divisor, partial = todo.pop()
        while divisor * divisor <= remaining:
            if remaining % divisor == 0:
                found.append([*partial, divisor, remaining // divisor])
                todo.append((remaining // divisor, divisor, [*partial, divisor]))
            divisor += 1
    return found


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()

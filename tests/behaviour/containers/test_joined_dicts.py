"""Dicts with keys known only at run time beside plain ones: `|`, `|=`, `update`, `==`; what class the result has."""

from __future__ import annotations

import collections

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.program_table import Program, Table

case = Table()
ITEMS = {1: 2, 7: 1}
DICTS = (({**ITEMS}, 5), (collections.defaultdict(int, ITEMS), 5))
ALL = (*DICTS, (collections.Counter(ITEMS), 5))


@case(({1: 2}, {3: 4}), ({1: 2, 3: 4}, {3: 3, 4: 4}))
def updated_by_each_of_two_arguments(a, b):
    merged = {}
    for d in (a, b):
        merged.update(d)
    return merged


@case(*DICTS)
def by_operators(d, k):
    plain, with_default = {1: 1, 5: 2}, collections.defaultdict(int, {1: 1, 5: 2})
    ordered = collections.OrderedDict({5: 2})
    before = plain | d, d | with_default
    d[k] = 3
    return before, plain | d, d | plain, with_default | d, d | with_default, d | d, ordered | d, d | ordered


@case(*ALL)
def counters_by_operators(d, k):
    counts, plain = collections.Counter(), {1: 9, 5: 2}
    for key in (k, 1, k):
        counts[key] += 1
    known = collections.Counter({1: 4})
    d[k + 1] = 3
    return counts | plain, plain | counts, counts | d, d | counts, known | d, d | known, counts | known, known | counts


@case(*DICTS)
def arguments_in_place(d, k):
    e = d
    d |= {k: 3}
    d |= {k + i: i for i in range(3)}
    return d, e, d is e


class _Holder:
    def __init__(self):
        self.items = {1: 2}


@case((3,), (1,))
def in_place_in_objects_lists_and_dicts(k):
    holder, rows, named = _Holder(), [{}, {2: 3}], {"a": {3: 4}}
    found = {k: 5}
    holder.items |= found
    rows[1] |= found
    named["a"] |= found
    return holder.items, rows, named, found


@case(*ALL)
def in_place(d, k):
    e, f = {1: 1, 5: 2}, collections.defaultdict(int, {5: 2})
    d[k] = 3
    e |= d
    f |= d
    return e, f, d


@case(*DICTS)
def into_one_of_run_time(d, k):
    e = collections.defaultdict(int, {1: 1})
    d[k] = 3
    d |= e
    d.update({k: 8})
    return d


@case(*ALL)
def updated(d, k):
    e, f = {1: 1, 5: 2}, collections.defaultdict(int, {5: 2})
    e.update(d)
    d[k] = 3
    f.update(d)
    return e, f, e == d, d == f


@case(*ALL)
def counted(d, k):
    e = collections.Counter({1: 10})
    e.update(d)
    d[k] = 100
    f = collections.Counter({5: 1})
    f.subtract(d)
    return e, f, d


@case(*DICTS)
def cleared(d, k):
    e = collections.defaultdict(int) | d
    d[k] = 3
    e.clear()
    return e, len(e), e[k]


@case((np.array([3, 1, 3]),))
def made_anew(keys):
    joined, displayed, grown, base = {}, {}, {}, {1: 10}
    for i, k in enumerate(keys):
        joined = joined | {k: i}
        displayed = {**displayed, k: i}
        grown |= {k: i + 1}
    return joined, displayed, grown, base | {keys[0]: 5}, {**base, keys[1]: 7, 9: 8}, {**base, **grown}


@case((np.array([3, 1, 3]),))
def items_joined(keys):
    items = {}
    for i, k in enumerate(keys):
        items[k] = items.get(k, {}) | {i: k}
    return items


@case((np.array([3, 1, 3]),))
def items_displayed(keys):
    items = {}
    for i, k in enumerate(keys):
        items[k] = {**items.get(k, {}), i: k}
    return items


@case((1, {"a": 1}), (-1, {"a": 1}))
def one_of_two_displayed(x, d):
    other = {"b": 2} if x > 0 else {"c": 3, "a": 5}
    return {**d, **other}, dict(other), dict(other, a=x), d | other


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


def test_without_native_loops() -> None:
    keys = np.array([3, 1, 3])
    assert repr(jit(made_anew, native_loops=False)(keys)) == repr(made_anew(keys))


def test_one_of_two_merged_in_place() -> None:
    def merged(x, d):
        d |= {"b": 2} if x > 0 else {"c": 3, "a": 5}
        return d

    def passed(x, d):
        return dict(d, **({"b": 2} if x > 0 else {"c": 3, "a": 5}))

    for function in (merged, passed):
        with pytest.raises(UnsupportedOperationError, match="one of several dicts"):
            jit(function)(1, {})

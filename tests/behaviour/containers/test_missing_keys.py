"""Dicts whose class has something to give for a key that is not there, asked for a key known only at run time."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from typing import Any

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()


class Tens(dict):
    def __missing__(self, key):
        if key > 5:
            return -key
        return key * 10


class Inserting(dict):
    def __missing__(self, key):
        self[key] = key * 10
        return self[key]


class Raising(dict):
    def __missing__(self, key):
        raise KeyError("not there", key)


@case((np.array([1]),), (np.array([4]),))
def a_class_that_inserts(k):
    d = Inserting({1: 5})
    try:
        return d[int(k[0])], d
    except Exception:
        return -1


@case((np.array([1, 2]),), (np.array([7, 2]),))
def counter_gives_zero_and_keeps_its_keys(k):
    counts = Counter([1, 1, 2])
    try:
        v = counts[int(k[0])]
    except KeyError:
        v = -1
    return v, len(counts), counts


@case((Counter({1: 2, 2: 5}), np.array([1, 2, 1, 9])))
def counter_read_in_a_loop(counts, keys):
    total = 0
    for k in keys:
        total += counts[int(k)]
    return total


@case((Counter({1: 2, 2: 5}), np.array([1, 2, 1])))
def counter_counts_what_it_has(counts, keys):
    for k in keys:
        counts[int(k)] += 1
    return counts


@case((np.array([7]),), (np.array([1]),))
def an_empty_dict(k):
    d = {}
    return d[int(k[0]) % 3]


@case((np.array([7]),), (np.array([1]),))
def an_empty_counter(k):
    return Counter()[int(k[0])]


@case((np.array([1]),), (np.array([4]),), (np.array([9]),))
def a_class_that_makes_a_value(k):
    d = Tens({1: 5})
    try:
        v = d[int(k[0])]
    except KeyError:
        v = -1
    return v, len(d)


@case((np.array([1]),), (np.array([4]),))
def a_class_that_raises(k):
    d = Raising({1: 5})
    try:
        return d[int(k[0])]
    except KeyError as error:
        return error.args


@case((np.array([1]),), (np.array([4]),))
def an_ordered_dict_has_no_default(k):
    return OrderedDict({1: 5, 2: 6})[int(k[0])]


@case((np.array([1]),), (np.array([4]),))
def no_factory(k):
    d = defaultdict(None, {1: 5})
    try:
        return d[int(k[0])]
    except KeyError:
        return -1


@case((np.array([1, 2, 4]), 1), (np.array([1, 2, 4]), 0))
def no_default_any_more(xs, k):
    groups = defaultdict(list)
    for x in xs:
        groups[x % 3].append(x)
    groups.default_factory = None
    try:
        return groups, groups[k]
    except KeyError:
        return groups, [k]


@case((defaultdict(int, {1: 5, 2: 6}), np.array([1, 2, 1])))
def defaultdict_that_has_the_keys(d, keys):
    for k in keys:
        d[int(k)] += 1
    return d


@case((3, 2.0), (1, 2.0))
def defaultdict_by_an_int_argument(n, x):
    d = defaultdict(float, {1: 4.0})
    try:
        d[n] += x
    except KeyError:
        d[0] = -1.0
    return d, len(d)


@case((2.0,))
def defaultdict_by_the_steps_of_a_loop(x):
    d = defaultdict(list)
    for i in range(5):
        d[i % 2].append(x)
    return d


@case((defaultdict(int, {1: 5}), np.array([1])), (defaultdict(int, {1: 5}), np.array([4])))
def asked_with_get_and_in(d, k):
    return d.get(int(k[0]), 7), int(k[0]) in d, len(d)


@case(({1: 2.0, 2: 3.0}, np.array([1])), ({1: 2.0, 2: 3.0}, np.array([4])))
def the_key_in_the_message(d, k):
    return d[k[0]]


@pytest.mark.parametrize("program", case.programs)
def test_as_eager(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_as_eager_with_static_arguments(program: Program) -> None:
    program.check_static()


def test_the_message_of_a_missing_key() -> None:
    @jit
    def f(d, k):
        return d[k]

    for key in (5, 2.5, np.int64(7), np.float64(2.5)):
        with pytest.raises(KeyError) as raised:
            f({1: 2.0, 2: 3.0}, key)
        assert repr(raised.value) == repr(KeyError(key))


@pytest.mark.parametrize(
    "make",
    [
        lambda: defaultdict(int, {1: 5}),
        lambda: defaultdict(list),
    ],
)
def test_a_key_that_the_run_inserts_is_in_the_callers_dict(make: Any) -> None:
    def f(d, k):
        try:
            v = d[int(k[0])]
        except Exception:
            v = -1
        return v

    wrapped = jit(f)
    for key in (4, 1, 4):
        plain, d = make(), make()
        assert wrapped(d, np.array([key])) == f(plain, np.array([key]))
        assert list(d.items()) == list(plain.items())

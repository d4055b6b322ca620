"""Constants that are equal and not the same: 1, 1.0 and True, zeros of both signs, texts and objects that hold more."""

import numpy as np
import pytest

from anabranch import StructureMismatchError, jit
from anabranch.runtime.config import configure
from tests.equivalence import check, check_calls


class Text(str):
    pass


class Number(int):
    pass


class Key:
    def __init__(self, number, name):
        self.number, self.name = number, name

    def __eq__(self, other):
        return self.number == other.number

    def __hash__(self):
        return self.number


class Asked:
    """An object that nobody may ask whether it is equal to another."""

    def __eq__(self, other):
        raise AssertionError

    __hash__ = object.__hash__


def made(cls, value, name):
    one = cls(value)
    one.name = name
    return one


TEXTS = made(Text, "a", "first"), made(Text, "a", "second")
NUMBERS = made(Number, 3, "first"), made(Number, 3, "second")
KEYS = Key(1, "first"), Key(1, "second")
ASKED = Asked(), Asked()


def key_becomes_a_bool(d, x):
    d[True] = d.pop(1)
    return x


def key_becomes_a_float(d, x):
    d[1.0] = d.pop(1)
    return x


def key_may_become_a_float(d, x):
    if x > 0:
        d[1.0] = d.pop(1)
    return x


def key_becomes_another_object(d, x):
    d[KEYS[1]] = d.pop(KEYS[0])
    return x


@pytest.mark.parametrize("function", [key_becomes_a_bool, key_becomes_a_float])
@pytest.mark.parametrize("native_loops", [True, False])
def test_changed_keys(function, native_loops):
    with configure(native_loops=native_loops):
        check(function, {1: 2.0}, 1.0)
        check(function, {1: np.ones(2)}, -1.0)


def test_a_key_that_a_condition_changes_is_refused():
    with pytest.raises(
        StructureMismatchError, match=r"the keys \[1\] or the keys \[1.0\].* set the keys 1, 1.0 before"
    ):
        jit(key_may_become_a_float)({1: np.ones(2)}, 1.0)


def test_a_key_that_a_condition_changes():
    check_calls(key_may_become_a_float, ({1: 2.0}, 1.0), ({1: 2.0}, -1.0))


def test_an_object_that_takes_the_place_of_one_that_is_equal():
    held = {KEYS[0]: 1.0}
    for _ in range(3):
        jit(key_becomes_another_object)(held, 1.0)
        assert next(iter(held)) is KEYS[1]
        held = {KEYS[0]: 1.0}


def chosen_keys(x):
    d = {1: x} if x > 0 else {True: x}
    e = {0.0: x} if x > 0 else {-0.0: x}
    f = {(1, 2): x} if x > 0 else {(1.0, 2): x}
    return d, [np.copysign(1.0, k) for k in e], list(f)


def chosen_objects_as_keys(x):
    d = {KEYS[0]: x} if x > 0 else {KEYS[1]: x}
    e = {ASKED[0]: x} if x > 0 else {ASKED[1]: x}
    return [k.name for k in d], len(e)


def chosen_objects(x):
    text = TEXTS[0] if x > 0 else TEXTS[1]
    number = NUMBERS[0] if x > 0 else NUMBERS[1]
    return text.name, number.name


def chosen_times(x):
    return np.timedelta64(1, "s") if x > 0 else np.timedelta64(1, "D")


def caught(x):
    try:
        if x > 1:
            raise ValueError("a", 1)
        if x > 0:
            raise ValueError("a", 1.0)
        if x > -1:
            raise ValueError("a", True)
        raise ValueError(TEXTS[0] if x > -2 else TEXTS[1], 2)
    except ValueError as error:
        return error.args[1], getattr(error.args[0], "name", None)


def caught_zeros(x):
    try:
        if x > 0:
            raise ValueError(0.0)
        raise ValueError(-0.0)
    except ValueError as error:
        return np.copysign(1.0, error.args[0])


@pytest.mark.parametrize(
    "function", [chosen_keys, chosen_objects_as_keys, chosen_objects, chosen_times, caught, caught_zeros]
)
def test_chosen_by_a_condition(function):
    check_calls(function, (2.0,), (0.5,), (-0.5,), (-1.5,), (-3.0,))


def stepped_keys(n):
    d = {1: 0}
    for i in range(n):
        d = {True: i}
    return d


def stepped_objects(n):
    text, pair = TEXTS[0], (1, NUMBERS[0])
    for _ in range(n):
        text, pair = TEXTS[1], (1, NUMBERS[1])
    return text.name, pair[1].name


@pytest.mark.parametrize("function", [stepped_keys, stepped_objects])
@pytest.mark.parametrize("native_loops", [True, False])
def test_changed_by_a_loop(function, native_loops):
    with configure(native_loops=native_loops):
        check_calls(function, (0,), (1,), (4,))


def keys(d):
    return list(d), {k: v * 2 for k, v in d.items()}


def signs(d):
    return [np.copysign(1.0, k) for k in d]


def names(d):
    return [k.name for k in d]


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (keys, [1, True, 1.0, 1]),
        (keys, [(1, "a"), (True, "a"), (1, "a")]),
        (keys, [frozenset([1]), frozenset([True])]),
        (signs, [0.0, -0.0, 0.0]),
        (names, KEYS),
        (names, TEXTS),
    ],
)
def test_keys_of_arguments(function, given):
    compiled = jit(function)
    for key in given:
        for _ in range(2):
            got, want = compiled({key: 2.0}), function({key: 2.0})
            assert repr(got) == repr(want)


def test_keys_that_hold_the_same_need_no_other_executable():
    compiled = jit(names)
    for _ in range(3):
        assert compiled({Key(1, "first"): 2.0}) == ["first"]
    assert compiled.cache_info().misses == 1

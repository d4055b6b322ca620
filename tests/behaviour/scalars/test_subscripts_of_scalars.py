"""Numbers that are indexed, or set items of: NumPy's are arrays without axes, Python's are neither."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit

X = np.array([1.5, 2.5])


def same(function, *args) -> None:
    """Assert that the compiled function returns or raises what the plain one does."""
    outcomes = []
    for call in (function, jit(function)):
        try:
            result = call(*args)
            outcomes.append((type(result), getattr(result, "dtype", None), repr(result)))
        except Exception as error:
            outcomes.append((type(error), str(error), None))
    assert outcomes[0] == outcomes[1]


def by_a_condition(x, key):
    return x[0][x[0] > 1]


def by_none_of_them(x, key):
    return x[0][x[0] > 9]


def by_a_condition_and_a_new_axis(x, key):
    return x.sum()[None, x[0] > 1]


def by_a_key(x, key):
    return x[0][key]


def of_a_condition_on_nan(x, key):
    bad = np.isnan(x[1])
    return np.arctan(x[1][~bad] * 2), x[1][bad]


@pytest.mark.parametrize("function", [by_a_condition, by_none_of_them, by_a_condition_and_a_new_axis])
def test_a_scalar_by_a_condition(function):
    same(function, X, 0)


def test_a_scalar_by_the_negation_of_a_condition():
    same(of_a_condition_on_nan, X, 0)


@pytest.mark.parametrize("key", [0, True, np.array(True), np.array([True]), np.array([0, 1]), None], ids=repr)
def test_a_scalar_by_a_key(key):
    same(by_a_key, X, key)


def set_by_a_condition(x, number):
    number[number > 1] = 0
    return number


def set_by_an_array(x, number):
    number[x.astype(int)] = 0
    return number


def set_or_chosen(x, number):
    try:
        number[number > 1] = 7.0
    except TypeError:
        if number > 1:
            number = 7.0
    return number


def deleted_by_a_condition(x, number):
    del number[number > 1]
    return number


@pytest.mark.parametrize("number", [2.5, 3, True, np.float64(2.5), np.int32(3)], ids=repr)
@pytest.mark.parametrize("function", [set_by_a_condition, set_by_an_array, set_or_chosen, deleted_by_a_condition])
def test_items_of_numbers(function, number):
    same(function, X, number)


def test_items_of_an_element():
    def set_by_the_element(x):
        x[0][x[0] > 1] = 0
        return x

    same(set_by_the_element, X)


def deleted_item(x, key):
    del x[0]


def deleted_by_a_key(x, key):
    del x[key]


def set_item(x, key):
    x[0] = 1


@pytest.mark.parametrize("function", [deleted_item, deleted_by_a_key, set_item])
@pytest.mark.parametrize("x", [1, 1.5, True, 1j, np.float64(2), np.bool_(True), X])
def test_items_that_are_set_or_deleted(function, x):
    same(function, np.array(x) if x is X else x, 0)


@pytest.mark.parametrize("key", [0, 1.5, np.int64(0), np.float64(0), "a", None])
def test_items_of_a_tuple_that_are_deleted(key):
    same(deleted_by_a_key, (1.0, 2.0), key)

"""Arrays that branches append to a list, so that its length is known only at run time, stay the caller's own arrays."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit


def appended_to_a_chosen_list(a, b, least):
    items = [b, a]
    items = [b * 1, a] if a[0] > least else items
    items.append(a)
    return items


def appended_to_the_list_of_the_caller_or_a_new_one(a, b, least, held):
    held = [b * 1, b] if a[0] > least else held
    held.append(a)
    return held


def appended_in_one_branch(a, b, least):
    items = [b]
    if a[0] > least:
        items.append(a)
    items.append(b)
    return items


def appended_in_both_branches(a, b, least):
    items = []
    if a[0] > least:
        items.append(a)
        items.append(b)
    else:
        items.append(b)
    if a[1] > least:
        items.append(a)
    return items


def appended_in_a_branch_of_a_branch(a, b, least):
    items = []
    if a[1] > least:
        items.append(b)
        if a[0] > least:
            items.append(a)
    if b[1] > least:
        items.append(b)
    return items


def appended_in_a_branch_of_a_branch_to_one_that_has_grown(a, b, least):
    items = [a]
    if b[1] > least:
        items.append(b)
    if a[1] > least:
        if a[0] > least:
            items.append(a)
        items.append(b)
    return items


def what_a_condition_has_chosen(a, b, least):
    y = a if a[1] > least else b
    items = []
    if a[0] > least:
        items.append(y)
    items.append(y)
    return items


def beside_new_arrays(a, b, least):
    items = [a * 2]
    if a[0] > least:
        items.append(a + b)
        items.append(a)
    items.append(b * 3)
    items.append(b)
    return items


def changed_before_it_is_appended(a, b, least):
    items = []
    a[2] = 7.0
    if a[0] > least:
        a[3] = 8.0
        items.append(a)
    items.append(a)
    return items


def appended_or_raised(a, b, least):
    items = [b]
    try:
        if a[0] > least:
            items.append(a)
        if a[1] > least:
            raise ValueError
        items.append(b)
    except ValueError:
        items.append(a)
    return items


def to_the_front_and_the_end(a, b, least):
    items = []
    if a[0] > least:
        items.append(a)
    items.insert(0, b * 1)
    return [item.sum() for item in items]


FUNCTIONS = [
    appended_to_a_chosen_list,
    appended_to_the_list_of_the_caller_or_a_new_one,
    appended_in_one_branch,
    appended_in_both_branches,
    appended_in_a_branch_of_a_branch,
    appended_in_a_branch_of_a_branch_to_one_that_has_grown,
    what_a_condition_has_chosen,
    beside_new_arrays,
    changed_before_it_is_appended,
    appended_or_raised,
    to_the_front_and_the_end,
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("least", [-1.0, 0.0, 1.0, 50.0])
def test_an_appended_array_is_the_one_of_the_caller(function, least) -> None:
    wrapped = jit(function)
    want = _run(function, least)
    for _ in range(3):  # the second call makes the fast path, the third takes it
        assert _run(wrapped, least) == want


def _run(function, least) -> tuple[object, ...]:
    """Run on new arrays: the result and the list of the caller, with which of their items are arrays of the caller."""
    a, b = np.arange(4.0), np.arange(4.0) * 10
    held = [a, b]
    takes_a_list = getattr(function, "__wrapped__", function).__code__.co_argcount == 4
    result = function(a, b, least, *([held] if takes_a_list else []))
    names = {id(a): "a", id(b): "b"}
    told = [[(names.get(id(item), "new"), item.tolist()) for item in items] for items in (result, held)]
    return *told, result is held

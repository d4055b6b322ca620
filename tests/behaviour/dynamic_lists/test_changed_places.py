"""Items put into lists of run-time length, and taken out of them, at places known only at run time."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import configure, jit
from tests.equivalence import check_calls

RNG = np.random.default_rng(5)
CALLS = [(RNG.integers(0, 6, n), RNG.integers(-12, 12, n), RNG.integers(0, 5, n)) for n in (12, 12, 12, 40)]


def numbers(codes, places, values):
    items, taken = [], []
    for code, place, value in zip(codes, places, values, strict=True):
        if code == 0:
            items.append(value)
        elif code == 1:
            items.insert(place, value)
        elif code == 2 and items:
            taken.append(items.pop(place % len(items)))
        elif code == 3 and value in items:
            items.remove(value)
        elif code == 4 and items:
            del items[place % len(items)]
        else:
            items.insert(0, value)
    return items, taken


def of_several_kinds(codes, places, values):
    items = []
    for code, place, value in zip(codes, places, values, strict=True):
        if code == 0:
            items.extend((float(value), 2))
        elif code == 1:
            items.insert(place, int(value))
        elif code == 2 and items:
            items.pop(place % len(items))
        else:
            items.insert(-1, None if value else 0.5)
    return items


def pairs_and_arrays(codes, places, values):
    pairs, arrays = [(0, 0)], [np.zeros(2)]
    for code, place, value in zip(codes, places, values, strict=True):
        if code < 3:
            pairs.insert(place, (value, int(place)))
            arrays.insert(place, np.array([value, place + 0.5]))
        elif pairs and code < 5:
            pairs.pop(place % len(pairs))
            arrays.pop(place % len(arrays))
        else:
            pairs.extend([(value, 1), (value, 2)])
            arrays.extend([np.ones(2), np.ones(2) * value])
    return pairs, arrays


def raising(codes, places, values):
    items, done = [1, 2, 3], 0
    try:
        for code, place, value in zip(codes, places, values, strict=True):
            if code < 4:
                items.insert(place, int(value))
            elif code == 4:
                items.pop(place)
            else:
                items.remove(int(value))
            done += 1
    except (IndexError, ValueError) as error:
        return items, done, str(error)
    return items, done, ""


@pytest.mark.parametrize("function", [numbers, of_several_kinds, pairs_and_arrays, raising])
@pytest.mark.parametrize("native", [True, False])
def test_as_in_eager_python(function, native):
    with configure(native_loops=native):
        check_calls(function, *CALLS)


def first_ones(values):
    waiting, total = [], 0
    for value in values:
        waiting.append(value)
        if len(waiting) > 3:
            total = total * 2 % 1009 + waiting.pop(0)
    return total, waiting


def test_nothing_is_asked_of_the_places_that_stay():
    text = str(jit(first_ones).trace(np.arange(900)).program)
    assert "window" in text
    assert "gather" not in text

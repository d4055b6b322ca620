"""NumPy's functions of lists of run-time length that may be empty: NumPy makes an array of float64 of such a list."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.equivalence import check

LINE = np.array([3.0, 1.0, 2.0])
NONE, SOME, ALL = 9.0, 1.5, 0.0


def above(a, least):
    places = []
    for i in range(len(a)):
        if a[i] > least:
            places.append(i)
    return places


def without(a, least):
    return np.delete(a, above(a, least)), np.setdiff1d([0, 1, 2], above(a, least)), np.take(a, above(a, least))


def parts(a, least):
    places = above(a, least)
    return [p.sum() for p in np.split(a, places)], len(np.array_split(a, places)), np.searchsorted(a, places)


def membership(a, least):
    places = above(a, least)
    return np.isin([0, 1, 5], places), np.isin(places, [0, 1]), np.any(places), np.all(places), np.size(places)


def counts_and_places(a, least):
    places = above(a, least)
    return np.count_nonzero(places), np.flatnonzero(places), np.nonzero(places), np.argsort(places), np.shape(places)


@pytest.mark.parametrize("least", [NONE, SOME, ALL])
@pytest.mark.parametrize("program", [without, parts, membership, counts_and_places])
def test_matches_eager(program, least: float) -> None:
    check(program, LINE.copy(), least)


def moments(a, least):
    places = above(a, least)
    return np.mean(places), np.std(places), np.var(places), np.median(places)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("least", [NONE, SOME, ALL])
def test_moments_of_ints_are_floats(least: float) -> None:
    check(moments, LINE.copy(), least)


def total(a, least):
    return np.sum(above(a, least))


def mean_of_rows(a, least):
    return np.mean([(i, i) for i in above(a, least)], axis=0)


def mean_of_complex(a, least):
    return np.mean([complex(i) for i in above(a, least)])


def mask(a, least):
    return np.delete(a, [i > 5 for i in above(a, least)])


@pytest.mark.parametrize("program", [total, mean_of_rows, mean_of_complex, mask])
def test_a_result_that_shows_the_dtype_is_refused(program) -> None:
    check(program, LINE.copy(), ALL)
    with pytest.raises(UnsupportedOperationError, match="an empty list was to become an array"):
        jit(program)(LINE.copy(), NONE)

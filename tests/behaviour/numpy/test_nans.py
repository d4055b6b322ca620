"""Reductions that leave NaN out."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Table
from tests.behaviour.numpy.samples import COMPLEX, FLOATS, HOLES, INTS, SCALAR, SINGLE, TRUTHS
from tests.equivalence import check, check_calls

case = Table()

for X in (HOLES, FLOATS, INTS, SINGLE, COMPLEX, TRUTHS, SCALAR, 3.5, HOLES.astype("f4")):
    for f in (
        np.nansum,
        np.nanprod,
        np.nanmax,
        np.nanmin,
        np.nanmean,
        np.nanvar,
        np.nanstd,
        np.nanmedian,
        np.nancumsum,
        np.nancumprod,
        np.nanargmax,
        np.nanargmin,
    ):
        case(f, X)
        case(f, X, axis=0)
        if f not in (np.nancumsum, np.nancumprod):
            case(f, X, axis=-1, keepdims=True)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)


def test_extremes_of_all_numbers():
    x = np.random.default_rng(3).normal(size=(40, 5))
    rows = [x, np.where(x > 0, np.nan, x), np.where(x > 0, np.nan, -np.inf), x * np.nan]
    check_calls(lambda x: (np.fmax.reduce(x, axis=None), np.fmin.reduce(x.ravel())), *[(row,) for row in rows])
    check(
        lambda x: (np.nanmax(x), np.fmin.reduce(x, axis=0), np.fmax.reduce(x, axis=None, initial=30)),
        (x * 9).astype(int),
    )

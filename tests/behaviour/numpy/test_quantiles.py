"""Quantiles by every method."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import BYTES, EMPTY, FLOATS, INTS, NANS, SINGLE, TRUTHS

case = Table()


METHODS = (
    "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear "
    "median_unbiased normal_unbiased lower higher nearest midpoint"
).split()
HOLES = np.array([[1, np.nan, 3, 4], [np.nan] * 4, [2, 2, 5, -1.0]])
WEIGHTS = np.arange(12.0).reshape(3, 4)
FUNCTIONS = ((np.quantile, 0.3), (np.percentile, 30), (np.nanquantile, 0.3), (np.nanpercentile, 30))

for f, q in FUNCTIONS:
    for m in METHODS:
        for X in (FLOATS, INTS, SINGLE, HOLES, HOLES.astype("f4"), BYTES):
            case(f, X, q, axis=0, method=m)
            case(f, X, np.array([q, 0, q * 2, q * 10 / 3]), axis=1, method=m, keepdims=True)
        case(f, INTS, Static(0), method=m)
        case(f, HOLES, Static(1), method=m)
        case(f, FLOATS, np.array([[q, 0], [q * 2, q * 3]]), axis=-1, method=m)
        case(f, EMPTY, Static(q), axis=1, method=m) if f in (np.nanquantile, np.nanpercentile) else None
    for X in (FLOATS, INTS):
        case(f, X, np.array([q, 0, q * 2, q * 10 / 3]), axis=1, method="inverted_cdf", weights=WEIGHTS)
        case(f, X, Static(q), method="inverted_cdf", weights=WEIGHTS)
        case(f, X, Static(q), weights=WEIGHTS)
        case(f, X, Static(q), method="inverted_cdf", weights=WEIGHTS - 3)
        case(f, X, Static(q), method="inverted_cdf", weights=WEIGHTS * 0)
    case(f, FLOATS, np.array([0, q * 2]), axis=1, method="inverted_cdf", weights=WEIGHTS)
    case(f, FLOATS, Static(q), method="unheard of")
    case(f, FLOATS, Static(-1))
    case(f, FLOATS, np.full((1, 1, 1), q))
    case(f, FLOATS, q, axis=2)
case(np.quantile, FLOATS, Static([0.0, 1.0]), axis=1, method="inverted_cdf", weights=WEIGHTS[0])
case(np.nanquantile, HOLES, np.array([0.2, 1]), axis=1, method="inverted_cdf", weights=WEIGHTS)
for X in (EMPTY, NANS, TRUTHS):
    case(np.quantile, X, Static(0.3), axis=0)
    case(np.quantile, X, Static(0.9), axis=1)
case(np.quantile, TRUTHS, Static(0.9), axis=1, method="lower")


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)

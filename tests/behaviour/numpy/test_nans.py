"""Reductions that leave NaN out."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Table
from tests.behaviour.numpy.samples import COMPLEX, FLOATS, HOLES, INTS, SCALAR, SINGLE, TRUTHS

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

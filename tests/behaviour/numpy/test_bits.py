"""Bits as elements, and back."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Table
from tests.behaviour.numpy.samples import BYTES, EMPTY, FLOATS, INTS, TRUTHS

case = Table()

for order in ("big", "little", "middle"):
    for axis in (None, 0, 1, -1, 3):
        case(np.unpackbits, BYTES, axis=axis, bitorder=order)
        case(np.packbits, TRUTHS, axis=axis, bitorder=order)
        case(np.packbits, INTS, axis=axis, bitorder=order)
        case(np.packbits, EMPTY > 0, axis=axis, bitorder=order)
        for count in (0, 3, 100, -3, -2000):
            case(np.unpackbits, BYTES, axis=axis, count=count, bitorder=order)
for axis in (None, 0, 1):
    case(np.packbits, np.True_, axis=axis)
    case(np.unpackbits, np.uint8(7), axis=axis)
case(np.packbits, FLOATS)
case(np.unpackbits, INTS)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)

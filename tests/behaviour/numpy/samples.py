"""Arrays that the tables of cases share. Cases copy what they write."""

from __future__ import annotations

import numpy as np

_RNG = np.random.default_rng(0)
FLOATS = _RNG.normal(size=(3, 4))
TALL = _RNG.normal(size=(4, 3))
VECTOR = _RNG.normal(size=4)
INTS = _RNG.integers(-5, 5, (3, 4))
BYTES = _RNG.integers(0, 9, (3, 4)).astype(np.uint8)
COMPLEX = FLOATS + 1j * _RNG.normal(size=(3, 4))
SINGLE = FLOATS.astype(np.float32)
TRUTHS = FLOATS > 0
SCALAR = np.float64(2.5)
EMPTY = np.zeros((0, 3))
CUBE = np.arange(24.0).reshape(2, 3, 4)
NANS = np.array([[1, np.nan, np.inf], [-np.inf, 0, 2]])
HOLES = FLOATS.copy()
HOLES[0, 1] = np.nan
HOLES[2] = np.nan
# Every kind of operand: arrays of each kind of dtype, a NumPy scalar, no elements, Python numbers, a list.
OPERANDS = (FLOATS, INTS, BYTES, COMPLEX, SINGLE, TRUTHS, SCALAR, EMPTY, 3, 2.5, [1, 2.5, 3], VECTOR)
ARRAYS = (FLOATS, INTS, BYTES, TRUTHS, COMPLEX)

"""Numba's modules about NumPy, by their names."""

from __future__ import annotations

from anabranch.compat.numba import linalg as linalg, numpy_support as numpy_support, ufunc as ufunc

"""The classes of ufuncs, under the names that Numba's modules have them."""

from __future__ import annotations

import sys

from anabranch.runtime.ufuncs.gufunc import GUFunc as GUFunc
from anabranch.runtime.ufuncs.ufunc import UFunc as DUFunc

__all__ = ["DUFunc", "GUFunc", "dufunc", "gufunc"]
gufunc = dufunc = sys.modules[__name__]

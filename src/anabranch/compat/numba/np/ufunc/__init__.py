"""The classes of ufuncs."""

from __future__ import annotations

from anabranch.compat.numba.np.ufunc import dufunc as dufunc, gufunc as gufunc
from anabranch.compat.numba.np.ufunc.dufunc import DUFunc as DUFunc
from anabranch.compat.numba.np.ufunc.gufunc import GUFunc as GUFunc

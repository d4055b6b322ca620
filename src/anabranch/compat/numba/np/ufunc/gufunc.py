"""`GUFunc`, which `guvectorize` returns."""

from __future__ import annotations

from anabranch.runtime.ufuncs.gufunc import GUFunc as GUFunc

"""`DUFunc`, which `vectorize` returns."""

from __future__ import annotations

from anabranch.runtime.ufuncs.ufunc import UFunc as DUFunc

__all__ = ["DUFunc"]

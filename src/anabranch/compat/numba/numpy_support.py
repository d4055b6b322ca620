"""Dtypes for types, and types for dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.compat.numba.decorators import from_dtype as from_dtype


def as_dtype(numba_type: Any) -> np.dtype:
    """The dtype of a number's type, or of the elements of an array's."""
    found = getattr(numba_type, "element", None)
    if found is None:
        raise NotImplementedError(f"{numba_type} cannot be represented as a NumPy dtype")
    dtype: np.dtype = np.dtype(found)
    return dtype

"""Arrays of positions that pick parts of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.runtime.numpy.core import (
    adopted,
    dtype_of,
    handle,
    refused,
    shape_of,
    traced_inside,
)
from anabranch.runtime.numpy.namespace import namespace as xp
from anabranch.runtime.numpy.rules import Rules

rules = Rules()


@rules.implements(np.ix_)
def ix_(*args: Any) -> Any:
    """As `numpy.ix_`, of positions; truth values must be static."""
    lines = []
    for i, given in enumerate(args):
        if len(shape_of(given)) != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if dtype_of(given).kind == "b":
            raise refused("ix_", "the number of elements that bools pick is known only at run time; use np.flatnonzero")
        line = handle(given)
        lines.append(line.reshape((1,) * i + line.shape + (1,) * (len(args) - i - 1)))
    return tuple(lines)


@rules.creates(np.mask_indices)
def mask_indices(n: Any, mask_func: Any, k: Any = 0) -> Any:
    """As `numpy.mask_indices`, of a static size and offset."""
    if traced_inside((n, k)):
        raise refused("mask_indices", "the size of its result is known only at run time; index with a mask")
    chosen = getattr(mask_func, "__wrapped__", mask_func)
    return adopted(np.mask_indices(n, chosen, k), ())


@rules.implements(np.sort_complex)
def sort_complex(a: Any) -> Any:
    """As `numpy.sort_complex`: sorted, and complex."""
    ordered = xp.sort(handle(a))
    small = ordered.dtype.kind in "biu" and ordered.dtype.char in "bhBH"
    dtype = ordered.dtype if ordered.dtype.kind == "c" else np.dtype(np.complex64 if small else np.complex128)
    return ordered.astype(dtype)

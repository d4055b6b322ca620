"""Ops between arrays of one shape: NumPy's ufuncs, casts, choice and complex parts.

Importing this package registers them all in `Op.table`, a ufunc under its `__name__`.
"""

from __future__ import annotations

from anabranch.runtime.ops.elementwise import (
    arithmetic,
    bits,
    casts,
    comparison,
    division,
    exponential,
    float_bits,
    power,
    python,
    trigonometric,
)
from anabranch.runtime.ops.elementwise.ufunc import ufunc_op

__all__ = [
    "LEFT_OUT",
    "arithmetic",
    "bits",
    "casts",
    "comparison",
    "division",
    "exponential",
    "float_bits",
    "power",
    "python",
    "trigonometric",
    "ufunc_op",
]

# NumPy's ufuncs that are no op here, and why.
LEFT_OUT = {
    "isnat": "only datetime64 and timedelta64 have it",
    "matmul": "contracts axes: an op of linear algebra",
    "matvec": "contracts axes: an op of linear algebra",
    "vecmat": "contracts axes: an op of linear algebra",
    "vecdot": "contracts axes: an op of linear algebra",
}

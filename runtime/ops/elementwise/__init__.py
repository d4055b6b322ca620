"""Ops between arrays of one shape: NumPy's ufuncs, casts, choice and complex parts."""

from __future__ import annotations

# NumPy's ufuncs that are no op here, and why.
LEFT_OUT = {
    "isnat": "only datetime64 and timedelta64 have it",
    "matmul": "contracts axes: an op of linear algebra",
    "matvec": "contracts axes: an op of linear algebra",
    "vecmat": "contracts axes: an op of linear algebra",
    "vecdot": "contracts axes: an op of linear algebra",
}

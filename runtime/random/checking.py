"""Checks of the parameters of distributions."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.values import wrap
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.tracer import Tracer


def refuse_where(condition: Value, message: str) -> None:
    """Raise ValueError where any element of a condition holds: now, or when the compiled function runs."""
    found = condition.any()
    if isinstance(found, Tracer):
        run_time_checks.fail_if(wrap.as_atom(found), lambda _: ValueError(message))
    elif found:
        raise ValueError(message)


def floating(dtype: Value) -> np.dtype:
    """The dtype, which must be a floating one."""
    found: np.dtype = np.dtype(dtype)
    if found.kind != "f" or found.itemsize > 8:
        raise TypeError(f"numbers of dtype float16, float32 or float64 can be drawn, and not of {found}")
    return found

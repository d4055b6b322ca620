"""`a[condition]`: a mask without axes, which selects all of an array, or nothing of it, along a new axis."""

from __future__ import annotations

import functools

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Literal
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.tracer import Tracer


def spread(array: Value, key: object) -> tuple[int, Value] | None:
    """Where the array gets an axis of one element, and the key with a mask over that one; None without a condition."""
    entries = list(key) if isinstance(key, tuple) else [key]
    found = [i for i, k in enumerate(entries) if _is_condition(k)]
    if not found:
        return None
    at, end = found[0], found[-1] + 1
    if end - at != len(found):
        raise UnsupportedOperationError(
            "two conditions with other indices between them are not supported; join the conditions with &"
        )
    before = entries[:at]
    if any(k is Ellipsis for k in before):
        axis = array.ndim - sum(map(_axes, entries[end:]))
    else:
        axis = sum(map(_axes, before))
    return axis, (*before, _mask(entries[at:end]), *entries[end:])


def _is_condition(k: object) -> bool:
    if isinstance(k, (bool, np.bool_)):
        return True
    if isinstance(k, np.ndarray):
        return k.dtype == np.bool_ and not k.ndim
    return (
        isinstance(k, Tracer) and not wrap.is_dynamic_array(k) and k.abstract.dtype == np.bool_ and not k.abstract.shape
    )


def _axes(k: Value) -> int:
    """How many axes of the array an entry of a key is for."""
    if k is None or k is Ellipsis:
        return 0
    dtype = getattr(k, "dtype", None)
    return len(k.shape) if dtype is not None and dtype == np.bool_ else 1


def _mask(conditions: list[Value]) -> Value:
    """A mask with one element: whether all of the conditions hold."""
    holds = functools.reduce(atoms.logical_and, map(wrap.as_atom, conditions))
    return holds.value.reshape(1) if isinstance(holds, Literal) else wrap.array_of(atoms.reshape(holds, (1,)))

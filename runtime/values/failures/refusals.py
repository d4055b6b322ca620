"""Errors for values that compiled code has no form for: what each is, and what to pass instead."""

from __future__ import annotations

import collections.abc
import io

import numpy as np

from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedValueError

# What to do about an array of a dtype that XLA has not, by the kind of the dtype.
_INSTEAD = {
    "O": "pass one of numbers, such as x.astype(float)",
    "U": "pass numbers that stand for the texts",
    "S": "pass numbers that stand for the texts, or numpy.frombuffer(x, numpy.uint8)",
    "T": "pass numbers that stand for the texts",
    "M": "pass its integers, x.astype('int64')",
    "m": "pass its integers, x.astype('int64')",
    "f": "pass x.astype(numpy.float64)",
    "c": "pass x.astype(numpy.complex128)",
}


def dtype_refusal(what: str, dtype: np.dtype) -> UnsupportedValueError:
    """The error for an array or a scalar of a dtype that cannot be compiled."""
    fields = "pass its fields one by one, x['name']"
    instead = fields if dtype.names else _INSTEAD.get(dtype.kind, "pass it as another dtype")
    return UnsupportedValueError(f"{what} of dtype {dtype} cannot be compiled; {instead}")


def argument_refusal(where: str, value: object) -> UnsupportedValueError:
    """The error for an argument that is no pytree."""
    if isinstance(value, io.IOBase):
        instead = "read it outside, and pass what it holds"
    elif isinstance(value, collections.abc.Iterator):
        instead = f"each call would use it up: pass list({where})"
    elif isinstance(value, set):
        instead = f"pass sorted({where}), or frozenset({where}) if it is the same from call to call"
    else:
        instead = "name it in static_argnames if it is the same from call to call"
    return UnsupportedValueError(
        f"argument '{where}' is {a(type(value).__name__)} ({shown(value)}), which is no array, scalar or pytree of "
        f"these; {instead}"
    )


def shown(value: Value) -> str:
    """Return the text of a value for a message; the user's class may not be able to give one."""
    try:
        return f"{value!r:.60}"
    except Exception:
        return object.__repr__(value)

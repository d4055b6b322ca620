"""Errors for values that compiled code has no form for: what each is, and what to pass instead."""

from __future__ import annotations

import collections.abc
import io

import numpy as np

from anabranch.base.grammar import a
from anabranch.runtime.errors import UnsupportedOperationError, UnsupportedValueError
from anabranch.runtime.tracing.builder import current

# Why a Python int of more bits is refused.
INTS_ARE_INT64 = "compiled code holds ints as int64"

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


def not_compiled(name: str, reason: str = "") -> str:
    """The message where a function that is not compiled gets a run-time value; with the reason that it gives itself."""
    return (
        f"{name} is not compiled, and cannot take a value known only at run time{reason and f' ({reason})'}; call it "
        "outside of the compiled function and pass its result, compute the same with NumPy's functions, or call it in "
        "a function of your own with @anabranch.host"
    )


def outside_array_refusal(what: str) -> UnsupportedOperationError:
    """The error for a write into an array that no argument leads to; `what` is known only at run time.

    It is noted, as a trace in which known arrays are traced ones may do better.
    """
    current().trace.constants.are_written = True
    return UnsupportedOperationError(
        f"an array that an object from outside of the function holds is written to {what} known only at run time; pass "
        "the array, or the object, as an argument"
    )


def argument_refusal(where: str, value: object) -> UnsupportedValueError:
    """The error for an argument that is no pytree."""
    if isinstance(value, io.IOBase):
        instead = "read it outside, and pass what it holds"
    elif isinstance(value, collections.abc.Iterator):
        instead = f"each call would use it up: pass list({where})"
    elif isinstance(value, set):
        instead = f"members can be numbers, texts and the like, and tuples of these; pass tuple({where})"
    else:
        instead = "name it in static_argnames if it is the same from call to call"
    return UnsupportedValueError(
        f"argument '{where}' is {a(type(value).__name__)} ({shown(value)}), which is not an array, scalar or "
        f"pytree of these; {instead}"
    )


def shown(value: object) -> str:
    """Return the text of a value for a message; the user's class may not be able to give one."""
    try:
        return f"{value!r:.60}"
    except Exception:
        return object.__repr__(value)

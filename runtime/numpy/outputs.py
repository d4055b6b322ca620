"""`out=` and `where=` of functions on arrays whose size is known only at run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import expect_array, result
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays import traced_array
from anabranch.runtime.values.dynamic_shapes import broadcasting


def stored(out: Value, made: Any, where: object = True, casting: Value = "unsafe") -> Value:
    """`out` after a result has been written to it, where the mask holds."""
    if isinstance(out, tuple):
        (out,) = out
    if out is None:
        if where is not True:
            raise UnsupportedOperationError("where= of a run-time size is supported with out= only")
        return made
    expect_writable(out)
    if not np.can_cast(made.dtype, out.dtype, casting):
        rule = f"according to the rule '{casting}'"
        raise TypeError(f"Cannot cast array data from {made.dtype!r} to {out.dtype!r} {rule}")
    _check(out, made)
    if where is not True:
        made = registry.FUNCTIONS[np.where](where, made, out)
    out.assign(made)
    return out


def expect_writable(out: Value) -> None:
    """Raise NumPy's error where an output is no array, or read-only: it looks at that before dtypes and shapes."""
    expect_array(out)
    memory = out.memory if wrap.is_dynamic_array(out) else out
    traced_array.expect_writable(memory, "output array is read-only")


def written(out: Value, made: Value, casting: Value = "unsafe") -> Value:
    """`out` after a result of static or of run-time size has been written to it; the result itself without one."""
    if isinstance(out, tuple):
        (out,) = out
    if any(map(wrap.is_dynamic_array, (out, made))):
        return stored(out, made, casting=casting)
    return result(wrap.as_atom(made), out, casting)


def over_output(value: Atom, out: Value, core: int) -> Atom:
    """The result of a generalized ufunc, repeated along the axes of its loop that its output alone has.

    `core` says how many of the last axes are those of one result.
    """
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if not isinstance(out, traced_array.TracedArray):
        return value
    given, wanted = value.type.shape, out.shape
    outer = len(wanted) - core
    at = len(given) - core
    if outer < at or wanted[outer:] != given[at:]:
        return value
    loop = wanted[outer - at : outer]
    fits = all(n in (m, 1) for n, m in zip(given[:at], loop, strict=True))
    return atoms.broadcast_to(value, wanted) if fits else value


def _check(out: Value, made: Any) -> None:
    """NumPy's words for an output of another shape."""
    text = "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}"
    shape = made.shape
    wrong: Atom = atoms.literal(len(out.shape) != len(shape))
    for n, m in zip(out.shape, shape, strict=False):
        wrong = atoms.logical_or(wrong, broadcasting.differ(n, m))
    broadcasting.refuse(wrong, ValueError, text, tuple(out.shape), tuple(shape))

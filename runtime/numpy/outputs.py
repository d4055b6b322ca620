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


def _check(out: Value, made: Any) -> None:
    """NumPy's words for an output of another shape."""
    text = "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}"
    shape = made.shape
    wrong: Atom = atoms.literal(len(out.shape) != len(shape))
    for n, m in zip(out.shape, shape, strict=False):
        wrong = atoms.logical_or(wrong, broadcasting.differ(n, m))
    broadcasting.refuse(wrong, ValueError, text, tuple(out.shape), tuple(shape))

"""A ufunc's call while a function is traced: its function in a loop over the broadcast operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.calls.broadcast_loops import Masked, NumPyOperand, mapped
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy import namespace as xp
from anabranch.runtime.numpy.core import shape_of, supported
from anabranch.runtime.ufuncs import loops
from anabranch.runtime.values import passed_functions, wrap
from anabranch.runtime.values.atoms import shape_text


def called(ufunc: Any, args: tuple[Value, ...], out: Value, where: Value, dtype: Value, casting: str) -> Value:
    """`ufunc(*args, out=out, where=where, dtype=dtype, casting=casting)`; `where` is None for all elements."""
    args, (out,) = ufunc.operands(args, out)
    loop = loops.chosen(ufunc, ufunc.loops, args, None if dtype is None else supported(dtype), casting)
    result = loops.output_dtype(ufunc.function, loop, args, ufunc.__name__)
    if out is not None:
        loops.check_output(ufunc, result, out.dtype, casting)
    operands = [converted(x, d) for x, d in zip(args, loop.inputs, strict=True)]
    function = passed_functions.called(ufunc.function)
    if out is None and where is None and not any(map(_has_axes, operands)):
        return scalar(function(*operands), result)
    everything = (*operands, *(x for x in (where, out) if x is not None))
    if not any(map(wrap.is_dynamic_array, everything)):
        shapes = list(map(shape_of, everything))
        _check_shapes(shapes, None if out is None else shape_of(out))
    elif where is not None or out is not None:
        raise UnsupportedOperationError(
            f"ufunc '{ufunc.__name__}' with out= or where= beside an array whose size is known only at run time is not "
            "supported in compiled code; write the loop"
        )
    masked = None
    if where is not None:
        before = None if out is None else xp.broadcast_to(out, np.broadcast_shapes(*shapes))
        masked = Masked(operand(xp.asarray(where)), before if before is None else xp.array(before).astype(result))
    if out is not None:
        # So that the function is called for each element of the output.
        operands[0] = xp.broadcast_to(xp.asarray(operands[0]), shape_of(out))
    made = mapped(function, [operand(x) for x in operands], [result], False, f"ufunc '{ufunc.__name__}'", masked)
    if out is None:
        return made if _has_axes(made) else made[()]
    out[...] = made.astype(out.dtype)
    return out


def converted(value: Value, dtype: np.dtype | None) -> Value:
    """An operand of the loop's dtype: an array, or a scalar; as it is for None."""
    if dtype is None:
        return value
    array = xp.asarray(value)
    array = array if array.dtype == dtype else array.astype(dtype)
    return array if _has_axes(array) else array[()]


def operand(value: Value) -> NumPyOperand:
    """An operand of the loop over broadcast elements."""
    return NumPyOperand(value, tuple(value.shape) if _has_axes(value) else (), _has_axes(value))


def scalar(value: Value, dtype: np.dtype) -> Value:
    """The result of a function as a NumPy scalar."""
    slot = xp.zeros(1, dtype=dtype)
    slot[0] = value
    return slot[0]


def _has_axes(value: Value) -> bool:
    return wrap.is_dynamic_array(value) or len(shape_of(value)) > 0


def _check_shapes(shapes: Sequence[tuple[int, ...]], out: tuple[int, ...] | None) -> None:
    """Raise as NumPy does for operands that don't broadcast, with each other or into the output."""
    shown = " ".join(map(shape_text, shapes))
    try:
        common = np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"operands could not be broadcast together with shapes {shown} ") from None
    if out is not None and common != out:
        raise ValueError(misfit(out, common))


def misfit(out: tuple[int, ...], common: tuple[int, ...]) -> str:
    """NumPy's words for an output of another shape."""
    own, wanted = shape_text(out), shape_text(common)
    return f"non-broadcastable output operand with shape {own} doesn't match the broadcast shape {wanted}"

"""Operands, axes, dtypes, results and `out=`, as every family of functions takes and makes them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.device import array as device
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.abstract import PYTHON_DTYPES, Kind
from anabranch.runtime.values.arrays.flat_iterator import FlatIterator
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.failures.refusals import outside_array_refusal
from anabranch.runtime.values.host_calls import deferred
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.number_sequence import NumberSequence
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

NoValue: Any = np._NoValue
_RESOLVED = (UnionValue, device.Array, list, tuple, NumberSequence)
_LEAVES = (np.ndarray, np.generic, str, bytes, int, float, complex, type(None))


def traced_inside(value: object) -> bool:
    """Return whether a value is traced or an Array (which becomes an input), or a list, tuple or dict holds one."""
    if isinstance(value, (Tracer, UnionValue, device.Array, FlatIterator, NumberSequence)):
        return True
    if isinstance(value, _LEAVES):
        return False
    if isinstance(value, (list, tuple)):
        return any(map(traced_inside, value))
    if isinstance(value, dict):
        return any(map(traced_inside, value.values()))
    return False


def has_dynamic_array(value: Value) -> bool:
    """Return whether a value is an array of run-time size, or a list or tuple holds one."""
    if type(value) in (list, tuple):
        return any(map(has_dynamic_array, value))
    return wrap.is_dynamic_array(value)


def resolved(value: Value) -> Value:
    """The value with run-time alternatives made one value, also inside lists and tuples."""
    if isinstance(value, UnionValue):
        return resolved(value.of_plain_numbers().resolve())
    if isinstance(value, (device.Array, FlatIterator, NumberSequence)):
        return wrap.numpy_operand(value)
    if type(value) in (list, tuple) and any(isinstance(v, _RESOLVED) for v in value):
        return type(value)(map(resolved, value))
    return value


def full_name(original: Callable[..., object]) -> str:
    """The name of a NumPy function as users know it."""
    module = getattr(original, "__module__", None) or "numpy"
    return f"{module}.{original.__name__}"


def is_staged(original: Callable[..., object]) -> bool:
    """Return whether a NumPy function takes run-time values."""
    if original not in registry.FUNCTIONS:
        return False
    name = full_name(original)
    return name not in registry.REFUSED and name not in registry.STATIC


def adopted(made: object, arguments: object) -> Value:
    """A result of NumPy's own: a fresh array becomes a handle, since staged code may write into it later.

    Scalars stay NumPy's, and so does an array that shares memory with an argument.
    """
    if not tracing():
        return made
    if type(made) is list or isinstance(made, tuple):
        parts = [adopted(m, arguments) for m in made]
        return type(made)._make(parts) if hasattr(made, "_make") else type(made)(parts)
    if type(made) is np.ndarray and made.dtype.kind in "US" and current().trace.constants.are_traced:
        return made if _shared(made, arguments) else registry.FUNCTIONS[np.array](made)
    if type(made) is not np.ndarray or made.dtype.kind not in "biufc" or _shared(made, arguments):
        return made
    handle = fresh(Literal(frozen(np.array(made, order="C"))))
    memory_layout.set_traits(handle, memory_layout.traits_of_ndarray(made))
    return handle


def _shared(made: np.ndarray, value: object) -> bool:
    if isinstance(value, np.ndarray):
        return made is value or np.may_share_memory(made, value)
    return isinstance(value, (list, tuple)) and any(_shared(made, v) for v in value)


def frozen(array: np.ndarray) -> np.ndarray:
    """Make an array read-only, and return it."""
    array.flags.writeable = False
    return array


def plain(function: str, **keywords: tuple[object, object]) -> None:
    """Refuse keywords with another value than the default: `plain("zeros", order=(order, "C"))`.

    Raises `UnsupportedOperationError`: naming the function and the keyword.
    """
    for name, (value, default) in keywords.items():
        if value is not NoValue and value is not default and not (isinstance(value, (str, bool)) and value == default):
            raise UnsupportedOperationError(f"numpy.{function} with {name}={value!r} is not supported in compiled code")


def inhomogeneous(detected: tuple[int, ...]) -> str:
    """NumPy's words for a list that is no array, since its items have common sizes along these axes alone."""
    return (
        "setting an array element with a sequence. The requested array has an inhomogeneous shape after "
        f"{len(detected)} dimensions. The detected shape was {detected} + inhomogeneous part."
    )


def refused(name: str, reason: str) -> UnsupportedOperationError:
    """The error for what cannot be staged."""
    return UnsupportedOperationError(f"numpy.{name} is not supported in compiled code: {reason}")


# ---- operands --------------------------------------------------------------------------------------------------------


def operand(x: object) -> Value:
    """A traced value, ndarray, NumPy scalar or Python scalar; anything else becomes an array, as NumPy does."""
    if isinstance(x, (Tracer, np.ndarray, np.generic, UnionValue)) or type(x) in PYTHON_DTYPES or traced_inside(x):
        return wrap.numpy_operand(x)
    return wrap.numpy_operand(np.asarray(x))


def atom_of(x: Value, dtype: Value = None) -> Atom:
    """The value of an operand, cast to `dtype` if given."""
    return wrap.as_atom(operand(x), dtype)


def handle(x: Value) -> TracedArray:
    """The operand as an array handle; an Array is itself, so that views of it can be made."""
    x = operand(x)
    return x if isinstance(x, TracedArray) else fresh(wrap.as_atom(x))


def fresh(atom: Atom) -> TracedArray:
    """A new array that holds the value."""
    array: TracedArray = wrap.array_of(atom)
    return array


def result(atom: Atom, out: Value = None, casting: Value = "same_kind") -> Value:
    """Return a NumPy function's result: `out` after it was written, a NumPy scalar for shape (), or a new array."""
    if isinstance(out, tuple):
        (out,) = out
    return wrap.numpy_result(atom) if out is None else store(out, atom, casting)


def store(out: Value, atom: Atom, casting: Value = "same_kind") -> TracedArray:
    """Write a result to `out`, with NumPy's checks."""
    expect_array(out)
    if not np.can_cast(atom.type.dtype, out.dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {atom.type.dtype!r} to {out.dtype!r} according to the rule '{casting}'"
        )
    if out.shape != atom.type.shape:
        given, wanted = map(atoms.shape_text, (out.shape, atom.type.shape))
        raise ValueError(f"output array has wrong shape: {given} where the result has {wanted}")
    array: TracedArray = out
    array.set(atoms.convert(atom, array.dtype))
    return array


def expect_array(out: Value) -> None:
    """Raise NumPy's error where an output is no array."""
    if isinstance(out, np.ndarray):
        raise outside_array_refusal("(by +=, or as out=) with values")
    if not isinstance(out, TracedArray) and not wrap.is_dynamic_array(out):
        raise TypeError("return arrays must be of ArrayType")


def shape_of(x: object) -> tuple[int, ...]:
    """The shape of an operand."""
    return wrap.shape_of(operand(x))


def dtype_of(x: Value) -> np.dtype:
    """The dtype of an operand as an array of its own."""
    x = operand(x)
    if isinstance(x, Tracer) and not wrap.is_dynamic_array(x):
        return x.abstract.dtype
    return PYTHON_DTYPES[type(x)] if type(x) in PYTHON_DTYPES else np.dtype(x.dtype)


def spec_of(x: Value) -> Value:
    """Return what NumPy's promotion sees: a dtype, or a Python number of the type where the value is weak."""
    x = operand(x)
    if isinstance(x, Tracer) and not wrap.is_dynamic_array(x) and x.abstract.kind is Kind.PYTHON:
        zero: Any = x.abstract.python
        return zero(0)
    return x if type(x) in PYTHON_DTYPES else dtype_of(x)


def promoted(*xs: object) -> np.dtype:
    """`np.result_type` of operands, Python scalars weak."""
    dtype: np.dtype = np.result_type(*map(spec_of, xs))
    return dtype


class ExtendedPrecisionError(UnsupportedOperationError):
    """An array of extended precision is wanted, with which only the host computes: NumPy's own function makes it."""

    def __init__(self, dtype: np.dtype) -> None:
        super().__init__(f"arrays of dtype {dtype} are not supported here in compiled code; make them with numpy.array")


def on_host(function: Callable[..., object], *args: Value, **kwargs: Value) -> Value:
    """The result of a function of NumPy's by NumPy itself, once the values are known.

    Raises `UnsupportedOperationError` where the settings forbid calls of the host.
    """
    return _on_host(None, function, args, kwargs)


def _on_host_like(example: Value, function: Callable[..., object], *args: Value, **kwargs: Value) -> Value:
    """As `on_host`, of a function whose results are like an example."""
    return _on_host((example,), function, args, kwargs)


def _on_host(
    example: tuple[Value] | None, function: Callable[..., object], args: tuple[Value, ...], kwargs: dict[str, Value]
) -> Value:
    if not settings().host_calls:
        raise UnsupportedOperationError(
            f"{full_name(function)} of a run-time value is a call of the host, which the setting host_calls forbids"
        )
    return deferred.call_of(None)(full_name(function), function, args, kwargs, example)


registry.HOST_CALLS.append(on_host)
registry.HOST_CALLS_LIKE.append(_on_host_like)


def supported(dtype: Value) -> np.dtype:
    """The dtype, where compiled code can hold it.

    Raises `ExtendedPrecisionError` where the host can.
    """
    chosen: np.dtype = np.dtype(dtype.resolve() if isinstance(dtype, UnionValue) else dtype)
    if chosen.char in "gG" and chosen.isnative and settings().host_calls:
        raise ExtendedPrecisionError(chosen)
    if not chosen.isnative or not device.holds(chosen):
        raise UnsupportedOperationError(f"arrays of dtype {chosen} are not supported in compiled code")
    return chosen


# ---- shapes and axes -------------------------------------------------------------------------------------------------


def shape_argument(shape: object) -> tuple[int, ...]:
    """A shape argument: an int or a sequence of ints. Raises what NumPy does for anything else."""
    shape = resolved(shape)
    if isinstance(shape, TracedArray) and (shape.ndim or shape.dtype.kind in "iu"):
        shape = tuple(shape) if shape.ndim else (shape[()],)
    if not isinstance(shape, Iterable) or isinstance(shape, Tracer):
        if isinstance(shape, (bool, np.bool_)):
            raise TypeError(f"expected a sequence of integers or a single integer, got '{shape!r}'")
        shape = (shape,)
    if any(isinstance(n, (bool, np.bool_)) for n in shape):
        raise TypeError("an integer is required")
    sizes = tuple(map(operator.index, shape))
    if any(n < 0 for n in sizes):
        raise ValueError("negative dimensions are not allowed")
    return sizes


def one_axis(axis: Value, ndim: int, name: str | None = None) -> int:
    """An axis counted from the front; raises `AxisError` as NumPy does."""
    return int(normalize_axis_index(operator.index(axis), ndim, name))


def axes_tuple(axis: Value, ndim: int, name: str | None = None) -> tuple[int, ...]:
    """`axis=None | int | tuple` as axes counted from the front; None means all."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(normalize_axis_tuple(axis, ndim, name))


def keepdims_shape(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    """The shape with the axes at size 1."""
    return tuple(1 if i in axes else n for i, n in enumerate(shape))


def broadcast_atoms(*xs: object, dtype: object = None) -> list[Atom]:
    """The operands broadcast against each other."""
    values = [atom_of(x, dtype) for x in xs]
    shape = apply_ufunc.broadcast_shapes(*(v.type.shape for v in values))
    return [atoms.broadcast_to(v, shape) for v in values]


def zeros_atom(shape: Sequence[int], dtype: Value, value: Value = 0) -> Atom:
    """A constant array: one literal, broadcast."""
    return atoms.broadcast_to(atoms.literal(np.asarray(value).astype(dtype)), tuple(shape))


def iota(shape: Sequence[int], axis: int = 0, dtype: Value = np.int64) -> Atom:
    """Positions along an axis."""
    return atoms.op("iota", shape=tuple(shape), dtype=np.dtype(dtype), axis=axis)


def offset(k: Value) -> Value:
    """The number of a diagonal: a plain int, or an int known only at run time."""
    if isinstance(k, Tracer) and not k.abstract.shape and k.abstract.dtype.kind in "iu":
        return k
    return operator.index(k)


def diagonal_mask(rows: int, columns: int, k: Value, compare: np.ufunc = np.equal) -> Atom:
    """`column COMPARE row + k` of each position."""
    shape = (rows, columns)
    row = iota(shape, 0)
    if isinstance(k, int):
        shifted = atoms.ufunc(np.add, row, zeros_atom(shape, np.int64, k)) if k else row
    else:
        shifted = atoms.ufunc(np.add, row, atoms.broadcast_to(atom_of(k, np.int64), shape))
    return atoms.ufunc(compare, iota(shape, 1), shifted)

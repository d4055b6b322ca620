"""Operators, attributes, methods and NumPy's protocols of Arrays."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.device import upper_layers
from anabranch.runtime.device.array import Array, placed
from anabranch.runtime.eager.execute import call, captured, elementwise, number, power, run
from anabranch.runtime.eager.staged_calls import Operand
from anabranch.runtime.errors import ImmutableArrayError, UnsupportedOperationError
from anabranch.runtime.numpy import staged
from anabranch.runtime.numpy.core import is_staged
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import registry, wrap
from anabranch.runtime.values.arrays import indexing
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.tracer import Tracer

# What operators take: anything else may have operators of its own.
_KNOWN = (Array, np.ndarray, np.generic, bool, int, float, complex, list, tuple, Tracer)


class EagerOperations:
    """The operations of Arrays, as `device.upper_layers.Operations` describes them."""

    def operator(self, ufunc: np.ufunc, *operands: object) -> Value:
        """See there."""
        if not all(isinstance(x, _KNOWN) for x in operands):
            return NotImplemented
        return elementwise(power if ufunc is np.power else registry.FUNCTIONS[ufunc], ufunc, operands)

    def reduced(self, array: Array) -> tuple[Callable[..., Any], tuple[Value, ...]]:
        """See there."""
        return restored, (array.__array__(copy=True),)

    def get(self, array: Array, key: Value) -> Value:
        """See there."""
        return _get(array, key)

    def attribute(self, array: Array, name: str) -> Value:
        """See there."""
        if tracing():
            return getattr(captured(array), name)
        if name in _MEMORY or not hasattr(np.ndarray, name):
            raise AttributeError(f"'Array' object has no attribute '{name}'")
        if name in registry.PROPERTIES:
            return call(registry.PROPERTIES[name], (array,), {})
        if name in _METHODS_ON_HOST:
            return functools.partial(on_host, getattr(np.ndarray, name), array)
        return functools.partial(_method, name, array)

    def ufunc(self, ufunc: np.ufunc, method: str, inputs: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
        """See there."""
        function = registry.function_of(ufunc)
        if function is None:
            raise _missing(f"numpy.{ufunc.__name__}")
        if method == "__call__":
            if not kwargs and len(inputs) == ufunc.nin:
                return elementwise(function, ufunc, inputs)
            where = kwargs.pop("where", True) if kwargs.get("out") is not None and not tracing() else True
            return _written(functools.partial(call, function), inputs, kwargs, where)
        if method == "at":
            return _write(ufunc.at, inputs, kwargs)
        return _written(functools.partial(call, ufunc_method(ufunc, method)), inputs, kwargs)

    def function(self, function: Callable[..., Any], args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
        """See there."""
        if tracing():
            return call(staged(function), args, kwargs)
        if function in _WRITERS:
            return _write(function, args, kwargs)
        if depends_on_values(function, args, kwargs):
            return on_host(function, *args, **kwargs)
        found = registry.FUNCTIONS.get(function)
        if found is None or not is_staged(function) or function in registry.ON_HOST:
            raise _missing(f"{function.__module__}.{function.__name__}")
        return _written(functools.partial(call, found), args, kwargs)


@functools.cache
def ufunc_method(ufunc: np.ufunc, method: str) -> Callable[..., Any]:
    """A method of a staged ufunc, the same object each time."""
    found: Callable[..., Any] = getattr(registry.function_of(ufunc), method)
    return found


def _method(name: str, array: Array, *args: object, **kwargs: object) -> Value:
    return _written(functools.partial(call, registry.METHODS[name]), (array, *args), kwargs)


def _missing(name: str) -> UnsupportedOperationError:
    return UnsupportedOperationError(f"{name} is not supported on an Array; call it on numpy.asarray(a)")


# ---- on the host -----------------------------------------------------------------------------------------------------


def _functions(*names: str) -> frozenset[Any]:
    """NumPy's functions of these names, those that this release has."""
    return frozenset(getattr(np, n) for n in names if hasattr(np, n))


_MEMORY = ("flat", "strides", "data", "ctypes", "base", "flags", "itemset", "newbyteorder")
_WRITERS = _functions("copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis")
# The shape of their results depends on values, or they return text or files.
ON_HOST = _functions(
    "nonzero", "flatnonzero", "argwhere", "extract", "compress", "unique", "unique_all", "unique_counts",
    "unique_inverse", "unique_values", "union1d", "intersect1d", "setdiff1d", "setxor1d", "trim_zeros", "bincount",
    "array2string", "array_repr", "array_str", "base_repr", "binary_repr", "format_float_positional",
    "format_float_scientific", "save", "savez", "savez_compressed", "savetxt",
)  # fmt: skip
_METHODS_ON_HOST = ("nonzero", "compress", "view", "dump", "dumps", "tofile")


def depends_on_values(function: Callable[..., object], args: Sequence[object], kwargs: dict[str, Value]) -> bool:
    """Return whether the shape of the result depends on values, so that it is computed on the host."""
    if function is np.where:
        return len(args) + len(kwargs) == 1
    if function is np.repeat:
        repeats = kwargs["repeats"] if "repeats" in kwargs else args[1] if len(args) > 1 else 1
        return isinstance(repeats, (Array, np.ndarray))
    return function in ON_HOST


def on_host(function: Callable[..., object], *args: object, **kwargs: object) -> Value:
    """A call of NumPy's own function; the arrays that it returns are put on the device."""
    return _to_device(function(*map(_to_host, args), **{k: _to_host(v) for k, v in kwargs.items()}))


def _to_host(value: Value) -> Value:
    if isinstance(value, Array):
        return np.asarray(value)
    return type(value)(map(_to_host, value)) if type(value) in (list, tuple) else value


def _to_device(value: Value) -> Value:
    if isinstance(value, (np.ndarray, np.generic)):
        return placed(np.asarray(value))
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return type(value)._make(map(_to_device, value))
    return type(value)(map(_to_device, value)) if type(value) in (list, tuple) else value


def _write(function: Callable[..., Any], args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """A call that writes into its first argument."""
    if args and isinstance(args[0], Array):
        name = getattr(function, "__name__", "at")
        raise ImmutableArrayError(
            f"numpy.{name} writes into its first argument, but an Array never changes; {_INSTEAD}"
        )
    return function(*map(_to_host, args), **{k: _to_host(v) for k, v in kwargs.items()})


_INSTEAD = "write into numpy.asarray(a).copy()"


def _written(
    compute: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, Value], where: object = True
) -> Value:
    """The result, also written to `out=` where that is an ndarray of the caller's."""
    out = kwargs.get("out")
    if out is None or tracing():
        return compute(args, kwargs)
    outs = out if isinstance(out, tuple) else (out,)
    if any(isinstance(o, Array) for o in outs):
        raise ImmutableArrayError(f"out= is an Array, which never changes; {_INSTEAD}, or leave it out")
    made = compute(args, {k: v for k, v in kwargs.items() if k != "out"})
    for target, value in zip(outs, made if isinstance(made, tuple) else (made,), strict=True):
        if target is not None:
            np.copyto(target, np.asarray(value), casting=kwargs.get("casting", "same_kind"), where=_to_host(where))
    return out if not isinstance(out, tuple) or len(out) > 1 else out[0]


def restored(contents: Value) -> Array:
    """An Array that was pickled."""
    return placed(contents)


OPERATIONS: upper_layers.ArrayOperations = EagerOperations()


_INT64 = np.dtype(np.int64)
_POSITION = Operand((), _INT64, scalar=True)


class _Basic(NamedTuple):
    """Integers, slices, `...` and None: for each axis size, stride and start, which is None where it is an operand."""

    axes: tuple[tuple[int, int, Any], ...]
    shape: tuple[int, ...]

    def __call__(self, array: Value, *positions: Value) -> Value:
        given = iter(positions)
        slices = [
            views.AxisSlice(wrap.as_atom(next(given)) if start is None else start, size, stride)
            for size, stride, start in self.axes
        ]
        return array.viewed(views.Slice(tuple(slices)), views.Reshape(self.shape))


def _get(array: Array, key: Value) -> Value:
    """`array[key]`, always an Array; what a mask chooses is chosen on the host, as its size is known only there."""
    if type(key) is tuple and not key:
        return array
    if tracing():
        return captured(array)[captured(key)]
    parts = [_part(k) for k in key] if isinstance(key, tuple) else [_part(key)]
    if any(
        isinstance(k, bool) or (isinstance(k, (Array, np.ndarray, np.bool_)) and k.dtype.kind == "b") for k in parts
    ):
        host = tuple([np.asarray(k) if isinstance(k, Array) else k for k in parts])
        return placed(np.asarray(np.asarray(array)[host]))
    if any(isinstance(k, (Array, np.ndarray)) and k.shape for k in parts):
        return call(operator.getitem, (array, tuple(parts)), {})
    slices, shape = indexing.basic(array, tuple(parts))
    # A view with run-time positions has strides of one.
    forward = all(s.stride == 1 for s in slices)
    movable = [forward and s.size not in (0, length) for s, length in zip(slices, array.shape, strict=True)]
    axes = tuple([(s.size, s.stride, None if m else s.start) for s, m in zip(slices, movable, strict=True)])
    positions = [number(s.start, _INT64) for s, m in zip(slices, movable, strict=True) if m]
    templates = (Operand(array.shape, array.dtype), *[_POSITION] * len(positions))
    chosen: Any = _Basic(axes, shape)
    return run((chosen, templates, ()), [array, *positions])


def _part(key: object) -> Value:
    """One index: lists are arrays, arrays without axes are integers."""
    if isinstance(key, list):
        return np.asarray(key, None if key else np.intp)
    if isinstance(key, (Array, np.ndarray)) and not key.shape and key.dtype.kind in "iu":
        return int(key)
    return key

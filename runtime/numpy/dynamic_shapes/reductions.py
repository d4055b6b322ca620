"""Reductions of arrays whose size is known only at run time: invalid elements are set to the neutral value."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import NoValue, axes_tuple
from anabranch.runtime.numpy.dynamic_shapes.outputs import stored
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.registry import FUNCTIONS

rules = Rules()


def lowest(dtype: np.dtype) -> Value:
    """Return the least value of a dtype, which is no greater than any other."""
    if dtype.kind == "b":
        return False
    if dtype.kind == "c":
        return complex(-np.inf, -np.inf)
    return _infinity(dtype, -1) if dtype.kind in "fV" else np.iinfo(dtype).min


def highest(dtype: np.dtype) -> Value:
    """Return the greatest value of a dtype, which is no less than any other."""
    if dtype.kind == "b":
        return True
    if dtype.kind == "c":
        return complex(np.inf, np.inf)
    return _infinity(dtype, 1) if dtype.kind in "fV" else np.iinfo(dtype).max


def _infinity(dtype: np.dtype, sign: int) -> float:
    """An infinity, or the largest number of a float type that has none."""
    infinite = np.array(sign * np.inf).astype(dtype)
    return sign * np.inf if np.isinf(infinite) else sign * float(ml_dtypes.finfo(dtype).max)  # type: ignore[no-untyped-call]


def _called(function: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, Value]) -> dict[str, Value]:
    """The arguments by name."""
    return dict(inspect.signature(function).bind(*args, **kwargs).arguments)


def reduced(made: Any, a: Value, axis: Value, keepdims: bool) -> Value:
    """Return the result of a reduction over some axes, with the extents of the others."""
    axes = axes_tuple(axis, a.ndim)
    extents = [None if i in axes else e for i, e in enumerate(a.extents) if keepdims or i not in axes]
    return wrap.with_extents(made, extents, a.origin) if any(extents) else made


def refuse_empty(a: Value, axis: Value, text: str) -> None:
    """Raise ValueError where the axes to reduce are empty and the result is not."""
    axes = axes_tuple(axis, a.ndim)
    nothing: Atom = atoms.literal(False)
    for i, n in enumerate(a.shape):
        here = broadcasting.differ(n, 0)
        empty = atoms.logical_not(here)
        nothing = atoms.logical_or(nothing, empty) if i in axes else atoms.logical_and(nothing, here)
    broadcasting.refuse(nothing, ValueError, text)


def _kept_axes(made: Value, a: Value, given: dict[str, Value], out: Value) -> Value:
    """The result of a reduction with these keywords, with the extents of the axes that it keeps."""
    keepdims = given.get("keepdims", False)
    return stored(out, reduced(made, a, given.get("axis"), keepdims is not NoValue and bool(keepdims)))


def _over_what_is_there(function: Callable[..., object]) -> Callable[..., Any]:
    """Functions that count what `where` picks: the mean, the variance."""

    def reduction(*args: object, **kwargs: object) -> Value:
        given = _called(function, args, kwargs)
        a, mask = given["a"], given["a"].valid()
        where = given.get("where", NoValue)
        if mask is not None:
            there = wrap.array_of(mask)
            both = where is not NoValue and where is not True
            given["where"] = registry.FUNCTIONS[np.logical_and](there, broadcasting.fitted(where, a)) if both else there
        out = given.pop("out", None)
        return _kept_axes(FUNCTIONS[function](**{**given, "a": a.padded(0)}), a, given, out)

    return reduction


for _function in (np.mean, np.var, np.std):
    rules.dynamic_shape(_function)(_over_what_is_there(_function))


def _position(function: Callable[..., object], worst: Callable[[np.dtype], object]) -> Callable[..., Any]:
    def reduction(*args: object, **kwargs: object) -> Value:
        given = _called(function, args, kwargs)
        a, axis = given["a"], given.get("axis")
        refuse_empty(a, axis, f"attempt to get {function.__name__} of an empty sequence")
        if axis is None:
            a = registry.FUNCTIONS[np.ravel](a)
            given["axis"] = 0
        # Compacted, so that of equal elements a valid one comes first.
        a, out = a.left_packed(), given.pop("out", None)
        return _kept_axes(FUNCTIONS[function](**{**given, "a": a.padded(worst(a.dtype))}), a, given, out)

    return reduction


rules.dynamic_shape(np.argmax)(_position(np.argmax, lowest))
rules.dynamic_shape(np.argmin)(_position(np.argmin, highest))


def _running(function: Callable[..., Any], fill: int) -> Callable[..., Any]:
    def accumulation(a: Value, axis: Value = None, dtype: Value = None, out: Value = None) -> Value:
        if axis is None:
            a, axis = (a if a.ndim == 1 else registry.FUNCTIONS[np.ravel](a)), 0
        made = FUNCTIONS[function](a.padded(fill), axis=axis, dtype=dtype)
        return stored(out, wrap.with_extents(made, a.extents, a.origin))

    return accumulation


rules.dynamic_shape(np.cumsum)(_running(np.cumsum, 0))
rules.dynamic_shape(np.cumprod)(_running(np.cumprod, 1))


@rules.dynamic_shape_method("item")
def item(a: Value, *args: Value) -> Value:
    """As `ndarray.item`."""
    if args:
        return registry.METHODS["item"](a[args if len(args) > 1 else args[0]])
    wrong = broadcasting.differ(a.size, 1)
    broadcasting.refuse(wrong, ValueError, "can only convert an array of size 1 to a Python scalar")
    return registry.METHODS["item"](a[(0,) * a.ndim])


@rules.dynamic_shape(bool)
def truth(a: Value) -> Atom:
    """The truth of the only element; raises as NumPy does for other sizes."""
    size = size_arithmetic.bound_of(a.size)
    broadcasting.refuse(
        broadcasting.differ(size_arithmetic.minimum(size, 1), 1), ValueError, apply_ufunc.NO_TRUTH_OF_NONE
    )
    broadcasting.refuse(
        broadcasting.differ(size_arithmetic.maximum(size, 1), 1), ValueError, apply_ufunc.NO_TRUTH_OF_MANY
    )
    true = atoms.convert(a.padded(0).atom, np.bool_)
    return atoms.op("reduce_any", true, axes=tuple(range(a.ndim)))


@rules.dynamic_shape(np.size)
def size(a: Value, axis: Value = None) -> Value:
    """As `numpy.size`: a traced int."""
    if axis is None:
        return a.size
    made: Any = 1
    for i in axes_tuple(axis, a.ndim):
        made = made * size_arithmetic.bound_of(a.shape[i])
    return made


rules.dynamic_shape(np.shape)(lambda a: a.shape)
rules.dynamic_shape(np.ndim)(lambda a: a.ndim)

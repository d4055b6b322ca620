"""Where NumPy gives a view and where a copy: asked of NumPy itself, on an array of the same strides without memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir import Atom
from anabranch.runtime.values import atoms, views, wrap
from anabranch.runtime.values.array import Array

_HAS_COPY = np.lib.NumpyVersion(np.__version__) >= "2.1.0"
NDArray = np.ndarray[Any, Any]


def model(array: Array) -> NDArray:
    """An ndarray with the strides of the view that the handle stands for. Its elements must not be touched."""
    shape = array.storage.type.shape
    dummy = _dummy(shape, array.storage.type.dtype)
    if array.storage.strides is not None:
        dummy = np.lib.stride_tricks.as_strided(dummy, shape, array.storage.strides)
    for step in array.path:
        dummy = _apply(dummy, step)
    return dummy


def _dummy(shape: Sequence[int], dtype: np.dtype[Any]) -> NDArray:
    strides = tuple(dtype.itemsize * math.prod(max(n, 1) for n in shape[i + 1 :]) for i in range(len(shape)))
    return np.lib.stride_tricks.as_strided(np.zeros(1, dtype), tuple(shape), strides)


def _apply(dummy: NDArray, step: views.Step) -> NDArray:
    match step:
        case views.Slice(axes):
            strides = tuple(s * a.stride for s, a in zip(dummy.strides, axes, strict=True))
            return np.lib.stride_tricks.as_strided(dummy, tuple(a.size for a in axes), strides)
        case views.Reshape(to):
            reshaped = reshape(dummy, to)
            return _dummy(to, dummy.dtype) if reshaped is None else reshaped
        case views.Permute(axes):
            return dummy.transpose(axes)
        case views.Diagonal():
            return np.diagonal(dummy, axis1=-2, axis2=-1)
        case views.ComplexPart():
            return dummy.real
        case views.Broadcast(to):
            return np.broadcast_to(dummy, to)
    raise AssertionError(f"no model of {step}")


def reshape(dummy: NDArray, shape: Sequence[int]) -> NDArray | None:
    """The model reshaped, where NumPy does that without a copy; else None."""
    if not _HAS_COPY:
        dummy = dummy[...]
        try:
            dummy.shape = tuple(shape)
        except AttributeError:
            return None
        return dummy
    try:
        return dummy.reshape(tuple(shape), copy=False)
    except ValueError:
        return None


def contiguous(array: Array) -> bool:
    """Whether the handle's elements lie in C order without gaps."""
    return _simple(array) or bool(model(array).flags.c_contiguous)


def fortran(array: Array) -> bool:
    """Whether the elements lie in Fortran order and not in C order."""
    flags = model(array).flags
    return bool(flags.f_contiguous and not flags.c_contiguous)


def reshapes_in_place(array: Array, shape: Sequence[int]) -> bool:
    """Whether `array.reshape(shape)` is a view."""
    return _simple(array) or reshape(model(array), shape) is not None


def laid(atom: Atom, order: Any) -> Array:
    """A new array that holds the value, in Fortran order where that is asked for."""
    made: Array
    if order != "F" or len(atom.type.shape) < 2:
        made = wrap.array_of(atom)
        return made
    axes = tuple(reversed(range(len(atom.type.shape))))
    made = wrap.array_of(atoms.transpose(atom, axes))
    return made.viewed(views.Permute(axes))


def ordered(array: Array, order: Any) -> Array:
    """The array itself where its elements lie in the order asked for, else a copy that does."""
    fits = contiguous(array) if order == "C" else bool(model(array).flags.f_contiguous)
    return array if order not in ("C", "F") or fits else laid(array.atom, order)


def _simple(array: Array) -> bool:
    """The whole of an array in C order."""
    return not array.path and array.storage.strides is None

"""Memory as NumPy shows it: strides, flags, elements in a row, other dtypes, windows, bytes."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib import stride_tricks

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy.core import adopted, axes_tuple, fresh, handle, plain, refused, supported, traced_inside
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays import array_flags
from anabranch.runtime.values.arrays.array_flags import AnyStride
from anabranch.runtime.values.arrays.flat_iterator import FlatIterator
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.host_types import byte_sequences
from anabranch.runtime.values.host_types.byte_sequences import ByteSequence, BytesKind
from anabranch.runtime.values.memory import memory_layout, views
from anabranch.runtime.values.memory.reinterpreted_views import Reinterpret, Strided, Windows, reinterpreted

rules = Rules()

_F = registry.FUNCTIONS


def _flat(a: Value) -> Value:
    return FlatIterator(a if isinstance(a, TracedArray) else handle(a))


def _strides(a: Value) -> tuple[int | AnyStride, ...]:
    return () if isinstance(a, NumPyScalar) else array_flags.strides(a)


def _flags(a: Value) -> Value:
    if isinstance(a, NumPyScalar):
        raise refused("generic.flags", "it says nothing of a number; use those of an array")
    return array_flags.ArrayFlags(a)


rules.properties.update(flat=_flat, strides=_strides, flags=_flags)


@rules.dynamic_shape_method("view")
@rules.method("view")
def view(a: Value, dtype: Value = None, type: Value = None) -> Value:
    """As `ndarray.view`: the same memory, as elements of any dtype that compiled code holds."""
    plain("ndarray.view", type=(type, None))
    if dtype is None or np.dtype(dtype) == a.dtype:
        return a if isinstance(a, NumPyScalar) else a.viewed()
    chosen = supported(dtype)
    if chosen.kind == "b" and a.dtype.kind != "b":
        raise refused("ndarray.view", "bytes viewed as bools may be neither True nor False; compare them, a != 0")
    if wrap.is_dynamic_array(a):
        if chosen.itemsize == a.dtype.itemsize:
            return a.with_memory(view(a.memory, chosen))
        raise refused("ndarray.view", f"{a.dtype} viewed as {chosen} has another size, known only at run time")
    if chosen.itemsize != a.dtype.itemsize:
        _check_words(a, chosen)
    if isinstance(a, NumPyScalar):
        return wrap.numpy_result(reinterpreted(a.atom, chosen))
    if not a.ndim and "c" in (a.dtype.kind, chosen.kind):
        raise refused("ndarray.view", "an array of no dimensions, of complex numbers and as something else")
    return a.viewed(Reinterpret(a.dtype, chosen))


def _check_words(a: Value, dtype: np.dtype) -> None:
    """Raise what NumPy does where elements of another size cannot be seen in an array."""
    if isinstance(a, NumPyScalar):
        np.zeros((), a.dtype)[()].view(dtype)
        raise refused("generic.view", f"{a.dtype} viewed as {dtype}")
    if not memory_layout.known(a) or memory_layout.of_run_time_size(a):
        raise UnsupportedOperationError(
            "how this array lies in memory is not known while tracing, and so not which bytes follow one another; view "
            "a copy in C order, a.copy()"
        )
    memory_layout.model(a).view(dtype)


@rules.method("tobytes")
def tobytes(a: Value, order: Value = "C") -> Value:
    """As `ndarray.tobytes`."""
    array = a if isinstance(a, TracedArray) else handle(a)
    if order not in ("C", None):
        array = _F[np.ravel](array, order=order)
    line = reinterpreted(atoms.reshape(array.atom, (array.size,)), np.dtype(np.uint8))
    return ByteSequence(fresh(line), BytesKind(bytes))


def frombuffer(
    buffer: Value, dtype: Value = float, count: Value = -1, offset: Value = 0, *, like: object = None
) -> Value:
    """As `numpy.frombuffer`: a view of an array's memory."""
    if isinstance(buffer, ByteSequence):
        return byte_sequences.from_buffer(buffer, dtype, count, offset)
    if not traced_inside((buffer, count, offset)):
        return adopted(np.frombuffer(buffer, dtype, count, offset), buffer)
    plain("frombuffer", like=(like, None))
    array = handle(buffer)
    if not array_flags.ArrayFlags(array).c_contiguous:
        raise ValueError("ndarray is not C-contiguous")
    return byte_sequences.from_buffer(array.reshape(-1), dtype, count, offset)


# ---- windows and strides ---------------------------------------------------------------------------------------------


@rules.implements(stride_tricks.sliding_window_view)
def sliding_window_view(
    x: Value,
    window_shape: Value,
    axis: Value = None,
    *,
    subok: object = False,
    writeable: object = False,
) -> Value:
    """As `numpy.lib.stride_tricks.sliding_window_view`: read-only."""
    del subok
    if writeable:
        raise refused(
            "lib.stride_tricks.sliding_window_view", "with writeable=True, since an element stands in several windows"
        )
    array = handle(x)
    sizes = _ints(window_shape)
    # Raises what NumPy does.
    model = stride_tricks.sliding_window_view(np.broadcast_to(np.int8(0), array.shape), sizes, axis)
    axes = tuple(range(array.ndim)) if axis is None else axes_tuple(axis, array.ndim)
    if len(set(axes)) < len(axes):
        raise refused("lib.stride_tricks.sliding_window_view", "with an axis twice; call it for each")
    step = Windows(sizes, axes)
    assert step.shape(array.shape) == model.shape
    return array.viewed(step, readonly=True)


def as_strided(
    x: Value, shape: Value = None, strides: Value = None, subok: object = False, writeable: object = True
) -> Value:
    """As `numpy.lib.stride_tricks.as_strided`, to be read, of strides within an array in C order."""
    if not traced_inside((x, shape, strides)):
        original: Any = stride_tricks.as_strided
        return original(x, shape, strides, subok, writeable)
    array = handle(x)
    sizes = array.shape if shape is None else _ints(shape)
    if strides is not None:
        steps = _steps(strides, sizes)
    elif array_flags.ArrayFlags(array).c_contiguous:
        steps = memory_layout.contiguous_model(sizes, array.dtype).strides  # as NumPy's array interface has it
    else:
        steps = _steps(array_flags.strides(array), sizes)
    if len(sizes) != len(steps):
        np.lib.stride_tricks.as_strided(np.zeros(1), sizes, steps)  # raises what NumPy does
    storage, unit = array.storage, array.dtype.itemsize
    start = memory_layout.first_element(array)
    if start is None or storage.strides is not None or any(s % unit for s in steps):
        raise refused(
            "lib.stride_tricks.as_strided",
            "of an array that is not in C order, whose place is known only at run time, or strides that are no "
            "multiples of an element's size; use it on a copy, or index",
        )
    elements = tuple(s // unit for s in steps)
    ends = [(n - 1) * s for n, s in zip(sizes, elements, strict=True)] if all(sizes) else []
    low, high = start + sum(e for e in ends if e < 0), start + sum(e for e in ends if e > 0)
    if low < 0 or high >= max(storage.type.size, 1):
        raise refused("lib.stride_tricks.as_strided", "it reads beyond the memory of the array")
    line = views.Reshape((storage.type.size,))
    made: TracedArray = TracedArray(storage, (line, Strided(sizes, elements, start)), array.readonly or not writeable)
    made.is_view = True
    return made


# Without what makes errors NumPy's own, which knows nothing of how an array lies in memory.
_UNGUARDED: tuple[tuple[Any, Any], ...] = ((np.frombuffer, frombuffer), (stride_tricks.as_strided, as_strided))
for _original, _function in _UNGUARDED:
    rules.functions[_original] = functools.update_wrapper(_function, _original, updated=())


def _steps(strides: Value, sizes: Sequence[int]) -> tuple[int, ...]:
    """The strides of axes of these sizes; 0 for one that has no meaning."""
    return tuple(
        0 if isinstance(step, AnyStride) and sizes[axis : axis + 1] in ((0,), (1,)) else int(step)
        for axis, step in enumerate(strides)
    )


def _ints(given: Value) -> tuple[int, ...]:
    several: Sequence[Value] = tuple(given) if np.iterable(given) else (given,)
    return tuple(map(int, several))

"""Memory as NumPy shows it: strides, flags, elements in a row, windows, bytes; and what is a view or a copy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib import stride_tricks

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
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
from anabranch.runtime.values.memory import aliasing, memory_layout, views
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


def contiguous(array: TracedArray) -> bool:
    """Return whether the handle's elements lie in C order without gaps; False where that is not known."""
    return memory_layout.plain(array) or (
        memory_layout.known(array) and bool(memory_layout.model(array).flags.c_contiguous)
    )


def fortran(array: TracedArray) -> bool:
    """Return whether the elements lie in Fortran order and not in C order."""
    _check_known(array)
    flags = memory_layout.model(array).flags
    return bool(flags.f_contiguous and not flags.c_contiguous)


def axes_kept(array: TracedArray) -> tuple[int, ...]:
    """The axes in the order in which NumPy goes through the elements with order="K", the slowest first."""
    if memory_layout.plain(array):
        return tuple(range(array.ndim))
    _check_known(array)
    steps = memory_layout.elementwise_strides([memory_layout.model(array)])
    return tuple(sorted(range(array.ndim), key=lambda axis: -abs(steps[axis])))


def _check_known(array: TracedArray) -> None:
    if not memory_layout.known(array):
        raise UnsupportedOperationError(
            "the memory order of this array is unknown while tracing (a run-time condition or a NumPy function decides "
            "it); make a copy in C order: a.copy()"
        )


def reshaped(array: TracedArray, shape: tuple[int, ...], copy: bool | None) -> TracedArray | None:
    """`array.reshape(shape)`: a view or a copy as in NumPy; None where a copy must be avoided and cannot be."""
    if copy is True:
        copied: TracedArray = wrap.array_of(atoms.reshape(array.atom, shape))
        return copied
    if copy is False and not _is_view(array, shape):
        return None
    return _in_shape(array, shape, lambda one: _is_view(one, shape))


def raveled(array: TracedArray) -> TracedArray:
    """`array.ravel()`: a view of what is contiguous, else a copy."""
    return _in_shape(array, (array.size,), contiguous)


def _in_shape(array: TracedArray, shape: tuple[int, ...], is_view: Callable[[TracedArray], bool]) -> TracedArray:
    """The elements in another shape: a view of an array for which `is_view` is True, a copy of others.

    Where a condition decides which, it may share memory with what is a view. Where it is not known which, it is a copy,
    and a later write to either is refused.
    """
    if is_view(array):
        return array.viewed(views.Reshape(shape)) if shape != array.shape else array.viewed()
    made: TracedArray = wrap.array_of(atoms.reshape(array.atom, shape))
    if not memory_layout.known(array):
        _add_edges(made, array, is_view)
    return made


def _add_edges(made: TracedArray, array: TracedArray, is_view: Callable[[TracedArray], bool]) -> None:
    """Link new memory, which may be a view of an array in another shape, with what it is a view of."""
    options = _options(array)
    if options is None:
        aliasing.add_edge(made.storage, None, array)
        return
    traits = memory_layout.PLAIN
    seen = [(pred, option.viewed(views.Reshape(made.shape))) for pred, option in options if is_view(option)]
    for n, (pred, view) in enumerate(seen):
        aliasing.add_edge(made.storage, pred, view)
        own = memory_layout.traits(view)
        traits = own if n == 0 and len(seen) == len(options) else traits | own
    made.storage.is_another = len(seen) == len(options)
    memory_layout.set_traits(made, traits)


def _options(array: TracedArray) -> list[tuple[Atom, TracedArray]] | None:
    """The arrays of a known layout of which this is one, each with when it is that; None where they are not known."""
    if memory_layout.known(array):
        return [(atoms.literal(True), array)]
    if not array.storage.is_another:
        return None
    found: list[tuple[Atom, TracedArray]] = []
    for edge in array.storage.alias_edges:
        inner = None if edge.form is not None else _options(edge.handle.viewed(*array.path))
        if inner is None or edge.pred is None:
            return None
        found += [(atoms.logical_and(edge.pred, pred), option) for pred, option in inner]
    return found


def laid(atom: Atom, order: object) -> TracedArray:
    """A new array that holds the value, in Fortran order where that is asked for."""
    made: TracedArray = wrap.array_of(atom)
    if order == "F":
        made.storage.strides = memory_layout.contiguous_model(atom.type.shape, atom.type.dtype, "F").strides
    return made


def ordered(array: TracedArray, order: object) -> TracedArray:
    """The array itself where its elements lie in the order asked for, else a copy that does.

    Where it is not known how they lie, it is a copy, and a later write to either is refused.
    """
    if order not in ("C", "F"):
        return array
    if not memory_layout.known(array):
        made = laid(array.atom, order)
        aliasing.add_edge(made.storage, None, array)
        return made
    flags = memory_layout.model(array).flags
    return array if (flags.c_contiguous if order == "C" else flags.f_contiguous) else laid(array.atom, order)


def _is_view(array: TracedArray, shape: tuple[int, ...]) -> bool:
    if [n for n in array.shape if n != 1] == [n for n in shape if n != 1]:
        return True
    return memory_layout.plain(array) or (
        memory_layout.known(array) and memory_layout.reshape(memory_layout.model(array), shape) is not None
    )

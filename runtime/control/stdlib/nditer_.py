"""`np.nditer` over one array: its elements as arrays of no dimensions, in the order in which they lie in memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.sequences.iterators import Once
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy.core import handle, traced_inside
from anabranch.runtime.tracing.computed import Computed
from anabranch.runtime.values.arrays import indexing
from anabranch.runtime.values.arrays.array_flags import ArrayFlags
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import memory_layout, views
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar

_FLAGS = {"zerosize_ok", "refs_ok", "multi_index"}
_DEFAULTS = {
    "op_dtypes": None,
    "casting": "safe",
    "op_axes": None,
    "itershape": None,
    "buffersize": 0,
}


def nditer_(_: Callable[..., Any], op: Value, flags: Value = None, op_flags: Value = None, **options: Value) -> Value:
    """As `np.nditer`, of one array and without the flags that change what an item is."""
    if not traced_inside(op):
        return np.nditer(op, *(() if flags is None else (flags,)), **options | _given(op_flags))
    operands = op if isinstance(op, (list, tuple)) else [op]
    order = options.pop("order", "K")
    access = _access(op_flags)
    if len(operands) > 1 or access is None or any(options[k] != _DEFAULTS.get(k, options) for k in options):
        raise _refused("with several arrays, or other options than order and op_flags; use np.broadcast_arrays, or zip")
    if not set(flags or ()) <= _FLAGS:
        raise _refused("with these flags; use multi_index for indices, and whole arrays for external loops")
    array = handle(operands[0])
    if not array.size and "zerosize_ok" not in (flags or ()):
        raise ValueError("Iteration of zero-sized operands is not enabled")
    if access == "readwrite" and array.is_readonly:
        raise ValueError("output array is read-only")
    if "multi_index" not in (flags or ()):
        return ElementIterator(_line(array, order), access == "readonly")
    if order not in ("K", "C") or (order == "K" and not memory_layout.plain(array)):
        raise _refused("with indices of elements in another order than that of C; use np.ndenumerate(a)")
    return IndexedIterator(_line(array, "C"), access == "readonly", array.shape)


def _given(op_flags: Value) -> dict[str, Value]:
    return {} if op_flags is None else {"op_flags": op_flags}


def _access(op_flags: Value) -> str | None:
    """Return how the operand is accessed; None for what is not staged."""
    if op_flags is None:
        return "readonly"
    given = list(op_flags)
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        given = list(given[0])
    return given[0] if given in (["readonly"], ["readwrite"]) else None


def _refused(why: str) -> UnsupportedOperationError:
    return UnsupportedOperationError(f"numpy.nditer {why}: that is not supported in compiled code")


class ElementIterator(Once, sample=lambda: np.nditer(np.zeros(1))):
    """The elements of a view of one dimension, each as an array."""

    def __init__(self, line: TracedArray, readonly: bool) -> None:
        super().__init__()
        self._elements, self._readonly, self._length = line, readonly, line.size

    def at(self, index: int | PythonScalar) -> Value:
        return indexing.get(self._elements, (index, Ellipsis)).viewed(readonly=self._readonly)

    def __enter__(self) -> ElementIterator:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class IndexedIterator(ElementIterator, sample=lambda: np.nditer(np.zeros(1), ["multi_index"])):
    """The elements with their indices."""

    def __init__(self, line: TracedArray, readonly: bool, shape: tuple[int, ...]) -> None:
        super().__init__(line, readonly)
        self._shape = shape
        self._now: tuple[Value, Computed] | None = None

    def at(self, index: int | PythonScalar) -> Value:
        element = super().at(index)
        self._now = (index, Computed.now())
        return element

    @property
    def multi_index(self) -> tuple[Value, ...]:
        """As `np.nditer.multi_index`, of the element that the loop is at."""
        if self._now is None or not self._now[1].is_there:
            raise _refused("of which the index is asked outside of a for statement over it")
        found, rest = [], self._now[0]
        for size in reversed(self._shape):
            found.append(rest % size)
            rest = rest // size
        return tuple(reversed(found))


def _line(array: TracedArray, order: Value) -> TracedArray:
    """All elements in an order, as a view of one dimension."""
    if order == "A":
        flags = ArrayFlags(array)
        order = "F" if flags.f_contiguous and not flags.c_contiguous else "C"
    if order == "K":
        array = _in_memory_order(array)
    elif order == "F":
        array = array.viewed(views.Permute(tuple(reversed(range(array.ndim)))))
    elif order != "C":
        np.nditer(np.zeros(1), order=order)  # raises what NumPy does
    return array.viewed(views.Reshape((array.size,)))


def _in_memory_order(array: TracedArray) -> TracedArray:
    """A view with the axes as NumPy goes through them, the slowest first, and backwards where it does."""
    if memory_layout.plain(array) or not array.size:
        return array
    ArrayFlags(array).c_contiguous  # noqa: B018 - refuses where the layout is not known
    axes, backwards = _steps(memory_layout.model(array))
    slices = [
        views.AxisSlice(n - 1, n, -1) if axis in backwards else views.AxisSlice(0, n)
        for axis, n in enumerate(array.shape)
    ]
    steps = (views.Slice(tuple(slices)),) if backwards else ()
    return array.viewed(*steps, views.Permute(axes))


def _steps(model: np.ndarray) -> tuple[tuple[int, ...], set[int]]:
    """The axes in NumPy's order, and those that it goes through backwards: asked of it, on two places of each axis."""
    shape = tuple(min(n, 2) for n in model.shape)
    offsets = [n * s for n, s in zip(shape, model.strides, strict=True)]
    buffer = np.zeros(2 * sum(map(abs, offsets)) + 2 * model.itemsize, np.int8)
    middle = buffer[len(buffer) // 2 :].view(np.int8)
    small = np.lib.stride_tricks.as_strided(middle, shape, model.strides)
    iterator = np.nditer(small, ["multi_index"], order="K")
    places = []
    for _ in iterator:
        places.append(iterator.multi_index)
    backwards = {axis for axis, first in enumerate(places[0]) if first}
    changes = [sum(a[axis] != b[axis] for a, b in itertools.pairwise(places)) for axis in range(len(shape))]
    return tuple(sorted(range(len(shape)), key=lambda axis: changes[axis])), backwards

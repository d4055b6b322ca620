"""`np.nditer`: elements as arrays of no dimensions; of one array in the order in which they lie in memory."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.sequences.iterators import Once
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy.core import handle, traced_inside
from anabranch.runtime.tracing.computed import Computed
from anabranch.runtime.values import registry, wrap
from anabranch.runtime.values.arrays import indexing
from anabranch.runtime.values.arrays.array_flags import ArrayFlags
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.heap.container_slots import Slot
from anabranch.runtime.values.memory import memory_layout, views
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar

_F = registry.FUNCTIONS
_FLAGS = {"zerosize_ok", "refs_ok", "multi_index", "c_index", "f_index"}
_INDICES = {"multi_index", "c_index", "f_index"}
_DEFAULTS = {
    "op_dtypes": None,
    "casting": "safe",
    "op_axes": None,
    "itershape": None,
    "buffersize": 0,
}
_READ = {"readonly"}


def nditer_(_: Callable[..., Any], op: Value, flags: Value = None, op_flags: Value = None, **options: Value) -> Value:
    """As `np.nditer`, without the flags that change what an item is."""
    if not traced_inside(op):
        return np.nditer(op, *(() if flags is None else (flags,)), **options | _given(op_flags))
    given = list(op) if isinstance(op, (list, tuple)) else [op]
    order = options.pop("order", "K")
    if any(options[k] != _DEFAULTS.get(k, options) for k in options):
        raise _refused("with other options than order and op_flags; use np.broadcast_arrays, or zip")
    named = set(flags or ())
    if not named <= _FLAGS:
        raise _refused("with these flags; use multi_index for indices, and whole arrays for external loops")
    arrays: list[Any] = [None if one is None else handle(one) for one in given]
    like = _like(arrays, named, op_flags, order)
    shape = np.broadcast_shapes(*[a.shape for a in arrays if a is not None])
    pairs = zip(arrays, like.operands, strict=True)
    arrays = [_F[np.empty](shape, made.dtype) if a is None else a for a, made in pairs]
    access = _accesses(op_flags, given)
    if any(a.is_readonly for a, reads in zip(arrays, access, strict=True) if not reads):
        raise ValueError("output array is read-only")
    if len(arrays) == 1 and not named & _INDICES:
        return ElementIterator([_line(arrays[0], order)], access, arrays, None, (arrays[0].size,))
    if order not in ("K", "C") or (order == "K" and not _is_order_of_c(arrays)):
        raise _refused("of several arrays, or with indices, in another order than that of C; use np.ndenumerate(a)")
    lines = [_line(a, "C") if a.shape == shape else a for a in arrays]
    indexed = IndexedIterator if named & _INDICES else ElementIterator
    return indexed(lines, access, arrays, shape if "f_index" in named else None, shape)


def _like(arrays: list[Any], named: set[str], op_flags: Value, order: Value) -> np.nditer:
    """NumPy's own iterator over arrays of the same shapes and dtypes; raises what NumPy does."""
    samples = [None if a is None else np.zeros(a.shape, a.dtype) for a in arrays]
    made: Any = np.nditer
    like: np.nditer = made(samples, list(named), order=order, **_given(op_flags))
    return like


def _given(op_flags: Value) -> dict[str, Value]:
    return {} if op_flags is None else {"op_flags": op_flags}


def _accesses(op_flags: Value, operands: list[Value]) -> list[bool]:
    """Return of each operand whether it is only read."""
    if op_flags is None:
        return [one is not None for one in operands]
    given = list(op_flags)
    flags = [given] * len(operands) if all(isinstance(one, str) for one in given) else [list(one) for one in given]
    if any(not set(one) <= {"readonly", "readwrite", "writeonly", "allocate"} for one in flags):
        raise _refused("with these op_flags; use readonly, readwrite, writeonly and allocate")
    return [set(one) >= _READ for one in flags]


def _refused(why: str) -> UnsupportedOperationError:
    return UnsupportedOperationError(f"numpy.nditer {why}: that is not supported in compiled code")


class ElementIterator(Once, sample=lambda: np.nditer(np.zeros(1))):
    """The elements of views of one dimension, each as an array.

    Beside a loop over it, it is asked for what is at its place, which branches and loops carry.
    """

    def __init__(
        self,
        lines: Sequence[TracedArray],
        reads: Sequence[bool],
        arrays: Sequence[TracedArray],
        backwards: tuple[int, ...] | None,
        shape: tuple[int, ...],
    ) -> None:
        super().__init__()
        self._lines, self._reads, self._arrays = lines, reads, arrays
        self._backwards, self._shape = backwards, shape
        self._length: int = math.prod(shape)
        self._is_closed = False
        self.place_: Value = 0

    def __anabranch_slot__(self) -> Slot:
        return _PlaceSlot(self)

    @property
    def holds(self) -> tuple[object, ...]:
        return tuple(self._arrays)

    def take_up(self) -> None:
        if type(self.place_) is not int or self.place_:
            raise _refused("that iternext() was called on, in a loop over it; go on with iternext()")
        super().take_up()

    def at(self, index: int | PythonScalar) -> Value:
        found = tuple([self._element(k, index) for k in range(len(self._lines))])
        return found[0] if len(found) == 1 else found

    def _element(self, number: int, index: Value) -> Value:
        line = self._lines[number]
        key: tuple[Value, ...] = (index,)
        if line.shape != (self._length,):  # of an operand that is broadcast
            places = self._places(index)[len(self._shape) - line.ndim :]
            key = tuple([0 if size == 1 else place for size, place in zip(line.shape, places, strict=True)])
        return indexing.get(line, (*key, Ellipsis)).viewed(readonly=self._reads[number])

    def _places(self, index: Value) -> tuple[Value, ...]:
        """The place on each axis of what stands at a place in the order of C."""
        found, rest = [], index
        for size in reversed(self._shape):
            found.append(rest % size)
            rest = rest // size
        return tuple(reversed(found))

    def __enter__(self) -> ElementIterator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """As `np.nditer.close`."""
        self._is_closed = True

    def _check_open(self) -> None:
        if self._is_closed:
            raise ValueError("Iterator is invalid")

    # ---- place by place ----------------------------------------------------------------------------------------------

    def _here(self) -> Value:
        """The place that it is at, in range."""
        if self._taken or self._is_closed:
            raise _refused(
                "that a loop has gone over, or that is closed, asked for what is at its place; use the item of the loop"
            )
        past = wrap.as_atom(self.place_ >= self._length, np.bool_)
        run_time_checks.fail_if(past, lambda _: ValueError("Iterator is past the end"))
        return self.place_

    @property
    def finished(self) -> Value:
        """As `np.nditer.finished`."""
        return self.place_ >= self._length

    def iternext(self) -> Value:
        """As `np.nditer.iternext`."""
        self._here()
        self.place_ = size_arithmetic.limited(size_arithmetic.add(self.place_, 1), 0, self._length)
        return self.place_ < self._length

    def reset(self) -> None:
        """As `np.nditer.reset`."""
        self._check_open()
        if self._taken:
            raise _refused("that a loop goes over, begun anew; make a new one")
        self.place_ = 0

    def __getitem__(self, number: int) -> Value:
        operands = range(len(self._lines))
        return self._element(operands[operator.index(number)], self._here())

    def __setitem__(self, number: int, value: Value) -> None:
        self[number][...] = value

    @property
    def value(self) -> Value:
        """As `np.nditer.value`."""
        return self.at(self._here())

    @property
    def operands(self) -> tuple[Value, ...]:
        """As `np.nditer.operands`."""
        self._check_open()
        return tuple(self._arrays)

    @property
    def itersize(self) -> int:
        """As `np.nditer.itersize`."""
        self._check_open()
        return self._length


class _PlaceSlot(Slot):
    """The place of an iterator."""

    __slots__ = ()

    def contents(self) -> tuple[Value, ...]:
        return (self.target.place_,)

    def parts(self) -> tuple[Value, ...]:
        return (*self.before, *self.target.holds)

    def restore(self, contents: Value) -> None:
        (self.target.place_,) = contents


class IndexedIterator(ElementIterator, sample=lambda: np.nditer(np.zeros(1), ["multi_index"])):
    """The elements with their indices."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._now: tuple[Value, Computed] | None = None

    def at(self, index: int | PythonScalar) -> Value:
        element = super().at(index)
        self._now = (index, Computed.now()) if self._taken else None
        return element

    def _at_now(self) -> Value:
        if not self._taken:
            return self._here()
        if self._now is None or not self._now[1].is_there:
            raise _refused("of which the index is asked outside of a for statement over it")
        return self._now[0]

    @property
    def multi_index(self) -> tuple[Value, ...]:
        """As `np.nditer.multi_index`."""
        return self._places(self._at_now())

    @property
    def index(self) -> Value:
        """As `np.nditer.index`."""
        if self._backwards is None:
            return self._at_now()
        place: Value = 0
        for size, one in zip(reversed(self._shape), reversed(self.multi_index), strict=True):
            place = place * size + one
        return place


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


def _is_order_of_c(arrays: Sequence[TracedArray]) -> bool:
    """Return whether NumPy goes through the elements of these arrays together in the order of C."""
    if all(map(memory_layout.plain, arrays)):
        return True
    for array in arrays:
        ArrayFlags(array).c_contiguous  # noqa: B018 - refuses where the layout is not known
    iterator = np.nditer([_small(memory_layout.model(a)) for a in arrays], ["multi_index", "zerosize_ok"], order="K")
    places = [iterator.multi_index for _ in iterator]
    return places == sorted(places)


def _small(model: np.ndarray) -> np.ndarray:
    """An array of two places on each axis, with the strides of another."""
    shape = tuple(min(n, 2) for n in model.shape)
    offsets = [n * s for n, s in zip(shape, model.strides, strict=True)]
    buffer = np.zeros(2 * sum(map(abs, offsets)) + 2 * model.itemsize, np.int8)
    middle = buffer[len(buffer) // 2 :].view(np.int8)
    return np.lib.stride_tricks.as_strided(middle, shape, model.strides)


def _steps(model: np.ndarray) -> tuple[tuple[int, ...], set[int]]:
    """The axes in NumPy's order, and those that it goes through backwards: asked of it, on two places of each axis."""
    iterator = np.nditer(_small(model), ["multi_index"], order="K")
    places = [iterator.multi_index for _ in iterator]
    backwards = {axis for axis, first in enumerate(places[0]) if first}
    changes = [sum(a[axis] != b[axis] for a, b in itertools.pairwise(places)) for axis in range(model.ndim)]
    return tuple(sorted(range(model.ndim), key=lambda axis: changes[axis])), backwards

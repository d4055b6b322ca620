"""Functions of NumPy that join the arrays of a list whose length is known only at run time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray, DynamicArrayStructure
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.list_as_array import as_array, chosen, is_made_of_one
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import Window
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import layout as layouts

# Functions of a list of arrays that do more with it than to make it an array: they get the list's array.
JOINS: dict[object, Callable[..., Any]] = {}


def join_of(original: object, args: tuple[object, ...]) -> Callable[..., Any] | None:
    """The function that joins the arrays of a list of run-time length, the first argument; None for any other call."""
    join = JOINS.get(original)
    if join is None or not args:
        return None
    items: Any = args[0]
    if is_made_of_one(items):
        return lambda items, *rest, **kwargs: join(items.grown_(), *rest, **kwargs)
    return join if is_dynamic_list(items) else None


def joins(*originals: Callable[..., object]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what a function of a list of arrays is of the list's array."""

    def register(function: Callable[..., object]) -> Callable[..., Any]:
        for original in originals:
            JOINS[original] = function
        return function

    return register


def _rows(array: Value) -> Value:
    """The rows of the items, one after the other: `np.concatenate`."""
    if isinstance(array, TracedArray):
        n, each, *rest = array.shape
        return wrap.array_of(atoms.reshape(array.atom, (n * each, *rest)))
    capacity, each, *rest = array.capacity
    view = wrap.array_of(atoms.reshape(array.memory.atom, (capacity * each, *rest)))
    count = wrap.as_atom(array.extents[0].size, np.int64)
    rows = atoms.ufunc(np.multiply, count, atoms.literal(each, np.int64))
    window = Window(0, python_scalar(rows, Interval(0, capacity * each)))
    return wrap.with_extents(view, (window, *[None] * len(rest)))


def _are_ragged(items: Items, axes: Collection[int]) -> bool:
    """Return whether all items are arrays of so many axes, which have several lengths, or lengths of run time."""
    lengths = set[int | None]()
    for kind in items.structure.variants:
        match kind:
            case layouts.Leaf(abstract) if len(abstract.shape) in axes:
                lengths.add(abstract.shape[0])
            case layouts.Node(DynamicArrayStructure(kinds=("front" | "window", *rest))) if len(
                rest
            ) + 1 in axes and set(rest) <= {"whole"}:
                lengths.add(None)
            case _:
                return False
    return None in lengths or len(lengths) > 1


def _ragged(items: Items) -> Value:
    """The rows of items of several lengths, one after the other.

    Raises `UnsupportedOperationError` where the items have several dtypes, of which there may be some, or rows of
    several shapes.
    """
    memory, count = iter(items.buffers), items.structure.capacity
    parts = [_lines(kind, memory, count) for kind in items.structure.variants]
    if len({(whole.type.dtype, whole.type.shape[2:]) for whole, _, _ in parts}) > 1:
        raise UnsupportedOperationError(
            "np.concatenate of a list of arrays of several dtypes or with rows of several shapes, whose length is "
            "known only at run time; give its items one dtype, and rows of one shape"
        )
    most = max(whole.type.shape[1] for whole, _, _ in parts)
    whole = chosen(items, [_widened(whole, most) for whole, _, _ in parts])
    low, high = (
        atoms.broadcast_to(atoms.reshape(chosen(items, [part[k] for part in parts]), (count, 1)), (count, most))
        for k in (1, 2)
    )
    place = atoms.op("iota", shape=(count, most), dtype=np.dtype(np.int64), axis=1)
    inside = atoms.logical_and(atoms.ufunc(np.less_equal, low, place), atoms.ufunc(np.less, place, high))
    there = size_arithmetic.window((count, most), 0, 0, items.length)
    return wrap.array_of(whole)[wrap.array_of(atoms.logical_and(inside, there))]


def _lines(kind: layouts.Layout, memory: Iterator[Atom], count: int) -> tuple[Atom, Atom, Atom]:
    """The memory of the items of a kind, and from where to where in it each of them reaches."""
    whole = next(memory)
    if isinstance(kind, layouts.Node):
        return whole, next(memory), next(memory)
    ends = (atoms.literal(n, np.int64) for n in (0, whole.type.shape[1]))
    low, high = (atoms.broadcast_to(end, (count,)) for end in ends)
    return whole, low, high


def _widened(whole: Atom, most: int) -> Atom:
    """Lines with room for more."""
    count, width, *rest = whole.type.shape
    if width == most:
        return whole
    room = atoms.broadcast_to(atoms.literal(0, whole.type.dtype), (count, most - width, *rest))
    return atoms.op("concatenate", whole, room, axis=1)


def _axes(array: TracedArray | DynamicArray) -> int:
    return len(array.shape if isinstance(array, TracedArray) else array.extents)


def _of_known_length(items: Value, axis: Value, out: Value, kwargs: dict[str, Value]) -> list[Value] | None:
    """The items one by one where there is no other way, and their number is known."""
    if type(items.items.length) is not int or (axis == 0 and out is None and not kwargs):
        return None
    return [items.items.item(i) for i in range(items.items.length)]


@joins(np.concatenate)
def concatenate(items: Value, axis: Value = 0, out: Value = None, **kwargs: Value) -> Value:
    """As `numpy.concatenate` along the first axis."""
    apart = _of_known_length(items, axis, out, kwargs)
    if apart is not None:
        return np.concatenate(apart, axis, out, **kwargs)
    _check("concatenate", items, axis, out, kwargs)
    if _are_ragged(items.items, range(1, 9)):
        return _ragged(items.items)
    array = as_array(items.items)
    if _axes(array) < 2:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    return _rows(array)


@joins(np.stack)
def stack(items: Value, axis: Value = 0, out: Value = None, **kwargs: Value) -> Value:
    """As `numpy.stack` along the first axis."""
    if type(items.items.length) is int and type(axis) is int and axis and out is None and not kwargs:
        return np.moveaxis(as_array(items.items), 0, axis).copy()
    apart = _of_known_length(items, axis, out, kwargs)
    if apart is not None:
        return np.stack(apart, axis, out, **kwargs)
    _check("stack", items, axis, out, kwargs)
    return as_array(items.items)


@joins(np.vstack)
def vstack(items: Value, **kwargs: Value) -> Value:
    """As `numpy.vstack`."""
    apart = _of_known_length(items, 0, None, kwargs)
    if apart is not None:
        return np.vstack(apart, **kwargs)
    _check("vstack", items, 0, None, kwargs)
    if _are_ragged(items.items, range(2, 9)):
        return _ragged(items.items)
    array = as_array(items.items)
    if _axes(array) == 1:
        return array[:, None]
    return array if _axes(array) == 2 else _rows(array)


@joins(np.hstack)
def hstack(items: Value, **kwargs: Value) -> Value:
    """As `numpy.hstack` of numbers and vectors."""
    apart = _of_known_length(items, 0, None, kwargs)
    if apart is not None:
        return np.hstack(apart, **kwargs)
    _check("hstack", items, 0, None, kwargs)
    if _are_ragged(items.items, (1,)):
        return _ragged(items.items)
    array = as_array(items.items)
    if _axes(array) > 2 and isinstance(array, TracedArray):
        return np.concatenate([items.items.item(i) for i in range(items.items.length)], axis=1)
    if _axes(array) > 2:
        raise UnsupportedOperationError(
            "np.hstack of a list of matrices whose length is known only at run time is not supported; use "
            "np.array(items) and its axes"
        )
    return array if _axes(array) == 1 else _rows(array)


def _check(name: str, items: Value, axis: object, out: object, kwargs: dict[str, Value]) -> None:
    empty = atoms.ufunc(np.equal, wrap.as_atom(items.items.length, np.int64), atoms.literal(0, np.int64))
    verb = "stack" if name == "stack" else "concatenate"
    run_time_checks.fail_if(empty, lambda _: ValueError(f"need at least one array to {verb}"))
    if axis != 0 or out is not None or kwargs:
        raise UnsupportedOperationError(
            f"np.{name} of a list whose length is known only at run time is supported only along the first axis and "
            "without other arguments; use np.array(items) and its axes"
        )

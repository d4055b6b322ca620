"""Elements of a list whose length is known only at run time: read, set, deleted, inserted, and slices of them."""

from __future__ import annotations

import collections
import dataclasses

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.dynamic_lists.dynamic_list_contents import GrowableContents
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.failures import UnreachableError
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays.index_numbers import as_int, check_bound, check_place
from anabranch.runtime.values.containers import has_traced
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.list_buffer import ListBuffer
from anabranch.runtime.values.memory.item_memory import iota, shifted
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.python_numbers.sequence_index import place_of
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


def kind_name(owner: object) -> str:
    """The name of the built-in class, for messages."""
    return "deque" if isinstance(owner, collections.deque) else "list"


def _bound(value: object) -> Value:
    """A bound of a slice as a Python int, traced or not."""
    if isinstance(value, Tracer):
        check_bound(value)
    return as_int(value)


def check_index(owner: Value, key: object) -> Value:
    """The index of an element as a Python int, traced or not."""
    if isinstance(key, UnionValue):
        key = key.resolve()
    if isinstance(key, Tracer):
        check_place(key, kind_name(owner))
    elif not hasattr(key, "__index__"):
        raise TypeError(f"{kind_name(owner)} indices must be integers or slices, not {type(key).__name__}")
    return as_int(key)


def _position(items: Items, key: int | PythonScalar, text: str) -> Value:
    """The place of an index from 0 on, with the check that there is one."""
    return place_of(key, items.length, text, items.structure.capacity)


def _position_in_row(owner: GrowableContents, key: object, text: str) -> Value:
    return place_of(check_index(owner, key), owner.row_binding.table.width, text)


def fail_if(bad: Atom, cls: type[Exception], text: str) -> None:
    """Raise an exception of this class, with this text, at run time where something is bad."""
    run_time_checks.fail_if(bad, lambda _: cls(text))


def _element(items: Items, position: int | PythonScalar) -> Value:
    if not items.structure.variants or not items.structure.capacity:
        raise UnreachableError
    return items.item(position)


def get(owner: GrowableContents, key: Value) -> Value:
    """`owner[key]`."""
    if owner.row_binding is not None and not isinstance(key, slice):
        home = owner.row_binding
        return home.table.element(home.index, _position_in_row(owner, key, "list index out of range"))
    items = owner.as_items()
    if isinstance(key, slice):
        _refuse_slices_of_deques(owner)
        return owner.made(_sliced(items, key))
    return _element(items, _position(items, check_index(owner, key), f"{kind_name(owner)} index out of range"))


def _refuse_slices_of_deques(owner: GrowableContents) -> None:
    if kind_name(owner) == "deque":
        raise TypeError("sequence index must be integer, not 'slice'")


def set_(owner: GrowableContents, key: object, value: object) -> None:
    """`owner[key] = value`."""
    if isinstance(key, slice):
        _refuse_slices_of_deques(owner)
        _set_slice(owner, key, value)
        return
    if owner.row_binding is not None:
        home = owner.row_binding
        position = _position_in_row(owner, key, "list assignment index out of range")
        home.table.set_element(home.index, position, value)
        return
    items = owner.as_items()
    text = "deque index out of range" if kind_name(owner) == "deque" else "list assignment index out of range"
    position = _position(items, check_index(owner, key), text)
    if not items.structure.capacity:
        raise UnreachableError
    owner.become(items.with_item(position, value))


def _set_slice(owner: GrowableContents, key: slice, value: Value) -> None:
    if key.step not in (None, 1):
        raise UnsupportedOperationError(
            "assigning to a slice with a step of a list whose length is known only at run time is not supported; "
            "assign its items one by one"
        )
    if not hasattr(value, "__iter__"):
        raise TypeError("can only assign an iterable")
    items = owner.as_items()
    start, stop = (python_scalar(bound, Interval(0, items.structure.capacity)) for bound in _bounds(items, key))
    new = owner.made(_sliced(items, slice(None, start)))
    new.extend(value)
    new.extend(owner.made(_sliced(items, slice(stop, None))))  # type: ignore[arg-type] # one has __iter__
    owner.become(new.contents())


def delete(owner: GrowableContents, key: object) -> None:
    """`del owner[key]`."""
    if isinstance(key, slice):
        _refuse_slices_of_deques(owner)
        _delete_slice(owner, key)
        return
    items = owner.as_items()
    text = "deque index out of range" if kind_name(owner) == "deque" else "list assignment index out of range"
    owner.become(without(items, _position(items, check_index(owner, key), text)))


def _delete_slice(owner: GrowableContents, key: slice) -> None:
    if key.step not in (None, 1):
        raise UnsupportedOperationError(
            "del of a slice with a step of a list whose length is known only at run time is not supported; join the "
            "slices that stay with +"
        )
    items = owner.as_items()
    start, stop = _bounds(items, key)
    gap = python_scalar(atoms.ufunc(np.subtract, stop, start), Interval(0, items.structure.capacity))
    line = iota(items.structure.capacity)
    after = atoms.ufunc(np.greater_equal, line, atoms.broadcast_to(start, line.type.shape))
    moved = atoms.ufunc(np.add, line, atoms.broadcast_to(wrap.as_atom(gap, np.int64), line.type.shape))
    owner.become(items.taken(atoms.select(after, moved, line), items.length - gap))


def pop(owner: GrowableContents, *place: object) -> Value:
    """`owner.pop(place)`."""
    items = owner.as_items()
    empty = atoms.ufunc(np.equal, wrap.as_atom(items.length, np.int64), atoms.literal(0, np.int64))
    fail_if(empty, IndexError, "pop from an empty deque" if kind_name(owner) == "deque" else "pop from empty list")
    last = not place or (type(place[0]) is int and place[0] == -1)
    if last:
        position = size_arithmetic.subtract(items.length, 1)
        value = _element(items, position)
        owner.become(items.cut(position))
        return value
    position = _position(items, as_int(place[0]), "pop index out of range")
    value = _element(items, position)
    owner.become(without(items, position))
    return value


def popleft(owner: GrowableContents) -> Value:
    """`owner.popleft()`."""
    items = owner.as_items()
    empty = atoms.ufunc(np.equal, wrap.as_atom(items.length, np.int64), atoms.literal(0, np.int64))
    fail_if(empty, IndexError, "pop from an empty deque")
    value = _element(items, 0)
    owner.become(items.without_first(size_arithmetic.subtract(items.length, 1)))
    return value


def without(items: Items, position: int | PythonScalar) -> Items:
    """The elements but for the one at a position."""
    last = size_arithmetic.subtract(items.length, 1)
    if not items.structure.is_circular:
        return _shifted(items, position, last, 1, last)
    line = iota(items.structure.capacity)
    here = atoms.broadcast_to(wrap.as_atom(position, np.int64), line.type.shape)
    next_ = atoms.ufunc(np.add, line, atoms.literal(np.ones(line.type.shape), np.int64))
    after = atoms.ufunc(np.greater_equal, line, here)
    return items.taken(atoms.select(after, next_, line), last)


def _shifted(items: Items, low: Bound, high: Bound, by: int, length: Bound) -> Items:
    """So many elements, those from one position up to another from one place further on (1) or before (-1)."""
    memory = [shifted(m, wrap.as_atom(low, np.int64), wrap.as_atom(high, np.int64), by) for m in items.memory]
    return Items(dataclasses.replace(items.structure, fixed=False), (length, *map(ListBuffer, memory)))


def insert(owner: GrowableContents, place: Value, value: Value) -> None:
    """`owner.insert(place, value)`."""
    items = owner.as_items()
    key, length = as_int(place), items.length
    if type(key) is int and key == 0 and items.structure.is_circular:
        owner.become(items.pushed(value, front=True))
        return
    atom = clipped(key, length)
    pushed = items.pushed(value)
    if not pushed.structure.is_circular:
        at = python_scalar(atom, Interval(0, interval_of(length).high))
        after = _shifted(pushed, size_arithmetic.add(at, 1), pushed.length, -1, pushed.length)
        owner.become(after.with_item(at, value))
        return
    line = iota(pushed.structure.capacity)
    here = atoms.broadcast_to(atom, line.type.shape)
    back = atoms.ufunc(np.subtract, line, atoms.literal(np.ones(line.type.shape), np.int64))
    end = atoms.broadcast_to(wrap.as_atom(length, np.int64), line.type.shape)
    moved = atoms.select(atoms.ufunc(np.greater, line, here), back, line)
    moved = atoms.select(atoms.ufunc(np.equal, line, here), end, moved)
    owner.become(pushed.taken(moved, pushed.length))


def clipped(key: int | PythonScalar, length: int | PythonScalar) -> Atom:
    """A bound of a slice, as a place from 0 to the length."""
    zero, end = atoms.literal(0, np.int64), wrap.as_atom(length, np.int64)
    atom, span = wrap.as_atom(key, np.int64), interval_of(key)
    if span.low < 0:
        below = atoms.ufunc(np.less, atom, zero)
        atom = atoms.select(below, atoms.ufunc(np.add, atom, end), atom)
        atom = atoms.ufunc(np.maximum, atom, zero)
    return atoms.ufunc(np.minimum, atom, end)


def _bounds(items: Items, key: slice) -> tuple[Atom, Atom]:
    """Start and stop of a slice with step 1, the stop not before the start."""
    start = clipped(0 if key.start is None else _bound(key.start), items.length)
    stop = wrap.as_atom(items.length, np.int64) if key.stop is None else clipped(_bound(key.stop), items.length)
    return start, atoms.ufunc(np.maximum, start, stop)


def _sliced(items: Items, key: slice) -> Items:
    if type(items.length) is int and not has_traced((key.start, key.stop, key.step)):
        places = range(items.length)[key]
        return items.taken(atoms.literal(np.asarray(places, np.int64), np.int64), len(places))
    step = 1 if key.step is None else key.step
    if type(step) is int and step > 0:
        start, stop = _bounds(items, key)
        line = iota(items.structure.capacity)
        gap = atoms.ufunc(np.subtract, stop, start)
        if step > 1:
            up = atoms.ufunc(np.add, gap, atoms.literal(step - 1, np.int64))
            gap = atoms.ufunc(np.floor_divide, up, atoms.literal(step, np.int64))
            line = atoms.ufunc(np.multiply, line, atoms.literal(np.full(line.type.shape, step), np.int64))
        moved = atoms.ufunc(np.add, line, atoms.broadcast_to(start, line.type.shape))
        return items.taken(moved, python_scalar(gap, Interval(0, items.structure.capacity)))
    if key.start is None and key.stop is None and type(step) is int and step == -1:
        return reversed_items(items)
    return _strided(items, key)


def _strided(items: Items, key: slice) -> Items:
    """The elements of a slice whose step may be negative, or known only at run time; as `slice.indices`."""
    most, end = items.structure.capacity, wrap.as_atom(items.length, np.int64)
    zero, one = atoms.literal(0, np.int64), atoms.literal(1, np.int64)
    given = wrap.as_atom(_bound(key.step), np.int64)
    fail_if(atoms.ufunc(np.equal, given, zero), ValueError, "slice step cannot be zero")
    # A longer step, too, goes past the end at once.
    step = atoms.ufunc(np.minimum, given, atoms.literal(most + 1, np.int64))
    step = atoms.ufunc(np.maximum, step, atoms.literal(-most - 1, np.int64))
    falls = atoms.ufunc(np.less, step, zero)
    before, last = (atoms.select(falls, atoms.ufunc(np.subtract, v, one), v) for v in (zero, end))

    def bound(value: object, without: Atom) -> Atom:
        if value is None:
            return without
        place = wrap.as_atom(_bound(value), np.int64)
        from_end = atoms.ufunc(np.add, place, end)
        place = atoms.select(atoms.ufunc(np.less, place, zero), from_end, place)
        return atoms.ufunc(np.minimum, atoms.ufunc(np.maximum, place, before), last)

    start = bound(key.start, atoms.select(falls, last, before))
    stop = bound(key.stop, atoms.select(falls, before, last))
    gap = atoms.ufunc(np.subtract, stop, start)
    gap = atoms.select(falls, atoms.ufunc(np.negative, gap), gap)
    size = atoms.ufunc(np.absolute, step)
    up = atoms.ufunc(np.add, atoms.ufunc(np.maximum, gap, zero), atoms.ufunc(np.subtract, size, one))
    count = atoms.ufunc(np.floor_divide, up, size)
    line = iota(most)
    moved = atoms.ufunc(np.multiply, line, atoms.broadcast_to(step, line.type.shape))
    moved = atoms.ufunc(np.add, moved, atoms.broadcast_to(start, line.type.shape))
    return items.taken(moved, python_scalar(count, Interval(0, most)))


def reversed_items(items: Items) -> Items:
    """The elements the other way round."""
    line = iota(items.structure.capacity)
    last = atoms.broadcast_to(wrap.as_atom(size_arithmetic.subtract(items.length, 1), np.int64), line.type.shape)
    return items.taken(atoms.ufunc(np.subtract, last, line), items.length)

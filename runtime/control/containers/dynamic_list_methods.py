"""What is done to lists whose length is known only at run time."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.runtime.control import generator
from anabranch.runtime.control.boolean import and_, not_
from anabranch.runtime.control.containers import container_order, dynamic_list_order
from anabranch.runtime.control.iteration import countable, generator_reductions
from anabranch.runtime.control.iteration.push_iteration import Source
from anabranch.runtime.control.truth import truth_value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.trace import UnreachableError
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays.index_numbers import check_bound, check_integer, check_place
from anabranch.runtime.values.containers import has_traced
from anabranch.runtime.values.dynamic_lists.growable import is_grown
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.heap.slots import Row
from anabranch.runtime.values.interval import Interval
from anabranch.runtime.values.memory.item_memory import iota
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.tracer import Traced
from anabranch.runtime.values.union import ChoiceValue


def _name(owner: Any) -> str:
    return "deque" if isinstance(owner, collections.deque) else "list"


def _int(value: Any) -> Any:
    """An index as a Python int, traced or not."""
    if isinstance(value, ChoiceValue):
        value = value.resolve()
    if not isinstance(value, Traced):
        return operator.index(value)
    check_integer(value)
    return (
        value
        if isinstance(value, PythonScalar) and value.python is int
        else python_scalar(wrap.as_atom(value, np.int64))
    )


def _bound(value: Any) -> Any:
    """A bound of a slice as a Python int, traced or not."""
    if isinstance(value, Traced):
        check_bound(value)
    return _int(value)


def _check_index(owner: Any, key: Any) -> Any:
    if isinstance(key, ChoiceValue):
        key = key.resolve()
    if isinstance(key, Traced):
        check_place(key, _name(owner))
    elif not hasattr(key, "__index__"):
        raise TypeError(f"{_name(owner)} indices must be integers or slices, not {type(key).__name__}")
    return _int(key)


def _position(items: Items, key: Any, text: str) -> Any:
    """The place of an index from 0 on, with the check that there is one."""
    return _checked(items.length, items.structure.capacity, key, text)


def _position_in_row(owner: Any, key: Any, text: str) -> Any:
    width = owner.home.table.width
    return _checked(width, width, _check_index(owner, key), text)


def _checked(count: Any, most: int, key: Any, text: str) -> Any:
    length = wrap.as_atom(count, np.int64)
    zero = atoms.literal(0, np.int64)
    atom, span = wrap.as_atom(key, np.int64), interval_of(key)
    bad: Atom = atoms.literal(False)
    if span.low < 0:
        wrapped = atoms.ufunc(np.add, atom, length)
        atom = wrapped if span.high < 0 else atoms.select(atoms.ufunc(np.less, atom, zero), wrapped, atom)
        bad = atoms.ufunc(np.less, atom, zero)
    if span.high >= 0:
        bad = atoms.logical_or(bad, atoms.ufunc(np.greater_equal, atom, length))
    _fail(bad, IndexError, text)
    return python_scalar(atom, Interval(0, max(most - 1, 0)))


def _fail(bad: Atom, cls: type[Exception], text: str) -> None:
    run_time_checks.fail_if(bad, lambda _: cls(text))


def _element(items: Items, position: Any) -> Any:
    if not items.structure.variants or not items.structure.capacity:
        raise UnreachableError
    return items.item(position)


def _less(length: Any, n: int = 1) -> Any:
    return python_scalar(
        atoms.ufunc(np.subtract, wrap.as_atom(length, np.int64), atoms.literal(n, np.int64)),
        Interval(0, max(interval_of(length).high - n, 0)),
    )


# ---- one element -----------------------------------------------------------------------------------------------------


def get(owner: Any, key: Any) -> Any:
    """`owner[key]`."""
    if owner.home is not None and not isinstance(key, slice):
        home = owner.home
        return home.table.element(home.index, _position_in_row(owner, key, "list index out of range"))
    items = owner.grown()
    if isinstance(key, slice):
        if _name(owner) == "deque":
            raise TypeError("sequence index must be integer, not 'slice'")
        return owner.made(_sliced(items, key))
    return _element(items, _position(items, _check_index(owner, key), f"{_name(owner)} index out of range"))


def set_(owner: Any, key: Any, value: Any) -> None:
    """`owner[key] = value`."""
    if isinstance(key, slice):
        _set_slice(owner, key, value)
        return
    if owner.home is not None:
        home = owner.home
        position = _position_in_row(owner, key, "list assignment index out of range")
        home.table.set_element(home.index, position, value)
        return
    items = owner.grown()
    text = "deque index out of range" if _name(owner) == "deque" else "list assignment index out of range"
    position = _position(items, _check_index(owner, key), text)
    if not items.structure.capacity:
        raise UnreachableError
    owner.become(items.with_item(position, value))


def _set_slice(owner: Any, key: slice, value: Any) -> None:
    whole = key.start is None and key.stop is None and key.step is None
    if not whole:
        raise UnsupportedOperationError(
            "a slice of a list whose length is known only at run time is assigned; assign its items one by one"
        )
    new = owner.made(())
    extend(new, value)
    owner.become(new.contents())


def delete(owner: Any, key: Any) -> None:
    """`del owner[key]`."""
    if isinstance(key, slice):
        _delete_slice(owner, key)
        return
    items = owner.grown()
    text = "deque index out of range" if _name(owner) == "deque" else "list assignment index out of range"
    owner.become(_without(items, _position(items, _check_index(owner, key), text)))


def _delete_slice(owner: Any, key: slice) -> None:
    if key.step not in (None, 1):
        raise UnsupportedOperationError("del of a slice with a step of a list of run-time length; use slices and +")
    items = owner.grown()
    start, stop = _bounds(items, key)
    gap = python_scalar(atoms.ufunc(np.subtract, stop, start), Interval(0, items.structure.capacity))
    line = iota(items.structure.capacity)
    after = atoms.ufunc(np.greater_equal, line, atoms.broadcast_to(start, line.type.shape))
    moved = atoms.ufunc(np.add, line, atoms.broadcast_to(wrap.as_atom(gap, np.int64), line.type.shape))
    owner.become(items.taken(atoms.select(after, moved, line), items.length - gap))


def pop(owner: Any, *place: Any) -> Any:
    """`owner.pop(place)`."""
    items = owner.grown()
    empty = atoms.ufunc(np.equal, wrap.as_atom(items.length, np.int64), atoms.literal(0, np.int64))
    _fail(empty, IndexError, "pop from an empty deque" if _name(owner) == "deque" else "pop from empty list")
    last = not place or (type(place[0]) is int and place[0] == -1)
    if last:
        position = _less(items.length)
        value = _element(items, position)
        owner.become(items.cut(position))
        return value
    position = _position(items, _int(place[0]), "pop index out of range")
    value = _element(items, position)
    owner.become(_without(items, position))
    return value


def popleft(owner: Any) -> Any:
    """`owner.popleft()`."""
    items = owner.grown()
    empty = atoms.ufunc(np.equal, wrap.as_atom(items.length, np.int64), atoms.literal(0, np.int64))
    _fail(empty, IndexError, "pop from an empty deque")
    value = _element(items, 0)
    owner.become(items.without_first(_less(items.length)))
    return value


def _without(items: Items, position: Any) -> Items:
    line = iota(items.structure.capacity)
    here = atoms.broadcast_to(wrap.as_atom(position, np.int64), line.type.shape)
    next_ = atoms.ufunc(np.add, line, atoms.literal(np.ones(line.type.shape), np.int64))
    after = atoms.ufunc(np.greater_equal, line, here)
    return items.taken(atoms.select(after, next_, line), _less(items.length))


def insert(owner: Any, place: Any, value: Any) -> None:
    """`owner.insert(place, value)`."""
    items = owner.grown()
    key, length = _int(place), items.length
    if type(key) is int and key == 0 and items.structure.ring:
        owner.become(items.pushed(value, front=True))
        return
    atom = _clipped(key, length)
    pushed = items.pushed(value)
    line = iota(pushed.structure.capacity)
    here = atoms.broadcast_to(atom, line.type.shape)
    back = atoms.ufunc(np.subtract, line, atoms.literal(np.ones(line.type.shape), np.int64))
    end = atoms.broadcast_to(wrap.as_atom(length, np.int64), line.type.shape)
    moved = atoms.select(atoms.ufunc(np.greater, line, here), back, line)
    moved = atoms.select(atoms.ufunc(np.equal, line, here), end, moved)
    owner.become(pushed.taken(moved, pushed.length))


def _clipped(key: Any, length: Any) -> Atom:
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
    start = _clipped(0 if key.start is None else _bound(key.start), items.length)
    stop = wrap.as_atom(items.length, np.int64) if key.stop is None else _clipped(_bound(key.stop), items.length)
    return start, atoms.ufunc(np.maximum, start, stop)


def _sliced(items: Items, key: slice) -> Items:
    if type(items.length) is int and not has_traced((key.start, key.stop, key.step)):
        places = range(items.length)[key]
        return items.taken(atoms.literal(np.asarray(places, np.int64), np.int64), len(places))
    if key.step is None or (type(key.step) is int and key.step == 1):
        start, stop = _bounds(items, key)
        line = iota(items.structure.capacity)
        length = python_scalar(atoms.ufunc(np.subtract, stop, start), Interval(0, items.structure.capacity))
        moved = atoms.ufunc(np.add, line, atoms.broadcast_to(start, line.type.shape))
        return items.taken(moved, length)
    if key.start is None and key.stop is None and type(key.step) is int and key.step == -1:
        return reversed_items(items)
    raise UnsupportedOperationError(
        "a slice with a step of a list whose length is known only at run time; use np.array(items)[...], or a loop"
    )


def reversed_items(items: Items) -> Items:
    """The elements the other way round."""
    line = iota(items.structure.capacity)
    last = atoms.broadcast_to(wrap.as_atom(_less(items.length), np.int64), line.type.shape)
    return items.taken(atoms.ufunc(np.subtract, last, line), items.length)


# ---- all elements ----------------------------------------------------------------------------------------------------


def extend(owner: Any, values: Any) -> None:
    """`owner.extend(values)`."""
    if isinstance(values, ChoiceValue) and values.of_objects:
        values.through(lambda v: extend(owner, v))
        return
    if values is owner:
        values = owner.copy()
    if isinstance(values, Source) and owner.items is None:
        values = values.items_or(listed)
    many = values if isinstance(values, Source) else countable.countable(values)
    if isinstance(many, countable.Countable) and isinstance(many.length, int) and owner.items is None:
        many = many if isinstance(many, countable.Rows) and many.length >= _MANY else None
    if many is None:
        for value in values:
            owner.append(value)
    else:
        _drive(owner, many)


_MANY = 64  # so many rows of an array are appended by a loop


def _drive(owner: Any, many: Any) -> None:
    source = many if isinstance(many, Source) else generator.Each(many, lambda item: item)

    def take(item: Any, owner: Any = owner) -> bool:
        owner.append(item)
        return False

    source.drive(take, leaves=False)


def listed(source: Any) -> Any:
    """The list of what a comprehension or an iterable gives."""
    from anabranch.runtime.control.containers.dynamic_list import growing  # noqa: PLC0415

    if is_grown(source) and source.native is list:
        return source.copy()
    made = growing([])
    _drive(made, source)
    return made


def _each(items: Any, function: Callable[..., Any], width: int | None = None) -> generator.Each:
    return generator.Each(items, function, width=width)


def contains(owner: Any, value: Any) -> Any:
    """`value in owner`."""
    return generator_reductions.quantified(_each(owner, lambda item: container_order.equal(value, item)), until=True)


def count(owner: Any, value: Any) -> Any:
    """`owner.count(value)`."""
    return generator_reductions.total(_each(owner, lambda item: truth_value(container_order.equal(item, value))), 0)


def _find(owner: Any, value: Any, start: Any, stop: Any) -> tuple[Any, Any]:
    row = Row((False, 0), ("whether it is there", "its place"))
    numbered = countable.Enumerated(countable.Elements(owner), 0)

    def take(pair: Any) -> Any:
        place, item = pair
        found = container_order.equal(item, value)
        if start is not None:
            found = and_(place >= start, lambda: found)
        if stop is not None:
            found = and_(place < stop, lambda: found)
        row[0] = truth_value(found)
        row[1] = place
        return row[0]

    generator.Each(numbered, lambda pair: pair).drive(take, leaves=True)
    return row[0], row[1]


def index(owner: Any, value: Any, start: Any = None, stop: Any = None) -> Any:
    """`owner.index(value, start, stop)`."""
    items = owner.grown()
    bounds = [None if b is None else python_scalar(_clipped(_int(b), items.length)) for b in (start, stop)]
    found, place = _find(owner, value, *bounds)
    whole = isinstance(value, PythonScalar) and value.python is int
    shown = "{}" if whole else "the value" if isinstance(value, Traced) else repr(value)
    text = f"{shown} is not in {_name(owner)}"
    missing = wrap.as_atom(not_(found), np.bool_)
    run_time_checks.fail_if(missing, run_time_checks.Telling(ValueError, text), wrap.as_atom(value) if whole else None)
    return place


def remove(owner: Any, value: Any) -> None:
    """`owner.remove(value)`."""
    owner.become(owner.grown())
    found, place = _find(owner, value, None, None)
    text = "list.remove(x): x not in list" if _name(owner) == "list" else "deque.remove(x): x not in deque"
    _fail(wrap.as_atom(not_(found), np.bool_), ValueError, text)
    owner.become(_without(owner.grown(), place))


def equal(owner: Any, other: Any) -> Any:
    """`owner == other`."""
    if not isinstance(other, owner.native):
        return False
    a, b = (countable.Elements(_grown(owner, o)) for o in (owner, other))
    rows = countable.Zipped((a, b), strict=False)
    return and_(
        a.length == b.length,
        lambda: generator_reductions.quantified(_each(rows, container_order.equal, width=2), until=False),
    )


def _grown(owner: Any, value: Any) -> Any:
    made = owner.made(())
    made.become(value.contents() if hasattr(value, "contents") else tuple(value))
    made.become(made.grown())
    return made


def sort(owner: Any, key: Callable[[Any], Any] | None, reverse: bool) -> None:
    """`owner.sort(key=key, reverse=reverse)`."""
    items = owner.grown()
    keys = items if key is None else listed(_each(owner, key)).grown()
    owner.become(dynamic_list_order.in_order(items, keys, reverse, reversed_items))


def differ(owner: Any, other: Any) -> Any:
    """`owner != other`."""
    return not_(equal(owner, other))

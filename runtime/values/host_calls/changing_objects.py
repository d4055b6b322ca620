"""Series and data frames: objects of a library that are changed in place by their own methods.

A box stands for such an object, and holds what it is made of at the moment, as an object that never changes. A change
is a host call, which makes it on a copy and returns that. Since pandas 3 two of its objects never see each other's
changes; only an array that was asked for (`s.values`) may be the memory that a change is written to.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import StructureMismatchError, UnsupportedOperationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.storage import Watched
from anabranch.runtime.values.heap import slots
from anabranch.runtime.values.heap.container_slots import Slot
from anabranch.runtime.values.host_calls import deferred
from anabranch.runtime.values.host_calls.library_objects import (
    LibraryObject,
    LibraryStructure,
    changed,
    set_operators_in_place,
)
from anabranch.runtime.values.host_types.labelled_kinds import taken_apart
from anabranch.runtime.values.host_types.library_kinds import LibraryKind
from anabranch.runtime.values.union import UnionValue

_INDEXERS = ("loc", "iloc", "at", "iat")
_SET = ("columns", "index", "name")
# Changes that put other arrays in the place of those that there are.
_REPLACING = ("insert", "pop", "isetitem")

# Classes whose objects never change, and keep to what they were made of.
_VALUES = (
    "Timestamp", "Timedelta", "Period", "Interval", "Index", "RangeIndex", "DatetimeIndex", "TimedeltaIndex",
    "PeriodIndex", "IntervalIndex", "CategoricalIndex", "MultiIndex",
)  # fmt: skip


class ChangingObject(LibraryObject):
    """The stand-in for an object that may change.

    `kind`: what it is made of at first.
    """

    _held: LibraryObject

    def __init__(self, parts: Any, kind: LibraryKind, lent: list[str] | None = None) -> None:
        object.__setattr__(self, "_held", LibraryObject(parts, kind))
        object.__setattr__(self, "_looking", [])
        # The names of the arrays of it that were asked for; columns have this list in common with their frame.
        object.__setattr__(self, "_lent", [] if lent is None else lent)

    @property
    def _parts(self) -> dict[str, Value]:  # type: ignore[override]
        return self._held._parts

    @property
    def _kind(self) -> LibraryKind:  # type: ignore[override]
        return self._held._kind

    def __anabranch_structure__(self) -> ChangingStructure:
        return ChangingStructure(ChangingObject, self._kind.names, self._kind)

    def __anabranch_slot__(self) -> BoxSlot:
        return BoxSlot(self)

    def __anabranch_now__(self) -> ChangingObject:
        """Return another one that is what this one is now."""
        return ChangingObject(self._parts, self._kind)

    # ---- what is asked of it -----------------------------------------------------------------------------------------

    def _column(self, columns: Any, key: Value) -> Value:
        found = super()._column(columns, key)
        return None if found is None else ChangingObject(found._parts, found._kind, self._lent)

    def _direct(self, name: str) -> Value:
        if name in _INDEXERS:
            return _Indexer(self, name)
        if name in self._parts:
            self._lent.append(name)
        return super()._direct(name)

    def _called(self, name: str, function: Callable[..., Any], *args: Value, **kwargs: Value) -> Value:
        made = super()._called(name, function, *args, **kwargs)
        if isinstance(made, deferred.Deferred) and made._maker.cls.__name__ not in _VALUES:
            self._looking.append(Watched(made))  # it may look at this one when it is asked for something
            current().trace.watched.append(self._looking[-1])
        return made

    # ---- changes -----------------------------------------------------------------------------------------------------

    def _change(
        self, name: str, function: Callable[..., Any], *args: Value, in_place: bool = True, **kwargs: Value
    ) -> Value:
        """The result of a call that changes the object."""
        if any(one.is_alive for one in self._looking):
            raise UnsupportedOperationError(
                f"{self._kind.name}.{name} changes an object while there is another one that was made of it (as "
                "frame.groupby(...)), and that may see the change; make that one anew afterwards"
            )
        if in_place and self._lent:
            raise UnsupportedOperationError(
                f"{self._kind.name}.{name} changes an object of which an array ({self._lent[0]}) was taken before, and "
                "that may see the change; set a whole column (frame[name] = values), which no array sees, or take the "
                "array afterwards"
            )
        made = self._called(name, changed, self.__anabranch_now__(), function, args, kwargs)
        *result, held = made
        object.__setattr__(self, "_held", held._held)
        return result[0] if result else self

    def __setitem__(self, key: Value, value: Value) -> None:
        self._change("__setitem__", operator.setitem, key, value, in_place=self._columns() is None)

    def __delitem__(self, key: Value) -> None:
        self._change("__delitem__", operator.delitem, key, in_place=False)

    def __setattr__(self, name: str, value: Value) -> None:
        columns = self._columns()
        if name not in _SET and (columns is None or name not in columns):
            raise self._refusal(f"setting the attribute {name}")
        self._change(f"{name} =", setattr, name, value, in_place=False)

    def _changing_method(self, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
        return self._change(name, deferred.method_called, name, args, kwargs, in_place=name not in _REPLACING)


def _item_of(owner: Any, name: str, key: Any) -> Any:
    return getattr(owner, name)[key]


def _set_item_of(owner: Any, name: str, key: Any, value: Any) -> None:
    getattr(owner, name)[key] = value


class _Indexer:
    """The attribute `loc` of an object, or one like it."""

    def __init__(self, owner: ChangingObject, name: str) -> None:
        self._owner, self._name = owner, name

    def __getitem__(self, key: Value) -> Value:
        return self._owner._called(f"{self._name}.__getitem__", _item_of, self._owner, self._name, key)

    def __setitem__(self, key: Value, value: Value) -> None:
        self._owner._change(f"{self._name}.__setitem__", _set_item_of, self._name, key, value)

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        raise self._owner._refusal(f"{self._name}()")


def _in_place(function: Callable[[Any, Any], Any]) -> Callable[[ChangingObject, Value], Value]:
    return lambda self, other: self._change(f"__{function.__name__}__", function, other)


set_operators_in_place(ChangingObject, _in_place)


class BoxSlot(Slot):
    """A box: what it holds."""

    __slots__ = ()

    def contents(self) -> tuple[Value, ...]:
        return (self.target._held,)

    def restore(self, contents: Value) -> None:
        held = contents[0]
        if isinstance(held, UnionValue):
            raise StructureMismatchError(
                f"a {self.target._kind.name} has these columns, names and dtypes or others, depending on a run-time "
                "condition or on the steps of a loop; give it the same ones on all ways"
            )
        object.__setattr__(self.target, "_held", held)


class CallersSlot(Slot):
    """The caller's object."""

    __slots__ = ()

    def contents(self) -> tuple[Value, ...]:
        return (self.target,)

    def restore(self, contents: Value) -> None:
        self.target._update_inplace(contents[0])
        if hasattr(contents[0], "name") and contents[0].ndim == 1:
            self.target.name = contents[0].name


@frozen
class ChangingStructure(LibraryStructure):
    """That of such an object."""

    mutable = True
    is_of_arrays = False

    def empty(self) -> Value:
        return ChangingObject.__new__(ChangingObject)

    def fill(self, made: Any, children: Sequence[Value]) -> None:
        ChangingObject.__init__(made, dict(zip(self.keys, children, strict=True)), self.extra)

    def build(self, children: Sequence[Value]) -> Value:
        if tracing():
            return ChangingObject(dict(zip(self.keys, children, strict=True)), self.extra)
        return self.on_host(children, ())


def structure_of(value: object) -> LibraryStructure | None:
    """The structure of an object of a library that is made of arrays; None for any other value."""
    taken = taken_apart(value)
    if taken is None:
        return None
    kind = taken[0]
    if kind.can_change:
        return ChangingStructure(ChangingObject, kind.names, kind)
    return LibraryStructure(LibraryObject, kind.names, kind)


def slot_of(value: object) -> Slot | None:
    """The slot of one of the caller's objects; None for what never changes."""
    return CallersSlot(value) if structure_of(value) is not None else slots.slot_of(value)

"""Slots: the remembered contents of one mutable object (a list, an object's attributes, a closure cell, a global)."""

from __future__ import annotations

import collections
import functools
import threading
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.errors import StructureMismatchError, UnsupportedOperationError
from anabranch.runtime.host.generator_state import kind_of
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values.containers import Contents, has_traced
from anabranch.runtime.values.heap import opaque
from anabranch.runtime.values.heap.container_slots import (
    DefaultDictSlot,
    DictSlot,
    FixedSlot as FixedSlot,
    SequenceSlot,
    SetSlot,
    Slot as Slot,
)
from anabranch.runtime.values.heap.patched_classes import Snapshot, as_written, methods, replaced
from anabranch.runtime.values.undefined import UnsetAttribute
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.user_classes import (
    COMPUTED,
    NETWORKS,
    attributes,
    instance_dict,
    is_plain_object,
    is_users_class,
    slot_names,
)


class _CellSlot(Slot):
    __slots__ = ()

    @property
    def changed(self) -> bool:
        try:
            return not self.before or self.target.cell_contents is not self.before[0]
        except ValueError:
            return bool(self.before)

    def condition(self, constant: Callable[[object], str]) -> str:
        """As elsewhere; raises `ValueError` where the cell has lost its contents."""
        if not self.before:
            return super().condition(constant)
        return f"{constant(self.target)}.cell_contents is {constant(self.before[0])}"

    def contents(self) -> tuple[Value, ...]:
        try:
            return (self.target.cell_contents,)
        except ValueError:
            return ()

    def restore(self, contents: Value) -> None:
        if contents:
            (self.target.cell_contents,) = contents
        elif self.contents():
            del self.target.cell_contents


class ObjectSlot(Slot):
    """The attributes of an object in its `__dict__` and its `__slots__`."""

    __slots__ = ("cls", "snapshot")

    def __init__(self, target: Value) -> None:
        super().__init__(target)
        self.cls = type(target)
        self.snapshot = None if slot_names(type(target)) else Snapshot(getattr(target, "__dict__", {}))

    @property
    def changed(self) -> bool:
        if type(self.target) is not self.cls:
            return True
        if self.snapshot is not None and self.snapshot.is_of(getattr(self.target, "__dict__", {})):
            return False
        return super().changed

    def contents(self) -> dict[str, Value]:
        return Contents(attributes(self.target))

    def restore(self, contents: Value) -> None:
        if type(self.target) is not self.cls:
            self.target.__class__ = self.cls
            raise UnsupportedOperationError(
                f"{a(self.cls.__name__)} becomes an object of another class, depending on a run-time condition"
            )
        for name in _set_ones(self.contents()):
            if name not in contents:
                object.__delattr__(self.target, name)
        contents = _set_ones(contents)
        state = getattr(self.target, "__dict__", None)
        if state is not None:
            state.clear()  # the order of attributes is that of the contents
        for name, value in contents.items():
            _setter(self.target)(self.target, name, value)


def _set_ones(contents: dict[str, Value]) -> dict[str, Value]:
    """The attributes that an object has, of those that it may have."""
    return {name: value for name, value in contents.items() if not isinstance(value, UnsetAttribute)}


def _setter(value: object) -> Callable[[Any, str, Any], None]:
    """The function that sets an attribute past a class's own `__setattr__`."""
    return threading.local.__setattr__ if isinstance(value, threading.local) else object.__setattr__


class _NetworkSlot(ObjectSlot):
    """A network of `ipaddress`, apart from what it computes once it is asked for, and keeps."""

    __slots__ = ()

    def contents(self) -> dict[str, Value]:
        held = attributes(self.target).items()
        return Contents((k, v) for k, v in held if k not in COMPUTED or has_traced(v))


class _ExceptionSlot(Slot):
    """The arguments of an exception, and the attributes that it has been given."""

    __slots__ = ()

    def contents(self) -> dict[str, Value]:
        return Contents({"args": self.target.args, **self.target.__dict__})

    def restore(self, contents: Value) -> None:
        state = dict(contents)
        self.target.args = state.pop("args")
        self.target.__dict__.clear()
        self.target.__dict__.update(state)


class FunctionSlot(Slot):
    """The attributes that a function has been given."""

    __slots__ = ()

    @property
    def changed(self) -> bool:
        now = self.target.__dict__
        return bool(now or self.before) and not self.same_contents(now, self.before)

    def condition(self, constant: Callable[[object], str]) -> str:
        return super().condition(constant) if self.before else f"not {constant(self.target)}.__dict__"

    def contents(self) -> dict[str, Value]:
        return dict(self.target.__dict__)

    def restore(self, contents: Value) -> None:
        self.target.__dict__.clear()
        self.target.__dict__.update(contents)


class MovedError(UnsupportedOperationError):
    """An attempt has changed an object that cannot be put back: nothing else may be tried with it."""

    def __init__(self, words: str, target: object) -> None:
        super().__init__(words)
        self.target = target


class OpaqueSlot(Slot):
    """An iterator, a buffer, a stream: its contents can be compared, but neither carried nor put back."""

    __slots__ = ()

    def contents(self) -> tuple[Value, ...]:
        return opaque.state(self.target)

    def rewind(self) -> None:
        opaque.rewind(self.target, self.before)

    def restore(self, contents: Value) -> None:
        if tracing():
            current().trace.want_going_on(self.target)
        raise MovedError(
            f"{a(type(self.target).__name__)} is changed in a branch or a loop that depends on a run-time condition, "
            "and cannot be restored where the condition does not hold; change it outside, or use a list or an array",
            self.target,
        )

    @staticmethod
    def same_contents(now: Value, before: Value) -> bool:
        return opaque.same_state(now, before)


class _ClassSlot(Slot):
    """A class of the user's: its own attributes that are data. Its methods are compared and put back, not carried."""

    # What has not changed has not as long as the version of this class is the same.
    __slots__ = ("methods", "snapshot", "version_of")

    def __init__(self, target: Value) -> None:
        super().__init__(target)
        self.version_of: type = target
        self.snapshot = Snapshot(vars(target))
        self.methods = methods(as_written(target))

    @property
    def changed(self) -> bool:
        if self.snapshot.is_of(vars(self.target)):
            return False
        return super().changed or bool(replaced(self.target, self.methods))

    def contents(self) -> dict[str, Value]:
        return Contents((k, v) for k, v in as_written(self.target).items() if _is_data(k, v))

    def parts(self) -> Iterable[Value]:
        """Its contents; what its methods close over; and the classes in it and above it, which it is read through."""
        held = vars(self.target)
        cells = [cell for method in held.values() for cell in _cells(method)]
        classes = [v for v in held.values() if isinstance(v, type)]
        called = [v for k, v in held.items() if callable(v) and is_plain_object(v) and not k.startswith("__")]
        return [*super().parts(), *cells, *classes, *called, *self.target.__mro__[1:]]

    def restore(self, contents: Value) -> None:
        others = replaced(self.target, self.methods)
        for name, method in others.items():
            if method is None:
                delattr(self.target, name)
            else:
                setattr(self.target, name, method)
        for name in self.contents():
            if name not in contents:
                delattr(self.target, name)
        now = self.contents()
        for name, value in contents.items():
            if name not in now or now[name] is not value:
                setattr(self.target, name, value)
        if others:
            raise UnsupportedOperationError(
                f"the class {self.target.__name__} gets another {', '.join(others)} while a function that uses it "
                "is compiled; set the methods of a class before the call"
            )


class SubclassSlot(Slot):
    """An instance of a user's subclass of list, deque, dict or set: its items and its attributes."""

    __slots__ = ("items",)

    def __init__(self, items: Slot) -> None:
        self.items = items
        super().__init__(items.target)

    def contents(self) -> tuple[Value, ...]:
        return (self.items.contents(), Contents(attributes(self.target)))

    def restore(self, contents: Value) -> None:
        items, state = contents
        if isinstance(items, UnionValue):
            raise StructureMismatchError(
                f"{a(type(self.target).__name__)} has one number of items or another, depending on a run-time "
                "condition or on the steps of a loop; use a list, a deque or a dict as they are"
            )
        self.items.restore(items)
        ObjectSlot.restore(ObjectSlot(self.target), state)

    def parts(self) -> Iterable[Value]:
        return [*self.items.parts(), *self.before[1].values()]

    @staticmethod
    def same_contents(now: Value, before: Value) -> bool:
        return all(Slot.same_contents(a, b) for a, b in zip(now, before, strict=True))


_METHODS = (property, staticmethod, classmethod, functools.cached_property)


# The file of the methods that `dataclasses` writes, which close over the types of the fields.
_GENERATED = "<string>"


def _cells(method: Any) -> Iterator[types.CellType]:
    """The variables from outside of a class that a method of it reads or assigns."""
    if isinstance(method, property):
        for accessor in (method.fget, method.fset, method.fdel):
            yield from _cells(accessor)
    elif isinstance(method, functools.cached_property):
        yield from _cells(method.func)
    elif isinstance(method, (staticmethod, classmethod)):
        yield from _cells(method.__func__)
    elif isinstance(method, functools._lru_cache_wrapper):
        yield from _cells(method.__wrapped__)
    elif isinstance(method, types.FunctionType) and method.__closure__ and method.__code__.co_filename != _GENERATED:
        names = method.__code__.co_freevars  # `super()` reads `__class__`
        yield from (c for name, c in zip(names, method.__closure__, strict=True) if name != "__class__")


def _is_data(name: str, value: object) -> bool:
    return not (name.startswith("__") or callable(value) or isinstance(value, _METHODS))


class GlobalVariable:
    """A global name that compiled code assigns."""

    __slots__ = ("name", "scope")

    def __init__(self, scope: dict[str, Value], name: str) -> None:
        self.scope, self.name = scope, name


class _GlobalSlot(Slot):
    __slots__ = ()

    def contents(self) -> tuple[Value, ...]:
        variable = self.target
        return (variable.scope[variable.name],) if variable.name in variable.scope else ()

    def restore(self, contents: Value) -> None:
        variable = self.target
        if contents:
            (variable.scope[variable.name],) = contents
        else:
            variable.scope.pop(variable.name, None)


_BUILT_IN: tuple[tuple[type, type[Slot]], ...] = (
    (list, SequenceSlot), (collections.deque, SequenceSlot), (set, SetSlot),
    (collections.defaultdict, DefaultDictSlot), (dict, DictSlot),
)  # fmt: skip


def closed_over(function: types.FunctionType) -> list[Value]:
    """The contents of the cells of a function's closure."""
    return [part for cell in function.__closure__ or () for part in _CellSlot(cell).contents()]


def _has_attributes(value: Value) -> bool:
    """Return whether attributes of an object can be set: those of a class with a `__new__` of its own, too."""
    if isinstance(value, threading.local) or is_plain_object(value):
        return True
    if not is_users_class(type(value)) or isinstance(value, BaseException):
        return False
    return instance_dict(value) is not None or bool(slot_names(type(value)))


def slot_of(value: Value) -> Slot | None:
    """The slot of a mutable object; None for anything else."""
    if isinstance(value, types.CellType):
        return _CellSlot(value)
    if isinstance(value, GlobalVariable):
        return _GlobalSlot(value)
    own = getattr(type(value), "__anabranch_slot__", None)
    if own is not None:
        found: Slot = own(value)
        return found
    for cls, kind in _BUILT_IN:
        if isinstance(value, cls):
            slot = kind(value)
            return SubclassSlot(slot) if is_users_class(type(value)) else slot
    if isinstance(value, type):
        return _ClassSlot(value) if is_users_class(value) else None
    if kind_of(value) is not None:
        return None  # its state is an input
    if opaque.is_opaque(value):
        return OpaqueSlot(value)
    if isinstance(value, BaseException):
        return _ExceptionSlot(value)
    if isinstance(value, NETWORKS):
        return _NetworkSlot(value)
    return ObjectSlot(value) if _has_attributes(value) else None

"""Attributes that an object of the user's has or is without, depending on run-time conditions.

Their value is a choice, one of whose options says that the attribute is not set. While such a class is traced a
descriptor stands in it for each of them, which checks at run time what is read.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.container_state import ClassSite
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.values import attributes
from anabranch.runtime.values.undefined import Undefined, UnsetAttribute
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.user_classes import instance_dict, is_users_class, slot_names, unset_names


def _no_attribute(unset: Undefined) -> AttributeError:
    """The exception that Python raises when the attribute is read."""
    owner = unset.owner if isinstance(unset, UnsetAttribute) else ""
    return AttributeError(f"'{owner}' object has no attribute '{unset.name}'")


class MayBeUnset(property):
    """The descriptor of an attribute that instances may be without, in the place of what the class has by that name."""

    def __init__(self, cls: type, name: str) -> None:
        super().__init__(self._get, self._set, self._delete)
        self.name, self.default = name, inspect.getattr_static(cls, name, _NONE)

    def __get__(self, owner: Any, cls: type | None = None) -> Value:
        return self.default if owner is None and self.default is not _NONE else super().__get__(owner, cls)

    def _get(self, owner: Any) -> Value:
        value = owner.__dict__.get(self.name, self)
        if value is self and self.default is _NONE:
            raise _no_attribute(UnsetAttribute(type(owner).__name__, self.name))
        if value is self:
            return self.default
        if not isinstance(value, UnionValue) or not tracing():
            return value
        if self.default is _NONE:
            return value.without_undefined(_no_attribute)
        options = tuple(self.default if isinstance(one, UnsetAttribute) else one for one in value.options)
        return UnionValue(value.tag, options, value.number)

    def _set(self, owner: Any, value: Value) -> None:
        owner.__dict__[self.name] = value

    def _delete(self, owner: Any) -> None:
        value = owner.__dict__.get(self.name)
        if isinstance(value, UnionValue) and tracing():
            value.without_undefined(_no_attribute)
        if self.name not in owner.__dict__:
            raise _no_attribute(UnsetAttribute(type(owner).__name__, self.name))
        del owner.__dict__[self.name]


def is_set(owner: object, name: str) -> Atom | None:
    """Return whether an object has an attribute, where that is known only at run time; None where it is known."""
    standing = vars(type(owner)).get(name)
    if not isinstance(standing, MayBeUnset) or standing.default is not _NONE or not _may_be_unset(owner, name):
        return None
    value = vars(owner)[name]
    known: Atom = value.among([k for k, option in enumerate(value.options) if not isinstance(option, UnsetAttribute)])
    return known


def _may_be_unset(owner: object, name: str) -> bool:
    value = vars(owner).get(name)
    return isinstance(value, UnionValue) and any(isinstance(o, UnsetAttribute) for o in value.options)


def lacking(owner: object) -> str | None:
    """The name of an attribute that an object may be without; None where there is none."""
    names = unset_names(type(owner))[0] if tracing() else ()
    return next((name for name in names if _may_be_unset(owner, name)), None)


def refuse_dict(owner: object) -> None:
    """Raise where the attributes of an object as a whole are asked for, and it may be without some of them."""
    name = lacking(owner)
    if name is not None:
        raise UnsupportedOperationError(
            f"the attributes of a {type(owner).__name__} as a whole (vars, __dict__) are asked for, and whether it has "
            f"the attribute {name!r} is known only at run time; read the attributes by their names"
        )


class NotAsWhole(attributes.Attributes):
    """The attributes of an object that may be without some of them, but for its `__dict__`."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name == "__dict__":
            refuse_dict(attributes.shown_by(self))
        return super().__getattribute__(name)


def want(owner: object, options: Sequence[Any]) -> None:
    """Have the instances of a class be such as may be without the attributes that only some contents of one have.

    Raises `Restart` where they could have been so since they were made.
    """
    cls, known = type(owner), current().trace.lists.unset_attributes
    if known is None or not is_users_class(cls) or instance_dict(owner) is None:
        return
    before, order = unset_names(cls)
    new = {name for held in options for name in held if any(name not in other for other in options)} - before
    plain = cls.__getattribute__ is object.__getattribute__ and not hasattr(cls, "__getattr__")
    if not plain or slot_names(cls) or not all(type(inspect.getattr_static(cls, n, None)) in _PLAIN for n in new):
        return
    for held in options:
        order = _joined(order, tuple(held))
    entry = before | new, order
    if entry != known.get(ClassSite.of(cls)):
        known[ClassSite.of(cls)] = entry
        raise Restart


_NONE = object()
_PLAIN = (type(None), bool, int, float, str)


def _joined(order: tuple[str, ...], held: tuple[str, ...]) -> tuple[str, ...]:
    """An order with more names, each before the one that it stands before."""
    joined = list(order)
    for name in reversed(held):
        if name not in joined:
            after = held[held.index(name) + 1 :]
            joined.insert(min((joined.index(other) for other in after), default=len(joined)), name)
    return tuple(joined)

"""Instances of the user's own subclasses of `dict`, where their keys are known only at run time."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any, Self

from anabranch.base.value import Value
from anabranch.runtime.control.hash_tables.dynamic_dict import DynamicDict
from anabranch.runtime.control.hash_tables.hash_table import HashTable
from anabranch.runtime.control.hash_tables.views import element
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import current

# What Python itself puts into classes; the names of slots when an instance is copied.
_OF_ALL_CLASSES = frozenset(
    f"__{name}__"
    for name in (
        "annotate_func", "annotations", "annotations_cache", "dict", "doc", "firstlineno", "module", "orig_bases",
        "qualname", "slotnames", "static_attributes", "weakref",
    )
)  # fmt: skip


class UsersDict(DynamicDict):
    """The base of the classes that stand for the user's: their methods are the user's own."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        if name not in HashTable.__slots__:
            raise UnsupportedOperationError(
                f"the attribute {name!r} of {type(self).__name__}, a dict whose keys are known only at run time, is "
                "set; keep it in a variable, or make the dict an attribute of an object"
            )
        object.__setattr__(self, name, value)

    @property
    def origins(self) -> frozenset[Any]:
        """The places that make such: none, as these dicts lie in no arena."""
        return frozenset()

    def __getitem__(self, key: Value) -> Value:
        missing: Callable[..., Any] | None = getattr(self.native, "__missing__", None)
        if missing is None:
            return super().__getitem__(key)
        place = self.place_of_(key)

        def found(table: UsersDict = self) -> Value:
            return element(table.values_, place)

        def made(table: UsersDict = self) -> Value:
            return missing(table, key)

        return made() if self._never_has_keys else if_(place < 0, made, found)

    def copy(self) -> Any:
        """As `dict.copy`, which returns a dict of no other class."""
        return self.placed_(self.copied_(DynamicDict, None))

    def __copy__(self) -> Self:
        made: Self = self.copied_(type(self), self.extra_)
        return made


def class_of(cls: type) -> type[UsersDict] | None:
    """The class that stands for a subclass of `dict`; None where it does more than add methods and `__missing__`."""
    if cls.__bases__ != (dict,) or type(cls) is not type:
        return None
    classes: dict[type, type[UsersDict] | None] = current().trace.tables.users_classes
    if cls not in classes:
        methods = {name: value for name, value in vars(cls).items() if name not in _OF_ALL_CLASSES}
        is_known = all(_is_method(name, value) for name, value in methods.items())
        own = {name: method for name, method in methods.items() if name != "__missing__"}
        classes[cls] = type(cls.__name__, (UsersDict,), {"__slots__": (), "native": cls, **own}) if is_known else None
    return classes[cls]


def _is_method(name: str, value: object) -> bool:
    """Return whether an attribute of a class is a method that replaces no other one and does not ask `super`."""
    if not isinstance(value, types.FunctionType) or hasattr(UsersDict, name):
        return False
    special = name.startswith("__") and name != "__missing__"
    return not special and "__class__" not in inspect.unwrap(value).__code__.co_freevars

"""The attributes of what a stand-in stands for: those that Python's or NumPy's object has, or the user's own.

A stand-in has attributes of its own beside those. Rewritten code asks for an attribute whose name is one of these
here (`transpile/hidden_attributes.py`), and so do `getattr`, `hasattr` and their kin.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any, ClassVar

from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.source_frames import internal


class StandIn:
    """The base of what stands for an object that has other attributes."""

    __slots__ = ()

    def __anabranch_sample__(self) -> object:
        """Return an object with the attributes of what this stands for."""
        raise NotImplementedError


class TextStandIn(StandIn):
    """The base of what stands for a text."""

    __slots__ = ()

    def __anabranch_sample__(self) -> str:
        return ""


class ContainerStandIn(StandIn):
    """The base of what stands for a container: its class has the name that the built-in class has in messages."""

    __slots__ = ()
    native: Any  # the built-in class that it stands for

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if isinstance(getattr(cls, "native", None), type):
            cls.__name__ = name_in_messages(cls.native)

    def __anabranch_sample__(self) -> object:
        return self.native()


class OneOfSeveral(StandIn):
    """The base of what stands for one of several objects, by which each of its attributes is read or changed."""

    __slots__ = ()

    def __anabranch_read__(self, name: str) -> Value:
        """Return an attribute of the object."""
        raise NotImplementedError

    def __anabranch_each__(self, operation: Callable[[Any], None]) -> None:
        """Do what changes an attribute of the object."""
        raise NotImplementedError


class WithFields(StandIn):
    """The base of what stands for an object with attributes of any name."""

    __slots__ = ()

    def __anabranch_has_field__(self, name: str) -> bool:
        """Return whether the object has an attribute of its own of this name."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        raise NotImplementedError


def is_proxy(value: object) -> bool:
    """Return whether a value stands for an object that has other attributes."""
    return issubclass(type(value), StandIn)  # an instance may say of itself that it is of another class


def read(value: Value, name: str) -> Value:
    """`value.name`."""
    sample = _sample(value)
    if sample is _NONE:
        return getattr(value, name)
    if sample is _SEVERAL:
        return value.__anabranch_read__(name)
    if isinstance(value, WithFields) and value.__anabranch_has_field__(name):
        return value.__getattr__(name)
    return getattr(value if _shows(sample, name) else sample, name)


def write(value: Value, name: str, new: Value) -> None:
    """`value.name = new`."""
    sample = _sample(value)
    if sample is _SEVERAL:
        value.__anabranch_each__(lambda v: write(v, name, new))
    elif isinstance(value, WithFields) and value.__anabranch_has_field__(name):
        value.__setattr__(name, new)
    else:
        setattr(
            value if sample is _NONE or (_shows(sample, name) and not isinstance(value, Bare)) else sample, name, new
        )


def delete(value: Value, name: str) -> None:
    """`del value.name`."""
    sample = _sample(value)
    if sample is _SEVERAL:
        value.__anabranch_each__(lambda v: delete(v, name))
    else:
        delattr(value if sample is _NONE or _shows(sample, name) else sample, name)


def has(value: object, name: str) -> bool:
    """`hasattr(value, name)`, of one object."""
    sample = _sample(value)
    return hasattr(value if sample is _NONE else sample, name)


def names(value: object) -> list[str]:
    """`dir(value)`, of one object."""
    sample = _sample(value)
    return dir(value if sample is _NONE else sample)


def _sample(value: Value) -> Value:
    cls = type(value)
    if not issubclass(cls, StandIn):
        return _NONE
    return _SEVERAL if issubclass(cls, OneOfSeveral) else value.__anabranch_sample__()


_NONE, _SEVERAL = object(), object()


def _shows(sample: object, name: str) -> bool:
    """Return whether the instances of a built-in class have an attribute."""
    cls = type(sample)
    if cls not in _names:
        _names[cls] = frozenset(dir(cls))
    return name in _names[cls]


_names: dict[type, frozenset[str]] = {}


def class_of(value: object) -> type:
    """The class of what a stand-in stands for; of any other value its own."""
    sample = _sample(value)
    return type(value if sample is _NONE or sample is _SEVERAL else sample)


def name_in_messages(cls: Callable[[], object]) -> str:
    """The name by which Python's messages call the instances of a built-in class: "dict", "collections.deque"."""
    try:
        cls().no_attribute_of_this_name  # type: ignore[attr-defined]  # noqa: B018 - raises
    except AttributeError as error:
        return str(error).split("'")[1]
    raise AssertionError("there is such an attribute")


_NAMES = ("__name__", "__qualname__")


class Bare(StandIn):
    """A stand-in that has no other attributes for the user's code than what it stands for.

    For names that it has itself rewritten code asks `Attributes`; others come here. A class says by its argument
    `sample` what makes an object of the kind that its instances stand for; without it they stand for what those of its
    base do.
    """

    __anabranch_make__: ClassVar[Callable[[], object]]

    def __init_subclass__(cls, sample: Callable[[], object] | None = None) -> None:
        super().__init_subclass__()
        if sample is not None:
            cls.__anabranch_make__ = staticmethod(sample)
            cls.__name__ = type(sample()).__name__  # which Python's messages name

    def __anabranch_sample__(self) -> object:
        return type(self).__anabranch_make__()

    def __getattr__(self, name: str) -> Any:
        sample = _sample(self)
        is_asked = name in _NAMES and not internal(sys._getframe(1).f_code.co_filename)
        if hasattr(sample, name) and (is_asked or not name.startswith("__")):
            raise UnsupportedOperationError(
                f"{name} of {a(type(sample).__name__)} is not supported in compiled code; iterate over it with a "
                "loop, or ask for single items with next()"
            )
        raise AttributeError(f"'{type(sample).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: object) -> None:
        if internal(sys._getframe(1).f_code.co_filename):
            object.__setattr__(self, name, value)
        else:
            setattr(_sample(self), name, value)  # raises what Python does

    def __delattr__(self, name: str) -> None:
        delattr(_sample(self), name)  # raises what Python does


class Attributes:
    """Return the object that shows a user's code the attributes of what a stand-in stands for, and no others."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        _VALUE.__set__(self, value)

    def __getattribute__(self, name: str) -> Any:
        return read(_VALUE.__get__(self), name)

    def __setattr__(self, name: str, new: object) -> None:
        write(_VALUE.__get__(self), name, new)

    def __delattr__(self, name: str) -> None:
        delete(_VALUE.__get__(self), name)


def shown_by(shown: Attributes) -> Value:
    """The value whose attributes are shown."""
    return _VALUE.__get__(shown)


_VALUE: types.MemberDescriptorType = vars(Attributes)["value"]

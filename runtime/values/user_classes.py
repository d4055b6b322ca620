"""Classes that users write, and others like them: their attributes, and their methods written in Python."""

from __future__ import annotations

import collections
import functools
import io
import ipaddress
import types
import weakref
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.container_state import ClassSite
from anabranch.runtime.values.undefined import UnsetAttribute

# What a class of the user's may not have changed if its instances are to be taken apart, and put together, as dicts.
_OF_DICTS = (
    "__new__", "__iter__", "__len__", "__getitem__", "__setitem__", "__delitem__", "__contains__", "__eq__", "keys",
    "values", "items", "get", "pop", "popitem", "setdefault", "update", "clear", "copy",
)  # fmt: skip


@functools.cache
def reads_as_dict(cls: type[object]) -> bool:
    """Return whether this is a class of the user's that adds to what a kind of dict does, and changes nothing."""
    base = next(b for b in cls.__mro__ if b.__module__ in _OF_LIBRARY)
    if not is_users_class(cls) or not issubclass(base, dict):
        return False
    return all(getattr(cls, name) is getattr(base, name) for name in _OF_DICTS)


_OF_LIBRARY = ("builtins", "collections")


def instance_dict(value: object) -> dict[str, Any] | None:
    """The `__dict__` of an object that has one; a `__getattr__` of its class is not asked for it."""
    # Some classes in C, such as `threading.local`, tell of it by a method of their own alone.
    read: Callable[[object, str], Any] = object.__getattribute__ if hasattr(type(value), "__getattr__") else getattr
    try:
        found = read(value, "__dict__")
    except AttributeError:
        return None
    return found if isinstance(found, dict) else None


def attributes(value: object) -> dict[str, Value]:
    """The attributes that an object holds in its `__dict__` and its class's `__slots__`."""
    found = dict(instance_dict(value) or {})
    for name in slot_names(type(value)):
        if hasattr(value, name):
            found[name] = getattr(value, name)
    names, order = unset_names(type(value))
    return _with_unset(found, type(value).__name__, names, order) if not names <= found.keys() else found


def _with_unset(found: dict[str, Value], owner: str, names: frozenset[str], order: tuple[str, ...]) -> dict[str, Value]:
    """The attributes with those that are not set, each where it stands in the order of all that an object may have."""
    pairs = list(found.items())
    for place, name in enumerate(order):
        if name in names and name not in found:
            later = order[place + 1 :]
            before = next((k for k, (other, _) in enumerate(pairs) if other in later), len(pairs))
            pairs.insert(before, (name, _unset(owner, name)))
    return dict(pairs)


def unset_names(cls: type) -> tuple[frozenset[str], tuple[str, ...]]:
    """The attributes that instances of a class may be without, as far as was found out, and all in their order."""
    known = current().trace.lists.unset_attributes if tracing() else None
    return known.get(ClassSite.of(cls), _NO_NAMES) if known else _NO_NAMES


_NO_NAMES: tuple[frozenset[str], tuple[str, ...]] = (frozenset(), ())
_unset = functools.cache(UnsetAttribute)


NETWORKS = (ipaddress.IPv4Network, ipaddress.IPv6Network, ipaddress.IPv4Interface, ipaddress.IPv6Interface)


# The attributes that a network computes once they are asked for.
COMPUTED = ("broadcast_address", "hostmask")


_slot_names: weakref.WeakKeyDictionary[type, tuple[str, ...]] = weakref.WeakKeyDictionary()


def slot_names(cls: type) -> tuple[str, ...]:
    """The attributes that a class and its bases keep in `__slots__`, private ones by their mangled names."""
    known = _slot_names.get(cls)
    if known is None:
        known = _slot_names[cls] = tuple(_find_slot_names(cls))
    return known


def has_dict(cls: type) -> bool:
    """Return whether the instances of a class have a `__dict__`."""
    return any("__dict__" in vars(base) for base in cls.__mro__)


def _find_slot_names(cls: type) -> list[str]:
    names: list[str] = []
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] == "pathlib":
            continue  # a path never changes: it keeps there what was once computed of it
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            private = name.startswith("__") and not name.endswith("__")
            names.append(f"_{base.__name__.lstrip('_')}{name}" if private else name)
    return [n for n in names if not (n.startswith("__") and n.endswith("__"))]


def own_method(value: object, name: str) -> Callable[..., Any] | None:
    """A special method of a user's class, bound: called so, and not by Python, it may return a run-time value."""
    if not is_users_class(type(value)):
        return None
    found = getattr(type(value), name, None)
    if not isinstance(found, types.FunctionType):
        return None
    return functools.partial(getattr(found, "staged_", found) if tracing() else found, value)


def iterated(items: object) -> Value:
    """The iterator of an object whose class says in Python how to go over it; anything else as it is."""
    if isinstance(items, io.IOBase) and not isinstance(items, (io.StringIO, io.BytesIO)) and tracing():
        raise UnsupportedOperationError(
            "the lines of a file would be read only while the function is traced; read them outside, and pass what "
            "they say as an argument"
        )
    iterate = own_method(items, "__iter__")
    return items if iterate is None else iterate()


def is_plain_object(value: object) -> bool:
    """An instance of an ordinary class written in Python, whose state is its `__dict__` or its `__slots__`."""
    cls = type(value)
    if cls in _PLAIN:
        return True
    return (
        is_users_class(cls)
        and (instance_dict(value) is not None or bool(slot_names(cls)))
        and getattr(cls, "__new__", None) is object.__new__
        and not isinstance(value, BaseException)
    )


# Classes of the standard library that are like a user's own.
_PLAIN = (types.SimpleNamespace, collections.UserDict, collections.UserList, collections.ChainMap)


_NOT_REWRITTEN = ("jax", "jaxlib", "pandas", "torch", "xarray")


# Of the module `logging`: what leads to all loggers of the process, which come and go.
_LOGGERS = ("Logger", "RootLogger", "Manager", "PlaceHolder")


_SYSTEM = ("builtins", "typing", "abc", "enum", "collections", "functools")


def is_users_class(cls: type) -> bool:
    """Return whether a class is a user's: written in Python, not by NumPy, Python's own machinery or this project."""
    module = cls.__module__
    if module in _SYSTEM or module.startswith(("numpy", "anabranch.", "unittest.", "tqdm.", "rich.")):
        return False
    if module.partition(".")[0] in _NOT_REWRITTEN or (module == "logging" and cls.__name__ in _LOGGERS):
        return False
    private = module.startswith("_") and module != "__main__"
    return not private and bool(cls.__flags__ & 0x200)  # a heap type

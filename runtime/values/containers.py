"""Containers whose structure is static: tuple, list, dict, namedtuple, dataclass, deque, and plain objects.

An exception is one, too, where run-time values are among its arguments or attributes.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from anabranch.base.by_identity import IdentitySet
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from anabranch.runtime.values.same_constants import keys_of
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.undefined import UnsetAttribute
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.user_classes import attributes, is_plain_object, is_users_class, reads_as_dict

_ATOMIC = (
    str, bytes, int, float, complex, bool, type(None), type, types.ModuleType, types.FunctionType, types.MethodType,
    types.BuiltinFunctionType, np.ndarray, np.generic, np.dtype, Tracer, slice, range,
)  # fmt: skip


class Contents(dict[Any, Any]):
    """The contents of a dict or an object at some moment: no container of the program's, and so without an identity."""

    __slots__ = ()


@frozen
class Structure:
    """A container apart from its parts: its class, its keys (or its length), and what it was made with."""

    cls: type
    keys: tuple[Any, ...]
    extra: Any = None  # a deque's `maxlen`, a defaultdict's factory

    flat = False  # no container of the program's is in it
    is_in_arena = False  # that of a list or an object of which there are as many as run-time values say
    is_beside = False  # the host finds the value in what stands beside a result, by a number
    refers = False  # it says which of some lists a value is, and has no elements of its own
    holds_copies = False  # nobody else has what is in it, nor can change it
    is_run_time_tuple = False  # that of a tuple whose length is known only at run time
    has_known_parts = False  # what a part is may not be decided at run time
    is_of_arrays = False  # the caller's object is memory, of which the parts are views
    array_arena: ClassVar[Any] = None  # what holds the array that a value is, by a number

    @property
    def mutable(self) -> bool:
        """Return whether the container has an identity that a write can be seen through."""
        return not issubclass(self.cls, (tuple, Contents)) and not _frozen(self.cls)

    @property
    def is_dynamic_list(self) -> bool:
        """Return whether it is a list of a length known only at run time."""
        return False

    @property
    def variants(self) -> tuple[Value, ...]:
        """The layouts of the items of a list of run-time length; none for other containers."""
        return ()

    def with_origins_of(self, other: Structure) -> Structure:
        """The structure of what may be the one or the other of two equal ones."""
        return self

    def hosted(self, members: Mapping[object, int]) -> Structure:
        """The structure of the container when it is given to the caller.

        `members` has, for a graph, the place of its first node among all that the result has beside it.
        """
        factory = getattr(self.extra, "native", None)
        return self if factory is None else dataclasses.replace(self, extra=factory)

    def on_host(self, children: Sequence[object], members: Sequence[object]) -> Value:
        """Build what is given to the caller, of these parts; `members` are nodes of graphs."""
        return self.build(children)

    def join(self, mine: Value, other: Value) -> Value:
        """The layout of what is one of two containers, of layouts `mine` and `other`; None where they stay two."""
        return None

    def meet(self, other: Value) -> None:
        """Check that one value may be a container of this structure, or what `other`, a layout, describes."""

    def holds(self, value: Value) -> bool:
        """Return whether a known value, which is no container, has the parts of one of this structure."""
        return False

    def children(self, value: Value) -> list[Value]:
        """The parts, in the order of the keys."""
        if issubclass(self.cls, dict):
            return [value[k] for k in self.keys]
        if issubclass(self.cls, (tuple, list, collections.deque)):
            return list(value) if self.cls in _ORDERED else list(_built_in(self.cls).__iter__(value))
        return list(attributes(value).values())

    def build(self, children: Sequence[Value]) -> Value:
        """A new container with these parts."""
        if self.cls in (list, tuple):
            return self.cls(children)
        if issubclass(self.cls, tuple):
            return tuple.__new__(self.cls, children)
        made = self.empty()
        self.fill(made, children)
        return made

    def empty(self) -> Value:
        """A new container without its parts, made without its class's `__init__`; not for tuples."""
        made = _bare(self.cls)
        if issubclass(self.cls, collections.deque):
            collections.deque.__init__(made, (), self.extra)
        elif issubclass(self.cls, collections.defaultdict):
            made.default_factory = self.extra
        return made

    def fill(self, made: Any, children: Sequence[Value]) -> None:
        """Give an empty container its parts."""
        if issubclass(self.cls, dict):
            update(made, dict(zip(self.keys, children, strict=True)))
        elif issubclass(self.cls, (list, collections.deque)):
            made.extend(children)
        else:
            for key, child in zip(self.keys, children, strict=True):
                if not isinstance(child, UnsetAttribute):
                    object.__setattr__(made, key, child)


@frozen
class SubclassStructure(Structure):
    """A list, deque or dict of a user's class that has attributes: its items, then these."""

    names: tuple[str, ...] = ()

    @property
    def _items(self) -> Structure:
        return Structure(self.cls, self.keys[: -len(self.names)], self.extra)

    def children(self, value: Value) -> list[Value]:
        held = attributes(value)
        return [*self._items.children(value), *[held[name] for name in self.names]]

    def fill(self, made: Any, children: Sequence[Value]) -> None:
        count = len(self.names)
        self._items.fill(made, children[:-count])
        for name, child in zip(self.names, children[-count:], strict=True):
            object.__setattr__(made, name, child)


_PARTS = ("args", "__dict__", "__cause__", "__context__", "__suppress_context__")


def _parts_of(error: BaseException) -> list[Value]:
    """Return what an exception consists of."""
    return [attributes(error) if k == "__dict__" else getattr(error, k) for k in _PARTS]


@frozen
class ExceptionStructure(Structure):
    """An exception: its arguments, its attributes, and the exceptions that it came from."""

    keys: tuple[str, ...] = _PARTS

    def children(self, value: Value) -> list[Value]:
        found = _parts_of(value)
        # An argument of the exception in whose handler it is raised leads to that one, which leads back to it.
        if any(part is value for part, _ in _within(found[3])):
            found[3] = None
        return found

    def build(self, children: Sequence[Value]) -> Value:
        args, held, cause, context, suppress = children
        made: Value = self.cls.__new__(self.cls, *args)
        # The class's own __init__ has made these arguments of others; the built-in class's sets what C code keeps.
        inits = (vars(c).get("__init__") for c in self.cls.__mro__)
        native = next(i for i in inits if isinstance(i, types.WrapperDescriptorType))
        with contextlib.suppress(Exception):
            native(made, *args)
        made.args = args
        for name, part in held.items():
            object.__setattr__(made, name, part)
        if isinstance(suppress, Tracer):
            raise UnsupportedOperationError(
                f"a {self.cls.__name__} raised `from` another exception or None, or one that is not, depending on a "
                "run-time condition; raise them in the same way"
            )
        made.__cause__, made.__context__, made.__suppress_context__ = cause, context, suppress
        return made


@frozen
class GroupStructure(ExceptionStructure):
    """A group of exceptions: those in it never change, whatever becomes of the list that it was made of."""

    has_known_parts = True

    def children(self, value: Value) -> list[Value]:
        (message, _), *rest = ExceptionStructure.children(self, value)
        return [(message, value.exceptions), *rest]

    def build(self, children: Sequence[Value]) -> Value:
        (message, exceptions), *rest = children
        return ExceptionStructure.build(self, [(message, self.extra(exceptions)), *rest])


@frozen
class TextWithInts:
    """The text of an exception that names ints; where those are known only at run time, so is the text."""

    text: Callable[[Sequence[int]], str]
    numbers: tuple[Any, ...]

    def __str__(self) -> str:
        raise ConcretizationError(
            "the message of this exception names a value that is known only at run time; test its class instead"
        )

    __repr__ = __str__


class SliceStructure(Structure):
    """A slice: its bounds and its step."""

    mutable = False
    holds_copies = True

    def holds(self, value: Value) -> bool:
        return isinstance(value, slice)

    def children(self, value: Value) -> list[Value]:
        return [value.start, value.stop, value.step]

    def build(self, children: Sequence[Value]) -> Value:
        return slice(*children)


class TextWithIntsStructure(Structure):
    """A text around numbers."""

    def children(self, value: Value) -> list[Value]:
        return list(value.numbers)

    def build(self, children: Sequence[object]) -> Value:
        known = all(type(number) is int for number in children)
        return self.extra(children) if known else TextWithInts(self.extra, tuple(children))


def own_dict(target: dict[Value, Value]) -> Any:
    """The built-in class of a dict, whose methods only do what they say: a subclass may count, check or translate."""
    return collections.OrderedDict if isinstance(target, collections.OrderedDict) else dict


def contents_of(target: dict[Value, Value]) -> Contents:
    """The contents of a dict, whatever a subclass says that it holds."""
    return Contents(target if type(target).__iter__ is dict.__iter__ else own_dict(target).items(target))


def update(target: dict[Value, Value], items: dict[Value, Value]) -> None:
    """`target.update(items)` by the built-in class's own method."""
    own_dict(target).update(target, items)


def _bare(cls: Any) -> Value:
    """An instance without `__init__` having run."""
    return cls.__new__(cls)


def _frozen(cls: type) -> bool:
    params = getattr(cls, "__dataclass_params__", None)
    return params is not None and bool(params.frozen)


_ORDERED = (tuple, list, collections.deque)


def _built_in(cls: type) -> Value:
    """The class whose methods tell the items of a sequence: a user's may go over others."""
    return next(base for base in cls.__mro__ if base in _ORDERED or base.__module__.startswith("anabranch."))


_DICTS = (dict, Contents, collections.OrderedDict, collections.defaultdict, collections.Counter)


def _with_attributes(value: object, keys: tuple[Value, ...], extra: Value = None) -> Structure | None:
    """The structure of an instance of a subclass of list, deque or dict; None for one that is its own `__dict__`."""
    cls = type(value)
    if getattr(value, "__dict__", None) is value:
        return None
    names = tuple(attributes(value))
    return SubclassStructure(cls, keys_of((*keys, *names)), extra, names) if names else Structure(cls, keys, extra)


# Of these classes themselves nothing is a container.
_ALONE = frozenset({str, bytes, bool, int, float, complex, type(None), np.ndarray})
# The classes of traced values that are none either, as they are met.
_traced_classes: set[type] = set()


def structure_of(value: Value) -> Structure | None:
    """The structure of a container; None for anything that is a value of its own."""
    cls = type(value)
    if cls in _ALONE or cls in _traced_classes:
        return None
    own = getattr(cls, "__anabranch_structure__", None)
    if own is not None:
        structure: Structure = own(value)
        return structure
    if issubclass(cls, (tuple, list, collections.deque)):  # an object may say that it is of another class
        if hasattr(cls, "n_sequence_fields"):
            return None  # made by C code: time.struct_time, sys.version_info
        maxlen = value.maxlen if isinstance(value, collections.deque) else None
        if cls in _ORDERED:
            return Structure(cls, tuple(range(len(value))), maxlen)
        places = tuple(range(_built_in(cls).__len__(value)))
        return Structure(cls, places, maxlen) if issubclass(cls, tuple) else _with_attributes(value, places, maxlen)
    if issubclass(cls, dict):
        factory = value.default_factory if isinstance(value, collections.defaultdict) else None
        if cls in _DICTS:
            return Structure(cls, keys_of(value), factory)
        return _with_attributes(value, keys_of(value), factory) if reads_as_dict(cls) else None
    if cls is slice:
        held = (value.start, value.stop, value.step)
        return SliceStructure(slice, ("start", "stop", "step")) if any(map(has_traced, held)) else None
    if isinstance(value, _ATOMIC):
        if issubclass(cls, Tracer):  # of which there are most
            _traced_classes.add(cls)
        return None
    if isinstance(value, TextWithInts):
        return TextWithIntsStructure(cls, tuple(range(len(value.numbers))), value.text)
    if isinstance(value, BaseException):
        is_group = isinstance(value, BaseExceptionGroup)
        exception = GroupStructure(cls, extra=type(value.args[1])) if is_group else ExceptionStructure(cls)
        return exception if has_traced(value) else None
    if dataclasses.is_dataclass(cls) or is_plain_object(value):
        return Structure(cls, tuple(attributes(value)))
    return None


def parts_of(value: object) -> Sequence[Value]:
    """The parts of a container; none of any other value."""
    structure = structure_of(value)
    return () if structure is None else structure.children(value)


def has_traced(value: object) -> bool:
    """Return whether a container holds run-time values, at any depth."""
    return any(
        isinstance(part, (Tracer, UnionValue))
        or (
            structure is not None and structure.is_in_arena
        )  # what it holds lies in columns, even where its number is known
        for part, structure in _within(value)
    )


def _within(value: object) -> Iterator[tuple[object, Structure | None]]:
    """Yield a value and what it holds, at any depth, each object once, with the structures of all but exceptions."""
    pending, seen = [value], IdentitySet[object]()
    while pending:
        part = pending.pop()
        if type(part) in _ALONE or not seen.admit(part):
            continue
        structure = None if isinstance(part, BaseException) else structure_of(part)
        yield part, structure
        if structure is not None:
            pending += structure.children(part)
        elif isinstance(part, BaseException):
            pending += _parts_of(part)


def is_hashed_object(value: object) -> bool:
    """Return whether a value is an object of a user's class that has a hash, and no tuple."""
    cls: Any = type(value)
    return is_users_class(cls) and cls.__hash__ is not None and not isinstance(value, (tuple, type))


def is_deep(value: object) -> bool:
    """Return whether containers lie in one another as deep as a list of nodes does."""
    level, seen = [value], IdentitySet[object]()
    for _ in range(_DEEP):
        parts: list[Value] = []
        for part in level:
            if seen.admit(part):
                parts += parts_of(part)
        level = parts
    return bool(level)


_DEEP = 100

"""Results of host calls: their structure, found once, and records of which only the numbers can be known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.device import array as device
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ops.host_call import RefusedError
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import containers
from anabranch.runtime.values.abstract import Abstract, Kind, abstract_of, python_abstract
from anabranch.runtime.values.host_calls import changing_objects, library_objects, texts
from anabranch.runtime.values.host_types import structures
from anabranch.runtime.values.host_types.host_type import HostStructure
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.pytrees import layout as layouts


class HostRecord:
    """The stand-in for an object that a host call returns: the numbers and arrays among its fields.

    `parts`: the values of the fields, in order.
    """

    __slots__ = ("_kind", "_parts")

    def __init__(self, kind: RecordKind, parts: Sequence[Value]) -> None:
        object.__setattr__(self, "_kind", kind)
        object.__setattr__(self, "_parts", dict(zip(kind.fields, parts, strict=True)))

    def __anabranch_structure__(self) -> RecordStructure:
        is_whole = not any(isinstance(part, Hidden) for part in self._parts.values())
        return RecordStructure(HostRecord, self._kind.fields, self._kind, is_whole)

    def __getattr__(self, name: str) -> Value:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._parts:
            return self._field(name)
        if name in self._kind.others:
            raise UnsupportedOperationError(
                f"{name} of {a(self._kind.name)} is not known in compiled code: it is {self._kind.others[name]}, and "
                "only numbers, arrays of numbers and texts are; call the function outside, or with @anabranch.host"
            )
        raise AttributeError(f"'{self._kind.name}' object has no attribute '{name}'")

    def _field(self, name: Any) -> Value:
        part = self._parts[name]
        if isinstance(part, Hidden):
            part.refuse(f"{name} of {a(self._kind.name)}")
        return part

    def __getitem__(self, key: Value) -> Value:
        if self._kind.is_dict:
            if key not in self._parts:
                raise KeyError(key)
            return self._field(key)
        return self._items()[key]

    def _items(self) -> tuple[Value, ...]:
        if self._kind.count is None:
            raise TypeError(f"'{self._kind.name}' object is not iterable")
        return tuple(self._parts[name] for name in self._kind.fields[: self._kind.count])

    def __len__(self) -> int:
        return len(self._parts) if self._kind.is_dict else len(self._items())

    def __iter__(self) -> Iterator[Value]:
        return iter(self._kind.fields if self._kind.is_dict else self._items())

    def __contains__(self, key: object) -> bool:
        return key in (self._parts if self._kind.is_dict else self._items())

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise UnsupportedOperationError(
            f"{name} of {a(self._kind.name)}, which a host call has returned, is set; make a variable of it"
        )

    def __repr__(self) -> str:
        return f"<{self._kind.name} of a host call>"


@frozen
class RecordKind:
    """The class of a record, and what its fields are."""

    cls: type
    fields: tuple[str, ...]
    count: int | None  # how many of the fields are the items of a tuple; None where it is none
    is_dict: bool  # the fields are the items of a dict, too
    others: dict[str, str]  # what those attributes are that are no fields

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.cls.__name__

    def parts_of(self, value: Any) -> list[Value]:
        """The fields of an object of the class."""
        if self.is_dict:
            return [value[name] for name in self.fields]
        return [getattr(value, name) for name in self.fields]


@frozen
class RecordStructure(containers.Structure):
    """That of a record; it leaves a compiled function where all of it is known."""

    is_whole: bool = True

    mutable = False

    def children(self, value: Value) -> list[Value]:
        return list(value._parts.values()) if isinstance(value, HostRecord) else self.extra.parts_of(value)

    def build(self, children: Sequence[Value]) -> Value:
        return HostRecord(self.extra, children) if tracing() else self.on_host(children, ())

    def hosted(self, members: Mapping[object, int]) -> containers.Structure:
        self._expect_whole()
        return self

    def _expect_whole(self) -> None:
        if self.is_whole and self.extra.is_dict:
            return
        raise UnsupportedOperationError(
            f"the function returns {a(self.extra.name)}, of which only numbers, arrays of numbers and texts are known "
            "in compiled code; return those of its fields that are needed"
        )

    def on_host(self, children: Sequence[object], members: Sequence[object]) -> Value:
        self._expect_whole()
        made: Value = self.extra.cls()
        dict.update(made, zip(self.extra.fields, children, strict=True))
        return made


class Hidden:
    """The stand-in for a part of a result that is no number and no array of numbers."""

    __slots__ = ("_what",)

    def __init__(self, what: str) -> None:
        object.__setattr__(self, "_what", what)

    def refuse(self, what: str) -> NoReturn:
        """Refuse the use of it."""
        raise UnsupportedOperationError(
            f"{what}, which a host call has returned, is not known in compiled code: it is {self._what}, and only "
            "numbers, arrays of numbers and texts are; call the function outside, or in a function with @anabranch.host"
        )

    def __getattr__(self, name: str) -> Value:
        if name.startswith("__"):
            raise AttributeError(name)
        self.refuse("a part of a result")

    def _refuse(self, *_: object) -> NoReturn:
        self.refuse("a part of a result")

    __bool__ = __iter__ = __len__ = __getitem__ = __call__ = __str__ = __format__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __mod__ = __contains__ = _refuse
    __hash__ = None  # type: ignore[assignment]


def structure_of(value: Any) -> layouts.Layout:
    """The layout of a result, whose numbers and arrays are all known only at run time."""
    abstract = _number(value)
    if abstract is not None:
        traits = memory_layout.traits_of_ndarray(value) if abstract.kind is Kind.ARRAY else memory_layout.PLAIN
        return layouts.Leaf(abstract, traits=traits)
    if value is None:
        return layouts.Constant(None)
    if type(value) is str:
        return layouts.Node(texts.HostTextStructure(texts.HostText, ("number",)), (layouts.Leaf(python_abstract(int)),))
    structure: containers.Structure
    record, library = _record(value), changing_objects.structure_of(value)
    is_typed = isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "mMUS"
    typed = structures.structure_of(value) if is_typed else None
    if typed is not None:
        structure, children = typed, typed.children(value)
    elif library is not None:
        structure, children = library, library.children(value)
    elif record is not None:
        children = record.parts_of(value)
        structure = RecordStructure(HostRecord, record.fields, record)
    elif type(value) in (tuple, list, dict) or _is_named_tuple(value):
        found = containers.structure_of(value)
        assert found is not None
        structure, children = found, found.children(value)
    else:
        return layouts.Constant(Hidden(a(type(value).__name__)))
    return layouts.Node(structure, tuple(map(structure_of, children)))


def _number(value: Any) -> Abstract | None:
    """The type of a number or an array of numbers; None for anything else."""
    abstract = abstract_of(value)
    if abstract is None or (abstract.kind is Kind.ARRAY and type(value) is not np.ndarray):
        return None
    return abstract if abstract.dtype.kind in "biufc" and device.holds(abstract.dtype) else None


def _is_named_tuple(value: object) -> bool:
    return isinstance(value, tuple) and hasattr(type(value), "_fields") and not hasattr(value, "__dict__")


def _record(value: Any) -> RecordKind | None:
    """The kind of an object of a library's: a dict with attributes, or a tuple with names; None for anything else."""
    cls = type(value)
    if cls in (tuple, list, dict) or _is_named_tuple(value) or not isinstance(value, (dict, tuple)):
        return None
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            return None
        fields, count = tuple(value), None
    else:
        named = tuple(getattr(cls, "_fields", ()))
        if len(named) != len(value):
            return None
        held = getattr(value, "__dict__", {})
        fields, count = (*named, *(name for name in held if not name.startswith("_") and name not in named)), len(named)
    others = {name: a("method") for name in dir(cls) if not name.startswith("__") and name not in fields}
    return RecordKind(cls, fields, count, isinstance(value, dict), others)


def is_hidden(layout: layouts.Layout) -> bool:
    """Return whether nothing of a result can be known."""
    return isinstance(layout, layouts.Constant) and isinstance(layout.value, Hidden)


def flattened(name: str, layout: layouts.Layout, value: Any) -> list[np.ndarray]:
    """The arrays of a result of this layout, of any sizes.

    Raises `RefusedError` where the result is of another form.
    """
    if isinstance(layout, layouts.Leaf) and type(value) is np.ndarray and _is_of(layout.abstract, value):
        return [value]  # as most are
    found: list[np.ndarray] = []
    _flatten(name, layout, value, found)
    return found


def _is_of(wanted: Abstract, array: np.ndarray) -> bool:
    return wanted.kind is Kind.ARRAY and array.dtype is wanted.dtype and array.ndim == len(wanted.shape)


def _flatten(name: str, layout: layouts.Layout, value: Any, found: list[np.ndarray]) -> None:
    match layout:
        case layouts.Leaf(expected):
            abstract = _number(value)
            if abstract is None or (abstract.kind, abstract.dtype, len(abstract.shape)) != (
                expected.kind,
                expected.dtype,
                len(expected.shape),
            ):
                raise RefusedError(
                    f"{name} has returned {_told(value)} where it was taken to return {expected}; write a function "
                    "around it that always returns the same types, with @anabranch.host"
                )
            try:
                found.append(np.asarray(value, expected.dtype))
            except OverflowError:
                raise RefusedError(f"{name} has returned an int of more than 64 bits") from None
        case layouts.Constant(None):
            if value is not None:
                raise RefusedError(f"{name} has returned {_told(value)} where it was taken to return None")
        case layouts.Node(texts.HostTextStructure()):
            if type(value) is not str:
                raise RefusedError(f"{name} has returned {_told(value)} where it was taken to return a str")
            found.append(np.asarray(texts.kept(value), np.int64))
        case layouts.Node(HostStructure() as structure, children) if not isinstance(
            structure, library_objects.LibraryStructure
        ):
            if not isinstance(value, (np.ndarray, np.generic)) or not structure.is_form_of(
                structures.structure_of(value)
            ):
                raise RefusedError(
                    f"{name} has returned {_told(value)} where it was taken to return an array of {structure.extra}"
                )
            for part, child in zip(structure.children(value), children, strict=True):
                _flatten(name, child, part, found)
        case layouts.Node(library_objects.LibraryStructure() as structure, children):
            if changing_objects.structure_of(value) != structure:
                raise RefusedError(
                    f"{name} has returned {_told(value)} of another form than the one that it returned while the "
                    "function was traced: other columns, another index, or a mask where there was none; do what needs "
                    "it in a function with @anabranch.host, and return arrays"
                )
            for part, child in zip(structure.children(value), children, strict=True):
                _flatten(name, child, part, found)
        case layouts.Node(structure, children):
            wanted = structure.extra.name if isinstance(structure, RecordStructure) else structure.cls.__name__
            fits = type(value).__name__ == wanted
            if fits and isinstance(value, dict):
                fits = tuple(value) == structure.keys
            elif fits and isinstance(value, (tuple, list)):
                record = isinstance(structure, RecordStructure)
                fits = len(value) == (structure.extra.count if record else len(children))
            if not fits:
                raise RefusedError(
                    f"{name} has returned {_told(value)} where it was taken to return {a(wanted)} of {len(children)} "
                    "parts; write a function around it that always returns the same structure, with @anabranch.host"
                )
            for part, child in zip(structure.children(value), children, strict=True):
                _flatten(name, child, part, found)


def _told(value: Any) -> str:
    abstract = abstract_of(value)
    if abstract is not None:
        return str(abstract)
    size = f" of {len(value)} parts" if isinstance(value, (tuple, list, dict)) else ""
    return f"{a(type(value).__name__)}{size}"

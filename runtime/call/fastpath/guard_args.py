"""The first half of a fast path: whether a call fits."""

from __future__ import annotations

import enum
import types
from collections.abc import Container, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.call.fastpath.codegen import UnsuitedError, Writer
from anabranch.runtime.device.array import Array
from anabranch.runtime.signature.object_fields import is_carried, is_object
from anabranch.runtime.signature.shape_dtype_struct import ShapeDtypeStruct
from anabranch.runtime.signature.static_keys import Static, is_static
from anabranch.runtime.values import containers
from anabranch.runtime.values.abstract import PYTHON_DTYPES
from anabranch.runtime.values.heap.snapshot import Heap

# NumPy's flags C_CONTIGUOUS and WRITEABLE, as `ndarray.flags.num` has them.
_CONTIGUOUS, _WRITEABLE = 0x1, 0x400
_MOST_PAIRS = 16  # of arrays that may share memory with a written one, checked in line
_COMPARED = (str, bytes, int, bool, float)
_SAME_OBJECT = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type(None), np.dtype, enum.Enum)


class ArgumentChecks:
    """Checks the arguments; gathers the leaves' names."""

    def __init__(
        self, writer: Writer, specialised: Container[int] = (), packs: Sequence[range | tuple[int, ...]] = ()
    ) -> None:
        self._writer = writer
        self._specialised = specialised  # leaves whose values are part of the signature
        # Of lists of numbers that are one input the first leaf, and how many there are; and the leaves of other inputs
        # that hold several, each with these.
        self._lists = {pack.start: len(pack) for pack in packs if isinstance(pack, range)}
        self._fields = {leaf: pack for pack in packs if isinstance(pack, tuple) for leaf in pack}
        self.leaves: list[str] = []
        self.values: list[Any] = []
        self._inputs: list[tuple[tuple[int, ...] | str, Any]] = []
        self.containers: list[str] = []
        self._held: list[tuple[str, containers.Structure]] = []  # a list or dict with the contents of each of these
        self._arrays: list[str] = []
        self._known: dict[int, str] = {}  # arrays and mutable containers by identity

    def argument(self, text: str, value: object, inside: bool = False) -> None:
        """Check an argument, or a part of one, as `Leaves.key` tells it apart; `inside` of an object as its parts."""
        name = f"a{len(self.leaves)}_{len(self._writer.lines)}"
        self._writer.lines.append(f"{name} = {text}")
        known = self._known.get(id(value))
        if known is not None:
            self._again(name, known, value)
        elif inside and not is_carried(value):
            self._writer.unless(f"{name} is {self._writer.constant(value)}")
        elif isinstance(value, Static):
            self.same(name, value.value)
        elif is_static(value):  # scalars of dates and text are no leaves
            self.same(name, value)
        elif isinstance(value, (np.ndarray, np.generic, Array)) or type(value) in PYTHON_DTYPES:
            self.leaf(name, value)
        elif isinstance(value, ShapeDtypeStruct):
            raise UnsuitedError
        elif (structure := containers.structure_of(value)) is not None:
            self._container(name, value, structure, inside)
        else:
            raise UnsuitedError

    def _again(self, name: str, known: str, value: object) -> None:
        """Check that an array, or a container, is one of before."""
        self._writer.unless(f"{name} is {known}")
        if isinstance(value, np.ndarray):
            self._add(known, value)

    def leaf(self, name: str, value: Any) -> None:
        """Check an array or a number."""
        constant, kind = self._writer.constant, type(value)
        if kind is np.ndarray:
            if not value.dtype.isnative:
                raise UnsuitedError
            dtype = constant(value.dtype)
            wanted = value.flags.num & (_CONTIGUOUS | _WRITEABLE)
            condition = (
                f"type({name}) is ndarray and {name}.shape == {value.shape} and {name}.dtype is {dtype} "
                f"and {name}.flags.num & {_CONTIGUOUS | _WRITEABLE} == {wanted}"
            )
            if not wanted & _CONTIGUOUS:
                condition += f" and {name}.strides == {value.strides}"
            self._arrays.append(name)
            self._known[id(value)] = name
        elif kind is Array:
            condition = (
                f"type({name}) is Array and {name}._kind is {constant(value._kind)} and {name}._memory is not None"
            )
        elif kind in PYTHON_DTYPES or isinstance(value, np.generic):
            condition = f"type({name}) is {constant(kind)}"
        else:
            raise UnsuitedError  # a subclass of ndarray
        if len(self.leaves) in self._specialised:
            condition += f" and {name} == {constant(value)}"
        self._writer.unless(condition)
        self._add(name, value)

    @property
    def inputs(self) -> list[tuple[str, Any]]:
        """The inputs of the executable, with a value that it has had."""
        return [
            (f"[{', '.join([self.leaves[k] for k in one])}]", [self.values[k] for k in one])
            if isinstance(one, tuple)
            else (one, value)
            for one, value in self._inputs
        ]

    def _add(self, name: str, value: object) -> None:
        field = self._fields.get(len(self.leaves))
        if field is None:
            self._inputs.append((name, value))
        elif field[0] == len(self.leaves):
            self._inputs.append((field, None))
        self.leaves.append(name)
        self.values.append(value)

    def _container(self, name: str, value: object, structure: containers.Structure, inside: bool) -> None:
        cls, keys = structure.cls, structure.keys
        parts = structure.children(value)
        condition = f"type({name}) is {self._writer.constant(cls)}"
        if structure.mutable:
            self.containers.append(name)
            self._held.append((f"d{name}" if is_object(structure) else name, structure))
            self._known[id(value)] = name
        count = self._lists.get(len(self.leaves))
        if count is not None:
            if count != len(parts) or cls not in (tuple, list):
                raise UnsuitedError  # lists in lists
            kinds = self._writer.constant({type(parts[0])})
            self._writer.unless(f"{condition} and len({name}) == {count} and set(map(type, {name})) == {kinds}")
            self.leaves += [f"{name}[{i}]" for i in range(count)]
            self.values += parts
            self._inputs.append((name, value))
            return
        if cls in (tuple, list) or (issubclass(cls, tuple) and cls.__iter__ is tuple.__iter__):
            self._writer.unless(f"{condition} and len({name}) == {len(parts)}")
            places = [f"{name}[{i}]" for i in range(len(parts))]
        elif cls is dict and all(type(k) is str for k in keys):
            self._writer.unless(f"{condition} and tuple({name}) == {keys}")
            places = [f"{name}[{k!r}]" for k in keys]
        elif is_object(structure) and not containers.slot_names(cls) and type(value.__dict__) is dict:
            state, inside = f"d{name}", True
            self._writer.unless(condition)
            self._writer.lines.append(f"{state} = {name}.__dict__")
            self._writer.unless(f"tuple({state}) == {keys}")
            places = [f"{state}[{k!r}]" for k in keys]
        else:
            raise UnsuitedError
        for place, part in zip(places, parts, strict=True):
            self.argument(place, part, inside)

    def store(self, container: int, contents: str, keys: Sequence[Any]) -> None:
        """Write new contents, with these keys, into a container."""
        held, structure = self._held[container]
        if structure.cls is list:
            self._writer.lines.append(f"{held}[:] = {contents}")
        else:
            self._writer.lines += [f"{held}.clear()"] if keys != structure.keys else []
            self._writer.lines.append(f"{held}.update({contents})")

    def same(self, text: str, value: object) -> None:
        """Check for the very value that was compiled in."""
        known = self._writer.constant(value)
        if isinstance(value, _SAME_OBJECT):
            self._writer.unless(f"{text} is {known}")
        elif type(value) in _COMPARED and not (type(value) is float and (value != value or not value)):
            self._writer.unless(f"type(x := {text}) is {type(value).__name__} and x == {known}")
        else:
            raise UnsuitedError

    def check_identities(self) -> None:
        """Which arrays, and which containers, are one is part of the signature: others differ."""
        for names in (self._arrays, self.containers):
            if len(names) == 2:
                self._writer.unless(f"{names[0]} is not {names[1]}")
            elif len(names) > 2:
                self._writer.unless(f"len({{{', '.join(f'id({n})' for n in names)}}}) == {len(names)}")

    def check_sharing(self, mutated: Sequence[int], writes_objects: bool, outside: Heap) -> None:
        """Leave what may be read from outside, or by another argument, and is written, to `Execution.check`."""
        if mutated and outside.arrays:
            written = ", ".join([f"id({self.leaves[m]})" for m in mutated])
            self._writer.unless(f"{self._writer.constant(outside.arrays.keys())}.isdisjoint(({written},))")
        if writes_objects and self.containers:
            known = self._writer.constant(outside.__contains__)
            self._writer.unless(f"not any(map({known}, ({', '.join(self.containers)},)))")
        pairs = [(self.leaves[m], other) for m in mutated for other in self._arrays if other != self.leaves[m]]
        if len(pairs) > _MOST_PAIRS:
            raise UnsuitedError
        self._writer.scope["may_share"] = np.may_share_memory
        for written, other in pairs:
            self._writer.unless(f"not may_share({written}, {other})")

"""The first half of a fast path: whether a call fits."""

from __future__ import annotations

import enum
import itertools
import types
from collections.abc import Collection, Container, Iterator, Sequence
from typing import Any

import numpy as np

from anabranch.base.by_identity import ByIdentity, IdentityDict
from anabranch.runtime.call.fastpath.codegen import UnsuitedError, Writer
from anabranch.runtime.device.array import Array
from anabranch.runtime.host.generator_state import GeneratorKind, OutsideGenerator
from anabranch.runtime.host.object_layout import CONTIGUOUS, ORDINARY
from anabranch.runtime.host.twister_memory import TwisterMemory
from anabranch.runtime.signature.flatten_to_key import ArgumentKey, RepeatedArgument
from anabranch.runtime.signature.object_fields import SetStructure, is_object
from anabranch.runtime.signature.static_keys import Static
from anabranch.runtime.values import containers, user_classes
from anabranch.runtime.values.abstract import PYTHON_DTYPES
from anabranch.runtime.values.dynamic_lists.list_arguments import NumberListStructure
from anabranch.runtime.values.heap.slots import slot_of
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.host_types.host_type import HostStructure
from anabranch.runtime.values.host_types.structures import CodesStructure
from anabranch.runtime.values.random_generators import GeneratorStructure

_MOST_PAIRS = 16  # of arrays that may share memory with a written one, checked in line
_MOST_ROWS = 64  # of lists in lists, each of which is checked
_MOST_IN_PAIRS = 5  # of objects that are compared in line, each with each
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
        # By the leaves of the states of generators, how a call begins that gives one its state.
        self.generators: dict[int, str] = {}
        self._held: list[tuple[str, containers.Structure]] = []  # a list or dict with the contents of each of these
        self._arrays: list[str] = []
        self._lines: dict[str, int] = {}  # where arrays are checked
        self._shared: dict[tuple[str, str], int] = {}  # where of written ones it is asked whether they share memory
        self._known: IdentityDict[Any, str] = IdentityDict()  # arrays that differ

    def argument(self, text: str, key: ArgumentKey, value: Any) -> None:
        """Check an argument, or a part of one, of this key."""
        name = f"a{len(self.leaves)}_{len(self._writer.lines)}"
        self._writer.lines.append(f"{name} = {text}")
        match key:
            case RepeatedArgument(index):
                self._writer.unless(f"{name} is {self.containers[index]}")
            case ("static", _, ByIdentity()):
                self._writer.unless(f"{name} is {self._writer.constant(value)}")
            case ("static", *_):
                self.same(name, value.value if isinstance(value, Static) else value)
            case (containers.Structure() as structure, *keys):
                self._container(name, structure, keys, value)
            case _ if value in self._known:
                known = self._known[value]
                self._writer.unless(f"{name} is {known}")
                self._add(known, value)
            case _:
                self._leaf(name, value)
                if isinstance(value, (np.ndarray, Array)):
                    self._known[value] = name

    def _generator(self, name: str, structure: GeneratorStructure, value: object) -> None:
        """Check a generator of random numbers, and read its state."""
        kind: GeneratorKind = structure.extra
        condition = f"type({name}) is {self._writer.constant(kind.cls)}"
        if kind.bits is not None:
            condition += f" and type({name}.{kind.place_of_bits}) is {self._writer.constant(kind.bits)}"
        self._writer.unless(condition)
        self.containers.append(name)
        self._held.append((name, structure))
        constant = self._writer.constant
        self._state(f"{constant(kind.read)}({name})", f"{constant(kind.write)}({name}, ", kind.read(value))

    def _text(self, name: str, structure: CodesStructure, value: str) -> None:
        """Check a text that is a run-time value, and read its characters."""
        self._writer.unless(f"type({name}) is str")
        self._writer.lines.append(f"p{name} = {self._writer.constant(structure.children)}({name})")
        self._line(name, *structure.children(value))

    def _number_list(self, name: str, structure: NumberListStructure, value: list[Any]) -> None:
        """Check a list of numbers of any length, and read these."""
        self._writer.unless(f"type({name}) is list")
        self._writer.lines.append(f"p{name} = {self._writer.constant(structure.parts)}({name})")
        self._writer.unless(f"p{name} is not None")
        self.containers.append(name)
        self._held.append((name, structure))
        self._line(name, *structure.children(value))

    def _line(self, name: str, line: np.ndarray, length: int) -> None:
        """Check what a sequence lies in, with how much of it is there."""
        self._writer.lines.append(f"c{name}, n{name} = p{name}")
        self._writer.unless(f"c{name}.shape == {line.shape} and c{name}.dtype is {self._writer.constant(line.dtype)}")
        self._add(f"c{name}", line)
        if len(self.leaves) in self._specialised:
            self._writer.unless(f"n{name} == {length}")
        self._add(f"n{name}", length)

    def _state(self, text: str, writing: str, value: object) -> None:
        """Read the words of a generator's state."""
        name = f"s{len(self.leaves)}"
        self._writer.lines.append(f"{name} = {text}")
        self.generators[len(self.leaves)] = writing
        self._add(name, value)

    def captured(self, array: np.ndarray | Array | OutsideGenerator) -> None:
        """Check an array from outside; only one on the device may be an argument, too."""
        if isinstance(array, OutsideGenerator):
            generator = self._writer.constant(array.generator)
            for name in self.containers:
                self._writer.unless(f"{name} is not {generator}")
            constant, memory = self._writer.constant, array.memory
            if memory is None:
                write = f"{constant(array.kind.write)}({generator}, "
                self._state(f"{constant(array.read)}()", write, array.read())
            else:
                if isinstance(memory, TwisterMemory):
                    self._writer.unless(f"{generator}.{array.kind.place_of_bits} is {constant(memory.bits)}")
                self._state(f"{constant(memory.read)}()", f"{constant(memory.write)}(", array.read())
            return
        name = self._writer.constant(array)
        self._leaf(name, array)
        if isinstance(array, np.ndarray):
            self._known[array] = name

    def _leaf(self, name: str, value: Any) -> None:
        """Check an array or a number."""
        constant, kind = self._writer.constant, type(value)
        if kind is np.ndarray:
            if not value.dtype.isnative:
                raise UnsuitedError
            dtype = constant(value.dtype)
            wanted = value.flags.num & ORDINARY
            condition = (
                f"type({name}) is ndarray and {name}.shape == {value.shape} and {name}.dtype is {dtype} "
                f"and {name}.flags.num & {ORDINARY} == {wanted}"
            )
            if not wanted & CONTIGUOUS:
                condition += f" and {name}.strides == {value.strides}"
            self._arrays.append(name)
        elif kind is Array:
            condition = (
                f"type({name}) is Array and {name}._kind is {constant(value._kind)} and {name}._memory is not None"
            )
        elif kind in PYTHON_DTYPES or isinstance(value, np.generic):
            condition = f"type({name}) is {constant(kind)}"
        else:
            raise UnsuitedError  # an array of another library
        if len(self.leaves) in self._specialised:
            condition += f" and {name} == {constant(value)}"
        line = self._writer.unless(condition)
        if kind is np.ndarray:
            self._lines[name] = line
        self._add(name, value)

    def leave(self, names: Collection[str], in_place: Collection[str]) -> None:
        """Leave the checks of arrays to machine code, which asks of those in place whether others share memory."""
        for pair in [pair for pair in self._shared if {*names}.issuperset(pair) and not {*in_place}.isdisjoint(pair)]:
            self._writer.drop(self._shared.pop(pair))
        asked = {name for pair in self._shared for name in pair}
        for name in names:
            if name in self._lines and name not in asked:
                self._writer.drop(self._lines.pop(name))

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

    def _container(
        self, name: str, structure: containers.Structure, part_keys: Sequence[ArgumentKey], value: Any
    ) -> None:
        cls, keys = structure.cls, structure.keys
        if isinstance(structure, GeneratorStructure):
            self._generator(name, structure, value)
            return
        if isinstance(structure, CodesStructure):
            self._text(name, structure, value)
            return
        if isinstance(structure, NumberListStructure):
            self._number_list(name, structure, value)
            return
        if isinstance(structure, HostStructure):
            raise UnsuitedError
        parts = structure.children(value)
        condition = f"type({name}) is {self._writer.constant(cls)}"
        if structure.mutable:
            self.containers.append(name)
            self._held.append((f"d{name}" if is_object(structure) else name, structure))
        if isinstance(structure, SetStructure):
            self._writer.unless(condition)
            name, condition = self._members(name), "True"
            cls = tuple
        if len(self.leaves) in self._lists:
            rows = list(self._rows(name, condition, cls, part_keys, parts))
            if len(rows) > _MOST_ROWS:
                raise UnsuitedError
            whole = rows[0][0] if len(rows) == 1 else f"[{', '.join(f'*{row}' for row, _ in rows)}]"
            self._inputs.append((whole, [x for _, row in rows for x in row]))
            return
        if cls in (tuple, list) or (issubclass(cls, tuple) and _reads_as_tuple(cls)):
            self._writer.unless(f"{condition} and len({name}) == {len(parts)}")
            places = [f"{name}[{i}]" for i in range(len(parts))]
        elif cls is dict and all(type(k) in (str, int) for k in keys):
            if int in map(type, keys):  # True and 1.0 are equal to 1
                condition += f" and tuple(map(type, {name})) == {self._writer.constant(tuple(map(type, keys)))}"
            self._writer.unless(f"{condition} and tuple({name}) == {keys}")
            places = [f"{name}[{k!r}]" for k in keys]
        elif is_object(structure) and not user_classes.slot_names(cls) and type(value.__dict__) is dict:
            state = f"d{name}"
            self._writer.unless(condition)
            self._writer.lines.append(f"{state} = {name}.__dict__")
            self._writer.unless(f"tuple({state}) == {keys}")
            places = [f"{state}[{k!r}]" for k in keys]
        else:
            raise UnsuitedError
        for place, key, part in zip(places, part_keys, parts, strict=True):
            self.argument(place, key, part)

    def _rows(
        self, name: str, condition: str, cls: type, part_keys: Sequence[ArgumentKey], parts: Sequence[Any]
    ) -> Iterator[tuple[str, Sequence[Any]]]:
        """Check lists, in lists or not, whose numbers are one input; yields those of numbers, by name."""
        if cls not in (tuple, list):
            raise UnsuitedError
        if not any(isinstance(key, tuple) and isinstance(key[0], containers.Structure) for key in part_keys):
            kinds = self._writer.constant(set(map(type, parts)))
            self._writer.unless(f"{condition} and len({name}) == {len(parts)} and set(map(type, {name})) == {kinds}")
            self.leaves += [f"{name}[{i}]" for i in range(len(parts))]
            self.values += parts
            yield name, parts
            return
        self._writer.unless(f"{condition} and len({name}) == {len(parts)}")
        for i, (key, part) in enumerate(zip(part_keys, parts, strict=True)):
            inner = f"{name}_{i}"
            self._writer.lines.append(f"{inner} = {name}[{i}]")
            match key:
                case RepeatedArgument(index):
                    self._writer.unless(f"{inner} is {self.containers[index]}")
                case (containers.Structure() as structure, *keys):
                    if structure.mutable:
                        self.containers.append(inner)
                        self._held.append((inner, structure))
                    kind = f"type({inner}) is {self._writer.constant(structure.cls)}"
                    yield from self._rows(inner, kind, structure.cls, keys, structure.children(part))
                case _:
                    raise UnsuitedError

    def _members(self, name: str) -> str:
        """The name of a tuple of the members of a set, in its order."""
        self._writer.lines.append(f"m{name} = tuple({name})")
        return f"m{name}"

    def store(self, container: int, contents: str, keys: Sequence[Any]) -> None:
        """Write new contents, with these keys, into a container."""
        held, structure = self._held[container]
        if isinstance(structure, SetStructure):
            self._writer.lines.append(f"{self._writer.constant(slot_of)}({held}).restore({contents})")
        elif structure.cls is list:
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
        for names in (list(self._known.values()), self.containers):
            if 2 <= len(names) <= _MOST_IN_PAIRS:
                pairs = itertools.combinations(names, 2)
                self._writer.unless(" and ".join([f"{one} is not {other}" for one, other in pairs]))
            elif len(names) > 2:
                self._writer.unless(f"len({{{', '.join(f'id({n})' for n in names)}}}) == {len(names)}")

    def check_sharing(self, mutated: Sequence[int], writes_objects: bool, outside: Heap) -> None:
        """Leave what may be read from outside, or by another argument, and is written, to `Execution.check`."""
        if mutated and outside.arrays:
            is_outside = self._writer.constant(outside.arrays.__contains__)
            self._writer.unless(" and ".join([f"not {is_outside}({self.leaves[m]})" for m in mutated]))
        if writes_objects and self.containers:
            known = self._writer.constant(outside.__contains__)
            self._writer.unless(f"not any(map({known}, ({', '.join(self.containers)},)))")
        pairs = [(self.leaves[m], other) for m in mutated for other in self._arrays if other != self.leaves[m]]
        if len(pairs) > _MOST_PAIRS:
            raise UnsuitedError
        self._writer.scope["may_share"] = np.may_share_memory
        for written, other in pairs:
            if (other, written) not in self._shared:
                self._shared[written, other] = self._writer.unless(f"not may_share({written}, {other})")


def _reads_as_tuple(cls: type) -> bool:
    return all(getattr(cls, name) is getattr(tuple, name) for name in ("__iter__", "__len__", "__getitem__"))

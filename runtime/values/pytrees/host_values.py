"""Layouts on the host: the results and the written arguments of a call, built from the outputs of its computation.

A part that is the caller's own stands as `Constant(CallersObject(…))` or `Constant(CallersNumber(…))`: it needs no
output.
"""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from anabranch.base.by_identity import ByIdentity, IdentityDict
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.device import array as device
from anabranch.runtime.values import containers
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.undefined import Undefined, UnsetAttribute


@frozen
class CallersObject:
    """A list, dict or object among the arguments, by its place in `Leaves.containers`."""

    index: int


@frozen
class CallersNumber:
    """A number among the arguments, by its leaf."""

    leaf: int


@frozen
class CallersArray:
    """An array that an object from outside holds, as before."""

    array: np.ndarray


class ResultWithRecords:
    """A result, and the nodes of graphs that parts of it are by their numbers."""

    def __init__(self, members: tuple[object, ...], result: object) -> None:
        self.members, self.result = members, result

    def __anabranch_structure__(self) -> containers.Structure:
        return BesideStructure(type(self), ("members", "result"))


@frozen
class BesideStructure(containers.Structure):
    """That of a result with nodes beside it."""

    mutable = False

    def children(self, value: Value) -> list[Value]:
        return [value.members, value.result]


def hosted(
    layout: layouts.Layout,
    objects: IdentityDict[Any, int],
    numbers: IdentityDict[Any, int],
    outside: Container[object] = (),
    members: Mapping[object, int] = MappingProxyType({}),
) -> layouts.Layout:
    """The layout with what stands for parts of the arguments as the caller's own.

    `outside` are the arrays that objects from outside hold; `members` has, for a graph, the place of its first node
    among those that the result has beside it.
    """

    def parts(several: Sequence[layouts.Layout]) -> tuple[layouts.Layout, ...]:
        return tuple([hosted(one, objects, numbers, outside, members) for one in several])

    match layout:
        case layouts.Constant(value) if value in outside:
            return layouts.Constant(CallersArray(value))
        case layouts.Constant(value) if value in objects:
            return layouts.Constant(CallersObject(objects[value]))
        case layouts.Constant(value) if value in numbers:
            return layouts.Constant(CallersNumber(numbers[value]))
        case layouts.Node(structure, children, source):
            return layouts.Node(structure.hosted(members), parts(children), source)
        case layouts.Union(options):
            return layouts.Union(parts(options))
    return layout


def fresh(value: object) -> Value:
    """The host value of a constant of the trace: of an array a copy, which nobody else has."""
    return value.copy() if isinstance(value, np.ndarray) else value


def on_device(value: object) -> Value:
    """The same where results stay on the device."""
    if isinstance(value, (np.ndarray, np.generic)) and device.holds(value.dtype):
        return device.placed(np.asarray(value))
    return fresh(value)


_THEMSELVES = frozenset({str, bool, int, float, complex, type(None)})


class Building:
    """Builds host values; a container that occurs twice is built once.

    `constant` returns what stands for a value that was known while tracing; `originals` are the caller's objects that
    are made of several arrays, with their structures, by these.
    """

    def __init__(
        self,
        objects: Sequence[object] = (),
        numbers: Sequence[object] = (),
        constant: Callable[[Any], object] = fresh,
        members: Sequence[object] = (),
        originals: Mapping[tuple[ByIdentity, ...], tuple[containers.Structure, object]] = MappingProxyType({}),
    ) -> None:
        self._objects, self._numbers, self._constant = objects, numbers, constant
        self._members, self._originals = members, originals
        self._made: IdentityDict[Any, Any] = IdentityDict()

    def build(self, layout: layouts.Layout, arrays: Iterator[np.ndarray]) -> Value:
        """The host value of a layout from its arrays."""
        if type(layout) is layouts.Constant:
            return self._host_constant(layout.value)
        match layout:
            case layouts.Leaf(abstract):
                array = next(arrays)
                if abstract.kind is Kind.PYTHON:
                    return array.item()
                return array[()] if abstract.kind is Kind.SCALAR else array
            case layouts.Node(BesideStructure(), (members, result)):
                assert isinstance(members, layouts.Node)
                built = self._members = []
                for member in members.children:  # which may refer to those before it
                    built.append(self.build(member, arrays))
                return self.build(result, arrays)
            case layouts.Node(structure) if structure.is_of_arrays and self._originals:
                own = list(itertools.islice(arrays, len(layouts.leaf_types(layout))))
                kind, original = self._originals.get(tuple(map(ByIdentity, own)), (None, None))
                return original if kind == structure else self._of_arrays(layout, iter(own))
            case layouts.Node(structure, children, source):
                made = structure.on_host([self.build(c, arrays) for c in children], self._members)
                if source is None or not structure.mutable:
                    return made
                return self._made.setdefault(source, made)
            case layouts.Union(options):
                chosen = self._chosen(options, int(next(arrays)), arrays)
                if isinstance(chosen, Undefined) and not isinstance(chosen, UnsetAttribute):
                    raise chosen.error()
                return chosen

    def _chosen(self, options: Sequence[layouts.Layout], tag: int, arrays: Iterator[np.ndarray]) -> Value:
        """The option that a tag stands for. The arrays of the others are passed over: they may hold anything."""
        chosen: Value = None
        for place, option in enumerate(options):
            if place == tag:
                chosen = self.build(option, arrays)
            elif not isinstance(option, layouts.Constant):
                collections.deque(itertools.islice(arrays, len(layouts.leaf_types(option))), maxlen=0)
        return chosen

    def _of_arrays(self, layout: layouts.Node, arrays: Iterator[np.ndarray]) -> Value:
        children = [self.build(c, arrays) for c in layout.children]
        return layout.structure.on_host(children, self._members)

    def _host_constant(self, value: object) -> Value:
        if type(value) in _THEMSELVES:
            return value
        if isinstance(value, CallersObject):
            return self._objects[value.index]
        if isinstance(value, CallersNumber):
            return self._numbers[value.leaf]
        if isinstance(value, CallersArray):
            return value.array
        return self._constant(value)


def build(layout: layouts.Layout, arrays: Iterator[np.ndarray], members: Sequence[object] = ()) -> Value:
    """The host value of a layout in which nothing is the caller's own, but for members."""
    return Building(members=members).build(layout, arrays)


_Memory: TypeAlias = Iterator[np.ndarray]  # that of each leaf, in order


def chosen(
    options: Sequence[layouts.Layout], tags: np.ndarray, memory: _Memory, members: Sequence[object]
) -> list[Any]:
    """The elements of which the tags say what each one is. What the memory of the others holds means nothing."""
    listed: list[int] = tags.tolist()
    there, found = set(listed), dict[int, tuple[layouts.Layout, list[np.ndarray]]]()
    for tag, option in enumerate(options):
        own = _taken(option, memory)
        if tag in there:
            found[tag] = option, own
    if all(_is_plain(option) or _is_number(option) for option, _ in found.values()):
        rows = {tag: column(option, iter(own), len(listed), members) for tag, (option, own) in found.items()}
        return [rows[tag][place] for place, tag in enumerate(listed)]
    columns = dict[int, Iterator[Any]]()
    for tag, (option, own) in found.items():
        here = tags == tag
        if isinstance(option, layouts.Constant) and isinstance(option.value, Undefined):
            raise option.value.error()
        count = int(np.count_nonzero(here))
        columns[tag] = iter(column(option, iter([m[here] for m in own]), count, members))
    return list(map(next, map(columns.__getitem__, listed)))


def column(layout: layouts.Layout, memory: _Memory, count: int, members: Sequence[object]) -> list[Any]:
    """So many elements of one layout, from the memory of its leaves, which are taken off."""
    match layout:
        case layouts.Leaf(abstract):
            leaf = next(memory)
            if abstract.kind is Kind.PYTHON:
                numbers: list[Any] = leaf.tolist()
                return numbers
            return list(leaf) if abstract.kind is Kind.SCALAR else [np.array(element) for element in leaf]
        case layouts.Constant(value) if _is_plain(layout):
            return [value] * count
        case layouts.Union(options):
            return chosen(options, next(memory), memory, members)
        case layouts.Node(structure, children, None) if _is_line_of_numbers(structure, children):
            lines: list[Any] = np.stack([next(memory) for _ in children], axis=-1).tolist()
            return lines
        case layouts.Node(structure, children, source) if not structure.mutable or source is None:
            parts = [column(child, memory, count, members) for child in children]
            rows = zip(*parts, strict=True) if parts else [()] * count
            return list(rows) if structure.cls is tuple else [structure.on_host(row, members) for row in rows]
    own = _taken(layout, memory)
    return [build(layout, iter([np.array(m[place]) for m in own]), members) for place in range(count)]


def _taken(layout: layouts.Layout, memory: _Memory) -> list[np.ndarray]:
    return [] if isinstance(layout, layouts.Constant) else [next(memory) for _ in layouts.leaf_types(layout)]


def _is_line_of_numbers(structure: Structure, children: Sequence[layouts.Layout]) -> bool:
    """Return whether all elements are lists of so many Python numbers of one kind."""
    if structure.cls is not list or type(structure) is not Structure or not children:
        return False
    kinds = {(c.abstract.kind, c.abstract.dtype) if isinstance(c, layouts.Leaf) else None for c in children}
    return len(kinds) == 1 and all(kind is not None and kind[0] is Kind.PYTHON for kind in kinds)


def _is_number(layout: layouts.Layout) -> bool:
    return isinstance(layout, layouts.Leaf) and layout.abstract.kind in (Kind.PYTHON, Kind.SCALAR)


def _is_plain(layout: layouts.Layout) -> bool:
    """Return whether all elements are one text, or None."""
    return isinstance(layout, layouts.Constant) and (layout.value is None or layouts.is_text(layout))

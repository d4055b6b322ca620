"""Layouts on the host: the results and the written arguments of a call, built from the outputs of its computation.

A part that is the caller's own stands as `Constant(CallersObject(…))` or `Constant(CallersNumber(…))`: it needs no
output.
"""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from anabranch.base.by_identity import ByIdentity, IdentityDict
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.device import array as device
from anabranch.runtime.values import containers
from anabranch.runtime.values.abstract import Kind
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
        match layout:
            case layouts.Constant(value):
                return self._host_constant(value)
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
        if isinstance(value, str):
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

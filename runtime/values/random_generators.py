"""Generators of random numbers in a function that is traced: their states are arrays of words in the Program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.host.generator_state import GeneratorKind
from anabranch.runtime.values import containers, registry
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.attributes import Bare
from anabranch.runtime.values.heap.slots import FixedSlot


class TracedGenerator(Bare):
    """A generator of random numbers; who draws from it writes to the array of its words."""

    def __init__(self, kind: GeneratorKind, words: TracedArray) -> None:
        self.generator_kind, self.state_words = kind, words

    def __anabranch_sample__(self) -> object:
        return self.generator_kind.scratch()

    def __anabranch_structure__(self) -> GeneratorStructure:
        return GeneratorStructure(self.generator_kind.cls, ("state",), self.generator_kind)

    def __anabranch_slot__(self) -> FixedSlot:
        return FixedSlot(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return registry.GENERATOR_METHODS[self.generator_kind.name](self, name)


@frozen
class GeneratorStructure(containers.Structure):
    """That of a generator, which has one part: the words of its state."""

    def children(self, value: Value) -> list[Value]:
        return [value.state_words if isinstance(value, TracedGenerator) else self.extra.read(value)]

    def empty(self) -> Value:
        made: Any = TracedGenerator.__new__(TracedGenerator)
        object.__setattr__(made, "generator_kind", self.extra)
        return made

    def fill(self, made: Any, children: Sequence[Value]) -> None:
        object.__setattr__(made, "state_words", children[0])

    def on_host(self, children: Sequence[Any], members: Sequence[object]) -> Value:
        return self.extra.made(np.asarray(children[0]))


def structure_of(value: object, kind: GeneratorKind | None) -> containers.Structure | None:
    """The structure of an argument, or of a part of one; `kind` is that of a generator."""
    return containers.structure_of(value) if kind is None else GeneratorStructure(kind.cls, ("state",), kind)

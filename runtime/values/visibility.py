"""Visibility: the values that a builder, or one around it, holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import Builder
from anabranch.runtime.tracing.storage import Part
from anabranch.runtime.values import atoms
from anabranch.runtime.values.arrays.traced_array import TracedArray


def belongs_outside(builder: Builder) -> Callable[[Any], bool]:
    """Return whether a run-time value exists in `builder` already (and so may be held by what is built inside it)."""

    def stays(value: object) -> bool:
        if isinstance(value, TracedArray):
            return storage_visible(builder, value)
        atom = atoms.held_by(value)
        return isinstance(atom, Literal) or atom_visible(builder, atom)

    return stays


def storage_visible(builder: Builder, array: TracedArray) -> bool:
    """Return whether `builder` or one around it holds the array's memory and its view's run-time positions."""
    if array.storage not in builder.env and not builder.outer_has(array.storage):
        return False
    starts = (start for step in array.path for start in step.positions)
    return all(isinstance(start, Literal) or atom_visible(builder, start) for start in starts)


def atom_visible(builder: Builder, atom: Atom | None) -> bool:
    """Return whether `builder` or one around it has the atom."""
    while isinstance(atom, Part):
        atom = atom.whole
    if isinstance(atom, Literal):
        return True
    return any(atom in here.known for here in builder.outwards())

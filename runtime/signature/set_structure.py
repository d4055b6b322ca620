"""The structure of a set among the arguments: its members, in the order in which it has them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.signature.static_keys import is_static
from anabranch.runtime.values import containers
from anabranch.runtime.values.abstract import PYTHON_DTYPES


@frozen
class SetStructure(containers.Structure):
    """That of a set; its keys are the places of the members.

    Elsewhere a set is no container: one of Python's own cannot hold run-time values.
    """

    def children(self, value: Value) -> list[Value]:
        return list(set.__iter__(value))

    def fill(self, made: Value, children: Sequence[Value]) -> None:
        made.update(children)


def set_structure(value: object) -> SetStructure | None:
    """The structure of a set of numbers, texts and the like, and tuples of these; None for anything else."""
    if type(value) is not set or not all(map(_is_member, value)):
        return None
    return SetStructure(set, tuple(range(len(value))))


def _is_member(value: object) -> bool:
    if type(value) is tuple:
        return all(map(_is_member, value))
    return type(value) in PYTHON_DTYPES or isinstance(value, np.generic) or is_static(value)

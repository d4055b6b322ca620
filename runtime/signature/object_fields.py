"""The parts of an object, or of a set, that is an argument: which are carried into a compiled function."""

from __future__ import annotations

import collections
import sys
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.device import array as device, foreign
from anabranch.runtime.host.generator_state import kind_of
from anabranch.runtime.signature.static_keys import is_static, key_of
from anabranch.runtime.values import containers
from anabranch.runtime.values.abstract import PYTHON_DTYPES
from anabranch.runtime.values.containers import Structure, structure_of
from anabranch.runtime.values.host_calls import changing_objects

_ALWAYS_STATIC = (str, bytes, type(None), type, types.ModuleType)
_LARGEST = 2**63
_BUILT_IN = (tuple, list, dict, set, collections.deque, BaseException)
# Packages whose objects their own code, which is not rewritten, works on.
_LIBRARIES = frozenset(sys.stdlib_module_names) | {"scipy", "xarray", "sklearn", "numba", "matplotlib"}
_LIKE_USERS = (types.SimpleNamespace,)


def is_object(structure: Structure) -> bool:
    """Return whether a container is an object with attributes, and no built-in collection."""
    return not issubclass(structure.cls, _BUILT_IN)


def part_name(owner: str, structure: Structure, key: object) -> str:
    """Return the name, for messages, of a part of a container: `self.n`, `d['a']`."""
    return f"{owner}.{key}" if is_object(structure) else f"{owner}[{key!r}]"


def is_carried(value: Any) -> bool:
    """Return whether a part of an object can be a run-time value, or is distinguished by its contents."""
    kind = type(value)
    if kind is int:
        return bool(-_LARGEST <= value < _LARGEST)
    if kind in PYTHON_DTYPES or kind is device.Array or isinstance(value, _ALWAYS_STATIC):
        return True
    if kind is np.ndarray or isinstance(value, np.generic):
        held: bool = device.holds(value.dtype)
        return held or is_static(value)
    if is_static(value):
        return _has_key(value)
    if kind_of(value) is not None:
        return True
    if changing_objects.structure_of(value) is not None:
        return True
    structure = None if foreign.is_foreign(kind) else structure_of(value)
    if structure is None:
        return False
    return not is_object(structure) or kind in _LIKE_USERS or _is_user_class(kind)


def _has_key(value: object) -> bool:
    try:
        key_of(value)
    except TypeError:
        return False
    return True


def _is_user_class(cls: type) -> bool:
    return cls.__module__.partition(".")[0] not in _LIBRARIES


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

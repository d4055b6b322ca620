"""What a traced function read from outside: globals, closure cells, and the objects they lead to.

An executable holds good as long as these are what they were; when one has changed the function is traced again.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from anabranch.runtime.values.heap import GlobalVariable, Heap

_ABSENT = object()


class Guards:
    """Names and objects with what they held when a function that reads them was first called."""

    def __init__(self) -> None:
        self.names: dict[tuple[int, str], tuple[Mapping[str, Any], str, Any]] = {}
        self.heap = Heap((), watch_arrays=True)
        self.variables: dict[tuple[int, str], GlobalVariable] = {}

    def add(self, value: Any) -> list[Any]:
        """Guard what a function's code can read from outside, or what an object holds; gives what is new."""
        self.heap.extend((value,))
        if not isinstance(value, types.FunctionType):
            return [value]
        new: list[Any] = [value]
        scope, names = value.__globals__, set(_names(value.__code__))
        modules = [scope[n] for n in names if isinstance(scope.get(n), types.ModuleType)]
        for place in (scope, *map(vars, modules)):
            for name in names:
                if self._add_name(place, name):
                    new.append(place[name])
        return [*new, *self._variables(value)]

    def _variables(self, function: types.FunctionType) -> list[GlobalVariable]:
        """The global names that a function assigns, where they are new."""
        found: list[GlobalVariable] = []
        for name in set(_assigned_globals(function.__code__)):
            key = (id(function.__globals__), name)
            if key not in self.variables:
                self.variables[key] = GlobalVariable(function.__globals__, name)
                found.append(self.variables[key])
        self.heap.extend(found)
        return found

    def _add_name(self, scope: Mapping[str, Any], name: str) -> bool:
        key = (id(scope), name)
        if name not in scope or key in self.names:
            return False
        value = scope[name]
        self.names[key] = (scope, name, value)
        self.heap.extend((value,))
        return True

    def knows(self, value: Any) -> bool:
        """Whether an object was there before the trace, as far as was seen."""
        return self.heap.has_seen(value)

    def hold(self) -> bool:
        """Whether everything is as it was."""
        for scope, name, value in self.names.values():
            if scope.get(name, _ABSENT) is not value:
                return False
        return not self.heap.changed()

    def written_arrays(self) -> list[np.ndarray[Any, Any]]:
        """Arrays from outside whose contents changed."""
        return [a for a, before in self.heap.arrays.values() if not _equal(a, before)]


def _equal(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def _assigned_globals(code: types.CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            yield instruction.argval
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _assigned_globals(const)


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _names(const)

"""The layers above Arrays that an Array needs: operations, and the namespace of the array API standard.

A module imports downwards only, and a process that has loaded an executable has Arrays without these. So the two
modules are named here, and imported when something first asks for them.
"""

from __future__ import annotations

import functools
import importlib
import types
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

_OPERATIONS = "anabranch.runtime.eager.array_operators"
_NAMESPACE = "anabranch.numpy"


class ArrayOperations(Protocol):
    """The operations on Arrays, which are compiled."""

    def operator(self, ufunc: np.ufunc, *operands: object) -> Any:
        """Return the result of a Python operator; NotImplemented for operands of classes that are no arrays."""

    def get(self, array: Any, key: Any) -> Any:
        """`array[key]`."""

    def reduced(self, array: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return the value of `__reduce__`: a function that makes the Array again, and its arguments."""

    def attribute(self, array: Any, name: str) -> Any:
        """An attribute or a method that ndarray has."""

    def ufunc(self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a ufunc, or of one of its methods."""

    def function(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of one of NumPy's functions."""


@functools.cache
def operations() -> ArrayOperations:
    """Return the operations on Arrays; they are loaded when this is first called."""
    found: ArrayOperations = importlib.import_module(_OPERATIONS).OPERATIONS
    return found


def namespace() -> types.ModuleType:
    """Return the namespace of the array API standard."""
    return importlib.import_module(_NAMESPACE)

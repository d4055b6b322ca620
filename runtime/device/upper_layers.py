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


def _binary(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    return lambda self, other: operations().operator(ufunc, self, other)


def _reflected(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    return lambda self, other: operations().operator(ufunc, other, self)


def _unary(ufunc: np.ufunc) -> Callable[[Any], Any]:
    return lambda self: operations().operator(ufunc, self)


class Operators:
    """Python's operators, each NumPy's function of that meaning."""

    __slots__ = ()

    __add__, __radd__ = _binary(np.add), _reflected(np.add)
    __sub__, __rsub__ = _binary(np.subtract), _reflected(np.subtract)
    __mul__, __rmul__ = _binary(np.multiply), _reflected(np.multiply)
    __truediv__, __rtruediv__ = _binary(np.true_divide), _reflected(np.true_divide)
    __floordiv__, __rfloordiv__ = _binary(np.floor_divide), _reflected(np.floor_divide)
    __mod__, __rmod__ = _binary(np.remainder), _reflected(np.remainder)
    __divmod__, __rdivmod__ = _binary(np.divmod), _reflected(np.divmod)
    __pow__, __rpow__ = _binary(np.power), _reflected(np.power)
    __matmul__, __rmatmul__ = _binary(np.matmul), _reflected(np.matmul)
    __lshift__, __rlshift__ = _binary(np.left_shift), _reflected(np.left_shift)
    __rshift__, __rrshift__ = _binary(np.right_shift), _reflected(np.right_shift)
    __and__, __rand__ = _binary(np.bitwise_and), _reflected(np.bitwise_and)
    __or__, __ror__ = _binary(np.bitwise_or), _reflected(np.bitwise_or)
    __xor__, __rxor__ = _binary(np.bitwise_xor), _reflected(np.bitwise_xor)
    __lt__ = _binary(np.less)
    __le__ = _binary(np.less_equal)
    __gt__ = _binary(np.greater)
    __ge__ = _binary(np.greater_equal)
    __eq__ = _binary(np.equal)
    __ne__ = _binary(np.not_equal)
    __neg__ = _unary(np.negative)
    __pos__ = _unary(np.positive)
    __abs__ = _unary(np.absolute)
    __invert__ = _unary(np.invert)

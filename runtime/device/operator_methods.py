"""What is done with Arrays: Python's operators, and who does the work.

`runtime.eager` compiles operations. It registers itself with `serve`, since it stands above what an Array is.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np


class Operations(Protocol):
    """What is done with Arrays on the device."""

    def operator(self, ufunc: np.ufunc, *operands: Any) -> Any:
        """A Python operator; NotImplemented for operands of classes that are no arrays."""

    def get(self, array: Any, key: Any) -> Any:
        """`array[key]`."""

    def reduced(self, array: Any) -> Any:
        """What `__reduce__` gives: a function of a module in which operations are registered, and its arguments."""

    def attribute(self, array: Any, name: str) -> Any:
        """An attribute or a method that ndarray has."""

    def ufunc(self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a ufunc, or of one of its methods."""

    def function(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of one of NumPy's functions."""


class _Unloaded:
    """Loads what does the operations when the first is asked for."""

    def __getattr__(self, name: str) -> Any:
        importlib.import_module("anabranch.runtime.eager.array_operators")
        return getattr(_operations, name)


_operations: Operations = _Unloaded()


def serve(found: Operations) -> None:
    """Register what does the operations."""
    global _operations
    _operations = found


def operations() -> Operations:
    """What does them."""
    return _operations


def _binary(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    return lambda self, other: _operations.operator(ufunc, self, other)


def _reflected(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    return lambda self, other: _operations.operator(ufunc, other, self)


def _unary(ufunc: np.ufunc) -> Callable[[Any], Any]:
    return lambda self: _operations.operator(ufunc, self)


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

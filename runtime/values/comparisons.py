"""Comparisons of objects whose class has one rule for all six operators."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value


class Compared:
    """The base of such a class."""

    __slots__ = ()

    def _compared(self, operation: Callable[[Any, Any], Any], other: Value) -> Value:
        """`operation(self, other)`, for one of the six of the module `operator`."""
        raise NotImplementedError

    def __eq__(self, other: object) -> Value:
        return self._compared(operator.eq, other)

    def __ne__(self, other: object) -> Value:
        return self._compared(operator.ne, other)

    def __lt__(self, other: Value) -> Value:
        return self._compared(operator.lt, other)

    def __le__(self, other: Value) -> Value:
        return self._compared(operator.le, other)

    def __gt__(self, other: Value) -> Value:
        return self._compared(operator.gt, other)

    def __ge__(self, other: Value) -> Value:
        return self._compared(operator.ge, other)

    __hash__: Any = None  # unless a class has its own

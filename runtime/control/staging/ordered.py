"""Stand-ins that are ordered by one rule for `<`, `<=`, `>` and `>=`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value


class Ordered:
    """One of them."""

    __slots__ = ()

    def _ordered(self, operation: Callable[[Any, Any], Any], other: Value) -> Value:
        """`operation(self, other)`, for one of the four."""
        raise NotImplementedError

    def __lt__(self, other: Value) -> Value:
        return self._ordered(operator.lt, other)

    def __le__(self, other: Value) -> Value:
        return self._ordered(operator.le, other)

    def __gt__(self, other: Value) -> Value:
        return self._ordered(operator.gt, other)

    def __ge__(self, other: Value) -> Value:
        return self._ordered(operator.ge, other)

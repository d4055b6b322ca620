"""`functools.cmp_to_key`: keys that are ordered by a function of the user's."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.values import passed_functions


@dataclasses.dataclass(frozen=True, eq=False)
class Key:
    """A value in the order of `compare`, which returns a number below, above or equal to zero."""

    obj: Any
    compare: Callable[[Any, Any], Any]

    def __lt__(self, other: Key) -> Value:
        return self.compare(self.obj, other.obj) < 0

    def __le__(self, other: Key) -> Value:
        return self.compare(self.obj, other.obj) <= 0

    def __gt__(self, other: Key) -> Value:
        return self.compare(self.obj, other.obj) > 0

    def __ge__(self, other: Key) -> Value:
        return self.compare(self.obj, other.obj) >= 0

    def __eq__(self, other: Value) -> Value:
        return self.compare(self.obj, other.obj) == 0

    __hash__ = None  # type: ignore[assignment]


def cmp_to_key(mycmp: Callable[[Any, Any], object]) -> Callable[[Any], Key]:
    """As `functools.cmp_to_key`."""
    compare = passed_functions.called(mycmp)

    def key(obj: Value) -> Key:
        return Key(obj, compare)

    return key


COUNTERPARTS: dict[object, Callable[..., Any]] = {functools.cmp_to_key: cmp_to_key}

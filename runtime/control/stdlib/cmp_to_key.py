"""`functools.cmp_to_key`: keys that are ordered by a function of the user's."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.values import passed_functions
from anabranch.runtime.values.comparisons import Compared


@dataclasses.dataclass(frozen=True, eq=False)
class Key(Compared):
    """A value in the order of `compare`, which returns a number below, above or equal to zero."""

    obj: Any
    compare: Callable[[Any, Any], Any]

    def _compared(self, operation: Callable[[Any, Any], Any], other: Key) -> Value:
        return operation(self.compare(self.obj, other.obj), 0)


def cmp_to_key(mycmp: Callable[[Any, Any], object]) -> Callable[[Any], Key]:
    """As `functools.cmp_to_key`."""
    compare = passed_functions.called(mycmp)

    def key(obj: Value) -> Key:
        return Key(obj, compare)

    return key


COUNTERPARTS: dict[object, Callable[..., Any]] = {functools.cmp_to_key: cmp_to_key}

"""The members of a set that are known only at run time: what may be in it, each with whether it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import boolean
from anabranch.runtime.control.containers import container_order
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.containers import has_traced, is_hashed_object
from anabranch.runtime.values.hashed import Hashed
from anabranch.runtime.values.host_types.host_type import HostTyped
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.union import UnionValue


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """The possible members of a set, each with whether it is one."""

    items: tuple[tuple[Any, Any], ...]

    def contains(self, item: object) -> Value:
        """`item in self`, plain or traced."""
        result: Any = False
        for element, present in self.items:
            result = boolean.or_(result, _later(item, element, present))
        return result

    def where(self, condition: Callable[[Any], object]) -> Members:
        """The members for which a condition holds."""
        return Members(tuple((e, boolean.and_(held, lambda e=e: condition(e))) for e, held in self.items))  # type: ignore[misc]


def check_hashable(item: object) -> None:
    """Raise TypeError for what no set can hold."""
    if isinstance(item, tuple):
        for part in item:
            check_hashable(part)
    elif isinstance(item, (TracedArray, DynamicArray)):
        hash(np.zeros(0))  # raises
    elif not _has_hash(item):
        hash(item)


def hashable(item: Value) -> Value:
    """The options of a value that have a hash, after the check that it is one of these."""
    if isinstance(item, UnionValue):
        item = item.without_undefined()
    if isinstance(item, UnionValue):
        return item.excluding(_unhashable)
    if type(item) is tuple and any(isinstance(part, (UnionValue, tuple)) for part in item):
        return tuple(map(hashable, item))
    return item


def _unhashable(item: object) -> TypeError | None:
    """The exception that Python raises for what no set can hold."""
    try:
        check_hashable(item)
    except ConcretizationError:
        return None
    except TypeError as error:
        return error
    return None


def _has_hash(item: object) -> bool:
    """Return whether a value known only at run time has a hash."""
    if isinstance(item, HostTyped):
        return item.key_ is not None
    if isinstance(item, (PythonScalar, NumPyScalar, Text)) or (is_hashed_object(item) and has_traced(item)):
        return True
    return isinstance(item, Hashed) and item.native is frozenset


def _later(item: object, element: object, present: object) -> Callable[[], Any]:
    return lambda: boolean.and_(present, lambda: container_order.same_key(item, element))

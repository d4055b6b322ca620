"""Sets whose members are known only at run time, where `in` asks them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anabranch.runtime.control import boolean
from anabranch.runtime.control.containers import container_order
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values.arrays.dynamic_array import Sized
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import Array
from anabranch.runtime.values.containers import has_traced
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """What may be in a set, each with whether it is."""

    items: tuple[tuple[Any, Any], ...]

    def contains(self, item: Any) -> Any:
        """`item in self`, plain or traced."""
        result: Any = False
        for element, present in self.items:
            result = boolean.or_(result, _later(item, element, present))
        return result

    def where(self, condition: Callable[[Any], Any]) -> Members:
        """Those for which a condition holds."""
        return Members(tuple((e, boolean.and_(held, lambda e=e: condition(e))) for e, held in self.items))  # type: ignore[misc]


def members(*items: Any) -> Any:
    """What stands behind `in` as a set display: a set, where its members are known while tracing."""
    if not has_traced(items):
        return set(items)
    for item in items:
        check_hashable(item)
    return Members(tuple((item, True) for item in items))


def set_operation(sign: str, left: Any, right: Any) -> Any:
    """`left | right` and its like, behind `in`; each may have members known only at run time."""
    a, b = _members(left, right), _members(right, left)
    if a is None and b is None:
        return _OPERATORS[sign](left, right)
    if a is None or b is None:
        other = type(left if a is None else right).__name__
        raise UnsupportedOperationError(f"a set with members known only at run time {sign} a {other} is not supported")
    if sign == "&":
        return a.where(b.contains)
    rest = a.where(lambda e: boolean.not_(b.contains(e)))
    if sign == "-":
        return rest
    others = b if sign == "|" else b.where(lambda e: boolean.not_(a.contains(e)))
    return Members((a if sign == "|" else rest).items + others.items)


def check_hashable(item: Any) -> None:
    """Raise TypeError for what no set can hold."""
    if isinstance(item, tuple):
        for part in item:
            check_hashable(part)
    elif isinstance(item, (Array, Sized)):
        hash(np.zeros(0))  # raises
    elif not isinstance(item, (PythonScalar, NumPyScalar)):
        hash(item)


def _members(value: Any, other: Any) -> Members | None:
    """The members of a set; None where neither operand needs that, or it is no set."""
    if isinstance(value, Members):
        return value
    plain = isinstance(value, _SETS) and isinstance(other, Members)
    return Members(tuple((e, True) for e in value)) if plain else None


def _later(item: Any, element: Any, present: Any) -> Callable[[], Any]:
    return lambda: boolean.and_(present, lambda: container_order.equal(item, element))


_SETS: tuple[type[Any], ...] = (set, frozenset, type({}.keys()), type({}.items()))
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "|": operator.or_, "&": operator.and_, "-": operator.sub, "^": operator.xor,
}  # fmt: skip

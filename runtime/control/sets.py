"""Sets whose members are known only at run time, where `in` asks them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control import boolean, lists
from anabranch.runtime.control.call import call
from anabranch.runtime.control.containers.membership import Members, check_hashable
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values.containers import has_traced


def members(*items: object) -> Value:
    """The set of a display behind `in`: a plain set, where its members are known while tracing."""
    if not has_traced(items):
        return set(items)
    for item in items:
        check_hashable(item)
    return Members(tuple((item, True) for item in items))


def members_of(items: object, function: object = set) -> Value:
    """The set of `set(items)` or of a set comprehension behind `in`."""
    if (function is not set and function is not frozenset) or lists.is_of_run_time_length(items):
        return call(function, items)
    if isinstance(items, (set, frozenset)):
        return items
    listed = lists.items_of(items)
    return members(*listed) if isinstance(listed, list) else call(function, listed)


def set_operation(sign: str, left: object, right: object) -> Value:
    """`left | right` and its like, behind `in`; each may have members known only at run time."""
    a, b = _members(left, right), _members(right, left)
    if a is None and b is None:
        return _OPERATORS[sign](left, right)
    if a is None or b is None:
        other = type(left if a is None else right).__name__
        raise UnsupportedOperationError(
            f"a set with members known only at run time {sign} a value of type {other} is not supported; use a set on "
            "both sides"
        )
    if sign == "&":
        return a.where(b.contains)
    rest = a.where(lambda e: boolean.not_(b.contains(e)))
    if sign == "-":
        return rest
    others = b if sign == "|" else b.where(lambda e: boolean.not_(a.contains(e)))
    return Members((a if sign == "|" else rest).items + others.items)


def _members(value: Value, other: object) -> Members | None:
    """The members of a set; None where neither operand needs that, or it is no set."""
    if isinstance(value, Members):
        return value
    plain = isinstance(value, _SETS) and isinstance(other, Members)
    return Members(tuple((e, True) for e in value)) if plain else None


_SETS: tuple[type, ...] = (set, frozenset, type({}.keys()), type({}.items()))
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "|": operator.or_, "&": operator.and_, "-": operator.sub, "^": operator.xor,
}  # fmt: skip

"""Comparisons that are more than one operator method: chains, of which `in` and `is` may be links."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control import boolean
from anabranch.runtime.control.containers import container_order
from anabranch.runtime.control.containers.membership import in_, not_in
from anabranch.runtime.control.identity import is_, is_not


def compare(first: Value, *links: Any) -> Value:
    """`first OP a OP b …` with each operand evaluated once, and only as far as needed.

    `links` alternates operators (as text) and thunks of operands.
    """
    left, result = first, None
    operation, operand, *rest = links
    right = operand()
    result = _OPERATORS[operation](left, right)
    if not rest:
        return result
    return boolean.and_(result, lambda: compare(right, *rest))


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<": functools.partial(container_order.compared, operator.lt),
    "<=": functools.partial(container_order.compared, operator.le),
    "==": functools.partial(container_order.compared, operator.eq),
    "!=": functools.partial(container_order.compared, operator.ne),
    ">": functools.partial(container_order.compared, operator.gt),
    ">=": functools.partial(container_order.compared, operator.ge),
    "in": in_,
    "not in": not_in,
    "is": is_,
    "is not": is_not,
}

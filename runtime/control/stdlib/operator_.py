"""The functions of `operator` that ask for a truth value or an index; all others work on traced values as they are."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control import boolean, identity
from anabranch.runtime.control.branches.truth import truth_value
from anabranch.runtime.control.containers import membership
from anabranch.runtime.control.stdlib.builtin_iterators import len_
from anabranch.runtime.control.stdlib.math_ints import as_int
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.run_time_container import RunTimeContainer


def count_of(items: Value, value: object) -> Value:
    """`operator.countOf`."""
    total: Any = 0
    for item in items:
        total = total + truth_value(item is value or item == value)
    return total


def _contains(items: object, value: object) -> Value:
    return membership.in_(value, items)


def _length_hint(items: object, default: Value = 0, /) -> Value:
    if isinstance(items, (Growable, RunTimeContainer)):
        return len_(items)
    return operator.length_hint(items, default)


COUNTERPARTS: dict[object, Callable[..., Any]] = {
    operator.truth: truth_value,
    operator.not_: boolean.not_,
    operator.index: as_int,
    operator.is_: identity.is_,
    operator.is_not: identity.is_not,
    operator.contains: _contains,
    operator.countOf: count_of,
    operator.length_hint: _length_hint,
}

"""`bisect` on sequences that hold run-time values, or of such values: Python's own algorithms."""

from __future__ import annotations

import bisect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.containers import container_order
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.staging.signature_errors import fitted
from anabranch.runtime.control.stdlib.builtin_iterators import len_
from anabranch.runtime.control.stdlib.math_ints import as_int
from anabranch.runtime.control.subscript import at
from anabranch.runtime.control.while_ import while_
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import containers, passed_functions, wrap
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.failures import run_time_checks


def _place(goes_right: Callable[[Any], Any], a: Value, lo: Value, hi: Value) -> Value:
    """The place where `goes_right` of the items of a sequence turns false, between two places."""
    lo = as_int(lo)
    run_time_checks.fail_if(wrap.as_atom(lo < 0, np.bool_), lambda _: ValueError("lo must be non-negative"))
    length = len_(a)
    # CPython's own form takes -1 for no bound, too.
    hi = length if hi is None else if_((given := as_int(hi)) == -1, lambda: length, lambda: given)

    def test(lo: Value, hi: Value) -> Value:
        return lo < hi

    def body(lo: Value, hi: Value, a: Value = a) -> Value:
        middle = (lo + hi) // 2
        names = ("lo", "hi")
        return if_(goes_right(at(a)[middle]), lambda: (middle + 1, hi), lambda: (lo, middle), (), names)

    return while_(test, body, (lo, hi), ("lo", "hi"))[0]


def bisect_left(
    a: object, x: object, lo: object = 0, hi: object = None, *, key: Callable[[Any], object] | None = None
) -> Value:
    """As `bisect.bisect_left`."""
    called = _key(key)
    return _place(lambda item: container_order.compared(operator.lt, called(item), x), a, lo, hi)


def bisect_right(
    a: object, x: object, lo: object = 0, hi: object = None, *, key: Callable[[Any], object] | None = None
) -> Value:
    """As `bisect.bisect_right`."""
    called = _key(key)

    def goes_right(item: object) -> Value:
        return if_(container_order.compared(operator.lt, x, called(item)), lambda: False, lambda: True)

    return _place(goes_right, a, lo, hi)


def insort_left(
    a: Value, x: Value, lo: Value = 0, hi: Value = None, *, key: Callable[[Any], Any] | None = None
) -> None:
    """As `bisect.insort_left`."""
    a.insert(bisect_left(a, _key(key)(x), lo, hi, key=key), x)


def insort_right(
    a: Value, x: Value, lo: Value = 0, hi: Value = None, *, key: Callable[[Any], Any] | None = None
) -> None:
    """As `bisect.insort_right`."""
    a.insert(bisect_right(a, _key(key)(x), lo, hi, key=key), x)


def _key(key: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    return (lambda item: item) if key is None else passed_functions.called(key)


_STAGED: dict[object, Callable[..., Any]] = {
    bisect.bisect_left: bisect_left, bisect.bisect_right: bisect_right,
    bisect.insort_left: insort_left, bisect.insort_right: insort_right,
}  # fmt: skip


def counterpart(function: Any) -> Callable[..., Any] | None:
    """The staged form of a function of `bisect`, where run-time values are among what it compares; else None."""
    staged = _STAGED.get(function) if type(function) is type(bisect.bisect_left) else None
    if staged is None or not tracing():
        return None

    form = fitted(staged, function)

    def choose(*args: Value, **kwargs: Value) -> Value:
        a = args[0] if args else kwargs.get("a")
        # A key may close over run-time values.
        plain = kwargs.get("key") is None and not containers.has_traced((args, kwargs))
        if plain and not isinstance(a, Growable):
            return function(*args, **kwargs)
        trace, inserts = current().trace, staged in (insort_left, insort_right)
        if inserts and type(a) is list and trace.lists.grow_here:
            trace.lists.demand_growth()
        return form(*args, **kwargs)

    return choose

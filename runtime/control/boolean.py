"""`and`, `or`, `not`: short-circuit, and with the values that Python returns."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.base.value import Value
from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.control.branches.truth import truth, truth_value
from anabranch.runtime.control.if_ import where
from anabranch.runtime.values import atoms
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar


def and_(first: object, *rest: Callable[[], object]) -> Value:
    """`first and rest[0]() and …`: the first false value, or the last one."""
    return _chain(first, rest, False, _itself, _itself)


def or_(first: object, *rest: Callable[[], object]) -> Value:
    """`first or rest[0]() or …`: the first true value, or the last one."""
    return _chain(first, rest, True, _itself, _itself)


def all_true(first: object, *rest: Callable[[], object]) -> Value:
    """`bool(first and rest[0]() and …)`, for which each operand is asked once at most."""
    return _chain(first, rest, False, _false, truth_value)


def any_true(first: object, *rest: Callable[[], object]) -> Value:
    """`bool(first or rest[0]() or …)`, for which each operand is asked once at most."""
    return _chain(first, rest, True, _true, truth_value)


def _chain(value: object, rest: tuple[Callable[[], object], ...], stop_at: bool, stopped: _Of, last: _Of) -> Value:
    if not rest:
        return last(value)
    decided = truth(value)
    if isinstance(decided, bool):
        return stopped(value) if decided is stop_at else _chain(rest[0](), rest[1:], stop_at, stopped, last)

    def keep(value: object = value) -> Value:
        return stopped(value)

    def go_on(rest: tuple[Callable[[], object], ...] = rest) -> Value:
        return _chain(rest[0](), rest[1:], stop_at, stopped, last)

    thunks = (go_on, keep) if stop_at else (keep, go_on)
    return stage_branches.stage(decided, thunks, f"the {'or' if stop_at else 'and'} at {where(rest[0])}")


_Of = Callable[[Value], Value]


def _itself(value: Value) -> Value:
    return value


def _false(_: Value) -> bool:
    return False


def _true(_: Value) -> bool:
    return True


def not_(value: object) -> Value:
    """`not value`, always a bool."""
    decided = truth(value)
    return (not decided) if isinstance(decided, bool) else python_scalar(atoms.logical_not(decided))


def differs(one: object, other: object) -> Value:
    """`one != other` by the `==` of its class, whose result may be one that is known only at run time.

    Where its class leaves the answer to the other operand so does this: an array compares its elements.
    """
    same = type(one).__eq__(one, other)
    return same if same is NotImplemented else not_(same)

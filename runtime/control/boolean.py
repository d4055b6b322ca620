"""`and`, `or`, `not`: short-circuit, and with the values that Python returns."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.base.value import Value
from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.control.if_ import where
from anabranch.runtime.values import atoms
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar


def and_(first: object, *rest: Callable[[], object]) -> Value:
    """`first and rest[0]() and …`: the first false value, or the last one."""
    return _chain(first, rest, stop_at=False)


def or_(first: object, *rest: Callable[[], object]) -> Value:
    """`first or rest[0]() or …`: the first true value, or the last one."""
    return _chain(first, rest, stop_at=True)


def _chain(value: object, rest: tuple[Callable[[], object], ...], stop_at: bool) -> Value:
    if not rest:
        return value
    decided = truth(value)
    if isinstance(decided, bool):
        return value if decided is stop_at else _chain(rest[0](), rest[1:], stop_at)

    def keep(value: object = value) -> Value:
        return value

    def go_on(rest: tuple[Callable[[], object], ...] = rest) -> Value:
        return _chain(rest[0](), rest[1:], stop_at)

    thunks = (go_on, keep) if stop_at else (keep, go_on)
    return stage_branches.stage(decided, thunks, f"the {'or' if stop_at else 'and'} at {where(rest[0])}")


def not_(value: object) -> Value:
    """`not value`, always a bool."""
    decided = truth(value)
    return (not decided) if isinstance(decided, bool) else python_scalar(atoms.logical_not(decided))

"""Classes whose methods are replaced while something is traced, and the namespace that they are written to have."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping
from typing import Any

from anabranch.base import fork_locks
from anabranch.base.by_identity import IdentityDict
from anabranch.base.value import Value


@dataclasses.dataclass(slots=True)
class Staged:
    """A class, what it held before its methods were staged, and how many traces need them so.

    `stand_ins` are the descriptors of attributes that instances may be without.
    """

    cls: type
    before: dict[str, Any]
    traces: int = 0
    stand_ins: dict[str, object] = dataclasses.field(default_factory=dict)


NONE = object()  # before: nothing was there
lock = fork_locks.lock()
classes: IdentityDict[type, Staged] = IdentityDict()


def as_written(cls: type) -> dict[str, Value]:
    """The attributes of a class, without what stands in for some of them now."""
    staged = classes.get(cls)
    if staged is None:
        return vars(cls).copy()
    with lock:
        now = vars(cls)
        before = {n: v for n, v in staged.before.items() if now.get(n) is staged.stand_ins.get(n, now.get(n))}
    return {name: value for name, value in {**now, **before}.items() if value is not NONE}


def methods(held: Mapping[str, object]) -> dict[str, Any]:
    """Return those attributes of a class that are methods, properties and the like."""
    return {name: value for name, value in held.items() if callable(value) or hasattr(value, "__get__")}


def replaced(cls: type, before: Mapping[str, object]) -> dict[str, Any]:
    """Return the methods that a class had before, by name, where it has others now or none; None where it had none."""
    now = methods(as_written(cls))
    return {name: before.get(name) for name in {**before, **now} if now.get(name) is not before.get(name)}


class Snapshot:
    """The entries of a namespace at some moment: that it is untouched is seen in C, which a look at each entry is not.

    A namespace that is not untouched may still hold what matters.
    """

    __slots__ = ("_names", "_values")

    def __init__(self, held: Mapping[str, object]) -> None:
        self._names, self._values = tuple(held), tuple(held.values())

    def is_of(self, now: Mapping[str, object]) -> bool:
        """Return whether a namespace holds the same objects by the same names, in the same order."""
        return (
            len(now) == len(self._names)
            and all(map(operator.is_, now.values(), self._values))
            and all(map(operator.eq, now, self._names))
        )

"""Loops over a deque, which raise where it has got or lost items since they began."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.branches.join import grow
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.failures import run_time_checks


class DequeWatch:
    """A loop over a list or a deque that may grow; of a list, which may change in the loop, nothing is checked."""

    def __init__(self, items: Growable | None) -> None:
        owner: Any = items
        self._owner = owner if items is not None and items.native is collections.deque else None
        self._length = self._length_now()
        self._changes = (0, 0) if self._owner is None else self._owner.changes

    def _length_now(self) -> Value:
        if self._owner is None:
            return 0
        return len(self._owner) if self._owner.items is None else self._owner.items.length

    def check(self, goes_on: Value) -> None:
        """Raise what Python does behind a step that has changed the deque, if the loop goes on."""
        if self._owner is None or self._owner.changes == self._changes:
            return
        gained, lost = (now > before for now, before in zip(self._owner.changes, self._changes, strict=True))
        if gained and lost:
            raise _refusal()
        changed = wrap.as_atom(self._length_now() != self._length, np.bool_)
        run_time_checks.fail_if(
            atoms.logical_and(changed, wrap.as_atom(goes_on, np.bool_)),
            lambda _: RuntimeError(_MUTATED),
        )


def known_items(items: collections.deque[Any]) -> Iterator[Any]:
    """The items of a deque of known length, which raises as Python's iterator does where it has got or lost some.

    A branch that is traced puts the items back, after which Python's own iterator raises, too.
    """
    before = tuple(items)
    for place in range(len(before)):
        held, untouched = tuple(items), iter(items)
        yield held[place]
        now = tuple(items)
        if len(now) != len(before):
            raise RuntimeError(_MUTATED)
        if any(a is not b for a, b in zip(held, now, strict=True)) or _raises(untouched):
            grow(items)  # of one that may grow it is known whether items were set, or were taken away and added
            raise _refusal()


def _raises(iterator: Iterator[Any]) -> bool:
    """Return whether an iterator over a deque of one item or more finds that it was changed."""
    try:
        next(iterator)
    except RuntimeError:
        return True
    return False


_MUTATED = "deque mutated during iteration"


def _refusal() -> UnsupportedOperationError:
    return UnsupportedOperationError(
        "a deque gets and loses items in a loop over it, or has items set and cannot grow; go over a copy of it, "
        "list(...), instead"
    )

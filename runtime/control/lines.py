"""Lists and tuples of run-time values of one form, gone over by a counted loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from anabranch.runtime.control import subscript
from anabranch.runtime.control.iteration import Countable
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir import Atom
from anabranch.runtime.trace import tracing
from anabranch.runtime.values import atoms, containers, item_memory, parts, wrap
from anabranch.runtime.values.items import MayGrow
from anabranch.runtime.values.parts import Form, UnlikeError
from anabranch.runtime.values.traced import Traced

FEW = 8  # lists of so many items are gone over item by item


class Line(Countable):
    """The items of a list or tuple, which lie side by side in arrays."""

    def __init__(self, items: Any, form: Form) -> None:
        self._items, self._form = items, form
        self._before = tuple(items)
        self._length = len(self._before)
        self._wholes = parts.wholes(self._before, form)

    @property
    def length(self) -> int:
        return self._length

    def at(self, index: Any) -> Any:
        if not isinstance(index, Traced):
            return self._items[index]
        if self._is_as_before():
            place: Atom = wrap.as_atom(index)
            return self._form.at(iter([item_memory.row(w, place) for w in self._wholes]))
        return subscript.chosen(list(self._items), index, index)

    def _is_as_before(self) -> bool:
        now = self._items
        return len(now) == self._length and all(a is b for a, b in zip(now, self._before, strict=True))

    def steps(self) -> Iterator[Any]:
        """The items one by one, and those that are appended while they are gone over."""
        self._length = -1
        yield from self._items

    def end(self, left: Atom) -> None:
        if self._length >= 0 and len(self._items) != self._length:
            raise UnsupportedOperationError(
                f"a {type(self._items).__name__} gets another length while it is gone over; go over a copy"
            )


def form_of(items: Any) -> Form | None:
    """The form of the items of a list or tuple that a counted loop can go over; None for anything else."""
    plain = type(items) in (list, tuple) or (isinstance(items, MayGrow) and items.native is list and items.items is None)
    if not tracing() or not plain or len(items) <= FEW or not containers.has_traced(items[0]):
        return None
    try:
        form = parts.common([parts.form_of(v, _never) for v in items])
    except UnlikeError:
        return None
    return form if form.types else None


def _never(_: Any) -> bool:
    return False


def line(items: Any) -> Line | None:
    """The staged form of such a list; None for anything else."""
    form = form_of(items)
    return None if form is None else Line(items, form)

"""The keys, the values and the items of a dict or a set of run-time keys, for loops over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.sequences.iterators import Once
from anabranch.runtime.control.staging import unpacking
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.hashed import Hashed, KeyedItems, OfHashed
from anabranch.runtime.values.heap.slots import FixedSlot
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.pytrees import exceptions


class _OwnerSlot(FixedSlot):
    """A view: what changes is the table."""

    __slots__ = ()

    def parts(self) -> tuple[object, ...]:
        held: tuple[object, ...] = self.target.holds
        return held


class View(Countable, OfHashed):
    """The keys of a table as they are when a loop over them begins, which must not be changed in it."""

    is_sized = True

    def __init__(self, table: Hashed, held: Hashed | None = None) -> None:
        self._owner = table
        self._opened = held
        self._length = table.count_
        self._removals = table.lost_()

    def __anabranch_slot__(self) -> FixedSlot:
        return _OwnerSlot(self)

    def fresh(self) -> Countable:
        return type(self)(self._owner, self._owner.opened_())

    @property
    def length(self) -> Value:
        """The number of entries: when the loop over the view began, or of the table now where no loop goes over it."""
        return self._owner.count_ if self._opened is None else self._length

    def __iter__(self) -> Iterator[Value]:
        if self._opened is not None:
            return super().__iter__()
        expected = unpacking.targets() if tracing() else None
        if expected is not None:
            unpacking.check_length(self.length, expected)
            return iter([self.at(place) for place in range(expected)])
        known = isinstance(self.length, int) or not tracing()
        return self.fresh().steps() if known else Cursor(self._owner, self.fresh())

    @property
    def _held(self) -> Hashed:
        """The table in whose lists the keys, and the values, lie in their order."""
        return self._owner.opened_() if self._opened is None else self._opened

    @property
    def holds(self) -> tuple[object, ...]:
        return (self._owner,)

    def at(self, index: int | PythonScalar) -> Value:
        self._check(atoms.literal(False))
        return self._element(index)

    def _element(self, index: int | PythonScalar) -> Value:
        return element(self._held.keys_, index)

    def end(self, left: Atom) -> None:
        self._check(left)

    def _refuse(self, _: object) -> NoReturn:
        raise UnsupportedOperationError(
            "items() of a dict whose keys are known only at run time is an operand; go over them by "
            "a for statement, or compare the dicts"
        )

    __and__ = __or__ = __sub__ = __xor__ = __rand__ = __ror__ = __rsub__ = __rxor__ = _refuse

    def _check(self, left: Atom) -> None:
        """Raise what Python does where the table has got or lost keys, unless the loop was left."""
        if self._opened is None:
            return
        lost = self._owner.has_lost_(self._removals)
        refusal = UnsupportedOperationError(
            f"a {self._owner.native.__name__} loses keys in a loop over it; go over a copy of its keys, "
            "list(...), instead"
        )
        if lost is True:
            raise refusal
        before, now = (wrap.as_atom(n, np.int64) for n in (self._length, self._owner.count_))
        if before is now:
            return
        changed = atoms.logical_and(atoms.ufunc(np.not_equal, before, now), atoms.logical_not(left))
        text = f"{'Set' if self._owner.native is set else 'dictionary'} changed size during iteration"
        run_time_checks.fail_if(changed, lambda _: RuntimeError(text))
        if lost is not False:
            mixed = atoms.logical_and(wrap.as_atom(lost, np.bool_), atoms.logical_not(left))
            run_time_checks.fail_if(mixed, lambda _: refusal)


class Values(View, sample=lambda: {}.values()):
    """The values of a dict."""

    def _element(self, index: int | PythonScalar) -> Value:
        return element(self._held.values_, index)


class Items(View, KeyedItems, sample=lambda: {}.items()):
    """The keys of a dict, each with its value."""

    def _element(self, index: int | PythonScalar) -> Value:
        held = self._held
        return (element(held.keys_, index), element(held.values_, index))


class Cursor(View, Once, sample=lambda: iter({})):
    """`iter(table)`, or of a view of it, each item once; the first ones may be asked for by `next`."""

    is_sized = False

    def fresh(self) -> Countable:
        return self

    def __init__(self, table: Hashed, items: Countable | None = None) -> None:
        View.__init__(self, table, table.opened_())
        Once.__init__(self)
        self._position = 0
        self._in_order = table.countable_() if items is None else items

    def _element(self, index: int | PythonScalar) -> Value:
        return self._in_order.at(index)

    def __next__(self) -> Value:
        place, missing = self._moved_on()
        if isinstance(missing, Literal) and missing.value:
            raise StopIteration  # which ends a loop of code that is not compiled
        exceptions.record(missing, StopIteration(), run_time_checks.user_frames())
        return self._element(place)

    def next_or(self, default: Value) -> Value:
        """Return the next key, or the default where there is none."""
        place, missing = self._moved_on()
        return if_(python_scalar(missing), lambda: default, lambda: self._element(place))

    def _moved_on(self) -> tuple[int, Atom]:
        """The place that is asked for now, and whether nothing is there."""
        self.refuse_elsewhere()
        place, self._position = self._position, self._position + 1
        if place > self._owner.request_.size:
            self._owner.plain_()  # code that is not compiled goes on until the iterator says that there is no more
        self._check(atoms.literal(False))
        count = wrap.as_atom(self._length, np.int64)
        return place, atoms.ufunc(np.less_equal, count, atoms.literal(place, np.int64))

    @property
    def under_way(self) -> bool:
        return self._position > 0 or super().under_way


def element(items: Any, place: Value) -> Value:
    """The element at a place of a list that is in range."""
    return items.as_items().item(place)

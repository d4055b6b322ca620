"""The order in which Python goes over a set, as far as it follows from the order in which the members have come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.containers import object_keys
from anabranch.runtime.control.generator_expression import for_each
from anabranch.runtime.control.hash_tables.views import View
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.pytrees import layout as layouts

# How the order of the members follows from that of the keys: of a set that has got them one by one, of one that is in
# the order of the keys, and of one that has lost members or comes of other sets.
GROWN, GIVEN, UNKNOWN = range(3)
KIND = np.dtype(np.int32)
_NO_ORDER = (
    "the order of a set whose members are known only at run time is asked for, and it is known where the members are "
    "numbers, or tuples of numbers, that were added one by one, or where the set is an argument that has got no "
    "others; go over sorted(the set), or keep the members in a list or in a dict, which have an order"
)


class Ordered(View):
    """The members of a set in Python's order."""

    def __init__(self, table: Any, order: Atom, held: Any = None) -> None:
        super().__init__(table, held)
        self._places = order

    def fresh(self) -> Countable:
        fresh: Countable = self._owner.countable_()
        return fresh

    def _element(self, index: int | PythonScalar) -> Value:
        place = item_memory.row(self._places, wrap.as_atom(index, np.int64))
        return super()._element(python_scalar(place, Interval(0, 2**31)))


class _OrderedNow(Ordered):
    """The same of a set that does not change before they have been gone over, whatever their order is."""

    def fresh(self) -> Countable:
        return self


def places(table: Any) -> Atom:
    """The places of the members in the order in which Python goes over them.

    Raises `UnsupportedOperationError` where that is not known, perhaps at run time.
    """
    known, members = _known(table), _numbers(table)
    given = _as_given(table)
    if known == GIVEN or _is_of_one(table):
        return given
    if members is not None and known != GROWN:
        current().trace.tables.ask_for_orders()
    if known == UNKNOWN or (known == GROWN and members is None):
        raise UnsupportedOperationError(_NO_ORDER)
    bad = _is(table, UNKNOWN) if members is not None else atoms.logical_not(_is(table, GIVEN))
    run_time_checks.fail_if(bad, lambda _: UnsupportedOperationError(_NO_ORDER))
    if members is None:
        return given
    grown = _as_grown(table, members)
    return grown if known == GROWN else atoms.select(_is(table, GIVEN), given, grown)


def _places_and_order(table: Any) -> tuple[Atom, int | Atom]:
    """The places as far as they are known, and how the order of a set follows that gets the members in this order."""
    known, members = _known(table), _numbers(table)
    given = _as_given(table)
    if known == GIVEN or _is_of_one(table):
        return given, GROWN
    if known == UNKNOWN or (known == GROWN and members is None):
        return given, UNKNOWN
    if members is None:
        return given, _chosen(_is(table, GIVEN), GROWN, UNKNOWN)
    grown = _as_grown(table, members)
    if known == GROWN:
        return grown, GROWN
    return atoms.select(_is(table, GROWN), grown, given), _chosen(_is(table, UNKNOWN), UNKNOWN, GROWN)


def _known(table: Any) -> int | None:
    return int(table.order_.value) if isinstance(table.order_, Literal) else None


def _is(table: Any, order: int) -> Atom:
    return atoms.ufunc(np.equal, table.order_, atoms.literal(order, KIND))


def _chosen(pred: Atom, one: int, other: int) -> Atom:
    return atoms.select(pred, atoms.literal(one, KIND), atoms.literal(other, KIND))


def _as_given(table: Any) -> Atom:
    capacity = table.keys_.as_items().structure.capacity
    return atoms.literal(np.arange(max(capacity, 1), dtype=np.int64))


def _as_grown(table: Any, members: Atom) -> Atom:
    return atoms.op("set_order", members, wrap.as_atom(table.count_, np.int64))


def _is_of_one(table: Any) -> bool:
    """Return whether the members are nothing that only the run knows."""
    structure = table.keys_.as_items().structure
    return not structure.rows and len(structure.variants) < 2


def _numbers(table: Any) -> Atom | None:
    """The members as a vector of numbers, or as a matrix where they are tuples; None where they are others."""
    keys = table.keys_.as_items()
    kinds, types = keys.structure.variants, keys.structure.rows
    dtype = np.result_type(np.int64, *[t.dtype for t in types])
    whole = all(t.dtype.kind in "biu" for t in types)
    expected = np.int64 if whole else np.float64
    if dtype != expected or not (whole or all(t.dtype.kind == "f" for t in types)):
        return None
    if len(kinds) != 1 or any(t.shape for t in types):
        return None
    columns = [atoms.convert(b, dtype) for b in keys.buffers]
    if isinstance(kinds[0], layouts.Leaf):
        return columns[0]
    if not isinstance(kinds[0], layouts.Node) or not object_keys.hashes_as_tuple(kinds[0].structure):
        return None
    if not all(isinstance(part, layouts.Leaf) for part in kinds[0].children):
        return None
    length = columns[0].type.shape[0]
    return atoms.op("concatenate", *(atoms.reshape(c, (length, 1)) for c in columns), axis=1)


# ---- what comes of two sets ------------------------------------------------------------------------------------------


def fill_with_common(made: Any, one: Any, other: Any, is_set: bool) -> None:
    """Give a new set the members that two have in common, in Python's order."""
    _add_common(made, one, other, is_set, _fill)


def add_common(made: Any, one: Any, other: Any, is_set: bool) -> None:
    """Give a new set the members that two have in common, in any order."""
    _add_common(made, one, other, is_set, _fill_in_any_order)


def _add_common(made: Any, one: Any, other: Any, is_set: bool, fill: Callable[[Any, Any, Any], None]) -> None:
    """Python goes over the smaller of two sets, and over what is no set: its members are in the new set."""

    def over_other(made: Any = made, one: Any = one, other: Any = other) -> None:
        (fill if is_set else _fill_in_any_order)(made, other, one.contains_)

    def over_one(made: Any = made, one: Any = one, other: Any = other) -> None:
        fill(made, one, other.contains_)

    if is_set:
        if_(other.count_ <= one.count_, over_other, over_one)
    else:
        over_other()


def fill_with_others(made: Any, one: Any, other: Any, is_sized: bool) -> None:
    """Give a new set the members that the one has, and the other has not, in Python's order.

    Of a set that is much larger Python makes a copy, from which it takes away; so it does where the other has no size.
    """
    _fill(made, one, lambda member: other.contains_(member) == False)  # noqa: E712 - of a run-time value
    if not is_sized:
        made.mix_()
        return
    copied = wrap.as_atom((one.count_ >> 2) > other.count_, np.bool_)
    made.set_order_(atoms.select(copied, atoms.literal(UNKNOWN, KIND), made.order_))


def _fill(made: Any, over: Any, kept: Callable[[Value], Value]) -> None:
    order, kind = _places_and_order(over)
    _add_those(made, _OrderedNow(over, order), kept)
    made.set_order_(kind)


def _fill_in_any_order(made: Any, over: Any, kept: Callable[[Value], Value]) -> None:
    _add_those(made, over.members_(), kept)


def _add_those(made: Any, members: Any, kept: Callable[[Value], Value]) -> None:
    def each(member: Value, made: Any = made) -> None:
        def add(made: Any = made) -> None:
            made.add_new_(member)

        if_(kept(member), add, lambda: None)

    for_each(members, each)

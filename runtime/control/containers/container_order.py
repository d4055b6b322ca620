"""Comparisons of tuples, lists and dicts that hold run-time values, and what is made of them: sorting, finding."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentitySet
from anabranch.base.value import Value
from anabranch.runtime.control import boolean
from anabranch.runtime.control.branches import select_value
from anabranch.runtime.control.branches.truth import truth, truth_value
from anabranch.runtime.control.columnar import node_access
from anabranch.runtime.control.containers import list_order, missing_items, object_keys
from anabranch.runtime.control.texts import text_operations
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import FULL, Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, containers, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.hashed import Hashed
from anabranch.runtime.values.host_types.host_type import HostTyped
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN, looked_up
from anabranch.runtime.values.user_classes import reads_as_dict


def compared(operation: Callable[[Any, Any], object], a: object, b: object) -> Value:
    """`a OP b`; of containers with run-time parts as Python does it, part by part."""
    if (found := looked_up(operation, a, b)) is not UNKNOWN:
        return found
    if _is_one_of_numbers(a) or _is_one_of_numbers(b):
        if all(_is_one_of_numbers(v) or _is_ordinary_number(v) for v in (a, b)):
            return operation(a, b)  # which gives what each number gives: Python's bools or NumPy's
        a, b = _as_one_number(a), _as_one_number(b)
    if not _share_parts(a, b):
        a, b = _as_one_tuple(a), _as_one_tuple(b)
    if isinstance(a, Reference) or isinstance(b, Reference):
        one, other = map(_held, (a, b))
        if _is_plain(one) and _is_plain(other):
            if operation not in (operator.eq, operator.ne):
                return compared(operation, one, other)
            result = boolean.or_(_is_one(a, b), lambda: equal(one, other))
            return boolean.not_(result) if operation is operator.ne else result
    if (isinstance(a, UnionValue) or isinstance(b, UnionValue)) and _may_be_texts(a) and _may_be_texts(b):
        return text_operations.compared(operation, a, b)
    for choice, other, left in ((a, b, True), (b, a, False)):
        if isinstance(choice, UnionValue) and choice.of_objects:
            return choice.through(lambda v, o=other, w=left: compared(operation, *((v, o) if w else (o, v))))  # type: ignore[misc]
    if not (_is_plain(a) and _is_plain(b) and (containers.has_traced(a) or containers.has_traced(b))):
        return operation(a, b)
    if operation is operator.ne:
        return boolean.not_(equal(a, b))
    if operation is operator.eq:
        return equal(a, b)
    return _ordered(operation, a, b)


def _may_be_texts(value: object) -> bool:
    """Return whether a value is a text, or one of several: their characters are compared once, not those of each."""
    options = value.options if isinstance(value, UnionValue) else (value,)
    return all(isinstance(option, (str, Text)) for option in options)


def _held(value: object) -> Value:
    """A dict or list that is one of the nodes of a structure as one of what it holds."""
    copied = value.copied_() if isinstance(value, Reference) else value
    return value if copied is NotImplemented else copied


def _is_one(a: Value, b: Value) -> Value:
    """Return whether two values, of which one is a node, are one object."""
    same = node_access.is_(a, b) if isinstance(a, Reference) else node_access.is_(b, a)
    return same if isinstance(same, bool) else python_scalar(same)


def _is_one_of_numbers(value: object) -> bool:
    return isinstance(value, UnionValue) and value.worth is not None


def _as_one_number(value: Value) -> Value:
    """A number of one of a few kinds as one that is worth the same: beside what is no number it is only compared."""
    return value.resolve() if _is_one_of_numbers(value) else value


def _as_one_tuple(value: Value) -> Value:
    """One of a few tuples of numbers, texts and lists in arenas as one tuple: it is compared once, not with each."""
    if not isinstance(value, UnionValue) or not all(map(_is_simple_tuple, value.options)):
        return value
    if len(set(map(len, value.options))) > 1:
        return value
    one = select_value.one_tuple(value)
    return value if one is None else one


def _is_simple_tuple(value: Value) -> bool:
    return type(value) is tuple and all(map(_is_simple_part, value))


def _is_simple_part(value: Value) -> bool:
    if _is_known_text(value) or _is_ordinary_number(value):
        return True
    structure = containers.structure_of(value)
    return structure is not None and structure.is_in_arena


def _share_parts(a: Value, b: Value) -> bool:
    """Return whether two tuples, or some that they may be, share a number: NaN is equal to itself, as an object."""
    parts = IdentitySet[object]()
    for value, other in ((a, False), (b, True)):
        for option in value.options if isinstance(value, UnionValue) else (value,):
            for part in option if type(option) is tuple else ():
                if other and part in parts:
                    return True
                if not other and isinstance(part, (float, Tracer)):
                    parts.add(part)
    return False


def _is_plain(value: object) -> bool:
    if is_dynamic_list(value):
        return False
    if isinstance(value, dict):
        return type(value).__eq__ is dict.__eq__ and (type(value) is dict or reads_as_dict(type(value)))
    return isinstance(value, (tuple, list))


def _alike(a: object, b: object) -> bool:
    return any(isinstance(a, kind) and isinstance(b, kind) for kind in (tuple, list, dict))


def _are_one(a: Value, b: Value) -> bool:
    """Return whether two values are one object, which is equal to itself in a container, NaN too."""
    if a is b:
        return True
    return isinstance(a, PythonScalar) and isinstance(b, PythonScalar) and a.atom is b.atom


def equal(a: Value, b: Value) -> Value:
    """`a == b` as a bool, plain or traced; what is one object is equal, as in Python's containers."""
    if _are_one(a, b):
        return True
    if not (_is_plain(a) and _is_plain(b)):
        return truth_value(compared(operator.eq, a, b))
    if not _alike(a, b) or len(a) != len(b):
        return False
    if isinstance(a, dict):
        if a.keys() != b.keys():
            return False
        a, b = list(a.values()), [b[k] for k in a]
    leading = _flat_parts(a, b, operator.eq)
    whole: Atom = atoms.literal(True)
    for (same,) in leading:
        whole = atoms.logical_and(whole, same)
    result: Any = truth_value(python_scalar(whole))
    for x, y in zip(a[len(leading) :], b[len(leading) :], strict=True):
        result = boolean.and_(result, lambda x=x, y=y: equal(x, y))  # type: ignore[misc]
    return result


def _ordered(operation: Callable[[Any, Any], Any], a: Value, b: Value) -> Value:
    """By the first parts that differ, else by the lengths."""
    if not _alike(a, b) or isinstance(a, dict):
        return operation(type(a)(), type(b)())  # raises what Python raises
    if not a or not b:
        return operation(len(a), len(b))
    if leading := _flat_parts(a, b, operator.eq, operation):
        return _decided_by(leading, operation, a, b)
    if len(a) == len(b) == 1 and operation in (operator.lt, operator.gt) and all(map(_is_simple_part, (*a, *b))):
        return truth_value(compared(operation, a[0], b[0]))  # of equal ones it is False, as of the lengths
    same = equal(a[0], b[0])
    if same is True:
        return _ordered(operation, a[1:], b[1:])
    if same is False:
        return compared(operation, a[0], b[0])
    return boolean.or_(
        boolean.and_(boolean.not_(same), lambda: truth_value(compared(operation, a[0], b[0]))),
        lambda: boolean.and_(same, lambda: _ordered(operation, a[1:], b[1:])),
    )


def _flat_parts(a: Value, b: Value, *operations: Callable[[Any, Any], Any]) -> list[tuple[Atom, ...]]:
    """The comparisons of the leading parts of two tuples or lists, as far as they have no side effects."""
    found: list[tuple[Atom, ...]] = []
    for x, y in zip(a, b, strict=False):
        results = [_flat(operation, x, y) for operation in operations]
        if any(result is None for result in results):
            break
        found.append(tuple(results))  # type: ignore[arg-type]
    return found


def _decided_by(leading: Sequence[tuple[Atom, ...]], operation: Callable[[Any, Any], Any], a: Value, b: Value) -> Value:
    """By the first of the leading parts that differ, each given as `==` and the order; else by what follows them."""
    number = len(leading)
    ended = number == min(len(a), len(b))
    whole: Atom = atoms.literal(True)
    decided: Atom = atoms.literal(ended and bool(operation(len(a), len(b))))
    for same, here in reversed(leading):
        whole = atoms.logical_and(same, whole)
        decided = atoms.logical_or(atoms.logical_and(same, decided), atoms.logical_and(atoms.logical_not(same), here))
    before = truth_value(python_scalar(decided))
    if ended:
        return before
    all_same = truth_value(python_scalar(whole))
    return boolean.or_(before, lambda: boolean.and_(all_same, lambda: _ordered(operation, a[number:], b[number:])))


def _flat(operation: Callable[[Any, Any], Any], x: Value, y: Value) -> Atom | None:
    """A comparison of two parts that computes a bool and does nothing else; None for any other."""
    if _are_one(x, y):
        return atoms.literal(operation is operator.eq)
    if _is_ordinary_number(x) and _is_ordinary_number(y):
        return wrap.as_atom(operation(x, y), np.bool_)
    if not (_is_known_text(x) and _is_known_text(y)):
        return None
    found = looked_up(operation, x, y)
    if found is UNKNOWN:
        return wrap.as_atom(operation(x, y), np.bool_) if type(x) is type(y) is str else None
    return wrap.as_atom(found, np.bool_)


def _is_ordinary_number(value: Value) -> bool:
    return type(value) in (bool, int, float) or _is_ordered_number(value)


def _is_known_text(value: Value) -> bool:
    if isinstance(value, UnionValue):
        return all(type(option) is str for option in value.options)
    return type(value) is str


def _is_ordered_number(value: Value) -> bool:
    known = isinstance(value, Tracer) and not value.abstract.shape and value.abstract.kind is not Kind.ARRAY
    return known and value.abstract.dtype.kind in "biuf"


_WHOLE = (tuple, Hashed, HostTyped)
_PARTS = (*_WHOLE, UnionValue)


def _has_own_rule(part: object) -> bool:
    """Return whether a part of a key is compared otherwise than in a list."""
    return isinstance(part, _PARTS) or containers.is_hashed_object(part)


def same_key(a: Value, b: Value) -> Value:
    """`a == b` of two keys of a dict or members of a set: where one alone is a tuple their hashes differ.

    NumPy's numbers compare themselves with the items of a tuple, but a table never asks them.
    """
    for choice, other in ((a, b), (b, a)):
        if not isinstance(choice, UnionValue):
            continue
        if isinstance(other, (Hashed, HostTyped)) or any(isinstance(option, _WHOLE) for option in choice.options):
            return choice.through(lambda one, other=other: same_key(one, other))  # type: ignore[misc]
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Hashed):
            return one.same_members_(other)
        if isinstance(one, HostTyped):
            return one.same_key_(other)
    if containers.is_hashed_object(a) and containers.is_hashed_object(b):
        return object_keys.same_objects(a, b, equal)
    if isinstance(a, tuple) and isinstance(b, tuple) and any(_has_own_rule(x) for x in (*a, *b)):
        result: Any = len(a) == len(b)
        for x, y in zip(a, b, strict=False):
            result = boolean.and_(result, lambda x=x, y=y: same_key(x, y))  # type: ignore[misc]
        return result
    return equal(a, b) if isinstance(a, tuple) == isinstance(b, tuple) else False


def index(items: Sequence[Value], value: Value, start: Value = 0, stop: Value = None, missing: str = "") -> Value:
    """As `list.index`."""
    places = range(len(items))[slice(start, stop)]
    found: Atom = atoms.literal(False)
    place: Atom = atoms.literal(0, np.int64)
    for i in places:
        same = truth(equal(items[i], value))
        atom = atoms.literal(same) if isinstance(same, bool) else same
        here = atoms.logical_and(atom, atoms.logical_not(found))
        place = atoms.select(here, atoms.literal(i, np.int64), place)
        found = atoms.logical_or(found, atom)
    text = missing or ("tuple.index(x): x not in tuple" if isinstance(items, tuple) else "{} is not in list")
    missing_items.fail_where(atoms.logical_not(found), value, text)
    return python_scalar(place, Interval(0, max(len(items) - 1, 0)))


def count(items: Sequence[object], value: object) -> Value:
    """As `list.count`."""
    return sum(truth_value(equal(item, value)) for item in items)


_MOST_SORTED = 32


def sorted_items(
    items: Sequence[object], key: Callable[[Any], object] | None = None, reverse: bool = False
) -> list[Value]:
    """As `sorted`: numbers, and tuples of them, by sorts of arrays, a few others by insertion.

    Raises `UnsupportedOperationError` for more others than a few; and at run time for NaN, whose place depends on
    Python's way of sorting.
    """
    keys = list(items) if key is None else list_order.keys_of(items, key)
    traced = any(map(containers.has_traced, keys))
    made = list_order.sorted_by_keys(items, keys, reverse) if traced else None
    if made is not None:
        return made
    rows = list(zip(keys, items, strict=True))
    rows = rows[::-1] if reverse else rows
    if not traced:
        ordered = sorted(range(len(rows)), key=lambda i: rows[i][0])
        return _reversed_if(reverse, [rows[i][1] for i in ordered])
    if len(rows) > _MOST_SORTED:
        compared(operator.lt, rows[1][0], rows[0][0])  # raises for what has no order
        raise UnsupportedOperationError(
            f"{len(rows)} items are sorted by values known only at run time that are not numbers of one type, or "
            f"tuples of these, which is supported for up to {_MOST_SORTED} items; sort by numbers (key=...), or use "
            "np.argsort"
        )
    placed: list[_Row] = []
    for row in rows:
        list_order.refuse_nan_in(row[0])
        placed = _inserted(placed, row)
    return _reversed_if(reverse, [item for _, item in placed])


_Row = tuple[Any, Any]


def _reversed_if(reverse: bool, items: list[Value]) -> list[Value]:
    return items[::-1] if reverse else items


def _inserted(placed: list[_Row], row: _Row) -> list[_Row]:
    """A row put before the first of the placed rows that are greater; they stand in order."""
    made, carried = [], row
    moving: Any = False
    for other in placed:
        moving = boolean.or_(moving, lambda k=other[0]: truth_value(compared(operator.lt, row[0], k)))  # type: ignore[misc]
        decided = truth(moving)
        made.append(_either(decided, carried, other))
        carried = _either(decided, other, carried)
    return [*made, carried]


def _either(decided: bool | Atom, on_true: _Row, on_false: _Row) -> _Row:
    if isinstance(decided, bool):
        return on_true if decided else on_false
    key = select_value.choose(decided, on_true[0], on_false[0], FULL, "sorting")
    if on_true[0] is on_true[1] and on_false[0] is on_false[1]:
        return key, key
    return key, select_value.choose(decided, on_true[1], on_false[1], FULL, "sorting")

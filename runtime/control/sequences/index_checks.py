"""The place of an index, with the check that there is one: an IndexError in Python's words where there is none."""

from __future__ import annotations

import collections

from anabranch.base.value import Value
from anabranch.runtime.values.arrays.index_numbers import check_place
from anabranch.runtime.values.python_numbers.sequence_index import place_of

_NAMES: dict[type, str] = {
    range: "range object", list: "list", tuple: "tuple", collections.deque: "deque", str: "string", bytes: "bytes",
}  # fmt: skip


def checked_index(key: Value, length: int, kind: type, what: str) -> Value:
    """The place of an index from 0 on, with the check that there is one."""
    name = next((_NAMES[base] for base in kind.__mro__ if base in _NAMES), kind.__name__)
    if issubclass(kind, (collections.deque, tuple, range, str, bytes)):
        what = "index"
    check_place(key, "byte" if kind is bytes else name.partition(" ")[0])
    return in_range(key, length, f"{what} out of range" if kind is bytes else f"{name} {what} out of range")


def in_range(key: object, length: int, text: str) -> Value:
    """Return the place from 0 on of an integer that is an index; an `IndexError` says the text where there is none."""
    place = place_of(key, length, text)
    if not length:
        raise IndexError(text)
    return place


def checked_dynamic_index(key: Value, length: Value, name: str) -> Value:
    """The place of an index in a sequence of this length, which may be known only at run time."""
    if isinstance(length, int):
        return checked_index(key, length, list if name == "list" else tuple, "index")
    check_place(key, name)
    return place_of(key, length, f"{name} index out of range")

"""Texts that host calls return: a compiled program has their numbers, and the host has the texts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from anabranch.base.fork_locks import lock
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.values import containers, lazy_text
from anabranch.runtime.values.tracer import Tracer

# Bounded, since a text may never be asked for.
_MOST = 4096
_texts: dict[int, str] = {}
_numbers = itertools.count(1)
_turn = lock()


def kept(text: str) -> int:
    """The number of a text, by which it is found until many others have come."""
    with _turn:
        number = next(_numbers)
        _texts[number] = text
        if len(_texts) > _MOST:
            _texts.pop(next(iter(_texts)))
    return number


def text_of(number: int) -> str:
    """The text of a number; of 0, which stands for none yet, an empty one.

    Raises `RuntimeError` where too many others have come since.
    """
    if number and number not in _texts:
        raise RuntimeError(f"a call returned more than {_MOST} texts of functions that are not compiled")
    return _texts.get(number, "")


class HostText:
    """The stand-in for such a text among the parts of one that is known only at run time."""

    __slots__ = ("number",)

    def __init__(self, number: Value) -> None:
        self.number = number

    def __anabranch_structure__(self) -> HostTextStructure:
        return HostTextStructure(HostText, ("number",))


@frozen
class HostTextStructure(containers.Structure):
    """That of such a text, whose part is its number."""

    mutable = False

    def children(self, value: Value) -> list[Value]:
        return [value.number]

    def build(self, children: Sequence[Value]) -> Value:
        (number,) = children
        return HostText(number) if isinstance(number, Tracer) else text_of(int(number))


def text(number: Value) -> Value:
    """The text of a number that is known only at run time."""
    return lazy_text.Text("__add__", ("", HostText(number)))

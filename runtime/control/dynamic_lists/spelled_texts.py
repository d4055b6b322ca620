"""Texts whose characters lie in memory: what a text becomes that a loop, or a recursion, makes longer step by step.

Such a text is a list of characters, each known by its code, which grows as any other list does.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.dynamic_lists.dynamic_list import GrowableList
from anabranch.runtime.control.generator_expression import for_each
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.control.texts import text_operations
from anabranch.runtime.control.texts.characters_of import characters_of
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.abstract import python_abstract
from anabranch.runtime.values.control_of_atoms import counted
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure, capacity_of
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.lazy_text import Text, TextStructure, is_spelled
from anabranch.runtime.values.list_buffer import ListBuffer
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import layout as layouts, layout_join
from anabranch.runtime.values.union import UnionValue

_INT64 = np.dtype(np.int64)
_FEW = 8  # so many characters are appended one by one
_INT = python_abstract(int)
_CHARACTER = layouts.Node(TextStructure(Text, (0, 1), method="format"), (layouts.Constant("{:c}"), layouts.Leaf(_INT)))


def spelled(text: Value) -> Text:
    """A text as one whose characters lie in memory."""
    characters = text_operations.known_characters(text)
    most = size_arithmetic.interval_of(characters.length).high
    codes: Atom = atoms.literal(np.zeros(0, _INT64))
    if most:

        def step(place: Atom, carries: Sequence[Atom], rows: Sequence[Atom]) -> tuple[list[Atom], list[Atom]]:
            return [], [characters.code(place)]

        (codes,) = counted(atoms.literal(most, _INT64), most, step, [])
    return Text("spelled", (Items(_structure(most), (characters.length, ListBuffer(codes))),))


def _structure(most: int) -> ItemsStructure:
    return ItemsStructure(Items, (), None, (_CHARACTER,), most)


def joined(separator: Value, texts: Value) -> Text | None:
    """`separator.join(texts)` of a list of run-time length; None where the characters are not known."""
    if not is_dynamic_list(texts) or type(texts.items.length) is int or not texts.items.structure.variants:
        return None
    between = characters_of(separator)
    if between is None or characters_of(texts.items.item(0)) is None:
        return None
    made = GrowableList()
    made.become(Items(_structure(0), (0, ListBuffer(atoms.literal(np.zeros(0, _INT64))))))

    def append(place: Value, made: GrowableList = made, texts: Value = texts) -> None:
        if_(place > 0, lambda made=made: _extend(made, separator), lambda: None)
        _extend(made, texts[place])

    for_each(Range(0, texts.items.length, 1), append)
    return Text("spelled", (made.as_items(),))


def added(first: Value, second: Value) -> Value:
    """`first + second`, of which one is such a text."""
    for value, other, is_first in ((first, second, True), (second, first, False)):
        if isinstance(value, UnionValue) and characters_of(value) is None:
            return value.through(lambda v, o=other, f=is_first: added(*((v, o) if f else (o, v))))  # type: ignore[misc]
        if not isinstance(value, (str, Text, UnionValue)):
            return NotImplemented
    whole = first if is_spelled(first) else spelled(first)
    made = GrowableList()
    made.become(whole.parts[0])
    _extend(made, second)
    return Text("spelled", (made.as_items(),))


def _extend(made: GrowableList, text: Value) -> None:
    """Append the characters of a text."""
    if isinstance(text, str) and len(text) <= _FEW:
        for character in text:
            made.append(_of_code(ord(character)))
        return
    characters = text_operations.known_characters(text)

    def append(place: Value, made: GrowableList = made) -> None:
        code = characters.code(size_arithmetic.atom_of(place))
        made.append(_of_code(python_scalar(code, Interval(0, 0x10FFFF))))

    for_each(Range(0, characters.length, 1), append)


def _of_code(code: Value) -> Text:
    return Text("format", ("{:c}", code))


# ---- layouts ---------------------------------------------------------------------------------------------------------


def layout_of(options: Sequence[layouts.Layout]) -> layouts.Layout | None:
    """The layout of one of several texts as such a text; None where some may be longer than is known."""
    lists: list[layouts.Layout] = []
    for option in options:
        if isinstance(option, layouts.Node) and is_spelled(option.structure):
            lists.append(option.children[0])
            continue
        most = _most(option)
        if most is None:
            return None
        lists.append(_structure(most).layout)
    found = lists[0]
    for one in lists[1:]:
        found = layout_join.join(found, one)
    if not isinstance(found, layouts.Node):
        return None
    return layouts.Node(TextStructure(Text, (0,), method="spelled"), (found,))


def _most(layout: layouts.Layout) -> int | None:
    """How many characters a text of a layout has at most; None where that is not known."""
    match layout:
        case layouts.Constant(str() as text):
            return len(text)
        case layouts.Union(options):
            return _longest(options)
        case layouts.Node(TextStructure(method="spelled"), (layouts.Node() as contents,)):
            return capacity_of(contents)
        case layouts.Node(TextStructure(method="format", keywords=()), (layouts.Constant(str() as template), *values)):
            return _most_shown(template, values)
        case layouts.Node(TextStructure(method="__add__"), (first, second)):
            return _sum([_most(first), _most(second)])
        case layouts.Node(TextStructure(method="decoded"), (codes, _)) if (held := layouts.numeric(codes)) is not None:
            return held.shape[0]
        case layouts.Node(TextStructure(method="numpy.str_"), (text,)):
            return _most(text)
        case layouts.Node(TextStructure(method="part" | "strip" | "lstrip" | "rstrip" | "upper" | "lower"), (text, *_)):
            return _most(text)
    return None


def _longest(options: Sequence[layouts.Layout]) -> int | None:
    found = [_most(option) for option in options]
    known = [most for most in found if most is not None]
    return max(known) if len(known) == len(found) else None


def _sum(found: Sequence[int | None]) -> int | None:
    known = [most for most in found if most is not None]
    return sum(known) if len(known) == len(found) else None


def _most_shown(template: str, values: Sequence[layouts.Layout]) -> int | None:
    """How many characters there are at most where a template shows values without more than their types."""
    found: list[int | None] = []
    left = iter(values)
    for text, field, spec, _ in string.Formatter().parse(template):
        found.append(len(text))
        if field is None:
            continue
        value = next(left, None)
        if value is None or field or spec not in ("", "d", "c"):
            return None
        found.append(_MOST_OF_INT if _is_int(value) else _most(value))
    return _sum(found)


_MOST_OF_INT = len(str(-(2**63)))


def _is_int(layout: layouts.Layout) -> bool:
    abstract: Any = layouts.numeric(layout)
    return abstract is not None and not abstract.shape and abstract.dtype.kind in "biu"

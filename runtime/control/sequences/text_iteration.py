"""Text that a run-time index leads into: which characters are meant is known only at run time, all of them before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.columnar import text_items
from anabranch.runtime.control.sequences import chosen_item
from anabranch.runtime.control.sequences.countable import Countable, changes_length
from anabranch.runtime.control.texts import text_operations
from anabranch.runtime.control.texts.characters import Characters
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import text_tables, wrap
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

MANY = 16  # of so many texts the loop over each is a branch of its own
FEW = 8  # lists of so many strings are gone over one by one


class KnownText(Countable):
    """The characters of a string, the bytes of others, or the strings (or rows with strings) of a list or tuple."""

    def __init__(self, items: Value) -> None:
        self._source = items
        self._before = tuple(items)
        self._length = len(self._before)

    is_known = True

    def at(self, index: int | PythonScalar) -> Value:
        if not isinstance(index, Tracer):
            return self._source[index]
        current().trace.text.has_codes = True
        if isinstance(self._source, (str, bytes)):
            return chosen_item.chosen(self._before, index, index)
        return chosen_item.chosen(list(self._source), index, index)

    def steps(self) -> Iterator[Value]:
        """The items one by one, and those that are appended while they are gone over."""
        yield from self._source

    def end(self, left: Atom) -> None:
        if len(self._source) != self._length:
            raise changes_length(self._source)


class OneOfTexts(Countable):
    """The characters of one of many texts."""

    def __init__(self, texts: UnionValue) -> None:
        self._texts = texts
        self._length = text_items.length(texts)

    def at(self, index: int | PythonScalar) -> Value:
        return text_items.character(self._texts, index)


class RunTimeText(Countable):
    """The characters of a text that is known only at run time."""

    def __init__(self, characters: Characters) -> None:
        self._characters = characters

    @property
    def length(self) -> Value:
        return self._characters.length

    def at(self, index: int | PythonScalar) -> Value:
        return self._characters.at(wrap.as_atom(index, np.int64))


def run_time_text(text: Value) -> Countable | None:
    """The staged form of a text that is known only at run time; None for one of several that are known."""
    if isinstance(text, UnionValue) and not any(isinstance(option, Text) for option in text.options):
        return None
    return RunTimeText(text_operations.known_characters(text))


def characters(items: Value) -> Countable | None:
    """The staged form of text, of one of many texts, or of a list or tuple of strings; None for anything else."""
    if text_items.is_one_of_texts(items):
        return OneOfTexts(items) if len(items.options) > MANY else None
    return KnownText(items) if is_text(items) else None


def is_text(items: Value) -> bool:
    """Return whether a loop over the items can be one over their codes."""
    if not tracing() or current().trace.unrolling.reason is not None:
        return False
    if type(items) in (str, bytes):
        return True
    plain = type(items) in (list, tuple) or (
        isinstance(items, Growable) and items.native is list and items.items is None and items.row_binding is None
    )
    return plain and len(items) > FEW and all(map(_is_textual, items))


def _is_textual(item: object) -> bool:
    """Return whether an item is a text, or a tuple of constants with a text in it."""
    return type(item) is str or (type(item) is tuple and text_tables.is_constant(item) and str in map(type, item))

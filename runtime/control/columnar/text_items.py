"""Characters and parts of texts at places known only at run time: a table of what stands there."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, text_tables, wrap
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.python_numbers.sequence_index import place_of
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN


def length(texts: UnionValue) -> Value:
    """The number of characters of one of a few texts."""
    return text_tables.look_up(len, texts)


def is_one_of_texts(value: object) -> bool:
    """Return whether a value is one of a few texts of one class."""
    return isinstance(value, UnionValue) and text_tables.is_choice(value) and len(set(map(type, value.options))) == 1


def character(texts: UnionValue, index: int | PythonScalar) -> Value:
    """The character of one of a few texts at a place that is in range."""
    starts = itertools.accumulate(map(len, texts.options[:-1]), initial=0)
    first = wrap.as_atom(text_tables.entry(texts.tag, list(starts)), np.int64)
    place = atoms.ufunc(np.add, first, wrap.as_atom(index, np.int64))
    return text_tables.entry(place, [c for text in texts.options for c in text])


def position(texts: UnionValue, key: Value) -> Value:
    """The place of an index from 0 on in one of a few texts, with the check that there is one."""
    name = "string index" if isinstance(texts.options[0], str) else "index"
    return place_of(key, length(texts), f"{name} out of range", max(map(len, texts.options)))


def part(text: str | bytes, key: slice) -> Value:
    """A part of a string between bounds of which some are known only at run time."""
    given = (key.start, key.stop, key.step)
    if not any(isinstance(b, Tracer) for b in given):
        return operator.getitem(text, key)
    if isinstance(key.step, Tracer) or not all(map(_is_int, given)):
        return operator.getitem(text, key)
    current().trace.text.has_codes = True
    start, stop = (None if b is None else size_arithmetic.bound_of(b) for b in given[:2])
    distance = None if start is None or stop is None else size_arithmetic.distance(stop, start)
    if distance is not None and (key.step is None or key.step > 0):
        # At a distance from one another that is known: one of them says all.
        row = _places(start, len(text) + abs(distance), len(text))
        index = atoms.ufunc(np.subtract, _within(start, row), atoms.literal(row[0], np.int64))
        found = text_tables.entry(index, [text[k : k + distance : key.step] for k in row])
    else:
        found = _between(text, start, stop, key.step)
    return operator.getitem(text, key) if found is UNKNOWN else found


def _between(text: str | bytes, start: object, stop: object, step: int | None) -> Value:
    """The part of a text between bounds that have nothing to do with one another."""
    size = len(text)
    rows: list[Any] = [_places(b, size + 1, size) if isinstance(b, Tracer) else [b] for b in (start, stop)]
    if len(rows[0]) * len(rows[1]) > text_tables.MOST_ENTRIES:
        return UNKNOWN
    index: Atom = atoms.literal(0, np.int64)
    for bound, row in zip((start, stop), rows, strict=True):
        if isinstance(bound, Tracer):
            place = atoms.ufunc(np.subtract, _within(bound, row), atoms.literal(row[0], np.int64))
            index = atoms.ufunc(np.add, atoms.ufunc(np.multiply, index, atoms.literal(len(row), np.int64)), place)
    return text_tables.entry(index, [text[i:j:step] for i in rows[0] for j in rows[1]])


def _places(bound: object, before: int, size: int) -> range:
    """The different places that a bound may be: from `-before` up to the size."""
    span = size_arithmetic.interval_of(bound)
    low = min(max(span.low, -before), size)
    return range(low, max(low, min(span.high, size)) + 1)


def _within(bound: Value, places: range) -> Atom:
    """A bound, or the nearest of these places, which means the same."""
    return size_arithmetic.atom_of(size_arithmetic.maximum(size_arithmetic.minimum(bound, places[-1]), places[0]))


def _is_int(bound: object) -> bool:
    if isinstance(bound, Tracer):
        return not bound.abstract.shape and bound.abstract.dtype.kind in "iu"
    return bound is None or isinstance(bound, int)

"""The characters of a text that is known only at run time: how many there are, and the code of each.

Nothing lies in memory: the code at a place is computed where it is asked for.
"""

from __future__ import annotations

import abc
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.columnar import text_items
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, text_tables, wrap
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers import python_conversions
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.union import UnionValue

_INT64, _UINT64 = np.dtype(np.int64), np.dtype(np.uint64)
# Beyond so many, which characters a text can have is not kept.
_MOST_LETTERS = 512


class Characters(abc.ABC):
    """The characters of a text."""

    length: Bound
    letters: str  # all that can be among them, in the order of their codes; "" where it can be any

    @abc.abstractmethod
    def code(self, place: Atom) -> Atom:
        """The code of the character at a place, an int64; any where there is none."""

    def at(self, place: Atom) -> Value:
        """The character at a place that is in range."""
        return of_code(self.code(place), self.letters)


def of_code(code: Atom, letters: str = "") -> Value:
    """The text of one character: one of a few where it is known which it can be."""
    if not letters:
        return Text("format", ("{:c}", python_scalar(code, Interval(0, 0x10FFFF))))
    codes = [ord(letter) for letter in letters]
    table = [letters[max(0, int(np.searchsorted(codes, c, "right")) - 1)] for c in range(codes[0], codes[-1] + 1)]
    return text_tables.entry(_less(code, codes[0]), table)


def letters_of(codes: Interval) -> str:
    """The characters whose codes are in an interval; "" where they are too many."""
    few = codes.low >= 0 and codes.high - codes.low < _MOST_LETTERS
    return "".join(map(chr, range(codes.low, codes.high + 1))) if few else ""


def both(first: str, second: str) -> str:
    """The letters of two texts, where they are few."""
    letters = "".join(sorted({*first, *second}))
    return letters if first and second and ord(letters[-1]) - ord(letters[0]) < _MOST_LETTERS else ""


class Known(Characters):
    """The characters of a text that is known while tracing."""

    def __init__(self, text: str) -> None:
        self.text, self.length, self.letters = text, len(text), both(text, text)
        self._codes = _codes(text)

    def code(self, place: Atom) -> Atom:
        return atoms.taken(place, self._codes)


class OneOf(Characters):
    """The characters of one of a few texts."""

    def __init__(self, texts: UnionValue) -> None:
        self._texts, self.length = texts, text_items.length(texts)
        joined = "".join(texts.options)
        self.letters = both(joined, joined)

    def code(self, place: Atom) -> Atom:
        found = text_items.character(self._texts, python_scalar(place))
        return wrap.as_atom(text_tables.look_up(ord, found) if isinstance(found, UnionValue) else ord(found), _INT64)


class Chosen(Characters):
    """The characters of the one of several texts that a choice is."""

    def __init__(self, choice: UnionValue, each: Sequence[Characters]) -> None:
        self._choice, self._each = choice, each
        self.length, self.letters = each[0].length, each[0].letters
        for place, characters in enumerate(each[1:], 1):
            lengths = self.length, characters.length
            if not (all(type(length) is int for length in lengths) and lengths[0] == lengths[1]):
                self.length = size_arithmetic.choose(choice.chosen(place), characters.length, self.length)
            self.letters = both(self.letters, characters.letters)

    def code(self, place: Atom) -> Atom:
        code = self._each[0].code(place)
        for number, characters in enumerate(self._each[1:], 1):
            code = atoms.select(self._choice.chosen(number), characters.code(place), code)
        return code


class Digits(Characters):
    """The digits of an integer, after its sign and what stands between them.

    Parameters
    ----------
    span : Interval
        What it can be.
    base : int
        2, 8, 10 or 16.
    prefix : str
        As in "0x1f".
    width : int
        With zeros before the digits it is as long as this.
    """

    def __init__(self, number: Atom, span: Interval, base: int = 10, prefix: str = "", width: int = 0) -> None:
        zero = atoms.literal(0, number.type.dtype)
        self._negative: Atom = atoms.ufunc(np.less, number, zero) if span.low < 0 else atoms.literal(False)
        bits = atoms.convert(number, _UINT64)
        if span.low < 0:
            bits = atoms.select(self._negative, atoms.ufunc(np.subtract, atoms.literal(0, _UINT64), bits), bits)
        self._magnitude, self._base, self._prefix = bits, base, prefix
        least = 0 if span.low <= 0 <= span.high else min(abs(span.low), abs(span.high))
        widths = _width(least, base), _width(max(abs(span.low), abs(span.high)), base)
        count = _decimal_count(bits, *widths) if base == 10 else _bit_count(number, base)
        self._sign = atoms.convert(self._negative, _INT64)
        size = _plus(atoms.ufunc(np.add, count, self._sign), len(prefix))
        shortest = max(widths[0] + len(prefix) + (span.high < 0), width)
        longest = max(widths[1] + len(prefix) + (span.low < 0), width)
        if width > widths[0] + len(prefix):
            size = atoms.ufunc(np.maximum, size, atoms.literal(width, _INT64))
        self.length: Bound = shortest if shortest == longest else python_scalar(size, Interval(shortest, longest))
        letters = {*(string.digits + "abcdef")[:base], *prefix, *("-" * (span.low < 0))}
        self.letters = "".join(sorted(letters))

    def code(self, place: Atom) -> Atom:
        power = _minus(size_arithmetic.atom_of(self.length), _plus(place, 1))
        powers = _powers(self._base)
        shifted = atoms.ufunc(np.floor_divide, self._magnitude, atoms.taken(power, powers))
        digit = atoms.ufunc(np.remainder, shifted, atoms.literal(self._base, _UINT64))
        code = atoms.taken(digit, _DIGITS)
        if size_arithmetic.interval_of(self.length).high > len(powers):
            is_zero = atoms.ufunc(np.greater_equal, power, atoms.literal(len(powers), _INT64))
            code = atoms.select(is_zero, atoms.literal(ord("0"), _INT64), code)
        if self._prefix:
            within = _minus(place, self._sign)
            is_prefix = atoms.ufunc(np.less, within, atoms.literal(len(self._prefix), _INT64))
            code = atoms.select(is_prefix, atoms.taken(within, _codes(self._prefix)), code)
        first = atoms.ufunc(np.equal, place, atoms.literal(0, _INT64))
        return atoms.select(atoms.logical_and(self._negative, first), atoms.literal(ord("-"), _INT64), code)


def _codes(text: str) -> np.ndarray:
    return np.array([ord(c) for c in text] or [0], _INT64)


_DIGITS = _codes(string.digits + "abcdef")


def _powers(base: int) -> np.ndarray:
    return np.array([base**k for k in range(_width(2**64 - 1, base))], _UINT64)


def _width(number: int, base: int) -> int:
    """How many digits a number has."""
    width = 1
    while number >= base**width:
        width += 1
    return width


def _decimal_count(magnitude: Atom, least: int, most: int) -> Atom:
    count: Atom = atoms.literal(least, _INT64)
    for k in range(least, most):
        longer = atoms.ufunc(np.greater_equal, magnitude, atoms.literal(10**k, _UINT64))
        count = atoms.ufunc(np.add, count, atoms.convert(longer, _INT64))
    return count


def _bit_count(number: Atom, base: int) -> Atom:
    """How many digits a number has, in a base that is a power of two."""
    each = base.bit_length() - 1
    bits = wrap.as_atom(python_conversions.bit_length(PythonScalar(number)), _INT64)
    digits = atoms.ufunc(np.floor_divide, _plus(bits, each - 1), atoms.literal(each, _INT64))
    return atoms.ufunc(np.maximum, digits, atoms.literal(1, _INT64))


class OneCode(Characters):
    """The character of a code."""

    length = 1

    def __init__(self, code: Atom, span: Interval) -> None:
        self._code, self.letters = code, letters_of(span)

    def code(self, place: Atom) -> Atom:
        return self._code


class Decoded(Characters):
    """Characters whose codes lie in an array, so many from the first on."""

    def __init__(self, codes: Atom, length: Atom) -> None:
        self._codes = codes
        self.length = python_scalar(length, Interval(0, codes.type.size))
        self.letters = _ASCII if codes.type.dtype == np.uint8 else ""

    def code(self, place: Atom) -> Atom:
        return atoms.convert(atoms.taken(place, self._codes), _INT64)


_ASCII = "".join(map(chr, range(128)))


class Joined(Characters):
    """The characters of one text, then those of another."""

    def __init__(self, first: Characters, second: Characters) -> None:
        self._parts = first, second
        self.length = size_arithmetic.add(first.length, second.length)
        self.letters = both(first.letters, second.letters)
        for part, other in ((first, second), (second, first)):
            if type(part.length) is int and not part.length:
                self.letters = other.letters

    def code(self, place: Atom) -> Atom:
        first, second = self._parts
        length = size_arithmetic.atom_of(first.length)
        later = second.code(atoms.ufunc(np.subtract, place, length))
        return atoms.select(atoms.ufunc(np.less, place, length), first.code(place), later)


class Part(Characters):
    """Each or every few of the characters of another text, forwards or backwards."""

    def __init__(self, whole: Characters, start: Atom, step: int, length: Bound) -> None:
        self._whole, self._start, self._step = whole, start, step
        self.length, self.letters = length, whole.letters

    def code(self, place: Atom) -> Atom:
        along = atoms.ufunc(np.multiply, place, atoms.literal(self._step, _INT64))
        return self._whole.code(atoms.ufunc(np.add, self._start, along))


class Repeated(Characters):
    """The characters of a text, several times."""

    def __init__(self, once: Characters, times: Bound) -> None:
        self._once, self.letters = once, once.letters
        size = once.length
        if type(size) is int and type(times) is int:
            self.length = size * times
        else:
            made = atoms.ufunc(np.multiply, *map(size_arithmetic.atom_of, (size, times)))
            spans = size_arithmetic.interval_of(size) * size_arithmetic.interval_of(times)
            self.length = python_scalar(made, spans.clipped())

    def code(self, place: Atom) -> Atom:
        size = self._once.length
        if type(size) is int and size == 1:
            return self._once.code(atoms.literal(0, _INT64))
        positive = size_arithmetic.atom_of(size_arithmetic.maximum(size, 1))
        return self._once.code(atoms.ufunc(np.remainder, place, positive))


class Mapped(Characters):
    """The characters of a text whose letters are known, each exchanged for one other."""

    def __init__(self, before: Characters, letters: Sequence[str]) -> None:
        self._before, self.length = before, before.length
        images = "".join(letters)
        self.letters = both(images, images)
        codes = [ord(c) for c in before.letters]
        self._first = codes[0]
        line = np.zeros(codes[-1] - codes[0] + 1, _INT64)
        line[np.array(codes) - codes[0]] = [ord(c) for c in letters]
        self._line = line

    def code(self, place: Atom) -> Atom:
        return atoms.taken(_less(self._before.code(place), self._first), self._line)


class Exchanged(Characters):
    """The characters of a text in which any can be, with one of them exchanged for another."""

    letters = ""

    def __init__(self, before: Characters, old: str, new: str) -> None:
        self._before, self.length = before, before.length
        self._old, self._new = (atoms.literal(ord(letter), _INT64) for letter in (old, new))

    def code(self, place: Atom) -> Atom:
        code = self._before.code(place)
        return atoms.select(atoms.ufunc(np.equal, code, self._old), self._new, code)


class OfItems(Characters):
    """The characters of a list of texts of one character each, whose length is known only at run time."""

    def __init__(self, items: Any, letters: str, code_of: Any) -> None:
        self._items, self._code_of = items, code_of
        self.length, self.letters = items.length, letters

    def code(self, place: Atom) -> Atom:
        last = atoms.literal(max(self._items.structure.capacity - 1, 0), _INT64)
        within = atoms.ufunc(np.minimum, atoms.ufunc(np.maximum, place, atoms.literal(0, _INT64)), last)
        code: Atom = self._code_of(self._items.item(python_scalar(within)))
        return code


def _less(code: Atom, by: int) -> Atom:
    return _minus(code, atoms.literal(by, _INT64))


def _minus(a: Atom, b: Atom) -> Atom:
    return atoms.ufunc(np.subtract, a, b)


def _plus(a: Atom, by: int) -> Atom:
    return atoms.ufunc(np.add, a, atoms.literal(by, _INT64))

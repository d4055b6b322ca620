"""Texts without what stands at their ends: `str.strip` and its kin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.control.texts.characters import Characters, Part
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.control_of_atoms import repeated
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar

_INT64 = np.dtype(np.int64)
SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))  # behind these there is none


def stripped(whole: Characters, letters: str | None, left: bool, right: bool) -> Characters:
    """A text without some letters (white space if None) at its ends."""
    codes = _codes(whole, SPACES if letters is None else letters)
    if not codes:
        return whole
    start: Atom = atoms.literal(0, _INT64)
    stop = size_arithmetic.atom_of(whole.length)
    if left:
        start = _passed(whole, codes, start, stop, 1)
    if right:
        stop = _plus(_passed(whole, codes, _plus(stop, -1), _plus(start, -1), -1), 1)
    size = atoms.ufunc(np.subtract, stop, start)
    return Part(whole, start, 1, python_scalar(size, Interval(0, size_arithmetic.interval_of(whole.length).high)))


def _passed(whole: Characters, codes: Sequence[int], first: Atom, end: Atom, step: int) -> Atom:
    """The first place from one on, before another one, at which none of these characters is."""
    reached: np.ufunc = np.less if step > 0 else np.greater

    def goes_on(carries: Sequence[Atom]) -> Atom:
        (place,) = carries
        return atoms.logical_and(atoms.ufunc(reached, place, end), _is_one_of(whole, place, codes))

    return repeated(goes_on, lambda carries: [_plus(carries[0], step)], [first])[0]


def is_space(whole: Characters, place: Atom) -> Atom:
    """Return whether the character at a place is white space."""
    return _is_one_of(whole, place, _codes(whole, SPACES))


def _codes(whole: Characters, letters: str) -> list[int]:
    """The codes of those letters that can be in a text."""
    return [ord(c) for c in dict.fromkeys(letters) if not whole.letters or c in whole.letters]


def _is_one_of(whole: Characters, place: Atom, codes: Sequence[int]) -> Atom:
    code: Atom = whole.code(place)
    found: Atom = atoms.literal(False)
    for one in codes:
        found = atoms.logical_or(found, atoms.ufunc(np.equal, code, atoms.literal(one, _INT64)))
    return found


def _plus(a: Atom, by: int) -> Atom:
    return atoms.ufunc(np.add, a, atoms.literal(by, _INT64))

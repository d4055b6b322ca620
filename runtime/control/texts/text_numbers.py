"""The int that a text says whose characters are known only at run time."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.texts.characters import Characters
from anabranch.runtime.control.texts.text_operations import known_characters
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import FULL, Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, lazy_text
from anabranch.runtime.values.control_of_atoms import repeated
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers.python_operands import overflow
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import exceptions

_INT64 = np.dtype(np.int64)
_NO_DIGIT = -1
_LAST_OF_ASCII = 127
# Letters that are no digits and may stand in a number, behind a zero: 0x10.
_PREFIXES = {2: "bB", 8: "oO", 16: "xX"}


def int_of(text: Text, base: Value = 10) -> Value:
    """`int(text, base)`, of a text in which no underscores are."""
    base = operator.index(base)
    characters = known_characters(text, " by int()")
    if not characters.letters or any(map(str.isspace, characters.letters)):
        characters = known_characters(lazy_text.deferred("strip", text), " by int()")
    letters = characters.letters
    hidden = any(c == "_" or (c.isdecimal() and not c.isascii()) for c in letters)
    if not 2 <= base <= 36:
        return int("0", base)  # raises what Python does
    if hidden:
        raise lazy_text.refused(text, " by int()")
    value, negative, is_number, too_large, is_odd = _read(characters, base)
    if not letters:
        odd = atoms.logical_and(atoms.logical_not(is_number), is_odd)
        run_time_checks.fail_if(odd, lambda _: _odd_digits())
    words = lazy_text.deferred("format", "invalid literal for int() with base {}: {!r}", base, text)
    exceptions.record(atoms.logical_not(is_number), ValueError(words), run_time_checks.user_frames())
    run_time_checks.fail_if(too_large, overflow)
    # As many digits as it can have, as far as that is an int64.
    width = min(size_arithmetic.interval_of(characters.length).high, 64)
    most = min(base**width - 1, FULL.high)
    signed = atoms.select(negative, value, atoms.ufunc(np.negative, value))
    return python_scalar(signed, Interval(-most if not letters or "-" in letters else 0, most))


def _odd_digits() -> UnsupportedOperationError:
    return UnsupportedOperationError(
        "int() of a text with underscores or other digits than those of ASCII is not supported in compiled code"
    )


def _read(characters: Characters, base: int) -> tuple[Atom, Atom, Atom, Atom, Atom]:
    """The number and its state.

    The negative of the absolute value, and whether the number is negative, is one, and is beyond int64; and whether
    there are underscores, or other characters than those of ASCII.
    """
    letters = characters.letters
    first, last = (ord(letters[0]), ord(letters[-1])) if letters else (0, _LAST_OF_ASCII)
    line = np.array([_value(chr(code), base) for code in range(first, last + 1)], _INT64)
    size = size_arithmetic.atom_of(characters.length)
    margin = atoms.literal(FULL.low + base - 1, _INT64)
    zero, no, one = atoms.literal(0, _INT64), atoms.literal(False), atoms.literal(1, _INT64)

    sign = characters.code(zero)
    is_one = atoms.ufunc(np.greater, size, zero)
    negative = atoms.logical_and(is_one, atoms.ufunc(np.equal, sign, atoms.literal(ord("-"), _INT64)))
    signed = atoms.logical_or(
        negative, atoms.logical_and(is_one, atoms.ufunc(np.equal, sign, atoms.literal(ord("+"), _INT64)))
    )
    begin = _after_prefix(characters, atoms.convert(signed, _INT64), base)

    def goes_on(carries: Sequence[Atom]) -> Atom:
        return atoms.ufunc(np.less, carries[0], size)

    def step(carries: Sequence[Atom]) -> list[Atom]:
        place, value, bad, beyond, odd = carries
        if not letters:
            here = characters.code(place)
            odd = atoms.logical_or(odd, atoms.ufunc(np.equal, here, atoms.literal(ord("_"), _INT64)))
            odd = atoms.logical_or(odd, atoms.ufunc(np.greater, here, atoms.literal(_LAST_OF_ASCII, _INT64)))
        row = atoms.ufunc(np.subtract, characters.code(place), atoms.literal(first, _INT64))
        digit = atoms.taken(row, line)
        bad = atoms.logical_or(bad, atoms.ufunc(np.less, digit, zero))
        digit = atoms.ufunc(np.maximum, digit, zero)
        # The least that can be made longer, rounded up.
        least = atoms.ufunc(np.floor_divide, atoms.ufunc(np.add, digit, margin), atoms.literal(base, _INT64))
        beyond = atoms.logical_or(beyond, atoms.ufunc(np.less, value, least))
        longer = atoms.ufunc(np.subtract, atoms.ufunc(np.multiply, value, atoms.literal(base, _INT64)), digit)
        return [atoms.ufunc(np.add, place, one), longer, bad, beyond, odd]

    _, value, bad, beyond, odd = repeated(goes_on, step, [begin, zero, no, no, no])
    only_negative = atoms.ufunc(np.equal, value, atoms.literal(FULL.low, _INT64))
    beyond = atoms.logical_or(beyond, atoms.logical_and(only_negative, atoms.logical_not(negative)))
    has_digits = atoms.ufunc(np.greater, size, begin)
    is_number = atoms.logical_and(has_digits, atoms.logical_not(bad))
    return value, negative, is_number, atoms.logical_and(is_number, beyond), odd


def _after_prefix(characters: Characters, begin: Atom, base: int) -> Atom:
    """The place where the digits begin, which what tells the base may stand before."""
    found: Atom = atoms.literal(False)
    second = atoms.ufunc(np.add, begin, atoms.literal(1, _INT64))
    for letter in _PREFIXES.get(base, ""):
        if not characters.letters or letter in characters.letters:
            here = atoms.ufunc(np.equal, characters.code(second), atoms.literal(ord(letter), _INT64))
            found = atoms.logical_or(found, here)
    there = atoms.ufunc(np.less, second, size_arithmetic.atom_of(characters.length))
    behind_zero = atoms.ufunc(np.equal, characters.code(begin), atoms.literal(ord("0"), _INT64))
    found = atoms.logical_and(atoms.logical_and(found, there), behind_zero)
    return atoms.select(found, atoms.ufunc(np.add, begin, atoms.literal(2, _INT64)), begin)


def _value(character: str, base: int) -> int:
    is_digit = character.isascii() and character.isalnum() and int(character, 36) < base
    return int(character, 36) if is_digit else _NO_DIGIT

"""Comparisons, lengths, parts and searches of texts that are known only at run time."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.texts.characters import Characters, Part, letters_of, of_code
from anabranch.runtime.control.texts.characters_of import characters_of, part_of
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import FULL, Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, lazy_text, wrap
from anabranch.runtime.values.arrays.index_numbers import check_bounds, check_integer, check_place
from anabranch.runtime.values.attributes import class_of
from anabranch.runtime.values.control_of_atoms import repeated
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.host_types.host_type import HostTyped
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.python_numbers.sequence_index import place_of
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

_INT64 = np.dtype(np.int64)
_ORDERS: dict[Callable[..., Any], np.ufunc] = {
    operator.lt: np.less, operator.le: np.less_equal, operator.gt: np.greater, operator.ge: np.greater_equal,
}  # fmt: skip
_SWAPPED: dict[Callable[..., Any], Callable[..., Any]] = {
    operator.eq: operator.eq, operator.ne: operator.ne, operator.lt: operator.gt, operator.le: operator.ge,
    operator.gt: operator.lt, operator.ge: operator.le,
}  # fmt: skip


def known_characters(text: Value, use: str = "") -> Characters:
    """The characters of a text.

    Raises `ConcretizationError` where compiled code cannot compute them.
    """
    found = wanted_characters(text)
    if found is None:
        raise lazy_text.refused(text, use)
    return found


def wanted_characters(text: Value) -> Characters | None:
    """The characters of a text; None where compiled code cannot compute them."""
    found = characters_of(text)
    if found is None and _has_join(text):
        current().trace.text.ask_for_joins()
    return found


def _has_join(text: Value) -> bool:
    """Return whether a text is made of one that `str.join` makes of a list of run-time length."""
    if isinstance(text, UnionValue):
        return any(map(_has_join, text.options))
    if not isinstance(text, Text):
        return False
    return (text.method == "join" and is_dynamic_list(text.parts[1])) or any(map(_has_join, text.parts))


def length(text: Text) -> Value:
    """`len(text)`."""
    return known_characters(text).length


def truth(text: Text) -> Atom:
    """`bool(text)`."""
    zero = atoms.literal(0, _INT64)
    return atoms.ufunc(np.greater, size_arithmetic.atom_of(length(text)), zero)


def item(text: Value, key: Value) -> Value:
    """`text[key]`."""
    if isinstance(text, UnionValue) and characters_of(text) is None:
        return text.each(lambda one: one[key])
    if isinstance(key, slice):
        check_bounds(key)
        if part_of(known_characters(text), key) is None:
            raise lazy_text.refused(text, " by a slice")
        return lazy_text.deferred("part", text, key.start, key.stop, key.step)
    if isinstance(key, UnionValue):
        return key.through(lambda k: item(text, k))
    if isinstance(key, Tracer):
        check_place(key, "string")
    elif not isinstance(key, (int, np.integer)):
        return ""[key]  # raises what Python does
    characters = known_characters(text)
    place = place_of(key if isinstance(key, Tracer) else int(key), characters.length, "string index out of range")
    return characters.at(size_arithmetic.atom_of(place))


# ---- comparisons -----------------------------------------------------------------------------------------------------


def compared(operation: Callable[..., Any], a: object, b: object) -> Value:
    """`a OP b`, where one of both is a text that is known only at run time."""
    for value, other, is_left in ((a, b, True), (b, a, False)):
        if isinstance(value, UnionValue) and characters_of(value) is None:
            return value.each(lambda v, o=other, w=is_left: operation(*((v, o) if w else (o, v))))  # type: ignore[misc]
        if isinstance(value, (np.ndarray, HostTyped)):  # compares its elements
            return operation(a, b) if is_left else _SWAPPED[operation](b, a)
        if isinstance(value, Tracer):  # no number is a text, whichever it is
            return operation(value, "") if is_left else operation("", value)
        if not isinstance(value, (str, Text, UnionValue)):
            if operation is operator.eq or operation is operator.ne:
                return operation is operator.ne
            return NotImplemented
    first, second = known_characters(a), known_characters(b)
    if operation in _ORDERS:
        return python_scalar(_ordered(_ORDERS[operation], first, second))
    same = equal(first, second)
    return python_scalar(same if operation is operator.eq else atoms.logical_not(same))


def equal(a: Characters, b: Characters) -> Atom:
    """Return whether two texts have the same characters."""
    lengths = [size_arithmetic.interval_of(x.length) for x in (a, b)]
    if lengths[0].high < lengths[1].low or lengths[1].high < lengths[0].low:
        return atoms.literal(False)
    sizes = [size_arithmetic.atom_of(x.length) for x in (a, b)]
    same_size = atoms.ufunc(np.equal, *sizes)
    zero = atoms.literal(0, _INT64)
    if min(span.high for span in lengths) == 1:
        same = atoms.ufunc(np.equal, a.code(zero), b.code(zero))
        nothing: Atom = atoms.literal(False)
        if all(span.low == 0 for span in lengths):
            nothing = atoms.ufunc(np.equal, sizes[0], zero)
        return atoms.logical_and(same_size, atoms.logical_or(nothing, same))
    shorter = sizes[0] if type(a.length) is int else sizes[1]
    until = atoms.select(same_size, shorter, zero)
    return atoms.logical_and(same_size, atoms.ufunc(np.equal, _common(a, b, until), until))


def _common(a: Characters, b: Characters, until: Atom) -> Atom:
    """How many of the first characters of two texts are the same, of so many that both have."""

    def goes_on(carries: Sequence[Atom]) -> Atom:
        (place,) = carries
        same = atoms.ufunc(np.equal, a.code(place), b.code(place))
        return atoms.logical_and(atoms.ufunc(np.less, place, until), same)

    return repeated(goes_on, _next, [atoms.literal(0, _INT64)])[0]


def _next(carries: Sequence[Atom]) -> list[Atom]:
    return [atoms.ufunc(np.add, carries[0], atoms.literal(1, _INT64))]


def _ordered(comparison: np.ufunc, a: Characters, b: Characters) -> Atom:
    sizes = [size_arithmetic.atom_of(x.length) for x in (a, b)]
    until = atoms.ufunc(np.minimum, *sizes)
    place = _common(a, b, until)
    differs = atoms.ufunc(np.less, place, until)
    return atoms.select(differs, atoms.ufunc(comparison, a.code(place), b.code(place)), atoms.ufunc(comparison, *sizes))


# ---- searches --------------------------------------------------------------------------------------------------------


def contains(text: object, part: object) -> Value:
    """`part in text`."""
    if isinstance(part, UnionValue) and characters_of(part) is None:
        return part.each(lambda p: contains(text, p))
    if not isinstance(part, (str, Text, UnionValue)):
        raise TypeError(f"'in <string>' requires string as left operand, not {class_of(part).__name__}")
    return python_scalar(_found(known_characters(text, " by in"), known_characters(part, " by in"))[1])


def _found(whole: Characters, part: Characters) -> tuple[Atom, Atom]:
    """The first place where a text has another as its part, and whether there is one."""
    last = _last_place(whole, part)
    place = _searched(whole, part, atoms.literal(0, _INT64), 1, lambda at: atoms.ufunc(np.less_equal, at, last))
    return place, atoms.ufunc(np.less_equal, place, last)


def _last_place(whole: Characters, part: Characters) -> Atom:
    """The last place from which on a text is as long as another one."""
    return atoms.ufunc(np.subtract, *[size_arithmetic.atom_of(x.length) for x in (whole, part)])


def _searched(whole: Characters, part: Characters, start: Atom, by: int, is_left: Callable[[Atom], Atom]) -> Atom:
    """The first place, of those from a start on in steps of `by`, where a text has another, or where none is left."""

    def goes_on(carries: Sequence[Atom]) -> Atom:
        (place,) = carries
        here = Part(whole, place, 1, part.length)
        return atoms.logical_and(is_left(place), atoms.logical_not(equal(here, part)))

    return repeated(goes_on, lambda places: [atoms.ufunc(np.add, places[0], atoms.literal(by, _INT64))], [start])[0]


def _find(text: Text, part: object) -> Value:
    place, is_there = _found(known_characters(text, " by str.find"), known_characters(part, " by str.find"))
    most = size_arithmetic.interval_of(length(text)).high
    return python_scalar(atoms.select(is_there, place, atoms.literal(-1, _INT64)), Interval(-1, most))


def _found_last(whole: Characters, part: Characters) -> Atom:
    """The last place where a text has another as its part, or -1."""
    zero, before = atoms.literal(0, _INT64), atoms.literal(-1, _INT64)
    place = _searched(whole, part, _last_place(whole, part), -1, lambda at: atoms.ufunc(np.greater_equal, at, zero))
    return atoms.ufunc(np.maximum, place, before)


def _find_last(text: Text, part: object) -> Value:
    place = _found_last(known_characters(text, " by str.rfind"), known_characters(part, " by str.rfind"))
    return python_scalar(place, Interval(-1, size_arithmetic.interval_of(length(text)).high))


def _there(find: Callable[[Text, object], Value]) -> Callable[[Text, object], Value]:
    """The method that raises where `find` finds nothing."""

    def place_of(text: Text, part: object) -> Value:
        place = find(text, part)
        missing = wrap.as_atom(place < 0, np.bool_)
        run_time_checks.fail_if(missing, lambda _: ValueError("substring not found"))
        return place

    return place_of


def _starts(text: Text, part: object) -> Value:
    whole, start = known_characters(text, " by str.startswith"), known_characters(part, " by str.startswith")
    return python_scalar(equal(_first(whole, start), start))


def _first(whole: Characters, other: Characters) -> Characters:
    """As many characters of a text as another has."""
    size = size_arithmetic.minimum(whole.length, other.length)
    return Part(whole, atoms.literal(0, _INT64), 1, size)


def _ends(text: Text, part: object) -> Value:
    whole, end = known_characters(text, " by str.endswith"), known_characters(part, " by str.endswith")
    size = size_arithmetic.minimum(whole.length, end.length)
    start = atoms.ufunc(np.subtract, *map(size_arithmetic.atom_of, (whole.length, size)))
    return python_scalar(equal(Part(whole, start, 1, size), end))


def _counted(text: Text, part: object) -> Value:
    """`text.count(part)`."""
    use = " by str.count"
    whole, searched = known_characters(text, use), known_characters(part, use)
    if size_arithmetic.interval_of(searched.length).low < 1:
        raise lazy_text.refused(text, use)
    zero, one, size = atoms.literal(0, _INT64), atoms.literal(1, _INT64), size_arithmetic.atom_of(searched.length)
    last = atoms.ufunc(np.subtract, size_arithmetic.atom_of(whole.length), size)

    def step(carries: Sequence[Atom]) -> list[Atom]:
        place, count = carries
        here = equal(Part(whole, place, 1, searched.length), searched)
        after = atoms.ufunc(np.add, place, atoms.select(here, size, one))
        return [after, atoms.ufunc(np.add, count, atoms.convert(here, _INT64))]

    count = repeated(lambda carries: atoms.ufunc(np.less_equal, carries[0], last), step, [zero, zero])[1]
    return python_scalar(count, Interval(0, size_arithmetic.interval_of(whole.length).high))


# Of characters beyond this one it is not known of what kind they are.
_LAST = 0x2FFF


def _too_far(name: str) -> UnsupportedOperationError:
    return UnsupportedOperationError(f"str.{name} of characters beyond U+{_LAST:04X} is not supported in compiled code")


def _all_are(name: str) -> Callable[[Text], Value]:
    """The method that tells whether there are characters, and each is of a kind."""
    method: Callable[[str], bool] = getattr(str, name)

    def tell(text: Text) -> Value:
        whole = known_characters(text, f" by str.{name}")
        first, last = (ord(whole.letters[0]), ord(whole.letters[-1])) if whole.letters else (0, _LAST)
        table = np.array([method(chr(code)) for code in range(first, last + 1)])
        size = size_arithmetic.atom_of(whole.length)

        def goes_on(carries: Sequence[Atom]) -> Atom:
            (place,) = carries
            row = atoms.ufunc(np.subtract, whole.code(place), atoms.literal(first, _INT64))
            return atoms.logical_and(atoms.ufunc(np.less, place, size), atoms.taken(row, table))

        zero = atoms.literal(0, _INT64)
        place = repeated(goes_on, _next, [zero])[0]
        if not whole.letters:
            beyond = atoms.ufunc(np.greater, whole.code(place), atoms.literal(_LAST, _INT64))
            run_time_checks.fail_if(
                atoms.logical_and(atoms.ufunc(np.less, place, size), beyond), lambda _: _too_far(name)
            )
        return python_scalar(atoms.logical_and(atoms.ufunc(np.equal, place, size), atoms.ufunc(np.greater, size, zero)))

    return tell


def _in_one_case(name: str) -> Callable[[Text], Value]:
    """The method that tells whether there are letters that have a case, and each is of the same."""
    method: Callable[[str], bool] = getattr(str, name)

    def tell(text: Text) -> Value:
        whole = known_characters(text, f" by str.{name}")
        first, last = (ord(whole.letters[0]), ord(whole.letters[-1])) if whole.letters else (0, _LAST)
        each = [chr(code) for code in range(first, last + 1)]
        good = np.array([method(c) for c in each])
        bad = np.array([not method(c) and (c.isupper() or c.islower() or c.istitle()) for c in each])
        size = size_arithmetic.atom_of(whole.length)

        def row(place: Atom) -> Atom:
            return atoms.ufunc(np.subtract, whole.code(place), atoms.literal(first, _INT64))

        def goes_on(carries: Sequence[Atom]) -> Atom:
            within = atoms.ufunc(np.less, row(carries[0]), atoms.literal(len(each), _INT64))
            is_other = atoms.logical_or(atoms.logical_not(within), atoms.taken(row(carries[0]), bad))
            return atoms.logical_and(atoms.ufunc(np.less, carries[0], size), atoms.logical_not(is_other))

        def step(carries: Sequence[Atom]) -> list[Atom]:
            return [*_next(carries[:1]), atoms.logical_or(carries[1], atoms.taken(row(carries[0]), good))]

        place, found = repeated(goes_on, step, [atoms.literal(0, _INT64), atoms.literal(False)])
        at_end = atoms.ufunc(np.equal, place, size)
        if not whole.letters:
            beyond = atoms.ufunc(np.greater, whole.code(place), atoms.literal(_LAST, _INT64))
            run_time_checks.fail_if(atoms.logical_and(atoms.logical_not(at_end), beyond), lambda _: _too_far(name))
        return python_scalar(atoms.logical_and(at_end, found))

    return tell


METHODS: dict[str, Callable[..., Value]] = {
    "find": _find, "rfind": _find_last, "index": _there(_find), "rindex": _there(_find_last),
    "startswith": _starts, "endswith": _ends, "count": _counted,
    **{name: _all_are(name) for name in ("isdigit", "isdecimal", "isnumeric", "isalpha", "isalnum", "isspace")},
    **{name: _in_one_case(name) for name in ("isupper", "islower")},
}  # fmt: skip


def method(name: str, text: object, *args: object) -> Value:
    """A method of a text that returns a number; `NotImplemented` where it has no such form."""
    staged = METHODS.get(name)
    takes = 0 if name.startswith("is") else 1
    if staged is None or len(args) != takes or not all(isinstance(a, (str, Text, UnionValue)) for a in (text, *args)):
        return NotImplemented
    return staged(text, *args)


# ---- characters and codes --------------------------------------------------------------------------------------------


def ord_(text: Text) -> Value:
    """`ord(text)`."""
    characters = known_characters(text, " by ord()")
    size = characters.length
    is_one = atoms.ufunc(np.equal, size_arithmetic.atom_of(size), atoms.literal(1, _INT64))
    run_time_checks.fail_if(
        atoms.logical_not(is_one),
        run_time_checks.IntMessage(TypeError, "ord() expected a character, but string of length {} found"),
        size_arithmetic.atom_of(size),
    )
    letters = characters.letters
    span = Interval(ord(letters[0]), ord(letters[-1])) if letters else Interval(0, 0x10FFFF)
    return python_scalar(characters.code(atoms.literal(0, _INT64)), span)


def chr_(code: Value) -> Value:
    """`chr(code)`, of a number known only at run time."""
    check_integer(code)
    span = interval_of(code) if isinstance(code, PythonScalar) else FULL
    atom = wrap.as_atom(code)
    if atom.type.dtype == np.uint64:
        beyond = atoms.ufunc(np.greater, atom, atoms.literal(_MOST_INT, np.uint64))
        atom = atoms.select(beyond, atoms.literal(_MOST_INT, np.uint64), atom)
    atom = atoms.convert(atom, _INT64)
    for message, low, high in _CHR_ERRORS:
        outside: Atom = atoms.literal(False)
        if span.low < low:
            outside = atoms.ufunc(np.less, atom, atoms.literal(low, _INT64))
        if span.high > high:
            outside = atoms.logical_or(outside, atoms.ufunc(np.greater, atom, atoms.literal(high, _INT64)))
        run_time_checks.fail_if(outside, message)
    return of_code(atom, letters_of(Interval(max(span.low, 0), max(span.high, 0))))


_MOST_INT = 2**62
_CHR_ERRORS = (
    (run_time_checks.IntMessage(OverflowError, "Python int too large to convert to C int"), -(2**31), 2**31 - 1),
    (run_time_checks.IntMessage(ValueError, "chr() arg not in range(0x110000)"), 0, 0x10FFFF),
)[1 if sys.version_info >= (3, 13) else 0 :]

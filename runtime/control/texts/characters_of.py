"""Which characters a text has: those of what it is made of, by the method of `str` that makes it."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.texts import letter_case
from anabranch.runtime.control.texts.characters import (
    Characters,
    Chosen,
    Decoded,
    Digits,
    Exchanged,
    Joined,
    Known,
    Mapped,
    OfItems,
    OneCode,
    OneOf,
    Part,
    Repeated,
)
from anabranch.runtime.control.texts.letter_case import Cased
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, text_tables, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.containers import has_traced
from anabranch.runtime.values.control_of_atoms import repeated
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.lazy_text import NUMPYS_TEXT, Text
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

_INT64 = np.dtype(np.int64)
_FEW = 16  # of so many texts of run-time values the characters are chosen one by one


def characters_of(value: object) -> Characters | None:
    """The characters of a text; None where they are not known to be such that compiled code can compute."""
    if isinstance(value, str):
        return Known(value)
    if isinstance(value, UnionValue):
        value = value.without_undefined()
        return _of_choice(value) if isinstance(value, UnionValue) else characters_of(value)
    if not isinstance(value, Text) or value.options:
        return None
    named = len(value.keywords)
    made = _MAKERS.get(value.method)
    return None if made is None or named else made(*value.parts)


def _of_choice(choice: UnionValue) -> Characters | None:
    """The characters of one of a few texts."""
    if all(type(option) is str for option in choice.options) and text_tables.is_choice(choice):
        return OneOf(choice)
    if not all(isinstance(option, (str, Text)) for option in choice.options):
        return None
    choice = _with_constants_as_one(choice)
    if len(choice.options) > _FEW:
        return None
    found = [characters_of(option) for option in choice.options]
    some = [characters for characters in found if characters is not None]
    return Chosen(choice, some) if len(some) == len(found) else None


def _with_constants_as_one(choice: UnionValue) -> UnionValue:
    """The choice with a single option in the place of all constants: the one of these that it is."""
    known = [place for place, option in enumerate(choice.options) if type(option) is str]
    if len(known) < 2:
        return choice
    others = [place for place in range(len(choice.options)) if place not in known]
    which = [known.index(place) if place in known else 0 for place in range(len(choice.options))]
    text = UnionValue(atoms.coded(choice.tag, which), tuple([choice.options[place] for place in known]))
    groups = [0 if place in known else 1 + others.index(place) for place in range(len(choice.options))]
    return UnionValue(atoms.coded(choice.tag, groups), (text, *[choice.options[place] for place in others]))


# ---- f-strings, str() and format() -----------------------------------------------------------------------------------


def _formatted(template: object, *values: object) -> Characters | None:
    if not isinstance(template, str):
        return None
    whole: Characters = Known("")
    following = iter(values)
    for text, field, spec, conversion in string.Formatter().parse(template):
        parts: list[Characters | None] = [Known(text)] if text else []
        if field is not None:
            if field or "{" in (spec or ""):
                return None
            parts.append(_shown(next(following, None), spec or "", conversion))
        for part in parts:
            if part is None:
                return None
            whole = _joined(whole, part)
    return whole


def _joined(first: Characters, second: Characters) -> Characters:
    if isinstance(first, Known) and isinstance(second, Known):
        return Known(first.text + second.text)
    for part, other in ((first, second), (second, first)):
        if isinstance(part, Known) and not part.text:
            return other
    return Joined(first, second)


def _shown(value: object, spec: str, conversion: str | None) -> Characters | None:
    """The characters of a value in a replacement field."""
    if isinstance(value, (str, Text, UnionValue)):
        return _text_shown(value, spec) if conversion in (None, "s") else None
    if type(value) in (int, bool, float, type(None)):
        return Known(f"{{!{conversion}:{spec}}}".format(value) if conversion else format(value, spec))
    kind = value.abstract if isinstance(value, Tracer) else None
    if kind is None or kind.kind is Kind.ARRAY or kind.shape:
        return None
    if conversion in ("r", "a") and kind.kind is not Kind.PYTHON:
        return None
    atom = wrap.as_atom(value)
    if kind.dtype == np.bool_:
        tag = atoms.convert(atom, np.int32)
        return OneOf(UnionValue(tag, ("False", "True"))) if not spec else None
    if kind.dtype.kind not in "iu":
        return None
    if kind.dtype.kind == "i":
        atom = atoms.convert(atom, _INT64)
    span = interval_of(value) if isinstance(value, PythonScalar) else _span(kind.dtype)
    if spec == "c" and conversion is None:
        return OneCode(atoms.convert(atom, _INT64), span)
    matched = _INT_SPEC.fullmatch(spec)
    if matched is None or (conversion is not None and spec):
        return None
    base, prefix = _BASES[matched["base"]], f"0{matched['base']}" if matched["prefix"] else ""
    if matched["align"] and (matched["zero"] or prefix):
        return None
    if (base != 10 and atom.type.dtype == np.uint64) or (prefix and base == 10):
        return None
    width = int(matched["width"] or 0)
    digits = Digits(atom, span, base, prefix, width if matched["zero"] else 0)
    return _padded(digits, width, " ", left=matched["align"] != "<") if width and not matched["zero"] else digits


def _text_shown(value: object, spec: str) -> Characters | None:
    whole, matched = characters_of(value), _TEXT_SPEC.fullmatch(spec)
    if whole is None or matched is None:
        return None
    width = int(matched["width"] or 0)
    return _padded(whole, width, " ", left=matched["align"] == ">") if width else whole


_TEXT_SPEC = re.compile("(?P<align>[<>]?)(?P<width>[1-9][0-9]?|)s?")
_BASES = {"": 10, "d": 10, "b": 2, "o": 8, "x": 16}
_INT_SPEC = re.compile("(?P<align>[<>]?)(?P<prefix>#?)(?P<zero>0?)(?P<width>[1-9][0-9]?|)(?P<base>[bdox]?)")


def _span(dtype: np.dtype) -> Interval:
    info = np.iinfo(dtype)
    return Interval(int(info.min), int(info.max))


# ---- methods ---------------------------------------------------------------------------------------------------------


def _added(first: object, second: object) -> Characters | None:
    parts = characters_of(first), characters_of(second)
    return None if parts[0] is None or parts[1] is None else _joined(parts[0], parts[1])


def _multiplied(text: object, count: object) -> Characters | None:
    once = characters_of(text)
    if isinstance(text, (int, Tracer)):
        once, count = characters_of(count), text
    if once is None:
        return None
    if type(count) is int:
        return Repeated(once, max(count, 0))
    if isinstance(count, Tracer) and not count.abstract.shape and count.abstract.dtype.kind in "iu":
        return Repeated(once, size_arithmetic.maximum(size_arithmetic.bound_of(count), 0))
    return None


def _concatenated(separator: object, parts: object) -> Characters | None:
    if is_dynamic_list(parts):
        return _of_characters(parts.items) if separator == "" else None  # type: ignore[attr-defined]
    between = characters_of(separator)
    if between is None or not isinstance(parts, (list, tuple)):
        return None
    whole: Characters = Known("")
    for place, part in enumerate(parts):
        characters = characters_of(part)
        if characters is None:
            return None
        whole = _joined(_joined(whole, between) if place else whole, characters)
    return whole


def _of_characters(items: Value) -> Characters | None:
    """The characters of a list of texts, where each has one."""
    if not items.structure.capacity:
        return Known("")

    def code_of(item: object) -> Atom:
        found = characters_of(item)
        assert found is not None, "another item had characters"
        return found.code(atoms.literal(0, _INT64))

    if type(items.length) is int:
        return _concatenated("", [items.item(place) for place in range(items.length)])
    some = characters_of(items.item(size_arithmetic.maximum(size_arithmetic.add(items.length, -1), 0)))
    if some is None or type(some.length) is not int or some.length != 1:
        return None
    return OfItems(items, some.letters, code_of)


def _translated(text: object, table: object) -> Characters | None:
    """`str.translate`, as far as the letters are known."""
    if (before := characters_of(text)) is None or not before.letters or has_traced(table):
        return None
    return _letter_by_letter(before, [letter.translate(table) for letter in before.letters])  # type: ignore[arg-type]


def _letter_by_letter(before: Characters, images: Sequence[str]) -> Characters | None:
    """The characters of a text whose letters are known, where each is exchanged on its own for one other."""
    # What follows on a character counts for this one.
    return None if any(len(i) != 1 for i in images) or "Σ" in before.letters else Mapped(before, images)


def _in_case(method: str) -> Callable[[object], Characters | None]:
    """The maker for a method that changes the case of each letter."""

    def make(text: object) -> Characters | None:
        before = characters_of(text)
        return None if before is None else _cased(before, method)

    return make


def _cased(before: Characters, method: str) -> Characters | None:
    if not before.letters:
        return Cased(before, method)
    return _letter_by_letter(before, list(map(getattr(str, method), before.letters)))


def check_case(method: str, text: object) -> None:
    """Have checked at run time what compiled code cannot do of a method that changes the case of letters."""
    bounds: dict[str, Sequence[object]] = {method: (0, None)} if method != "capitalize" else _CAPITAL
    for name, (start, stop) in bounds.items():
        if (part := _part(text, start, stop)) is not None:
            letter_case.check(name, part)


# The first letter of a text and the rest, each with the method for it.
_CAPITAL: dict[str, Sequence[object]] = {"title": (0, 1), "lower": (1, None)}


def _capitalised(text: object) -> Characters | None:
    parts = [_part(text, *bounds) for bounds in _CAPITAL.values()]
    cased = [None if part is None else _cased(part, name) for name, part in zip(_CAPITAL, parts, strict=True)]
    return None if cased[0] is None or cased[1] is None else _joined(cased[0], cased[1])


def _filled(text: object, width: object) -> Characters | None:
    whole = characters_of(text)
    if whole is None or type(width) is not int or not whole.letters or set(whole.letters) & set("+-"):
        return None
    return _padded(whole, width, "0", left=True)


def _justified(left: bool) -> Callable[..., Characters | None]:
    def make(text: object, width: object, fill: object = " ") -> Characters | None:
        whole = characters_of(text)
        if whole is None or type(width) is not int or not isinstance(fill, str) or len(fill) != 1:
            return None
        return _padded(whole, width, fill, left)

    return make


def _padded(whole: Characters, width: int, fill: str, left: bool) -> Characters:
    """With as many of a character before or after it that it is as long."""
    missing = size_arithmetic.maximum(size_arithmetic.difference(width, whole.length), 0)
    filling = Repeated(Known(fill), missing)
    return _joined(filling, whole) if left else _joined(whole, filling)


def _exchanged(text: object, old: object, new: object) -> Characters | None:
    """`str.replace` of one character by one other."""
    before = characters_of(text)
    if before is None or not (isinstance(old, str) and isinstance(new, str)) or len(old) != 1 or len(new) != 1:
        return None
    if not before.letters:
        return Exchanged(before, old, new)
    return Mapped(before, [new if letter == old else letter for letter in before.letters])


def _without_ends(left: bool, right: bool) -> Callable[..., Characters | None]:
    """The maker for `strip`, `lstrip` and `rstrip`."""

    def make(text: object, letters: object = None) -> Characters | None:
        whole = characters_of(text)
        known = letters is None or isinstance(letters, str)
        return _stripped(whole, letters, left, right) if whole is not None and known else None  # type: ignore[arg-type]

    return make


def _part(text: object, *key: object) -> Characters | None:
    whole = characters_of(text)
    return None if whole is None else part_of(whole, slice(*key))


def part_of(whole: Characters, key: slice) -> Characters | None:
    """The characters of a part of a text; None where the step is known only at run time."""
    step = 1 if key.step is None else key.step
    if type(step) is not int or not step:
        return None
    size, low = whole.length, -1 if step < 0 else 0
    first: Bound = 0 if step > 0 else size_arithmetic.add(size, -1)
    last: Bound = size if step > 0 else -1
    start = first if key.start is None else size_arithmetic.position(key.start, size, low)
    stop = last if key.stop is None else size_arithmetic.position(key.stop, size, low)
    low_end, high_end = (start, stop) if step > 0 else (stop, start)
    return Part(whole, size_arithmetic.atom_of(start), step, size_arithmetic.steps(low_end, high_end, abs(step)))


def _decoded(codes: object, length: object) -> Characters:
    return Decoded(wrap.as_atom(codes), wrap.as_atom(length, _INT64))


_MAKERS: dict[str, Callable[..., Characters | None]] = {
    "format": _formatted, "__add__": _added, "__mul__": _multiplied, "__rmul__": _multiplied, "join": _concatenated,
    **{name: _in_case(name) for name in ("upper", "lower", "swapcase", "casefold")},
    "capitalize": _capitalised, "translate": _translated,
    "zfill": _filled, "rjust": _justified(True), "ljust": _justified(False), "replace": _exchanged,
    "part": _part, "spelled": _of_characters, "decoded": _decoded,
    "strip": _without_ends(True, True), "lstrip": _without_ends(True, False),
    "rstrip": _without_ends(False, True), NUMPYS_TEXT: characters_of,
}  # fmt: skip


_SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))  # behind these there is none


def _stripped(whole: Characters, letters: str | None, left: bool, right: bool) -> Characters:
    """A text without some letters (white space if None) at its ends."""
    codes = _codes(whole, _SPACES if letters is None else letters)
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
    return _is_one_of(whole, place, _codes(whole, _SPACES))


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

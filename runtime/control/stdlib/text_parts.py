"""Methods of texts known only at run time that give several texts: `split` and its kin, `partition`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import boolean
from anabranch.runtime.control.dynamic_lists import dynamic_list
from anabranch.runtime.control.generator_expression import for_each
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.lists import items_of
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.control.texts import text_operations
from anabranch.runtime.control.texts.characters import Characters, Part
from anabranch.runtime.control.texts.characters_of import is_space
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.attributes import class_of
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.heap.generator_names import GeneratorNames
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.union import UnionValue


def method(name: str, text: Value, *args: object) -> Value:
    """A method of a text that returns no text; `NotImplemented` where it has no such form."""
    texts = all(isinstance(a, (str, Text, UnionValue)) for a in (text, *args))
    if name in _FROM_PLACES and len(args) in (2, 3) and isinstance(args[0], str) and args[0]:
        return _FROM_PLACES[name](name, text, args[0], *args[1:])
    staged = _METHODS.get(name)
    if name == "split" and len(args) == 2 and isinstance(args[0], (str, Text)):
        return _at(text, *args)
    if staged is None or not texts or len(args) > 1:
        return text_operations.method(name, text, *args)
    return staged(text, *args)


def _in_part(name: str, text: Value, other: str, start: Value, stop: Value = None) -> Value:
    """`startswith`, `endswith` and `count` between two places."""
    return method(name, _part(text, start, stop), other)


def _after(name: str, text: Value, other: str, start: Value, stop: Value = None) -> Value:
    """`find` and `index` between two places."""
    place = method(name, _part(text, start, stop), other)
    begin = start if start is None else size_arithmetic.position(start, text_operations.length(text), 0)
    return if_(place < 0, lambda: place, lambda: place + (0 if begin is None else begin))


def _new_list() -> Any:
    current().trace.lists.demand_growth()
    return dynamic_list.growing([])


def _split(text: Text, *separator: Value) -> Value:
    """`text.split(separator)`."""
    return _at(text, separator[0]) if separator else _words(text)


def _words(text: Text) -> Value:
    """The parts of a text between white space."""
    whole = text_operations.known_characters(text, " by str.split")
    found, row = _new_list(), GeneratorNames((-1,), ("where a word begins",))

    def step(place: Value) -> None:
        space = python_scalar(is_space(whole, size_arithmetic.atom_of(place)))

        def end() -> None:
            if_(row[0] >= 0, cut, lambda: None)

        def cut(found: Any = found) -> None:
            found.append(_part(text, row[0], place))
            row[0] = -1

        def begin() -> None:
            row[0] = if_(row[0] < 0, lambda: place, lambda: row[0])

        if_(space, end, begin)

    for_each(Range(0, whole.length, 1), step)

    def last(found: Any = found) -> None:
        found.append(_part(text, row[0], whole.length))

    if_(row[0] >= 0, last, lambda: None)
    return dynamic_list.placed(found)


def _at(text: Text, separator: Value, most: Value = -1) -> Value:
    """The parts of a text between separators, of which no more than `most` count if it is not negative."""
    use = " by str.split"
    whole, between = (text_operations.known_characters(t, use) for t in (text, separator))
    _refuse_none(between)
    found, row = _new_list(), GeneratorNames((0, 0), ("where a part begins", "the number of parts"))

    def step(place: Value) -> None:
        def cut(found: Any = found) -> None:
            found.append(_part(text, row[0], place))
            row[0] = size_arithmetic.add(place, between.length)
            row[1] = row[1] + 1

        counts = boolean.or_(most < 0, lambda: row[1] < most)
        here = boolean.and_(counts, lambda: place >= row[0], lambda: _is_at(whole, place, between))
        if_(here, cut, lambda: None)

    places = size_arithmetic.add(size_arithmetic.difference(whole.length, between.length), 1)
    for_each(Range(0, places, 1), step)
    found.append(_part(text, row[0], whole.length))
    return dynamic_list.placed(found)


_ENDS = [code for code in range(0x2030) if len(f"{chr(code)}x".splitlines()) > 1]


def _lines(text: Text) -> Value:
    """`text.splitlines()`."""
    whole = text_operations.known_characters(text, " by str.splitlines")
    ends = [code for code in _ENDS if not whole.letters or chr(code) in whole.letters]
    found, row = _new_list(), GeneratorNames((0,), ("where a line begins",))

    def code_is(place: Value, code: int) -> Value:
        return python_scalar(whole.code(size_arithmetic.atom_of(place))) == code

    def step(place: Value) -> None:
        def end() -> None:
            behind_return = boolean.and_(code_is(place, 10), lambda: place > 0, lambda: code_is(place - 1, 13))
            if_(behind_return, lambda: None, cut)
            row[0] = place + 1

        def cut(found: Any = found) -> None:
            found.append(_part(text, row[0], place))

        if_(boolean.or_(False, *[lambda code=code: code_is(place, code) for code in ends]), end, lambda: None)

    for_each(Range(0, whole.length, 1), step)

    def last(found: Any = found) -> None:
        found.append(_part(text, row[0], whole.length))

    if_(row[0] < whole.length, last, lambda: None)
    return dynamic_list.placed(found)


def _is_at(whole: Characters, place: Value, part: Characters) -> Value:
    here = Part(whole, size_arithmetic.atom_of(place), 1, part.length)
    return python_scalar(text_operations.equal(here, part))


def _refuse_none(separator: Characters) -> None:
    """Raise what Python does for a separator without characters."""
    if type(separator.length) is int:
        if not separator.length:
            raise ValueError("empty separator")
        return
    nothing = wrap.as_atom(separator.length == 0, np.bool_)
    run_time_checks.fail_if(nothing, lambda _: ValueError("empty separator"))


def _part(text: Value, start: Value, stop: Value) -> Value:
    return text_operations.item(text, slice(start, stop))


def _partition(text: Text, separator: Value) -> Value:
    """`text.partition(separator)`."""
    return _around(text, separator, "find", text_operations.length(text))


def _last_partition(text: Text, separator: Value) -> Value:
    """`text.rpartition(separator)`."""
    return _around(text, separator, "rfind", 0)


def _around(text: Text, separator: Value, find: str, missing: Value) -> Value:
    """The parts before and after a separator, around it; where there is none, all before `missing`."""
    between = text_operations.known_characters(separator, " by str.partition")
    _refuse_none(between)
    place = text_operations.method(find, text, separator)
    is_there = place >= 0
    head = if_(is_there, lambda: place, lambda: missing)
    tail = if_(is_there, lambda: size_arithmetic.add(place, between.length), lambda: missing)
    middle = if_(is_there, lambda: separator, lambda: "")
    return _part(text, None, head), middle, _part(text, tail, None)


_FROM_PLACES: dict[str, Callable[..., Value]] = {
    "find": _after, "index": _after, "startswith": _in_part, "endswith": _in_part, "count": _in_part,
}  # fmt: skip
_METHODS: dict[str, Callable[..., Value]] = {
    "split": _split,
    "splitlines": _lines,
    "partition": _partition,
    "rpartition": _last_partition,
}


def parts(items: Value) -> Value:
    """A new list of the texts.

    Raises `TypeError` at run time, where there are items and they are no texts, as `str.join` does. Raises
    `UnsupportedOperationError` for a list of run-time length that may hold texts and other items.
    """
    made = items_of(items)
    if is_dynamic_list(made) and made.items.structure.variants:
        _check(made)
    return made


def _check(made: Value) -> None:
    first = made.items.item(0)
    options = first.options if isinstance(first, UnionValue) else (first,)
    are_texts = [isinstance(option, (str, Text)) for option in options]
    if all(are_texts):
        return
    if any(are_texts) or len(options) > 1:
        raise UnsupportedOperationError(
            "str.join of a list whose length is known only at run time, and whose items are not all texts, is not "
            "supported; append str(item)"
        )
    some = atoms.ufunc(np.greater, wrap.as_atom(made.items.length, np.int64), atoms.literal(0, np.int64))
    text = f"sequence item 0: expected str instance, {class_of(first).__name__} found"
    run_time_checks.fail_if(some, lambda _: TypeError(text))

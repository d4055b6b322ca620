"""Patterns of `match` that look into their subject: sequences, mappings, classes, alternatives with captures.

Each asks as Python does: parts are taken once, in order, and a part that statically does not match ends the asking.
"""

from __future__ import annotations

import collections.abc
import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.control import boolean, lists
from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.control.identity import is_
from anabranch.runtime.control.stdlib import class_tests, introspection
from anabranch.runtime.control.stdlib.builtin_iterators import len_
from anabranch.runtime.control.ternary import ifexp
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, text_tables
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN, looked_up

Found = dict[str, Any]
Hit = bool | Atom


def match(subject: object, pattern: object) -> tuple[Any, ...]:
    """Return whether the pattern takes the subject, and what its names capture, in the order in which they stand."""
    found: Found = {}
    hit = matches(pattern, subject, found)
    names = dict.fromkeys(_names(pattern))
    captured = (found[n] if n in found and hit is not False else Undefined(n) for n in names)
    return (hit if isinstance(hit, bool) else python_scalar(hit), *captured)


def matches(pattern: object, subject: object, found: Found) -> Hit:
    """Return whether `pattern` takes `subject`; what it captures goes into `found`."""
    if isinstance(pattern, Name):
        return pattern.matches(subject, found)
    if isinstance(subject, UnionValue):
        subject = subject.without_undefined()
    if isinstance(subject, Reference) and not subject.graph_.fine:
        subject = subject.plain_()
    if isinstance(pattern, (Value, As, Either)) and text_tables.is_choice(subject):
        return pattern.matches(subject, found)
    if not isinstance(pattern, Pattern) and (known := looked_up(operator.eq, subject, pattern)) is not UNKNOWN:
        return truth(known)
    if isinstance(subject, Reference):
        kinds = subject.apart_()
        if len(kinds) > 1:
            return _any([_Way(pred, pattern, one) for pred, one in kinds], found)
    elif isinstance(subject, UnionValue):
        ways = [_Way(subject.chosen(i), pattern, option) for i, option in enumerate(subject.options)]
        return _any(ways, found)
    if isinstance(pattern, Pattern):
        return pattern.matches(subject, found)
    if pattern is None or pattern is True or pattern is False:
        return truth(is_(subject, pattern))
    return truth(subject == pattern)


class Pattern:
    """One pattern; numbers and strings stand for themselves, as do None, True and False (by identity)."""

    __slots__ = ()

    def matches(self, subject: object, found: Found) -> Hit:
        """Return whether it takes the subject."""
        raise NotImplementedError

    def names(self) -> Iterator[str]:
        """The names that it captures, in order."""
        return iter(())


@frozen
class Value(Pattern):
    """A dotted name: equal to what it holds."""

    value: Any

    def matches(self, subject: object, found: Found) -> Hit:
        return truth(subject == self.value)


@frozen
class Name(Pattern):
    """Takes everything; captures it, unless the name is `_`."""

    name: str = ""

    def matches(self, subject: object, found: Found) -> Hit:
        if self.name:
            found[self.name] = subject
        return True

    def names(self) -> Iterator[str]:
        return iter([self.name] if self.name else [])


@frozen
class Star(Pattern):
    """`*rest` of a sequence."""

    name: str = ""

    def names(self) -> Iterator[str]:
        return iter([self.name] if self.name else [])


@frozen
class As(Pattern):
    """`pattern as name`."""

    pattern: object
    name: str

    def matches(self, subject: object, found: Found) -> Hit:
        hit = matches(self.pattern, subject, found)
        found[self.name] = subject
        return hit

    def names(self) -> Iterator[str]:
        yield from _names(self.pattern)
        yield self.name


class Either(Pattern):
    """The first alternative that takes the subject."""

    def __init__(self, *patterns: object) -> None:
        self.patterns = patterns

    def matches(self, subject: object, found: Found) -> Hit:
        return _any([_Way(True, p, subject) for p in self.patterns], found)

    def names(self) -> Iterator[str]:
        return _names(self.patterns[0])


# Py_TPFLAGS_SEQUENCE, by which CPython tells sequences.
_ARRAYS_ARE_SEQUENCES = bool(np.ndarray.__flags__ & 1 << 5)


class Sequence(Pattern):
    """A tuple, a list or another sequence (but no string) of fitting length, by its items; arrays since NumPy 2.5."""

    def __init__(self, *patterns: object) -> None:
        self.patterns = patterns

    def matches(self, subject: Any, found: Found) -> Hit:
        kind = _class_of(subject)
        is_array = _ARRAYS_ARE_SEQUENCES and issubclass(kind, np.ndarray)
        if not (is_array or class_tests.issubclass_(kind, collections.abc.Sequence)):
            return False
        if issubclass(kind, (str, bytes, bytearray)):
            return False
        stars = [i for i, p in enumerate(self.patterns) if isinstance(p, Star)]
        fixed = len(self.patterns) - len(stars)
        length = len_(subject)
        if isinstance(length, Tracer):
            ask: Any = operator.ge if stars else operator.eq
            fits = ask(length, fixed)
            return _where(fits, self, lambda found: _all(self._parts(subject, length, stars), found), found)
        if length < fixed or (not stars and length > fixed):
            return False
        items = [subject[i] for i in range(length)] if isinstance(subject, Reference) else list(subject)
        for at in stars:
            end = len(items) - (len(self.patterns) - at - 1)
            items[at:end] = [items[at:end]]
        return _all([(p, item) for p, item in zip(self.patterns, items, strict=True)], found)

    def _parts(self, subject: Any, length: Any, stars: list[int]) -> list[tuple[object, Any]]:
        """Each pattern with its part of a subject whose length is known only at run time, and fits."""
        first = stars[0] if stars else len(self.patterns)
        after = len(self.patterns) - first - 1
        parts = [(pattern, subject[i]) for i, pattern in enumerate(self.patterns[:first])]
        if stars:
            parts.append((self.patterns[first], lists.COUNTERPARTS[list](subject)[first : length - after]))
        return parts + [(pattern, subject[i - after]) for i, pattern in enumerate(self.patterns[first + 1 :])]

    def names(self) -> Iterator[str]:
        for pattern in self.patterns:
            yield from _names(pattern)


class Mapping(Pattern):
    """A mapping that has some keys, by their values; `rest` captures a dict of all others."""

    def __init__(self, patterns: dict[Any, object], rest: str = "") -> None:
        self.patterns, self.rest = patterns, rest

    def matches(self, subject: Any, found: Found) -> Hit:
        if not class_tests.issubclass_(_class_of(subject), collections.abc.Mapping):
            return False
        if isinstance(subject, RunTimeContainer):
            has_all = boolean.all_true(True, *(functools.partial(subject.contains_, key) for key in self.patterns))
            return _where(has_all, self, lambda found: self._of_table(subject, found), found)
        missing = object()
        if isinstance(subject, Reference):
            subject = {key: subject[key] for key in subject.keys_}
        values = [subject.get(key, missing) for key in self.patterns]
        if any(value is missing for value in values):
            return False
        hit = _all(list(zip(self.patterns.values(), values, strict=True)), found)
        if self.rest:
            found[self.rest] = {k: v for k, v in subject.items() if k not in self.patterns}
        return hit

    def _of_table(self, subject: Any, found: Found) -> Hit:
        """The same of a dict whose keys are known only at run time, and which has these."""
        hit = _all([(pattern, subject[key]) for key, pattern in self.patterns.items()], found)
        if self.rest:
            found[self.rest] = rest = subject.copy()
            for key in self.patterns:
                del rest[key]
        return hit

    def names(self) -> Iterator[str]:
        for pattern in self.patterns.values():
            yield from _names(pattern)
        if self.rest:
            yield self.rest


# Classes (and their subclasses) whose one positional pattern is the subject itself.
_THEMSELVES = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


class Instance(Pattern):
    """An instance of a class, by its attributes: positional ones by `__match_args__`."""

    def __init__(self, cls: type, *positional: object, **named: object) -> None:
        if not isinstance(cls, type):
            raise TypeError("called match pattern must be a class")
        self.cls, self.positional, self.named = cls, positional, named

    def matches(self, subject: object, found: Found) -> Hit:
        hit = truth(class_tests.isinstance_(subject, self.cls))
        if hit is not True:
            return hit
        itself = [(p, subject) for p in self.positional] if self._takes_itself() else []
        patterns = dict(zip(() if itself else self._attributes(), self.positional, strict=False)) | self.named
        missing = object()
        values = [introspection.getattr_(subject, name, missing) for name in patterns]
        if any(value is missing for value in values):
            return False
        return _all([*itself, *zip(patterns.values(), values, strict=True)], found)

    def _takes_itself(self) -> bool:
        return (
            len(self.positional) == 1 and issubclass(self.cls, _THEMSELVES) and not hasattr(self.cls, "__match_args__")
        )

    def _attributes(self) -> tuple[str, ...]:
        names: tuple[str, ...] = getattr(self.cls, "__match_args__", ())
        accepted, given = len(names), len(self.positional)
        if given > accepted:
            many = "" if accepted == 1 else "s"
            raise TypeError(f"{self.cls.__name__}() accepts {accepted} positional sub-pattern{many} ({given} given)")
        for name in self.named:
            if name in names[:given]:
                raise TypeError(f"{self.cls.__name__}() got multiple sub-patterns for attribute {name!r}")
        return names

    def names(self) -> Iterator[str]:
        for pattern in (*self.positional, *self.named.values()):
            yield from _names(pattern)


def _names(pattern: object) -> Iterator[str]:
    return pattern.names() if isinstance(pattern, Pattern) else iter(())


def _class_of(subject: Any) -> Any:
    return subject.kind_ if isinstance(subject, Reference) else introspection.class_of(subject)


def _where(condition: Any, pattern: Pattern, matched: Callable[[Found], Hit], found: Found) -> Hit:
    """Return whether a condition holds and, asked only there, the parts are taken; what they capture is captured."""
    holds, names = truth(condition), list(dict.fromkeys(pattern.names()))
    if isinstance(holds, bool):
        return holds and matched(found)

    def otherwise() -> tuple[Any, ...]:
        return (False, *map(Undefined, names))

    def there() -> tuple[Any, ...]:
        inner: Found = {}
        hit = matched(inner)
        return (hit if isinstance(hit, bool) else python_scalar(hit), *(inner.get(n, Undefined(n)) for n in names))

    hit, *captured = stage_branches.stage(holds, (otherwise, there), "the parts of a subject of match")
    found.update(zip(names, captured, strict=True))
    return truth(hit)


def _all(parts: list[tuple[object, Any]], found: Found) -> Hit:
    """Return whether each pattern takes its part."""
    whole: Hit = True
    for pattern, part in parts:
        hit = Name(pattern.name).matches(part, found) if isinstance(pattern, Star) else matches(pattern, part, found)
        if hit is False:
            return False
        whole = _both(whole, hit)
    return whole


@frozen
class _Way:
    """One way to match: under a condition, a pattern on a subject."""

    condition: Hit
    pattern: object
    subject: Any


def _any(ways: list[_Way], found: Found) -> Hit:
    """Return whether one of the ways is taken; what the first such way captures is captured."""
    taken: list[tuple[Hit, Found]] = []
    for way in ways:
        captured: Found = {}
        hit = _both(way.condition, matches(way.pattern, way.subject, captured))
        if hit is not False:
            taken.append((hit, captured))
        if hit is True:
            break
    if not taken:
        return False
    whole, last = taken[-1]
    found.update(last)
    for hit, captured in reversed(taken[:-1]):
        for name, value in captured.items():
            found[name] = ifexp(python_scalar(hit), _give(value), _give(found[name]))  # type: ignore[arg-type]
        whole = True if whole is True else atoms.logical_or(hit, whole)  # type: ignore[arg-type]
    return whole


def _give(value: object) -> Callable[[], Any]:
    return lambda: value


def _both(a: Hit, b: Hit) -> Hit:
    if isinstance(a, bool):
        return b if a else False
    if isinstance(b, bool):
        return a if b else False
    return atoms.logical_and(a, b)


# The names that rewritten code uses.
value, name, star, as_, either, sequence, mapping, instance = Value, Name, Star, As, Either, Sequence, Mapping, Instance

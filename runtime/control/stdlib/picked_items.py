"""Iterators over what is computed of items or picked by a condition: generator expressions, `map` and `filter`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.branches.truth import truth_value
from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.iteration.generators import PushIterator
from anabranch.runtime.control.stdlib import itertools_source as source
from anabranch.runtime.control.stdlib.builtin_iterators import asked, is_asked, length_of, zip_
from anabranch.runtime.control.stdlib.going_on import goes_on, one, only, resumable, that_may_go_on

# `call(function, *args)`, which this module cannot import: it stands above.
Call = Callable[..., Any]


class Mapped(GeneratorExpression, sample=lambda: map(repr, ())):
    """The iterator that `map` returns."""


class Filtered(GeneratorExpression, sample=lambda: filter(None, ())):
    """The iterator that `filter` returns."""


def map_(call: Call, function: Any, *columns: Value) -> Value:
    """As `map`."""
    if len(columns) == 1:
        of_item: Callable[[Value], Value] = functools.partial(call, function)
        return _picked(columns[0], lambda: Mapped(columns[0], of_item), lambda _: True, of_item)
    rows = zip_(*columns)
    if isinstance(rows, zip):
        return map(lambda *items: call(function, *items), *columns)
    return Mapped(rows, lambda row: call(function, *row))


def filter_(call: Call, function: object, items: object) -> Value:
    """As `filter`."""
    test = truth_value if function is None else functools.partial(call, function)
    return _picked(items, lambda: Filtered(items, condition=test), test, _itself)


def _itself(item: Value) -> Value:
    return item


def each(
    items: Value,
    element: Callable[..., Any] = _itself,
    condition: Callable[..., Any] | None = None,
    width: Any = None,
    nested: bool = False,
    whole: bool = False,
) -> Value:
    """A generator expression of the user's."""
    made = GeneratorExpression(items, element, condition, width, nested, whole)
    if nested or whole:
        return made
    test = (lambda _: True) if condition is None else lambda item: condition(*made.parts_of(item))
    return _picked(items, lambda: made, test, made.element_of)


def _picked(
    items: Value, made: Callable[[], Value], test: Callable[[Any], Any], element: Callable[[Any], Any]
) -> Value:
    """An iterator over the elements of the items that pass a test: as `made` gives it, or one that goes on anywhere."""
    if not (isinstance(items, PushIterator) or is_asked(items)):
        return resumable(
            (items,), made, lambda: one(source.picked, (items,), length_of, only, test, element), source.picked
        )
    if goes_on():
        return one(source.picked_next, asked(items), test, element)
    return that_may_go_on(made(), source.picked_next)

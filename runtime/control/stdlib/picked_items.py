"""Iterators over what is computed of items or picked by a condition: generator expressions, `map` and `filter`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.branches.truth import truth_value
from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.iteration.generators import PushIterator
from anabranch.runtime.control.sequences.as_countable import countable, is_countable
from anabranch.runtime.control.sequences.iterators import Zipped
from anabranch.runtime.control.stdlib import itertools_source as source
from anabranch.runtime.control.stdlib.builtin_iterators import iterated_once, length_of, zip_
from anabranch.runtime.control.stdlib.going_on import by_places, one, only, resumable

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
        return resumable(
            columns,
            lambda: Mapped(columns[0], of_item),
            lambda: by_places(columns, length_of, lambda held, place: of_item(only(held, place))),
        )
    if any(isinstance(iterated_once(column), PushIterator) for column in columns):
        return Mapped(zip_(*columns), lambda row: call(function, *row))
    if not columns or not all(map(is_countable, columns)):
        return map(lambda *items: call(function, *items), *columns)
    rows = Zipped(tuple(c for c in map(countable, columns) if c is not None), strict=False)
    return Mapped(rows, lambda row: call(function, *row))


def filter_(call: Call, function: object, items: object) -> Value:
    """As `filter`."""
    test = truth_value if function is None else functools.partial(call, function)
    return resumable(
        (items,),
        lambda: Filtered(items, condition=test),
        lambda: one(source.picked, (items,), length_of, only, test, _itself),
        source.picked,
    )


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
    return resumable(
        (items,),
        lambda: made,
        lambda: one(source.picked, (items,), length_of, only, test, made.element_of),
        source.picked,
    )

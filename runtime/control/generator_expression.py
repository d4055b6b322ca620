"""Generator expressions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterator
from typing import Any, TypeAlias, TypeVar

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.control.columnar import text_items
from anabranch.runtime.control.exits import BREAK, NEXT
from anabranch.runtime.control.for_ import run
from anabranch.runtime.control.if_ import if_, where
from anabranch.runtime.control.iteration.push_iterator import Consumer, PushIterator, no_items
from anabranch.runtime.control.iteration.user_iterators import iterated
from anabranch.runtime.control.loops.counted import FEW_KNOWN, run_counted
from anabranch.runtime.control.loops.steps import StateForm
from anabranch.runtime.control.sequences import as_countable, countable, iterators
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, chosen_containers
from anabranch.runtime.values.dynamic_lists.growable_list import Growable, is_dynamic_list
from anabranch.runtime.values.failures.ended_iterators import Body
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.run_time_container import RunTimeContainer

T = TypeVar("T")
_BROKEN = StateForm((), ("break",))


def _itself(item: Value) -> Value:
    return item


Width: TypeAlias = "int | tuple[Width | None, ...]"


class _StoppedError(Exception):
    """A StopIteration of an element of a list comprehension, which a generator would take for an error of its own."""


class GeneratorExpression(PushIterator, sample=no_items):
    """`(element(item) for item in items if condition(item))`.

    Parameters
    ----------
    element, condition : callable, optional
        Of the item, or of its `width` parts where the target is a tuple.
    width : int or tuple, optional
        A tuple has the width of each part of such an item, 0 for one that is no row, None for one that is starred.
    nested : bool
        The elements are such expressions themselves, one after the other.
    whole : bool
        A list was written: all of it is computed even where its first elements decide.
    """

    def __init__(
        self,
        items: Value,
        element: Callable[..., Any] = _itself,
        condition: Callable[..., Any] | None = None,
        width: Width | None = None,
        nested: bool = False,
        whole: bool = False,
    ) -> None:
        super().__init__()
        items = iterated(items)
        self._again = items if type(items) in (list, tuple, dict, str) or isinstance(items, Growable) else None
        sequence = None if isinstance(items, PushIterator) else as_countable.countable(items)
        if sequence is not None and sequence.is_known and sequence.length <= FEW_KNOWN:
            items, sequence = sequence.steps(), None
        apart = chosen_containers.is_choice(items) or text_items.is_one_of_texts(items)
        self._over = (
            items if isinstance(items, PushIterator) or apart else iter(items) if sequence is None else sequence
        )  # fmt: skip
        self._element, self._condition, self._width = element, condition, width
        self.nested, self.whole = nested, whole

    def repeated_(self) -> tuple[object, ...] | None:
        """Its functions, where what it goes over can be gone over again."""
        over = self._over
        if isinstance(over, countable.Countable) and not isinstance(over, iterators.Once):
            again: Any = over if isinstance(over.length, int) else None
        else:
            again = self._again
        return None if again is None else (self._element, self._condition, again)

    def leads_to_(self) -> tuple[Value, ...]:
        over = self._over if isinstance(self._over, (iterators.Once, PushIterator)) else None
        return self._element, self._condition, self._again, over

    def begins_anew_(self) -> bool:
        if isinstance(self._over, (countable.Countable, PushIterator)):
            return True
        if self._again is not None:
            self._over = type(self)(self._again)._over
        return self._again is not None

    @property
    def element(self) -> Callable[..., Any]:
        """The function that computes an element from an item."""
        return self._element

    @property
    def site(self) -> tuple[Hashable, ...]:
        """The code of the element, by which the expression is known again; of `map`, that of the function, too."""
        cells = getattr(self._element, "__closure__", None) or ()
        called = [c.cell_contents for c in cells if callable(c.cell_contents)]
        return tuple(part for function in (self._element, *called) for part in _codes(function))

    def counted(self) -> countable.Countable | None:
        """Return the iterable, if its length is known and each of its items yields an element; None otherwise."""
        over = self._over
        if self._condition is not None or not isinstance(over, countable.Countable):
            return None
        return over if isinstance(over.length, int) and not over.end_errors() else None

    def at_once(self, taken: Callable[[GeneratorExpression], T | None]) -> T | None:
        """Return the result of `taken` for the expression, which is used up then; None where it returns None."""
        if self.begun or self._spent is not False or (self._made is not None and self._made is not current()):
            return None
        found = taken(self)
        if found is not None:
            self._spent = True
        return found

    def element_of(self, item: object) -> Value:
        """The element of an item."""
        return self._computed(self._element, self.parts_of(item))

    def keeps_(self, item: object) -> Value:
        """Return whether an item has an element."""
        return True if self._condition is None else self._computed(self._condition, self.parts_of(item))

    def _computed(self, part: Callable[..., Any], args: tuple[Value, ...]) -> Value:
        """The element or the condition of the parts of an item."""
        return part(*args)

    @property
    def what(self) -> str:
        """The expression, for messages."""
        return f"the generator expression at {where(self._element)}"

    def run(self, consume: Consumer) -> Value:
        """Run the loops of the expression with `consume` in the innermost; whether it wanted no more."""

        def found(args: tuple[Value, ...]) -> Value:
            value = self._computed(self._element, args)
            if not self.nested:
                return consume(value)
            value.whole = self.whole
            return value.run(consume)

        # By the defaults the loop finds the lists and objects that the expression changes.
        def body(item: Value, users: tuple[Value, ...] = (self._element, self._condition)) -> Value:
            args = self.parts_of(item)
            if self._condition is None:
                return _code(found(args))
            return if_(self._computed(self._condition, args), lambda: _code(found(args)), lambda: NEXT)

        what, over = self.what, self._over
        if isinstance(over, countable.Countable):
            code = run_counted(over, body, (), _BROKEN, what)[0]
        else:
            code = run(over, body, (), _BROKEN, what)[0]
        return code >= BREAK

    def pull(self) -> Iterator[Value]:
        """The items one by one."""
        over = self._over
        if chosen_containers.is_choice(over):
            raise ConcretizationError(
                f"how many items the generator expression at {where(self._element)} has is known only at run time; use "
                "it in a for statement, list(), sum, any, all, min or max"
            )
        for item in over.steps() if isinstance(over, countable.Countable) else over:
            args = self.parts_of(item)
            kept = True if self._condition is None else truth(self._made_of(self._condition, args))
            if not isinstance(kept, bool):
                raise ConcretizationError(
                    f"whether the generator expression at {where(self._element)} keeps an item is known only at run "
                    "time, and so is the number of its items; use it in a for statement, list(), sum, any, all, min "
                    "or max"
                )
            if kept and self.nested:
                inner = self._made_of(self._element, args)
                inner.whole = self.whole
                yield from map(_itself, inner)  # which nobody closes, as Python does a generator
            elif kept:
                yield self._made_of(self._element, args)

    def _made_of(self, part: Callable[..., Any], args: tuple[Value, ...]) -> Value:
        try:
            return self._computed(part, args)
        except StopIteration as error:
            raise _StoppedError(error) from None

    def _one_by_one(self) -> list[Value]:
        try:
            return super()._one_by_one()
        except _StoppedError as stopped:
            error = stopped.args[0]
        raise error

    def first(self) -> tuple[Value, GeneratorExpression] | None:
        """The first element and the expression of the others, where it is known that there is one."""
        over = self._over
        if self._condition is not None or self.nested or not isinstance(over, countable.Countable):
            return None
        if over.end_errors():
            return None
        if not isinstance(over.length, int) or over.length < 1:
            return None
        rest = type(self)(iterators.Tail(over), self._element, width=self._width, whole=self.whole)
        return self.element_of(over.at(0)), rest

    def parts_of(self, item: Value) -> tuple[Value, ...]:
        """The arguments of the element and of the condition."""
        return (item,) if self._width is None else _unpacked(item, self._width)


class Written(GeneratorExpression):
    """One that the user has written, with a list around it or not."""

    def _computed(self, part: Callable[..., Any], args: tuple[Value, ...]) -> Value:
        # A comprehension is no generator.
        return super()._computed(part, args) if self.whole else Body().run(part, *args)


def _unpacked(item: Value, width: Width) -> tuple[Value, ...]:
    """The parts of a row, those of the rows in it among them."""
    if not isinstance(width, int) and None in width:
        return _with_rest(tuple(item), width)
    count = width if isinstance(width, int) else len(width)
    is_sized = isinstance(item, RunTimeContainer) or is_dynamic_list(item)
    parts = item.unpacked_(count) if is_sized else tuple(item)
    if len(parts) > count:
        raise ValueError(f"too many values to unpack (expected {count})")
    if len(parts) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(parts)})")
    if isinstance(width, int):
        return parts
    return _of_parts(parts, width)


def _with_rest(parts: tuple[Value, ...], width: tuple[Width | None, ...]) -> tuple[Value, ...]:
    """The parts of a row, of which some go into the list of the starred name."""
    before = width.index(None)
    after = len(width) - before - 1
    if len(parts) < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {len(parts)})")
    last = len(parts) - after
    return _of_parts((*parts[:before], list(parts[before:last]), *parts[last:]), width)


def _of_parts(parts: tuple[Value, ...], width: tuple[Width | None, ...]) -> tuple[Value, ...]:
    found: tuple[Value, ...] = ()
    for part, inner in zip(parts, width, strict=True):
        found += (part,) if not inner else _unpacked(part, inner)
    return found


each = GeneratorExpression


def for_each(items: Value, step: Callable[[Any], object]) -> None:
    """Call a function with each item of an iterable; by the defaults of its parameters a loop finds what it changes."""
    GeneratorExpression(items).each(step)


def _codes(function: object) -> Iterator[Hashable]:
    """By what a function is known again, of which there may be a new one for each call of what makes it."""
    if isinstance(function, functools.partial):
        for part in (function.func, *filter(callable, function.args)):
            yield from _codes(part)
    else:
        names = (getattr(function, name, None) for name in ("__code__", "__qualname__", "__name__"))
        yield type(function), next(filter(None, names), None)


def _code(left: object) -> Value:
    """The way in which the step of a loop ends."""
    decided = truth(left)
    if isinstance(decided, bool):
        return BREAK if decided else NEXT
    return python_scalar(atoms.select(decided, atoms.literal(BREAK, np.int64), atoms.literal(NEXT, np.int64)))

"""`np.r_` and `np.c_`: arrays joined by brackets."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy.core import handle, refused, spec_of, traced_inside
from anabranch.runtime.values import registry, wrap
from anabranch.runtime.values.dynamic_lists import list_as_array

_F = registry.FUNCTIONS
_PLACES = 3  # how many numbers a leading text may hold


class Bracket:
    """Stands for `np.r_` or `np.c_`: the items are made arrays of `ndmin` dimensions, and joined along an axis.

    Parameters
    ----------
    original
        NumPy's own, which is asked where no item is known only at run time.
    axis
        Along which axis the items are joined.
    ndmin
        The least number of dimensions of each.
    place
        Before which axis new axes go that an item lacks: -1 in front of all.
    """

    def __init__(self, original: Any, axis: int, ndmin: int, place: int) -> None:
        self.original, self.axis, self.ndmin, self.place = original, axis, ndmin, place

    def __getitem__(self, key: Value) -> Value:
        items = list(map(list_as_array.of_lists, key if isinstance(key, tuple) else (key,)))
        if not any(map(_is_traced, items)):
            return self.original[key]
        if items and isinstance(items[0], str):
            return self._told(items.pop(0)).joined(items)
        return self.joined(items)

    def _told(self, text: str) -> Bracket:
        """Return the options that a leading text such as "0,2" asks for."""
        if text in ("r", "c"):
            raise refused(f"{text}_", "a matrix is an array of two dimensions")
        try:
            numbers = [int(n) for n in text.split(",")]
        except ValueError as error:
            raise ValueError(f"unknown special directive {text!r}") from error
        if len(numbers) > _PLACES:
            raise ValueError(f"unknown special directive {text!r}")
        axis, ndmin, place = (*numbers, *(self.axis, self.ndmin, self.place)[len(numbers) :])
        return Bracket(self.original, axis, ndmin, place)

    def joined(self, items: list[Value]) -> Value:
        """The items as one array, in NumPy's common dtype."""
        made = [_run(x) if isinstance(x, slice) else x for x in items]
        dtype = np.result_type(*map(_spec, made))
        parts = [self._widened(x).astype(dtype) for x in made]
        return _F[np.concatenate](parts, self.axis)

    def _widened(self, item: object) -> Value:
        """The item with new axes of one element."""
        array: Any = item if wrap.is_dynamic_array(item) else handle(item)
        missing = self.ndmin - array.ndim
        if missing <= 0:
            return array
        place = self.place if self.place >= 0 else self.place + missing + 1
        front = min(place, missing)
        # The item's own axes go to `place`, new ones before and behind.
        return array[(*((None,) * front), ..., *((None,) * (missing - front)))]


def _is_traced(item: Value) -> bool:
    """Return whether an item, or a bound of a run of numbers, is known only at run time."""
    bounds = (item.start, item.stop, item.step) if isinstance(item, slice) else (item,)
    return any(traced_inside(b) or wrap.is_dynamic_array(b) for b in bounds)


def _spec(x: Value) -> Value:
    """Return what NumPy's promotion sees."""
    return x.dtype if wrap.is_dynamic_array(x) else spec_of(x)


def _run(asked: slice) -> Value:
    """`start:stop:step`, where an imaginary step counts the numbers."""
    start = 0 if asked.start is None else asked.start
    step = 1 if asked.step is None else asked.step
    if isinstance(step, complex):
        return _F[np.linspace](start, asked.stop, num=int(abs(step)))
    return _F[np.arange](start, asked.stop, step)

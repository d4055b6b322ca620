"""Values kept for the instances of a class, by identity, as long as each instance is there."""

from __future__ import annotations

import collections
import weakref
from typing import Any, Generic, TypeVar

T = TypeVar("T")

# How many instances without weak references (`__slots__` without `__weakref__`) are kept for what is kept of them.
_STRONG = 8


class PerInstance(Generic[T]):
    """A mapping from objects, whether or not they have a hash or are equal to others."""

    def __init__(self) -> None:
        self._weak: dict[int, tuple[weakref.ref[Any], T]] = {}
        self._strong: collections.OrderedDict[int, tuple[Any, T]] = collections.OrderedDict()

    def get(self, instance: Any) -> T | None:
        """Return what is kept for an object."""
        found = self._weak.get(id(instance)) or self._strong.get(id(instance))
        return None if found is None else found[1]

    def put(self, instance: object, value: T) -> T:
        """Keep something for an object, until that has gone; what two threads keep at once is the first's."""
        key, weak = id(instance), self._weak
        try:
            reference = weakref.ref(instance, lambda _: weak.pop(key, None) and None)
        except TypeError:
            while len(self._strong) >= _STRONG:
                self._strong.popitem(last=False)
            return self._strong.setdefault(key, (instance, value))[1]
        return weak.setdefault(key, (reference, value))[1]

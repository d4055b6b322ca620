"""Values kept for the instances of a class, by identity, as long as each instance is there."""

from __future__ import annotations

import collections
import functools
import weakref
from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

T = TypeVar("T")
Instance = TypeVar("Instance")
P = ParamSpec("P")

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


def cached_by_identity(function: Callable[Concatenate[Instance, P], T]) -> Callable[Concatenate[Instance, P], T]:
    """The function with its results kept, for each object that is its first argument, which is not compared.

    To compare two equal code objects takes Python a time that doubles with each level of functions in functions.
    """
    results: PerInstance[dict[Any, T]] = PerInstance()

    def call(instance: Instance, /, *args: P.args, **kwargs: P.kwargs) -> T:
        known = results.get(instance) or results.put(instance, {})
        key = (*args, *kwargs.items())
        if key not in known:
            known[key] = function(instance, *args, **kwargs)
        return known[key]

    return functools.update_wrapper(call, function)

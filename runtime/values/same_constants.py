"""Constants, and keys of dicts, by more than `==` says: 1 is neither True nor 1.0, and 0.0 is not -0.0."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np

from anabranch.runtime.values.user_classes import attributes, is_plain_object, is_users_class

# Of one of these classes, what is equal is the same.
_PLAIN = frozenset[type]((str, bytes, int, bool, type(None)))
_TEXT = frozenset[type]((str,))
_BUILT_IN = (str, bytes, int, float, complex, tuple, frozenset)
_DEEPEST = 8  # so many objects in one another are looked into


def is_same(a: Any, b: Any, others: Callable[[Any, Any], bool] = operator.is_) -> bool:
    """Return whether two constants are interchangeable: of one class, and the same in all that they hold.

    `others` is asked of what is no number, no text, and no tuple or frozenset of such.
    """
    if a is b:
        return True
    cls = type(a)
    if cls is not type(b):
        return False
    if cls in _PLAIN:
        return bool(a == b)
    if isinstance(a, np.generic):
        return bool(a.dtype == b.dtype) and a.tobytes() == b.tobytes()
    native: Any = next((kind for kind in _BUILT_IN if isinstance(a, kind)), None)
    if native is None:
        return bool(a == b) if isinstance(a, np.dtype) else others(a, b)
    if native in (float, complex):
        same = np.array(a).tobytes() == np.array(b).tobytes()
    elif native is tuple:
        same = tuple.__len__(a) == tuple.__len__(b) and _are_same(tuple.__iter__(a), tuple.__iter__(b), others)
    elif native is frozenset:
        own = {one: one for one in frozenset.__iter__(b)}
        same = len(own) == frozenset.__len__(a) and all(
            one in own and is_same(one, own[one], others) for one in frozenset.__iter__(a)
        )
    else:
        same = native.__eq__(a, b)
    return same and (cls is native or _have_same(attributes(a), attributes(b), others))


def _are_same(now: Iterable[Any], before: Iterable[Any], others: Callable[[Any, Any], bool]) -> bool:
    return all(is_same(a, b, others) for a, b in zip(now, before, strict=True))


def _have_same(now: dict[str, Any], before: dict[str, Any], others: Callable[[Any, Any], bool]) -> bool:
    return list(now) == list(before) and _are_same(now.values(), before.values(), others)


# ---- keys ------------------------------------------------------------------------------------------------------------


def is_same_key(a: Any, b: Any, depth: int = _DEEPEST) -> bool:
    """Return whether two keys are the same: objects with an `==` of their own are if they hold the same."""

    def others(one: Any, other: Any) -> bool:
        own: Any = type(one)
        if not depth or own.__eq__ is object.__eq__ or own.__hash__ is object.__hash__:
            return False
        if is_plain_object(one):
            held = attributes(one), attributes(other)
            # A dict asks the two as well.
            return _have_same(*held, lambda x, y: is_same_key(x, y, depth - 1)) and (one == other) is True
        # Dates, paths, decimal fractions.
        return not is_users_class(own) and (one == other) is True and repr(one) == repr(other)

    return a is b or (is_same(a, b, others) and not (isinstance(a, (float, np.floating)) and a != a))


class Keys(tuple[Any, ...]):
    """The keys of a dict, equal to others of which each is the same."""

    __slots__ = ()
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple) and are_same_keys(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other


def keys_of(given: Iterable[Any]) -> tuple[Any, ...]:
    """Return keys as what is equal only to the same ones; of texts a tuple is that."""
    found = tuple(given)
    return found if _TEXT.issuperset(map(type, found)) else Keys(found)


def are_same_keys(now: Collection[Any], before: Collection[Any]) -> bool:
    """Return whether two dicts, or tuples of keys, have the same keys in one order."""
    return len(now) == len(before) and (all(map(operator.is_, now, before)) or all(map(is_same_key, now, before)))

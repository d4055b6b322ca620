"""Calls of a function that some of its arguments' values had to be known for: their keys, and what is said of them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence

from anabranch.base.bounded_dict import BoundedDict
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.config import settings
from anabranch.runtime.signature.flatten_to_key import ArgumentKey, SignatureKey, is_leaf
from anabranch.runtime.signature.static_keys import key_of
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.static_requests import NamedRequest, argument_names

_log = logging.getLogger("anabranch.with_fast_path")


def known_key(key: SignatureKey, values: Sequence[object], known: Collection[int]) -> SignatureKey:
    """A call's key with the values of these leaves in the place of their types."""
    if not known:
        return key
    positional, named, *rest = key
    leaves = iter(range(len(values)))
    args = tuple([_part(k, values, known, leaves) for k in positional])
    kwargs = tuple([(name, _part(k, values, known, leaves)) for name, k in named])
    return (args, kwargs, *rest)


def _part(key: ArgumentKey, values: Sequence[object], known: Collection[int], leaves: Iterator[int]) -> ArgumentKey:
    if is_leaf(key):
        leaf = next(leaves)
        return ("static", *key_of(values[leaf])) if leaf in known else key
    if isinstance(key, tuple) and isinstance(key[0], Structure):
        return (key[0], *[_part(k, values, known, leaves) for k in key[1:]])
    return key


class Known(BoundedDict[SignatureKey, frozenset[int]]):
    """Which leaves had to be known for each signature of a function; says so once of each argument."""

    def __init__(self) -> None:
        super().__init__()
        self._told: set[str] = set()

    @property
    def names(self) -> frozenset[str]:
        """The arguments that had to be known as a whole."""
        return frozenset(self._told)

    def leaves(self, key: SignatureKey) -> frozenset[int]:
        """Those of a signature."""
        return self.get(key, frozenset())

    def add(self, key: SignatureKey, plan: Plan, function: str) -> None:
        """Note what a trace had to know."""
        if not plan.known:
            return
        self.put(key, plan.known, settings().cache_size)
        for need in plan.needs:
            new = [name for name in need.names if name not in self._told]
            if new:
                self._told.update(new)
                _log.info(_text(function, new, need))


def _text(function: str, names: Sequence[str], need: NamedRequest) -> str:
    arguments = f"argument{'s' * (len(names) > 1)} {', '.join(names)}"
    return (
        f"{function} is specialised on its {arguments}: {need.what.partition(' (')[0]} is needed while tracing "
        f"{need.where}, so each value has an executable of its own. static_argnames={argument_names(names)} says so, "
        "auto_static=False makes it an error"
    )

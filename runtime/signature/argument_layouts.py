"""The layouts of a call's arguments, and what a trace must know of their values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.device.array import Array
from anabranch.runtime.ir.array_type import native
from anabranch.runtime.signature.flatten_to_key import ArgumentKey, Leaves, RepeatedArgument, SignatureKey, is_leaf
from anabranch.runtime.signature.object_fields import part_name
from anabranch.runtime.values.abstract import PYTHON_DTYPES, Abstract, Kind, python_abstract
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.static_requests import NamedRequest, StaticRequest, may_be_known

# Where so many numbers of an argument must be known, each further one makes as many more known.
_FEW_KNOWN = 4


@frozen
class Arguments:
    """The layouts of a call's arguments, static ones held; which arrays are one and which are read-only.

    `device` names those that are Arrays, by leaf, and `names` are those of the positional parameters. `numbers` are the
    values of the leaves that can be known while tracing, `known` those that must be, for `needs`.
    """

    args: tuple[layouts.Layout, ...]
    kwargs: dict[str, layouts.Layout]
    aliases: dict[int, int] = dataclasses.field(default_factory=dict)
    readonly: frozenset[int] = frozenset()
    strides: dict[int, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    device: dict[int, str] = dataclasses.field(default_factory=dict)
    names: tuple[str, ...] = ()
    numbers: dict[int, Any] = dataclasses.field(default_factory=dict)
    known: frozenset[int] = frozenset()
    needs: tuple[StaticRequest, ...] = ()

    def first(self, leaf: int) -> int:
        """The first leaf that is the same array."""
        return self.aliases.get(leaf, leaf)

    def words(self, needs: Sequence[StaticRequest]) -> tuple[NamedRequest, ...]:
        """The needs, with the leaves' names."""
        names = self.leaf_names() if needs else []
        return tuple(NamedRequest(tuple(names[k] for k in sorted(n.leaves)), n.what, n.place) for n in needs)

    def with_static_leaves(self, needs: Sequence[StaticRequest]) -> Arguments | None:
        """These with more of them known; None where they are known already."""
        known, new = self.known, []
        for need in needs:
            if need.leaves - known:
                found = dataclasses.replace(need, leaves=need.leaves | self._beside(need.leaves - known))
                new.append(found)
                known |= found.leaves
        return dataclasses.replace(self, known=known, needs=(*self.needs, *new)) if new else None

    def _beside(self, leaves: frozenset[int]) -> set[int]:
        """Numbers of the arguments that these are in, as many of each as are known already where these are some.

        What needs one number of a list after another is traced a few times then, and not once for each.
        """
        if len(self.known) < _FEW_KNOWN:
            return set()
        wholes = [name.partition("[")[0] for name in self.leaf_names()]
        found: set[int] = set()
        for whole in {wholes[leaf] for leaf in leaves}:
            known = sum(wholes[leaf] == whole for leaf in self.known)
            others = [k for k in self.numbers if wholes[k] == whole and k not in self.known | leaves]
            found.update(others[:known] if known >= _FEW_KNOWN else ())
        return found

    def leaf_names(self) -> list[str]:
        """Return a name for each leaf."""
        found: list[str] = []
        for name, layout in (
            *zip(argument_names(self.names, len(self.args)), self.args, strict=True),
            *self.kwargs.items(),
        ):
            _name_leaves(name, layout, found)
        return found


def argument_names(names: Sequence[str], count: int) -> list[str]:
    """The names of so many positional arguments: their parameters, and of those that have none their places."""
    return [*names[:count], *[f"*args[{i}]" for i in range(count - len(names))]]


def _name_leaves(name: str, layout: layouts.Layout, found: list[str]) -> None:
    if isinstance(layout, layouts.Leaf):
        found.append(name)
    elif isinstance(layout, layouts.Node):
        for key, child in zip(layout.structure.keys, layout.children, strict=True):
            _name_leaves(part_name(name, layout.structure, key), child, found)


def arguments_of(key: SignatureKey, leaves: Leaves, names: tuple[str, ...], known: frozenset[int]) -> Arguments:
    """The layouts of a call's arguments, read off its key; what must be known are the leaves in `known`."""
    positional, named, aliases, _ = key
    reading = _Reading(leaves.statics)
    args = tuple(map(reading.layout, positional))
    kwargs = {name: reading.layout(part) for name, part in named}
    kinds = list(enumerate(reading.leaves))
    found = Arguments(
        args,
        kwargs,
        aliases=dict(aliases),
        readonly=frozenset(leaf for leaf, (kind, *rest) in kinds if kind is np.ndarray and not rest[2]),
        strides={leaf: rest[3] for leaf, (kind, *rest) in kinds if kind is np.ndarray and rest[3] is not None},
        names=names,
        numbers={leaf: value for leaf, value in enumerate(leaves.values) if may_be_known(value)},
        known=known,
    )
    on_device = [leaf for leaf, (kind, *_) in kinds if kind is Array]
    texts = found.leaf_names() if on_device else []
    return dataclasses.replace(found, device={leaf: f"argument '{texts[leaf]}'" for leaf in on_device})


class _Reading:
    """Reads layouts off the keys of arguments, in their order; gathers the keys of the leaves, each as a tuple."""

    def __init__(self, statics: Iterable[object]) -> None:
        self._statics = iter(statics)
        self.leaves: list[tuple[Any, ...]] = []

    def layout(self, key: ArgumentKey) -> layouts.Layout:
        """The layout of an argument: numbers and arrays are leaves, containers nodes, the rest is constant."""
        if is_leaf(key):
            self.leaves.append(key if isinstance(key, tuple) else (key,))
            return layouts.Leaf(_abstract(*self.leaves[-1]))
        match key:
            case (Structure() as structure, *parts):
                return layouts.Node(structure, tuple(map(self.layout, parts)))
            case RepeatedArgument():
                return layouts.Constant(key)
        return layouts.Constant(next(self._statics))


def _abstract(kind: type, *rest: Any) -> Abstract:
    """The type of a leaf by its key."""
    if kind in PYTHON_DTYPES:
        return python_abstract(kind)
    if kind is np.generic:
        return Abstract((), rest[0], Kind.SCALAR)
    return Abstract(rest[0], native(rest[1]), Kind.ARRAY)

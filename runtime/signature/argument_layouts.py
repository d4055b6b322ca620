"""The layouts of a call's arguments, and what a trace must know of their values."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.runtime.signature.flatten_to_key import layout_of
from anabranch.runtime.signature.object_fields import part_name
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.static_requests import NamedRequest, StaticRequest

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
    aliases: tuple[int, ...] = ()
    readonly: frozenset[int] = frozenset()
    strides: dict[int, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    device: dict[int, str] = dataclasses.field(default_factory=dict)
    names: tuple[str, ...] = ()
    numbers: dict[int, Any] = dataclasses.field(default_factory=dict)
    known: frozenset[int] = frozenset()
    needs: tuple[StaticRequest, ...] = ()

    def first(self, leaf: int) -> int:
        """The first leaf that is the same array."""
        return self.aliases[leaf] if leaf < len(self.aliases) else leaf

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
        names = self.names
        positional = [names[i] if i < len(names) else f"*args[{i - len(names)}]" for i in range(len(self.args))]
        for name, layout in (*zip(positional, self.args, strict=True), *self.kwargs.items()):
            _name_leaves(name, layout, found)
        return found


def _name_leaves(name: str, layout: layouts.Layout, found: list[str]) -> None:
    if isinstance(layout, layouts.Leaf):
        found.append(name)
    elif isinstance(layout, layouts.Node):
        for key, child in zip(layout.structure.keys, layout.children, strict=True):
            _name_leaves(part_name(name, layout.structure, key), child, found)


def arguments_of(
    args: Sequence[Any], kwargs: dict[str, Any], static_types: frozenset[type] = frozenset(), **known: Any
) -> Arguments:
    """The layouts of these arguments; a container that occurs twice is one."""
    seen: dict[int, int] = {}
    positional = tuple([layout_of(a, seen, static_types) for a in args])
    # In the order of the key: leaves are numbered as they were taken apart.
    return Arguments(positional, {k: layout_of(v, seen, static_types) for k, v in sorted(kwargs.items())}, **known)

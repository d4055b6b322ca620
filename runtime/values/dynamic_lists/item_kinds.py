"""The kinds of elements that a list of run-time length may hold, and single elements of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.container_state import TableSite, TupleSite, demand
from anabranch.runtime.tracing.source_frames import place as place_of_code
from anabranch.runtime.values import arena_classes, atoms, containers
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.attributes import ContainerStandIn
from anabranch.runtime.values.dynamic_lists import records
from anabranch.runtime.values.heap.slots import slot_of
from anabranch.runtime.values.pytrees import layout as layouts, pack_unpack
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.undefined import Undefined, UnsetAttribute
from anabranch.runtime.values.union import UnionValue


@frozen
class ItemRow:
    """One element as it is written: its kind, and its leaves (None for those of other kinds)."""

    variants: tuple[layouts.Layout, ...]
    tag: Atom
    leaves: tuple[Atom | None, ...]

    @property
    def kind(self) -> int | None:
        """Which kind it is, where that is known."""
        return int(self.tag.value) if isinstance(self.tag, Literal) else None

    @staticmethod
    def of(value: Value, variants: tuple[layouts.Layout, ...]) -> ItemRow:
        """The row of a value, with its kind among the others."""
        if isinstance(value, UnionValue):
            value = value.without_undefined()
        value = with_tuples_in_arenas(value)
        for option in _options(value):
            note_copied(option)
        value = records.by_number(value)
        options = _options(value)
        kinds = [kind_of(o) for o in options]
        for kind in kinds:
            if kind not in variants:
                variants = (*variants, kind)
                _check_lengths(variants)
                for parts, kinds_of_parts in _lists_of(options, variants):
                    if sum(map(_is_list, kinds_of_parts)) > _FEW_LISTS:
                        current().trace.lists.demand_arenas(site for part in parts for site in origins_of(part))
                arena_classes.join(k.structure for k in variants if isinstance(k, layouts.Node))
        places = [variants.index(k) for k in kinds]
        if len(options) > 1 and all(map(layouts.is_text, kinds)):
            rest: list[Atom | None] = [None] * sum(len(layouts.leaf_types(kind)) for kind in variants)
            return ItemRow(variants, atoms.coded(value.tag, places), tuple(rest))
        tag: Atom = atoms.literal(places[-1], np.int32)
        packed: dict[int, list[Atom]] = {}
        for i, (option, place) in reversed(list(enumerate(zip(options, places, strict=True)))):
            row = [p.atom for p in pack_unpack.pack(option, variants[place])]
            _keep(pack_unpack.pack(option, variants[place]))
            if len(options) > 1:
                here = value.chosen(i)
                tag = atoms.select(here, atoms.literal(place, np.int32), tag)
                if place in packed:
                    row = [atoms.select(here, a, b) for a, b in zip(row, packed[place], strict=True)]
            packed[place] = row
        leaves: list[Atom | None] = []
        for k, kind in enumerate(variants):
            leaves += packed.get(k, [None] * len(layouts.leaf_types(kind)))
        return ItemRow(variants, tag, tuple(leaves))


def _options(value: Value) -> tuple[Value, ...]:
    """Return the things that a value may be, of which a record that is known by its number is one."""
    is_one = not isinstance(value, UnionValue) or isinstance(value, Reference)
    return (value,) if is_one else value.options


def with_tuples_in_arenas(value: Value) -> Value:
    """The value, with tuples that it is, or that are its parts, in the arenas of the place that sets the item."""
    arenas = current().trace.lists.arenas
    if not arenas:
        return value
    place = place_of_code()
    whole, within = (arenas.get(TupleSite(place, is_within)) for is_within in (False, True))
    value = value if whole is None else whole.with_tuples(value)
    return value if within is None else within.with_parts(value)


def _check_lengths(variants: Sequence[layouts.Layout]) -> None:
    """Have tuples of many lengths, or of one known only at run time, lie in an arena."""
    _check(variants, within=False)
    known = [k for k in variants if isinstance(k, layouts.Node) and k.structure.cls is tuple]
    for length in {len(kind.children) for kind in known}:
        for parts in zip(*(kind.children for kind in known if len(kind.children) == length), strict=True):
            _check(parts, within=True)
            arena_classes.join(k.structure for k in parts if isinstance(k, layouts.Node) and k.structure.is_in_arena)


def _check(kinds: Sequence[layouts.Layout], within: bool) -> None:
    nodes = [k for k in kinds if isinstance(k, layouts.Node)]
    known = [k for k in nodes if k.structure.cls is tuple]
    others = [k for k in nodes if k.structure.is_run_time_tuple]
    in_arenas = [k for k in others if k.structure.extra is not None]
    if len(in_arenas) < len(others) or (others and known) or len({len(k.children) for k in known}) > _FEW_LENGTHS:
        demand(current().trace.lists.arena_sites, {TupleSite(place_of_code(), within)})
    arena_classes.join(k.children[0].structure for k in in_arenas if isinstance(k.children[0], layouts.Node))


_FEW_LENGTHS = 2
# Lists of more lengths are likely to be what steps of a loop make, each one of the one before.
_FEW_LISTS = 6


def _lists_of(
    options: Sequence[Value], variants: Sequence[layouts.Layout]
) -> Iterator[tuple[Sequence[Value], Sequence[layouts.Layout]]]:
    """Yield elements, and their parts at each place where they are tuples, with the kinds of all there."""
    yield options, variants
    tuples = [option for option in options if type(option) is tuple]
    nodes = [k for k in variants if isinstance(k, layouts.Node) and k.structure.cls is tuple]
    for place in range(max(map(len, tuples), default=0)):
        parts = [option[place] for option in tuples if len(option) > place]
        known: list[layouts.Layout] = []
        for node in nodes:
            known += [k for k in _apart(node.children[place : place + 1]) if _is_list(k) and k not in known]
        yield [one for part in parts for one in _options(part)], known


def _apart(kinds: Sequence[layouts.Layout]) -> Iterator[layouts.Layout]:
    for kind in kinds:
        yield from kind.options if isinstance(kind, layouts.Union) else (kind,)


def _is_list(kind: layouts.Layout) -> bool:
    return isinstance(kind, layouts.Node) and can_be_copied(kind.structure) and kind.structure.cls is not dict


def _keep(packed: Sequence[pack_unpack.Packed]) -> None:
    for part in packed:
        if part.handle is not None:
            demand_arena(part.handle)
            pack_unpack.check_memory(part.handle)
            current().freeze(part.handle.storage)


def demand_arena(array: TracedArray) -> None:
    """Have an array that becomes an item lie in an arena, where such arrays do, and it can.

    Raises `Restart` where it could have done so since it was made.
    """
    lists = current().trace.lists
    site = lists.made_arrays.get(array.storage) if lists.made_arrays else None
    if site is not None and not array.path and not array.storage.alias_edges:
        demand(lists.arena_sites, {site})


def kind_of(value: Value) -> layouts.Layout:
    """The kind of an element."""
    return general(layouts.describe(value))


def general(layout: layouts.Layout, is_copied: bool = False) -> layouts.Layout:
    """The layout of a kind, of which nothing is known that elements differ in.

    `is_copied` is that of a container's parts which nobody else has, so that copies of them are as good.
    """
    numbered = records.kind_of(layout)
    if numbered is not None:
        return numbered
    match layout:
        case layouts.Constant(value):
            abstract = layouts.numeric(layout)
            if abstract is not None:
                return layouts.Leaf(abstract)
            if isinstance(value, UnsetAttribute):
                raise UnsupportedOperationError(
                    f"whether a {value.owner} has the attribute {value.name!r} is known only at run time, and so is "
                    "how many of these objects there are; set the attribute in __init__"
                )
            if isinstance(value, Undefined):
                raise Undefined.error(value)
            if not is_copied:
                current().trace.lists.copied_sites |= origins_of(value)
                if isinstance(value, (set, frozenset)):
                    current().trace.lists.demand_arenas(origins_of(value))
            # A held list or dict is copied into the list like any other: its kind says what it is made of.
            return layout if containers.structure_of(value) is None else general(layouts.describe(value))
        case layouts.Leaf(abstract):
            return layouts.Leaf(abstract)
        case layouts.Node(structure, children, source):
            is_copied = is_copied or structure.holds_copies
            if structure.mutable and not is_copied and not can_be_copied(structure):
                current().trace.lists.demand_arenas(origins_of(source))
                arena_classes.need(structure.cls, structure.keys)
                _refuse(structure.cls)
            if (
                structure.flat
                and children
                and isinstance(children[0], layouts.Constant)
                and type(children[0].value) is int
            ):
                # The length of a list, which is known while tracing.
                return layouts.Node(structure, (children[0], *(general(c, is_copied) for c in children[1:])))
            return layouts.Node(structure, tuple(general(c, is_copied) for c in children))
        case layouts.Union(options):
            # A name that could be unset was read before; what is packed checks that it was set.
            kinds = [general(option, is_copied) for option in options if not layouts.is_unset(option)]
            return layouts.Union(tuple(kinds)) if len(kinds) > 1 else kinds[0]


def can_be_copied(structure: containers.Structure) -> bool:
    """Return whether the container is a list or a dict, which are copied into the list and out of it."""
    return structure.cls in (list, dict) or getattr(structure.cls, "native", None) is list


def note_copied(value: object) -> None:
    """Note the lists and dicts of an item: the copies in the list stand for them as long as nobody changes them."""
    if isinstance(value, Reference):
        return  # which is no copy: the list holds its number
    if isinstance(value, UnionValue):
        structures = [containers.structure_of(option) for option in value.options]
        some_in_arena = any(s is not None and s.is_in_arena for s in structures)
        for option in value.options:
            # What is no list beside one in an arena is known by its number.
            if not some_in_arena or getattr(option, "native", None) is list:
                note_copied(option)
        return
    structure = containers.structure_of(value)
    if structure is None or structure.flat or structure.holds_copies:
        return
    if records.is_record(value) and records.graph_outside(value) is not None:
        return
    slot = slot_of(value) if structure.mutable else None  # exceptions have none, and are refused as items
    if slot is not None:
        current().trace.lists.copied_sites |= origins_of(value)
        current().copied.append((value, slot.before))
        current().trace.identity.merge(value)
    for child in structure.children(value):
        note_copied(child)


def origins_of(value: object) -> set[Any]:
    """Return the places that have made a list, dict or set; none where they are not known."""
    if isinstance(value, (dict, set, frozenset)):
        site = current().trace.tables.made.get(value)
        return set() if site is None else {TableSite(site, type(value))}
    return set(getattr(value, "origins", ()) if isinstance(value, ContainerStandIn) else ())


def _refuse(cls: type) -> NoReturn:
    name = next((k.__name__ for k in (list, dict) if issubclass(cls, k)), getattr(cls, "native", cls).__name__)
    raise UnsupportedOperationError(
        f"{a(name)} is an item of a list whose length is known only at run time, and a change of one would have to "
        "show in the other; append a tuple of its values, or keep each of them in a list of its own"
    )

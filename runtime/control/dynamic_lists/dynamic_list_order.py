"""Lists whose length is known only at run time, in order: stable sorts of the whole buffer."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.control.containers import list_order
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms
from anabranch.runtime.values.abstract import python_abstract
from anabranch.runtime.values.control_of_atoms import counted
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.stacked_parts import NoCommonFormError
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.lazy_text import TextStructure
from anabranch.runtime.values.list_buffer import ListBuffer
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.memory.item_memory import gathered, iota
from anabranch.runtime.values.pytrees import layout as layouts


def sorted_by_keys(
    items: Items,
    keys: Items,
    reverse: bool,
    backwards: Callable[[Items], Items],
    in_order: Callable[[Items], Items],
) -> Items:
    """The elements in the order of their keys; what is equal keeps its order.

    `in_order` gives the places, in order, of keys that are no numbers or known texts or tuples of these, of one type.
    Raises `UnsupportedOperationError` at run time for NaN, whose place depends on Python's way of sorting.
    """
    if not items.structure.variants:
        return items
    given = backwards(items) if reverse else items
    ranked = backwards(keys) if reverse else keys
    valid = size_arithmetic.window((ranked.structure.capacity,), 0, 0, ranked.length)
    try:
        columns = list(_sort_keys(ranked, valid))
    except NoCommonFormError:
        for column, there in _all_columns(ranked, valid):
            list_order.refuse_nan(column, there)
        order = item_memory.fitted(in_order(ranked).with_dynamic_length().buffers[0], given.structure.capacity)
        made = given.taken(order, given.length)
        return backwards(made) if reverse else made
    for column in columns:
        list_order.refuse_nan(column, valid)
    if keys is items and items.structure.number is not None and columns[0].type.dtype.kind in "iu":
        # Ints that are equal are one: they are sorted themselves.
        ints = atoms.op("sort", list_order.with_others_last(columns[0], valid), axis=0, stable=False)
        made = Items(given.with_dynamic_length().structure, (given.length, ListBuffer(ints)))
    else:
        made = given.taken(list_order.order_by(columns, iota(ranked.structure.capacity), valid), given.length)
    return backwards(made) if reverse else made


def _all_columns(keys: Items, valid: Atom) -> Iterator[tuple[Atom, Atom]]:
    """The columns of numbers that keys hold, those of their objects in arenas among them, each with what is valid."""
    for column in keys.buffers:
        if len(column.type.shape) == 1:
            yield column, valid
    for kind in keys.structure.variants:
        for leaf in _leaves(kind):
            if isinstance(leaf, layouts.Node) and leaf.structure.is_in_arena:
                for held in leaf.structure.extra.columns:
                    inner = held.as_items()
                    capacity = (inner.structure.capacity,)
                    for column in inner.buffers:
                        if column.type.shape == capacity:
                            yield column, size_arithmetic.window(capacity, 0, 0, inner.length)


def _sort_keys(keys: Items, valid: Atom) -> Iterator[Atom]:
    """The arrays that the keys are compared by, the first first."""
    kinds, places = keys.structure.variants, keys.places(iota(keys.structure.capacity))
    numbers = [kind.abstract for kind in kinds if isinstance(kind, layouts.Leaf) and _is_number(kind)]
    columns = [gathered(buffer, places) for buffer in keys.buffers]
    if 1 < len(kinds) == len(numbers):
        assert keys.tags is not None
        yield from list_order.of_several_types(numbers, gathered(keys.tags, places), columns, valid)
        return
    arena = next(map(_arena_of, reversed(_leaves(kinds[0]))), None)
    if len(kinds) == 1 and arena is not None and len(arena.cells.as_items().structure.variants) < 2:
        columns[-1] = _ranks(arena, columns[-1], valid)
        kinds = (_with_ranks(kinds[0]),)
    rows = [_parts(kind, iter(columns[start:])) for kind, start in zip(kinds, _starts(kinds), strict=True)]
    if any(row is None for row in rows) or len({len(row) for row in rows if row is not None}) > 1:
        lists = current().trace.lists
        if any(isinstance(leaf, layouts.Node) for kind in kinds for leaf in _leaves(kind)):
            lists.demand_arenas(lists.copied_sites)  # lists in arenas are compared by their items
        raise NoCommonFormError
    tags = None if keys.tags is None else gathered(keys.tags, places)
    for parts in zip(*filter(None, rows), strict=True):
        yield _of_kinds(parts, tags, valid)


def _with_ranks(kind: layouts.Layout) -> layouts.Layout:
    """A kind of keys whose last part is a list, with the place of that in order instead."""
    if isinstance(kind, layouts.Node) and issubclass(kind.structure.cls, tuple):
        return layouts.Node(kind.structure, (*kind.children[:-1], _with_ranks(kind.children[-1])))
    return layouts.Leaf(python_abstract(int))


def _starts(kinds: Sequence[layouts.Layout]) -> Iterator[int]:
    """The first of the columns of each kind."""
    return itertools.accumulate((len(layouts.leaf_types(kind)) for kind in kinds[:-1]), initial=0)


# A part of a key: a column of numbers, a known text, or a column of numbers each of which says which of a few texts.
_Part = Atom | str | tuple[Atom, tuple[str, ...]]


def _parts(kind: layouts.Layout, columns: Iterator[Atom]) -> list[_Part] | None:
    """The parts by which keys of a kind are compared; None where one has no order that is known here."""
    match kind:
        case layouts.Leaf() if _is_number(kind):
            return [next(columns)]
        case layouts.Constant(str() as text):
            return [text]
        case layouts.Node(TextStructure(method="format"), (layouts.Constant("{:c}"), layouts.Leaf())):
            return [next(columns)]  # a character by its code
        case layouts.Union(options):
            texts = tuple(o.value for o in options if isinstance(o, layouts.Constant) and type(o.value) is str)
            return [(next(columns), texts)] if len(texts) == len(options) else None
        case layouts.Node(structure, children) if issubclass(structure.cls, tuple):
            found: list[_Part] = []
            for child in children:
                if (parts := _parts(child, columns)) is None:
                    return None
                found += parts
            return found
    return None


def _of_kinds(parts: Sequence[_Part], tags: Atom | None, valid: Atom) -> Atom:
    """The column by which keys are compared in one place, of which each is of the kind that its tag says."""
    texts = sorted({text for part in parts if not isinstance(part, Atom) for text in _texts(part)})
    if texts and any(isinstance(part, Atom) for part in parts):
        raise NoCommonFormError
    found, *others = [part if isinstance(part, Atom) else _ranked(part, texts, valid) for part in parts]
    for number, column in enumerate(others, 1):
        assert tags is not None
        if column.type != found.type:
            raise NoCommonFormError
        here = atoms.ufunc(np.equal, tags, atoms.broadcast_to(atoms.literal(number, np.int32), valid.type.shape))
        found = atoms.select(here, column, found)
    return found


def _texts(part: str | tuple[Atom, tuple[str, ...]]) -> tuple[str, ...]:
    return (part,) if isinstance(part, str) else part[1]


def _ranked(part: str | tuple[Atom, tuple[str, ...]], texts: Sequence[str], valid: Atom) -> Atom:
    """The places of texts among all that there are, in order."""
    ranks = np.array([texts.index(text) for text in _texts(part)])
    if isinstance(part, str):
        return atoms.broadcast_to(atoms.literal(ranks[0]), valid.type.shape)
    return gathered(atoms.literal(ranks), atoms.convert(part[0], np.int64))


def _arena_of(kind: layouts.Layout) -> Any:
    """The arena of lists, or of tuples of run-time length, of a kind; None for other kinds."""
    if not isinstance(kind, layouts.Node):
        return None
    structure = kind.structure
    is_list = structure.is_in_arena and getattr(structure.cls, "native", None) is list
    return structure.extra if is_list or structure.is_run_time_tuple else None


def _ranks(arena: Any, numbers: Atom, valid: Atom) -> Atom:
    """The places of lists in the order of their items, as many as are valid; what is equal stays in its order.

    They are sorted by their last items, then by those before, and so on.
    """
    cells: Items = arena.cells.as_items()
    starts, lengths = (gathered(part.as_items().buffers[0], numbers) for part in (arena.starts, arena.lengths))
    line, zero = iota(numbers.type.shape[0]), atoms.literal(np.zeros(numbers.type.shape, np.int64))
    if not cells.structure.variants or not cells.structure.capacity:
        return line
    if not all(map(_is_number, _leaves(cells.structure.variants[0]))):
        raise UnsupportedOperationError(
            "lists whose items are not numbers, or tuples of numbers, of one type are sorted by these; sort by numbers "
            "(key=...)"
        )
    there = size_arithmetic.window((cells.structure.capacity,), 0, 0, cells.length)
    for column in cells.buffers:
        list_order.refuse_nan(column, there)
    longest = atoms.op("reduce_max", atoms.select(valid, lengths, zero), axes=(0,))

    def step(index: Atom, carries: Sequence[Atom], rows: Sequence[Atom]) -> tuple[list[Atom], list[Atom]]:
        last = atoms.ufunc(np.subtract, longest, atoms.literal(1, np.int64))
        place = atoms.broadcast_to(atoms.ufunc(np.subtract, last, index), line.type.shape)
        has_one = atoms.ufunc(np.less, place, lengths)
        at = atoms.select(has_one, atoms.ufunc(np.add, starts, place), zero)
        columns = [gathered(column, at) for column in cells.buffers]
        none = [atoms.literal(np.zeros(line.type.shape, column.type.dtype)) for column in columns]
        items = [atoms.select(has_one, a, b) for a, b in zip(columns, none, strict=True)]
        return [list_order.order_by([has_one, *items], carries[0])], []

    (order,) = counted(longest, None, step, [line])
    where = atoms.reshape(order, (*order.type.shape, 1))
    return atoms.op("scatter", zero, where, line, combine="set")


def _leaves(kind: layouts.Layout) -> list[layouts.Layout]:
    if isinstance(kind, layouts.Node) and issubclass(kind.structure.cls, tuple):
        return [leaf for child in kind.children for leaf in _leaves(child)]
    return [kind]


def _is_number(kind: layouts.Layout) -> bool:
    return isinstance(kind, layouts.Leaf) and not kind.abstract.shape and kind.abstract.dtype.kind in "biuf"

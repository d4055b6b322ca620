"""Host values of many elements of one layout, whose leaves lie side by side: built leaf by leaf, not one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.pytrees import host_values, layout as layouts
from anabranch.runtime.values.undefined import Undefined

Memory: TypeAlias = Iterator[np.ndarray]  # that of each leaf, in order


def chosen(options: Sequence[layouts.Layout], tags: np.ndarray, memory: Memory, members: Sequence[object]) -> list[Any]:
    """The elements of which the tags say what each one is. What the memory of the others holds means nothing."""
    listed: list[int] = tags.tolist()
    there, found = set(listed), dict[int, tuple[layouts.Layout, list[np.ndarray]]]()
    for tag, option in enumerate(options):
        own = _taken(option, memory)
        if tag in there:
            found[tag] = option, own
    if all(_is_plain(option) or _is_number(option) for option, _ in found.values()):
        rows = {tag: column(option, iter(own), len(listed), members) for tag, (option, own) in found.items()}
        return [rows[tag][place] for place, tag in enumerate(listed)]
    columns = dict[int, Iterator[Any]]()
    for tag, (option, own) in found.items():
        here = tags == tag
        if isinstance(option, layouts.Constant) and isinstance(option.value, Undefined):
            raise option.value.error()
        count = int(np.count_nonzero(here))
        columns[tag] = iter(column(option, iter([m[here] for m in own]), count, members))
    return list(map(next, map(columns.__getitem__, listed)))


def column(layout: layouts.Layout, memory: Memory, count: int, members: Sequence[object]) -> list[Any]:
    """So many elements of one layout, from the memory of its leaves, which are taken off."""
    match layout:
        case layouts.Leaf(abstract):
            leaf = next(memory)
            if abstract.kind is Kind.PYTHON:
                numbers: list[Any] = leaf.tolist()
                return numbers
            return list(leaf) if abstract.kind is Kind.SCALAR else [np.array(element) for element in leaf]
        case layouts.Constant(value) if _is_plain(layout):
            return [value] * count
        case layouts.Union(options):
            return chosen(options, next(memory), memory, members)
        case layouts.Node(structure, children, None) if _is_line_of_numbers(structure, children):
            lines: list[Any] = np.stack([next(memory) for _ in children], axis=-1).tolist()
            return lines
        case layouts.Node(structure, children, source) if not structure.mutable or source is None:
            parts = [column(child, memory, count, members) for child in children]
            rows = zip(*parts, strict=True) if parts else [()] * count
            return list(rows) if structure.cls is tuple else [structure.on_host(row, members) for row in rows]
    own = _taken(layout, memory)
    return [host_values.build(layout, iter([np.array(m[place]) for m in own]), members) for place in range(count)]


def _taken(layout: layouts.Layout, memory: Memory) -> list[np.ndarray]:
    return [] if isinstance(layout, layouts.Constant) else [next(memory) for _ in layouts.leaf_types(layout)]


def _is_line_of_numbers(structure: Structure, children: Sequence[layouts.Layout]) -> bool:
    """Return whether all elements are lists of so many Python numbers of one kind."""
    if structure.cls is not list or type(structure) is not Structure or not children:
        return False
    kinds = {(c.abstract.kind, c.abstract.dtype) if isinstance(c, layouts.Leaf) else None for c in children}
    return len(kinds) == 1 and all(kind is not None and kind[0] is Kind.PYTHON for kind in kinds)


def _is_number(layout: layouts.Layout) -> bool:
    return isinstance(layout, layouts.Leaf) and layout.abstract.kind in (Kind.PYTHON, Kind.SCALAR)


def _is_plain(layout: layouts.Layout) -> bool:
    """Return whether all elements are one text, or None."""
    return isinstance(layout, layouts.Constant) and (layout.value is None or layouts.is_text(layout))

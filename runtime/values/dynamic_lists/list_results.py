"""Lists of run-time length as results: the objects that they began with, and what is known of others, stay themselves.

Where branches have appended arrays that others know, too, the computation returns when each was appended, and the host
puts the very array where it stands.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.values import atoms, visibility
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.dynamic_lists.items import Element, Items, Past, prefix_objects
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar

_ALWAYS = atoms.literal(True)


class ListOfObjects(Items):
    """The elements of a list that is a result, some of which are objects that others may know, too."""

    __slots__ = ("known",)

    def __init__(self, items: Items, known: Sequence[Element]) -> None:
        super().__init__(items.structure, items.parts)
        self.known = tuple(known)

    def __anabranch_structure__(self) -> Structure:
        columns = [(e.value is not None, not isinstance(e.pred, Literal)) for e in self.known]
        return ListOfObjectsStructure(type(self), tuple(range(sum(map(sum, columns)) + 1)), tuple(columns))


@frozen
class ListOfObjectsStructure(Structure):
    """The structure of `ListOfObjects`: the objects, each with when it is in the list, then all elements side by side.

    `extra` has for each element of the list whether it is an object, and whether a condition decides if it is there.
    """

    mutable = False

    def children(self, value: Value) -> list[Value]:
        found: list[Value] = []
        for (is_object, is_conditional), element in zip(self.extra, value.known, strict=True):
            found += [element.value] if is_object else []
            found += [python_scalar(element.pred)] if is_conditional else []
        return [*found, Items(value.structure, value.parts)]

    def build(self, children: Sequence[Value]) -> list[Value]:
        *found, items = children
        rest, made, place = iter(found), list(items), 0
        for is_object, is_conditional in self.extra:
            value = next(rest) if is_object else None
            if is_conditional and not next(rest):
                continue
            if is_object:
                made[place] = value
            place += 1
        return made


@dataclasses.dataclass(slots=True)
class BranchElements:
    """The elements that lists have after branches, as far as they are known as objects."""

    outer: Builder  # the builder around the branches
    ways: dict[int, Sequence[object]]  # branch's number -> the contents of each list after it

    def preds(self, number: int) -> list[Atom]:
        """The conditions that a branch has to return, since they are not visible outside of it."""
        found = [contents.elements or () for contents in self.ways[number] if isinstance(contents, Items)]
        return [e.pred for row in found for e in row if not visibility.atom_visible(self.outer, e.pred)]

    def follow(
        self, made: Sequence[object], is_chosen: Callable[[int], Atom], given: Mapping[int, Iterator[Atom]]
    ) -> None:
        """Note what may be in each list; `given` has, for each branch, the conditions that it was to return."""
        for i, contents in enumerate(made):
            if not isinstance(contents, Items):
                continue
            rows = [self._outside(row[i], given[number]) for number, row in self.ways.items()]
            known = [row for row in rows if row is not None]
            if len(known) < len(rows):
                continue
            first = _common(known)
            found = list(known[0][:first])
            for number, row in zip(self.ways, known, strict=True):
                for element, is_within in row[first:]:
                    chosen = is_chosen(number)
                    pred = element.pred if is_within else atoms.logical_and(chosen, element.pred)
                    value = element.value if isinstance(element.value, (TracedArray, np.ndarray)) else None
                    found.append((Element(value, pred), True))
            contents.elements = tuple([e for e, _ in found if not _is_never(e.pred)])
            current().trace.lists.has_heads = True

    def _outside(self, contents: object, given: Iterator[Atom]) -> list[tuple[Element, bool]] | None:
        """Return the elements as the builder outside sees them, each with whether its condition has the branch's."""
        elements = _elements(contents)
        if elements is None:
            return None
        found: list[tuple[Element, bool]] = []
        for one in elements:
            value = one.value
            if isinstance(value, TracedArray) and not visibility.storage_visible(self.outer, value):
                value = None
            is_within = not visibility.atom_visible(self.outer, one.pred)
            kept = (
                one if not is_within and value is one.value else Element(value, next(given) if is_within else one.pred)
            )
            found.append((kept, is_within))
        return found


def _elements(contents: object) -> tuple[Element, ...] | None:
    """Return what may be in a list, in order; None where that is not known of each."""
    if isinstance(contents, Items):
        return contents.elements
    return tuple([Element(v, _ALWAYS) for v in contents]) if isinstance(contents, tuple) else None


def _common(rows: Sequence[Sequence[tuple[Element, bool]]]) -> int:
    """Return how many elements all begin with."""
    alike = itertools.takewhile(_is_one_element, zip(*rows, strict=False))
    return sum(1 for _ in alike)


def _is_one_element(row: Sequence[tuple[Element, bool]]) -> bool:
    (first, _), *others = row
    return not any(is_within for _, is_within in row) and all(
        other.value is first.value and (other.pred is first.pred or (_is_always(other) and _is_always(first)))
        for other, _ in others
    )


def _is_always(element: Element) -> bool:
    return isinstance(element.pred, Literal) and bool(element.pred.value)


def _is_never(pred: Atom) -> bool:
    return isinstance(pred, Literal) and not pred.value


def note_prefix(items: Items, ways: Sequence[tuple[Value, ...] | Items]) -> None:
    """Note which objects a list begins with after branches, where each of them has left the same ones there.

    Parameters
    ----------
    items : Items
        The list's elements after the branches.
    ways : sequence of tuple or Items
        The elements after each branch.
    """
    heads = [prefix_objects(way) for way in ways]
    same = [row[0] for row in itertools.takewhile(_is_one_object, zip(*heads, strict=False))]
    if same and items.past is None:
        items.past = Past(tuple(same), len(same), ())
        current().trace.lists.has_heads = True


def _is_one_object(row: Sequence[object]) -> bool:
    return all(value is row[0] for value in row)


def with_prefixes(lists: Iterable[object]) -> None:
    """Let lists that are given back have the very arrays that were in them before a loop or a branch."""
    for found in lists:
        # A row of a table has no elements of its own.
        if not isinstance(found, Growable) or found.row_binding is not None:
            continue
        if found.items is None:
            continue
        known = _known(found.items)
        if any(isinstance(e.value, (TracedArray, np.ndarray)) for e in known):
            found.become(ListOfObjects(found.items, known))  # type: ignore[attr-defined]


def _known(items: Items) -> tuple[Element, ...]:
    """Return what is in a list first, as far as it is known."""
    if items.elements is not None:
        last = max((n for n, e in enumerate(items.elements, 1) if e.value is not None), default=0)
        return items.elements[:last]
    return () if items.past is None else tuple([Element(v, _ALWAYS) for v in items.past.objects])

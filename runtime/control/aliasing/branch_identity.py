"""Arrays that branches return of one memory: which object it is, `a` or `a[:]`, is known at run time."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence

from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.values import atoms, visibility
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.pytrees import layout as layouts

# A branch that ends, by its number: its builder, and the layout of what it gives.
Row = tuple[int, Builder, layouts.Layout]


@dataclasses.dataclass(slots=True)
class Objects:
    """Arrays after the branches that are each one of several objects of the same memory.

    Attributes
    ----------
    outer : Builder
        The builder around the branches.
    made : list
        Each array with the objects that it may be: the branch's number, the truth in the branch, the object.
    preds : dict
        Branch's number -> truths that the branch returns, since they are not visible outside of it.
    """

    outer: Builder
    made: list[tuple[TracedArray, list[tuple[int, Atom, TracedArray]]]] = dataclasses.field(default_factory=list)
    preds: dict[int, list[Atom]] = dataclasses.field(default_factory=dict)

    def distinguished(self, layout: layouts.Layout, rows: Sequence[Row]) -> layouts.Layout:
        """Return the layout with an array of its own wherever the branches return several arrays of one memory."""
        if isinstance(layout, layouts.Node):
            columns = _columns(layout, rows)
            if columns is None:
                return layout
            children = tuple(map(self.distinguished, layout.children, columns))
            return layouts.Node(layout.structure, children, layout.source)
        if isinstance(layout, layouts.Union):
            shares = _shares(layout, rows)
            if shares is None:
                return layout
            return layouts.Union(tuple(map(self.distinguished, layout.options, shares)))
        if not isinstance(layout, layouts.Constant) or not isinstance(layout.value, TracedArray):
            return layout
        held = layout.value
        given = [(n, builder, row.value) for n, builder, row in rows if isinstance(row, layouts.Constant)]
        if len(given) < len(rows) or (all(array is held for *_, array in given) and self._is_known(held)):
            return layout
        if not all(isinstance(a, TracedArray) and _is_one_memory(a, held) for *_, a in given):
            return layout
        made = TracedArray(held.storage, held.path, held.readonly)
        current().trace.identity.ambiguous[id(made)] = made
        if all(array.readonly == held.readonly for *_, array in given):
            self._note(made, given)
        return layouts.Constant(made)

    def _is_known(self, array: TracedArray) -> bool:
        """Return whether the builder outside can see which object an array is."""
        _, options = current().trace.identity.either.get(id(array), (array, ()))
        return all(visibility.atom_visible(self.outer, pred) for pred, _ in options)

    def _note(self, made: TracedArray, given: Sequence[tuple[int, Builder, TracedArray]]) -> None:
        """Note the objects that an array may be, if that is known in each branch."""
        options: list[tuple[int, Atom, TracedArray]] = []
        for number, builder, array in given:
            inner = objects_of(builder, array)
            if inner is None:
                return
            options += [(number, pred, one) for pred, one in inner]
        self.made.append((made, options))
        for number, pred, _ in options:
            if not visibility.atom_visible(self.outer, pred):
                self.preds.setdefault(number, []).append(pred)

    def follow(self, is_chosen: Callable[[int], Atom], given: dict[int, Iterator[Atom]]) -> None:
        """Record which object each array is; `given` has, for each branch, the truths it was to return."""
        either = current().trace.identity.either
        for made, rows in self.made:
            options: list[tuple[Atom, TracedArray]] = []
            for number, pred, one in rows:
                if visibility.atom_visible(self.outer, pred):
                    options.append((atoms.logical_and(is_chosen(number), pred), one))
                else:
                    options.append((next(given[number]), one))
            either[id(made)] = made, tuple(options)


def _is_one_memory(one: TracedArray, other: TracedArray) -> bool:
    return one.storage is other.storage and views.same(one.path, other.path)


def objects_of(builder: Builder, array: TracedArray) -> tuple[tuple[Atom, TracedArray], ...] | None:
    """Return the objects that an array may be, each with when it is that; None where the builder cannot know."""
    trace = builder.trace
    if id(array) in trace.identity.either:
        _, options = trace.identity.either[id(array)]
        if not all(visibility.atom_visible(builder, pred) for pred, _ in options):
            return None
    else:
        options = ((atoms.literal(True), array),)
    unclear = trace.identity.ambiguous.keys() | (trace.identity.merged.keys() - trace.identity.numbers.keys())
    return None if any(id(one) in unclear for _, one in options) else options


def all_distinguished(layout: layouts.Layout, rows: Sequence[Row]) -> bool:
    """Return whether nothing in a layout still stands for several arrays of one memory."""
    if isinstance(layout, layouts.Node):
        columns = _columns(layout, rows)
        return columns is not None and all(map(all_distinguished, layout.children, columns))
    if isinstance(layout, layouts.Union):
        shares = _shares(layout, rows)
        return shares is not None and all(map(all_distinguished, layout.options, shares))
    if not isinstance(layout, layouts.Constant) or not isinstance(layout.value, TracedArray):
        return True
    return all(isinstance(row, layouts.Constant) and row.value is layout.value for *_, row in rows) or (
        id(layout.value) in current().trace.identity.ambiguous
    )


def _columns(node: layouts.Node, rows: Sequence[Row]) -> list[list[Row]] | None:
    """Return the rows of each part of a container; None where some branch returns another container."""
    parts = [(n, builder, row.children) for n, builder, row in rows if isinstance(row, layouts.Node)]
    if len(parts) < len(rows) or any(len(row) != len(node.children) for *_, row in parts):
        return None
    return [[(n, builder, row[i]) for n, builder, row in parts] for i in range(len(node.children))]


def _shares(choice: layouts.Union, rows: Sequence[Row]) -> list[list[Row]] | None:
    """Return the rows of each alternative: those of the branches that return it; None where that is not clear."""
    shares: list[list[Row]] = [[] for _ in choice.options]
    for number, builder, given in rows:
        for one in given.options if isinstance(given, layouts.Union) else (given,):
            fitting = [share for option, share in zip(choice.options, shares, strict=True) if _fits(one, option)]
            if len(fitting) != 1 or any(other == number for other, *_ in fitting[0]):
                return None
            fitting[0].append((number, builder, one))
    return shares


def _fits(given: layouts.Layout, option: layouts.Layout) -> bool:
    """Return whether a branch's value becomes this alternative."""
    if isinstance(given, layouts.Node) and isinstance(option, layouts.Node):
        one, other = given.structure, option.structure
        return one.cls is other.cls and one.keys == other.keys and len(given.children) == len(option.children)
    if isinstance(given, layouts.Constant) and isinstance(option, layouts.Constant):
        if isinstance(given.value, TracedArray) and isinstance(option.value, TracedArray):
            return _is_one_memory(given.value, option.value)
        return layouts.same(given.value, option.value)
    number = layouts.numeric(given)
    return number is not None and number == layouts.numeric(option)

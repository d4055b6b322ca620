"""Lengths of lists that a loop carries: what a step adds to each, where that is known while tracing.

From it follow the capacity that is enough, so that no append has to ask, and the length after a counted loop.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.control.loops.loop_state import LoopTypes
from anabranch.runtime.ir.interval import Interval, exactly
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.control import FOR
from anabranch.runtime.ops.elementwise.arithmetic import add, subtract
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.structured import Branches, carries
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.dynamic_lists.items import Items, Past
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.pytrees.padded_union import PaddedStructure
from anabranch.runtime.values.union import UnionValue

# By how much an atom is larger than each of the variables that it may come from.
_Steps: TypeAlias = dict[Var, Interval]


@frozen
class ListOfLoop:
    """A list among what a loop carries: its number in its entry, where its length is among the leaves, its layout."""

    number: int
    leaf: int
    node: layouts.Node


def lists_in(layout: layouts.Layout) -> list[ListOfLoop]:
    """The lists whose length is known only at run time, in the order in which `growth.with_capacity` numbers them."""
    numbers = itertools.count()
    found: list[ListOfLoop] = []

    def walk(layout: layouts.Layout, leaf: int) -> None:
        match layout:
            case layouts.Node(structure, children):
                if isinstance(structure, (ItemsStructure, PaddedStructure)):
                    number = next(numbers)
                    if isinstance(structure, ItemsStructure) and not structure.fixed:
                        found.append(ListOfLoop(number, leaf, layout))
                    return
                for child in children:
                    walk(child, leaf)
                    leaf += len(layouts.leaf_types(child))
            case layouts.Union(options):
                leaf += 1
                for option in options:
                    walk(option, leaf)
                    leaf += len(layouts.leaf_types(option))

    walk(layout, 0)
    return found


def entry_layouts(types: LoopTypes) -> list[layouts.Layout]:
    """Return the layouts of the carry, with the known bounds of the lengths of lists at the start of each step."""
    return [_bounded(types, i, layout) for i, layout in enumerate(types.layouts)]


def _bounded(types: LoopTypes, entry: int, layout: layouts.Layout) -> layouts.Layout:
    known: dict[int, Interval] = {}
    longest = _longest(types.init[entry], layout)
    for found, start in zip(lists_in(layout), longest, strict=True):
        gain = current().trace.loops.gains.get((types.loop.site, entry, found.number))
        if gain is not None and start is not None:
            known[found.leaf] = Interval(0, start + max(types.loop.most - 1, 0) * gain)
    return _with_intervals(layout, known, itertools.count()) if known else layout


def _with_intervals(layout: layouts.Layout, known: dict[int, Interval], leaves: Iterator[int]) -> layouts.Layout:
    if isinstance(layout, layouts.Leaf):
        here = next(leaves)
        return dataclasses.replace(layout, interval=known[here]) if here in known else layout
    if isinstance(layout, layouts.Union):
        next(leaves)
    return layouts.mapped(layout, lambda part: _with_intervals(part, known, leaves))


def _longest(value: Value, layout: layouts.Layout) -> list[int | None]:
    """The most that each list is long before the loop; None where nothing is known of it."""
    if not isinstance(layout, layouts.Node) or isinstance(value, UnionValue):
        return [None] * len(lists_in(layout))
    if isinstance(layout.structure, ItemsStructure):
        if layout.structure.fixed:
            return []
        contents = value.contents() if isinstance(value, Growable) else value  # type: ignore[attr-defined]
        return [interval_of(contents.length).high if isinstance(contents, Items) else len(contents)]
    if isinstance(layout.structure, PaddedStructure):
        return []
    unknown: list[int | None] = [None] * len(lists_in(layout))
    parts = layout.structure.children(value)
    found = [n for part, child in zip(parts, layout.children, strict=False) for n in _longest(part, child)]
    return found if len(parts) == len(layout.children) and len(found) == len(unknown) else unknown


def bounds_hold(
    types: LoopTypes, equations: Sequence[Equation], formals: Sequence[Sequence[Var]], out: Sequence[Atom]
) -> bool:
    """Return whether no list gets longer in a step than `entry_layouts` assumed; assumptions that fail are dropped."""
    origins, gains, fine, at = _Origins(equations), current().trace.loops.gains, True, 0
    for entry, row in enumerate(formals):
        for found in lists_in(types.layouts[entry]):
            key = (types.loop.site, entry, found.number)
            gain = gains.get(key)
            if gain is None:
                continue
            more = origins.more_than(out[at + found.leaf], row[found.leaf])
            if more is None or more.high > gain:
                gains[key], fine = None, False
        at += len(row)
    return fine


def after(
    types: LoopTypes,
    equations: Sequence[Equation],
    formals: Sequence[Var],
    out: Sequence[Atom],
    init: Sequence[Atom],
    results: list[Atom],
    trip: Atom,
) -> list[Atom]:
    """The leaves after a counted loop; the lengths of lists that each step makes longer by as much are computed."""
    origins, results, at = _Origins(equations), list(results), 0
    for layout in types.layouts:
        for found in lists_in(layout):
            k = at + found.leaf
            more = origins.more_than(out[k], formals[k])
            if more is not None and more.low == more.high:
                steps = atoms.ufunc(np.multiply, trip, atoms.literal(more.low, np.int64)) if more.low != 1 else trip
                results[k] = atoms.ufunc(np.add, init[k], steps)
        at += len(layouts.leaf_types(layout))
    return results


def remember(contents: object, before: Value, given: object, out: object) -> None:
    """Note what the elements of a list are after a loop that appended to it, where its length before it is known.

    Parameters
    ----------
    contents, before : object
        What an object holds after the loop and before it.
    given, out : object
        What it holds before a step and after it.
    """
    if not (isinstance(contents, Items) and isinstance(out, Items)):
        return
    length = before.length if isinstance(before, Items) else len(before)
    if type(length) is not int or out.grown_from is None or out.grown_from[0] is not given:
        return
    kinds = [
        None if k is None else contents.structure.variants.index(out.structure.variants[k]) for k in out.grown_from[1]
    ]
    known = [k for k in kinds if k is not None]
    contents.past = Past(before, length, tuple(known) if len(known) == len(kinds) else ())
    current().trace.lists.has_heads = True


# ---- by how much an atom is larger than what it comes from -----------------------------------------------------------


class _Origins:
    """By how much the ints of a program are larger than what they come from, each found out once."""

    def __init__(self, equations: Sequence[Equation]) -> None:
        self._made = {v: (e, i) for e in equations for i, v in enumerate(e.outputs)}
        self._known: dict[Var, _Steps | None] = {}

    def more_than(self, atom: Atom, formal: Var) -> Interval | None:
        """By how much an int is larger than this variable; None where it may come from something else."""
        found = self.steps(atom)
        return found[formal] if found is not None and found.keys() == {formal} else None

    def steps(self, atom: Atom) -> _Steps | None:
        """By how much an int is larger than each variable that it may come from; None where that is not known."""
        shift = exactly(0)
        while isinstance(atom, Var):
            if atom not in self._made:
                return {atom: shift}
            equation, place = self._made[atom]
            op, inputs = equation.op, equation.inputs
            if op in (add, subtract) and isinstance(inputs[1], Literal):
                by = int(inputs[1].value)
                atom, shift = inputs[0], shift + exactly(by if op is add else -by)
            elif op is add and isinstance(inputs[0], Literal):
                atom, shift = inputs[1], shift + exactly(int(inputs[0].value))
            else:
                if atom not in self._known:
                    self._known[atom] = self._of_control(equation, place)
                return _shifted(self._known[atom], shift)
        return None

    def _of_control(self, equation: Equation, place: int) -> _Steps | None:
        op, inputs = equation.op, equation.inputs
        if op is select:
            return _any_of([self.steps(a) for a in inputs[1:]])
        if isinstance(op, Branches):
            return _any_of([self._of_branch(p, place, inputs[1:]) for p in equation.programs()])
        if op is not FOR or not isinstance(inputs[0], Literal):
            return None
        (body,) = equation.programs()
        for initial, slot in carries(equation):
            if slot.result == place and slot.formal is not None:
                more = _Origins(body.equations).more_than(body.outputs[place], body.inputs[slot.formal])
                return None if more is None else _shifted(self.steps(initial), more * exactly(int(inputs[0].value)))
        return None

    def _of_branch(self, program: Program, place: int, operands: Sequence[Atom]) -> _Steps | None:
        found = _Origins(program.equations).steps(program.outputs[place])
        given = dict(zip(program.inputs, operands, strict=True))
        if found is None or not found.keys() <= given.keys():
            return None  # of what is read where it is not, the end of the trace says more
        return _any_of([_shifted(self.steps(given[v]), by) for v, by in found.items()])


def _any_of(options: Sequence[_Steps | None]) -> _Steps | None:
    found: _Steps = {}
    for option in options:
        if option is None:
            return None
        for var, by in option.items():
            found[var] = found[var] | by if var in found else by
    return found


def _shifted(steps: _Steps | None, by: Interval) -> _Steps | None:
    return None if steps is None else {var: more + by for var, more in steps.items()}

"""Arrays that a loop binds anew, and the memory that their names stood for before it.

A name that is bound anew in a loop (`u, v = v, u`, `x = x + 1`) is carried by value. Where the body also writes in
place, the memory that the name stood for before the loop must get those writes, exactly as when Python runs the loop.
That is simple where nothing else in the loop leads to that memory:

- the name keeps its array: that memory gets the value after the loop;
- names trade arrays, in an order that a number tells after the loop (`trades`);
- the name gets a new array: the old memory keeps what the first step wrote.

All else is a conflict: the body is traced again with the array itself in scope, and if the name is bound anew all the
same, with arrays that are linked by their identities (`loop_identity`).

Where an array is memory from before the loop, its number is carried, and not its elements (`LeavesByNumber`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.control.aliasing.body_trace import BodyTrace
from anabranch.runtime.control.aliasing.loop_identity import Identities
from anabranch.runtime.control.aliasing.loop_sources import EntryArray, New, OuterArray, Possible
from anabranch.runtime.control.aliasing.points_to import select_last
from anabranch.runtime.control.aliasing.trades import Trade, trades
from anabranch.runtime.errors import AliasError
from anabranch.runtime.ir.program import Atom, Var
from anabranch.runtime.passes.load_forwarding import MOST_CHOSEN
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values import atoms
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import aliasing, memory_layout, views
from anabranch.runtime.values.pytrees.pack_unpack import Packed


class AliasGroup:
    """Memory that may be shared, and the leaves that lead there, each in order."""

    def __init__(self, leaves: Iterable[int] = (), memory: Iterable[Storage] = ()) -> None:
        self.leaves, self.memory = dict.fromkeys(leaves), dict.fromkeys(memory)


def _groups(body: Builder, rows: Iterable[tuple[int, Sequence[TracedArray | None]]]) -> dict[int, AliasGroup]:
    """The group of each leaf; `rows` have the arrays that leaves may be."""
    found: dict[int, AliasGroup] = {}
    at: dict[Storage, AliasGroup] = {}
    for leaf, arrays in rows:
        memory = [s for a in arrays if a is not None for s in aliasing.connected(body, a.storage)]
        merged = AliasGroup([leaf], memory)
        for group in dict.fromkeys(at[s] for s in memory if s in at):
            merged.leaves.update(group.leaves)
            merged.memory.update(group.memory)
        found |= dict.fromkeys(merged.leaves, merged)
        at |= dict.fromkeys(merged.memory, merged)
    return found


@frozen
class LoopAliases:
    """The effects of the loop on the memory that its leaves stood for before it."""

    identities: Identities
    groups: dict[int, AliasGroup]  # of all memory that leaves may share
    in_place: set[int]  # leaves that keep their arrays, into which the body writes
    firsts: list[int]  # leaves that get new ones, where the body writes into the first
    trades: list[Trade]  # of leaves that trade arrays, into which the body writes
    conflicts: set[int]

    @property
    def trading(self) -> set[int]:
        """The leaves of the trades."""
        return {k for trade in self.trades for k in trade.leaves}

    def traded(self, body: Builder) -> tuple[dict[int, Atom], list[tuple[Atom, Var, Atom]]]:
        """The arrays that a step leaves in the leaves of the trades, by leaf, and the numbers of the orders.

        Each number is given as it is before the loop, in the body, and after a step; all in the body's builder.
        """
        outputs: dict[int, Atom] = {}
        numbers = []
        for trade in self.trades:
            choices = trade.choices(self.identities.sources.rows)
            entries = [self.identities.sources.entry[leaf] for leaf in trade.leaves]
            numbers += trade.carried(choices)
            outputs |= trade.outputs(choices, [body.read(array.storage) for array in entries if array is not None])
        return outputs, numbers


def inspect(traced: BodyTrace, init: Sequence[Packed], identities: Identities) -> LoopAliases:
    """Find what the body writes to, and whether more than one leaf leads there."""
    body = traced.builder
    rows = zip(traced.entry, init, traced.packed, strict=True)
    arrays = {k: (start, before.handle, end.handle) for k, (start, before, end) in enumerate(rows)}
    report = LoopAliases(identities, _groups(body, arrays.items()), set(), [], [], set())
    used = {atom for equation in body.equations for atom in equation.inputs}
    used.update(p.atom for p in traced.packed)
    # What the body never looks at may be written to by other names: it is bound anew before that matters.
    starts = {k: start for k, start in enumerate(traced.entry) if start is not None}
    seen = [k for k, start in starts.items() if body.env[start.storage] in used or start.storage in body.written]
    linked = set(identities.carried.numbers)
    for group in dict.fromkeys(_groups(body, [(k, arrays[k]) for k in seen]).values()):
        outside = [s for s in group.memory if identities.sources.is_outside(s)]
        if not any(starts[k].storage in body.written for k in group.leaves) and body.written.keys().isdisjoint(outside):
            continue
        if linked.issuperset(group.leaves):
            if not identities.edges_suffice(list(group.leaves)):
                report.conflicts.update(group.leaves)
            continue
        met = any(s in body.storage_inputs or s in body.written for s in outside)
        if met or not _is_simple(body, list(group.leaves), init, report):
            report.conflicts.update(group.leaves)
    return report


def _is_simple(body: Builder, leaves: Sequence[int], init: Sequence[Packed], report: LoopAliases) -> bool:
    """Return whether the memory of a group gets its contents from the loop's carries alone; the report notes how."""
    handles = [handle for k in leaves if (handle := init[k].handle) is not None]
    is_part = any(handle.path for handle in handles)
    if len(leaves) == 1 and not is_part:
        (k,) = leaves
        source = report.identities.sources.of[k]
        if isinstance(source, New):
            report.firsts.append(k)
        elif source == EntryArray(k):
            report.in_place.add(k)
        return isinstance(source, New) or source == EntryArray(k)
    if len(leaves) == 1 or (is_part and any(handle.readonly for handle in handles)):
        return False
    apart = all(len(aliasing.connected(body, handle.storage)) == 1 for handle in handles)
    if not apart or not all(memory_layout.are_apart(*pair) for pair in itertools.combinations(handles, 2)):
        return False
    found = trades(body, report.identities.sources.rows, leaves)
    report.trades.extend(found or ())
    return found is not None


def refusal(name: str, what: str) -> AliasError:
    """The error for a conflict that nothing has resolved."""
    return AliasError(
        f"{name} may be both written in place and replaced by another array in {what}, so that the memory it refers to "
        "is not known; write to a copy that is made before the loop (x = x.copy()), or replace it only outside"
    )


def after(
    report: LoopAliases,
    made: Sequence[TracedArray | None],
    init: Sequence[Packed],
    firsts: Sequence[Atom],
    carried: Mapping[Var, Atom],
    count: Atom,
    possible: Possible,
) -> dict[int, TracedArray]:
    """Give old memories their values and link the new arrays; returns the handles that are still the old arrays.

    `firsts` are the values of the first arrays of `report.firsts`, `carried` has what the loop has made of numbers.
    """
    kept: dict[int, TracedArray] = {}
    sources = report.identities.sources
    for k, value in zip(report.firsts, firsts, strict=True):
        before = init[k].handle
        if before is not None:
            before.overwrite(value)
    for k, array in enumerate(made):
        before = init[k].handle
        if array is not None and before is not None and sources.of[k] == EntryArray(k):
            if k in report.in_place:
                before.set(array.atom)
            if sources.is_entry(k):
                kept[k] = before
    for trade in report.trades:
        trade.follow(made, [packed.handle for packed in init], carried, count)
    if sources.may_return_new_objects:
        # Views made anew in each step: the memory is known, but not which object it is.
        current().trace.identity.merge_all(array for k, array in enumerate(made) if k not in kept)
    resolved = report.trading | kept.keys()
    arrays = [None if k in resolved else array for k, array in enumerate(made)]

    def related(leaf: int) -> list[TracedArray]:
        """The memory that a leaf may share, where no more is known."""
        group = report.groups[leaf]
        befores = [handle for k in group.leaves if (handle := init[k].handle) is not None]
        outside = [TracedArray(s) for s in group.memory if sources.is_outside(s)]
        # Of two of which nobody knows, one is linked with the other, so that links lead nowhere in a circle.
        linked = [k for k in group.leaves if k < leaf or not sources.is_unknown(k, possible)]
        return [*befores, *outside, *[other for k in linked if (other := made[k]) is not None]]

    report.identities.add_edges(arrays, carried, count, possible, related)
    return kept


class LeavesByNumber:
    """The leaves of a loop's state that are carried by their numbers alone.

    After `y = a if c else b` in a step, y is a or b. Were its elements carried, each step would copy all of them. Its
    number says which of the two it is, and the memory has the elements: at the start of a step, where the body or the
    test looks at them, and after the loop.
    """

    def __init__(
        self, report: LoopAliases, traced: BodyTrace, formals: Sequence[Var], possible: Possible, is_tested: bool
    ) -> None:
        self._identities, self._formals = report.identities, formals
        self._after, self._ever = possible, report.identities.sources.possible(0, None)
        used = {atom for equation in traced.builder.equations for atom in equation.inputs}
        used.update(p.atom for p in traced.packed)
        used.update(traced.builder.env[s] for s in traced.builder.outer_writes())
        settled = report.trading.union(report.in_place, report.firsts)
        is_read = [is_tested or formal in used for formal in formals]
        # Memory that gets its contents from other leaves, after the loop.
        befores = [handle.storage for k in settled if (handle := traced.init[k].handle) is not None]
        self._late = {s for storage in befores for s in aliasing.connected(traced.builder, storage)}
        self.leaves = [
            k for k, is_used in enumerate(is_read) if k not in settled and self._is_outer(k, possible, is_used)
        ]
        # Those of them that a step, or what it leaves, is computed from.
        self.read = [k for k in self.leaves if is_read[k]]

    def _is_outer(self, leaf: int, possible: Possible, is_read: bool) -> bool:
        """Return whether a leaf is memory from before the loop wherever its elements matter."""
        if self._identities.sources.of[leaf] == EntryArray(leaf) or not possible.later[leaf]:
            return False
        labels = self._ever.of(leaf) if is_read else self._ever.later[leaf]
        places = self._ever.places(leaf)
        type = self._formals[leaf].type
        handles = [self._identities.places.handles[p.number] for p in places]
        if not all(isinstance(label, OuterArray) for label in labels):
            return False
        if any(h.abstract.type != type or h.storage in self._late for h in handles):
            return False
        is_told = len(self._ever.later[leaf]) == 1 or leaf in self._identities.carried.numbers
        return is_told and (not is_read or len(places) <= MOST_CHOSEN)

    def at_start(self, read: Callable[[Storage], Atom], count: Atom, carried: Mapping[Var, Atom]) -> dict[int, Atom]:
        """The elements of those that are read at the start of a step.

        `read` returns what memory holds then, `count` is how many steps have run, and `carried` has what stands for
        the numbers and positions of the body.
        """
        return {k: self._value(k, self._ever, read, count, carried, None) for k in self.read}

    def after(
        self, read: Callable[[Storage], Atom], count: Atom, carried: Mapping[Var, Atom], init: Sequence[Atom]
    ) -> dict[int, Atom]:
        """The elements of all of them after the loop; `init` are those before it."""
        return {k: self._value(k, self._after, read, count, carried, init[k]) for k in self.leaves}

    def _value(
        self,
        leaf: int,
        possible: Possible,
        read: Callable[[Storage], Atom],
        count: Atom,
        carried: Mapping[Var, Atom],
        init: Atom | None,
    ) -> Atom:
        at_once = atoms.ufunc(np.equal, count, atoms.literal(0, np.int64))
        is_place = self._identities.tests(leaf, possible, carried, at_once)
        other = None if all(isinstance(label, OuterArray) for label in possible.of(leaf)) else init
        parts = ((holds, views.read(read(handle.storage), handle.path)) for handle, holds in is_place)
        return select_last(parts, other)

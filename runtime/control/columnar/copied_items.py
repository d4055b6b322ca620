"""Arrays that are items of a list of run-time length: the list has a copy, so that nothing may be written into them.

A builder knows which memory that is (`Builder.freeze`). What a branch or a loop keeps is kept after it, and so is what
may be that memory; in a loop the step after it must not write there, either.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from anabranch.base.by_identity import IdentityDict, IdentitySet
from anabranch.base.frozen import frozen
from anabranch.runtime.errors import AliasError
from anabranch.runtime.tracing.builder import Builder, building, current
from anabranch.runtime.tracing.container_state import ARRAYS_ARE_NOTED, demand
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.tracing.storage import OnDevice, Storage
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.containers import Contents
from anabranch.runtime.values.dynamic_lists import item_kinds
from anabranch.runtime.values.dynamic_lists.growable_list import ListContents
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.heap.slots import Slot, slot_of
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.memory import aliasing
from anabranch.runtime.values.pytrees.layout import Layout
from anabranch.runtime.values.pytrees.pack_unpack import Packed
from anabranch.runtime.values.pytrees.shared_containers import containers_by_place

Row = tuple[Sequence[Any], Layout]


def after_branches(
    outer: Builder, branches: Sequence[tuple[Builder, Sequence[Packed]]], made: Sequence[TracedArray | None]
) -> None:
    """Note the memory that branches keep, and arrays put together of such, as kept after them."""
    for inner, packed in branches:
        freeze_outside(outer, inner)
        for part, array in zip(packed, made, strict=False):
            if array is not None and part.handle is not None and inner.is_frozen(part.handle.storage):
                outer.freeze(array.storage)


def check_step(
    outer: Builder, body: Builder, entry: Sequence[TracedArray | None], init: Sequence[Packed], packed: Sequence[Packed]
) -> None:
    """Refuse a step that writes where it, or the step before, keeps."""
    if not body.trace.lists.has_copies:
        return
    own = {array.storage: k for k, array in enumerate(entry) if array is not None}
    for storage in body.written:
        k = own.get(storage)
        if (k is not None or outer.outer_has(storage) or storage in outer.env) and body.is_frozen(storage):
            raise refusal()
        if k is not None and (_keeps(outer, init[k]) or _keeps(body, packed[k])):
            raise refusal()


def appends_callers_array(body: Builder, entry: Sequence[TracedArray | None], init: Sequence[Packed]) -> bool:
    """Return whether the first step appends a named array of the caller's, and later ones arrays of their own."""
    if not body.trace.lists.has_copies:
        return False
    callers = {s for s in body.trace.identity.callers_memory if not isinstance(s.readonly, OnDevice)}
    if any(s not in callers and aliasing.memory(s) & callers for s in body.frozen_storages or ()):
        return True
    return any(
        start is not None
        and before.handle is not None
        and before.handle.storage in callers
        and body.is_frozen(start.storage)
        for start, before in zip(entry, init, strict=True)
    )


def after_loop(
    outer: Builder,
    body: Builder,
    entry: Sequence[TracedArray | None],
    init: Sequence[Packed],
    packed: Sequence[Packed],
    made: Sequence[TracedArray | None],
) -> None:
    """Note the memory that a loop keeps, and the arrays that its names are after it, as kept after it."""
    if not body.trace.lists.has_copies:
        return
    freeze_outside(outer, body)
    for start, before, after, array in zip(entry, init, packed, made, strict=False):
        appended = start is not None and body.is_frozen(start.storage)
        if appended and before.handle is not None:
            outer.freeze(before.handle.storage)
        if array is not None and (appended or _keeps(outer, before) or _keeps(body, after)):
            outer.freeze(array.storage)


def _keeps(builder: Builder, part: Packed) -> bool:
    return part.handle is not None and builder.is_frozen(part.handle.storage)


def freeze_outside(outer: Builder, inner: Builder) -> None:
    """Note the memory from outside that a builder keeps as kept in the one around it."""
    kept: set[Storage] = inner.frozen_storages or set()
    for storage in kept:
        if storage in outer.env or outer.outer_has(storage):
            outer.freeze(storage)


def refusal() -> BaseException:
    """The exception for a write into an item: an error, or the start of a trace in which arrays can lie in arenas."""
    try:
        demand(current().trace.lists.arena_sites, {ARRAYS_ARE_NOTED})
    except Restart as again:
        return again
    return AliasError(
        "an array that is an item of a list whose length is known only at run time, or that a function which calls "
        "itself hands on or returns, is written to, which would not change the list, or the array that it was; append "
        "or hand on a copy (items.append(x.copy())), write to a copy of what is read from the list or returned, or "
        "keep the values in an array that is the same in each call"
    )


# ---- lists and dicts that are items ----------------------------------------------------------------------------------


class HandedOn(tuple[Any, Any]):
    """Among the copied lists and dicts of a builder: one that a branch has copied, with its contents."""

    __slots__ = ()


@frozen
class Copies:
    """The lists and dicts that a branch or a step has copied into a list."""

    old: tuple[Any, ...] = ()  # those that were there before it
    left: tuple[Any, ...] = ()  # new ones to which its values lead
    are_broken: bool = False  # whether one of them is copied twice, or was changed

    @staticmethod
    def of(inner: Builder, before: Heap, value: object, changes: IdentityDict[Any, object]) -> Copies:
        """Those of a builder that is at its end.

        Parameters
        ----------
        before : Heap
            The state before it.
        changes : IdentityDict
            What it leaves behind: its value, and the contents of what it has changed.
        """
        if not inner.copied:
            return Copies()
        after = Heap(part for part in (value, *changes.values()) for part in _parts(part))
        copied = [container for container, _ in inner.copied]
        old = tuple(c for c in copied if c in before)
        is_doubled = len(IdentitySet(copied)) < len(copied)
        are_broken = is_doubled or is_changed(inner) or any(c in changes for c in old)
        return Copies(old, tuple(c for c in copied if c not in before and after.has_seen(c)), are_broken)

    def check(self) -> None:
        """Refuse what a branch must not do.

        Raises `Restart` or `AliasError`.
        """
        if self.are_broken:
            raise container_refusal()

    def check_alone(self) -> None:
        """Refuse what a step must not do, after which others come, nor the body of a function."""
        if self.are_broken or self.old or self.left:
            raise container_refusal()


def hand_on(outer: Builder, branches: Sequence[tuple[Copies, Sequence[Row]]], made: Sequence[object]) -> None:
    """Note what branches have copied, and what stands for it after them, as copied in the builder around them.

    Parameters
    ----------
    outer : Builder
    branches : sequence
        Of each branch what it has copied, and what it leaves behind.
    made : sequence
        The containers that stand for what is left behind, by their places.

    Raises
    ------
    Restart, AliasError
        Where something copied has no place.
    """
    found: IdentitySet[Any] = IdentitySet()
    if any(copies.old or copies.left for copies, _ in branches):
        demand_arenas()
    for copies, row in branches:
        found.update(copies.old)
        if copies.left:
            places = list(itertools.chain(*(containers_by_place(v, layout) for v, layout in row)))
            for container in copies.left:
                mine = [n for n, held in enumerate(places) if any(c is container for c in held)]
                if not mine or mine[-1] >= len(made):
                    raise container_refusal()
                found.update(made[n] for n in mine)
    for container in found:
        slot = slot_of(container)
        assert slot is not None
        outer.copied.append(HandedOn((container, slot.contents())))
        outer.trace.identity.merge(container)


def result_refusal(root: Builder, results: Iterable[object]) -> BaseException | None:
    """The exception for a function that has changed a list or dict of which another has a copy, or returns it.

    Of those that no branch has copied none is looked for among the results.
    """
    if not root.copied:
        return None
    handed = IdentitySet(entry[0] for entry in root.copied if isinstance(entry, HandedOn))
    count = sum(container in handed for container, _ in root.copied)
    if is_changed(root) or count > len(handed) or any(slot.target in handed for slot in Heap(results).slots):
        return container_refusal()
    return None


def note_packed(
    outer: Builder, inner: Builder, first: int, before: Heap, changed: Sequence[object], left: Sequence[object]
) -> None:
    """Note the lists and dicts that were copied into a list when a branch's values were joined with another's.

    Parameters
    ----------
    outer, inner : Builder
    first : int
        How many the branch had copied until then.
    before : Heap
        The state before the branch.
    changed : sequence
        What any of the branches changes.
    left : sequence
        The values that the branch leaves behind, but for the contents of such lists.

    Raises
    ------
    Restart, AliasError
        Where the branch leaves one of them under another name, or has changed it.
    """
    copied = [container for container, _ in inner.copied[first:]]
    if not copied:
        return
    after = Heap(part for part in left for part in _parts(part))
    outer.copied += [(c, slot.before) for c, slot in _old_ones(copied, before, changed, after.has_seen)]


def note_packed_by_step(
    outer: Builder,
    inner: Builder,
    first: int,
    before: Heap,
    changed: Sequence[object],
    state: Iterable[tuple[object, Layout]],
) -> None:
    """Note the lists and dicts that were copied into lists when the state after a step was put together.

    Parameters
    ----------
    outer, inner : Builder
    first : int
        How many the step had copied until then.
    before : Heap
        The state before the loop.
    changed : sequence
        What a step changes.
    state : iterable of tuple
        The values after a step, with their layouts.

    Raises
    ------
    Restart, AliasError
        Where the step leaves one of them under another name, too, or changes one from before the loop.
    """
    copied = [container for container, _ in inner.copied[first:]]
    if not copied:
        return
    beside = IdentitySet(c for v, layout in state for held in containers_by_place((v,), layout) for c in held)
    if len(IdentitySet(copied)) < len(copied):
        raise container_refusal()
    old = _old_ones(copied, before, changed, beside.__contains__)
    outer.copied += [HandedOn((c, slot.contents())) for c, slot in old]


def note_lent(outer: Builder, inner: Builder) -> None:
    """Note the items of a sequence that a loop has gone over as copied, where a step has copied what stood for one."""
    copied = IdentitySet(container for container, _ in inner.copied)
    with building(outer):
        for heap, items in inner.lent:
            if any(slot.target in copied for slot in heap.slots):
                for item in items:
                    item_kinds.note_copied(item)


def _old_ones(
    copied: Iterable[Any], before: Heap, changed: Sequence[object], is_left: Callable[[object], bool]
) -> list[tuple[Any, Slot]]:
    """Those that were there before, with their slots; refuses what is changed, and new ones that are left, too."""
    found = []
    for container in copied:
        is_old = container in before
        if any(container is c for c in changed) or (not is_old and is_left(container)):
            raise container_refusal()
        slot = slot_of(container)
        if is_old and slot is not None:
            found.append((container, slot))
    return found


def _parts(left: object) -> Sequence[object]:
    """Return the values that lead to the containers that are left, but for those that lists have copies of."""
    if isinstance(left, Items):
        return ()
    if isinstance(left, ListContents):
        return tuple(left)
    return tuple(left.values()) if isinstance(left, Contents) else (left,)


def is_changed(builder: Builder) -> bool:
    """Return whether a list or dict that was copied into a list has been changed."""
    for container, contents in builder.copied:
        slot = slot_of(container)
        if slot is None or not slot.same_contents(slot.contents(), contents):
            return True
    return False


def demand_arenas() -> None:
    """Have all lists and dicts that were copied lie in arenas; nothing where they do, or cannot.

    Raises `Restart` where they could have done so since they were made.
    """
    lists = current().trace.lists
    lists.demand_arenas(lists.copied_sites)


def container_refusal() -> BaseException:
    """The exception for a list or dict that is an item and may be changed through another name.

    It is an error, or starts tracing again where the lists could lie in an arena.
    """
    try:
        demand_arenas()
        # Of dicts it is not known yet where they were made.
        current().trace.tables.ask_for_places()
    except Restart as again:
        return again
    return AliasError(
        "a list or dict that is an item of a list whose length is known only at run time is changed, or could be "
        "through another name, which would not change the list; append a copy, or change it before it is appended"
    )

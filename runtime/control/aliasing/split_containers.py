"""New lists, dicts and objects that are, or may be, one at run time, and that a trace holds as several.

Where a run-time condition decides whether a name or an item is a new container, each such name and item has one of its
own after the branch or loop. That is right as long as nobody changes one of them or asks whether they are one, and not
more than one is among the results. An existing container, and a new one that every way makes, stay one (`firsts` of
`Unpacking`).
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator, Sequence

from anabranch.base.by_identity import ByIdentity, IdentitySet
from anabranch.base.value import Value
from anabranch.runtime.errors import AliasError
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.tracing.state import SplitContainer
from anabranch.runtime.values.dynamic_lists.item_kinds import origins_of
from anabranch.runtime.values.heap.slots import slot_of
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.pytrees.layout import Layout
from anabranch.runtime.values.pytrees.shared_containers import containers_by_place

Row = Sequence[tuple[Sequence[Value], Layout]]


def shared_places(rows: Iterable[Row]) -> list[tuple[int, ...]]:
    """The places of containers that hold, or may hold, the same one.

    Parameters
    ----------
    rows
        For each way to come to the values: the values that stand in one part of the state, with the layout of that.

    Returns
    -------
    list of tuple of int
        The numbers of places, which are those of `Unpacking.places`.
    """
    found: dict[tuple[int, ...], None] = {}
    for row in rows:
        held: dict[Hashable, list[int]] = {}
        for place, containers in enumerate(itertools.chain(*(containers_by_place(v, layout) for v, layout in row))):
            for group in dict.fromkeys(map(group_of, containers)):
                held.setdefault(group, []).append(place)
        found.update((tuple(places), None) for places in held.values() if len(places) > 1)
    return list(found)


def group_of(container: object) -> Hashable:
    """The group of a container, which is the same for those that may be one."""
    known = current().trace.identity.split.get(container)
    return ByIdentity(container) if known is None else known.group


def note(builder: Builder, places: Iterable[Sequence[int]], made: Sequence[object], what: str) -> None:
    """Note that the containers which were made for some places are, or may be, one.

    Parameters
    ----------
    places
        As `shared_places` returns them.
    made
        The containers by their places.
    what
        The statement, in the words of a message.
    """
    split = builder.trace.identity.split
    for together in places:
        members = IdentitySet(made[place] for place in together if place < len(made))
        if len(members) < 2:
            continue
        groups = dict.fromkeys(map(group_of, members))
        group = next(iter(groups))
        for one in split.values():
            if one.group in groups:
                one.group = group
        for container in members:
            slot = slot_of(container)
            if container not in split and slot is not None:
                split[container] = SplitContainer(container, slot.contents(), group, what)
                builder.split.append(container)


def changed(builder: Builder, changes: Iterable[object] = ()) -> SplitContainer | None:
    """A container of these that was changed, where one was.

    Parameters
    ----------
    builder
        The one whose part of the Program ends.
    changes
        The objects from outside that it has changed.
    """
    split = builder.trace.identity.split
    for container in builder.split:
        slot = slot_of(container)
        if slot is None or not slot.same_contents(slot.contents(), split[container].contents):
            return split[container]
    return next((split[container] for container in changes if container in split), None)


def results_refusal(root: Builder, results: Iterable[object]) -> BaseException | None:
    """The exception for a function that has changed one of these, or has two that may be one among its results."""
    split = root.trace.identity.split
    if not split:
        return None
    one = changed(root)
    if one is not None:
        return refusal(one, "changed")
    met = set()
    for one in filter(None, (split.get(slot.target) for slot in Heap(results).slots)):
        if one.group in met:
            return refusal(one, "in two places of what is returned or of an argument")
        met.add(one.group)
    return None


def check_identity(a: object, b: object) -> None:
    """Refuse to say whether two of these are one."""
    split = current().trace.identity.split
    one, other = split.get(a), split.get(b)
    if one is not None and other is not None and one is not other and one.group == other.group:
        raise refusal(one, "compared by identity")


def refusal(one: SplitContainer, done: str) -> BaseException:
    """The exception for a container that is changed, compared or returned.

    It is an error, or starts tracing again where the containers could lie in an arena.
    """
    lists = current().trace.lists
    members = list(_members(one))
    try:
        lists.demand_arenas(site for m in members for site in origins_of(m))
        if all(type(m) is list for m in members):
            lists.demand_growth()
    except Restart as again:
        return again
    name = getattr(type(one.container), "native", type(one.container)).__name__
    return AliasError(
        f"a {name} made in {one.what} is {done}, and two names or items may stand for it, which a run-time condition "
        "decides; make a copy for one of them, or make it before"
    )


def _members(one: SplitContainer) -> Iterator[object]:
    for other in current().trace.identity.split.values():
        if other.group == one.group:
            yield other.container

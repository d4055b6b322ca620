"""One data-flow pass over a function: what is set, what is live, and what regions of the code do with names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.control_flow_graph import Graph, build_graph
from anabranch.transpile.names import Function, Inner, scope_of


class State(Enum):
    """The state of a name when control comes to a point: bound, unbound, or either."""

    SET = "set"
    UNSET = "unset"
    MAYBE = "maybe"


@frozen
class Region:
    """A part of the code that becomes one function (or the two of an `if`): its nodes, and where it is entered.

    An entry that is no node of the region belongs to an empty branch: control goes straight on to it.
    """

    nodes: frozenset[int]
    entries: frozenset[int]

    @property
    def starts(self) -> frozenset[int]:
        """The entries that are nodes of the region; those of empty branches lie behind it."""
        return self.entries & self.nodes or self.entries


class Flow:
    """Definedness and liveness of the names of one function, at every node of its graph."""

    def __init__(self, function: Function) -> None:
        scope = scope_of(function)
        self.scope = scope
        self.graph: Graph
        self.graph, self.inner = build_graph(function)
        self.before = _predecessors(self.graph)
        self.shared = self._shared_names()
        self._add_reads_of_inner()
        self.reached = [False] * len(self.graph.after)
        graph = self.graph
        deleted_inside = self.graph.mask(n for inner in self.inner for n in inner.deletes)
        self.set_in, self.unset_in = self._definedness(graph.writes, graph.deletes, deleted_inside)
        # After a `del` of the user's, the rewritten name is still bound: to an `Undefined`.
        own = [0 if node in graph.unbinding else mask for node, mask in enumerate(graph.deletes)]
        binds = [w | d for w, d in zip(graph.writes, own, strict=True)]
        unbinds = [d & ~o for d, o in zip(graph.deletes, own, strict=True)]
        self.bound_in, self.unbound_in = self._definedness(binds, unbinds)
        self.binds, self.unbinds = binds, unbinds
        self.live_in = self._liveness()
        self.deleted = self.graph.mask(n for u in self.graph.usages for n in u.deletes) | deleted_inside

    # Queries at one point

    def entry(self, node: cst.CSTNode) -> int:
        """The first graph node of a statement or expression."""
        return self.graph.spans[node][0]

    def nodes(self, node: cst.CSTNode) -> range:
        return range(*self.graph.spans[node])

    def state(self, point: int, name: str) -> State:
        """Return the state of `name` when control comes to `point`; code that is never reached counts as bound."""
        bit = self.graph.bits[name]
        return _state(self.set_in[point] & bit, self.unset_in[point] & bit)

    def binding_entering(self, region: Region, name: str) -> State:
        """Return the state of `name` in the rewritten text when control comes to the region from outside."""
        bit = self.graph.bits[name]
        is_set = is_unset = 0
        for entry in region.starts:
            for node in self.before[entry]:
                if node in region.nodes or not self.reached[node]:
                    continue
                is_set |= (self.bound_in[node] | self.binds[node] | self.graph.sometimes[node]) & bit
                is_unset |= (self.unbound_in[node] & ~self.binds[node] | self.unbinds[node]) & bit
            if entry == 1:
                is_set, is_unset = is_set | self.bound_in[1] & bit, is_unset | self.unbound_in[1] & bit
        return _state(is_set, is_unset)

    # Queries on regions; all masks

    def assigned(self, region: Region) -> int:
        """Names written or deleted somewhere in the region that control comes to."""
        found = 0
        for node in region.nodes:
            if self.reached[node]:
                found |= self.graph.writes[node] | self.graph.sometimes[node] | self.graph.deletes[node]
        return found

    def live_at_entry(self, region: Region) -> int:
        found = 0
        for node in region.entries:
            found |= self.live_in[node]
        return found

    def live_at_exit(self, region: Region) -> int:
        """Names live at any edge that leaves the region (an empty branch is such an edge)."""
        found = 0
        for node in region.entries - region.nodes:
            found |= self.live_in[node]
        for node in region.nodes:
            for target in self.graph.after[node]:
                if target not in region.nodes and self.reached[node]:
                    found |= self.live_in[target]
        return found

    def unwritten_on_some_path(self, region: Region, names: int) -> int:
        """Those of `names` that some way through the region leaves as they were."""
        kept = self._unwritten(region, names)
        found = names if region.entries - region.nodes else 0
        for node in region.nodes:
            if any(target not in region.nodes for target in self.graph.after[node]):
                found |= kept[node] & ~self.graph.writes[node] & ~self.graph.deletes[node]
        return found

    def unwritten_on_some_path_to(self, region: Region, point: int, names: int) -> int:
        """Those of `names` that some way from the region's entries to `point` leaves as they were."""
        kept = self._unwritten(region, names)
        return kept.get(point, names)

    def live_in_handlers(self, region: Region) -> int:
        """Names whose value from inside the region is wanted where an exception out of the region goes."""
        written: dict[int, int] = dict.fromkeys(region.nodes, 0)
        work = list(region.nodes)
        while work:
            node = work.pop()
            out = written[node] | self.assigned(Region(frozenset({node}), frozenset()))
            for target in (*self.graph.after[node], *self.graph.raising[node]):
                if target in written and out & ~written[target]:
                    written[target] |= out
                    work.append(target)
        found = 0
        for node in region.nodes:
            if node not in self.graph.calm:
                for target in self.graph.raising[node]:
                    if target not in region.nodes:
                        found |= written[node] & self.live_in[target]
        return found

    def captured(self, region: Region) -> int:
        """Names that an inner function shares in a way that a parameter of the region would cut off."""
        if not self.inner:
            return self.shared
        live = self.graph.mask(n for i in self.inner if i.name for n in [i.name]) & self.live_at_entry(region)
        found = 0
        for inner in self.inner:
            shared = self.graph.mask(inner.reads)
            inside = inner.name is not None and self._used_inside(inner, region)
            if not inside or self.graph.mask([inner.name or ""]) & live:
                found |= shared
        return found | self.shared

    def _used_inside(self, inner: Inner, region: Region) -> bool:
        """Return whether an inner function stands in the region and is only called, and only there."""
        assert inner.name is not None
        if inner.name not in self.scope.locals or not self._only_called(inner):
            return False
        for number, usage in enumerate(self.graph.usages):
            if number not in region.nodes and (inner.name in usage.reads or inner in usage.inner):
                return False
        return True

    def _only_called(self, inner: Inner) -> bool:
        if inner.name is None:
            return False
        for usage in self.graph.usages:
            if inner.name in usage.escapes or any(i is not inner and inner.name in i.reads for i in usage.inner):
                return False
        return True

    def _unwritten(self, region: Region, names: int) -> dict[int, int]:
        kept: dict[int, int] = dict.fromkeys(region.nodes, 0)
        work = [n for n in region.entries if n in kept]
        for node in work:
            kept[node] = names
        while work:
            node = work.pop()
            out = kept[node] & ~self.graph.writes[node] & ~self.graph.deletes[node]
            for target in self.graph.after[node]:
                if target in kept and out & ~kept[target]:
                    kept[target] |= out
                    work.append(target)
            for target in self.graph.raising[node]:
                if target in kept and kept[node] & ~kept[target]:
                    kept[target] |= kept[node]
                    work.append(target)
        return kept

    # The pass itself

    def _shared_names(self) -> int:
        """Names that inner functions write, or parts of expressions that become functions."""
        found = self.graph.mask(n for usage in self.graph.usages for n in usage.apart)
        return found | self._written_inside()

    def _written_inside(self) -> int:
        """Names that inner functions write, whenever they run."""
        return self.graph.mask(n for inner in self.inner for n in inner.writes)

    def _add_reads_of_inner(self) -> None:
        """Inner functions read their names when they run: at each call by name, or, where they escape, at any time."""
        for home, usage in enumerate(self.graph.usages):
            for inner in usage.inner:
                shared = self.graph.mask(inner.reads)
                if self._only_called(inner):
                    places: Iterable[int] = (n for n, u in enumerate(self.graph.usages) if inner.name in u.reads)
                else:
                    places = self._reachable(home)
                for place in places:
                    self.graph.reads[place] |= shared

    def _reachable(self, start: int) -> set[int]:
        seen = {start}
        work = [start]
        while work:
            node = work.pop()
            for target in (*self.graph.after[node], *self.graph.raising[node]):
                if target not in seen:
                    seen.add(target)
                    work.append(target)
        return seen

    def _definedness(
        self, binds: Sequence[int], unbinds: Sequence[int], unbound_anywhen: int = 0
    ) -> tuple[list[int], list[int]]:
        """Per node: names that may be set, and names that may be unset, when control comes to it."""
        graph = self.graph
        count = len(graph.after)
        everything = (1 << len(graph.names)) - 1
        given = graph.mask(self.scope.parameters)
        anywhen = self._written_inside()
        may_set, may_unset = [0] * count, [0] * count
        seen = self.reached
        work = [1] if count > 1 else []
        if work:
            may_set[1], may_unset[1], seen[1] = given | anywhen, everything & ~given | unbound_anywhen, True
        while work:
            node = work.pop()
            writes, deletes = binds[node], unbinds[node] & ~binds[node]
            out_set = (may_set[node] | writes) & ~deletes | graph.sometimes[node] | anywhen
            out_unset = may_unset[node] & ~writes | deletes | unbound_anywhen
            ways = [(t, out_set, out_unset) for t in graph.after[node]]
            ways += [(t, out_set | may_set[node], out_unset | may_unset[node]) for t in graph.raising[node]]
            for target, now_set, now_unset in ways:
                if not seen[target] or now_set & ~may_set[target] or now_unset & ~may_unset[target]:
                    seen[target] = True
                    may_set[target] |= now_set
                    may_unset[target] |= now_unset
                    work.append(target)
        return may_set, may_unset

    def _liveness(self) -> list[int]:
        graph = self.graph
        live = list(graph.reads)
        work = list(range(len(live)))
        while work:
            node = work.pop()
            out = 0
            for target in graph.after[node]:
                out |= live[target]
            now = graph.reads[node] | out & ~graph.writes[node] & ~graph.deletes[node]
            for target in graph.raising[node]:
                now |= live[target]
            if now != live[node]:
                live[node] = now
                work.extend(self.before[node])
        return live


def _state(may_be_set: int, may_be_unset: int) -> State:
    if not may_be_unset:
        return State.SET
    return State.MAYBE if may_be_set else State.UNSET


def _predecessors(graph: Graph) -> list[list[int]]:
    before: list[list[int]] = [[] for _ in graph.after]
    for node, targets in enumerate(graph.after):
        for target in (*targets, *graph.raising[node]):
            before[target].append(node)
    return before

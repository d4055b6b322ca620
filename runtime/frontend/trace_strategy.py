"""Strategies: how a function is traced, and how it is traced instead where that has failed."""

from __future__ import annotations

import dataclasses

from anabranch.base.frozen import frozen
from anabranch.runtime.errors import AliasError, AnabranchError, EscapedTracerError
from anabranch.runtime.tracing.approach import Approach
from anabranch.runtime.tracing.builder import Trace
from anabranch.runtime.tracing.container_state import arena_site

# Where lists have up to so many elements side by side, and something cannot be done with such, they are kept apart.
_RETRIED = 256


@frozen
class Strategy(Approach):
    """How a function is traced; where that does not work out, it is traced again with one thing changed."""

    first: Strategy | None = None  # the one with lists as arrays, of one that tries without

    @staticmethod
    def at_first(lists: bool = False) -> Strategy:
        """The one that everything is tried with first: nothing is ruled out."""
        return Strategy(
            lists=lists,
            array_sites=set(),
            looped=frozenset(),
            table_sites=set(),
            arena_sites=set(),
            arena_classes={},
            unset_attributes={},
            recursive=frozenset(),
        )

    def after(self, trace: Trace) -> Strategy:
        """Return the same with what a trace has found out of functions that call themselves."""
        calls = trace.calls
        return dataclasses.replace(
            self,
            looped=None if calls.looped is None else frozenset(calls.looped),
            recursive=None if calls.recursive is None else frozenset(calls.recursive),
            inlined=dict(calls.inlined),
            spells_joins=self.spells_joins or trace.text.wants_joins,
        )

    def without_arrays(self, trace: Trace) -> Strategy:
        """Return the strategy without lists as arrays."""
        return dataclasses.replace(self.after(trace), lists=False, array_sites=None, unroll_reason=None, first=self)

    def unrolling(self, trace: Trace, error: AnabranchError) -> Strategy:
        """Return the strategy in which loops with lists that grow are unrolled, since staging them has failed so."""
        return dataclasses.replace(self.after(trace), unroll_reason=str(error.args[0]).splitlines()[0])

    def instead(self, trace: Trace, error: AnabranchError) -> Strategy | None:
        """Return the strategy to try where a trace has failed so; None where there is none."""
        if trace.wanted_resumable - self.resumable:
            return dataclasses.replace(self.after(trace), resumable=self.resumable | trace.wanted_resumable)
        more = set(map(arena_site, trace.lists.copied_sites)) - (self.arena_sites or set())
        if self.arena_sites is not None and more and isinstance(error, (AliasError, EscapedTracerError)):
            return dataclasses.replace(self.after(trace), lists=True, arena_sites=self.arena_sites | more)
        escaped = trace.lists.made_before if isinstance(error, EscapedTracerError) else {}
        known, made = self.arena_classes, {**escaped, **trace.lists.made_in_bodies}
        if known is not None and made.keys() - known.keys():
            return dataclasses.replace(self.after(trace), lists=True, arena_classes={**made, **known})
        if trace.identity.is_wanted and not self.tracks_objects:
            return dataclasses.replace(self.after(trace), tracks_objects=True)
        if trace.requests.are_side_by_side:
            return dataclasses.replace(self.after(trace), items_apart=True)
        if self.table_sites or self.arena_sites or self.arena_classes:
            return dataclasses.replace(self.after(trace), table_sites=None, arena_sites=None, arena_classes=None)
        if self.looped:
            return dataclasses.replace(self, looped=None)
        if self.array_sites and trace.lists.in_arrays <= _RETRIED:
            return self.without_arrays(trace)
        if trace.loops.staged_with_dynamic_lists and self.unroll_reason is None:
            return self.unrolling(trace, error)
        return None

    def tracing_constants(self, trace: Trace) -> Strategy | None:
        """Return the strategy in which known arrays are traced; None where it is this, or nothing hangs on it."""
        if self.traces_constants or not trace.constants.are_written:
            return None
        return dataclasses.replace(self.after(trace), traces_constants=True)

    def knowing_items(self, trace: Trace) -> Strategy | None:
        """Return the strategy in which lengths that hang on items of the caller's lists are known; None if none did."""
        if self.knows_items or not trace.requests.hang_on_items:
            return None
        return dataclasses.replace(Strategy.at_first(lists=self.lists), knows_items=True)

    def inlining(self, trace: Trace) -> Strategy | None:
        """Return the strategy in which functions that call themselves are inlined; None where none is staged."""
        return dataclasses.replace(self.after(trace), recursive=None) if trace.calls.recursive else None

    def with_arrays_again(self, trace: Trace) -> Strategy:
        """Return the strategy for arguments of which more is known: lists as arrays were not what it failed of."""
        first = self.first or self
        after = self.after(trace)
        return dataclasses.replace(
            after, lists=first.lists, array_sites=first.array_sites, unroll_reason=None, first=None
        )

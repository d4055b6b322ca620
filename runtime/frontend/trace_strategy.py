"""Approaches: how a function is traced, and how it is traced instead where that has failed."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Hashable

from anabranch.base.frozen import frozen
from anabranch.runtime.errors import AliasError, AnabranchError, EscapedTracerError
from anabranch.runtime.tracing.builder import Trace

# Where lists have up to so many elements side by side, and something cannot be done with such, they are kept apart.
_RETRIED = 256


@frozen
class Approach:
    """How a function is traced; where that does not work out, it is traced again with one thing changed.

    Attributes
    ----------
    lists : bool
        Lists that the function makes may grow to a length known only at run time.
    sites : set, optional
        The places that make lists whose elements are side by side, as they are found; None for no such lists.
    unroll_reason : str, optional
        The reason why loops in which lists grow are unrolled: staging them did not work out.
    looped : frozenset, optional
        The functions that end with a call of themselves and are loops, as they are found; None for no such loops.
    first : Approach, optional
        The approach with lists as arrays, of one that tries without.
    tracks_objects : bool
        Loops carry which object each array of their state is: `is` asks for it.
    table_sites : set, optional
        The places that make dicts and sets whose keys are known only at run time, as they are found; None for no such.
    arena_sites : set, optional
        The places whose lists lie in an arena, as they are found; None for no such.
    arena_classes : dict, optional
        The classes whose instances lie in an arena, with their attributes, as they are found; None for no such.
    """

    lists: bool
    sites: set[Hashable] | None
    unroll_reason: str | None = None
    looped: frozenset[types.CodeType] | None = frozenset()
    first: Approach | None = None
    tracks_objects: bool = False
    table_sites: set[Hashable] | None = dataclasses.field(default_factory=set)
    arena_sites: set[Hashable] | None = dataclasses.field(default_factory=set)
    arena_classes: dict[type, tuple[str, ...]] | None = dataclasses.field(default_factory=dict)

    def after(self, trace: Trace) -> Approach:
        """Return the same with what a trace has found out of functions that call themselves."""
        return dataclasses.replace(self, looped=None if trace.calls.looped is None else frozenset(trace.calls.looped))

    def without_arrays(self, trace: Trace) -> Approach:
        """Return the approach without lists as arrays."""
        return dataclasses.replace(self.after(trace), lists=False, sites=None, unroll_reason=None, first=self)

    def unrolling(self, trace: Trace, error: AnabranchError) -> Approach:
        """Return the approach in which loops with lists that grow are unrolled, since staging them has failed so."""
        return dataclasses.replace(self.after(trace), unroll_reason=str(error.args[0]).splitlines()[0])

    def instead(self, trace: Trace, error: AnabranchError) -> Approach | None:
        """Return the approach to try where a trace has failed so; None where there is none."""
        more = trace.lists.copied_sites - (self.arena_sites or set())
        if self.arena_sites is not None and more and isinstance(error, (AliasError, EscapedTracerError)):
            return dataclasses.replace(self.after(trace), lists=True, arena_sites=self.arena_sites | more)
        if self.arena_classes == {} and trace.lists.made_in_bodies:
            return dataclasses.replace(self.after(trace), lists=True, arena_classes=dict(trace.lists.made_in_bodies))
        if trace.identity.is_wanted and not self.tracks_objects:
            return dataclasses.replace(self.after(trace), tracks_objects=True)
        if self.table_sites or self.arena_sites or self.arena_classes:
            return dataclasses.replace(self.after(trace), table_sites=None, arena_sites=None, arena_classes=None)
        if self.looped:
            return dataclasses.replace(self, looped=None)
        if self.sites and trace.lists.in_arrays <= _RETRIED:
            return self.without_arrays(trace)
        if trace.loops.staged_with_dynamic_lists and self.unroll_reason is None:
            return self.unrolling(trace, error)
        return None

    def with_arrays_again(self, trace: Trace) -> Approach:
        """Return the approach for arguments of which more is known: lists as arrays were not what it failed of."""
        first = self.first or self
        return dataclasses.replace(
            self.after(trace), lists=first.lists, sites=first.sites, unroll_reason=None, first=None
        )

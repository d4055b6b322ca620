"""Where rewritten code stands: the user's function, or a generated function inside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import libcst as cst

from anabranch.transpile.data_flow import Flow, Region, State


@dataclass(slots=True)
class BoundNames:
    """A function of the rewritten text and the names bound in it.

    Parameters
    ----------
    taken : frozenset of str
        Names of the user's source: generated names keep clear of them.
    region : Region or None
        The part of the user's code that stands in this function; None for the user's function itself.
    parameters, shared : frozenset of str
        The generated function's parameters, and the names that it declares nonlocal.
    initialised, top : set of str
        Names given an `Undefined` before a construct, and those given one at the top of the user's function.
    read_unset_names : set of str
        Names read here where they may be unset.
    native_depth : int
        How many try and with blocks stand around the code at hand.
    pending : list of statements
        Definitions to stand before the statement at hand.
    """

    taken: frozenset[str]
    parent: BoundNames | None = None
    region: Region | None = None
    parameters: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    used: set[str] = field(default_factory=set)
    initialised: set[str] = field(default_factory=set)
    top: set[str] = field(default_factory=set)
    read_unset_names: set[str] = field(default_factory=set)
    native_depth: int = 0
    pending: list[cst.SimpleStatementLine | cst.BaseCompoundStatement] = field(default_factory=list)

    def inner(self, region: Region, parameters: Iterable[str], shared: Iterable[str]) -> BoundNames:
        """A generated function in this place."""
        return BoundNames(self.taken, self, region, frozenset(parameters), frozenset(shared))

    def fresh(self, *bases: str) -> tuple[str, ...]:
        """Names on `bases` with one common suffix, new in this function."""
        return self._fresh(bases, self.used)

    def fresh_outwards(self, *bases: str) -> tuple[str, ...]:
        """Names that are new in the functions around this one too: inner functions read them."""
        used: set[str] = set()
        place: BoundNames | None = self
        while place is not None:
            used |= place.used
            place = place.parent
        return self._fresh(bases, used)

    def _fresh(self, bases: tuple[str, ...], used: set[str]) -> tuple[str, ...]:
        count = 1
        names = bases
        while any(n in used or n in self.taken for n in names):
            count += 1
            names = tuple(f"{base.rstrip('_')}_{count}" for base in bases)
        self.used.update(names)
        return names

    def to_initialise(self, flow: Flow, region: Region, names: Iterable[str]) -> list[str]:
        """Those of `names` that need a value right before a construct; others may be noted in `top` for the start."""
        return [n for n in names if self._needs_value(flow, region, n)]

    def read_unset(self, flow: Flow, name: str, deferred: bool) -> None:
        """A name that may be unset is read in this generated function: see that there is something to read."""
        place: BoundNames = self
        bit = flow.graph.bits[name]
        while place.region is not None:
            if name in place.parameters or (flow.assigned(place.region) & bit and name not in place.shared):
                return
            assert place.parent is not None
            place = place.parent
        if name in place.initialised or name in flow.scope.parameters:
            return
        # Python's own check says the same in the function itself, as long as the name is bound somewhere in it.
        (place.top if deferred or place is not self else place.read_unset_names).add(name)

    def _needs_value(self, flow: Flow, region: Region, name: str) -> bool:
        if name in self.initialised:
            return False
        if self.region is None:
            if name in flow.scope.parameters:
                return False
            state = flow.binding_entering(region, name)
            if state is State.SET:
                return False
            self.initialised.add(name)
            # What stands in a try or with block may not run: there the top is the only safe place.
            if state is State.MAYBE or self.native_depth:
                self.top.add(name)
                return False
            return True
        if name in self.parameters or name in self.shared:
            return False
        bit = flow.graph.bits[name]
        # A name that is no parameter here is dead on every way that has not written it: any value will do, once. A
        # second one would be put over what the name holds on the other ways.
        if not any(flow.unwritten_on_some_path_to(self.region, point, bit) for point in region.starts):
            return False
        self.initialised.add(name)
        return True

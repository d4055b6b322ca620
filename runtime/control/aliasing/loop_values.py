"""Arrays of a loop's state that are memory from before the loop: their numbers are carried, and not their elements.

After `y = a if c else b` in a step, y is a or b. Were its elements carried, each step would copy all of them. Its
number says which of the two it is (`loop_identity`), and the memory has the elements: at the start of a step, where the
body or the test looks at them, and after the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from anabranch.runtime.control.aliasing.body_trace import BodyTrace
from anabranch.runtime.control.aliasing.loop_aliasing import LoopAliases
from anabranch.runtime.control.aliasing.loop_sources import EntryArray, OuterArray, Possible
from anabranch.runtime.control.aliasing.points_to import select_last
from anabranch.runtime.ir.program import Atom, Var
from anabranch.runtime.passes.load_forwarding import MOST_CHOSEN
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values import atoms
from anabranch.runtime.values.memory import aliasing, views


class LeavesByNumber:
    """The leaves of a loop's state that are carried by their numbers alone.

    Attributes
    ----------
    leaves : list of int
    read : list of int
        Those of them that a step, or what it leaves, is computed from.
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

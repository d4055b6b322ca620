"""Loops over sequences: staged where they can be, and unrolled where that is cheap or nothing else can be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.grammar import a
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.control.exits import BREAK, NEXT, State, no_value
from anabranch.runtime.control.loops import growth, stage_loops, steps
from anabranch.runtime.control.loops.loop_state import LoopStatement
from anabranch.runtime.control.loops.steps import StateForm
from anabranch.runtime.control.loops.unroll_budget import TooCostlyError, cheaply, may_be_plain, plainly
from anabranch.runtime.control.sequences import stacked_sequences
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.sequences.iterators import Tail
from anabranch.runtime.errors import (
    AliasError,
    AnabranchError,
    ConcretizationError,
    StructureMismatchError,
    UnsupportedOperationError,
)
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.decisions import note, steps as steps_of
from anabranch.runtime.values.dynamic_shapes.length_permission import of_known_lengths
from anabranch.runtime.values.heap.opaque import iterator_in
from anabranch.runtime.values.heap.slots import MovedError
from anabranch.runtime.values.heap.snapshot import Attempt, Errors
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.static_requests import with_static_request

# What says that a loop cannot be staged.
CANNOT = (ConcretizationError, StructureMismatchError, AliasError, UnsupportedOperationError)

# So many characters of a text are gone over one by one, where that adds few equations: what is made of them is known.
FEW_KNOWN = 16

_PLAIN = "all that it works on is known"


def run_counted(
    sequence: Countable, body: Callable[..., object], init: tuple[object, ...], form: StateForm, what: str
) -> State:
    """The state after a loop over a sequence, and what its end raises."""
    loop = _Counted(sequence, body, form, what)
    try:
        state = loop.run((NEXT, no_value, *init))
    except AnabranchError as error:
        with_static_request(error, sequence.length, f"the number of steps of {what}")
        raise
    code = state[0]
    sequence.end(atoms.literal(bool(code >= BREAK)) if isinstance(code, int) else (code >= BREAK).atom)
    return state


class _Counted:
    """A loop over a sequence."""

    def __init__(self, sequence: Countable, body: Callable[..., object], form: StateForm, what: str) -> None:
        self.sequence, self.body, self.form, self.what = sequence, body, form, what
        self.length = sequence.length

    def run(self, state: State) -> State:
        """The state after the loop."""
        if not isinstance(self.length, int):
            return growth.prefer_fixed_lengths(
                lambda: self._staged(state, ""),
                lambda: self._staged(state, _GROWS),
                self.body.__code__,
                self.body,
                state,
            )
        if self.length <= 1:
            return self._unrolled(state, "it has one step at most")
        if (moved := iterator_in(self.body, state)) is not None:
            # An attempt to stage it would move the iterator, which nothing puts back.
            return self._unrolled(state, f"{a(type(moved).__name__)} in it goes on from step to step")
        if current().trace.unrolling.plain is not None:
            return self._unrolled(state, _PLAIN)
        after = (
            self._attempted(state, lambda: plainly(lambda: self._unrolled(state, _PLAIN))) if may_be_plain() else None
        )
        if after is None and self.sequence.is_known and self.length <= FEW_KNOWN:
            after = self._cheaply_unrolled(state, "its few items are known")
        if after is None and self.sequence.has_records:
            # What their texts and numbers say while tracing is known in a step of its own.
            after = self._cheaply_unrolled(state, "its steps, each of a known dict or object, add little")
        if after is None and self.sequence.is_few:
            costly, site = current().trace.loops.costly_steps, self.body.__code__
            if site not in costly and (after := self._cheaply_unrolled(state, "its few steps add little")) is not None:
                return after
            costly.add(site)
            return self._staged_or_unrolled(state)
        return self._of_known_length(state) if after is None else after

    def _staged_or_unrolled(self, state: State) -> State:
        """One loop, in which no list gets another length, else unrolled."""
        lists = current().trace.lists
        before = lists.grow_here, lists.wants_growth, lists.wants_known
        lists.grow_here = False
        try:
            return self._staged(state, "")
        except CANNOT as error:
            why = self._reason(error, state)
        finally:
            lists.grow_here, lists.wants_growth, lists.wants_known = before
        return self._unrolled(state, why)

    def _of_known_length(self, state: State) -> State:
        """One loop; else unrolled if that is cheap; else one loop in which lists grow; else unrolled."""
        trace = current().trace
        grows, unrolls = trace.lists.grow_here, trace.unrolling.reason is not None
        site = self.body.__code__
        failed = trace.loops.fixed_failures.get((site, self.length))
        if failed is not None and not grows:
            # Where a loop around it is unrolled now, what was known only at run time may be known.
            why = self._reason(failed, state)
            if trace.unrolling.limits and (cheap := self._cheaply_unrolled(state, why)) is not None:
                return cheap
            trace.lists.wants_growth = True
            raise failed
        if grows and not unrolls and (site in trace.loops.dynamic_list_sites or failed is not None):
            return self._grown_or_unrolled(state)
        known_why = trace.loops.cheap_unrolls.pop((site, self.length), None)
        if known_why is not None and (cheap := self._cheaply_unrolled(state, known_why)) is not None:
            trace.loops.cheap_unrolls[site, self.length] = known_why
            return cheap
        others, known = trace.lists.wants_growth, trace.lists.wants_known
        trace.lists.grow_here = trace.lists.wants_growth = trace.lists.wants_known = False
        try:
            after = self._staged(state, "")
            trace.lists.wants_growth, trace.lists.wants_known = others, known
            return after
        except CANNOT as error:
            cannot = error
        finally:
            trace.lists.grow_here = grows
        wanted = trace.lists.wants_growth and not trace.lists.wants_known
        trace.lists.wants_growth, trace.lists.wants_known = others, known | (trace.lists.wants_known and not grows)
        why = self._reason(cannot, state)
        if not wanted:
            return self._unrolled(state, why)
        cheap = self._cheaply_unrolled(state, why)
        if cheap is not None:
            trace.loops.cheap_unrolls[site, self.length] = why
            return cheap
        if unrolls:
            trying = self._attempt(state)
            try:
                return self._unrolled(state, f"{why}; with lists of run-time length, {trace.unrolling.reason}")
            except TooCostlyError as error:
                if not grows:
                    raise
                trying.undo()
                trace.unrolling.too_costly = str(error)
            return self._with_growable_lists(state)
        if not grows:
            # A loop around this one is tried without, and fails with this one, which is not to try again.
            trace.lists.wants_growth = True
            trace.loops.fixed_failures[site, self.length] = cannot
            raise cannot
        return self._grown_or_unrolled(state)

    def _reason(self, error: AnabranchError, state: State) -> str:
        """Return why the loop cannot be staged; raises the error where it has changed what nothing puts back."""
        if isinstance(error, MovedError) and error.target in self._attempt(state).heap:
            raise error
        return str(error.args[0]).splitlines()[0]

    def _attempt(self, state: Sequence[object], undone_by: Errors = ()) -> Attempt:
        return Attempt(self.body, self.sequence.holds, state, undone_by=undone_by)

    def _grown_or_unrolled(self, state: State) -> State:
        try:
            return self._with_growable_lists(state)
        except CANNOT as error:
            why = self._reason(error, state)
        return self._unrolled(state, why)

    def _with_growable_lists(self, state: State) -> State:
        after = self._staged(state, _GROWS)
        trace = current().trace
        trace.loops.dynamic_list_sites.add(self.body.__code__)
        trace.loops.staged_with_dynamic_lists.add(self.what)
        return after

    # ---- unrolled ----------------------------------------------------------------------------------------------------

    def _unrolled(self, state: State, why: str) -> State:
        return steps.unroll(self.sequence.steps(), self.body, state, self.form, self.what, why, self.length)

    def _cheaply_unrolled(self, state: State, why: str) -> State | None:
        """The state after the loop if its steps add few equations; else None."""
        number, little = self.length, self.sequence.little
        return self._attempted(state, lambda: cheaply(lambda: self._unrolled(state, why), number, little))

    def _attempted(self, state: State, unroll: Callable[[], State | None]) -> State | None:
        """The state that an attempt to unroll leads to; None where it is given up."""
        trying = self._attempt(state)
        try:
            with of_known_lengths():
                after = unroll()
        except CANNOT:
            after = None
        if after is None:
            trying.undo()
        return after

    # ---- staged ------------------------------------------------------------------------------------------------------

    def _staged(self, state: State, how: str) -> State:
        """As one loop, or the first step on its own and the others as one loop."""
        try:
            after = self._stage(self.sequence, state[2:])
            note("staged", self.what, lambda: f"one loop of {steps_of(self.length)}{how}")
            return after
        except StructureMismatchError as error:
            if error.first_step_of is not self.body.__code__:
                raise
            first = error
        try:
            after = self._stage_peeled(state)
        except StructureMismatchError as error:
            if error.first_step_of is None:
                raise
            raise first from None
        why = f"one loop after its first step, which gives its names the types that they keep{how}"
        note("staged", self.what, lambda: why)
        return after

    def _stage_peeled(self, state: State) -> State:
        """The first step on its own, where it gives the carries the types that they keep."""

        def peeled(body: Callable[..., object] = self.body) -> State:
            # By the defaults a branch finds the lists and objects that the loop changes.
            def rest(left: State, users: Callable[..., Any] = body) -> State:
                return self._stage(Tail(self.sequence), left[2:], True)

            return steps.then(self.form.from_rewritten(body(self.sequence.at(0), *state[2:])), rest, self.what)

        with self._attempt(state, undone_by=CANNOT):
            return steps.either(truth(self.length > 0), lambda: state, peeled, self.what)

    def _stage(self, sequence: Countable, init: tuple[object, ...], peeled: bool = False) -> State:
        def step(index: int | PythonScalar, *carry: Any) -> State:
            after = self.form.from_rewritten(self.body(sequence.at(index), *carry))
            stacked_sequences.check_lent(after, self.body)
            return after

        with self._attempt(init, undone_by=BaseException):
            return stage_loops.stage(
                LoopStatement(
                    body=step,
                    test=None,
                    trip=wrap.as_atom(sequence.length, np.int64),
                    most=interval_of(sequence.length).high,
                    init=init,
                    names=self.form.names,
                    roots=(self.body, self.sequence.holds),
                    site=self.body.__code__,
                    what=self.what,
                    alternates=peeled,
                    peels=isinstance(self.length, int) and not peeled,
                )
            )


_GROWS = ", in which a list grows"

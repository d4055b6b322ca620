"""The `while` statement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.control.exits import BREAK, END, NEXT, State, ended, no_value
from anabranch.runtime.control.if_ import where
from anabranch.runtime.control.loops import growth, stage_loops, steps
from anabranch.runtime.control.loops.counted import CANNOT
from anabranch.runtime.control.loops.loop_state import ConditionWritesError, LoopStatement
from anabranch.runtime.control.loops.steps import StateForm
from anabranch.runtime.control.loops.unroll_budget import Cost, TooCostlyError
from anabranch.runtime.errors import ConcretizationError, StructureMismatchError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values.decisions import note, origin
from anabranch.runtime.values.heap.snapshot import Attempt, Errors

# A loop whose condition stays concrete runs while tracing; after so many steps that compute it is staged if it can be.
_STEPS_BEFORE_STAGING = 16
_SHARE_BEFORE_STAGING = 8  # of the equations that unrolled loops may add
_MADE_BEFORE_STAGING = 2048  # equations, of which nothing is left where all is known: an eighth of a second


def while_(
    test: Callable[..., object],
    body: Callable[..., object],
    init: tuple[object, ...] = (),
    names: Sequence[str] = (),
    exits: Sequence[str] = (),
) -> Value:
    """Run `body` on the carries while `test` holds.

    While the condition and the ways out are concrete the loop runs as Python's; else it becomes a `while` primitive.
    """
    form = StateForm(tuple(names), tuple(exits))
    if not tracing():
        return form.to_rewritten(_run(test, body, init, form))
    return form.to_rewritten(_While(test, body, form).run(init))


def _run(test: Callable[..., object], body: Callable[..., object], init: tuple[object, ...], form: StateForm) -> State:
    state: State = (NEXT, no_value, *init)
    while test(*state[2:]):
        state = form.from_rewritten(body(*state[2:]))
        if state[0] >= BREAK:
            return state
    return (NEXT, no_value, *state[2:])


def staged(
    test: Callable[..., object],
    body: Callable[..., object],
    init: tuple[object, ...],
    form: StateForm,
    site: Callable[..., object],
    what: str = "",
) -> State:
    """The state after a loop with a condition that stands for something else.

    That is a `for` over a list that may grow in it, or what `what` says.
    """
    return _While(test, body, form, site, what).run(init)


class _While:
    def __init__(
        self,
        test: Callable[..., object],
        body: Callable[..., object],
        form: StateForm,
        site: Callable[..., object] | None = None,
        what: str = "",
    ) -> None:
        self.test, self.body, self.form = test, body, form
        self.site = site or body  # the user's
        self.what = what or f"the {'while' if site is None else 'for'} loop at {where(self.site)}"

    def run(self, init: tuple[Value, ...]) -> State:
        state: State = (NEXT, no_value, *init)
        staged_sites = current().trace.loops.staged_sites
        if self.body.__code__ in staged_sites:
            try:
                return self._stage(state)
            except (ConcretizationError, StructureMismatchError):
                pass
        # After so many steps that compute, or so many equations, it is tried to stage the loop; then after twice that.
        unrolling = current().trace.unrolling
        busy, wait, costly = 0, _STEPS_BEFORE_STAGING, settings().unroll_budget // _SHARE_BEFORE_STAGING
        made, worth = unrolling.made, _MADE_BEFORE_STAGING
        cost = Cost(self.what, "its condition is known while tracing")
        begin, start, first = self._attempt(state), state, True
        while True:
            trying = self._attempt(state)
            decided = truth(self.test(*state[2:]))
            if decided is False:
                why = f"its condition is known while tracing: it runs as Python's, {cost.described}"
                note("decided", self.what, why.__str__)
                return (NEXT, no_value, *state[2:])
            if decided is not True:
                trying.undo()
                return self._stage(state)
            due = busy >= wait or cost.equations >= costly or unrolling.made - made >= worth
            if due and first:
                # As a whole, if it can be: the steps so far are forgotten, or done again.
                first, busy, state = False, 0, start
                begin.undo()
                try:
                    return self._stage(state)
                except CANNOT as error:
                    begin.undo()
                    cost, made = Cost(self.what, str(error.args[0]).splitlines()[0]), unrolling.made
                    continue
            if due:
                trying.undo()
                try:
                    return self._stage(state)
                except (ConcretizationError, StructureMismatchError) as error:
                    cost.why = str(error.args[0]).splitlines()[0]
                wait, costly = 2 * wait, 2 * max(costly, cost.equations)
                made, worth = unrolling.made, 2 * worth
                truth(self.test(*state[2:]))  # as before, with what it changes
            after = self.form.from_rewritten(self.body(*state[2:]))
            try:
                cost.count()
            except TooCostlyError:
                if not first:
                    raise
                costly = 0  # it is due before there is another step
            left = truth(after[0] >= BREAK)
            if left is True:
                return after
            if left is not False:
                trying.undo()
                staged_sites.add(self.body.__code__)
                return self._stage(state)
            busy += trying.adds_equations
            state = (NEXT, no_value, *after[2:])

    def _attempt(self, state: State, undone_by: Errors = ()) -> Attempt:
        return Attempt(self.test, self.body, state, undone_by=undone_by)

    def _stage(self, state: State) -> State:
        def staged(why: Callable[[str], str]) -> State:
            after = self._stage_or_peel(state)
            note("staged", self.what, lambda: why(self._origin(state)))
            return after

        return growth.prefer_fixed_lengths(
            lambda: staged(lambda found: f"one loop: how long it goes on hangs on {found}"),
            lambda: staged(lambda found: f"one loop, in which a list grows: how long it goes on hangs on {found}"),
            self.site.__code__,
            self.site,
            state,
        )

    def _stage_or_peel(self, state: State) -> State:
        """As one loop, or the first step on its own and the others as one loop."""
        try:
            return self._stage_all(state)
        except StructureMismatchError as error:
            if error.first_step_of is not self.site.__code__:
                raise
            return self._stage_peeled(state)

    def _origin(self, state: State) -> str:
        trying = self._attempt(state)
        test = truth(self.test(*state[2:]))
        found = "when it is left" if isinstance(test, bool) else origin(test)
        trying.undo()
        return found

    def _stage_peeled(self, state: State) -> State:
        """The first step on its own, where it gives the carries the types that they keep."""

        def peeled(test: Callable[..., object] = self.test, body: Callable[..., object] = self.body) -> State:
            # By the defaults a branch finds the lists and objects that the loop changes.
            def rest(left: State, users: tuple[Value, ...] = (test, body)) -> State:
                return self._stage_all(left, alternates=True)

            return steps.then(self.form.from_rewritten(body(*state[2:])), rest, self.what)

        with self._attempt(state, undone_by=StructureMismatchError):
            return steps.either(truth(self.test(*state[2:])), lambda: state, peeled, self.what)

    def _stage_all(self, state: State, alternates: bool = False) -> State:
        try:
            return self._stage_loop(
                state, self.test, lambda _, *carry: self.form.from_rewritten(self.body(*carry)), alternates
            )
        except ConditionWritesError:
            code, *rest = self._stage_loop(state, None, self._tested_step, alternates)
            return (ended(code), *rest)

    def _tested_step(self, _: object, *carry: object) -> State:
        """A step that begins with the condition, where that changes what the loop carries."""

        # By the defaults a branch finds the lists and objects that the loop changes.
        def step(body: Callable[..., Any] = self.body, carry: tuple[Any, ...] = carry) -> State:
            return self.form.from_rewritten(body(*carry))

        def end(carry: tuple[Any, ...] = carry) -> State:
            return (END, no_value, *carry)

        return steps.either(truth(self.test(*carry)), end, step, self.what)

    def _stage_loop(
        self,
        state: State,
        test: Callable[..., object] | None,
        body: Callable[..., State],
        alternates: bool,
    ) -> State:
        with self._attempt(state, undone_by=BaseException):
            return stage_loops.stage(
                LoopStatement(
                    body=body,
                    test=test,
                    trip=None,
                    most=2**63 - 1,
                    init=tuple(state[2:]),
                    names=self.form.names,
                    roots=(self.test, self.body),
                    site=self.site.__code__,
                    what=self.what,
                    alternates=alternates,
                )
            )

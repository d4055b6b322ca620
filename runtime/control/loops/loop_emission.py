"""The `for`, `for_until` or `while` equation of a loop, from its traced body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.base.by_identity import IdentityDict
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.control.aliasing import loop_aliasing, object_numbers
from anabranch.runtime.control.aliasing.body_trace import BodyTrace
from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.control.branches.truth import truth, truth_value
from anabranch.runtime.control.exits import BREAK
from anabranch.runtime.control.loops.loop_state import INT64, ConditionWritesError, LoopStatement, LoopTypes
from anabranch.runtime.ir.program import Atom, Literal, Program, Var
from anabranch.runtime.ir.rewrite import substitute
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.tracing.builder import Builder, building, current
from anabranch.runtime.tracing.capacity import Overflowed
from anabranch.runtime.tracing.storage import Part
from anabranch.runtime.values import atoms
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.heap import try_regions
from anabranch.runtime.values.pytrees import layout as layouts, pack_unpack


@frozen
class AfterLoop:
    """The state after a loop."""

    leaves: list[Atom]
    firsts: list[Atom]  # what the first step has made of arrays that it replaced
    carried: dict[Var, Atom]  # what has become of each formal that is carried beside the leaves
    count: Atom  # how many steps ran


class Emission:
    """Builds the equation from a traced body."""

    def __init__(
        self,
        outer: Builder,
        loop: LoopStatement,
        types: LoopTypes,
        traced: BodyTrace,
        report: loop_aliasing.LoopAliases,
    ) -> None:
        self.outer, self.loop, self.types, self.traced = outer, loop, types, traced
        self.body = traced.builder
        self.coded = not isinstance(types.layouts[0], layouts.Constant)
        objects = object_numbers.carried(outer, traced)
        self.written = self.body.outer_writes()
        self.fails = self.body.trace.failures.error_code in self.written
        # In a try statement a loop stops where it fails, so that no later step changes what a handler sees. Without
        # capacity for a step's values no later step may loop on what is there instead. And a trip count known only at
        # run time may be too large to go on to.
        unbounded = loop.trip is not None and not isinstance(loop.trip, Literal)
        self.stops_at_failure = self.fails and (unbounded or bool(outer.trace.failures.regions) or self._may_overflow())
        self.counts = loop.trip is not None and not self.coded and not self.stops_at_failure
        self.trip = loop.trip
        if self.counts and loop.trip is not None and outer.trace.capacities:
            # None after a capacity was too small, whatever is asked for.
            self.trip = atoms.select(self._has_failed(), atoms.literal(0, np.int64), loop.trip)
        self.report, self.firsts = report, report.firsts
        report.identities.carry(*self.steps, report.trading)
        possible = report.identities.sources.possible(*self.steps)
        self.by_number = loop_aliasing.LeavesByNumber(report, traced, traced.formals, possible, loop.test is not None)
        self.groups = types.groups.without(self.by_number.leaves)
        self.at_start = self._arrays_at_start()
        with building(self.body):
            traded, numbers = report.traded(self.body)
            ends = [p.atom for p in traced.packed]
            self.outputs = [
                a if isinstance(a, Part) else self.body.resolve(traded.get(k, a)) for k, a in enumerate(ends)
            ]
            self.whole_outputs = [self.body.resolve(a) for a in self.groups.joined(self.outputs)]
            extras = [*map(self._first, self.firsts), *report.identities.extras(), *numbers, *objects]
            self.extra_init = [before for before, _, _ in extras]
            self.extra_inputs = [formal for _, formal, _ in extras]
            self.extra_outputs = [after for _, _, after in extras]
            self.memory_outputs = [self.body.read(s) for s in self.written]
        self.guarded = False

    @property
    def steps(self) -> tuple[int, int | None]:
        """The number of steps that run at least, and the exact one if it is known."""
        exact = int(self.trip.value) if self.counts and isinstance(self.trip, Literal) else None
        return (exact if exact is not None else min(self.loop.least, 1)), exact

    def emit(self, init: list[Atom]) -> AfterLoop:
        """Emit the equation."""
        with building(self.outer):
            carry = self.groups.joined(init) + self.extra_init
            results, steps = self._emit_while(carry) if self.trip is None else self._emit_for(carry, self.trip)
            count = len(self.groups.rows)
            carried: dict[Var, Atom] = dict(zip(self.extra_inputs, results[count:], strict=True))
            leaves = self.groups.spread(results[:count])
            for k, value in self.by_number.after(self.outer.read, steps, carried, init).items():
                leaves[k] = value
        return AfterLoop(leaves, results[count : count + len(self.firsts)], carried, steps)

    def _arrays_at_start(self) -> dict[Atom, Atom]:
        """The first values of a step for the arrays that are carried by number: the body's first equations."""
        end = len(self.body.equations)
        with building(self.body):
            own = {formal: formal for formal in self.report.identities.carried.formals}
            found = self.by_number.at_start(self.body.at_start, self.traced.index, own)
        self.body.move_to_front(end)
        return {self.traced.formals[k]: atom for k, atom in found.items()}

    def _first(self, leaf: int) -> tuple[Atom, Var, Atom]:
        """The array that the first step writes into."""
        array = self.traced.entry[leaf]
        assert array is not None
        formal = self.body.formal(array.storage.type)
        at_start = atoms.ufunc(np.equal, self.traced.index, atoms.literal(0, np.int64))
        return self.traced.init[leaf].atom, formal, atoms.select(at_start, self.body.read(array.storage), formal)

    def _has_failed(self) -> Atom:
        """Return whether something has failed, in the current builder."""
        builder = current()
        code = builder.read(builder.trace.failures.error_code)
        return atoms.ufunc(np.not_equal, code, atoms.literal(0, np.int32))

    def _may_overflow(self) -> bool:
        trace = self.body.trace
        if not trace.capacities:
            return False
        numbers = try_regions.literals(self.body.equations)
        return any(isinstance(f.make, Overflowed) and n in numbers for n, f in enumerate(trace.failures.numbered, 1))

    def _memory_init(self) -> list[Atom]:
        return [self.outer.read(s) for s in self.written]

    def _body_formals(self) -> list[Var]:
        memory = [self.body.storage_inputs.get(s) or Var(s.type) for s in self.written]
        formals = self.traced.formals
        wholes = [formals[row[0]] if len(row) == 1 else formals[row[0]].whole for row in self.groups.rows]  # type: ignore[attr-defined]
        return [*wholes, *self.extra_inputs, *memory]

    def _store(self, after: Sequence[Atom]) -> None:
        for storage, atom in zip(self.written, after, strict=True):
            self.outer.write(storage, atom)

    def _emit_for(self, init: list[Atom], trip: Atom) -> tuple[list[Atom], Atom]:
        """A loop that counts; where a step may end it, it carries whether one has, and how many steps have run."""
        index = self.traced.index
        ends: list[tuple[Atom, Var, Atom]] = []
        if not self.counts:
            fragile = self.stops_at_failure or bool(self.outer.trace.capacities)
            stopped = self._has_failed() if fragile else atoms.literal(False)
            with building(self.body):
                after = atoms.ufunc(np.add, index, atoms.literal(1, np.int64))
                ends = [
                    (stopped, Var(stopped.type), self._has_stopped()),
                    (atoms.literal(0, np.int64), Var(INT64), after),
                ]
        captures = list(self.body.captures)
        memories = [s for s in self.body.storage_inputs if s not in self.body.written]
        fixed = [*(self.body.captures[v] for v in captures), *(self.body.storage_inputs[s] for s in memories)]
        carried = [*(formal for _, formal, _ in ends), *self._body_formals()]
        outputs = [*(after for *_, after in ends), *self.whole_outputs, *self.extra_outputs, *self.memory_outputs]
        program = self._body_program((*fixed, index, *carried), outputs)
        operands = [*map(self.outer.resolve, captures), *map(self.outer.read, memories)]
        carry = [*(before for before, *_ in ends), *init, *self._memory_init()]
        results = list(
            self.outer.bind(
                OPS["for" if self.counts else "for_until"],
                trip,
                *operands,
                *carry,
                body=program,
                consts=len(operands),
                carries=len(carry),
                length=int(trip.value) if isinstance(trip, Literal) else None,
            )
        )
        steps = trip if self.counts else results[1]
        del results[: len(ends)]
        self._store(results[len(init) :])
        return results[: len(init)], steps

    def _body_program(self, inputs: Sequence[Var], outputs: Sequence[Atom]) -> Program:
        """The body, where the memory stands for the arrays that are carried by number."""
        equations = [substitute(e, self.at_start) for e in self.body.equations]
        return Program(tuple(inputs), tuple(equations), tuple([self.at_start.get(a, a) for a in outputs]), "body")

    def _has_stopped(self) -> Atom:
        """Return whether a step ends a loop that counts, in the body's builder."""
        found: Atom = atoms.literal(False)
        if self.coded:
            found = atoms.ufunc(
                np.greater_equal, atoms.convert(self.outputs[0], np.int64), atoms.literal(BREAK, np.int64)
            )
        return atoms.logical_or(found, self._has_failed()) if self.stops_at_failure else found

    def _emit_while(self, init: list[Atom]) -> tuple[list[Atom], Atom]:
        test, verdict = self._trace_test()
        if test.outer_writes():
            return self._emit_inverted(init)
        return self._bind_while(init, test, verdict, self.body, [], [])

    def _trace_test(self) -> tuple[Builder, Atom]:
        """The loop's condition in a builder of its own, on formals like the body's."""
        builder = Builder(self.outer.trace, self.outer)
        count = builder.formal(INT64)  # how many steps have run
        formals = self.groups.formals(builder.formal)
        extras = {formal: builder.formal(formal.type) for formal in self.extra_inputs}
        with building(builder):
            made: list[TracedArray | None] = []
            arrays = self.by_number.at_start(builder.read, count, extras)
            leaves: list[Atom] = list(formals)
            for k in self.by_number.leaves:
                leaves[k] = arrays[k] if k in arrays else atoms.unspecified(self.groups.types[k])
            given = iter(leaves)
            state = [pack_unpack.unpack(t, given, made) for t in self.types.layouts]
            builder.trace.identity.merge_all(made)
            object_numbers.note(made, {k: extras[formal] for k, formal in self.traced.carried.objects.items()})
            verdict = builder.resolve(self._condition(state))
        trace = builder.trace
        counters = {trace.failures.error_code, trace.output.counter, *trace.failures.details.values()}
        memory = {a.storage for a in made if a is not None}.union(builder.outer_writes()) - counters
        if not memory.isdisjoint(builder.written):
            raise ConditionWritesError
        return builder, verdict

    def _condition(self, state: Sequence[object]) -> Atom:
        """Return whether another step runs, in the current builder, from the values of the state."""
        builder = current()
        width = 2 + len(self.loop.init)
        verdict: Atom = atoms.literal(True)
        # Values that a capacity before the loop was too small for might keep it running for ever.
        if self.fails or builder.trace.capacities:
            verdict = atoms.ufunc(np.equal, builder.read(builder.trace.failures.error_code), atoms.literal(0, np.int32))
        if self.coded:
            code = atoms.convert(pack_unpack.pack(state[0], self.types.layouts[0])[0].atom, np.int64)
            verdict = atoms.logical_and(verdict, atoms.ufunc(np.less, code, atoms.literal(BREAK, np.int64)))
        if self.loop.test is None:
            return verdict
        # Not an `Attempt`: the test has a builder of its own, and the body's heap remembers what it may change.
        for slot, contents in zip(self.types.slots, state[width:], strict=True):
            slot.restore(contents)
        heap, test = self.types.heap, self.loop.test
        carry = state[2:width]

        def run() -> Value:
            for slot, contents in zip(self.types.slots, state[width:], strict=True):
                slot.restore(contents)
            verdict = truth_value(test(*carry))
            self._check_test(state[width:])
            return verdict

        if isinstance(verdict, Literal) or not self.guarded:
            decided = truth(run())
        else:
            # A loop that was left does not evaluate its condition again.
            decided = truth(stage_branches.stage(verdict, (lambda: False, run), self.loop.what))
        heap.restore()
        return atoms.logical_and(verdict, atoms.literal(decided) if isinstance(decided, bool) else decided)

    def _check_test(self, contents: Sequence[object]) -> None:
        """Refuse a condition that changes Python objects, which the loop carries only where its body changes them."""
        given = IdentityDict((s.target, c) for s, c in zip(self.types.slots, contents, strict=True))
        for slot in self.types.heap.changes():
            before = slot.same_contents(slot.contents(), given.get(slot.target, slot.before))
            if not before:
                raise ConditionWritesError

    def _bind_while(
        self, init: list[Atom], test: Builder, verdict: Atom, body: Builder, extra_init: list[Atom], extra: list[Atom]
    ) -> tuple[list[Atom], Atom]:
        """`extra` are carries after the rest that only the test looks at (the condition, in the inverted form)."""
        builders = (test, body)
        captures = list(dict.fromkeys(v for b in builders for v in b.captures))
        memories = list(dict.fromkeys(s for b in builders for s in b.storage_inputs if s not in body.written))
        with building(body):
            one = atoms.literal(1, np.int64)
            after = atoms.ufunc(np.add, self.traced.index, one)
        extra_formals = [Var(a.type) for a in extra_init]
        body_inputs = [
            *(body.captures.get(v) or Var(v.type) for v in captures),
            *(body.storage_inputs.get(s) or Var(s.type) for s in memories),
            self.traced.index,
            *self._body_formals(),
            *extra_formals,
        ]
        outputs = [after, *self.whole_outputs, *self.extra_outputs, *self.memory_outputs, *extra]
        body_program = self._body_program(body_inputs, outputs)
        test_extra = [Var(a.type) for a in extra_init]
        test_inputs = [
            *(test.captures.get(v) or Var(v.type) for v in captures),
            *(test.storage_inputs.get(s) or Var(s.type) for s in memories),
            *test.formals,
            *(test.storage_inputs.get(s) or Var(s.type) for s in self.written),
            *test_extra,
        ]
        test_program = Program(
            tuple(test_inputs), tuple(test.equations), (test_extra[0] if test_extra else verdict,), "test"
        )
        operands = [*map(self.outer.resolve, captures), *map(self.outer.read, memories)]
        carry = [atoms.literal(0, np.int64), *init, *self._memory_init(), *extra_init]
        steps, *results = self.outer.bind(
            OPS["while"], *operands, *carry, test=test_program, body=body_program, consts=len(operands)
        )
        self._store(results[len(init) : len(init) + len(self.written)])
        return results[: len(init)], steps

    def _emit_inverted(self, init: list[Atom]) -> tuple[list[Atom], Atom]:
        """A condition that can raise or write: evaluated before the loop, and again at the end of each step."""
        self.guarded = True
        with building(self.outer):
            first = self._condition(self.types.init)
        with building(self.body):
            again: Atom = atoms.literal(False)
            if self.traced.out is not None:
                again = self._condition(self.traced.out)
            self.written = self.body.outer_writes()
            error = self.body.trace.failures.error_code
            if error in self.written:
                fine = atoms.ufunc(np.equal, self.body.read(error), atoms.literal(0, np.int32))
                again = atoms.logical_and(again, fine)
            self.memory_outputs = [self.body.read(s) for s in self.written]
        bare = Builder(self.outer.trace, self.outer)
        bare.formal(INT64)
        self.groups.formals(bare.formal)
        for formal in self.extra_inputs:
            bare.formal(formal.type)
        return self._bind_while(init, bare, atoms.literal(True), self.body, [first], [again])

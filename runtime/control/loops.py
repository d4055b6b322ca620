"""Staging loops: the body is traced until the types of what it carries no longer change, then it becomes one primitive.

The state of a loop is a row of values: how it was left (exit code, returned value), the carried names, and the
contents of
the Python objects that the body changes. Arrays that the body only writes to in place are no part of the state; their
memory is carried by identity.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.control import branches, loop_aliasing
from anabranch.runtime.control.branches import trace_branch
from anabranch.runtime.control.exits import BREAK, CONTINUE, NEXT, no_value
from anabranch.runtime.control.merging import MISSING
from anabranch.runtime.control.truth import truth, truth_value
from anabranch.runtime.errors import StructureMismatchError, UnsupportedOperationError
from anabranch.runtime.ir import ArrayType, Atom, Literal, Program, Var
from anabranch.runtime.ops.op import Op
from anabranch.runtime.trace import Builder, building, current
from anabranch.runtime.values import atoms, containers, layout as layouts
from anabranch.runtime.values.array import Array
from anabranch.runtime.values.heap import Heap, Slot
from anabranch.runtime.values.interval import Interval
from anabranch.runtime.values.python_scalar import python_scalar
from anabranch.runtime.values.undefined import Undefined

_MOST_ATTEMPTS = 24
_INT64 = ArrayType((), np.dtype(np.int64))


@dataclasses.dataclass(frozen=True, slots=True)
class Loop:
    """What a loop statement is.

    `body(index, *carry)` gives the whole state after one step, exit code and returned value first; `test(*carry)` is
    None
    for a loop that only counts. `trip` is None for a loop that only tests.
    """

    body: Callable[..., tuple[Any, ...]]
    test: Callable[..., Any] | None
    trip: Atom | None
    most: int  # the trip count is at most this
    init: tuple[Any, ...]
    names: tuple[str, ...]
    roots: tuple[Any, ...]
    site: Any  # the generated body's code object: what earlier traces learned is kept by it
    what: str

    @property
    def least(self) -> int:
        """The loop runs at least so often."""
        return int(self.trip.value) if isinstance(self.trip, Literal) else 0


@dataclasses.dataclass(slots=True)
class Traced:
    """One trace of a loop's body: for each entry of the state, its formals and the arrays that the body saw."""

    builder: Builder
    index: Var
    count: Var
    formals_of: list[list[Var]]
    entry_of: list[list[Array | None]]
    out: tuple[Any, ...] | None = None  # None where every path of the body raises
    packed: list[layouts.Packed] = dataclasses.field(default_factory=list)

    @property
    def formals(self) -> list[Var]:
        return [f for row in self.formals_of for f in row]

    @property
    def entry(self) -> list[Array | None]:
        return [a for row in self.entry_of for a in row]


class _Types:
    """The layouts of a loop's state and the slots in it, as they settle."""

    def __init__(self, loop: Loop, heap: Heap) -> None:
        self.loop = loop
        self.heap = heap
        self.slots: list[Slot] = []
        self.held: set[int] = set()
        self.init: list[Any] = [NEXT, Undefined(no_value.name), *map(_fresh_undefined, loop.init)]
        self.layouts: list[layouts.Layout] = [layouts.Held(NEXT), layouts.Held(self.init[1])]
        self.layouts += [layouts.presumed(layouts.describe(v)) for v in self.init[2:]]
        known = current().trace.slot_hints.get(loop.site, set())
        self.add_slots([s for key, s in heap.slots.items() if key in known])

    def add_slots(self, slots: Sequence[Slot]) -> None:
        for slot in slots:
            self.slots.append(slot)
            self.init.append(slot.before)
            self.layouts.append(_presumed_contents(slot.before))

    def hold(self, positions: Sequence[int]) -> None:
        """Let the body see these state entries' own handles instead of fresh ones."""
        for i in positions:
            self.held.add(i)
            self.layouts[i] = layouts.describe(self.init[i])

    def name(self, position: int) -> str:
        names = ("exit code", "returned value", *self.loop.names)
        if position < len(names):
            return names[position]
        target = self.slots[position - len(names)].target
        return f"the contents of a {type(target).__name__}"


def _fresh_undefined(value: Any) -> Any:
    return Undefined(value.name) if isinstance(value, Undefined) else value


def _presumed_contents(contents: Any) -> layouts.Layout:
    described = layouts.describe(contents)
    if isinstance(described, layouts.Node):
        return layouts.Node(described.structure, tuple(map(layouts.presumed, described.children)))
    return described


def stage(loop: Loop) -> tuple[Any, ...]:
    """Run a loop at run time; gives the exit code, the returned value and the carries after it."""
    outer = current()
    types = _Types(loop, Heap((*loop.roots, *loop.init, *outer.trace.roots), watch_arrays=True))
    for _ in range(_MOST_ATTEMPTS):
        traced = _trace_body(outer, loop, types)
        if traced is None:
            continue
        report = loop_aliasing.inspect(outer, traced, _initial(outer, types), loop)
        if report.conflicts:
            positions = _positions(types, report.conflicts)
            if positions <= types.held:
                raise loop_aliasing.refusal(types.name(min(positions)), loop.what)
            types.hold(sorted(positions))
            continue
        return _finish(outer, loop, types, traced, report)
    raise StructureMismatchError(f"the types carried by {loop.what} change at every step")


def _positions(types: _Types, leaves: set[int]) -> set[int]:
    """The state entries that these leaves belong to."""
    found, at = set(), 0
    for i, layout in enumerate(types.layouts):
        width = len(layouts.leaf_types(layout))
        if leaves & set(range(at, at + width)):
            found.add(i)
        at += width
    if not found:
        raise AssertionError("a conflict in no carry")
    return found


def _initial(outer: Builder, types: _Types) -> list[layouts.Packed]:
    with building(outer):
        return [p for v, t in zip(types.init, types.layouts, strict=True) for p in layouts.pack(v, t)]


def _trace_body(outer: Builder, loop: Loop, types: _Types) -> Traced | None:
    """Trace the body once; None when that showed that the state's types must be wider."""
    inner = Builder(outer.trace, outer)
    outer.trace.loop_traces += 1
    traced = Traced(inner, inner.formal(_INT64), inner.formal(_INT64), [], [])
    width = 2 + len(loop.init)
    values = []
    with building(inner):
        for layout in types.layouts:
            traced.formals_of.append([inner.formal(t) for t in layouts.leaf_types(layout)])
            traced.entry_of.append([])
            values.append(layouts.unpack(layout, iter(traced.formals_of[-1]), traced.entry_of[-1]))
        position = python_scalar(traced.index, Interval(0, max(loop.most - 1, 0)))
    for slot, contents in zip(types.slots, values[width:], strict=True):
        slot.restore(contents)
    outcome = trace_branch(inner, types.heap, lambda: loop.body(position, *values[2:width]))
    new = [types.heap.slots[key] for key in outcome.changes if types.heap.slots[key] not in types.slots]
    if new:
        outer.trace.slot_hints.setdefault(loop.site, set()).update(id(s.target) for s in new)
        types.add_slots(new)
        return None
    if outcome.value is MISSING:
        traced.packed = [layouts.Packed(f) for f in traced.formals]
        return traced
    kept = zip(types.slots, values[width:], strict=True)
    out = [*outcome.value, *(outcome.changes.get(id(s.target), v) for s, v in kept)]
    if not _settle(outer, traced, loop, types, out):
        return None
    with building(inner):
        traced.packed = [p for v, t in zip(out, types.layouts, strict=True) for p in layouts.pack(v, t)]
    traced.out = tuple(out)
    return traced


def _settle(outer: Builder, traced: Traced, loop: Loop, types: _Types, out: Sequence[Any]) -> bool:
    """Widen the layouts to hold what the body gave; whether the trace stays good."""
    stays = layouts.belongs_outside(outer)
    settled = True
    for i, value in enumerate(out):
        before = types.layouts[i]
        if i == 0 and isinstance(value, int) and value in (NEXT, CONTINUE) and isinstance(before, layouts.Held):
            continue  # fell through or continued: nothing to remember
        after = layouts.join(before, layouts.describe(value, types.heap.__contains__))
        after = layouts.widened(layouts.staged(after, stays))
        _check_growth(types, i, after, loop)
        if after == before:
            continue
        types.layouts[i] = after
        if i >= 2 and not _unread(before, value):
            settled = False
            continue
        # The body never looks at what it was given here, so the trace is good with formals that it does not use.
        traced.formals_of[i] = [traced.builder.formal(t) for t in layouts.leaf_types(after)]
        traced.entry_of[i] = [None] * len(traced.formals_of[i])
    return settled


def _unread(before: layouts.Layout, value: Any) -> bool:
    """Whether an entry starts unset, and the body sets it on every path without reading it."""
    if not (isinstance(before, layouts.Held) and isinstance(before.value, Undefined)) or before.value.read:
        return False
    return not any(isinstance(o, Undefined) for o in getattr(value, "options", (value,)))


def _check_growth(types: _Types, i: int, after: layouts.Layout, loop: Loop) -> None:
    """A container that changes its size or keys at each step has no type."""
    if not isinstance(after, layouts.Choice):
        return
    nodes = [
        o for o in after.options if isinstance(o, layouts.Node) and issubclass(o.structure.cls, (list, dict, tuple))
    ]
    shapes = [o for o in after.options if layouts.numeric(o) is not None]
    if len(nodes) > 1 and len({n.structure.cls for n in nodes}) < len(nodes):
        raise StructureMismatchError(
            f"{types.name(i)} has {len(nodes[0].children)} elements before a step of {loop.what} and "
            f"{len(nodes[-1].children)} after it; a container that grows in a run-time loop has no static size"
        )
    if len(shapes) > 1:
        first, last = (str(layouts.numeric(s)) for s in (shapes[0], shapes[-1]))
        raise StructureMismatchError(
            f"'{types.name(i)}' is {first} before a step of {loop.what} and {last} after it; its shape must not change"
        )


def _finish(outer: Builder, loop: Loop, types: _Types, traced: Traced, report: loop_aliasing.Report) -> tuple[Any, ...]:
    """Emit the primitive and give the values after the loop."""
    init = _initial(outer, types)
    plan = _Emission(outer, loop, types, traced, report)
    results, count = plan.emit([p.atom for p in init])
    made: list[Array | None] = []
    whole = layouts.Node(containers.structure_of(tuple(types.init)), tuple(types.layouts))  # type: ignore[arg-type]
    layouts.unpack(whole, iter(results), made)
    kept = loop_aliasing.after(outer, report, made, init, results, count, loop.least)
    arrays = {k: kept.get(k, a) for k, a in enumerate(made) if a is not None}
    values = list(layouts.unpack(whole, iter(results), [], arrays))
    width = 2 + len(loop.init)
    for slot, contents in zip(types.slots, values[width:], strict=True):
        slot.restore(contents)
    del values[width:]
    if loop.least >= 1 and traced.out is not None:
        values = [_surely_set(v, o) for v, o in zip(values, traced.out, strict=False)]
    return tuple(values)


def _surely_set(value: Any, out: Any) -> Any:
    """After at least one step that sets a name, the name is set."""
    options = getattr(value, "options", None)
    if (
        options is None
        or isinstance(out, Undefined)
        or any(isinstance(o, Undefined) for o in getattr(out, "options", ()))
    ):
        return value
    return value.assuming([o for o in options if not isinstance(o, Undefined)])


class _Emission:
    """Builds the `for` or `while` equation from a traced body."""

    def __init__(self, outer: Builder, loop: Loop, types: _Types, traced: Traced, report: loop_aliasing.Report) -> None:
        self.outer, self.loop, self.types, self.traced = outer, loop, types, traced
        self.body = traced.builder
        self.coded = not isinstance(types.layouts[0], layouts.Held)
        self.written = self.body.outer_writes()
        self.firsts = report.firsts
        with building(self.body):
            self.outputs = [self.body.resolve(p.atom) for p in traced.packed]
            self.first_inputs, self.first_outputs = [], []
            for leaf in self.firsts:
                array = traced.entry[leaf]
                assert array is not None
                formal = self.body.formal(array.storage.type)
                at_start = atoms.ufunc(np.equal, traced.count, atoms.literal(0, np.int64))
                self.first_inputs.append(formal)
                self.first_outputs.append(atoms.select(at_start, self.body.read(array.storage), formal))
            self.memory_outputs = [self.body.read(s) for s in self.written]
        self.fails = self.body.trace.error_code in self.written
        self.guarded = False

    def emit(self, init: list[Atom]) -> tuple[list[Atom], Atom]:
        """The leaves after the loop (then the first-step memories), and how many steps ran."""
        init = init + [self._first_init(k) for k in self.firsts]
        if self.loop.test is None and not self.coded:
            return self._emit_for(init)
        return self._emit_while(init)

    def _first_init(self, leaf: int) -> Atom:
        return _initial(self.outer, self.types)[leaf].atom

    def _memory_init(self) -> list[Atom]:
        return [self.outer.read(s) for s in self.written]

    def _body_formals(self) -> list[Var]:
        memory = [self.body.storage_inputs.get(s) or Var(s.type) for s in self.written]
        return [*self.traced.formals, *self.first_inputs, *memory]

    def _store(self, after: Sequence[Atom]) -> None:
        for storage, atom in zip(self.written, after, strict=True):
            self.outer.write(storage, atom)

    def _emit_for(self, init: list[Atom]) -> tuple[list[Atom], Atom]:
        trip = self.loop.trip
        assert trip is not None
        captures = list(self.body.captures)
        memories = [s for s in self.body.storage_inputs if s not in self.body.written]
        index, equations = self.traced.index, self.body.equations
        inputs = [*(self.body.captures[v] for v in captures), *(self.body.storage_inputs[s] for s in memories), index]
        outputs = [*self.outputs, *self.first_outputs, *self.memory_outputs]
        # The count of steps that ran and the index are one thing here.
        rename = {self.traced.count: index}
        program = Program(
            (*inputs, *self._body_formals()), tuple(_renamed(e, rename) for e in equations), tuple(outputs), "body"
        )
        operands = [*map(self.outer.resolve, captures), *map(self.outer.read, memories)]
        carry = [*init, *self._memory_init()]
        length = int(trip.value) if isinstance(trip, Literal) else None
        results = list(
            self.outer.bind(
                Op.table["for"],
                trip,
                *operands,
                *carry,
                body=program,
                consts=len(operands),
                carries=len(carry),
                length=length,
            )
        )
        self._store(results[len(init) :])
        return results[: len(init)], trip

    def _emit_while(self, init: list[Atom]) -> tuple[list[Atom], Atom]:
        test, verdict = self._trace_test()
        if test.outer_writes():
            return self._emit_inverted(init)
        return self._bind_while(init, test, verdict, self.body, [], [])

    def _trace_test(self) -> tuple[Builder, Atom]:
        """The loop's condition in a builder of its own, on formals like the body's."""
        builder = Builder(self.outer.trace, self.outer)
        count = builder.formal(_INT64)
        formals = [builder.formal(f.type) for f in self.traced.formals]
        with building(builder):
            made: list[Array | None] = []
            given = iter(formals)
            state = [layouts.unpack(t, given, made) for t in self.types.layouts]
            verdict = builder.resolve(self._condition(state, count))
        return builder, verdict

    def _condition(self, state: Sequence[Any], count: Atom) -> Atom:
        """Whether another step runs, in the current builder, from the values of the state."""
        builder = current()
        width = 2 + len(self.loop.init)
        verdict: Atom = atoms.literal(True)
        if self.fails:
            verdict = atoms.ufunc(np.equal, builder.read(builder.trace.error_code), atoms.literal(0, np.int32))
        if self.coded:
            code = atoms.convert(layouts.pack(state[0], self.types.layouts[0])[0].atom, np.int64)
            verdict = atoms.logical_and(verdict, atoms.ufunc(np.less, code, atoms.literal(BREAK, np.int64)))
        if self.loop.trip is not None:
            verdict = atoms.logical_and(verdict, atoms.ufunc(np.less, count, builder.resolve(self.loop.trip)))
        if self.loop.test is None:
            return verdict
        for slot, contents in zip(self.types.slots, state[width:], strict=True):
            slot.restore(contents)
        heap, test = self.types.heap, self.loop.test
        carry = state[2:width]

        def run() -> Any:
            for slot, contents in zip(self.types.slots, state[width:], strict=True):
                slot.restore(contents)
            verdict = truth_value(test(*carry))
            self._check_test(state[width:])
            return verdict

        if isinstance(verdict, Literal) or not self.guarded:
            decided = truth(run())
        else:
            # A loop that was left does not evaluate its condition again.
            decided = truth(branches.stage(verdict, (lambda: False, run), (), self.loop.what))
        heap.restore()
        return atoms.logical_and(verdict, atoms.literal(decided) if isinstance(decided, bool) else decided)

    def _check_test(self, contents: Sequence[Any]) -> None:
        """Refuse a condition that changes Python objects: the loop carries only what its body changes."""
        given = {id(s.target): c for s, c in zip(self.types.slots, contents, strict=True)}
        for slot in self.types.heap.changes():
            before = Slot.same_contents(slot.contents(), given.get(id(slot.target), slot.before))
            if not before:
                raise UnsupportedOperationError(
                    f"the condition of {self.loop.what} changes a {type(slot.target).__name__}; do that in its body"
                )

    def _bind_while(
        self, init: list[Atom], test: Builder, verdict: Atom, body: Builder, extra_init: list[Atom], extra: list[Atom]
    ) -> tuple[list[Atom], Atom]:
        """`extra` are carries after the rest that only the test looks at (the condition, in the inverted form)."""
        builders = (test, body)
        captures = list(dict.fromkeys(v for b in builders for v in b.captures))
        memories = list(dict.fromkeys(s for b in builders for s in b.storage_inputs if s not in body.written))
        with building(body):
            one = atoms.literal(1, np.int64)
            after = atoms.ufunc(np.add, self.traced.count, one)
        count, rename = self.traced.count, {self.traced.index: self.traced.count}
        extra_formals = [Var(a.type) for a in extra_init]
        body_inputs = [
            *(body.captures.get(v) or Var(v.type) for v in captures),
            *(body.storage_inputs.get(s) or Var(s.type) for s in memories),
            count,
            *self._body_formals(),
            *extra_formals,
        ]
        outputs = [after, *self.outputs, *self.first_outputs, *self.memory_outputs, *extra]
        body_program = Program(
            tuple(body_inputs),
            tuple(_renamed(e, rename) for e in body.equations),
            tuple(_rename(a, rename) for a in outputs),
            "body",
        )
        test_extra = [Var(a.type) for a in extra_init]
        test_inputs = [
            *(test.captures.get(v) or Var(v.type) for v in captures),
            *(test.storage_inputs.get(s) or Var(s.type) for s in memories),
            *test.formals,
            *(Var(f.type) for f in self.first_inputs),
            *(test.storage_inputs.get(s) or Var(s.type) for s in self.written),
            *test_extra,
        ]
        test_program = Program(
            tuple(test_inputs), tuple(test.equations), (test_extra[0] if test_extra else verdict,), "test"
        )
        operands = [*map(self.outer.resolve, captures), *map(self.outer.read, memories)]
        carry = [atoms.literal(0, np.int64), *init, *self._memory_init(), *extra_init]
        steps, *results = self.outer.bind(
            Op.table["while"], *operands, *carry, test=test_program, body=body_program, consts=len(operands)
        )
        self._store(results[len(init) : len(init) + len(self.written)])
        return results[: len(init)], steps

    def _emit_inverted(self, init: list[Atom]) -> tuple[list[Atom], Atom]:
        """A condition that can raise or write: evaluated before the loop, and again at the end of each step."""
        self.guarded = True
        with building(self.outer):
            first = self._condition(self.types.init, atoms.literal(0, np.int64))
        with building(self.body):
            steps = atoms.ufunc(np.add, self.traced.count, atoms.literal(1, np.int64))
            again: Atom = atoms.literal(False)
            if self.traced.out is not None:
                again = self._condition(self.traced.out, steps)
            self.written = self.body.outer_writes()
            error = self.body.trace.error_code
            if error in self.written:
                fine = atoms.ufunc(np.equal, self.body.read(error), atoms.literal(0, np.int32))
                again = atoms.logical_and(again, fine)
            self.memory_outputs = [self.body.read(s) for s in self.written]
        bare = Builder(self.outer.trace, self.outer)
        bare.formal(_INT64)
        for formal in self.traced.formals:
            bare.formal(formal.type)
        return self._bind_while(init, bare, atoms.literal(True), self.body, [first], [again])


def _rename(atom: Atom, rename: dict[Var, Var]) -> Atom:
    return rename.get(atom, atom) if isinstance(atom, Var) else atom


def _renamed(equation: Any, rename: dict[Var, Var]) -> Any:
    if not any(a in rename for a in equation.inputs if isinstance(a, Var)):
        return equation
    return dataclasses.replace(equation, inputs=tuple(_rename(a, rename) for a in equation.inputs))

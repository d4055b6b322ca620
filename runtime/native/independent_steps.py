"""Loops whose steps may be taken in any order, and several at a time: each writes rows of arrays that are its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from anabranch.runtime.ir.interval import Interval, exactly
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var, all_equations
from anabranch.runtime.native.affine import Affine, Span
from anabranch.runtime.native.array_stores import ArrayStores
from anabranch.runtime.native.durations import likely_work, most_trips
from anabranch.runtime.native.element_loops import ElementLoops
from anabranch.runtime.native.failures import FailureValues
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.lazy_arrays import LazyArrays
from anabranch.runtime.native.llvm_types import NotNativeError, is_memory
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.native.memory_flow import Steps
from anabranch.runtime.native.obstacles import is_long_sort
from anabranch.runtime.native.shares import is_enough
from anabranch.runtime.ops.control import For
from anabranch.runtime.ops.elementwise.arithmetic import add, multiply
from anabranch.runtime.ops.indexing import dynamic_slice, dynamic_update_slice
from anabranch.runtime.ops.structured import Branches, Slot, StructuredOp
from anabranch.runtime.ops.vector_lanes import split
from anabranch.runtime.ops.windowed_reduce import windowed_reduce
from anabranch.runtime.ops.windowed_update import completed, windowed_update
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

# Bytes of all arrays that a step makes: they are a thread's own, on its stack.
_MOST_BYTES = 2**16


class _Counted(NamedTuple):
    """A position that is a multiple of the counter, and from `first` to `last` more."""

    factor: int
    first: int
    last: int


class _Access(NamedTuple):
    """A block of an array."""

    sizes: Sequence[int]
    starts: Sequence[Atom]


def are_independent(equation: Equation, steps: float, ranges: Mapping[Var, Interval]) -> bool:
    """Return whether no step of a `for`, of so many at most, touches what another one writes.

    So it is where each carry that changes is an array of which a step reads and writes one block of rows alone, which
    goes with the loop's counter along an axis.
    """
    op = equation.op
    if type(op) is not For:
        return False
    body: Program = equation.params["body"]
    slots = op.slots(equation)
    counter = body.inputs[equation.params["consts"]]
    rows: set[Atom] = set()
    for slot in slots:
        if not slot.is_carry:
            if slot.result is not None or (slot.operand is not None and not _is_same(equation, body, slot)):
                return False
            continue
        assert slot.formal is not None
        assert slot.yielded is not None
        formal = body.inputs[slot.formal]
        if body.outputs[slot.yielded] is formal and not _is_changed(body, formal):
            continue
        walk = _Rows(steps, ranges)
        own: set[Atom] = {formal}
        if (
            formal.type.size <= MOST_ELEMENTS  # it is in registers
            or not walk.keeps_to(body, own, {counter: _Counted(1, 0, 0)})
            or body.outputs[slot.yielded] not in own
        ):
            return False
        rows |= walk.found
    # For functions of this process there is Python's lock.
    calls_python = any(e.op.is_host_call or is_long_sort(e) for e in all_equations(body.equations))
    return _bytes_made(body, rows) <= _MOST_BYTES and not calls_python


def _is_same(equation: Equation, program: Program, slot: Slot) -> bool:
    """Return whether an operand of a structured equation is what its Program gets, and not a row of it."""
    assert slot.operand is not None
    assert slot.formal is not None
    return equation.inputs[slot.operand].type == program.inputs[slot.formal].type


def _is_changed(program: Program, formal: Var) -> bool:
    """Return whether an equation may write to an array that is what it was at the end."""
    return any(
        formal in equation.inputs and (equation.op.update is not None or isinstance(equation.op, StructuredOp))
        for equation in program.equations
    )


def _bytes_made(program: Program, rows: set[Atom]) -> int:
    """The bytes of all arrays that equations make, apart from those in place."""
    made = sum(v.type.nbytes for e in program.equations for v in e.outputs if v.type.size > 1 and v not in rows)
    return made + sum(_bytes_made(inner, rows) for e in program.equations for inner in e.programs())


class _Rows:
    """The walk along all that is done with an array in a step."""

    def __init__(self, steps: float, ranges: Mapping[Var, Interval]) -> None:
        self._steps, self._ranges = steps, ranges
        self.found: set[Atom] = set()  # the array in all its states
        # The axes and the factors of the counter, and the block in which the accesses of the step 0 lie there.
        self._places: Mapping[tuple[int, int], tuple[int, int]] | None = None

    def keeps_to(self, program: Program, own: set[Atom], counters: Mapping[Atom, _Counted]) -> bool:
        """Return whether a Program touches one block of an array alone, by the places that have been found so far.

        Parameters
        ----------
        own
            The array where the Program begins; gets all its states.
        counters
            The positions that go with the loop's counter.
        """
        known = dict(counters)
        # The states that have been written over: to read one later on takes a copy of the whole array.
        gone: set[Atom] = set()
        for equation in program.equations:
            self._note(equation, known)
            read = own.intersection(a for a in equation.inputs if isinstance(a, Var))
            if not read:
                continue
            if not gone.isdisjoint(read):
                return False
            if isinstance(equation.op, StructuredOp):
                if not self._keeps_within(equation, equation.op, own, known):
                    return False
            elif not self._is_row(equation, own, known):
                return False
            if not own.isdisjoint(equation.outputs):
                gone |= read
        self.found |= own
        return gone.isdisjoint(program.outputs)

    def _note(self, equation: Equation, known: dict[Atom, _Counted]) -> None:
        """Take note of a position that goes with the counter."""
        if equation.op not in (add, multiply):
            return
        for atom, other in (equation.inputs, equation.inputs[::-1]):
            at, more = known.get(atom), _interval(other, self._ranges)
            if at is None or more is None:
                continue
            if equation.op is add:
                known[equation.outputs[0]] = _Counted(at.factor, at.first + more.low, at.last + more.high)
            elif more.low == more.high and more.low > 0:
                known[equation.outputs[0]] = _Counted(*(number * more.low for number in at))

    def _is_row(self, equation: Equation, own: set[Atom], known: Mapping[Atom, _Counted]) -> bool:
        accesses = _accesses(equation, own)
        for array, access in accesses:
            places = {}
            for axis, (start, size, n) in enumerate(zip(access.starts, access.sizes, array.type.shape, strict=True)):
                at = known.get(start)
                if at is not None and at.first >= 0 and (self._steps - 1) * at.factor + at.last + size <= n:
                    places[axis, at.factor] = (at.first, at.last + size)
            self._meet(places)
        return bool(accesses and self._places)

    def _meet(self, places: Mapping[tuple[int, int], tuple[int, int]]) -> None:
        """Keep the axes along which all accesses of a step lie in one block, next to that of the next step."""
        before = places if self._places is None else self._places
        met = {
            key: (min(low, before[key][0]), max(high, before[key][1]))
            for key, (low, high) in places.items()
            if key in before
        }
        self._places = {key: (low, high) for key, (low, high) in met.items() if high - low <= key[1]}

    def _keeps_within(
        self, equation: Equation, op: StructuredOp, own: set[Atom], known: Mapping[Atom, _Counted]
    ) -> bool:
        """Return whether the Programs of an equation keep to the row."""
        slots, results = op.slots(equation), op.results(equation.params)
        if any(equation.inputs[i] in own for i in op.controls):
            return False
        inside: list[set[Atom]] = []
        for program in equation.programs():
            formals: set[Atom] = set()
            counters: dict[Atom, _Counted] = {}
            for slot in slots:
                if slot.operand is None or slot.formal is None:
                    continue
                atom, formal = equation.inputs[slot.operand], program.inputs[slot.formal]
                if atom in own:
                    if not _is_same(equation, program, slot):
                        return False
                    formals.add(formal)
                elif atom in known and not slot.is_carry:
                    counters[formal] = known[atom]
            if not self.keeps_to(program, formals, counters):
                return False
            if any(program is result for result in results):
                inside.append(formals)
            elif not formals.isdisjoint(program.outputs):
                return False
        for slot in slots:
            if slot.yielded is None:
                continue
            are_own = [program.outputs[slot.yielded] in states for program, states in zip(results, inside, strict=True)]
            is_own = slot.operand is not None and equation.inputs[slot.operand] in own
            expected = is_own if not isinstance(op, Branches) else are_own[0]
            if any(one != expected for one in are_own) or (expected and slot.result is None):
                return False
            if expected and slot.result is not None:
                own.add(equation.outputs[slot.result])
        return True


def _interval(atom: Atom, ranges: Mapping[Var, Interval]) -> Interval | None:
    if isinstance(atom, Literal):
        return exactly(int(atom.value)) if atom.type.size == 1 else None
    return ranges.get(atom)


def _accesses(equation: Equation, own: set[Atom]) -> list[tuple[Atom, _Access]]:
    """The part that an equation touches of an array in the states `own`, to which it adds; none where it may be all."""
    op, inputs = equation.op, equation.inputs
    if op is dynamic_slice:
        return [(inputs[0], _Access(equation.params["sizes"], inputs[1:]))]
    if op is dynamic_update_slice and inputs[0] in own and inputs[1] not in own:
        own.update(equation.outputs)
        return [(inputs[0], _Access(inputs[1].type.shape, inputs[2:]))]
    if op is windowed_update:
        operands = completed(inputs[2], inputs[3:], equation.params["strips"], equation.params["own"])
    elif op is windowed_reduce:
        operands = list(inputs[2:])
    else:
        return []
    strips, others = split(operands, equation.params["strips"])
    if not own.isdisjoint(others):
        return []
    if op is windowed_update and inputs[2] in own:
        own.update(equation.outputs)
    found = []
    for strip, (array, starts) in zip(equation.params["strips"], strips, strict=True):
        if array in own:
            # Along the strip it may be any position.
            sizes = [n if axis == strip.axis else 1 for axis, n in enumerate(array.type.shape)]
            found.append((array, _Access(sizes, starts)))
    return found


class _ProgramWriter(Protocol):
    """A writer of the loop's body."""

    code: Instructions
    memory: Memory
    arrays: LazyArrays
    stores: ArrayStores

    def program(self, program: Program, arguments: Sequence[str]) -> list[str]:
        """Write a Program; returns the names of its outputs."""


def are_shared(equation: Equation, ranges: Mapping[Var, Interval], failures: FailureValues) -> bool:
    """Return whether threads share the steps of a loop: they are independent, take long enough, and none can fail."""
    if type(equation.op) is not For or any(map(failures.is_code, equation.inputs)):
        return False
    steps = most_trips(equation.inputs[0], ranges)
    return is_enough(steps * likely_work(equation.params["body"], ranges)) and are_independent(equation, steps, ranges)


def shared_steps(writer: _ProgramWriter, equation: Equation, names: Sequence[str]) -> list[str]:
    """Write a loop of which threads share the steps; returns the names of its results."""
    body, consts = equation.params["body"], equation.params["consts"]
    memory, shares = writer.memory, writer.code.shares
    work = likely_work(body, memory.ranges.intervals)
    positions, loops = writer.arrays.positions, ElementLoops(writer.arrays)
    trip, fixed, state = names[0], names[1 : 1 + consts], names[1 + consts :]
    steps = Steps(memory, writer.stores, state, [atom.type for atom in equation.inputs[1 + consts :]])
    shared = {memory.number(name) for name in state if is_memory(name)}
    with writer.stores.of_each_thread(shared), shares.over("0", trip, work) as (begin, stop):
        span = Span((positions.of(begin), Affine(0)), (positions.of(stop), positions.of(trip)))
        with loops.counted(begin, stop, span) as index:
            after = steps.close(writer.program(body, [*fixed, positions.value(index), *steps.entry]))
    if any(one != entry for one, entry in zip(after, steps.entry, strict=True) if not is_memory(entry)):
        raise NotNativeError("a number that each of several threads changes")
    return steps.results(steps.entry)

"""A loop nest while it is written: what may fail in it, and the ways out of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.native.carries import Exits
from anabranch.runtime.native.failures import Failure, FailureValues, NestFailures
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.known_values import KnownValues
from anabranch.runtime.native.llvm_types import NotNativeError, value_type
from anabranch.runtime.ops.elementwise.arithmetic import add, multiply, subtract
from anabranch.runtime.ops.elementwise.casts import convert_op, select
from anabranch.runtime.ops.elementwise.comparison import greater_equal, less, logical_and, logical_or
from anabranch.runtime.ops.structured import Loop
from anabranch.runtime.passes.found_intervals import Intervals
from anabranch.runtime.passes.range_analysis import ranges_without_failure


class Nest:
    """A loop nest."""

    def __init__(self, equation: Equation, names: Sequence[str], failures: FailureValues) -> None:
        self.failures = NestFailures(failures, equation)
        # The names of the error codes among the operands: where one is set, nothing runs.
        self.codes: Collection[str] = {
            name for name, atom in zip(names, equation.inputs, strict=True) if failures.is_code(atom)
        }
        self.exits: Exits | None = None  # the ways out of the outermost loop, once that has begun
        self.names = _NestNames()
        self._guards: list[str] = []
        self._moved: dict[Var, str] = {}
        self._checks: dict[Program, _IndexChecks] = {}

    def note(self, name: str, var: Var) -> None:
        """Take note that a name is that of a value of the Program."""
        self.failures.note(name, var)
        self.names.note(name, var)

    def ranges(self, equation: Equation, known: KnownValues) -> Intervals:
        """The intervals of the ints in the nest, where it runs only as long as nothing has failed; else none."""
        values = self.failures.values
        if not self.failures.end_the_nest:
            return Intervals({})
        inputs = tuple(dict.fromkeys(a for a in equation.inputs if isinstance(a, Var)))
        if any(map(values.is_code, inputs)):
            # Nor does it begin where something has failed before.
            found, inner = values.ranges, _inner(equation)
            return Intervals({var: found[var] for var in inner if var in found}, found.operands)
        outside = {var: interval for var in inputs if (interval := known.outside(var)) is not None}
        nest = Program(inputs, (equation,), equation.outputs)
        found = ranges_without_failure(nest, outside, values.leaves, values.is_code)
        # What holds in the nest need not hold around it: it is left where something fails.
        around = {*inputs, *equation.outputs}
        return Intervals({var: interval for var, interval in found.items() if var not in around}, found.operands)

    @contextlib.contextmanager
    def only_where(self, guard: str) -> Iterator[None]:
        """An equation that is computed in any case, and fails only where a bool holds."""
        self._guards.append(guard)
        yield
        self._guards.pop()

    def failed_before(self, code: Instructions) -> str:
        """The name of the bool that an error code is set that the nest begins with; empty where there is none."""
        found = ""
        for name in sorted(set(self.codes) - {"0"}):
            test = code.add("icmp ne", "i32", name, "0")
            found = code.add("or", "i1", found, test) if found else test
        return found

    def leaves(self, code: Instructions, equation: Equation, program: Program, read: Callable[[Atom], str]) -> bool:
        """Return whether an equation is a choice that is made by leaving the nest; write where it is left."""
        failure = self.failures.at(equation, program)
        if failure is not None:
            self._leave(code, failure, program, read)
        return self.failures.leaves(equation, program)

    def moved_index(self, equation: Equation) -> str:
        """The name of an index that counts from the beginning, which the check before it has made; else empty."""
        return self._moved.pop(equation.outputs[0], "") if equation.op is select else ""

    def _leave(self, code: Instructions, failure: Failure, program: Program, read: Callable[[Atom], str]) -> None:
        """Write the end of the nest where something fails."""
        exits, failures = self.exits, self.failures
        if exits is None or not any(failures.is_code(carry.name) for carry in exits.carries):
            raise NotNativeError("a failure in a nest that carries no error code")
        told = [failures.told(failure, carry.name) for carry in exits.carries]
        try:
            values = [
                carry.name if atom is None else read(atom) for carry, atom in zip(exits.carries, told, strict=True)
            ]
        except KeyError:
            raise NotNativeError("a failure that tells of what is computed later") from None
        failed, fine = code.label("failed"), code.label("fine")
        *conditions, last = [*map(read, failure.conditions), *self._guards]
        for condition in conditions:
            holds = code.label("more")
            code.branch(condition, holds, fine, unlikely=True)
            code.begin(holds)
        check = None if conditions else self._index_check(program, failure.conditions[-1], read)
        if check is None:
            code.branch(last, failed, fine, unlikely=True)
            code.begin(failed)
            exits.leave(code, values)
            code.begin(fine)
            return
        kind, index, length = value_type(check.of.type.dtype), read(check.of), str(check.length)
        moved = self.names.moved(index, check.length)
        if not moved:
            usual, odd, negative = code.block, code.label("odd"), code.label("negative")
            code.branch(code.add("icmp uge", kind, index, length), odd, fine, unlikely=True)
            code.begin(odd)
            code.branch(last, failed, negative)
            code.begin(failed)
            exits.leave(code, values)
            code.begin(negative)
            counted = code.add("add", kind, index, length)
            code.jump(fine)
            code.begin(fine)
            moved = code.emit(f"phi {kind} [ {index}, %{usual} ], [ {counted}, %{negative} ]")
            self.names.checked(index, check.length, moved)
        self._moved[check.moved] = moved

    def _index_check(self, program: Program, predicate: Atom, read: Callable[[Atom], str]) -> _IndexCheck | None:
        """The check of an index that fails by a predicate, if it is another in each step, and yet to be moved."""
        if program not in self._checks:
            self._checks[program] = _IndexChecks(program)
        check = self._checks[program].of(predicate, lambda atom: read(atom) == "true")
        if check is None or self.names.is_fixed(read(check.of)):
            return None
        try:
            return None if read(check.moved) else check
        except KeyError:
            return check


def _inner(equation: Equation) -> Iterator[Var]:
    """The values of an equation's sub-Programs, of all of them."""
    for program in equation.programs():
        yield from program.inputs
        for each in program.equations:
            yield from each.outputs
            yield from _inner(each)


class _IndexCheck(NamedTuple):
    """The check of an index."""

    of: Var  # the index
    length: int  # of the axis
    moved: Var  # the index as it counts from the beginning


class _IndexChecks:
    """The checks of indices in one Program."""

    def __init__(self, program: Program) -> None:
        self._makers = {v: e for e in program.equations if e.op in _PARTS for v in e.outputs}
        self._moved = dict(filter(None, map(self._moves, self._makers.values())))

    def of(self, predicate: Atom, holds: Callable[[Atom], bool]) -> _IndexCheck | None:
        """The check that fails by a predicate; None where that asks for something else.

        `holds`: returns whether a bool is known to hold.
        """
        parts = [part for part in self._operands(predicate, logical_and) if not holds(part)]
        if len(parts) != 1:
            return None
        keys = {self._refuses(test) for test in self._operands(parts[0], logical_or)}
        key = keys.pop() if len(keys) == 1 else None
        moved = None if key is None else self._moved.get(key)
        return None if key is None or moved is None else _IndexCheck(*key, moved)

    def _operands(self, atom: Atom, op: object) -> Iterator[Atom]:
        equation = self._maker(atom)
        if equation is None or equation.op is not op:
            yield atom
            return
        for operand in equation.inputs:
            yield from self._operands(operand, op)

    def _maker(self, atom: Atom) -> Equation | None:
        return self._makers.get(atom) if isinstance(atom, Var) else None

    def _refuses(self, test: Atom) -> tuple[Var, int] | None:
        """The index and the length, of a test that holds of none that lies in the axis: `x >= n`, or `x < -n`."""
        equation = self._maker(test)
        if equation is None or equation.op not in (greater_equal, less):
            return None
        index, bound = equation.inputs[0], _number(equation.inputs[1])
        if not isinstance(index, Var) or bound is None:
            return None
        length = bound if equation.op is greater_equal else -bound
        return (index, length) if length > 0 else None

    def _moves(self, equation: Equation) -> tuple[tuple[Var, int], Var] | None:
        """The index and the length, and what is counted from the beginning: `x + n if x < 0 else x`."""
        if equation.op is not select:
            return None
        (test, sum), index = map(self._maker, equation.inputs[:2]), equation.inputs[2]
        if test is None or sum is None or test.op is not less or sum.op is not add or not isinstance(index, Var):
            return None
        length = _number(sum.inputs[1])
        if test.inputs[0] is not index or _number(test.inputs[1]) != 0 or sum.inputs[0] is not index or not length:
            return None
        return ((index, length), equation.outputs[0]) if length > 0 else None


_PARTS = (add, select, greater_equal, less, logical_and, logical_or)


def _number(atom: Atom) -> int | None:
    """A constant int; None for what is none."""
    if not isinstance(atom, Literal) or atom.type.shape or atom.type.dtype.kind != "i":
        return None
    return int(atom.value)


class _NestNames:
    """The values that are the same in all steps of a loop, floats that are whole numbers, and indices."""

    def __init__(self) -> None:
        self._formals: dict[Var, set[str]] = {}  # what is known of values as a step of a loop begins
        self._fixed: set[str] = set()
        self._constant: set[str] = set()
        self._whole: set[str] = set()
        self._moved: dict[tuple[str, int], str] = {}
        self._depth = 0

    @contextlib.contextmanager
    def steps(self, equation: Equation, names: Sequence[str]) -> Iterator[None]:
        """The steps of a loop, in which some values are always the same; `names` are those of its operands."""
        assert isinstance(equation.op, Loop)
        (body,) = equation.op.results(equation.params)
        before = self._fixed
        self._fixed = set(before)
        for slot in equation.op.slots(equation):
            if slot.formal is not None and slot.operand is not None:
                formal, name = body.inputs[slot.formal], names[slot.operand]
                is_fixed = slot.yielded is None or body.outputs[slot.yielded] is formal
                self._formals[formal] = {"fixed"} if is_fixed else set()
                if is_fixed and (not self._depth or name in self._constant):
                    self._formals[formal].add("constant")
                if is_fixed and name in self._whole:
                    self._formals[formal].add("whole")
        self._depth += 1
        yield
        self._depth -= 1
        self._fixed = before

    @contextlib.contextmanager
    def program(self) -> Iterator[None]:
        """A Program, after which nothing is known of what it has checked."""
        count = len(self._moved)
        yield
        for key in list(self._moved)[count:]:
            del self._moved[key]

    def note(self, name: str, var: Var) -> None:
        """Take note of the name of a value."""
        for kind, known in (("fixed", self._fixed), ("constant", self._constant), ("whole", self._whole)):
            if kind in self._formals.get(var, ()):
                known.add(name)

    def note_result(self, equation: Equation, names: Sequence[str], name: str) -> None:
        """Take note of the name of a result: a float that is computed from whole numbers is one."""
        if equation.op is convert_op:
            is_whole = equation.inputs[0].type.dtype.kind in "iu"
        else:
            is_whole = equation.op in (add, subtract, multiply) and all(
                x in self._whole or _is_whole(a) for x, a in zip(names, equation.inputs, strict=True)
            )
        if is_whole and equation.outputs[0].type.dtype == np.float64 and name.startswith("%"):
            self._whole.add(name)

    def is_fixed(self, name: str) -> bool:
        """Return whether a value is the same in all steps of the innermost loop."""
        return name in self._fixed

    def is_asked_again(self, base: str, exponent: str) -> bool:
        """Return whether a power of a number, the same in all of the nest, may well be computed more than once."""
        return self._depth > 1 and base in self._constant and exponent in self._whole

    def moved(self, name: str, length: int) -> str:
        """The name of an index as it counts from the beginning, if it has been checked; else empty."""
        return self._moved.get((name, length), "")

    def checked(self, name: str, length: int, moved: str) -> None:
        """Take note that an index has been checked, and of its name as it counts from the beginning."""
        self._moved[name, length] = moved


def _is_whole(atom: Atom) -> bool:
    if not isinstance(atom, Literal) or atom.type.dtype.kind != "f":
        return False
    return bool(np.all(atom.value == np.floor(atom.value)))

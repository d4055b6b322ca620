"""A loop nest while it is written: what may fail in it, and the ways out of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence

from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.native.carries import Exits
from anabranch.runtime.native.failures import Failure, FailureValues, NestFailures
from anabranch.runtime.native.index_checks import IndexCheck, IndexChecks
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.known_values import KnownValues
from anabranch.runtime.native.llvm_types import NotNativeError, value_type
from anabranch.runtime.native.nest_names import NestNames
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.passes.found_intervals import Intervals
from anabranch.runtime.passes.range_analysis import ranges_without_failure


class Nest:
    """A loop nest.

    Attributes
    ----------
    failures : NestFailures
    codes : collection of str
        The names of the error codes among the operands: where one is set, nothing runs.
    exits : Exits or None
        The ways out of the outermost loop, once that has begun.
    names : NestNames
    """

    def __init__(self, equation: Equation, names: Sequence[str], failures: FailureValues) -> None:
        self.failures = NestFailures(failures, equation)
        self.codes: Collection[str] = {
            name for name, atom in zip(names, equation.inputs, strict=True) if failures.is_code(atom)
        }
        self.exits: Exits | None = None
        self.names = NestNames()
        self._guards: list[str] = []
        self._moved: dict[Var, str] = {}
        self._checks: dict[Program, IndexChecks] = {}

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

    def _index_check(self, program: Program, predicate: Atom, read: Callable[[Atom], str]) -> IndexCheck | None:
        """The check of an index that fails by a predicate, if it is another in each step, and yet to be moved."""
        if program not in self._checks:
            self._checks[program] = IndexChecks(program)
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

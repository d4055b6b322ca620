"""A loop nest as LLVM instructions: its equations, branches and loops.

Arrays are written in place; one that is needed as it was before a write is copied first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.native.array_ops import is_large_update, window_of
from anabranch.runtime.native.array_stores import ArrayStores
from anabranch.runtime.native.carries import Carry, Exits, close_carries
from anabranch.runtime.native.failures import Failure, NestFailures
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import NotNativeError
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.native.memory_flow import Alternatives, Steps
from anabranch.runtime.native.ordering import LastUses, ordered, written_inputs
from anabranch.runtime.native.short_forms import short_form
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.native.values import flat, is_lazy, is_memory, packed, value_types
from anabranch.runtime.ops.stablehlo_writer import LoweringContext
from anabranch.runtime.ops.structured import Branches, Loop
from anabranch.runtime.ops.window import window
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS


class NativeEmitter(ValueEmitter):
    """Writes LLVM instructions in place of StableHLO.

    Parameters
    ----------
    code
        The function under construction.
    memory
        The arrays in memory.
    failures
        The places that fail, where nothing else is seen after a failure.
    codes
        The names of the error codes among the operands: where one is set, nothing runs.
    """

    def __init__(self, code: Instructions, memory: Memory, failures: NestFailures, codes: Collection[str]) -> None:
        super().__init__(code, memory)
        self.stores = ArrayStores(self.arrays)
        self.failures = failures
        self.codes = codes
        self._exits: Exits | None = None
        self._kept: frozenset[int] = frozenset()

    def program(self, program: Program, arguments: Sequence[str]) -> list[str]:
        """Write a Program's equations, reads of an array before the writes to it; returns the names of its outputs."""
        env: dict[Var, str] = {}
        equations = ordered(program)
        uses = LastUses(equations, program.outputs)

        def bind(var: Var, name: str) -> None:
            env[var] = name
            self.memory.ranges.note(name, var)
            self.failures.note(name, var)
            for place in self.arrays.reads(name):
                uses.note(place, var)

        def read(atom: Atom) -> str:
            return self.constant(atom.value, atom.type) if isinstance(atom, Literal) else env[atom]

        with self.memory.ranges.scope(self.code.older()):
            for var, name in zip(program.inputs, arguments, strict=True):
                bind(var, name)
            for place, equation in enumerate(equations):
                failure = self.failures.at(equation, program)
                if failure is not None:
                    self._leave(failure, read)
                if self.failures.leaves(equation, program):
                    bind(equation.outputs[0], read(equation.inputs[2]))
                    continue
                names = [read(a) for a in equation.inputs]
                results = self.equation(equation, names, uses.after(place))
                for name, var in zip(results, equation.outputs, strict=True):
                    if is_lazy(name) and uses.count(var) > 1:
                        # What is read more than once would be computed more than once.
                        name = self.stores.at_once(name, var.type, self._kept.union(uses.after(place)))
                    bind(var, name)
            return [read(a) for a in program.outputs]

    def equation(self, equation: Equation, names: list[str], needed: Collection[int]) -> Sequence[str]:
        """Write an equation; returns the names of its results.

        Parameters
        ----------
        equation
        names
            Of the inputs.
        needed
            The arrays in memory that are needed afterwards as they are.
        """
        in_types, out_types = [a.type for a in equation.inputs], [v.type for v in equation.outputs]
        kept = self._kept
        if isinstance(equation.op, Branches):
            self._kept = kept.union(needed)
            results = self._branches(equation, names)
            self._kept = kept
            return results
        short = short_form(self.code, equation, names)
        if short is not None:
            return [short]
        if equation.op is window and out_types[0].size > MOST_ELEMENTS:
            return [self.arrays.name(window_of(self.arrays, names, equation))]
        if isinstance(equation.op, Loop):
            names = self.stores.settled(names, in_types, kept.union(needed))
        if not is_large_update(equation):
            names = self._unshared(equation, names, kept.union(needed))
        if isinstance(equation.op, Loop):
            slots = equation.op.slots(equation)
            read_only = [names[s.operand] for s in slots if s.operand is not None and not s.is_carry]
            self._kept = kept.union(map(self.memory.number, filter(is_memory, read_only)))
        ctx = LoweringContext(self, names, equation.inputs, in_types, out_types, equation.params)
        results = list(equation.op.lower(ctx))
        self._kept = kept
        return results

    def _unshared(self, equation: Equation, names: list[str], needed: Collection[int]) -> list[str]:
        """The names of the inputs, with copies of the arrays that are written to and needed as they are."""
        written = written_inputs(equation)
        names = list(names)
        for place, (atom, name) in enumerate(zip(equation.inputs, names, strict=True)):
            if not any(atom is var for var in written):
                continue
            if is_lazy(name):
                (name,) = names[place : place + 1] = self.stores.settled([name], [atom.type], needed)
            if not is_memory(name):
                continue
            if self.memory.number(name) in needed or names.count(name) > 1:
                names[place] = self.memory.copied(name, atom.type)
        return names

    def _branches(self, equation: Equation, names: list[str]) -> list[str]:
        """The results of the branch that runs."""
        op = equation.op
        assert isinstance(op, Branches)
        code, programs = self.code, op.results(equation.params)
        is_bool = equation.inputs[0].type.dtype.kind == "b"
        known = self.memory.ranges.of(names[0])
        if known is not None and known.low == known.high:
            chosen = 1 - known.low if is_bool else min(max(known.low, 0), len(programs) - 1)
            return self.program(programs[chosen], names[1:])
        labels = [code.label("branch") for _ in programs]
        end = code.label("join")
        if is_bool:
            code.branch(names[0], *labels)
        else:
            # The index is clamped: what is below 0 runs the first one, what is above the last.
            low = code.add("icmp slt", "i32", names[0], "0")
            index = code.emit(f"select i1 {low}, i32 0, i32 {names[0]}")
            cases = " ".join(f"i32 {i}, label %{label}" for i, label in enumerate(labels[:-1]))
            code.act(f"switch i32 {index}, label %{labels[-1]} [{cases}]")
        ways = Alternatives(self.memory)
        for label, program in zip(labels, programs, strict=True):
            code.begin(label)
            with ways.one() as way:
                results = self.program(program, names[1:])
                way.results = self.stores.settled(results, program.out_types, self._kept)
                way.last, way.block = code.hold(), code.block
            code.jump(end)
        columns = [ways.result(k, type) for k, type in enumerate(programs[0].out_types)]
        code.begin(end)
        ways.meet()
        return [
            self.memory.name(self.memory.number(column[0]))
            if is_memory(column[0])
            else self._phi(type, [(name, way.block) for name, way in zip(column, ways.taken, strict=True)])
            for column, type in zip(columns, programs[0].out_types, strict=True)
        ]

    def _phi(self, type: ArrayType, incoming: Sequence[tuple[str, str]]) -> str:
        kinds = value_types(type)
        columns = zip(*(flat(name) for name, _ in incoming), strict=True)
        made = []
        for kind, column in zip(kinds, columns, strict=True):
            if len(set(column)) == 1 and not column[0].startswith("%"):
                made.append(column[0])
                continue
            pairs = ", ".join(f"[ {x}, %{block} ]" for x, (_, block) in zip(column, incoming, strict=True))
            made.append(self.code.emit(f"phi {kind} {pairs}"))
        return packed(made, type.dtype)

    def loop(
        self,
        state: Sequence[str],
        types: Sequence[ArrayType],
        test: Callable[[list[str]], str],
        step: Callable[[list[str]], Sequence[str]],
    ) -> list[str]:
        """Write a loop: steps for as long as the test holds of the state; returns the last state."""
        code = self.code
        head, body, end = (code.label(prefix) for prefix in ("head", "body", "end"))
        state = self.stores.settled(state, types, self.memory.all_places())
        before = code.block
        exits, outermost = Exits(end), self._exits is None
        failed = self._failed_before() if outermost else ""
        if failed:
            exits.skip(code, failed, head, list(state))
        else:
            code.jump(head)
        code.begin(head)
        steps = Steps(self.memory, self.stores, state, types)
        carries = exits.carries = [
            Carry(code, name, [] if is_memory(name) else value_types(type), type.dtype)
            for name, type in zip(steps.entry, types, strict=True)
        ]
        if outermost:
            self._exits = exits
        derived = code.hold()
        names = [carry.name for carry in carries]
        going_on, tested = test(names), code.block
        code.branch(going_on, body, end)
        code.begin(body)
        after = steps.close(list(step(names)))
        close_carries(code, carries, after, (before, code.block), derived)
        code.jump(head)
        code.begin(end)
        if outermost:
            self._exits = None
        return steps.results(exits.joined(code, tested))

    def _failed_before(self) -> str:
        """The name of the bool that an error code is set that the nest begins with; empty where there is none."""
        found = ""
        for name in sorted(set(self.codes) - {"0"}):
            test = self.code.add("icmp ne", "i32", name, "0")
            found = self.code.add("or", "i1", found, test) if found else test
        return found

    def _leave(self, failure: Failure, read: Callable[[Atom], str]) -> None:
        """Write the end of the nest where something fails."""
        exits = self._exits
        if exits is None or not any(self.failures.is_code(carry.name) for carry in exits.carries):
            raise NotNativeError("a failure in a nest that carries no error code")
        told = [self.failures.told(failure, carry.name) for carry in exits.carries]
        try:
            values = [
                carry.name if atom is None else read(atom) for carry, atom in zip(exits.carries, told, strict=True)
            ]
        except KeyError:
            raise NotNativeError("a failure that tells of what is computed later") from None
        failed, fine = self.code.label("failed"), self.code.label("fine")
        self.code.branch(read(failure.predicate), failed, fine, unlikely=True)
        self.code.begin(failed)
        exits.leave(self.code, values)
        self.code.begin(fine)

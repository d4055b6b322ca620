"""A loop nest as LLVM instructions: an emitter that ops write to as they write StableHLO.

Nothing of the lowering of ops is written twice: the StableHLO ops that it asks for become instructions. A name of this
emitter is that of a value in a register, the names of the elements of a small array (`[%v1;%v2]`), or the name of an
array in memory at one point of its history (`@2.5`: memory 2 after the fifth write). Arrays are written in place; one
that is needed as it was before a write is copied first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.native.carries import Carry, Exits, close_carries
from anabranch.runtime.native.element_moves import MOVES, bounds, numbers
from anabranch.runtime.native.failures import Failure, NestFailures
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import NotNativeError, constant
from anabranch.runtime.native.memory import Memory, expect_small
from anabranch.runtime.native.memory_flow import Alternatives, Steps
from anabranch.runtime.native.ordering import LastUses, ordered, written_inputs
from anabranch.runtime.native.scalar_ops import RULES, compare, convert, multiply_add, select
from anabranch.runtime.native.short_forms import short_form
from anabranch.runtime.native.values import elements, flat, is_memory, packed, value_types
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext
from anabranch.runtime.ops.structured import Branches, Loop
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

_IN_MEMORY = ("slice", "dynamic_slice", "dynamic_update_slice")


class NativeEmitter(Emitter):
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
        super().__init__(calls_host=False)
        self.code = code
        self.memory = memory
        self.failures = failures
        self.codes = codes
        self._outlined = True
        self._exits: Exits | None = None
        self._kept: frozenset[int] = frozenset()

    # ---- elementwise -----------------------------------------------------------------------------------------------

    def op(
        self, name: str, operands: Sequence[str], in_types: Sequence[ArrayType], out: ArrayType, attributes: str = ""
    ) -> str:
        """The result of a StableHLO op."""
        if name in _IN_MEMORY and is_memory(operands[0]):
            return self._part(name, operands, in_types, out, attributes)
        if name == "broadcast_in_dim" and out.size > MOST_ELEMENTS and in_types[0].size == 1:
            return self.memory.filled(out, operands[0])
        if name in MOVES:
            expect_small(out)
            grids = [self._grid(x, type) for x, type in zip(operands, in_types, strict=True)]
            return packed(list(MOVES[name](grids, out, attributes).reshape(-1)))
        if name in _IN_MEMORY:
            spilled = self.memory.spilled(operands[0], in_types[0])
            return self._part(name, [spilled, *operands[1:]], in_types, out, attributes)
        if name == "iota":
            return self._iota(out, attributes)
        rule = RULES.get(name)
        if rule is None:
            raise NotNativeError(name)
        columns = [self.elements(x, type) for x, type in zip(operands, in_types, strict=True)]
        dtype = in_types[0].dtype
        return packed([rule(self.code, list(row), dtype, out.dtype) for row in zip(*columns, strict=True)])

    def elements(self, name: str, type: ArrayType) -> list[str]:
        """The names of the elements of a value, which are read where it is in memory."""
        expect_small(type)
        return self.memory.whole(name, type) if is_memory(name) else elements(name)

    def _part(
        self, name: str, operands: Sequence[str], in_types: Sequence[ArrayType], out: ArrayType, attributes: str
    ) -> str:
        """A part of an array in memory, or the array with another part."""
        (x, *rest), (type, *types) = operands, in_types
        if name == "slice":
            expect_small(out)
            numbers = np.arange(type.size).reshape(type.shape)[bounds(attributes)]
            return packed([self.memory.load(x, type.dtype, str(k)) for k in numbers.reshape(-1)])
        if name == "dynamic_slice":
            expect_small(out)
            places = self.memory.places(rest, types, type.shape, out.shape)
            return packed([self.memory.load(x, type.dtype, place) for place in places])
        values = self.elements(rest[0], types[0])
        places = self.memory.places(rest[1:], types[1:], type.shape, types[0].shape)
        return self.memory.store(x, type.dtype, list(zip(places, values, strict=True)))

    def _iota(self, out: ArrayType, attributes: str) -> str:
        (axis,) = numbers(attributes, "iota_dimension")
        shape = [out.shape[axis] if k == axis else 1 for k in range(len(out.shape))]
        return self.constant(np.arange(out.shape[axis]).reshape(shape).astype(out.dtype), out)

    def multiply_add(self, names: Sequence[str], type: ArrayType) -> str:
        """The sum of a product and a value, fused on the machines that can."""
        rows = zip(*(self.elements(name, type) for name in names), strict=True)
        return packed([multiply_add(self.code, row, type.dtype) for row in rows])

    def compare(self, x: str, y: str, direction: str, type: ArrayType, total: bool = False) -> str:
        """The comparison of two values."""
        if total and type.dtype.kind in "fc":
            raise NotNativeError("a comparison in the total order of floats")
        pairs = zip(self.elements(x, type), self.elements(y, type), strict=True)
        return packed([compare(self.code, a, b, direction, type.dtype) for a, b in pairs])

    def select(self, pred: str, on_true: str, on_false: str, type: ArrayType) -> str:
        """One of two values."""
        if on_true == on_false:
            return on_true
        preds = self.elements(pred, ArrayType(type.shape, np.dtype(bool)))
        rows = zip(preds, self.elements(on_true, type), self.elements(on_false, type), strict=True)
        return packed([select(self.code, p, x, y, type.dtype) for p, x, y in rows])

    def convert(self, x: str, source: ArrayType, dtype: np.dtype) -> str:
        """XLA's conversion."""
        if source.dtype == dtype:
            return x
        return packed([convert(self.code, e, source.dtype, dtype) for e in self.elements(x, source)])

    def fence(self, operand: str, type: ArrayType) -> str:
        """The operand: LLVM keeps to the arithmetic of floats."""
        return operand

    fence_source = fence

    def rounded(self, x: str, type: ArrayType) -> str:
        """The operand: LLVM joins no product with a sum that it is not told to."""
        return x

    def constant(self, value: object, type: ArrayType) -> str:
        """A constant in the instructions, or in memory."""
        array = np.broadcast_to(np.asarray(value, dtype=type.dtype), type.shape)
        if type.size > MOST_ELEMENTS:
            return self.memory.constant(array)
        return packed([constant(x) for x in array.reshape(-1)])

    def blank(self, type: ArrayType) -> str:
        """An array of any contents."""
        return self.memory.allocate(type)

    def reshape(self, x: str, source: ArrayType, shape: Sequence[int]) -> str:
        """The same elements, in registers or in memory."""
        return x

    def reduce(
        self,
        xs: Sequence[str],
        types: Sequence[ArrayType],
        inits: Sequence[str],
        axes: Sequence[int],
        body: Callable[[list[str]], Sequence[str]],
    ) -> list[str]:
        """The elements of arrays in registers combined along axes, in C order."""
        arrays = [self._grid(x, type) for x, type in zip(xs, types, strict=True)]
        axes = sorted(axes)
        rest = [i for i in range(len(types[0].shape)) if i not in axes]
        rows = [a.transpose([*rest, *axes]).reshape(int(np.prod([a.shape[i] for i in rest])), -1) for a in arrays]
        results: list[list[str]] = [[] for _ in xs]
        for row in range(rows[0].shape[0]):
            state = list(inits)
            for column in range(rows[0].shape[1]):
                state = list(body([*state, *(r[row, column] for r in rows)]))
            for result, value in zip(results, state, strict=True):
                result.append(value)
        return [packed(result) for result in results]

    def _grid(self, name: str, type: ArrayType) -> np.ndarray:
        """The names of the elements of a value, in its shape."""
        names = np.empty(type.size, object)
        names[:] = self.elements(name, type)
        return names.reshape(type.shape)

    # ---- what has no native form -----------------------------------------------------------------------------------

    def multi(self, name: str, *_: object, **__: object) -> list[str]:
        """Refuse an op with regions."""
        raise NotNativeError(name)

    def outlined(
        self,
        operands: Sequence[str],
        in_types: Sequence[ArrayType],
        outs: Sequence[ArrayType],
        body: Callable[[list[str]], Sequence[str]],
    ) -> list[str]:
        """The body in place."""
        return list(body(list(operands)))

    called = outlined

    # ---- control flow ----------------------------------------------------------------------------------------------

    def program(self, program: Program, arguments: Sequence[str]) -> list[str]:
        """Write a Program's equations, reads of an array before the writes to it; returns the names of its outputs."""
        env: dict[Var, str] = {}
        equations = ordered(program)
        uses = LastUses(equations, program.outputs)

        def bind(var: Var, name: str) -> None:
            env[var] = name
            self.memory.ranges.note(name, var)
            self.failures.note(name, var)
            if is_memory(name):
                uses.note(self.memory.number(name), var)

        def read(atom: Atom) -> str:
            return self.constant(atom.value, atom.type) if isinstance(atom, Literal) else env[atom]

        with self.memory.ranges.scope():
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
            if not is_memory(name) or not any(atom is var for var in written):
                continue
            if self.memory.number(name) in needed or names.count(name) > 1:
                names[place] = self.memory.copied(name, atom.type)
        return names

    def _branches(self, equation: Equation, names: list[str]) -> list[str]:
        """The results of the branch that runs."""
        op = equation.op
        assert isinstance(op, Branches)
        code, programs = self.code, op.results(equation.params)
        labels = [code.label("branch") for _ in programs]
        end = code.label("join")
        if equation.inputs[0].type.dtype.kind == "b":
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
                way.results = self.program(program, names[1:])
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
        before = code.block
        exits, outermost = Exits(end), self._exits is None
        failed = self._failed_before() if outermost else ""
        if failed:
            exits.skip(code, failed, head, list(state))
        else:
            code.jump(head)
        code.begin(head)
        steps = Steps(self.memory, state, types)
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

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
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.native.affine import Positions
from anabranch.runtime.native.array_ops import array_op, is_large_update, reshaped, window_of
from anabranch.runtime.native.array_reductions import ArrayReductions
from anabranch.runtime.native.array_stores import ArrayStores
from anabranch.runtime.native.branches import branch_results
from anabranch.runtime.native.carries import Carry, Exits, close_carries
from anabranch.runtime.native.element_moves import MOVES, bounds, numbers, reduced
from anabranch.runtime.native.failures import FailureValues
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.lazy_arrays import LazyArray, LazyArrays
from anabranch.runtime.native.llvm_types import NotNativeError, constant
from anabranch.runtime.native.memory import Memory, expect_small
from anabranch.runtime.native.memory_flow import Steps
from anabranch.runtime.native.nest import Nest
from anabranch.runtime.native.ordering import LastUses, ordered
from anabranch.runtime.native.random_draws import drawn
from anabranch.runtime.native.scalar_ops import compare, convert, multiply_add, rule_of, select
from anabranch.runtime.native.short_forms import short_form
from anabranch.runtime.native.signals import Signals
from anabranch.runtime.native.values import elements, is_lazy, is_memory, packed, value_types
from anabranch.runtime.ops.control import For
from anabranch.runtime.ops.dot_general import dot_general
from anabranch.runtime.ops.random_draws import random_draw
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext
from anabranch.runtime.ops.structured import Branches, Loop
from anabranch.runtime.ops.window import window
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

_SUMS = ("add", "subtract", "negate")
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
        The values that tell of failures, where nothing else is seen after one.
    signals
        The looks at signals, where they can be answered.
    """

    def __init__(
        self, code: Instructions, memory: Memory, failures: FailureValues, signals: Signals | None = None
    ) -> None:
        super().__init__(calls_host=False)
        self.code = code
        self.memory = memory
        self.positions = Positions(code, memory.ranges)
        self.arrays = LazyArrays(code, memory, self.positions)
        self.stores = ArrayStores(self.arrays)
        self._reductions = ArrayReductions(self.arrays, self.stores)
        self._failures = failures
        self._signals = signals
        self._op: Op | None = None  # whose lowering is being written
        self._loops = 0
        self._nest: Nest | None = None
        self._outlined = True
        self.kept: frozenset[int] = frozenset()

    # ---- elementwise -----------------------------------------------------------------------------------------------

    def op(
        self, name: str, operands: Sequence[str], in_types: Sequence[ArrayType], out: ArrayType, attributes: str = ""
    ) -> str:
        """The result of a StableHLO op."""
        part = in_types[1] if name == "dynamic_update_slice" else out
        if (
            part.size > MOST_ELEMENTS
            or any(map(is_lazy, operands))
            or (name not in _IN_MEMORY and _any_large(in_types))
        ):
            return self._result(array_op(self.arrays, name, operands, in_types, out, attributes), out)
        if name in _IN_MEMORY and is_memory(operands[0]):
            return self._part(name, operands, in_types, out, attributes)
        if name in MOVES:
            grids = [self._grid(x, type) for x, type in zip(operands, in_types, strict=True)]
            return packed(list(MOVES[name](grids, out, attributes).reshape(-1)))
        if name in _IN_MEMORY:
            spilled = self.memory.spilled(operands[0], in_types[0])
            return self._part(name, [spilled, *operands[1:]], in_types, out, attributes)
        if name == "iota":
            return self._iota(out, attributes)
        rule, dtype = rule_of(name), in_types[0].dtype
        columns = [self.elements(x, type) for x, type in zip(operands, in_types, strict=True)]
        made = packed([rule(self.code, list(row), dtype, out.dtype) for row in zip(*columns, strict=True)])
        if name in _SUMS and out.size == 1 and out.dtype == np.int64:
            self.positions.note(name, [column[0] for column in columns], made)
        return made

    def _result(self, array: LazyArray, out: ArrayType) -> str:
        """The name of an array, of a small one those of its elements."""
        name = self.arrays.name(array)
        return name if out.size > MOST_ELEMENTS else packed(self.arrays.elements(name, out))

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
            numbers = np.arange(type.size).reshape(type.shape)[bounds(attributes)]
            return packed([self.memory.load(x, type.dtype, str(k)) for k in numbers.reshape(-1)])
        if name == "dynamic_slice":
            places = self.memory.places(rest, types, type.shape, out.shape)
            return packed([self.memory.load(x, type.dtype, place) for place in places])
        values = self.elements(rest[0], types[0])
        places = self.memory.places(rest[1:], types[1:], type.shape, types[0].shape)
        return self.memory.store(x, type.dtype, list(zip(places, values, strict=True)))

    def _each(
        self, names: Sequence[str], types: Sequence[ArrayType], out: ArrayType, rule: Callable[[list[str]], str]
    ) -> str:
        """What a rule makes of the elements at the same positions."""
        if out.size > MOST_ELEMENTS or any(map(is_lazy, names)):
            return self._result(self.arrays.elementwise(names, types, out, rule), out)
        columns = [self.elements(name, type) for name, type in zip(names, types, strict=True)]
        return packed([rule(list(row)) for row in zip(*columns, strict=True)])

    def _iota(self, out: ArrayType, attributes: str) -> str:
        (axis,) = numbers(attributes, "iota_dimension")
        shape = [out.shape[axis] if k == axis else 1 for k in range(len(out.shape))]
        return self.constant(np.arange(out.shape[axis]).reshape(shape).astype(out.dtype), out)

    def multiply_add(self, names: Sequence[str], type: ArrayType) -> str:
        """The sum of a product and a value, fused on the machines that can."""
        return self._each(names, [type] * 3, type, lambda row: multiply_add(self.code, row, type.dtype))

    def compare(self, x: str, y: str, direction: str, type: ArrayType, total: bool = False) -> str:
        """The comparison of two values."""
        if total and type.dtype.kind in "fc":
            raise NotNativeError("a comparison in the total order of floats")
        out = ArrayType(type.shape, np.dtype(bool))
        return self._each(
            [x, y], [type] * 2, out, lambda row: compare(self.code, row[0], row[1], direction, type.dtype)
        )

    def select(self, pred: str, on_true: str, on_false: str, type: ArrayType) -> str:
        """One of two values."""
        if on_true == on_false:
            return on_true
        types = [ArrayType(type.shape, np.dtype(bool)), type, type]
        if type.size > MOST_ELEMENTS:
            operands = map(self.arrays.of, (pred, on_true, on_false), types)
            return self.arrays.name(self.arrays.choice(*operands))
        return self._each(
            [pred, on_true, on_false], types, type, lambda row: select(self.code, row[0], row[1], row[2], type.dtype)
        )

    def convert(self, x: str, source: ArrayType, dtype: np.dtype) -> str:
        """XLA's conversion."""
        if source.dtype == dtype:
            return x
        out = ArrayType(source.shape, dtype)
        return self._each([x], [source], out, lambda row: convert(self.code, row[0], source.dtype, dtype))

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
            first = array.reshape(-1)[:1]
            is_uniform = array.tobytes() == np.broadcast_to(first, array.shape).tobytes()
            if is_uniform:
                return self.arrays.name(self.arrays.all_equal(type, constant(first)))
            return self.memory.constant(array)
        return packed([constant(x) for x in array.reshape(-1)])

    def undefined(self, type: ArrayType) -> str:
        """An array of which no element is asked for."""
        if type.size <= MOST_ELEMENTS:
            return self.constant(0, type)
        return self.arrays.name(self.arrays.undefined(type))

    def blank(self, type: ArrayType) -> str:
        """An array of any contents."""
        return self.memory.allocate(type)

    def reshape(self, x: str, source: ArrayType, shape: Sequence[int]) -> str:
        """The same elements, in registers or in memory."""
        out = ArrayType(tuple(shape), source.dtype)
        return self.arrays.name(reshaped(self.arrays, x, source, out)) if is_lazy(x) else x

    def reduce(
        self,
        xs: Sequence[str],
        types: Sequence[ArrayType],
        inits: Sequence[str],
        axes: Sequence[int],
        body: Callable[[list[str]], Sequence[str]],
    ) -> list[str]:
        """The elements of arrays combined along axes."""
        if any(map(is_lazy, xs)) or _any_large(types):
            arrays = [self.arrays.of(x, type) for x, type in zip(xs, types, strict=True)]
            return self._reductions.reduced(arrays, inits, axes, body)
        return reduced([self._grid(x, type) for x, type in zip(xs, types, strict=True)], inits, axes, body)

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
        code, equations = self.code, ordered(program)
        uses = LastUses(equations, program.outputs)

        def bind(var: Var, name: str) -> None:
            env[var] = name
            self.memory.ranges.note(name, var)
            if self._nest is not None:
                self._nest.failures.note(name, var)
            for place in self.arrays.reads(name):
                uses.note(place, var)

        def read(atom: Atom) -> str:
            return self.constant(atom.value, atom.type) if isinstance(atom, Literal) else env[atom]

        with self.memory.ranges.scope(code.older()):
            for var, name in zip(program.inputs, arguments, strict=True):
                bind(var, name)
            for place, equation in enumerate(equations):
                if self._nest is not None and self._nest.leaves(code, equation, program, read):
                    bind(equation.outputs[0], read(equation.inputs[2]))
                    continue
                names = [read(a) for a in equation.inputs]
                results = self.equation(equation, names, uses.after(place))
                for name, var in zip(results, equation.outputs, strict=True):
                    if is_lazy(name) and uses.count(var) > 1:
                        # What is read more than once would be computed more than once.
                        name = self.stores.at_once(name, var.type, self.kept.union(uses.after(place)))
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
        if self._nest is None and isinstance(equation.op, Loop):
            self._nest = Nest(equation, names, self._failures)
            with self.memory.ranges.refined(self._nest.ranges(equation, self.memory.ranges)):
                made = self._equation(equation, names, needed)
            self._nest = None
            return made
        return self._equation(equation, names, needed)

    def _equation(self, equation: Equation, names: list[str], needed: Collection[int]) -> Sequence[str]:
        in_types, out_types = [a.type for a in equation.inputs], [v.type for v in equation.outputs]
        kept = self.kept
        if isinstance(equation.op, Branches):
            self.kept = kept.union(needed)
            results = branch_results(self, equation, names)
            self.kept = kept
            return results
        short = short_form(self.code, equation, names)
        if short is not None:
            return [short]
        if equation.op is random_draw:
            *words, ticket, number = drawn(self.code, equation, self.elements(names[0], in_types[0]), names[1:])
            return [packed(words), ticket, number]
        if equation.op is dot_general:
            return [self._reductions.product(equation, names)]
        if equation.op is window and out_types[0].size > MOST_ELEMENTS:
            return [self.arrays.name(window_of(self.arrays, names, equation))]
        if isinstance(equation.op, Loop):
            names = self.stores.settled(names, in_types, kept.union(needed))
        if not is_large_update(equation):
            names = self.stores.unshared(equation, names, kept.union(needed))
        if isinstance(equation.op, Loop):
            slots = equation.op.slots(equation)
            read_only = [names[s.operand] for s in slots if s.operand is not None and not s.is_carry]
            self.kept = kept.union(map(self.memory.number, filter(is_memory, read_only)))
        ctx = LoweringContext(self, names, equation.inputs, in_types, out_types, equation.params)
        self._op = equation.op
        results = list(equation.op.lower(ctx))
        self.kept = kept
        return results

    def loop(
        self,
        state: Sequence[str],
        types: Sequence[ArrayType],
        test: Callable[[list[str]], str],
        step: Callable[[list[str]], Sequence[str]],
    ) -> list[str]:
        """Write a loop: steps for as long as the test holds of the state; returns the last state."""
        code, op, loops = self.code, self._op, self._loops
        # An op may need a loop of its own.
        nest = self._nest if self._nest is not None and self._nest.exits is None else None
        head, body, end = (code.label(prefix) for prefix in ("head", "body", "end"))
        state = self.stores.settled(state, types, self.memory.all_places())
        before = code.block
        exits = Exits(end)
        failed = "" if nest is None else nest.failed_before(code)
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
        if nest is not None:
            nest.exits = exits
        derived = code.hold()
        names = [carry.name for carry in carries]
        going_on, tested = test(names), code.block
        code.branch(going_on, body, end)
        code.begin(body)
        after = steps.close(list(step(names)))
        self._loops += 1
        # A look takes as long as the step of a loop with no other one in it, of which many may be taken at a time.
        is_alone = nest is not None and type(op) is not For
        if self._signals is not None and isinstance(op, Loop) and (is_alone or self._loops > loops + 1):
            self._signals.look()
        close_carries(code, carries, after, (before, code.block), derived)
        code.jump(head)
        code.begin(end)
        if nest is not None:
            nest.exits = None
        return steps.results(exits.joined(code, tested))


def _any_large(types: Sequence[ArrayType]) -> bool:
    return any(type.size > MOST_ELEMENTS for type in types)

"""Structured control flow: `cond`, `switch`, `while`, `for`, `for_until`.

Sub-Programs are closed: what one reads is an operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Program, Var, all_equations
from anabranch.runtime.ops import cost
from anabranch.runtime.ops.op import expect
from anabranch.runtime.ops.stablehlo_text import ints
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext
from anabranch.runtime.ops.structured import Branches, Loop, Params, Slot, carries

T = TypeVar("T")

_BOOL, _INT32, _INT64 = (ArrayType((), np.dtype(t)) for t in (np.bool_, np.int32, np.int64))


class Cond(Branches):
    """`cond[on_true, on_false] pred *operands`: one of two Programs runs."""

    __slots__ = ()

    def results(self, params: Params) -> Sequence[Program]:
        return params["on_true"], params["on_false"]

    def rebuilt(self, params: Params, programs: Sequence[Program], slots: Sequence[Slot]) -> Params:
        return dict(zip(("on_true", "on_false"), programs, strict=True))

    def type(self, *inputs: Any, on_true: Program, on_false: Program) -> tuple[ArrayType, ...]:
        expect(bool(inputs) and inputs[0] == _BOOL, self.name, "the predicate must be a bool scalar")
        for program in (on_true, on_false):
            expect(program.in_types == inputs[1:], self.name, "a branch's inputs are not the operands")
        expect(on_true.out_types == on_false.out_types, self.name, "the branches' outputs differ")
        return on_true.out_types

    def evaluate(self, *arrays: Any, on_true: Program, on_false: Program) -> tuple[Any, ...]:
        return evaluate(on_true if arrays[0] else on_false, *arrays[1:])

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        index = emitter.convert(ctx.inputs[0], _BOOL, np.dtype(np.int32))
        return _case(emitter, index, ctx.inputs[1:], (ctx.params["on_false"], ctx.params["on_true"]))


class Switch(Branches):
    """`switch[branches] index *operands`: the Program at `index` runs; the index is clamped to the range."""

    __slots__ = ()

    def results(self, params: Params) -> Sequence[Program]:
        branches: tuple[Program, ...] = params["branches"]
        return branches

    def rebuilt(self, params: Params, programs: Sequence[Program], slots: Sequence[Slot]) -> Params:
        return {"branches": tuple(programs)}

    def type(self, *inputs: Any, branches: tuple[Program, ...]) -> tuple[ArrayType, ...]:
        expect(bool(inputs) and inputs[0] == _INT32, self.name, "the index must be an int32 scalar")
        expect(bool(branches), self.name, "at least one branch is needed")
        for program in branches:
            expect(program.in_types == inputs[1:], self.name, "a branch's inputs are not the operands")
            expect(program.out_types == branches[0].out_types, self.name, "the branches' outputs differ")
        return branches[0].out_types

    def evaluate(self, *arrays: Any, branches: tuple[Program, ...]) -> tuple[Any, ...]:
        return evaluate(branches[min(max(int(arrays[0]), 0), len(branches) - 1)], *arrays[1:])

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        branches = ctx.params["branches"]
        low, high = emitter.constant(0, _INT32), emitter.constant(len(branches) - 1, _INT32)
        index = emitter.op("clamp", [low, ctx.inputs[0], high], [_INT32] * 3, _INT32)
        return _case(emitter, index, ctx.inputs[1:], branches)


def _case(emitter: Emitter, index: str, operands: Sequence[str], branches: Sequence[Program]) -> list[str]:
    regions = []
    for program in branches:

        def body(_: list[str], program: Program = program) -> list[str]:
            names = emitter.program(program, _kept(emitter, index, operands, program))
            results = _apart(emitter, index, names, program.out_types, operands)
            return emitter.typed(results, program.out_types)

        regions.append(emitter.region((), body))
    if not branches[0].outputs:
        return []
    return emitter.made_within(emitter.multi("case", [index], [_INT32], branches[0].out_types, regions))


def _kept(emitter: Emitter, index: str, operands: Sequence[str], program: Program) -> list[str]:
    """The operands of a branch, with copies of those that it writes to and that are needed after it.

    XLA makes such copies itself, but not of what an outlined function returned: it writes in place there.
    """
    found = list(operands)
    for place, (name, formal) in enumerate(zip(operands, program.inputs, strict=True)):
        lost = emitter.is_made_by_function(name) and emitter.is_needed_after(name)
        if lost and formal.type.size > 1 and _is_written(program, formal):
            found[place] = _own(emitter, name, formal.type, index, place)
    return found


def _is_written(program: Program, formal: Var) -> bool:
    """Return whether an equation may write to the memory of an input; inner conditions see to it themselves."""
    there: set[Atom] = {formal}
    for equation in program.equations:
        op = equation.op
        if isinstance(op, Loop):
            if any(init in there for init, _ in carries(equation)):
                return True
        elif op.overwritten is not None:
            if equation.inputs[op.overwritten] in there:
                return True
        elif not isinstance(op, Branches) and not there.isdisjoint(equation.inputs):
            # It may be the same memory in another shape.
            there.update(x for x in equation.outputs if x.type.size == formal.type.size)
    return False


def _apart(
    emitter: Emitter, index: str, names: Sequence[str], types: Sequence[ArrayType], operands: Sequence[str]
) -> list[str]:
    """The results of a branch, each in memory of its own."""
    found = list(names)
    for place, type in enumerate(types):
        if _may_be_lost(emitter, place, names, types, operands):
            found[place] = _own(emitter, names[place], type, index, place)
    return found


def _may_be_lost(
    emitter: Emitter, place: int, names: Sequence[str], types: Sequence[ArrayType], operands: Sequence[str]
) -> bool:
    """Return whether XLA may put another result into the memory of this result of a branch.

    Where it joins the results of branches it overlooks how long those are needed that were made within control flow or
    a function. And where one branch gives a value twice, it may put what another one gives in these places in one
    memory: that is so for one value as well as for two that XLA's passes find to be equal.
    """
    name, type = names[place], types[place]
    if type.size == 0:
        return False
    given = (emitter.memory_of(other) for other in names[:place])
    if emitter.is_made_within(name) or emitter.memory_of(name) in given:
        return True
    alike = [i for i, other in enumerate(types) if other == type and i != place]
    return name not in operands and any(i < place or names[i] in operands for i in alike)


def _own(emitter: Emitter, name: str, type: ArrayType, index: str, place: int) -> str:
    """A branch's result copied by a condition known only at run time, in another way for each position."""
    if type.size == 1 or emitter.is_needed_after(name):
        return emitter.select(_truth(emitter, index, place, type), name, emitter.constant(0, type), type)
    # Its memory becomes the result's. One element is enough then; the others stay where they are.
    rank = len(type.shape)
    one = ArrayType((1,) * rank, type.dtype)
    bounds = f"start_indices = {ints([0] * rank)}, limit_indices = {ints([1] * rank)}, strides = {ints([1] * rank)}"
    first = emitter.op("slice", [name], [type], one, bounds)
    chosen = emitter.select(_truth(emitter, index, place, one), first, emitter.constant(0, one), one)
    return emitter.with_block(name, type, [emitter.constant(0, _INT32)] * rank, _INT32, chosen, one)


def _truth(emitter: Emitter, index: str, place: int, type: ArrayType) -> str:
    """That the branch's index is not this negative number: true, but nothing that XLA's passes make out."""
    there = emitter.compare(index, emitter.constant(-1 - place, _INT32), "NE", _INT32)
    return emitter.broadcast(emitter.fence(there, _BOOL), _BOOL, type.shape, ())


class While(Loop):
    """`while[test, body, consts] *consts *init`: carries until `test(consts, carry)` is false."""

    __slots__ = ()

    def slots(self, equation: Equation) -> Sequence[Slot]:
        consts = equation.params["consts"]
        read = [Slot(operand=i, formal=i) for i in range(consts)]
        return [*read, *(Slot(consts + i, consts + i, i, i) for i in range(len(equation.outputs)))]

    def deciding(self, equation: Equation) -> Sequence[Atom]:
        test: Program = equation.params["test"]
        return test.outputs

    def rebuilt(self, params: Params, programs: Sequence[Program], slots: Sequence[Slot]) -> Params:
        test, body = programs
        return {"test": test, "body": body, "consts": sum(not s.is_carry for s in slots)}

    def type(self, *inputs: Any, test: Program, body: Program, consts: int) -> tuple[ArrayType, ...]:
        carry = inputs[consts:]
        expect(test.in_types == inputs, self.name, "the test's inputs are not constants and carries")
        expect(body.in_types == inputs, self.name, "the body's inputs are not constants and carries")
        expect(test.out_types == (_BOOL,), self.name, "the test must give one bool scalar")
        expect(body.out_types == carry, self.name, "the body's outputs are not the carries")
        return carry

    def evaluate(self, *arrays: Any, test: Program, body: Program, consts: int) -> tuple[Any, ...]:
        fixed, carry = arrays[:consts], arrays[consts:]
        while evaluate(test, *fixed, *carry)[0]:
            carry = evaluate(body, *fixed, *carry)
        return tuple(carry)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        native = ctx.emitter.native(self, ctx)
        if native is not None:
            return native
        test, body = ctx.params["test"], ctx.params["body"]
        if not ctx.emitter.is_outlined and cost.fits_native_loop(test, body):
            return ctx.outlined(self._loop)
        return self._loop(ctx)

    @staticmethod
    def _loop(ctx: LoweringContext) -> list[str]:
        emitter, types = ctx.emitter, ctx.in_types
        test, body, consts = ctx.params["test"], ctx.params["body"], ctx.params["consts"]

        def emit_test(names: list[str]) -> str:
            return emitter.program(test, names)[0]

        def emit_body(names: list[str]) -> list[str]:
            return [*names[:consts], *emitter.program(body, names)]

        return emitter.made_within(emitter.loop(ctx.inputs, types, emit_test, emit_body))[consts:]


class For(Loop):
    """`for[body, consts, carries, length] trip *consts *init *xs`: a counted loop.

    The body maps (constants, index, carries, one slice of each of xs) to (carries, one slice of each of ys). `trip` is
    an int64 scalar, at least 0; where there are xs or ys it equals `length`.
    """

    __slots__ = ()

    controls = (0,)

    def slots(self, equation: Equation) -> Sequence[Slot]:
        consts, carries = equation.params["consts"], equation.params["carries"]
        # Before the constants stands the trip count; in the body the index stands after them.
        read = [Slot(operand=1 + i, formal=i) for i in range(consts)]
        first = consts + 1
        carried = [Slot(first + i, first + i, i, i) for i in range(carries)]
        rows = [Slot(operand=i, formal=i) for i in range(first + carries, len(equation.inputs))]
        stacked = [Slot(yielded=i, result=i) for i in range(carries, len(equation.outputs))]
        return [*read, Slot(formal=consts), *carried, *rows, *stacked]

    def rebuilt(self, params: Params, programs: Sequence[Program], slots: Sequence[Slot]) -> Params:
        (body,) = programs
        index = next(i for i, s in enumerate(slots) if s.operand is None and s.formal is not None)
        return {"body": body, "consts": index, "carries": sum(s.is_carry for s in slots), "length": params["length"]}

    def type(self, *inputs: Any, body: Program, consts: int, carries: int, length: int | None) -> tuple[ArrayType, ...]:
        expect(bool(inputs) and inputs[0] == _INT64, self.name, "the trip count must be an int64 scalar")
        fixed, init, xs = _split(inputs[1:], consts, carries)
        slices = tuple(ArrayType(x.shape[1:], x.dtype) for x in xs)
        expect(body.in_types == (*fixed, _INT64, *init, *slices), self.name, "the body's inputs do not fit")
        expect(body.out_types[:carries] == init, self.name, "the body's outputs are not the carries")
        expect(all(x.shape[0] == length for x in xs), self.name, "an input's length is not the trip count")
        stacked = body.out_types[carries:]
        expect(not stacked or length is not None, self.name, "stacked outputs need a static length")
        return (*init, *(ArrayType((length or 0, *y.shape), y.dtype) for y in stacked))

    def evaluate(self, *arrays: Any, body: Program, consts: int, carries: int, length: int | None) -> tuple[Any, ...]:
        fixed, carry, xs = _split(arrays[1:], consts, carries)
        ys: list[list[Any]] = [[] for _ in body.outputs[carries:]]
        for i in range(int(arrays[0])):
            if self._has_stopped(carry):
                break
            results = evaluate(body, *fixed, np.int64(i), *carry, *(x[i] for x in xs))
            carry = results[:carries]
            for column, y in zip(ys, results[carries:], strict=True):
                column.append(y)
        empty = [np.zeros((0, *t.shape), t.dtype) for t in body.out_types[carries:]]
        return (*carry, *(np.stack(y) if y else e for y, e in zip(ys, empty, strict=True)))

    def _has_stopped(self, carry: Sequence[Any]) -> bool:
        """Return whether the loop ends although not all steps have run."""
        return False

    def _goes_on(self, emitter: Emitter, in_bounds: str, carry: Sequence[str]) -> str:
        """Return whether another step runs, where the index is below the trip count."""
        return in_bounds

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        consts, carries = ctx.params["consts"], ctx.params["carries"]
        if ctx.params["length"] == 0:
            # Of no rows none can be read, not even in a step that never runs.
            return [*ctx.inputs[1 + consts :][:carries], *map(ctx.emitter.blank, ctx.out_types[carries:])]
        native = ctx.emitter.native(self, ctx)
        if native is not None:
            return native
        if not ctx.emitter.is_outlined and cost.fits_native_loop(ctx.params["body"]):
            return ctx.outlined(self._loop)
        return self._loop(ctx)

    def _loop(self, ctx: LoweringContext) -> list[str]:
        emitter, inputs, in_types, out_types = ctx.emitter, ctx.inputs, ctx.in_types, ctx.out_types
        body, consts, carries, length = (ctx.params[k] for k in ("body", "consts", "carries", "length"))
        # XLA's CPU loops run much faster on a 32-bit counter, where the trip count is known to fit.
        count = _INT32 if length is not None and length < 2**31 - 1 else _INT64
        trip = [] if length is not None else [inputs[0]]
        ys_types = list(out_types[carries:])
        ys = [emitter.blank(t) for t in ys_types]
        head = len(trip)
        state = [emitter.constant(0, count), *trip, *inputs[1:], *ys]
        types = [count, *[_INT64][:head], *in_types[1:], *ys_types]

        def emit_test(names: list[str]) -> str:
            limit = names[1] if trip else emitter.constant(length, count)
            carry = names[1 + head + consts :][:carries]
            return self._goes_on(emitter, emitter.compare(names[0], limit, "LT", count), carry)

        def emit_body(names: list[str]) -> list[str]:
            counter, operands, stacks = names[0], names[1 + head : len(names) - len(ys)], names[len(names) - len(ys) :]
            index = emitter.convert(counter, count, np.dtype(np.int64))
            fixed, carry, xs = _split(operands, consts, carries)
            xs_types = _split(in_types[1:], consts, carries)[2]
            slices = [_row(emitter, x, t, counter, count) for x, t in zip(xs, xs_types, strict=True)]
            results = emitter.program(body, [*fixed, index, *carry, *slices])
            rows = zip(stacks, results[carries:], ys_types, strict=True)
            stacked = [_set_row(emitter, s, y, t, counter, count) for s, y, t in rows]
            after = emitter.binary("add", counter, emitter.constant(1, count), count)
            return [after, *names[1 : 1 + head], *fixed, *results[:carries], *xs, *stacked]

        results = emitter.made_within(emitter.loop(state, types, emit_test, emit_body))
        first = 1 + head + consts
        return [*results[first : first + carries], *results[len(results) - len(ys) :]]


class ForUntil(For):
    """`for_until[body, consts, carries, length] trip *consts stopped *init *xs`: a counted loop that may end early.

    It is a `for` without ys, whose first carry is a bool: no step runs where that is true.
    """

    __slots__ = ()

    def deciding(self, equation: Equation) -> Sequence[Atom]:
        return [*super().deciding(equation), equation.outputs[0]]

    def type(self, *inputs: Any, body: Program, consts: int, carries: int, length: int | None) -> tuple[ArrayType, ...]:
        results = super().type(*inputs, body=body, consts=consts, carries=carries, length=length)
        expect(results[:1] == (_BOOL,), self.name, "the first carry must be one bool scalar")
        expect(len(results) == carries, self.name, "a loop that may end early has no stacked outputs")
        return results

    def _has_stopped(self, carry: Sequence[Any]) -> bool:
        return bool(carry[0])

    def _goes_on(self, emitter: Emitter, in_bounds: str, carry: Sequence[str]) -> str:
        return emitter.binary("and", in_bounds, emitter.op("not", [carry[0]], [_BOOL], _BOOL), _BOOL)


def _split(items: Sequence[T], consts: int, carries: int) -> tuple[tuple[T, ...], tuple[T, ...], tuple[T, ...]]:
    return tuple(items[:consts]), tuple(items[consts : consts + carries]), tuple(items[consts + carries :])


def _row(emitter: Emitter, x: str, type: ArrayType, counter: str, count: ArrayType) -> str:
    """x[counter]."""
    one = ArrayType((1, *type.shape[1:]), type.dtype)
    starts = [counter, *[emitter.constant(0, count)] * (len(type.shape) - 1)]
    return emitter.reshape(emitter.block(x, type, starts, count, one), one, type.shape[1:])


def _set_row(emitter: Emitter, stack: str, y: str, type: ArrayType, counter: str, count: ArrayType) -> str:
    """The stack with y at row `counter`."""
    one = ArrayType((1, *type.shape[1:]), type.dtype)
    row = emitter.reshape(y, ArrayType(type.shape[1:], type.dtype), one.shape)
    starts = [counter, *[emitter.constant(0, count)] * (len(type.shape) - 1)]
    return emitter.with_block(stack, type, starts, count, row, one)


COND, SWITCH, WHILE, FOR, FOR_UNTIL = Cond("cond"), Switch("switch"), While("while"), For("for"), ForUntil("for_until")
OPS: tuple[Op, ...] = (COND, SWITCH, WHILE, FOR, FOR_UNTIL)


def is_pure(equation: Equation) -> bool:
    """Return whether an equation may run on any values, and once instead of in each step."""
    return all(e.op.pure and e.op is not WHILE for e in all_equations((equation,)))

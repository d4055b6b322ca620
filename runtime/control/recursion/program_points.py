"""The body of a recursive function as blocks, between which it calls itself.

A conditional or loop that holds such a call is taken apart: its branches, its test and its body are blocks, and its
carries are what a jump hands on. Everything else stays an equation of a block.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import substitute
from anabranch.runtime.ops.table import OPS

_ZERO, _ONE = (Literal(np.array(n, np.int64)) for n in (0, 1))


@frozen
class Jump:
    """Another block goes on, with values for what it asks for."""

    target: Block
    given: tuple[Atom, ...]


@frozen
class Choose:
    """One of a few blocks goes on, which none but this leads to."""

    selector: Atom
    targets: tuple[Block, ...]


@frozen
class Call:
    """The function begins anew; with its results a block goes on."""

    given: tuple[Atom, ...]
    then: Block


@frozen
class Return:
    """The call has ended with these results."""

    results: tuple[Atom, ...]


End: TypeAlias = Jump | Choose | Call | Return


@dataclasses.dataclass(eq=False, slots=True)
class Block:
    """A stretch of the body."""

    asked: tuple[Var, ...] = ()  # the values that whatever leads here hands on
    equations: list[Equation] = dataclasses.field(default_factory=list)
    # What follows; it is set when the block is complete.
    end: End = dataclasses.field(default_factory=lambda: Return(()))

    @property
    def targets(self) -> tuple[Block, ...]:
        """The blocks that may go on in the same call."""
        match self.end:
            case Jump(target, _):
                return (target,)
            case Choose(_, targets):
                return targets
            case Call(_, then):
                return (then,)
        return ()

    @property
    def used_at_end(self) -> tuple[Atom, ...]:
        """The values that the end reads by itself."""
        match self.end:
            case Jump(_, given) | Call(given, _):
                return given
            case Choose(selector, _):
                return (selector,)
            case Return(results):
                return results


class ProgramPoints:
    """Takes the body of a recursive function apart.

    Parameters
    ----------
    body : Program
        Its first inputs are the same in each call.
    constants : int
        How many of them.
    function : object
        The function, by which its calls are told from those of others.
    """

    def __init__(self, body: Program, constants: int, function: object) -> None:
        self._function = function
        self.constants = body.inputs[:constants]
        self.entry = Block(body.inputs[constants:])  # where a call begins; it asks for the arguments
        names: dict[Atom, Atom] = {}
        last = self._add(body.equations, names, self.entry)
        last.end = Return(_read(body.outputs, names))

    @property
    def blocks(self) -> list[Block]:
        """All blocks that can be reached, the entry first."""
        found = {self.entry: None}
        pending = [self.entry]
        while pending:
            for target in pending.pop().targets:
                if target not in found:
                    found[target] = None
                    pending.append(target)
        return list(found)

    def _add(self, equations: Sequence[Equation], names: dict[Atom, Atom], block: Block) -> Block:
        """Add equations to a block; returns the one that they end in."""
        for equation in equations:
            fresh = tuple([Var(v.type) for v in equation.outputs])
            outputs: tuple[Atom, ...] = fresh
            if _is_call(equation, self._function):
                then = Block(fresh)
                block.end = Call(_read(equation.inputs, names), then)
                block = then
            elif not _has_call(equation, self._function):
                block.equations.append(dataclasses.replace(substitute(equation, names), outputs=fresh))
            elif equation.op.name in ("cond", "switch"):
                block = self._branches(equation, names, block, fresh)
            elif equation.op.name == "while":
                block, outputs = self._while(equation, names, block)
            else:
                block, outputs = self._counted(equation, names, block)
            names.update(zip(equation.outputs, outputs, strict=True))
        return block

    def _branches(self, equation: Equation, names: dict[Atom, Atom], block: Block, outputs: tuple[Var, ...]) -> Block:
        """`cond` and `switch`: a block for each branch, and one after them."""
        params, after = equation.params, Block(outputs)
        is_cond = equation.op.name == "cond"
        programs = (params["on_false"], params["on_true"]) if is_cond else params["branches"]
        selector, *operands = _read(equation.inputs, names)
        firsts = []
        for program in programs:
            first, inner = Block(), dict(zip(program.inputs, operands, strict=True))
            last = self._add(program.equations, inner, first)
            last.end = Jump(after, _read(program.outputs, inner))
            firsts.append(first)
        block.end = Choose(selector, tuple(firsts))
        return after

    def _while(self, equation: Equation, names: dict[Atom, Atom], block: Block) -> tuple[Block, tuple[Atom, ...]]:
        """`while`: a block with the test, one with the body, and one after the loop."""
        params = equation.params
        test, body, count = params["test"], params["body"], params["consts"]
        given = _read(equation.inputs, names)
        head = Block(tuple([Var(v.type) for v in test.inputs[count:]]))
        block.end = Jump(head, given[count:])
        values = (*given[:count], *head.asked)
        inner: dict[Atom, Atom] = dict(zip(test.inputs, values, strict=True))
        last = self._add(test.equations, inner, head)
        step, after = Block(), Block()
        last.end = Choose(_read(test.outputs, inner)[0], (after, step))
        inner = dict(zip(body.inputs, values, strict=True))
        last = self._add(body.equations, inner, step)
        last.end = Jump(head, _read(body.outputs, inner))
        return after, head.asked

    def _counted(self, equation: Equation, names: dict[Atom, Atom], block: Block) -> tuple[Block, tuple[Atom, ...]]:
        """`for` and `for_until`, as a `while` that counts."""
        params = equation.params
        body, count = params["body"], params["consts"]
        if len(body.outputs) != params["carries"] or len(body.inputs) != count + 1 + params["carries"]:
            raise AssertionError("a traced loop has rows")
        trip, *given = _read(equation.inputs, names)
        head = Block(tuple([Var(v.type) for v in body.inputs[count:]]))
        index, *carries = head.asked
        block.end = Jump(head, (_ZERO, *given[count:]))
        goes_on = _emit(head, OPS["less"], index, trip)
        if equation.op.name == "for_until":
            goes_on = _emit(head, OPS["logical_and"], goes_on, _emit(head, OPS["logical_not"], carries[0]))
        step, after = Block(), Block()
        head.end = Choose(goes_on, (after, step))
        inner: dict[Atom, Atom] = dict(zip(body.inputs, (*given[:count], *head.asked), strict=True))
        following = _emit(step, OPS["add"], index, _ONE)
        last = self._add(body.equations, inner, step)
        last.end = Jump(head, (following, *_read(body.outputs, inner)))
        return after, tuple(carries)


def _read(atoms: Sequence[Atom], names: dict[Atom, Atom]) -> tuple[Atom, ...]:
    return tuple([names.get(a, a) for a in atoms])


def _emit(block: Block, op: Op, *inputs: Atom) -> Var:
    (type,) = op.type(*(a.type for a in inputs))
    output = Var(type)
    block.equations.append(Equation(op, inputs, {}, (output,)))
    return output


class _RecursiveCall(Op):
    """`recur[results, function](*arguments)`: a call of the function whose body holds the equation.

    No finished Program has one: the body becomes the steps of a loop (`control/recursion/stack_machine.py`).
    """

    __slots__ = ()
    pure = False

    def type(self, *inputs: ArrayType, results: tuple[ArrayType, ...], function: object) -> tuple[ArrayType, ...]:
        return results

    def evaluate(self, *arrays: Any, **params: Any) -> tuple[Any, ...]:
        raise NotImplementedError("a recursive call has no value by itself")

    def lower(self, ctx: Any) -> Sequence[str]:
        raise NotImplementedError("a recursive call has no lowering by itself")


RECUR: Final = _RecursiveCall("recur")


def _is_call(equation: Equation, function: object) -> bool:
    """Return whether an equation is a call that the function makes of itself."""
    return equation.op is RECUR and equation.params["function"] is function


def _has_call(equation: Equation, function: object) -> bool:
    """Return whether an equation is, or holds, a call that the function makes of itself."""
    return _is_call(equation, function) or any(_holds_call(p, function) for p in equation.programs())


def _holds_call(program: Program, function: object) -> bool:
    """Return whether a Program holds such a call."""
    return any(_has_call(e, function) for e in program.equations)

"""Loop unswitching: a loop that writes to arrays which a condition before it has chosen becomes one for each choice.

After `src, dst = (a, b) if c else (b, a)` each element that a loop writes to `dst` goes to `a` or `b`, as `c` says, and
into what the name itself holds. In a loop for each truth of `c` it is known where it goes: to one array.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var, are_same
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, renamed, rewrite, substitute, with_equations
from anabranch.runtime.ops.control import COND
from anabranch.runtime.ops.elementwise.arithmetic import subtract
from anabranch.runtime.ops.elementwise.bits import bitwise_and
from anabranch.runtime.ops.elementwise.casts import convert_op, select
from anabranch.runtime.ops.elementwise.comparison import equal, logical_and, logical_not, logical_or
from anabranch.runtime.ops.indexing import dynamic_slice, dynamic_update_slice
from anabranch.runtime.ops.shape import broadcast_in_dim, reshape, slice_
from anabranch.runtime.ops.structured import Loop, StructuredOp
from anabranch.runtime.passes.cse import eliminate_common_subexpressions
from anabranch.runtime.passes.def_use import DefUse
from anabranch.runtime.passes.invariant_forwarding import forward_invariants

# So many conditions have loops of their own, of so many equations each.
_MOST_CONDITIONS, _MOST_EQUATIONS = 2, 200


def unswitch_loops(program: Program) -> Program:
    """The Program with loops for each truth of the conditions on which they write, the outermost loops first."""
    defs = DefUse(program)

    def unswitched(equation: Equation, block: Block) -> Sequence[Atom] | None:
        if not isinstance(equation.op, Loop) or _size(equation) > _MOST_EQUATIONS:
            return None
        conditions = dict.fromkeys(_condition(defs, atom)[0] for atom in _deciding(equation))
        if not 0 < len(conditions) <= _MOST_CONDITIONS:
            return None
        return _chosen(_Choices(defs, equation, block.read), list(conditions), {}, block)

    return with_equations(
        found := rewrite(program, unswitched), [equation.with_programs(unswitch_loops) for equation in found.equations]
    )


def _size(equation: Equation) -> int:
    return sum(1 + _size(inner) for program in equation.programs() for inner in program.equations)


def _deciding(loop: Equation) -> list[Atom]:
    """The bools from before a loop that decide what its steps write."""
    assert isinstance(loop.op, Loop)
    (body,) = loop.op.results(loop.params)
    read = [s for s in loop.op.slots(loop) if s.result is None and s.operand is not None and s.formal is not None]
    operands = {
        body.inputs[s.formal]: loop.inputs[s.operand] for s in read if s.formal is not None and s.operand is not None
    }
    given = {formal: {formal} for formal, atom in operands.items() if _is_bool(formal) and isinstance(atom, Var)}
    found = dict.fromkeys(itertools.chain.from_iterable(_choices(body, given))) if given else {}
    return [operands[formal] for formal in found]


def _is_bool(var: Var) -> bool:
    return var.type.dtype == np.bool_ and not var.type.shape


def _choices(program: Program, given: Mapping[Var, set[Var]]) -> Iterator[set[Var]]:
    """The bools, of those that values are computed from alone, on which what is written to an array is chosen."""
    known, written = dict(given), dict[Atom, set[Var]]()
    for equation in program.equations:
        if equation.op in (logical_and, logical_or, logical_not, broadcast_in_dim, reshape):
            (output,) = equation.outputs
            if all(a in known for a in equation.inputs):
                known[output] = set().union(*(known[a] for a in equation.inputs if isinstance(a, Var)))
            if equation.inputs[0] in written:
                written[output] = written[equation.inputs[0]]
        elif equation.op is select and equation.inputs[0] in known:
            written[equation.outputs[0]] = known[equation.inputs[0]]
        elif equation.op is dynamic_update_slice and equation.inputs[1] in written:
            yield written[equation.inputs[1]]
        elif isinstance(equation.op, StructuredOp):
            slots = [s for s in equation.op.slots(equation) if s.operand is not None and s.formal is not None]
            for inner in equation.op.results(equation.params):
                inside = {inner.inputs[s.formal or 0]: equation.inputs[s.operand or 0] for s in slots if not s.is_carry}
                yield from _choices(inner, {formal: known[a] for formal, a in inside.items() if a in known})


def _condition(defs: DefUse, atom: Atom) -> tuple[Atom, bool]:
    """The bool, or the int that is 0 or 1, that decides a bool, and what it is where that holds."""
    maker = defs.maker(atom)
    if maker is not None and maker.op is logical_not:
        found, truth = _condition(defs, maker.inputs[0])
        return found, not truth
    if maker is None or maker.op is not equal or not isinstance(maker.inputs[1], Literal):
        return atom, True
    number, value = maker.inputs[0], maker.inputs[1].value
    while (step := defs.maker(number)) is not None and number.type.dtype.kind == "i":
        if step.op is convert_op and step.inputs[0].type.dtype.kind == "i":
            (number,) = step.inputs
        elif step.op is subtract and isinstance(step.inputs[0], Literal):
            number, value = step.inputs[1], step.inputs[0].value - value
        else:
            return (number, bool(value)) if _is_parity(step) and value in (0, 1) else (atom, True)
    return atom, True


def _is_parity(equation: Equation) -> bool:
    """Return whether an equation gives 0 or 1 alone: what is left of an int that is divided by 2, mostly."""
    other = equation.inputs[-1]
    return equation.op is bitwise_and and isinstance(other, Literal) and not other.type.shape and other.value == 1


class _Choices:
    """A loop, for what is known of its operands.

    Parameters
    ----------
    defs
        Of the Program that it stands in.
    read
        Returns what stands for a value of that Program now.
    """

    def __init__(self, defs: DefUse, loop: Equation, read: Callable[[Atom], Atom]) -> None:
        self._defs, self.loop, self.read = defs, loop, read

    def version(self, truths: Mapping[Atom, bool]) -> Program:
        """The loop where conditions are so, without what is needless then."""
        inputs = tuple([self.read(self._known(atom, truths)) for atom in self.loop.inputs])
        outputs = tuple([Var(v.type) for v in self.loop.outputs])
        free = dict.fromkeys(a for a in inputs if isinstance(a, Var))
        made = Program(tuple(free), (dataclasses.replace(self.loop, inputs=inputs, outputs=outputs),), outputs)
        before = None
        while made is not before:
            before, made = made, _merged(forward_invariants(_folded(made)))
        return made

    def _known(self, atom: Atom, truths: Mapping[Atom, bool]) -> Atom:
        """A value where conditions are so: a constant, or what they choose."""
        condition, truth = _condition(self._defs, atom)
        if condition in truths:
            return Literal(np.asarray(truths[condition] == truth))
        maker = self._defs.maker(atom)
        if maker is None or maker.op is not select:
            return atom
        spread = self._defs.maker(maker.inputs[0])
        pred = maker.inputs[0] if spread is None or spread.op is not broadcast_in_dim else spread.inputs[0]
        condition, truth = _condition(self._defs, pred)
        if condition not in truths:
            return atom
        return self._known(maker.inputs[1 if truths[condition] == truth else 2], truths)


def _chosen(choices: _Choices, conditions: Sequence[Atom], truths: Mapping[Atom, bool], block: Block) -> Sequence[Atom]:
    """Write the loops for all truths of the conditions; returns the atoms of the results."""
    if not conditions:
        made = choices.version(truths)
        block.equations += made.equations
        return made.outputs
    condition, *others = conditions
    ways = [Block(), Block()]
    results = [_chosen(choices, others, {**truths, condition: t}, b) for t, b in zip((True, False), ways, strict=True)]
    made_inside = {v for way in ways for e in way.equations for v in e.outputs}
    used = itertools.chain(*results, *(e.inputs for way in ways for e in way.equations))
    inputs = tuple(dict.fromkeys(a for a in used if isinstance(a, Var) and a not in made_inside))
    rows = zip(ways, results, strict=True)
    programs = [renamed(Program(inputs, tuple(way.equations), tuple(outputs))) for way, outputs in rows]
    outputs = tuple([Var(v.type) for v in choices.loop.outputs])
    params = {"on_true": programs[0], "on_false": programs[1]}
    test = choices.read(condition)
    if test.type.dtype != np.bool_:
        test = block.emit(convert_op, test, dtype=np.dtype(bool))
    block.append(Equation(COND, (test, *inputs), params, outputs, choices.loop.source))
    return outputs


@in_sub_programs
def _folded(program: Program) -> Program:
    """The Program without choices that are known, and without elements that are written where they were read."""
    defs = DefUse(program)

    def folded(equation: Equation, block: Block) -> Sequence[Atom] | None:
        truths = [_truth(a) for a in equation.inputs[:2]]
        if equation.op is select and truths[0] is not None:
            return [equation.inputs[1 if truths[0] else 2]]
        if equation.op is broadcast_in_dim and truths[0] is not None:
            return [Literal(np.broadcast_to(np.asarray(truths[0]), equation.outputs[0].type.shape))]
        if equation.op is logical_not and truths[0] is not None:
            return [Literal(np.asarray(not truths[0]))]
        if equation.op in (logical_and, logical_or) and truths != [None, None]:
            one, other = equation.inputs if truths[0] is not None else equation.inputs[::-1]
            return [one if _truth(one) == (equation.op is logical_or) else other]
        if equation.op is dynamic_update_slice and _is_there(defs, equation):
            return [equation.inputs[0]]
        if equation.op is dynamic_slice and (update := defs.maker(equation.inputs[0])) is not None:
            is_read = update.op is dynamic_update_slice and update.inputs[1].type == equation.outputs[0].type
            if is_read and all(map(are_same, update.inputs[2:], equation.inputs[1:])):
                return [block.read(update.inputs[1])]
        return None

    return rewrite(program, folded)


def _truth(atom: Atom) -> bool | None:
    """The one value of all elements of a constant of bools; None where there are both, or it is no such constant."""
    if not isinstance(atom, Literal) or atom.type.dtype != np.bool_ or atom.value.all() != atom.value.any():
        return None
    return bool(atom.value.any())


def _is_there(defs: DefUse, update: Equation) -> bool:
    """Return whether an update writes what stands in its place."""
    array, value, *starts = update.inputs
    maker = defs.maker(value)
    while maker is not None and maker.op is reshape:
        maker = defs.maker(maker.inputs[0])
    if maker is None or maker.inputs[0] is not array or maker.outputs[0].type.shape != value.type.shape:
        return False
    if maker.op is slice_:
        places = [Literal(np.asarray(start, np.int64)) for start in maker.params["starts"]]
        is_plain = all(stride == 1 for stride in maker.params["strides"])
        return is_plain and all(map(are_same, starts, places))
    return maker.op is dynamic_slice and all(map(are_same, starts, maker.inputs[1:]))


def _merged(program: Program) -> Program:
    """The Program, with one array for two that a loop begins with as one and that get the same in each step."""
    for loop in program.equations:
        if not isinstance(loop.op, Loop) or len(list(loop.programs())) > 1:
            continue
        (body,) = loop.op.results(loop.params)
        arrays = [s for s in loop.op.slots(loop) if s.operand is not None and loop.inputs[s.operand].type.size > 1]
        for slot, again in itertools.combinations(arrays, 2):
            if not again.is_carry or loop.inputs[slot.operand or 0] is not loop.inputs[again.operand or 0]:
                continue
            names: dict[Atom, Atom] = {body.inputs[again.formal or 0]: body.inputs[slot.formal or 0]}
            equations = tuple([substitute(e, names) for e in body.equations])
            tried = eliminate_common_subexpressions(_folded(dataclasses.replace(body, equations=equations)))
            stays = body.inputs[slot.formal or 0] if slot.yielded is None else tried.outputs[slot.yielded]
            if tried.outputs[again.yielded or 0] is not stays:
                continue
            slots = [s for s in loop.op.slots(loop) if s != again]
            less = loop.op.with_slots(_with_body(loop, tried), slots)
            result = loop.inputs[slot.operand or 0] if slot.result is None else loop.outputs[slot.result]
            same: dict[Atom, Atom] = {loop.outputs[again.result or 0]: result}
            rest = tuple([less if e is loop else substitute(e, same) for e in program.equations])
            return dataclasses.replace(
                program, equations=rest, outputs=tuple([same.get(v, v) for v in program.outputs])
            )
    return program


def _with_body(loop: Equation, body: Program) -> Equation:
    return loop.with_programs(lambda _: body)

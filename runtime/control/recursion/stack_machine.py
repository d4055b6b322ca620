"""A recursive function as one loop: a step runs one of its blocks, and calls in progress have frames on a stack.

The stack is an array for each register of which a value is needed after a call, with a row for each call in progress,
and one array with the blocks that go on. So what the function computes, where it fails, and which arrays it writes in
place is known of it as of any other loop.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.control.recursion.program_points import Block, Call, Choose, Jump, ProgramPoints, Return
from anabranch.runtime.control.recursion.registers import Liveness, Registers
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import substitute
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.tracing.builder import Builder, building
from anabranch.runtime.values import atoms

_INT32 = ArrayType((), np.dtype(np.int32))
_ZERO, _ONE = (Literal(np.array(n, np.int64)) for n in (0, 1))
_FIRST = Literal(np.array(0, np.int32))


@frozen
class _Machine:
    """The carries of the loop."""

    place: Atom  # the number of the block that goes on
    depth: Atom  # how many calls are in progress beside the first one; -1 where that has ended
    returns: Atom  # for each of them, the number of the block that goes on after it
    registers: tuple[Atom, ...]
    stacks: tuple[Atom, ...]  # what registers held when the calls were made

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """All of it, in order."""
        return (self.place, self.depth, self.returns, *self.registers, *self.stacks)

    def of(self, values: Sequence[Atom]) -> _Machine:
        """Another state."""
        count = 3 + len(self.registers)
        place, depth, returns = values[:3]
        return _Machine(place, depth, returns, tuple(values[3:count]), tuple(values[count:]))


class StackMachine:
    """The loop of a recursive function.

    `limit`: no more than so many calls are ever in progress.
    """

    def __init__(self, points: ProgramPoints, results: tuple[ArrayType, ...], limit: int) -> None:
        self._points, self._limit = points, limit
        blocks = points.blocks
        within = {t for b in blocks if isinstance(b.end, Choose) for t in b.end.targets}
        self._dispatched = [b for b in blocks if b not in within]
        self._numbers = {block: n for n, block in enumerate(self._dispatched)}
        self._results = tuple(map(Var, results))
        self._live = Liveness(points, blocks)
        self._registers = Registers(points, self._dispatched, self._live, self._results)
        self._continued = {b.end.then for b in blocks if isinstance(b.end, Call)}
        saved = [self._registers.of(v) for block in self._continued for v in self._live.before[block]]
        self._stacked = {register: n for n, register in enumerate(sorted(set(saved)))}

    @property
    def frame_bytes(self) -> int:
        """The size of a frame."""
        return sum(self._registers.types[r].nbytes for r in self._stacked) + 4

    def emit(self, outer: Builder, constants: Sequence[Atom], arguments: Sequence[Atom]) -> list[Atom]:
        """Add the loop to a builder; returns the results of the first call."""
        types = self._registers.types
        with building(outer):
            registers = list(map(atoms.unspecified, types))
            for asked, given in zip(self._points.entry.asked, arguments, strict=True):
                registers[self._registers.of(asked)] = outer.resolve(given)
            rows = self._limit + 1
            stacks = [atoms.unspecified(_stack_of(types[r], rows)) for r in self._stacked]
            returns = atoms.unspecified(_stack_of(_INT32, rows))
            init = _Machine(_FIRST, _ZERO, returns, tuple(registers), tuple(stacks))
            after = outer.bind(
                OPS["while"],
                *constants,
                *init.atoms,
                test=self._test([a.type for a in constants], init),
                body=self._body(init),
                consts=len(constants),
            )
        found = init.of(after)
        return [found.registers[self._registers.of(v)] for v in self._results]

    def _test(self, constants: Sequence[ArrayType], init: _Machine) -> Program:
        """Return whether the first call is in progress."""
        inputs = [Var(t) for t in (*constants, *(a.type for a in init.atoms))]
        step = _Step()
        runs = step.emit(OPS["greater_equal"], inputs[len(constants) + 1], _ZERO)
        return Program(tuple(inputs), tuple(step.equations), (runs,), "test")

    def _body(self, init: _Machine) -> Program:
        constants = self._points.constants
        carry = [Var(a.type) for a in init.atoms]
        inputs = (*(Var(v.type) for v in constants), *carry)
        branches = tuple([self._branch(block, init) for block in self._dispatched])
        outputs = tuple([Var(v.type) for v in carry])
        place = carry[0]
        equation = Equation(OPS["switch"], (place, *inputs), {"branches": branches}, outputs)
        return Program(inputs, (equation,), outputs, "body")

    def _branch(self, block: Block, init: _Machine) -> Program:
        """The Program of a block: from the constants and the machine to the machine."""
        names: dict[Atom, Atom] = {v: Var(v.type) for v in self._points.constants}
        state = [Var(a.type) for a in init.atoms]
        inputs = (*names.values(), *state)
        step, machine = _Step(), init.of(state)
        live, registers = self._live.before[block], self._registers
        if block in self._continued:
            names.update(
                (v, machine.registers[registers.of(r)]) for v, r in zip(block.asked, self._results, strict=True)
            )
            for var in live:
                stack = machine.stacks[self._stacked[registers.of(var)]]
                names[var] = step.row(stack, machine.depth, var.type)
        else:
            names.update((v, machine.registers[registers.of(v)]) for v in (*live, *block.asked))
        after = self._run(block, names, machine, step)
        return Program(tuple([v for v in inputs if isinstance(v, Var)]), tuple(step.equations), after.atoms, "block")

    def _run(self, block: Block, names: dict[Atom, Atom], machine: _Machine, step: _Step) -> _Machine:
        """Add a block, and those that it alone leads to; returns the machine after it."""
        for equation in block.equations:
            outputs = tuple([Var(v.type) for v in equation.outputs])
            step.equations.append(dataclasses.replace(substitute(equation, names), outputs=outputs))
            names.update(zip(equation.outputs, outputs, strict=True))

        def read(values: Iterable[Atom]) -> tuple[Atom, ...]:
            return tuple([names.get(a, a) for a in values])

        match block.end:
            case Choose(selector, targets):
                return self._choose(read((selector,))[0], targets, names, machine, step)
            case Jump(target, given):
                live = self._live.before[target]
                return self._goes_on(machine, target, (*target.asked, *live), read((*given, *live)))
            case Call(given, then):
                for var, value in zip(self._live.before[then], read(self._live.before[then]), strict=True):
                    number = self._stacked[self._registers.of(var)]
                    stacks = list(machine.stacks)
                    stacks[number] = step.with_row(stacks[number], machine.depth, value)
                    machine = dataclasses.replace(machine, stacks=tuple(stacks))
                after = Literal(np.array(self._numbers[then], np.int32))
                returns = step.with_row(machine.returns, machine.depth, after)
                depth = step.emit(OPS["add"], machine.depth, _ONE)
                machine = dataclasses.replace(machine, returns=returns, depth=depth)
                return self._goes_on(machine, self._points.entry, self._points.entry.asked, read(given))
            case Return(results):
                depth = step.emit(OPS["subtract"], machine.depth, _ONE)
                place = step.row(machine.returns, depth, _INT32)
                machine = self._set(machine, self._results, read(results))
                return dataclasses.replace(machine, depth=depth, place=place)

    def _goes_on(self, machine: _Machine, target: Block, asked: Sequence[Var], given: Sequence[Atom]) -> _Machine:
        machine = self._set(machine, asked, given)
        return dataclasses.replace(machine, place=Literal(np.array(self._numbers[target], np.int32)))

    def _set(self, machine: _Machine, values: Sequence[Var], given: Sequence[Atom]) -> _Machine:
        """The machine with these values in their registers."""
        registers = list(machine.registers)
        for var, atom in zip(values, given, strict=True):
            registers[self._registers.of(var)] = atom
        return dataclasses.replace(machine, registers=tuple(registers))

    def _choose(
        self, selector: Atom, targets: Sequence[Block], names: dict[Atom, Atom], machine: _Machine, step: _Step
    ) -> _Machine:
        """One of a few blocks that nothing else leads to."""
        if len(targets) == 1:
            return self._run(targets[0], names, machine, step)
        made = []
        for target in targets:
            inner = _Step()
            after = self._run(target, dict(names), machine, inner)
            made.append((inner, after.atoms))
        # What is the same in each way is no result of the choice.
        kept = [
            k for k, ways in enumerate(zip(*(a for _, a in made), strict=True)) if any(w is not ways[0] for w in ways)
        ]
        needed = list(dict.fromkeys(v for inner, after in made for v in inner.free([after[k] for k in kept])))
        programs = tuple([inner.closed(needed, [after[k] for k in kept]) for inner, after in made])
        outputs = tuple([Var(made[0][1][k].type) for k in kept])
        is_cond = selector.type.dtype == np.bool_
        # In the order that passes find them in.
        ways: dict[str, Any] = {"on_true": programs[1], "on_false": programs[0]}
        params = ways if is_cond else {"branches": programs}
        step.equations.append(Equation(OPS["cond" if is_cond else "switch"], (selector, *needed), params, outputs))
        found = list(made[0][1])
        for k, output in zip(kept, outputs, strict=True):
            found[k] = output
        return machine.of(found)


class _Step:
    """Equations under construction."""

    def __init__(self) -> None:
        self.equations: list[Equation] = []

    def emit(self, op: Op, *inputs: Atom, **params: Any) -> Var:
        """Add an equation with one output."""
        (type,) = op.type(*(a.type for a in inputs), **params)
        output = Var(type)
        self.equations.append(Equation(op, inputs, params, (output,)))
        return output

    def row(self, stack: Atom, depth: Atom, type: ArrayType) -> Atom:
        """The row of a stack at a depth."""
        starts = (depth, *[_ZERO] * len(type.shape))
        return self.emit(
            OPS["reshape"], self.emit(OPS["dynamic_slice"], stack, *starts, sizes=(1, *type.shape)), shape=type.shape
        )

    def with_row(self, stack: Atom, depth: Atom, value: Atom) -> Atom:
        """The stack with another row at a depth."""
        row = self.emit(OPS["reshape"], value, shape=(1, *value.type.shape))
        return self.emit(OPS["dynamic_update_slice"], stack, row, depth, *[_ZERO] * len(value.type.shape))

    def free(self, outputs: Sequence[Atom]) -> Iterable[Var]:
        """The values that the equations and outputs read, and that these equations do not compute."""
        made = {v for e in self.equations for v in e.outputs}
        used = [*(a for e in self.equations for a in e.inputs), *outputs]
        return dict.fromkeys(a for a in used if isinstance(a, Var) and a not in made)

    def closed(self, needed: Sequence[Var], outputs: Sequence[Atom]) -> Program:
        """The Program of the equations on these values."""
        inputs = tuple([Var(v.type) for v in needed])
        names: dict[Atom, Atom] = dict(zip(needed, inputs, strict=True))
        equations = tuple([substitute(e, names) for e in self.equations])
        return Program(inputs, equations, tuple([names.get(a, a) for a in outputs]), "block")


def _stack_of(type: ArrayType, rows: int) -> ArrayType:
    return ArrayType((rows, *type.shape), type.dtype)

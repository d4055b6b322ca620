"""Arrays that change places from step to step of a loop (`u, v = v, u`): their addresses do, not their contents."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.native.values import is_memory
from anabranch.runtime.ops.structured import Branches, Loop, StructuredOp


class Origins:
    """The inputs of Programs that arrays in them are new contents of, in whichever way a run goes."""

    def __init__(self) -> None:
        self._found: dict[Program, Mapping[Atom, Var]] = {}

    def traded(self, equation: Equation, names: Sequence[str]) -> list[int]:
        """The places of the arrays in memory among a loop's carries that may be other ones in the next step."""
        op = equation.op
        assert isinstance(op, Loop)
        (body,) = op.results(equation.params)
        origins = self._of(body)
        carried = [s for s in op.slots(equation) if s.is_carry and s.formal is not None and s.yielded is not None]
        formals = {body.inputs[s.formal]: s for s in carried if s.formal is not None}
        found: set[int] = set()
        for formal, slot in formals.items():
            origin = origins.get(body.outputs[slot.yielded or 0])
            if origin is not None and origin is not formal and origin in formals:
                both = names[slot.operand or 0], names[formals[origin].operand or 0]
                found |= set(map(Memory.number, both)) if all(map(is_memory, both)) else set()
        return sorted(found)

    def _of(self, program: Program) -> Mapping[Atom, Var]:
        if program in self._found:
            return self._found[program]
        origins: dict[Atom, Var] = {var: var for var in program.inputs if var.type.size > 1}
        for equation in program.equations:
            if equation.op.update is not None:
                made: Mapping[Var, Atom] = {equation.outputs[0]: equation.inputs[0]}
            else:
                made = self._through(equation) if isinstance(equation.op, StructuredOp) else {}
            origins |= {var: origins[base] for var, base in made.items() if base in origins}
        self._found[program] = origins
        return origins

    def _through(self, equation: Equation) -> Mapping[Var, Atom]:
        """The results of control flow that are new contents of one operand."""
        op = equation.op
        assert isinstance(op, StructuredOp)
        slots, programs = op.slots(equation), op.results(equation.params)
        operands = {s.formal: equation.inputs[s.operand] for s in slots if s.operand is not None}
        found = {}
        for slot in slots:
            if slot.result is None or slot.yielded is None or equation.outputs[slot.result].type.size == 1:
                continue
            ways = {program: self._of(program).get(program.outputs[slot.yielded]) for program in programs}
            formals = {p.inputs.index(var) if var is not None else None for p, var in ways.items()}
            if len(formals) == 1 and (isinstance(op, Branches) or formals == {slot.formal}):
                base = operands.get(formals.pop())
                if base is not None:
                    found[equation.outputs[slot.result]] = base
        return found


class Addresses:
    """The addresses of arrays that may change places, each a phi from where a step begins.

    After the loop each array is brought back to where it was, where it is not there.

    Parameters
    ----------
    memory
    types
        Of these arrays, by their places.

    Attributes
    ----------
    types
    """

    def __init__(self, memory: Memory, types: Mapping[int, ArrayType]) -> None:
        self._memory = memory
        self.types = types
        self._held = {place: memory.code.hold() for place in types}
        self._before = {place: memory.move(place, memory.code.fresh(), type) for place, type in types.items()}
        self._homes = {place: pointer for place, (pointer, _) in self._before.items()}
        self._after = {place: memory.pointer(place) for place in types}
        memory.code.apart |= set(self._after.values())

    def take(self, sources: Mapping[int, int]) -> list[int]:
        """Those of the places whose arrays come from others of them, at the end of a step, and go to others.

        Parameters
        ----------
        sources
            Where the next array of a place is, by the place.
        """
        found = {place: source for place, source in sources.items() if place in self._homes}
        while found.keys() != set(found.values()):
            found = {place: x for place, x in found.items() if x in found and place in found.values()}
        for place, source in found.items():
            self._after[place] = self._memory.pointer(source)
        return list(found)

    def close(self, before: str, latch: str) -> None:
        """Write the phis, from the block before the loop and from the last one of a step."""
        for place, held in self._held.items():
            phi = self._memory.pointer(place)
            text = f"{phi} = phi ptr [ {self._homes[place]}, %{before} ], [ {self._after[place]}, %{latch} ]"
            self._memory.code.fill(held, text)

    def restore(self) -> None:
        """Bring the arrays to where they were before the loop."""
        memory, code = self._memory, self._memory.code
        traded = [place for place, after in self._after.items() if after != memory.pointer(place)]
        moved = [memory.pointer(place) for place in traded]
        for place, (home, type) in self._before.items():
            memory.move(place, home, type)
        if not traded:
            return
        homes = [self._homes[place] for place in traded]
        away, back = code.label("away"), code.label("back")
        tests = [code.add("icmp ne", "ptr", at, home) for at, home in zip(moved, homes, strict=True)]
        code.branch(functools.reduce(lambda x, y: code.add("or", "i1", x, y), tests), away, back)
        code.begin(away)
        # The last one can go straight there: what was there has been copied by then.
        spare = [memory.pointer(memory.place_of(memory.allocate(self.types[place]))) for place in traded[:-1]]
        sources, targets = [*moved, *spare], [*spare, homes[-1], *homes[:-1]]
        for target, source, place in zip(targets, sources, [*traded, *traded[:-1]], strict=True):
            code.act(code.copying(target, source, self.types[place].nbytes))
        code.jump(back)
        code.begin(back)

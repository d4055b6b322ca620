"""Arrays that change places from step to step of a loop (`u, v = v, u`): their addresses do, not their contents.

So it is where a condition decides whether they do, or how.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.native.lazy_array import LazyArray
from anabranch.runtime.native.llvm_types import is_memory
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.shape import broadcast_in_dim
from anabranch.runtime.ops.structured import Loop, StructuredOp

# The place of an array where conditions, by their names, are as said.
_Way: TypeAlias = tuple[Mapping[str, bool], int]


class Origins:
    """The inputs of Programs that arrays in them are new contents of, or one of them, in whichever way a run goes."""

    def __init__(self) -> None:
        self._found: dict[Program, Mapping[Atom, frozenset[Var]]] = {}

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
            those = origins.get(body.outputs[slot.yielded or 0], frozenset()) | {formal}
            if len(those) > 1 and those <= formals.keys():
                every = [names[formals[one].operand or 0] for one in those]
                found |= set(map(Memory.number, every)) if all(map(is_memory, every)) else set()
        return sorted(found)

    def _of(self, program: Program) -> Mapping[Atom, frozenset[Var]]:
        if program in self._found:
            return self._found[program]
        origins: dict[Atom, frozenset[Var]] = {var: frozenset([var]) for var in program.inputs if var.type.size > 1}
        whole = {e.outputs[0] for e in program.equations if e.op is broadcast_in_dim and e.inputs[0].type.size == 1}
        for equation in program.equations:
            made: Mapping[Var, Sequence[Atom]] = {}
            if equation.op.overwritten is not None:
                made = {equation.outputs[0]: [equation.inputs[equation.op.overwritten]]}
            elif equation.op is select and equation.inputs[0] in whole:
                made = {equation.outputs[0]: equation.inputs[1:]}
            elif isinstance(equation.op, StructuredOp):
                made = self._through(equation)
            for var, bases in made.items():
                if all(base in origins for base in bases):
                    origins[var] = frozenset[Var]().union(*(origins[base] for base in bases))
        self._found[program] = origins
        return origins

    def _through(self, equation: Equation) -> Mapping[Var, Sequence[Atom]]:
        """The results of control flow that are new contents of operands, with these."""
        op = equation.op
        assert isinstance(op, StructuredOp)
        slots, programs = op.slots(equation), op.results(equation.params)
        operands = {s.formal: equation.inputs[s.operand] for s in slots if s.operand is not None}
        yields = {
            slot: [
                {program.inputs.index(var) for var in self._of(program).get(program.outputs[slot.yielded], ())}
                for program in programs
            ]
            for slot in slots
            if slot.result is not None and slot.yielded is not None and equation.outputs[slot.result].type.size > 1
        }
        after = {slot.formal: ways for slot, ways in yields.items() if isinstance(op, Loop)}
        found = {}
        for slot, ways in yields.items():
            # What a loop leaves is what it begins with, or what a step leaves of that.
            formals = list(dict.fromkeys([slot.formal] if slot.formal in after else itertools.chain(*ways)))
            for formal in formals:
                ways = [*ways, *after.get(formal, ())]
                formals += [k for k in itertools.chain(*after.get(formal, ())) if k not in formals]
            if all(ways) and all(formal in operands for formal in formals):
                found[equation.outputs[slot.result or 0]] = [operands[formal] for formal in formals]
        return found


class Addresses:
    """The addresses of arrays that may change places, each a phi from where a step begins.

    After the loop each array is brought back to where it was, where it is not there.

    `types`: of these arrays, by their places.
    """

    def __init__(self, memory: Memory, types: Mapping[int, ArrayType]) -> None:
        self._memory = memory
        self.types = types
        self._held = {place: memory.code.hold() for place in types}
        self._before = {place: memory.move(place, memory.code.fresh(), type) for place, type in types.items()}
        self._homes = {place: pointer for place, (pointer, _) in self._before.items()}
        self._after = {place: memory.pointer(place) for place in types}
        memory.code.apart |= set(self._after.values())

    def take(self, sources: Mapping[int, LazyArray]) -> list[int]:
        """Those of the places whose arrays come from others of them, at the end of a step, and go to others.

        `sources`: the next array of a place, in memory or chosen of such, by the place.
        """
        homes = {place: self._ways(array) for place, array in sources.items() if place in self._homes}
        left: set[int] = set()
        while homes.keys() != left:
            left = set(homes)
            going = {source for _, source in itertools.chain.from_iterable(homes.values())}
            homes = {
                place: ways
                for place, ways in homes.items()
                if place in going and all(source in left for _, source in ways)
            }
        if not _is_order(homes):
            return []
        for place in homes:
            self._after[place] = self._pointer(sources[place])
        return list(homes)

    def _ways(self, array: LazyArray) -> list[_Way]:
        """Where an array lies, with the truths of the conditions that decide it."""
        if array.choice is None:
            return [({}, self._memory.place_of(array.memory))]
        pred, *arrays = array.choice
        rows = zip((True, False), arrays, strict=True)
        return [
            ({**truths, pred: truth}, place)
            for truth, one in rows
            for truths, place in self._ways(one)
            if truths.get(pred, truth) == truth
        ]

    def _pointer(self, array: LazyArray) -> str:
        if array.choice is None:
            return self._memory.pointer(self._memory.place_of(array.memory))
        pred, first, second = array.choice
        code, pointers = self._memory.code, (self._pointer(first), self._pointer(second))
        return code.emit(f"select i1 {pred}, ptr {pointers[0]}, ptr {pointers[1]}")

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


def _is_order(homes: Mapping[int, Sequence[_Way]]) -> bool:
    """Return whether no two places get one array, whatever the conditions are."""
    for ways, others in itertools.combinations(homes.values(), 2):
        for (truths, place), (other_truths, other) in itertools.product(ways, others):
            if place == other and all(other_truths.get(pred, truth) == truth for pred, truth in truths.items()):
                return False
    return True

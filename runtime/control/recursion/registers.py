"""Registers: where the values of a recursive function lie from one block to the next.

Values that are not needed at the same time may have one register. An array that is written in place has the same one
all the way, so that no block copies it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anabranch.runtime.control.recursion.program_points import Block, Call, Jump, ProgramPoints, Return
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Var


class Liveness:
    """The values from before a block that it, or one after it in the same call, needs."""

    def __init__(self, points: ProgramPoints, blocks: Sequence[Block]) -> None:
        fixed = set(points.constants)
        own: dict[Block, dict[Var, None]] = {}
        made: dict[Block, set[Var]] = {}
        for block in blocks:
            made[block] = {*block.asked, *(v for e in block.equations for v in e.outputs)}
            used = [*(a for e in block.equations for a in e.inputs), *block.used_at_end]
            own[block] = {a: None for a in used if isinstance(a, Var) and a not in made[block] and a not in fixed}
        # By block, without what it asks for and without constants, in order of their first use.
        self.before = {block: dict(own[block]) for block in blocks}
        changes = True
        while changes:
            changes = False
            for block in reversed(blocks):
                for target in block.targets:
                    for var in self.before[target]:
                        if var not in made[block] and var not in self.before[block]:
                            self.before[block][var] = None
                            changes = True


class Registers:
    """The registers of a function's values.

    Parameters
    ----------
    blocks : sequence of Block
        Those that a dispatch leads to.
    results : tuple of Var
        The results of a call, as its caller finds them.
    """

    def __init__(
        self, points: ProgramPoints, blocks: Sequence[Block], live: Liveness, results: tuple[Var, ...]
    ) -> None:
        self._parents: dict[Var, Var] = {}
        self._conflicts: dict[Var, set[Var]] = {}
        continued = {b.end.then for b in live.before if isinstance(b.end, Call)}
        self._together(results)
        for block in blocks:
            self._together(live.before[block] if block in continued else (*live.before[block], *block.asked))
        self._join_copies(points, list(live.before), results)
        roots = list(dict.fromkeys(map(self._root, self._parents)))
        self._share_scalars(roots)
        roots = list(dict.fromkeys(map(self._root, self._parents)))
        self._numbers = {root: n for n, root in enumerate(roots)}
        self.types: list[ArrayType] = [root.type for root in roots]  # by the number of the register

    def of(self, var: Var) -> int:
        """The number of a value's register."""
        return self._numbers[self._root(var)]

    def _together(self, values: Iterable[Var]) -> None:
        """Note values that are needed at the same time."""
        found = list(dict.fromkeys(values))
        for var in found:
            self._parents.setdefault(var, var)
            self._conflicts.setdefault(var, set()).update(found)
        for var in found:
            self._conflicts[var].discard(var)

    def _root(self, var: Var) -> Var:
        while self._parents[var] is not var:
            var = self._parents[var]
        return var

    def _join(self, one: Atom, other: Atom) -> None:
        """Give two values one register, where neither is needed while the other is."""
        if not (isinstance(one, Var) and isinstance(other, Var)) or one.type != other.type:
            return
        if one not in self._parents or other not in self._parents:
            return
        a, b = self._root(one), self._root(other)
        if a is b or any(self._root(v) is b for v in self._conflicts[a]):
            return
        self._parents[b] = a
        self._conflicts[a] |= self._conflicts[b]

    def _join_copies(self, points: ProgramPoints, blocks: Sequence[Block], results: tuple[Var, ...]) -> None:
        """Join what is handed on with what it is there, and arrays with what they become."""
        # What a call may change stands last among its arguments and its results.
        for argument, result in zip(reversed(points.entry.asked), reversed(results), strict=False):
            self._join(argument, result)
        origins = self._origins(blocks)
        for block in blocks:
            match block.end:
                case Jump(target, given):
                    pairs = list(zip(target.asked, given, strict=True))
                case Call(given, then):
                    pairs = [*zip(points.entry.asked, given, strict=True), *zip(results, then.asked, strict=True)]
                case Return(values):
                    pairs = list(zip(results, values, strict=True))
                case _:
                    pairs = []
            for one, other in sorted(pairs, key=lambda pair: -pair[0].type.size):
                self._join(one, origins.get(other, other))

    def _origins(self, blocks: Sequence[Block]) -> dict[Atom, Atom]:
        """For arrays that blocks compute, the one with a register that they have come of."""
        found: dict[Atom, Atom] = {}
        for block in blocks:
            for equation in block.equations:
                for output in equation.outputs:
                    alike = [found.get(a, a) for a in equation.inputs if a.type == output.type]
                    origin = next((a for a in alike if a in self._parents), None) if output.type.size > 1 else None
                    if output in self._parents:
                        if origin is not None:
                            self._join(origin, output)
                    elif origin is not None:
                        found[output] = origin
        return found

    def _share_scalars(self, roots: Sequence[Var]) -> None:
        """Let scalars of one type that are not needed at the same time have one register."""
        for place, one in enumerate(roots):
            if one.type.shape == ():
                for other in roots[place + 1 :]:
                    self._join(one, other)

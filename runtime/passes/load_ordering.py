"""Load ordering: what was read of an array before a write, and is needed after it, is read before the write.

`x[i], x[j] = x[j], x[i]` reads both elements before it writes one. XLA fuses a load into what uses it, here the second
write, which would then read x as it was before the first one: XLA would copy all of x, at each step of a loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.buffers import materialize
from anabranch.runtime.ops.structured import Branches, Loop, carries
from anabranch.runtime.passes.overlap_analysis import Makers, makers_of, memory_of

# How much smaller than its array a value is that gets a buffer of its own, and how many arrays are told apart of those
# that a value is computed from.
_SMALLER, _MOST = 4, 8


@in_sub_programs
def order_loads(program: Program) -> Program:
    """The Program in which such values are complete before the write."""
    makers = makers_of(program)
    written = {array: i for i, e in enumerate(program.equations) for array in _written(e, makers)}
    if not written:
        return program
    needed = {atom: i for i, equation in enumerate(program.equations) for atom in equation.inputs}
    # The arrays that a value is computed from by what XLA fuses into its uses, and the other way round.
    sources: dict[Atom, frozenset[Var]] = {}
    computed: dict[Var, list[Var]] = {}
    places = iter(range(len(program.equations)))

    def ordered(equation: Equation, block: Block) -> Sequence[Atom] | None:
        place = next(places)
        for array in _written(equation, makers):
            late = [v for v in computed.pop(array, ()) if needed.get(v, -1) > place and v not in block.names]
            late = [v for v in late if v.type.size * _SMALLER <= array.type.size]
            if late:
                complete = tuple([Var(v.type) for v in late])
                block.append(Equation(materialize, tuple(late), {}, complete, equation.source))
                block.names.update(zip(late, complete, strict=True))
        if equation.op.update is None and not equation.op.is_materialized:
            read = {memory_of(a, makers) for a in equation.inputs if isinstance(a, Var)}
            found = {a for a in read if written.get(a, -1) > place}.union(
                *(sources.get(a, ()) for a in equation.inputs)
            )
            for output in equation.outputs if len(found) <= _MOST else ():
                sources[output] = frozenset(found)
                for array in found:
                    computed.setdefault(array, []).append(output)
        return None

    return rewrite(program, ordered)


def _written(equation: Equation, makers: Makers) -> Iterable[Var]:
    """The arrays whose memory the results of an equation may take over."""
    arrays: Iterable[Atom] = equation.inputs[:1] if equation.op.update is not None else ()
    if isinstance(equation.op, Loop):
        arrays = [array for array, _ in carries(equation)]
    elif isinstance(equation.op, Branches):
        types = {output.type for output in equation.outputs}
        arrays = [a for a in equation.inputs if a.type in types]
    return [memory_of(a, makers) for a in arrays if isinstance(a, Var) and a.type.size > 1]

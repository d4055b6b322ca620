"""The values that are written to memory before others are computed from them: else they would be computed again."""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence

from anabranch.runtime.ir.program import Atom, Equation
from anabranch.runtime.native.library_ufuncs import takes_whole
from anabranch.runtime.ops.buffers import materialize
from anabranch.runtime.ops.indexing import gather
from anabranch.runtime.ops.op import PartOp
from anabranch.runtime.ops.shape import broadcast_in_dim, pad
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

# From so many operations for an element on: of a value of which some equation reads each element several times, and how
# many times these are; of one of which so many parts are read; and of one that several loops read.
_LEAST_SPREAD, _READ_OFTEN, _LEAST_IN_PARTS, _LEAST_IN_LOOPS = 2, 4, 6, 16
# Of arrays with padding around them, which a choice for each element makes, whatever they are of: so many bytes of such
# as lie in the processor's cache, and any of elements of so few bytes, of which one instruction moves many.
_PADDED_BYTES, _NARROW_BYTES = 2**22, 2
# The same of one whose elements are read in their places and, many of them, in others.
_LEAST_MOVED = 4


def least_costs(equations: Sequence[Equation], outputs: Sequence[Atom]) -> Mapping[Atom, int]:
    """From how many operations for an element on values are written, as far as it depends on what reads them."""
    found: dict[Atom, int] = dict.fromkeys(_in_several_loops(equations, outputs), _LEAST_IN_LOOPS)
    found |= {atom: 0 if _is_padded(maker) else _LEAST_IN_PARTS for atom, maker in _in_parts(equations).items()}
    found |= dict.fromkeys(_moved(equations), _LEAST_MOVED)
    found |= dict.fromkeys(_spread(equations), _LEAST_SPREAD)
    return found | dict.fromkeys(_completed(equations), 0)


def _completed(equations: Sequence[Equation]) -> set[Atom]:
    """The values that are complete before what is computed from them begins: what that writes to is read before.

    A block that is written and no more is not among them: how it is read and written is the store's to say.
    """
    found: set[Atom] = {atom for equation in equations if equation.op is materialize for atom in equation.outputs}
    if not found:
        return set()
    places = ((equation, k, atom) for equation in equations for k, atom in enumerate(equation.inputs))
    return found.intersection(atom for equation, k, atom in places if equation.op.update != k)


def _spread(equations: Sequence[Equation]) -> set[Atom]:
    """The values of which an equation reads each element several times."""
    return {
        equation.inputs[0]
        for equation in equations
        if equation.op in (broadcast_in_dim, gather)
        and equation.outputs[0].type.size >= _READ_OFTEN * equation.inputs[0].type.size
    }


def _moved(equations: Sequence[Equation]) -> set[Atom]:
    """The values of which many elements are read at other places, and that something else reads in their places."""
    moved = {e.inputs[0] for e in equations if e.op is gather and e.outputs[0].type.size >= e.inputs[0].type.size}
    return {atom for e in equations if e.op is not gather for atom in e.inputs if atom in moved}


def _in_parts(equations: Sequence[Equation]) -> dict[Atom, Equation | None]:
    """The values of which equations read so many parts that each element is read several times, and what makes them."""
    read: collections.Counter[Atom] = collections.Counter()
    for equation in equations:
        if isinstance(equation.op, PartOp):
            read[equation.inputs[0]] += equation.outputs[0].type.size
    often = {atom: None for atom, count in read.items() if count >= _READ_OFTEN * atom.type.size}
    makers = {atom: equation for equation in equations for atom in equation.outputs if atom in often}
    return often | makers


def _is_padded(maker: Equation | None) -> bool:
    """Return whether an array with padding around it is written in less time than it takes to choose its elements."""
    if maker is None or maker.op is not pad:
        return False
    type = maker.outputs[0].type
    return type.dtype.itemsize <= _NARROW_BYTES or type.nbytes <= _PADDED_BYTES


def _in_several_loops(equations: Sequence[Equation], outputs: Sequence[Atom]) -> set[Atom]:
    """The values that several loops read, and of those that are computed from each other the last one."""
    loops: dict[Atom, frozenset[int]] = collections.defaultdict(frozenset)
    for number, atom in enumerate(outputs):
        loops[atom] |= {-1 - number}
    shared: set[Atom] = set()
    for number, equation in reversed(list(enumerate(equations))):
        result = equation.outputs[0] if len(equation.outputs) == 1 else None
        is_lazy = result is not None and _is_lazy(equation)
        if result is not None and is_lazy and result.type.size <= MOST_ELEMENTS:
            continue
        own = loops[result] if result is not None and is_lazy else frozenset([number])
        for atom in equation.inputs:
            if atom.type.size > MOST_ELEMENTS:
                if is_lazy and own >= loops[atom]:
                    shared.discard(atom)
                elif not own <= loops[atom]:
                    shared.add(atom)
                loops[atom] |= own
    return {atom for atom in shared if len(loops[atom]) > 1}


def _is_lazy(equation: Equation) -> bool:
    """Return whether an element of the result is computed where it is needed."""
    op = equation.op
    is_moved = op.is_view or isinstance(op, PartOp) or op in (broadcast_in_dim, gather)
    return is_moved or (op.is_elementwise and not takes_whole(equation))

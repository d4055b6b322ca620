"""Slice composition: an element of a row of an array is read, and written, in the array itself.

`row = a[i]; row[j] = v` is the row, with an element replaced, put back into the array: two copies of the row for each
element that is written.
"""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.indexing import dynamic_slice, dynamic_update_slice
from anabranch.runtime.ops.shape import reshape, slice_
from anabranch.runtime.passes.def_use import DefUse


@frozen(eq=False)
class _View:
    """A block of an array, without some of its axes of length 1."""

    array: Atom
    starts: Sequence[Atom]  # where the block begins on each axis
    sizes: tuple[int, ...]
    kept: tuple[int, ...]  # the array's axes that the view's axes are

    def composed(self, starts: Sequence[Atom], shape: tuple[int, ...]) -> tuple[list[Atom], tuple[int, ...]] | None:
        """Where a block of the view begins in the array, and its sizes there; None where that has to be computed.

        On each axis the view is one element long, or has all: what clamps one start to it does not change the other.
        """
        found, sizes = list(self.starts), [1] * len(self.sizes)
        for start, size, axis in zip(starts, shape, self.kept, strict=True):
            if self.sizes[axis] == self.array.type.shape[axis]:
                found[axis], sizes[axis] = start, size
            elif self.sizes[axis] != 1 or size != 1:
                return None
        return found, tuple(sizes)


@in_sub_programs
def compose_slices(program: Program) -> Program:
    """The Program in which parts of blocks of arrays are parts of the arrays."""
    while (after := _composed_once(program)) is not program:
        program = after  # a row of a page, as a part of the page, is a block of which there are parts, too
    return program


def _composed_once(program: Program) -> Program:
    defs = DefUse(program)

    def composed(equation: Equation, block: Block) -> Sequence[Atom] | None:
        if equation.op is dynamic_update_slice:
            return _written(equation, block, defs)
        part = defs.part(equation.outputs[0]) if equation.op in (dynamic_slice, slice_) else None
        return None if part is None else _read(equation, *part, block, defs)

    return rewrite(program, composed)


def _read(equation: Equation, whole: Atom, within: Sequence[Atom], block: Block, defs: DefUse) -> Sequence[Atom] | None:
    """A part of a block of an array, as a part of the array."""
    (out,) = equation.outputs
    view = _view(whole, defs)
    if view is None or not defs.stays(view.array, -1, defs.made[out]):
        return None
    at = view.composed(within, out.type.shape)
    if at is None:
        return None
    return [_reshaped(_block(view.array, *at, equation, block), out.type.shape, equation, block)]


def _block(array: Atom, starts: Sequence[Atom], sizes: Sequence[int], equation: Equation, block: Block) -> Atom:
    """A block of an array; at places that are known, a static slice."""
    if not all(isinstance(start, Literal) for start in starts):
        operands = map(block.read, (array, *starts))
        return block.emit(dynamic_slice, *operands, source=equation.source, sizes=tuple(sizes))
    rows = zip(starts, sizes, array.type.shape, strict=True)
    first = [min(max(int(start.value), 0), n - size) for start, size, n in rows if isinstance(start, Literal)]
    limits = tuple(start + size for start, size in zip(first, sizes, strict=True))
    return block.emit(
        slice_, block.read(array), source=equation.source, starts=tuple(first), limits=limits, strides=(1,) * len(first)
    )


def _written(equation: Equation, block: Block, defs: DefUse) -> Sequence[Atom] | None:
    """A block put back into the array, with a part of it replaced, as the part put there."""
    (out,) = equation.outputs
    array, whole, *starts = defs.equations[defs.made[out]].inputs
    maker = defs.maker(_not_reshaped(whole, defs))
    if maker is None or maker.op is not dynamic_update_slice:
        return None
    before, part, *within = maker.inputs
    view = _view(before, defs)
    if view is None or view.sizes != whole.type.shape or not _same((array, *starts), (view.array, *view.starts), defs):
        return None
    at = view.composed(within, part.type.shape)
    if at is None:
        return None
    places, sizes = at
    update = _reshaped(block.read(part), sizes, equation, block)
    operands = (block.read(array), update, *map(block.read, places))
    return [block.emit(dynamic_update_slice, *operands, source=equation.source)]


def _same(some: Sequence[Atom], others: Sequence[Atom], defs: DefUse) -> bool:
    return all(defs.key(a) == defs.key(b) for a, b in zip(some, others, strict=True))


def _reshaped(atom: Atom, shape: tuple[int, ...], equation: Equation, block: Block) -> Atom:
    return atom if atom.type.shape == shape else block.emit(reshape, atom, source=equation.source, shape=shape)


def _not_reshaped(atom: Atom, defs: DefUse) -> Atom:
    """The value that an atom is a reshaped form of."""
    while (maker := defs.maker(atom)) is not None and maker.op is reshape:
        atom = maker.inputs[0]
    return atom


def _view(atom: Atom, defs: DefUse) -> _View | None:
    """The block that a value is; None for other values."""
    inside = _not_reshaped(atom, defs)
    part = defs.part(inside)
    kept = None if part is None else _kept(inside.type.shape, atom.type.shape)
    if part is None or kept is None:
        return None
    return _View(part[0], part[1], inside.type.shape, kept)


def _kept(sizes: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The axes that are left of a block where axes of length 1 are taken out; None where that gives another shape."""
    kept: list[int] = []
    axis = 0
    for length in shape:
        while axis < len(sizes) and sizes[axis] != length and sizes[axis] == 1:
            axis += 1
        if axis == len(sizes) or sizes[axis] != length:
            return None
        kept.append(axis)
        axis += 1
    return tuple(kept) if all(n == 1 for n in sizes[axis:]) else None

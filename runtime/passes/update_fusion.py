"""Update fusion: strips that are written from themselves, or in a window only, become windowed updates.

`a[i, k:] -= a[i, j] * a[j, k:]` is a row that is read, computed under a mask and written as a whole. A windowed update
reads and writes the elements in the window, and reads each position before it writes it.
"""

from __future__ import annotations

from anabranch.runtime.ir.program import Atom, Equation
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.indexing import dynamic_update_slice, strided_update
from anabranch.runtime.ops.shape import reshape
from anabranch.runtime.ops.windowed_update import windowed_update
from anabranch.runtime.passes.def_use import DefUse, known
from anabranch.runtime.passes.elementwise_slice import ZERO, BackwardSlice, is_elementwise
from anabranch.runtime.passes.window_analysis import Bounds, Windows


def fused_update(equation: Equation, defs: DefUse, at: int) -> list[Equation] | None:
    """The equations that stand for a write of a strip; None where it stays."""
    if equation.op not in (dynamic_update_slice, strided_update):
        return None
    target, block, *starts = equation.inputs
    if equation.op is strided_update:
        if any(s != 1 for s in equation.params["strides"]):
            return None
        starts = list(known(equation.params["starts"]))
    if sum(n != 1 for n in block.type.shape) != 1:
        return None
    (axis,) = (i for i, n in enumerate(block.type.shape) if n != 1)
    length = block.type.shape[axis]
    value = _unshaped(block, defs)
    maker = defs.maker(value)
    if maker is None or not is_elementwise(maker) or target.type.shape[axis] != length or len(value.type.shape) != 1:
        return None
    starts[axis] = ZERO
    windows = Windows(defs, "add")
    bounds = _bounds(maker, target, starts, defs, windows)
    slice_ = BackwardSlice(defs, windows, at, length, bounds)
    written = slice_.read(target, starts, axis)
    element = slice_.lane(value)
    own = _own(slice_, target, axis)
    used = len(own or ()) > 1 or element is written or any(written in e.inputs for e in slice_.body.equations)
    if own is None or not (bounds or used):
        return None
    operands = [a for i, (_, atoms) in enumerate(slice_.strips) for a in (atoms[1:] if i in own else atoms)]
    params = {"body": slice_.program(element), "strips": slice_.shapes(), "own": own, "length": length}
    inputs = (*slice_.limits(bounds), target, *operands, *slice_.shared)
    return [*slice_.before.equations, Equation(windowed_update, inputs, params, equation.outputs, equation.source)]


def _unshaped(block: Atom, defs: DefUse) -> Atom:
    """Return the vector that a block of a higher rank is a reshape of."""
    maker = defs.maker(block)
    if maker is not None and maker.op is reshape and len(maker.inputs[0].type.shape) == 1:
        return maker.inputs[0]
    return block


def _bounds(maker: Equation, target: Atom, starts: list[Atom], defs: DefUse, windows: Windows) -> Bounds:
    """The bounds outside of which the strip keeps its elements."""
    if maker.op is not select:
        return {}
    mask, _, other = maker.inputs
    part = defs.part(_unread(other, defs))
    if part is None or part[0] is not target:
        return {}
    # The strip goes along the whole of its axis, so that its start there is nothing but 0.
    pairs = zip(part[1], starts, strict=True)
    alike = all(defs.key(a) == defs.key(b) for a, b in pairs if b is not ZERO)
    return windows.where(mask) if alike else {}


def _unread(vector: Atom, defs: DefUse) -> Atom:
    maker = defs.maker(vector)
    return maker.inputs[0] if maker is not None and maker.op is reshape else vector


def _own(slice_: BackwardSlice, target: Atom, axis: int) -> tuple[int, ...] | None:
    """The numbers of the target's strips; None where one runs another way, and may be read after it is written."""
    if target in slice_.shared:
        return None
    own = []
    for i, (strip, (array, *starts)) in enumerate(slice_.strips):
        if array is target:
            if strip.axis != axis or starts[axis] is not ZERO:
                return None
            own.append(i)
    return tuple(own)

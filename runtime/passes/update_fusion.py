"""Lines that are written from themselves, or in a window only, become patches.

`a[i, k:] -= a[i, j] * a[j, k:]` is a row that is read, computed under a mask and written as a whole. A patch reads and
writes what is in the window, and each position of it is read before it is written.
"""

from __future__ import annotations

from anabranch.runtime.ir.program import Atom, Equation
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.passes.def_use import Scope, known
from anabranch.runtime.passes.elementwise_slice import ZERO, Cone, is_elementwise
from anabranch.runtime.passes.window_analysis import Bounds, Windows


def patched(equation: Equation, scope: Scope, at: int) -> list[Equation] | None:
    """The equations that stand for a write of a line; None where it stays."""
    if equation.op.name not in ("dynamic_update_slice", "strided_update"):
        return None
    target, block, *starts = equation.inputs
    if equation.op.name == "strided_update":
        if any(s != 1 for s in equation.params["strides"]):
            return None
        starts = list(known(equation.params["starts"]))
    if sum(n != 1 for n in block.type.shape) != 1:
        return None
    (axis,) = (i for i, n in enumerate(block.type.shape) if n != 1)
    length = block.type.shape[axis]
    value = _unshaped(block, scope)
    maker = scope.maker(value)
    if maker is None or not is_elementwise(maker) or target.type.shape[axis] != length or len(value.type.shape) != 1:
        return None
    starts[axis] = ZERO
    windows = Windows(scope, "add")
    bounds = _bounds(maker, target, starts, scope, windows)
    cone = Cone(scope, windows, at, length, bounds)
    written = cone.read(target, starts, axis)
    element = cone.lane(value)
    own = _own(cone, target, axis)
    used = len(own or ()) > 1 or element is written or any(written in e.inputs for e in cone.equations)
    if own is None or not (bounds or used):
        return None
    operands = [a for i, (_, atoms) in enumerate(cone.lines) for a in (atoms[1:] if i in own else atoms)]
    params = {"body": cone.program(element), "lines": cone.shapes(), "own": own, "length": length}
    inputs = (*cone.limits(bounds), target, *operands, *cone.shared)
    return [*cone.before, Equation(OPS["patch"], inputs, params, equation.outputs, equation.source)]


def _unshaped(block: Atom, scope: Scope) -> Atom:
    """The line that a block of a higher rank is."""
    maker = scope.maker(block)
    if maker is not None and maker.op.name == "reshape" and len(maker.inputs[0].type.shape) == 1:
        return maker.inputs[0]
    return block


def _bounds(maker: Equation, target: Atom, starts: list[Atom], scope: Scope, windows: Windows) -> Bounds:
    """Outside of these bounds the line stays what it is."""
    if maker.op.name != "select":
        return {}
    mask, _, other = maker.inputs
    part = scope.part(_unread(other, scope))
    if part is None or part[0] is not target:
        return {}
    # The line goes along the whole of its axis, so that its start there is nothing but 0.
    places = zip(part[1], starts, strict=True)
    alike = all(scope.key(a) == scope.key(b) for a, b in places if b is not ZERO)
    return windows.where(mask) if alike else {}


def _unread(line: Atom, scope: Scope) -> Atom:
    maker = scope.maker(line)
    return maker.inputs[0] if maker is not None and maker.op.name == "reshape" else line


def _own(cone: Cone, target: Atom, axis: int) -> tuple[int, ...] | None:
    """The numbers of the lines of the target; None where one runs another way, and may be read after it is written."""
    if target in cone.shared:
        return None
    own = []
    for i, (line, (array, *starts)) in enumerate(cone.lines):
        if array is target:
            if line.axis != axis or starts[axis] is not ZERO:
                return None
            own.append(i)
    return tuple(own)

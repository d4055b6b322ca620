"""How much memory a Program touches, as far as a choice of lowering needs it."""

from __future__ import annotations

from anabranch.runtime.ir.program import ArrayType, Equation, Program

# A loop whose step touches at most so many bytes runs fastest as one native loop; beyond that, XLA's kernels, which use
# vector libraries and several threads, win.
_SMALL = 128 * 1024
# These go through memory in small chunks, and are made to be part of an outlined function.
_CHUNKED = frozenset({"windowed_reduce", "windowed_update"})
_CHUNK = 1024
# These read a part of their first operand, or change it in place.
_PARTIAL = frozenset({"dynamic_slice", "slice", "gather", "reshape"})
_IN_PLACE = frozenset({"dynamic_update_slice", "scatter", "strided_update"})
# Calls of functions, of this process or of a library, or of native code, which a native loop cannot make; nor can it
# scatter more than one block.
_CALLS = frozenset(
    {
        "host_callback", "fft", "lu", "solve", "cholesky", "qr", "reflections", "svd", "eigh", "eig", "sort", "argsort",
        "materialize",
    }
)  # fmt: skip
# Library calls and passes of XLA that a native loop would lose.
_LARGE = frozenset({"dot_general"})


def is_small(program: Program) -> bool:
    """Return whether one run of the Program (of a loop's body, one step) touches little memory."""
    return _left(program, _SMALL) >= 0


def _bytes(type: ArrayType) -> int:
    return type.size * type.dtype.itemsize


def _left(program: Program, budget: int) -> int:
    """Return the rest of a budget after a run; below 0 as soon as it is known to be exceeded."""
    for equation in program.equations:
        inner = () if equation.op.name in _CHUNKED else tuple(equation.programs())
        for held in inner:
            budget = _left(held, budget)
        if not inner:
            budget -= _touched(equation)
        if budget < 0:
            break
    return budget


def _touched(equation: Equation) -> int:
    """Return the bytes that an equation without sub-Programs reads and writes, or the cost that stands for them."""
    name = equation.op.name
    if name in _CHUNKED:
        return _CHUNK
    sizes = [_bytes(a.type) for a in equation.inputs]
    out = sum(_bytes(v.type) for v in equation.outputs)
    if name in _CALLS or (name == "scatter" and len(equation.inputs[1].type.shape) > 1):
        return _SMALL + 1
    if name in _LARGE:
        return 64 * (out + sum(sizes))
    if name in _IN_PLACE:
        return 2 * sum(sizes[1:])
    if name in _PARTIAL:
        return 2 * out
    return out + sum(sizes)

"""Sums of products over pairs of axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.program import Atom, Var
from anabranch.runtime.ops.shape import transpose
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms


def dot_general(
    x: Atom,
    y: Atom,
    contract: tuple[Sequence[int], Sequence[int]],
    batch: tuple[Sequence[int], Sequence[int]] = ((), ()),
) -> Atom:
    """Batch axes first, then the rest of x, then the rest of y."""
    if x.type.dtype.kind == "b" and not batch[0] and len(contract[0]) == 1 == min(len(x.type.shape), len(y.type.shape)):
        return _any_true(x, y, contract[0][0]) if len(y.type.shape) == 1 else _any_true(y, x, contract[1][0])
    summed = [tuple(axes) for axes in contract]
    if not batch[0]:
        x, summed[0] = _untransposed(x, summed[0])
        y, summed[1] = _untransposed(y, summed[1])
    return atoms.op("dot_general", x, y, contract=tuple(summed), batch=(tuple(batch[0]), tuple(batch[1])))


def _any_true(array: Atom, vector: Atom, axis: int) -> Atom:
    """The product of bools with a vector along an axis: a search, which ends where one is found."""
    shape = array.type.shape
    line = atoms.reshape(vector, (shape[axis], *[1] * (len(shape) - axis - 1)))
    both = atoms.ufunc(np.logical_and, array, atoms.broadcast_to(line, shape))
    return atoms.op("reduce_any", both, axes=(axis,))


def added_up(x: Atom, y: Atom, axes: tuple[list[int], list[int]]) -> Atom:
    """The sums of products; of single elements of BLAS's types NumPy gives the product, without a 0.0 added to it."""
    if x.type.size == y.type.size == 1 and x.type.dtype.char in "fdFD":
        shape = (1,) * (len(x.type.shape) + len(y.type.shape) - 2 * len(axes[0]))
        return atoms.ufunc(np.multiply, atoms.reshape(x, shape), atoms.reshape(y, shape))
    return dot_general(x, y, axes)


def _untransposed(x: Atom, axes: tuple[int, ...]) -> tuple[Atom, tuple[int, ...]]:
    """The matrix that one, of which an axis is summed over, is the transpose of, or itself; and that axis of it."""
    maker = current().maker(x) if isinstance(x, Var) and len(x.type.shape) == 2 and len(axes) == 1 else None
    if maker is None or maker.op is not transpose:
        return x, axes
    return maker.inputs[0], (maker.params["axes"][axes[0]],)

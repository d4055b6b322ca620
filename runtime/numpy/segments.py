"""`ufunc.reduceat`: reductions of segments of an axis."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands, ufunc_reductions
from anabranch.runtime.numpy.core import fresh, one_axis, zeros_atom
from anabranch.runtime.numpy.operands import Operand
from anabranch.runtime.numpy.outputs import written
from anabranch.runtime.numpy.positions import refuse_outside
from anabranch.runtime.numpy.ufunc_reductions import ReductionKeywords
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.failures import run_time_checks


def reduceat(ufunc: np.ufunc, array: object, indices: object, axis: object, dtype: object, out: object) -> Value:
    """As `ufunc.reduceat`, of arrays and starts of static and of run-time size alike."""
    x, starts = operands.array(array), operands.array(indices)
    if not x.ndim:
        raise TypeError("cannot reduceat on a scalar")
    if starts.ndim > 1:
        raise ValueError("object too deep for desired array")
    if starts.dtype.kind not in "biu" and not isinstance(indices, (list, tuple)):
        raise TypeError(f"Cannot cast array data from {starts.dtype!r} to dtype('int64') according to the rule 'safe'")
    whole, front, at = Operand.of(x), Operand.of(operands.left_packed(operands.flat(starts))), one_axis(axis, x.ndim)
    whole.front(at)
    size = whole.shape[at]
    places = _checked(ufunc, front, size)
    dtypes = ufunc_reductions.loop_dtypes(ufunc, x.dtype, ReductionKeywords(dtype=dtype, out=out))
    value = ufunc_reductions.reduceat_atom(ufunc, whole.value, places, at, dtypes, size_arithmetic.atom_of(size))
    whole.extents[at] = front.extents[0]
    return written(out, wrap.with_extents(fresh(value), whole.extents, operands.origin(x, starts)))


def _checked(ufunc: np.ufunc, starts: Operand, size: Bound) -> Atom:
    """The starts of the segments, each a position in the array; the end of the array where there is none."""
    line, valid = atoms.convert(starts.value, np.int64), starts.valid()
    text = f"index {{}} out-of-bounds in {ufunc.__name__}.reduceat [0, {{}})"
    if isinstance(size, int) and valid is None:
        refuse_outside(line, 0, size, run_time_checks.IntMessage(IndexError, text.format("{}", size)))
        return line
    if not line.type.size:
        return line
    end = atoms.broadcast_to(size_arithmetic.atom_of(size), line.type.shape)
    wrong = atoms.logical_or(
        atoms.ufunc(np.less, line, zeros_atom(line.type.shape, np.int64)), atoms.ufunc(np.greater_equal, line, end)
    )
    wrong = wrong if valid is None else atoms.logical_and(wrong, valid)
    if settings().checks:
        first = compaction.taken(line, 0, atoms.reshape(atoms.op("argmax", wrong, axis=0), (1,)))
        found = size_arithmetic.bound_of(fresh(atoms.reshape(first, ())))
        broadcasting.refuse(atoms.op("reduce_any", wrong, axes=(0,)), IndexError, text, found, size)
    # An invalid start ends the segment before it.
    return line if valid is None else atoms.select(valid, line, end)

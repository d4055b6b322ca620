"""`ufunc.at`: an operation on some elements of an array, one after the other, in place."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.ir.program import Atom, Program
from anabranch.runtime.numpy import operands, sequential_loops, ufunc_reductions
from anabranch.runtime.numpy.core import NoValue, atom_of, fresh, handle, iota, one_axis, zeros_atom
from anabranch.runtime.numpy.operands import Operand
from anabranch.runtime.numpy.outputs import written
from anabranch.runtime.numpy.positions import refuse_outside
from anabranch.runtime.numpy.ufunc_reductions import ReductionKeywords
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.tracing.builder import Builder, building, current
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.failures import run_time_checks

_SCATTERED = frozenset(
    ("add", "subtract", "multiply", "minimum", "maximum", "bitwise_and", "bitwise_or", "bitwise_xor")
)  # what the scatter op combines with
# Of these the last digits of a sum depend on those of the operands alone.
_WRAPPING = frozenset(("add", "subtract", "multiply"))


def scatter_at(ufunc: np.ufunc, a: Value, indices: Value, b: Value) -> None:
    """`ufunc.at(a, indices, b)`, by way of the flat positions that the indices select.

    The second operand counts as an array (no Python number is weak), and each step's result is cast back.
    """
    memory = operands.memory(a)
    where, target = _places(a, indices)
    count = where.type.size
    given = []
    if b is not NoValue:
        value = atoms.broadcast_to(atom_of(b), where.type.shape) if target is None else _fitted(b, target)
        given.append(atoms.reshape(value, (count,)))
    if not count:
        return
    flat, places = atoms.reshape(memory.atom, (memory.size,)), atoms.reshape(where, (count, 1))
    if target is not None:  # invalid elements go to a position of their own, which is cut off afterwards
        flat = compaction.extended(flat, 0, 0, 1)
    loop = ufunc.resolve_dtypes((a.dtype, *(o.type.dtype for o in given), None))
    if given and ufunc.__name__ in _SCATTERED and _commutes(ufunc, a.dtype, loop[-1]):
        updates = atoms.convert(given[0], a.dtype)
        written = atoms.op("scatter", flat, places, updates, combine=ufunc.__name__)
    else:
        if given:
            sequential_loops.UfuncLoop(ufunc, loop).check(given[0])
        written = _one_by_one(ufunc, loop, flat, places, given)
    memory.set(atoms.reshape(compaction.resized(written, 0, memory.size), memory.shape))


def _places(a: Value, indices: Value) -> tuple[Atom, Value]:
    """The flat positions in an array's buffer that indices select, and the array of them where not all are valid."""
    view = operands.memory(a)
    grid = wrap.with_extents(fresh(atoms.reshape(iota((view.size,)), view.shape)), operands.extents(a))
    found = grid[indices]
    if not wrap.is_dynamic_array(found):
        return atom_of(found), None
    return found.padded(view.size).atom, found


def _fitted(b: Value, target: Value) -> Atom:
    """The operand of `ufunc.at` at the target's positions, 1 where no element is valid."""
    value = atoms.broadcast_to(
        atom_of(broadcasting.fitted(handle(b) if not wrap.is_dynamic_array(b) else b, target)), target.capacity
    )
    one = atoms.broadcast_to(atoms.literal(np.ones((), value.type.dtype)), target.capacity)
    return atoms.select(operands.valid(target), value, one)


def _commutes(ufunc: np.ufunc, dtype: np.dtype, loop: np.dtype) -> bool:
    """Return whether operands may be cast to the array's dtype before, instead of results after, each step."""
    return loop == dtype or (ufunc.__name__ in _WRAPPING and dtype.kind in "iu" and loop.kind in "iu")


def _one_by_one(ufunc: np.ufunc, loop: tuple[np.dtype, ...], flat: Atom, places: Atom, operands: list[Atom]) -> Atom:
    outer = current()
    body = Builder(outer.trace, outer)
    index = body.formal(atoms.literal(0, np.int64).type)
    carry = body.formal(flat.type)
    with building(body):
        at = atoms.reshape(_row(places, index), (1, 1))
        elements = (atoms.op("gather", carry, at), *(_row(o, index) for o in operands))
        after = atoms.ufunc(ufunc, *(atoms.convert(x, d) for x, d in zip(elements, loop, strict=False)))
        done = atoms.op("scatter", carry, at, atoms.convert(after, flat.type.dtype), combine="set")
        outputs = (body.resolve(done),)
    captured = list(body.captures)
    inputs = (*(body.captures[v] for v in captured), index, carry)
    program = Program(inputs, tuple(body.equations), outputs, "body")
    length = places.type.shape[0]
    (result,) = outer.bind(
        OPS["for"],
        atoms.literal(length, np.int64),
        *map(outer.resolve, captured),
        flat,
        body=program,
        consts=len(captured),
        carries=1,
        length=length,
    )
    return result


def _row(x: Atom, index: Atom) -> Atom:
    """`x[index:index + 1]`."""
    rest = [atoms.literal(0, np.int64)] * (len(x.type.shape) - 1)
    return atoms.op("dynamic_slice", x, index, *rest, sizes=(1, *x.type.shape[1:]))


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

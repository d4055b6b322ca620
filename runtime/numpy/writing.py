"""Elements of arrays written in place: all of them, at positions, where a mask says, along a diagonal."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import atom_of, dtype_of, fresh, handle, iota, refused, spec_of, zeros_atom
from anabranch.runtime.numpy.operands import Operand
from anabranch.runtime.numpy.positions import full_positions, positions_of
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays import assigned_values
from anabranch.runtime.values.arrays.traced_array import TracedArray, expect_writable
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.failures import run_time_checks

rules = Rules()

_F = registry.FUNCTIONS


def _target(a: object, name: str) -> Value:
    if not isinstance(a, TracedArray) and not wrap.is_dynamic_array(a):
        raise refused(name, "its target is not a traced array")
    return a


@rules.method("fill")
def fill(a: object, value: object) -> None:
    """As `ndarray.fill`."""
    _target(a, "ndarray.fill")[...] = value


@rules.any_shape(np.copyto)
def copyto(dst: object, src: Value, casting: object = "same_kind", where: object = True) -> None:
    """As `numpy.copyto`."""
    target = _target(dst, "copyto")
    if _is_same(target, src):
        return
    if isinstance(target, TracedArray):
        expect_writable(target)
    if not _castable(src, target.dtype, casting):
        raise TypeError(f"Cannot cast array data to {target.dtype!r} according to the rule '{casting}'")
    if type(src) is complex:
        src = np.complex128(src)
    value = src.astype(target.dtype) if wrap.is_dynamic_array(src) else fresh(atom_of(src, target.dtype))
    if where is not True:
        value = _F[np.where](where, value, target)
    target.assign(value)


def _castable(value: Value, dtype: np.dtype, casting: Value) -> bool:
    """Return whether the rule allows it; Python numbers are weak: of them only the kind matters."""
    kind = type(spec_of(value))
    if kind in (int, float, complex):
        least = {int: np.int8, float: np.float16, complex: np.complex64}[kind]
        if casting in ("unsafe", "equiv"):
            return bool(casting == "unsafe")
        return np.can_cast(least, dtype, "same_kind") or (kind is int and dtype.kind == "u")
    return np.can_cast(dtype_of(value), dtype, casting)


def _is_same(a: Value, b: object) -> bool:
    """Return whether both are the very same part of one array."""
    if wrap.is_dynamic_array(a):
        return a is b
    return isinstance(b, TracedArray) and a.storage is b.storage and a.path == b.path


# ---- at positions ----------------------------------------------------------------------------------------------------


@rules.method("put")
@rules.any_shape(np.put)
def put(a: object, ind: object, v: object, mode: object = "raise") -> None:
    """As `numpy.put`: writes at positions of the flat array."""
    target = _target(a, "put")
    index, size = Operand.of(operands.left_packed(operands.flat(ind))), size_arithmetic.bound_of(target.size)
    _refuse_empty(size, index)
    values = _line(v, target.dtype)
    valid, some = index.valid(), broadcasting.differ(values.shape[0], 0)
    if not isinstance(some, Literal):
        every = atoms.broadcast_to(some, index.value.type.shape)
        valid = every if valid is None else atoms.logical_and(valid, every)
    if values.value.type.size and index.value.type.size:
        places = positions_of(index.value, size, mode, 0, valid)
        _write(target, _places(target, places), _repeated(values, index.value.type.size), valid)


def _refuse_empty(size: Bound, index: Operand) -> None:
    if size_arithmetic.interval_of(size).low < 1:
        nothing = atoms.logical_not(broadcasting.differ(size, 0))
        wrong = atoms.logical_and(nothing, broadcasting.differ(index.shape[0], 0))
        broadcasting.refuse(wrong, IndexError, "cannot replace elements of an empty array")


def _line(values: object, dtype: np.dtype) -> Operand:
    """Values of any shape that are to be written, in C order, from the front on."""
    given = assigned_values.of_elements(values, dtype)
    if wrap.is_dynamic_array(given):
        line = Operand.of(operands.left_packed(operands.flat(given)))
        line.value = atoms.convert(line.value, dtype)
        return line
    value = atom_of(given, dtype)
    return Operand(atoms.reshape(value, (value.type.size,)), [value.type.size], [None])


def _repeated(values: Operand, size: int) -> Atom:
    """A line of so many elements, the values again and again."""
    n, count = values.value.type.shape[0], values.shape[0]
    if not isinstance(count, int):
        return compaction.taken(values.value, 0, _counted(iota((size,)), count))
    times = -(-size // n)
    rows = atoms.broadcast_to(atoms.reshape(values.value, (1, n)), (times, n))
    return compaction.resized(atoms.reshape(rows, (times * n,)), 0, size)


def _counted(order: Atom, count: Bound) -> Atom:
    """Which of so many values, repeated, each place gets."""
    least = atoms.broadcast_to(size_arithmetic.atom_of(size_arithmetic.maximum(count, 1)), order.type.shape)
    return atoms.ufunc(np.remainder, order, least)


def _places(target: Value, places: Atom) -> Atom:
    """Positions in a flat array as those in its buffer."""
    if not wrap.is_dynamic_array(target):
        return places
    grid = fresh(atoms.reshape(iota((target.memory.size,)), target.capacity))
    line = operands.left_packed(operands.flat(wrap.with_extents(grid, target.extents, target.origin)))
    return compaction.taken(operands.memory(line).atom, 0, places)


def _write(target: Value, places: Atom, values: Atom, valid: Atom | None) -> None:
    """Write at places of the flat buffer, where the mask holds."""
    memory = operands.memory(target)
    flat, (count,) = atoms.reshape(memory.atom, (memory.size,)), places.type.shape
    if valid is not None:  # the others go to a place of their own, which is cut off afterwards
        behind = atoms.broadcast_to(atoms.literal(memory.size, np.int64), (count,))
        flat, places = compaction.extended(flat, 0, 0, 1), atoms.select(valid, places, behind)
    done = atoms.op("scatter", flat, atoms.reshape(places, (count, 1)), values, combine="set")
    memory.set(atoms.reshape(compaction.resized(done, 0, memory.size), memory.shape))


@rules.implements(np.put_along_axis)
def put_along_axis(arr: object, indices: object, values: object, axis: object) -> None:
    """As `numpy.put_along_axis`: writes in place."""
    target = handle(arr)
    value, full, _ = full_positions(arr, indices, axis)
    shape = full.type.shape[:-1]
    updates = atoms.broadcast_to(atom_of(values, target.dtype), shape)
    count = full.type.size // max(full.type.shape[-1], 1)
    flat = atoms.reshape(full, (count, full.type.shape[-1]))
    written = atoms.op("scatter", value, flat, atoms.reshape(updates, (count,)), combine="set")
    target.set(atoms.reshape(written, target.shape))


@rules.implements(np.putmask)
def putmask(a: object, mask: object, values: object) -> None:
    """As `numpy.putmask`: the values are repeated to the array's size."""
    target = _target(a, "putmask")
    chosen = atom_of(mask, np.bool_)
    if chosen.type.size != target.size:
        raise ValueError("putmask: mask and data must be the same size")
    _check_safe(values, target)
    line, shape = _line(values, target.dtype), target.shape
    if line.value.type.size:
        new = atoms.reshape(_repeated(line, target.size), shape)
        target.set(atoms.select(atoms.reshape(chosen, shape), new, target.atom))


def _check_apart(name: str, values: object, target: TracedArray) -> None:
    """NumPy reads these values one by one while it writes."""
    if isinstance(values, TracedArray) and values.storage.may_be(target.storage):
        raise refused(name, "the values are a part of the array that is written; pass a copy of them")


def _check_safe(values: object, target: TracedArray) -> None:
    """An array is cast by the rule "safe", any other value as it can be."""
    if isinstance(values, (np.ndarray, TracedArray)) and not np.can_cast(values.dtype, target.dtype, "safe"):
        raise TypeError(
            f"Cannot cast array data from {values.dtype!r} to {target.dtype!r} according to the rule 'safe'"
        )


@rules.implements(np.place)
def place(arr: Value, mask: Value, vals: Value) -> None:
    """As `numpy.place`: the n-th chosen element takes the n-th value, values repeating."""
    target = _target(arr, "place")
    chosen = atom_of(mask, np.bool_)
    if chosen.type.size != target.size:
        raise ValueError("place: mask and data must be the same size")
    _check_apart("place", vals, target)
    _check_safe(vals, target)
    values = _line(vals, target.dtype)
    if not values.value.type.size:
        some = atoms.any_of(chosen)
        run_time_checks.fail_if(some, lambda _: ValueError("Cannot insert from an empty array!"))
        return
    flat = atoms.reshape(chosen, (target.size,))
    rank = atoms.op("cumsum", atoms.convert(flat, np.int64), axis=0)
    index = _counted(atoms.ufunc(np.subtract, rank, zeros_atom((target.size,), np.int64, 1)), values.shape[0])
    new = compaction.taken(values.value, 0, index)
    value = atoms.select(flat, new, atoms.reshape(target.atom, (target.size,)))
    target.set(atoms.reshape(value, target.shape))

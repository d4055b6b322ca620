"""Index arrays: gathering what they point at, and scattering what is assigned there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.interval import FULL
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.values import apply_ufunc, atoms, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arrays import index_checks
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction
from anabranch.runtime.values.dynamic_shapes.valid_region import ValidRegion, valid_elements
from anabranch.runtime.values.memory.handle import Handle
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.tracer import Tracer

Extents = Sequence["ValidRegion | None"]


def is_index_array(k: object) -> bool:
    """Return whether an entry of a key is an array of indices."""
    if wrap.is_dynamic_array(k):
        return True
    return (isinstance(k, Tracer) and k.abstract.kind is Kind.ARRAY and k.abstract.shape != ()) or (
        isinstance(k, np.ndarray) and k.ndim > 0
    )


def index_operand(k: object) -> Value:
    """An entry of a key beside index arrays, as an operand; raises what NumPy does for other dtypes."""
    operand = wrap.numpy_operand(k)
    if wrap.is_dynamic_array(operand):
        dtype = operand.dtype
    else:
        dtype = operand.abstract.dtype if isinstance(operand, Tracer) else np.asarray(operand).dtype
    if dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return operand


@frozen
class Indices:
    """The index arrays of a key, brought to one shape."""

    axes: tuple[int, ...]  # the axes of the view that they index
    order: tuple[int, ...]  # the axes of the view, those first
    stacked: Atom  # positions, of shape `shape + (len(axes),)`
    shape: tuple[int, ...]  # that of the indices
    at: int  # where the axes of the indices stand in the result
    # Those of the axes of the indices, where their sizes are known only at run time.
    extents: tuple[ValidRegion | None, ...]

    def result_extents(self, extents: Extents) -> list[ValidRegion | None]:
        """The extents of what is gathered."""
        rest = [e for i, e in enumerate(extents) if i not in self.axes]
        return [*rest[: self.at], *self.extents, *rest[self.at :]]

    @property
    def valid(self) -> Atom | None:
        """Which of the indices there are."""
        return valid_elements(self.extents, self.shape)


def indices(view: Handle, advanced: Sequence[tuple[int, object]], adjacent: bool, extents: Extents) -> Indices:
    """The index arrays of (axis of the view, operand), checked against the sizes of the axes."""
    operands = [k for _, k in advanced]
    of_indices: tuple[ValidRegion | None, ...] = ()
    if any(map(wrap.is_dynamic_array, operands)):
        text = "shape mismatch: indexing arrays could not be broadcast together with shapes" + " {}" * len(operands)
        aligned = broadcasting.broadcast(operands, fill=0, text=text)
        operands, of_indices = aligned.operands, aligned.extents
    shape = apply_ufunc.broadcast_shapes(*(wrap.shape_of(k) for k in operands))
    of_indices = of_indices or (None,) * len(shape)
    axes = tuple(axis for axis, _ in advanced)
    order = (*axes, *(i for i in range(view.ndim) if i not in axes))
    made = Indices(axes, order, atoms.literal(0), shape, axes[0] if adjacent else 0, tuple(of_indices))
    valid = made.valid
    columns = []
    for axis, k in zip(axes, operands, strict=True):
        column = _positions(k, view.shape[axis], axis, extents[axis], shape, valid)
        columns.append(atoms.reshape(column, (*shape, 1)))
    stacked = columns[0] if len(columns) == 1 else atoms.op("concatenate", *columns, axis=len(shape))
    return Indices(axes, order, stacked, shape, made.at, made.extents)


def _positions(
    k: object, size: int, axis: int, extent: ValidRegion | None, shape: tuple[int, ...], valid: Atom | None
) -> Atom:
    atom = wrap.as_atom(k, np.int64)
    if extent is not None:
        return index_checks.within(atoms.broadcast_to(atom, shape), extent, size, axis, valid)
    if isinstance(atom, Literal):
        return atoms.broadcast_to(_static_positions(atom, size, axis), shape)
    known = k.interval if isinstance(k, PythonScalar) else FULL
    if valid is not None:
        return index_checks.checked(atoms.broadcast_to(atom, shape), known, size, axis, valid)
    return atoms.broadcast_to(index_checks.checked(atom, known, size, axis), shape)


def _static_positions(atom: Literal, size: int, axis: int) -> Literal:
    value = atom.value
    bad = value[(value < -size) | (value >= size)]
    if bad.size:
        raise IndexError(index_checks.out_of_bounds(int(bad.flat[0]), axis, size))
    return atoms.literal(np.where(value < 0, value + size, value), np.int64)


def _result_order(rank: int, block: int, at: int) -> tuple[int, ...]:
    """The permutation that moves the first `block` axes to stand from axis `at` on."""
    rest = list(range(block, rank))
    return tuple(rest[:at] + list(range(block)) + rest[at:])


def gather(view: Handle, given: Indices) -> Atom:
    """The elements at the indices."""
    result = atoms.op("gather", atoms.transpose(view.atom, given.order), given.stacked)
    return atoms.transpose(result, _result_order(len(result.type.shape), len(given.shape), given.at))


def scatter(view: Handle, given: Indices, extents: Extents, value: object) -> None:
    """Assign what is indexed; where one element is indexed more than once, the last value stays."""
    block = len(given.shape)
    rest = [view.shape[i] for i in given.order[len(given.axes) :]]
    permutation = _result_order(block + len(rest), block, given.at)
    blocks = (*given.shape, *rest)
    wanted = tuple(blocks[i] for i in permutation)
    target = given.result_extents(extents)
    if any(target) or wrap.is_dynamic_array(value):
        dummy = wrap.array_of(atoms.broadcast_to(atoms.literal(np.zeros((), view.dtype)), wanted))
        text = "shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}"
        value = broadcasting.fitted(value, wrap.with_extents(dummy, target) if any(target) else dummy, text)
    updates = atoms.transpose(_spread(value, view.dtype, wanted), tuple(int(i) for i in np.argsort(permutation)))
    base = atoms.transpose(view.atom, given.order)
    rest_extents = [extents[i] for i in given.order[len(given.axes) :]]
    written = _write(base, given, updates, rest_extents)
    view.set(atoms.transpose(written, tuple(int(i) for i in np.argsort(given.order))))


def _spread(value: object, dtype: np.dtype, wanted: tuple[int, ...]) -> Atom:
    atom = wrap.as_atom(wrap.numpy_operand(value), dtype)
    shape = atom.type.shape
    while len(shape) > len(wanted) and shape[0] == 1:
        shape = shape[1:]
    try:
        return atoms.broadcast_to(atoms.reshape(atom, shape), wanted)
    except ValueError:
        raise ValueError(
            f"shape mismatch: value array of shape {atom.type.shape} could not be broadcast "
            f"to indexing result of shape {wanted}"
        ) from None


def _write(base: Atom, given: Indices, updates: Atom, rest: Extents) -> Atom:
    """The base after the updates; those of indices, and of other axes' elements, that are not there change nothing."""
    valid = given.valid
    if valid is not None and base.type.shape[0]:
        # They go to a row of their own, which is cut off afterwards.
        n = base.type.shape[0]
        apart = atoms.broadcast_to(atoms.literal(n, np.int64), given.stacked.type.shape)
        here = atoms.broadcast_to(atoms.reshape(valid, (*given.shape, 1)), given.stacked.type.shape)
        stacked = atoms.select(here, given.stacked, apart)
        widened = compaction.extended(base, 0, 0, 1)
        written = compaction.resized(atoms.op("scatter", widened, stacked, updates, combine="set"), 0, n)
    else:
        written = atoms.op("scatter", base, given.stacked, updates, combine="set")
    mask = valid_elements([*[None] * len(given.axes), *rest], base.type.shape)
    return written if mask is None else atoms.select(mask, written, base)

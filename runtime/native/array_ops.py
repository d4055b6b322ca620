"""StableHLO's ops on arrays that are too large for registers, as lazy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine, Span
from anabranch.runtime.native.element_moves import bounds, numbers
from anabranch.runtime.native.lazy_array import Axis, LazyArray, Update
from anabranch.runtime.native.lazy_arrays import LazyArrays
from anabranch.runtime.native.llvm_types import NotNativeError
from anabranch.runtime.native.scalar_ops import FUNCTIONS, rule_of
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

_Rule: TypeAlias = "Callable[[LazyArrays, Sequence[LazyArray], ArrayType, str], LazyArray]"
_ZERO = Affine(0)


def array_op(
    arrays: LazyArrays,
    name: str,
    operands: Sequence[str],
    in_types: Sequence[ArrayType],
    out: ArrayType,
    attributes: str,
) -> LazyArray:
    """The result of a StableHLO op."""
    if name in ("dynamic_slice", "dynamic_update_slice"):
        return _block(arrays, name, operands, in_types, out)
    if name in _MOVES:
        return _MOVES[name](arrays, [arrays.of(x, t) for x, t in zip(operands, in_types, strict=True)], out, attributes)
    if name in FUNCTIONS:
        # XLA computes several elements at once.
        raise NotNativeError(f"{name} of an array")
    rule, dtype = rule_of(name), in_types[0].dtype
    if name == "and" and dtype == np.bool_:
        return arrays.both(*(arrays.of(x, t) for x, t in zip(operands, in_types, strict=True)))
    return arrays.elementwise(operands, in_types, out, lambda row: rule(arrays.code, row, dtype, out.dtype))


def _block(
    arrays: LazyArrays, name: str, operands: Sequence[str], in_types: Sequence[ArrayType], out: ArrayType
) -> LazyArray:
    """A block of an array, or the array with another block."""
    whole, part = (in_types[0], out) if name == "dynamic_slice" else in_types[:2]
    starts = operands[-len(whole.shape) :] if whole.shape else ()
    positions = in_types[-1]
    axes = tuple(
        Axis(arrays.positions.of(arrays.memory.within(start, positions, n - size)), 1, axis)
        for axis, (start, n, size) in enumerate(zip(starts, whole.shape, part.shape, strict=True))
    )
    array = arrays.of(operands[0], whole)
    if name == "dynamic_slice":
        return arrays.part(array, out, axes)
    return arrays.with_block(array, arrays.of(operands[1], part), axes)


def reshaped(arrays: LazyArrays, name: str, source: ArrayType, out: ArrayType) -> LazyArray | None:
    """The same elements in another shape; None where it has not only other axes of one element."""
    array = arrays.of(name, source)
    if array.uniform or array.is_undefined:
        return arrays.part(array, out, ())
    longer = [axis for axis, n in enumerate(out.shape) if n != 1]
    if [n for n in source.shape if n != 1] != [out.shape[axis] for axis in longer]:
        return None
    left = iter(longer)
    return arrays.part(array, out, tuple(Axis(_ZERO, 1, next(left) if n != 1 else None) for n in source.shape))


def window_of(arrays: LazyArrays, names: Sequence[str], equation: Equation) -> LazyArray:
    """The mask of a window."""
    low, high, *step = map(arrays.positions.of, names)
    size = equation.outputs[0].type.shape[equation.params["axis"]]
    low, high = (arrays.positions.limited(bound, 0, size) for bound in (low, high))
    span = Span((low,), (high,), arrays.positions.limited(step[0], 1, None) if step else None)
    return arrays.window(equation.outputs[0].type, equation.params["axis"], span)


def is_large_update(equation: Equation) -> bool:
    """Return whether an equation writes a block that is no small one."""
    update = equation.op.update
    return update is not None and equation.inputs[update].type.size > MOST_ELEMENTS


def _slice(arrays: LazyArrays, operands: Sequence[LazyArray], out: ArrayType, attributes: str) -> LazyArray:
    rows = bounds(attributes)
    return arrays.part(
        operands[0], out, tuple(Axis(Affine(row.start), row.step, axis) for axis, row in enumerate(rows))
    )


def _broadcast(arrays: LazyArrays, operands: Sequence[LazyArray], out: ArrayType, attributes: str) -> LazyArray:
    dims, shape = numbers(attributes, "broadcast_dimensions"), operands[0].type.shape
    axes = tuple(Axis(_ZERO, 1, dim if n == out.shape[dim] else None) for dim, n in zip(dims, shape, strict=True))
    return arrays.part(operands[0], out, axes)


def _transpose(arrays: LazyArrays, operands: Sequence[LazyArray], out: ArrayType, attributes: str) -> LazyArray:
    order = numbers(attributes, "permutation")
    return arrays.part(operands[0], out, tuple(Axis(_ZERO, 1, order.index(axis)) for axis in range(len(order))))


def _reverse(arrays: LazyArrays, operands: Sequence[LazyArray], out: ArrayType, attributes: str) -> LazyArray:
    turned = numbers(attributes, "dimensions")
    axes = [
        Axis(Affine(n - 1), -1, axis) if axis in turned else Axis(_ZERO, 1, axis) for axis, n in enumerate(out.shape)
    ]
    return arrays.part(operands[0], out, axes)


def _concatenate(arrays: LazyArrays, operands: Sequence[LazyArray], out: ArrayType, attributes: str) -> LazyArray:
    (axis,) = numbers(attributes, "dimension")
    made, start = arrays.undefined(out), 0
    for operand in operands:
        if not operand.is_undefined and operand.type.size:
            axes = tuple(Axis(Affine(start if i == axis else 0), 1, i) for i in range(len(out.shape)))
            made = arrays.with_block(made, operand, axes)
        start += operand.type.shape[axis]
    return made


def _gather(arrays: LazyArrays, operands: Sequence[LazyArray], out: ArrayType, attributes: str) -> LazyArray:
    return arrays.gathered(operands[0], operands[1], out)


def _pad(arrays: LazyArrays, operands: Sequence[LazyArray], out: ArrayType, attributes: str) -> LazyArray:
    lows, gaps = numbers(attributes, "edge_padding_low"), numbers(attributes, "interior_padding")
    if min(lows, default=0) < 0 or min(numbers(attributes, "edge_padding_high"), default=0) < 0:
        raise NotNativeError("a padding that removes elements")
    rows = zip(lows, gaps, strict=True)
    axes = tuple(Axis(Affine(low), gap + 1, axis) for axis, (low, gap) in enumerate(rows))
    return arrays.updated(Update(arrays.all_equal(out, operands[1].uniform), axes, operands[0], {}))


def _iota(arrays: LazyArrays, operands: Sequence[LazyArray], out: ArrayType, attributes: str) -> LazyArray:
    return arrays.iota(out, numbers(attributes, "iota_dimension")[0])


_MOVES: Mapping[str, _Rule] = {
    "slice": _slice,
    "broadcast_in_dim": _broadcast,
    "transpose": _transpose,
    "reverse": _reverse,
    "concatenate": _concatenate,
    "pad": _pad,
    "gather": _gather,
    "iota": _iota,
}

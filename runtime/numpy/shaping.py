"""Shapes: views where NumPy returns views, copies where it copies."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.numpy import memory_access, operands, reshaping
from anabranch.runtime.numpy.core import (
    axes_tuple,
    fresh,
    handle,
    one_axis,
    plain,
    shape_argument,
)
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import broadcasting
from anabranch.runtime.values.memory import views

rules = Rules()

_F = registry.FUNCTIONS


def full_slices(shape: Sequence[int]) -> list[views.AxisSlice]:
    """`[:]` of every axis."""
    return [views.AxisSlice(0, n) for n in shape]


def _sizes(size: int, shape: Value) -> tuple[int, ...]:
    """A complete shape for so many elements: -1 worked out, with NumPy's messages."""
    try:
        sizes = list(map(operator.index, shape)) if not isinstance(shape, (int, np.integer)) else [int(shape)]
    except ConcretizationError:
        raise
    except TypeError:
        sizes = [operator.index(shape)]
    if sizes.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    if any(n < -1 for n in sizes):
        raise ValueError("negative dimensions not allowed")
    known = math.prod(n for n in sizes if n != -1)
    fits = known == size if -1 not in sizes else known > 0 and size % known == 0
    if not fits:
        raise ValueError(f"cannot reshape array of size {size} into shape {atoms.shape_text(sizes)}")
    return tuple(size // known if n == -1 else n for n in sizes)


def reshaped(array: TracedArray, shape: tuple[int, ...], copy: Value = None) -> TracedArray:
    """`array.reshape(shape)` in C order: a view where NumPy returns one."""
    made = memory_access.reshaped(array, shape, copy)
    if made is None:
        raise ValueError("Unable to avoid creating a copy while reshaping.")
    return made


@rules.any_shape(np.reshape)
def reshape(a: Value, shape: Value = None, order: Value = "C", *, newshape: Value = None, copy: Value = None) -> Value:
    """As `numpy.reshape`."""
    shape = newshape if shape is None else shape
    if shape is None:
        raise TypeError("reshape() missing 1 required positional argument: 'shape'")
    if wrap.is_dynamic_array(a):
        return reshaping.reshaped(a, shape, order, copy)
    array = handle(a)
    sizes = _sizes(array.size, shape)
    if order == "A":
        order = "F" if memory_access.fortran(array) else "C"
    if order == "F":
        return operands.transposed(reshaped(operands.transposed(array), sizes[::-1], copy))
    if order != "C":
        raise ValueError(f"order {order!r} is not permitted for reshaping")
    return reshaped(array, sizes, copy)


@rules.method("reshape")
def reshape_method(a: object, /, *shape: object, order: object = "C", copy: object = None) -> Value:
    """As `ndarray.reshape`."""
    if len(shape) == 1:
        return reshape(a, shape[0], order=order, copy=copy)
    return reshape(a, shape, order=order, copy=copy)


@rules.method("ravel")
@rules.any_shape(np.ravel)
def ravel(a: Value, order: Value = "C") -> Value:
    """As `numpy.ravel`: a view of what is contiguous, else a copy."""
    if wrap.is_dynamic_array(a):
        return reshaping.raveled(a, order)
    return memory_access.raveled(in_order(handle(a), order))


def in_order(array: TracedArray, order: str) -> Value:
    """The view whose C order is this order ("C", "F", "A" or "K") of the array."""
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    if order == "K":
        return operands.permuted(array, memory_access.axes_kept(array))
    return operands.transposed(array) if order == "F" or (order == "A" and memory_access.fortran(array)) else array


@rules.method("flatten")
def flatten(a: Value, order: Value = "C") -> Value:
    """As `ndarray.flatten`: always a copy."""
    if wrap.is_dynamic_array(a):
        return reshaping.raveled(a.__copy__(), order)
    array = in_order(handle(a), order)
    return reshaped(array, (array.size,), True)


@rules.any_shape(np.transpose, np.permute_dims)
def transpose(a: Value, axes: Value = None) -> Value:
    """As `numpy.transpose`."""
    if isinstance(a, NumPyScalar) and not axes:
        return a
    array = operands.array(a)
    if axes is None:
        return operands.transposed(array)
    if len(axes) != array.ndim:
        raise ValueError("axes don't match array")
    order = tuple(one_axis(x, array.ndim) for x in axes)
    if len(set(order)) != len(order):
        raise ValueError("repeated axis in transpose")
    return operands.permuted(array, order)


@rules.method("transpose")
def transpose_method(a: object, *axes: object) -> Value:
    """As `ndarray.transpose`."""
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
        return transpose(a, axes[0])
    return transpose(a, axes or None)


rules.properties["T"] = lambda a: a if isinstance(a, NumPyScalar) else operands.transposed(operands.array(a))


def _mt(a: Value) -> Value:
    if a.ndim < 2:
        raise ValueError("matrix transpose with ndim < 2 is undefined")
    return swapaxes(a, -1, -2)


rules.properties["mT"] = _mt


@rules.method("swapaxes")
@rules.any_shape(np.swapaxes)
def swapaxes(a: object, axis1: object, axis2: object) -> Value:
    """As `numpy.swapaxes`."""
    array = operands.array(a)
    first = one_axis(axis1, array.ndim, "axis1")
    second = one_axis(axis2, array.ndim, "axis2")
    order = list(range(array.ndim))
    order[first], order[second] = second, first
    return operands.permuted(array, order)


_NOT_ONE = "cannot select an axis to squeeze out which has size not equal to one"


@rules.method("squeeze")
@rules.any_shape(np.squeeze)
def squeeze(a: object, axis: object = None) -> Value:
    """As `numpy.squeeze`."""
    array = operands.array(a)
    extents = operands.extents(array)
    if axis is None:
        if any(extents):
            array._needs_size("each size, to know whether that is 1,")
        gone: tuple[int, ...] = tuple(i for i, n in enumerate(array.shape) if n == 1)
    else:
        # An axis of what has none may be called 0.
        gone = () if not array.ndim and axis in (0, -1) else axes_tuple(axis, array.ndim)
        for i in gone:
            broadcasting.refuse(broadcasting.differ(array.shape[i], 1), ValueError, _NOT_ONE)
        if any(extents[i] for i in gone):
            # The one element may lie anywhere on an axis of run-time size.
            return array[(*(0 if i in gone else slice(None) for i in range(array.ndim)), ...)]
    if not gone and isinstance(a, TracedArray):
        return a
    return a if isinstance(a, NumPyScalar) else _with_axes(array, [i for i in range(array.ndim) if i not in gone])


def _with_axes(array: Value, axes: Sequence[int | None]) -> Value:
    """The view of some of the axes, in order; an axis of one element for each None."""
    capacity, extents = operands.capacity(array), operands.extents(array)
    view = operands.memory(array).viewed(views.Reshape(tuple(1 if i is None else capacity[i] for i in axes)))
    return wrap.part_of(view, [None if i is None else extents[i] for i in axes], operands.origin(array))


def _at_least(ndim: int, x: object) -> Value:
    array = operands.array(x)
    missing = ndim - array.ndim
    if missing <= 0:
        return array
    new = {(3, 2): (2,), (3, 1): (0, 2)}.get((ndim, array.ndim), tuple(range(missing)))
    return _F[np.expand_dims](array, new)


def _register_at_least(original: Callable[..., object], ndim: int) -> None:
    def function(*arrays: Value) -> Value:
        made = [_at_least(ndim, x) for x in arrays]
        return made[0] if len(made) == 1 else tuple(made)

    rules.any_shape(original)(function)


for _original, _ndim in ((np.atleast_1d, 1), (np.atleast_2d, 2), (np.atleast_3d, 3)):
    _register_at_least(_original, _ndim)


@rules.implements(np.broadcast_to)
def broadcast_to(array: Value, shape: Value, subok: Value = False) -> TracedArray:
    """As `numpy.broadcast_to`: a read-only view."""
    plain("broadcast_to", subok=(subok, False))
    base, sizes = handle(array), shape_argument(shape)
    np.broadcast_to(np.broadcast_to(np.int8(0), base.shape), sizes)
    return base.viewed(views.Broadcast(sizes), readonly=True)


@rules.implements(np.broadcast_arrays)
def broadcast_arrays(*args: object, subok: object = False) -> tuple[TracedArray, ...]:
    """As `numpy.broadcast_arrays`; read-only views."""
    plain("broadcast_arrays", subok=(subok, False))
    arrays = [handle(x) for x in args]
    shape = apply_ufunc.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else a.viewed(views.Broadcast(shape), readonly=True) for a in arrays)


# ---- views of negative step and along diagonals ----------------------------------------------------------------------


@rules.any_shape(np.rot90)
def rot90(m: Value, k: Value = 1, axes: Value = (0, 1)) -> Value:
    """As `numpy.rot90`: a view."""
    array = operands.array(m)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == array.ndim:
        raise ValueError("Axes must be different.")
    if not all(-array.ndim <= x < array.ndim for x in axes):
        raise ValueError(f"Axes={tuple(axes)} out of range for array of ndim={array.ndim}.")
    turns = operator.index(k) % 4
    if turns == 0:
        return array.viewed()
    if turns == 2:
        return _F[np.flip](array, tuple(axes))
    order = list(range(array.ndim))
    order[axes[0]], order[axes[1]] = order[axes[1]], order[axes[0]]
    if turns == 1:
        return operands.permuted(_F[np.flip](array, axes[1]), order)
    return _F[np.flip](operands.permuted(array, order), axes[1])


@rules.implements(np.diagonal)
def diagonal(a: Value, offset: Value = 0, axis1: Value = 0, axis2: Value = 1) -> Value:
    """As `numpy.diagonal`: a read-only view."""
    array, offset = handle(a), operator.index(offset)
    if array.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    first, second = one_axis(axis1, array.ndim, "axis1"), one_axis(axis2, array.ndim, "axis2")
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    rest = [i for i in range(array.ndim) if i not in (first, second)]
    matrix = operands.permuted(array, (*rest, first, second))
    rows, columns = matrix.shape[-2:]
    low, right = max(-offset, 0), max(offset, 0)
    size = max(min(rows - low, columns - right), 0)
    if (low, right) != (0, 0) or size not in (rows,) or rows != columns:
        corner = (views.AxisSlice(low if size else 0, size), views.AxisSlice(right if size else 0, size))
        matrix = matrix.viewed(views.Slice((*full_slices(matrix.shape[:-2]), *corner)))
    return matrix.viewed(views.Diagonal(), readonly=True)


@rules.method("diagonal")
def diagonal_method(a: object, offset: object = 0, axis1: object = 0, axis2: object = 1) -> Value:
    """As `ndarray.diagonal`."""
    return diagonal(a, offset, axis1, axis2)


rules.refuses_method("the size of an array's memory is static; use np.resize", "resize")


@rules.implements(np.resize)
def resize(a: object, new_shape: object) -> TracedArray:
    """As `numpy.resize`: a new array with the elements repeated."""
    array, sizes = handle(a), shape_argument(new_shape)
    size = math.prod(sizes)
    if array.size == 0 or size == 0:
        return fresh(atoms.broadcast_to(atoms.literal(0, array.dtype), sizes))
    times = -(-size // array.size)
    flat = atoms.reshape(array.atom, (1, array.size))
    tiled = atoms.reshape(atoms.broadcast_to(flat, (times, array.size)), (times * array.size,))
    return fresh(atoms.reshape(atoms.cut(tiled, 0, size), sizes))

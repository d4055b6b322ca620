"""Other shapes of arrays whose size is known only at run time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy.core import axes_tuple, inhomogeneous
from anabranch.runtime.numpy.dynamic_shapes import joining
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.registry import FUNCTIONS, METHODS

rules = Rules()


@rules.dynamic_shape(np.expand_dims)
def expand_dims(a: Value, axis: Value) -> Value:
    """As `numpy.expand_dims`."""
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    new = axes_tuple(tuple(given), a.ndim + len(given))
    return a[tuple(None if i in new else slice(None) for i in range(a.ndim + len(given)))]


@rules.dynamic_shape(np.flip)
def flip(m: Value, axis: Value = None) -> Value:
    """As `numpy.flip`: a view."""
    axes = axes_tuple(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(m.ndim))]


@rules.dynamic_shape(np.squeeze)
def squeeze(a: Value, axis: Value = None) -> Value:
    """As `numpy.squeeze`: of axes whose size is known to be 1."""
    ones = [i for i, (n, e) in enumerate(zip(a.capacity, a.extents, strict=True)) if e is None and n == 1]
    axes = ones if axis is None else list(axes_tuple(axis, a.ndim))
    if not set(axes) <= set(ones) or (axis is None and any(e is not None for e in a.extents)):
        a._needs_size("an axis of static size, to know whether that is 1,")
    kept = [i for i in range(a.ndim) if i not in axes]
    shape = tuple(a.capacity[i] for i in kept)
    return a.viewed(views.Reshape(shape), extents=tuple(a.extents[i] for i in kept))


# ---- copies and casts ------------------------------------------------------------------------------------------------


@rules.dynamic_shape(np.copy)
def copy(a: Value, order: Value = "K", subok: Value = False) -> Value:
    """As `numpy.copy`."""
    return a.__copy__()


rules.dynamic_shape_method("copy")(lambda a, order="C": a.__copy__())


@rules.dynamic_shape(np.array)
def array(object: Value, dtype: Value = None, *, copy: Value = True, ndmin: Value = 0, **others: Value) -> Value:
    """As `numpy.array` of an array; of a list that holds some, they are stacked."""
    if not wrap.is_dynamic_array(object):
        items = joining.arrays_of(list(object))
        _check_homogeneous(items)
        made = joining.along_new_axis(items, 0)
        return made if dtype is None else made.astype(dtype)
    made = object if dtype is None or np.dtype(dtype) == object.dtype else astype(object, dtype)
    made = made.__copy__() if copy and made is object else made
    return made[(None,) * max(0, ndmin - made.ndim)] if ndmin > made.ndim else made


def _check_homogeneous(items: Sequence[Value]) -> None:
    """Raise NumPy's error where the items of a list have several shapes; it tells of the axes before the first such."""
    shapes = [item.shape for item in items]
    first = shapes[0]
    axes = min(map(len, shapes))
    for axis in range(axes):
        common = (len(items), *first[:axis])
        for shape in shapes[1:]:
            broadcasting.refuse(broadcasting.differ(first[axis], shape[axis]), ValueError, inhomogeneous, common)
    if any(len(shape) > axes for shape in shapes):
        broadcasting.refuse(atoms.literal(True), ValueError, inhomogeneous, (len(items), *first[:axes]))


@rules.dynamic_shape(np.asarray, np.asanyarray)
def asarray(a: Value, dtype: Value = None, **others: Value) -> Value:
    """As `numpy.asarray`."""
    return array(a, dtype, copy=False)


@rules.dynamic_shape_method("astype")
def astype(
    a: Value, dtype: Value, order: Value = "K", casting: Value = "unsafe", subok: Value = True, copy: Value = True
) -> Value:
    """As `ndarray.astype`."""
    made = METHODS["astype"](a.memory, dtype, order, casting, subok, copy)
    return a if made is a.memory else a.with_memory(made)


@rules.dynamic_shape_method("view")
def view(a: Value, dtype: Value = None, type: Value = None) -> Value:
    """As `ndarray.view()`."""
    return wrap.part_of(METHODS["view"](a.memory, dtype, type), a.extents, a.origin)


@rules.dynamic_shape_method("fill")
def fill(a: Value, value: Value) -> None:
    """As `ndarray.fill`."""
    a.assign(value)


@rules.dynamic_shape(np.copyto)
def copyto(dst: Value, src: Value, casting: Value = "same_kind", where: Value = True) -> None:
    """As `numpy.copyto`."""
    if where is not True:
        src = FUNCTIONS[np.where](where, src, dst)
    dst.assign(src)


def _like(value: int) -> Value:
    def make_like(a: Value, dtype: Value = None, order: Value = "K", subok: Value = True, shape: Value = None) -> Value:
        chosen = a.dtype if dtype is None else dtype
        return a.with_memory(FUNCTIONS[np.full](a.capacity, value, chosen))

    return make_like


for _function, _value in ((np.zeros_like, 0), (np.ones_like, 1), (np.empty_like, 0)):
    rules.dynamic_shape(_function)(_like(_value))


@rules.dynamic_shape(np.full_like)
def full_like(a: object, fill_value: object, dtype: object = None, **others: object) -> Value:
    """As `numpy.full_like`."""
    made = _like(0)(a, dtype)
    made.assign(fill_value)
    return made

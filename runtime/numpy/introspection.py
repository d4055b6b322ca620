"""Introspection: functions on the static parts of a traced value, its shape, dtype and kind."""

from __future__ import annotations

import math

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.numpy import memory_access
from anabranch.runtime.numpy.core import dtype_of, one_axis, refused, shape_of, spec_of, traced_inside
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arena_array import share_memory
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.tracer import Tracer

rules = Rules()


@rules.any_shape(np.shape)
def shape(a: Value) -> tuple[Value, ...]:
    """As `numpy.shape`; a size known only at run time is a traced int."""
    return a.shape if wrap.is_dynamic_array(a) else shape_of(a)


@rules.any_shape(np.ndim)
def ndim(a: Value) -> int:
    """As `numpy.ndim`."""
    return len(shape(a))


@rules.any_shape(np.size)
def size(a: Value, axis: Value = None) -> Value:
    """As `numpy.size`."""
    sizes = shape(a)
    axes = range(len(sizes)) if axis is None else [one_axis(x, len(sizes)) for x in np.atleast_1d(axis)]
    return math.prod([size_arithmetic.bound_of(sizes[i]) for i in axes])


def _model(x: object) -> Value:
    """Return what NumPy's promotion functions take in place of an operand."""
    return spec_of(x) if traced_inside(x) else x


@rules.implements(np.result_type)
def result_type(*arrays_and_dtypes: object) -> np.dtype:
    """As `numpy.result_type`."""
    return np.result_type(*map(_model, arrays_and_dtypes))


@rules.implements(np.can_cast)
def can_cast(from_: Value, to: Value, casting: Value = "safe") -> bool:
    """As `numpy.can_cast`."""
    return np.can_cast(dtype_of(from_), to, casting)


@rules.implements(np.min_scalar_type)
def min_scalar_type(a: Value, /) -> np.dtype:
    """As `numpy.min_scalar_type`, of arrays; that of a scalar depends on its value."""
    if not shape_of(a):
        raise ConcretizationError(
            "numpy.min_scalar_type of a scalar depends on its value, which is known only at run time; use its dtype"
        )
    return dtype_of(a)


@rules.implements(np.common_type)
def common_type(*arrays: object) -> Value:
    """As `numpy.common_type`."""
    for x in arrays:
        if isinstance(x, PythonScalar):
            raise AttributeError(f"'{x.abstract.python.__name__}' object has no attribute 'dtype'")
    return np.common_type(*(np.empty(0, dtype_of(a)) for a in arrays))


@rules.implements(np.iscomplexobj)
def iscomplexobj(x: object) -> bool:
    """As `numpy.iscomplexobj`."""
    return dtype_of(x).kind == "c"


@rules.implements(np.isrealobj)
def isrealobj(x: object) -> bool:
    """As `numpy.isrealobj`."""
    return dtype_of(x).kind != "c"


@rules.implements(np.isscalar)
def isscalar(element: object) -> bool:
    """As `numpy.isscalar`."""
    return isinstance(element, Tracer) and element.abstract.kind is not Kind.ARRAY


@rules.implements(np.isfortran)
def isfortran(a: Value) -> bool:
    """As `numpy.isfortran`."""
    return memory_access.fortran(a)


@rules.implements(np.may_share_memory)
def may_share_memory(a: Value, b: object, /, max_work: object = 0) -> Value:
    """As `numpy.may_share_memory`, by the identity of the memory."""
    del max_work
    return isinstance(a, TracedArray) and isinstance(b, TracedArray) and share_memory(a, b)


@rules.implements(np.shares_memory)
def shares_memory(a: Value, b: Value, /, max_work: Value = -1) -> Value:
    """As `numpy.shares_memory`, where one of two handles on the same memory is all of it."""
    may_share = may_share_memory(a, b, max_work)
    if may_share is False:
        return False
    if a.path and b.path and a.path != b.path:
        raise refused("shares_memory", "two views of one array may overlap or not; use numpy.may_share_memory")
    return may_share if a.size and b.size else False


@rules.implements(np.iterable)
def iterable(y: Value) -> bool:
    """As `numpy.iterable`."""
    return not isinstance(y, Tracer) or len(shape_of(y)) > 0

"""Arrays of sequences in one another, which hold traced values."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.numpy.core import (
    dtype_of,
    fresh,
    frozen,
    has_dynamic_array,
    inhomogeneous,
    supported,
    traced_inside,
    zeros_atom,
)
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays import assigned_values
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists import stacked_parts as parts_of
from anabranch.runtime.values.dynamic_shapes import broadcasting
from anabranch.runtime.values.host_calls.library_objects import LibraryObject
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.python_numbers import number_methods
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


def converted(x: Value, dtype: Value, copy: Value) -> Value:
    """An array of a value: of an array, a number, or of sequences in one another with traced values in them."""
    if isinstance(x, LibraryObject):
        x = x.as_array()
    if wrap.is_dynamic_array(x):
        made = converted(x.memory, dtype, copy)
        return x if made is x.memory else x.with_memory(made)
    if isinstance(x, TracedArray):
        same = dtype is None or np.dtype(dtype) == x.dtype
        if same and not copy:
            return x
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return fresh(wrap.as_atom(x, None if dtype is None else supported(dtype)))
    if copy is False:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    if dtype is not None:
        x = _numbers_of_objects(x, np.dtype(dtype))
    if not traced_inside(x):
        made = np.array(x, dtype=dtype)
        supported(made.dtype)
        return fresh(_literal(made))
    if has_dynamic_array(x):
        return converted(_homogeneous([converted(item, None, None) for item in x]), dtype, None)
    chosen = np.result_type(*_dtypes(x)) if dtype is None else supported(dtype)
    return fresh(_stack(assigned_values.of_elements(x, chosen) if isinstance(x, Tracer) else x, chosen))


def _numbers_of_objects(x: Value, dtype: np.dtype) -> Value:
    """The value, with the number that a method of theirs gives in place of objects of users' classes."""
    if type(x) not in (list, tuple):
        return number_methods.element_of(x, dtype)
    made = [_numbers_of_objects(item, dtype) for item in x]
    return x if all(map(operator.is_, made, x)) else made


def _homogeneous(items: Sequence[Value]) -> Value:
    """Arrays of which some have run-time sizes, stacked; the error tells of the axes they have in common."""
    shapes = [item.shape for item in items]
    axes = min(map(len, shapes))
    for axis in range(axes):
        common = (len(items), *shapes[0][:axis])
        for shape in shapes[1:]:
            broadcasting.refuse(broadcasting.differ(shapes[0][axis], shape[axis]), ValueError, inhomogeneous, common)
    if any(len(shape) > axes for shape in shapes):
        broadcasting.refuse(atoms.literal(True), ValueError, inhomogeneous, (len(items), *shapes[0][:axes]))
    return registry.FUNCTIONS[np.concatenate]([item[None] for item in items])


def _literal(made: np.ndarray) -> Atom:
    """A literal; one element repeated stays one element."""
    if made.size > 1 and made.strides and not any(made.strides):
        return zeros_atom(made.shape, made.dtype, made.flat[0])
    return Literal(frozen(np.array(made, order="C")))


def _dtypes(x: object) -> list[np.dtype]:
    if isinstance(x, (list, tuple)):
        return [d for item in x for d in _dtypes(item)]
    if type(x) is int:
        wrap.check_range(x)  # in NumPy it makes the array one of another dtype
    return [dtype_of(x)]


def _stack(x: Value, dtype: np.dtype) -> Atom:
    if isinstance(x, UnionValue):
        x = x.resolve()
    if isinstance(x, Tracer):
        return wrap.as_atom(x, dtype)
    if not traced_inside(x):
        return Literal(frozen(np.array(x, dtype=dtype)))
    whole = parts_of.array_of(x, checked=dtype.kind in "iu" and dtype != np.int64)
    if whole is not None:
        assigned_values.check_ints(whole, dtype)
        return atoms.convert(whole, dtype)
    parts = [_stack(assigned_values.element(item, dtype) if isinstance(item, Tracer) else item, dtype) for item in x]
    shape = parts[0].type.shape
    if any(p.type.shape != shape for p in parts):
        depth = 1 + _common_depth([p.type.shape for p in parts])
        raise ValueError(inhomogeneous((len(parts), *shape)[:depth]))
    return item_memory.side_by_side(parts, ArrayType(shape, dtype))


def _common_depth(shapes: list[tuple[int, ...]]) -> int:
    depth = 0
    while all(len(s) > depth for s in shapes) and len({s[depth] for s in shapes}) == 1:
        depth += 1
    return depth

"""Boolean masks as indices: which elements they select, or whether all of them, is known only at run time."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import ValidRegion, Window, masked, valid_elements
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.tracer import Tracer


def is_run_time_mask(k: Value) -> bool:
    """Return whether an entry of a key is a boolean array whose values are known only at run time."""
    if wrap.is_dynamic_array(k):
        return bool(k.dtype == np.bool_)
    return isinstance(k, Tracer) and k.abstract.dtype == np.bool_


def selected(array: Value, mask: Value, lead: int) -> Value:
    """The elements that a mask over the axes from `lead` on selects, as a part of the array: a write reaches it.

    Raises `IndexError` where the mask's shape is not that of these axes.
    """
    rank = len(mask.shape)
    check(array, mask, rank, lead)
    view = array.memory if wrap.is_dynamic_array(array) else array
    extents = array.extents if wrap.is_dynamic_array(array) else (None,) * view.ndim
    before, over, after = (view.shape[:lead], view.shape[lead : lead + rank], view.shape[lead + rank :])
    count = math.prod(over)
    where = _over(over, extents[lead : lead + rank], mask)
    if rank != 1:
        view = view.viewed(views.Reshape((*before, count, *after)))
    picked = masked(where)
    return wrap.part_of(view, (*extents[:lead], picked, *extents[lead + rank :]))


def _over(shape: tuple[int, ...], extents: Sequence[ValidRegion | None], mask: Value) -> Atom:
    """The mask at the places of the axes that it is over."""
    own = mask.extents if wrap.is_dynamic_array(mask) else (None,) * len(shape)
    if all(map(_begins_at_front, (*extents, *own))):
        return _from_front(shape, own, mask)
    some = _some(mask)
    nowhere = atoms.broadcast_to(atoms.literal(False), shape)
    if isinstance(some, Literal) and not some.value:
        return nowhere
    target = wrap.part_of(wrap.array_of(nowhere), extents)
    where = atoms.broadcast_to(wrap.as_atom(broadcasting.fitted(mask, target, where=some)), shape)
    where = atoms.logical_and(where, atoms.broadcast_to(some, shape))
    valid = target.valid() if wrap.is_dynamic_array(target) else None
    return where if valid is None else atoms.logical_and(where, valid)


def _begins_at_front(extent: ValidRegion | None) -> bool:
    return extent is None or (isinstance(extent, Window) and isinstance(extent.start, int) and extent.start == 0)


def _from_front(shape: tuple[int, ...], extents: Sequence[ValidRegion | None], mask: Value) -> Atom:
    """The same where both lie from the front of their axes on: the mask has as many elements there, or none."""
    value = wrap.as_atom(mask.memory if wrap.is_dynamic_array(mask) else mask)
    regions = list(extents)
    for axis, (n, size) in enumerate(zip(shape, mask.shape, strict=True)):
        if value.type.shape[axis] != n:
            regions[axis] = Window(0, size_arithmetic.limited(size, 0, n))
            value = compaction.resized(value, axis, n)
    valid = valid_elements(regions, shape)
    return value if valid is None else atoms.logical_and(value, valid)


def check(array: Value, mask: Value, rank: int, lead: int = 0) -> None:
    """Raise where a mask's shape is not that of the axes that it is over."""
    shape = array.shape
    if lead + rank > len(shape):
        raise IndexError(
            f"too many indices for array: array is {len(shape)}-dimensional, but {lead + rank} were indexed"
        )
    for axis in range(rank):
        n, m = shape[lead + axis], mask.shape[axis]
        text = (
            f"boolean index did not match indexed array along axis {lead + axis}; size of axis is {{}} "
            "but size of corresponding boolean axis is {}"
        )
        # An empty mask selects nothing of arrays of any size.
        broadcasting.refuse(atoms.logical_and(broadcasting.differ(n, m), _some(mask)), IndexError, text, n, m)


def _some(mask: Value) -> Atom:
    """Return whether a mask has elements."""
    return broadcasting.differ(size_arithmetic.bound_of(math.prod(mask.shape)), 0)


def words(array: Value, key: Value, value: object) -> tuple[Value, ...]:
    """How NumPy says that a value does not fit what a mask selects, for `aligning.fitted`."""
    alone = not isinstance(key, tuple) and len(key.shape) == len(array.shape)
    rank = len(getattr(value, "shape", ()))
    if not alone or rank > 1:
        return ("shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}",)
    text = (
        "NumPy boolean array indexing assignment cannot assign {} input values to the {} output values where the mask "
        "is true"
    )
    return (text, math.prod)


def spread(array: Value, key: object) -> tuple[int, Value] | None:
    """Where the array gets an axis of one element, and the key with a mask over that one; None without a condition."""
    entries = list(key) if isinstance(key, tuple) else [key]
    found = [i for i, k in enumerate(entries) if _is_condition(k)]
    if not found:
        return None
    at, end = found[0], found[-1] + 1
    if end - at != len(found):
        raise UnsupportedOperationError(
            "two conditions with other indices between them are not supported; join the conditions with &"
        )
    before = entries[:at]
    if any(k is Ellipsis for k in before):
        axis = array.ndim - sum(map(_axes, entries[end:]))
    else:
        axis = sum(map(_axes, before))
    return axis, (*before, _mask(entries[at:end]), *entries[end:])


def _is_condition(k: object) -> bool:
    if isinstance(k, (bool, np.bool_)):
        return True
    if isinstance(k, np.ndarray):
        return k.dtype == np.bool_ and not k.ndim
    return (
        isinstance(k, Tracer) and not wrap.is_dynamic_array(k) and k.abstract.dtype == np.bool_ and not k.abstract.shape
    )


def _axes(k: Value) -> int:
    """How many axes of the array an entry of a key is for."""
    if k is None or k is Ellipsis:
        return 0
    dtype = getattr(k, "dtype", None)
    return len(k.shape) if dtype is not None and dtype == np.bool_ else 1


def _mask(conditions: list[Value]) -> Value:
    """A mask with one element: whether all of the conditions hold."""
    holds = functools.reduce(atoms.logical_and, map(wrap.as_atom, conditions))
    return holds.value.reshape(1) if isinstance(holds, Literal) else wrap.array_of(atoms.reshape(holds, (1,)))

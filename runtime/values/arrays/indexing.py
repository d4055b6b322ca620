"""`a[key]` and `a[key] = value`: NumPy's basic and advanced indexing on traced arrays.

Basic parts (integers, slices, `...`, `None`) make a view: a chain of `views` steps, and extents where its size is known
only at run time (`slicing`). Integer arrays gather and scatter (`advanced_indexing`), masks select
(`boolean_indexing`). An index known only at run time is checked against the axis unless its interval already shows
that it fits (`index_checks`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.device import array as device
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Literal
from anabranch.runtime.values import atoms, number_sequence, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arrays import advanced_indexing, assigned_values, boolean_indexing, index_checks, slicing
from anabranch.runtime.values.attributes import ContainerStandIn
from anabranch.runtime.values.dynamic_shapes.valid_region import ValidRegion
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.memory import memory_layout, views
from anabranch.runtime.values.memory.handle import Handle
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_base import abstract_of_option


@dataclasses.dataclass(slots=True)
class _Plan:
    """A key taken apart: one slice for each axis, then the axes that go, the new ones, and the advanced indices."""

    slices: list[views.AxisSlice]
    dropped: list[int]  # axes of the base indexed by an integer
    shape: list[int]  # the view's shape
    extents: list[ValidRegion | None]  # for each axis of the view
    advanced: list[tuple[int, Any]]  # (axis of the view, index array operand)
    adjacent: bool  # whether the advanced indices stand side by side in the key


def get(array: Value, key: Value) -> Value:
    """`array[key]`: a view for basic keys, a NumPy scalar when all axes are indexed, a new array for index arrays."""
    undecided = slicing.undecided(key)
    if undecided is not None:
        choice, decided = undecided
        return choice.each(lambda part: get(array, decided(part)))
    array, key = _spread(array, _known(key))
    apart = _mask_apart(array, key)
    if apart is not None:
        return apart.__copy__()
    plan = _plan(array, key)
    view = _view(array, plan)
    if plan.advanced:
        return _gathered(array, view, plan)
    if len(plan.dropped) == array.ndim and not plan.shape and not _has_ellipsis(key):
        return wrap.numpy_result(view.atom)
    part = wrap.part_of(view, plan.extents)
    return part.__copy__() if any(map(_is_integer_array, key if isinstance(key, tuple) else (key,))) else part


def _is_integer_array(entry: object) -> bool:
    """Return whether an entry of a key is an array of one integer: it stands for an integer, but makes a copy."""
    if isinstance(entry, Tracer):
        return entry.abstract.kind is Kind.ARRAY
    return isinstance(entry, np.ndarray)


def _gathered(array: object, view: Handle, plan: _Plan) -> Value:
    given = advanced_indexing.indices(view, plan.advanced, plan.adjacent, plan.extents)
    made = wrap.array_of(advanced_indexing.gather(view, given))
    extents = given.result_extents(plan.extents)
    if any(extents):
        return wrap.with_extents(made, extents)
    # NumPy puts the axes of the indices first in memory, wherever they are in the result.
    first = len(plan.slices) == 1 or (plan.adjacent and plan.advanced[0][0] == 0)
    return made if first and memory_layout.plain(_base(array)) else memory_layout.forget_order(made, (_base(array).T,))


def set(array: Value, key: Value, value: Value) -> None:
    """`array[key] = value`."""
    undecided = slicing.undecided(key)
    if undecided is not None:
        choice, decided = undecided
        choice.each(lambda part: set(array, decided(part), value))
        return
    key = _known(key)
    if _set_mask(array, key, value):
        return
    array, key = _spread(array, key)
    apart = _mask_apart(array, key)
    if apart is not None:
        apart.assign(value, *boolean_indexing.words(array, key, value))
        return
    plan = _plan(array, key)
    view = _view(array, plan)
    if plan.advanced:
        given = advanced_indexing.indices(view, plan.advanced, plan.adjacent, plan.extents)
        advanced_indexing.scatter(view, given, plan.extents, assigned_values.of_elements(value, view.dtype))
    elif len(plan.dropped) == array.ndim and not plan.shape and not _has_ellipsis(key):
        view.assign(assigned_values.of_one(value, array.dtype))
    else:
        target = wrap.part_of(view, plan.extents)
        if not _is_itself(target, value):
            target.assign(value)


def _is_itself(target: Value, value: Value) -> bool:
    """Return whether a part of an array is assigned to itself, as `a[i:] += x` does when it has been done."""
    if not (isinstance(value, Handle) or wrap.is_dynamic_array(value)):
        return False
    here, there = _base(target), _base(value)
    if here.storage is not there.storage or here.is_readonly or not views.same(here.path, there.path):
        return False
    one, other = (x.extents if wrap.is_dynamic_array(x) else (None,) * x.ndim for x in (target, value))
    pairs = zip(one, other, strict=True)
    return all(a is b or (a is not None and b is not None and a.same(b)) for a, b in pairs)


def _base(array: Value) -> Handle:
    """The array, or the memory of static shape that one of run-time size is a part of."""
    return array.memory if wrap.is_dynamic_array(array) else array  # type: ignore[no-any-return]


def _has_ellipsis(key: object) -> bool:
    return key is Ellipsis or (isinstance(key, tuple) and any(k is Ellipsis for k in key))


# ---- taking a key apart ----------------------------------------------------------------------------------------------


def _known(key: object) -> Value:
    """The key with masks that are known while tracing as plain ones, so that what they select has a static size."""
    if isinstance(key, tuple):
        return tuple(map(_known, key))
    if isinstance(key, UnionValue):
        key = _index(key)
    if isinstance(key, device.Array):
        key = wrap.numpy_operand(key)
    if wrap.is_dynamic_array(key):
        return key
    if isinstance(key, Tracer) and key.abstract.dtype == np.bool_ and key.abstract.shape:
        atom = wrap.as_atom(key)
        return atom.value if isinstance(atom, Literal) else key
    if isinstance(key, number_sequence.NUMBERS):
        return number_sequence.as_indices(key)
    if isinstance(key, ContainerStandIn) and key.native is list and not isinstance(key, list):
        key = key.grown_()  # type: ignore[attr-defined]
    if isinstance(key, list) and (type(key) is not list or _holds_traced(key)):
        as_indices = getattr(key, "as_indices_", None)
        return wrap.numpy_operand(key) if as_indices is None else as_indices()
    if isinstance(key, ContainerStandIn) and key.native is tuple:
        return iter(key)  # type: ignore[call-overload] # refuses, as its length is not known
    return key


def _index(choice: UnionValue) -> Value:
    """The integer that an index stands for, which is of one kind or another, or None: that may not be the one."""
    value = choice.without_undefined()
    if not isinstance(value, UnionValue):
        return value
    others = [o for o in value.options if o is not None]
    if others and len(others) < len(value.options):
        nones = [i for i, o in enumerate(value.options) if o is None]
        run_time_checks.fail_if(value.among(nones), lambda _: UnsupportedOperationError(_NEW_AXIS))
        value = value.assuming(others)
    value = value.of_plain_numbers() if isinstance(value, UnionValue) else value
    if not isinstance(value, UnionValue) or any(wrap.is_dynamic_array(o) or not _is_integer(o) for o in value.options):
        return value
    return value.resolve()


_NEW_AXIS = (
    "an index of an array that is None or an integer, depending on a run-time condition, is None, which would give "
    "the result another axis; write a[np.newaxis] in the branch that decides it"
)


def _is_integer(option: object) -> bool:
    known = abstract_of_option(option)
    return known is not None and known.dtype.kind in "iu" and not known.shape


def _spread(array: object, key: object) -> tuple[Value, Value]:
    """The array and the key with a single condition as a mask over a new axis."""
    found = boolean_indexing.spread(array, key)
    if found is None:
        return array, key
    axis, key = found
    return get(array, (*[slice(None)] * axis, None)), key


def _mask_apart(array: object, key: object) -> Value:
    """The part of the array that a key with one run-time mask selects; None for other keys.

    What stands before and beside the mask is taken first, as far as that leaves the result's axes where they are.
    """
    entries = list(key) if isinstance(key, tuple) else [key]
    found = [i for i, k in enumerate(entries) if boolean_indexing.is_run_time_mask(k)]
    if not found:
        return None
    if len(found) == 1 and not any(
        map(advanced_indexing.is_index_array, entries[: found[0]] + entries[found[0] + 1 :])
    ):
        return _by_one_mask(array, entries, found[0])
    raise UnsupportedOperationError(
        "a boolean mask known only at run time beside other masks or index arrays is not supported; index in two steps"
    )


def _by_one_mask(array: Value, entries: list[Value], at: int) -> Value:
    mask = entries[at]
    rank = len(mask.shape)
    gap = [i for i, k in enumerate(entries) if k is Ellipsis]
    used = sum(k is not None and k is not Ellipsis for k in entries) - 1 + rank
    if gap:
        entries = entries[: gap[0]] + [slice(None)] * (array.ndim - used) + entries[gap[0] + 1 :]
        at += array.ndim - used - 1 if gap[0] < at else 0
    _check_adjacent(entries, at)
    rest = (*entries[:at], *[slice(None)] * rank, *entries[at + 1 :])
    part = array if all(isinstance(k, slice) and k == slice(None) for k in rest) else get(array, rest)
    lead = sum(k is None or isinstance(k, slice) for k in entries[:at])
    return boolean_indexing.selected(part, mask, lead)


def _check_adjacent(entries: list[Value], at: int) -> None:
    """Integers beside a mask are index arrays to NumPy, which puts their axis first where they stand apart from it."""
    indexed = [i for i, k in enumerate(entries) if not (k is None or isinstance(k, slice))]
    if indexed[-1] - indexed[0] != len(indexed) - 1 and indexed != [at]:
        raise UnsupportedOperationError(
            "a boolean mask known only at run time and an integer with a slice between them is not supported; index "
            "in two steps"
        )


def _normalise(array: Value, key: Value) -> list[Value]:
    """The key as a list with one entry an axis (or None for a new one), `...` filled in."""
    entries = list(key) if isinstance(key, tuple) else [key]
    expanded: list[Any] = []
    for k in entries:
        if isinstance(k, list):
            k = np.asarray(k, dtype=None if k else np.intp)
        if isinstance(k, np.ndarray) and k.dtype == np.bool_:
            expanded += _static_mask(array, k, len([e for e in expanded if e is not None]))
        else:
            expanded.append(k)
    used = sum(k is not None and k is not Ellipsis for k in expanded)
    if used > array.ndim:
        raise IndexError(f"too many indices for array: array is {array.ndim}-dimensional, but {used} were indexed")
    gaps = [i for i, k in enumerate(expanded) if k is Ellipsis]
    if len(gaps) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    at = gaps[0] if gaps else len(expanded)
    tail = expanded[at + 1 :] if gaps else []
    return expanded[:at] + [slice(None)] * (array.ndim - used) + tail


def _holds_traced(items: Iterable[Value]) -> bool:
    return any(_holds_traced(i) if isinstance(i, (list, tuple)) else isinstance(i, Tracer) for i in items)


def _static_mask(array: Handle, mask: np.ndarray, axis: int) -> list[np.ndarray]:
    if mask.shape != array.shape[axis : axis + mask.ndim]:
        raise IndexError(
            f"boolean index did not match indexed array along axis {axis}; size of axis is "
            f"{array.shape[axis]} but size of corresponding boolean axis is {mask.shape[0]}"
        )
    return list(mask.nonzero())


def _plan(array: Value, key: object) -> _Plan:
    plan = _Plan([], [], [], [], [], True)
    entries = _normalise(array, key)
    fancy = any(map(advanced_indexing.is_index_array, entries))
    sizes = _base(array).shape
    extents = array.extents if wrap.is_dynamic_array(array) else (None,) * len(sizes)
    axis, positions = 0, []
    for place, k in enumerate(entries):
        if k is None:
            _keep(plan, 1, None)
            continue
        size, extent = sizes[axis], extents[axis]
        if isinstance(k, slice):
            part, left = slicing.part(k, size, extent)
            plan.slices.append(part)
            _keep(plan, part.size, left)
        elif fancy:
            plan.slices.append(views.AxisSlice(0, size))
            plan.advanced.append((len(plan.shape), advanced_indexing.index_operand(k)))
            _keep(plan, size, extent)
            positions.append(place)
        else:
            at = (
                index_checks.integer(k, size, axis)
                if extent is None
                else index_checks.integer_within(k, extent, size, axis)
            )
            plan.slices.append(views.AxisSlice(at, 1))
            plan.dropped.append(axis)
        axis += 1
    if positions:
        plan.adjacent = positions[-1] - positions[0] == len(positions) - 1
    return plan


def _keep(plan: _Plan, size: int, extent: ValidRegion | None) -> None:
    plan.shape.append(size)
    plan.extents.append(extent)


def basic(array: object, key: object) -> tuple[tuple[views.AxisSlice, ...], tuple[int, ...]]:
    """The slice of each axis and the shape of the result of a key without index arrays, for anything that has a shape.

    Raises `IndexError` as NumPy.
    """
    plan = _plan(array, key)
    return tuple(plan.slices), tuple(plan.shape)


def _view(given: object, plan: _Plan) -> Handle:
    """The basic part of the key, as a view of static shape."""
    array = _base(given)
    steps: list[views.ViewStep] = []
    whole = all(
        isinstance(a.start, int) and a.start == 0 and a.stride == 1 and a.size == n
        for a, n in zip(plan.slices, array.shape, strict=True)
    )
    if not whole:
        steps += _slices(plan.slices, array.shape)
    sliced = tuple(a.size for a in plan.slices)
    if tuple(plan.shape) != sliced:
        steps.append(views.Reshape(tuple(plan.shape)))
    return array.viewed(*steps)


def _slices(parts: list[views.AxisSlice], shape: tuple[int, ...]) -> list[views.ViewStep]:
    """One step, or two where strides stand beside run-time positions."""
    moving = [not isinstance(a.start, int) for a in parts]
    if not any(moving) or all(a.stride == 1 for a in parts):
        return [views.Slice(tuple(parts))]
    fixed = [views.AxisSlice(0, n) if moves else a for a, moves, n in zip(parts, moving, shape, strict=True)]
    rest = [a if moves else views.AxisSlice(0, a.size) for a, moves in zip(parts, moving, strict=True)]
    return [views.Slice(tuple(fixed)), views.Slice(tuple(rest))]


def _set_mask(array: Value, key: Value, value: Value) -> bool:
    """`a[mask] = value` where the value does not depend on how many elements the mask selects; whether that was so."""
    mask = key[0] if isinstance(key, tuple) and len(key) == 1 else key
    if wrap.is_dynamic_array(array) or wrap.is_dynamic_array(mask) or wrap.is_dynamic_array(value):
        return False
    if not boolean_indexing.is_run_time_mask(mask):
        return False
    boolean_indexing.check(array, mask, len(mask.abstract.shape))
    operand = wrap.numpy_operand(assigned_values.of_elements(value, array.dtype))
    tail = array.shape[len(mask.abstract.shape) :]
    if wrap.is_dynamic_array(operand) or len(wrap.shape_of(operand)) > len(tail):
        return False
    if 0 in mask.abstract.shape:
        return True
    new = atoms.broadcast_to(wrap.as_atom(operand, array.dtype), array.shape)
    pred = atoms.reshape(wrap.as_atom(mask), mask.abstract.shape + (1,) * len(tail))
    array.set(atoms.select(atoms.broadcast_to(pred, array.shape), new, array.atom))
    return True

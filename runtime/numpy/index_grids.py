"""Grids of indices: positions, index arrays that pick parts, and `np.r_` and `np.c_`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import (
    adopted,
    dtype_of,
    fresh,
    handle,
    iota,
    plain,
    refused,
    spec_of,
    supported,
    traced_inside,
    zeros_atom,
)
from anabranch.runtime.numpy.operands import Operand
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.run_time_sizes import shape_with_capacity
from anabranch.runtime.values import atoms, passed_functions, registry, wrap
from anabranch.runtime.values.dynamic_lists import list_as_array
from anabranch.runtime.values.dynamic_shapes.valid_region import ValidRegion
from anabranch.runtime.values.tracer import Tracer

rules = Rules()


@rules.implements(np.ix_)
def ix_(*args: object) -> tuple[Value, ...]:
    """As `numpy.ix_`."""
    lines = []
    for i, given in enumerate(args):
        line: Value = given if isinstance(given, Tracer) else registry.FUNCTIONS[np.asarray](given)
        if not isinstance(given, (Tracer, np.ndarray)) and line.size == 0:
            line = line.astype(np.intp)
        if line.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if dtype_of(line).kind == "b":
            (line,) = registry.FUNCTIONS[np.nonzero](line)
        lines.append(line[(None,) * i + (slice(None),) + (None,) * (len(args) - i - 1)])
    return tuple(lines)


@rules.creates(np.mask_indices)
def mask_indices(n: Value, mask_func: Value, k: Value = 0) -> Value:
    """As `numpy.mask_indices`; the function is called once, on a matrix of ones."""
    if traced_inside((n, k)):
        ones = registry.FUNCTIONS[np.ones]((n, n), int)
        return registry.FUNCTIONS[np.nonzero](passed_functions.called(mask_func)(ones, k) != 0)
    chosen: Value = getattr(mask_func, "__wrapped__", mask_func)
    return adopted(np.mask_indices(n, chosen, k), ())


@rules.creates(np.indices)
def indices(dimensions: Value, dtype: Value = int, sparse: Value = False) -> Value:
    """As `numpy.indices`."""
    (shape, extents), chosen = shape_with_capacity(dimensions), supported(dtype)
    rank = len(shape)
    if sparse:
        lines = [atoms.reshape(iota((n,), 0, chosen), _shape_along_axis(n, i, rank)) for i, n in enumerate(shape)]
        own = [tuple(e if i == k else None for k in range(rank)) for i, e in enumerate(extents or (None,) * rank)]
        return tuple(wrap.with_extents(fresh(line), e) for line, e in zip(lines, own, strict=True))
    if not shape:
        return fresh(zeros_atom((0,), chosen))
    rows = [atoms.reshape(iota(shape, i, chosen), (1, *shape)) for i in range(rank)]
    made = fresh(rows[0] if rank == 1 else atoms.op("concatenate", *rows, axis=0))
    return wrap.with_extents(made, extents and (None, *extents))


@rules.creates(np.fromfunction)
def fromfunction(
    function: Callable[..., object], shape: object, *, dtype: object = float, like: object = None, **kwargs: object
) -> Value:
    """As `numpy.fromfunction`: the function is called once, on the coordinate arrays."""
    plain("fromfunction", like=(like, None))
    grid = indices(shape, dtype=dtype)
    return passed_functions.called(function)(*(grid[i] for i in range(grid.shape[0])), **kwargs)


@rules.creates(np.meshgrid)
def meshgrid(*xi: object, copy: object = True, sparse: object = False, indexing: object = "xy") -> tuple[Value, ...]:
    """As `numpy.meshgrid`; the arrays are copies."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    plain("meshgrid", copy=(copy, True))
    rank = len(xi)
    places = list(range(rank))
    if indexing == "xy" and rank > 1:
        places[:2] = [1, 0]
    lines = [Operand.of(operands.flat(x)) for x in xi]
    shape = [1] * rank
    extents: list[ValidRegion | None] = [None] * rank
    for line, place in zip(lines, places, strict=True):
        (shape[place],), (extents[place],) = line.value.type.shape, line.extents
    made = []
    for line, place in zip(lines, places, strict=True):
        value = atoms.reshape(line.value, _shape_along_axis(shape[place], place, rank))
        own = [e if i == place else None for i, e in enumerate(extents)] if sparse else extents
        made.append(wrap.with_extents(fresh(value if sparse else atoms.broadcast_to(value, shape)), own))
    return tuple(made)


def _shape_along_axis(size: int, axis: int, ndim: int) -> Sequence[int]:
    return (1,) * axis + (size,) + (1,) * (ndim - axis - 1)


_F = registry.FUNCTIONS
_PLACES = 3  # how many numbers a leading text may hold


class Bracket:
    """Stands for `np.r_` or `np.c_`: the items are made arrays of `ndmin` dimensions, and joined along an axis.

    Parameters
    ----------
    original
        NumPy's own, which is asked where no item is known only at run time.
    axis
        Along which axis the items are joined.
    ndmin
        The least number of dimensions of each.
    place
        Before which axis new axes go that an item lacks: -1 in front of all.
    """

    def __init__(self, original: Any, axis: int, ndmin: int, place: int) -> None:
        self.original, self.axis, self.ndmin, self.place = original, axis, ndmin, place

    def __getitem__(self, key: Value) -> Value:
        items = list(map(list_as_array.of_lists, key if isinstance(key, tuple) else (key,)))
        if not any(map(_is_traced, items)):
            return self.original[key]
        if items and isinstance(items[0], str):
            return self._told(items.pop(0)).joined(items)
        return self.joined(items)

    def _told(self, text: str) -> Bracket:
        """Return the options that a leading text such as "0,2" asks for."""
        if text in ("r", "c"):
            raise refused(f"{text}_", "a matrix is an array of two dimensions")
        try:
            numbers = [int(n) for n in text.split(",")]
        except ValueError as error:
            raise ValueError(f"unknown special directive {text!r}") from error
        if len(numbers) > _PLACES:
            raise ValueError(f"unknown special directive {text!r}")
        axis, ndmin, place = (*numbers, *(self.axis, self.ndmin, self.place)[len(numbers) :])
        return Bracket(self.original, axis, ndmin, place)

    def joined(self, items: list[Value]) -> Value:
        """The items as one array, in NumPy's common dtype."""
        made = [_run(x) if isinstance(x, slice) else x for x in items]
        dtype = np.result_type(*map(_spec, made))
        parts = [self._widened(x).astype(dtype) for x in made]
        return _F[np.concatenate](parts, self.axis)

    def _widened(self, item: object) -> Value:
        """The item with new axes of one element."""
        array: Any = item if wrap.is_dynamic_array(item) else handle(item)
        missing = self.ndmin - array.ndim
        if missing <= 0:
            return array
        place = self.place if self.place >= 0 else self.place + missing + 1
        front = min(place, missing)
        # The item's own axes go to `place`, new ones before and behind.
        return array[(*((None,) * front), ..., *((None,) * (missing - front)))]


def _is_traced(item: Value) -> bool:
    """Return whether an item, or a bound of a run of numbers, is known only at run time."""
    bounds = (item.start, item.stop, item.step) if isinstance(item, slice) else (item,)
    return any(traced_inside(b) or wrap.is_dynamic_array(b) for b in bounds)


def _spec(x: Value) -> Value:
    """Return what NumPy's promotion sees."""
    return x.dtype if wrap.is_dynamic_array(x) else spec_of(x)


def _run(asked: slice) -> Value:
    """`start:stop:step`, where an imaginary step counts the numbers."""
    start = 0 if asked.start is None else asked.start
    step = 1 if asked.step is None else asked.step
    if isinstance(step, complex):
        return _F[np.linspace](start, asked.stop, num=int(abs(step)))
    return _F[np.arange](start, asked.stop, step)

"""`axes`, `axis` and `keepdims` of a generalised ufunc: where in its operands the core dimensions are."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.numpy import namespace as xp
from anabranch.runtime.numpy.core import shape_of
from anabranch.runtime.ufuncs.core_dimensions import Layout

_LAST = (-1,)


@frozen
class CoreAxes:
    """The axes of the core dimensions of each operand, as a call asks for them."""

    axes: tuple[tuple[int, ...] | None, ...]  # one for each operand: None for the last ones
    kept: tuple[str, ...]  # the core dimensions, of size 1, that outputs have because of `keepdims`

    @classmethod
    def of(cls, name: str, layout: Layout, axes: Any, axis: Any, keepdims: Any) -> CoreAxes:
        """The axes that the keywords of a call say; those that are not given are `numpy._NoValue`.

        Raises `TypeError` or `ValueError` or `AxisError` as NumPy does for keywords that the layout does not allow.
        """
        if axes is not np._NoValue and axis is not np._NoValue:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        if not isinstance(keepdims, bool):
            raise TypeError("'keepdims' must be a boolean")
        kept = _kept(name, layout) if keepdims else ()
        counts = [len(dims) for dims in layout.inputs] + [len(dims) or len(kept) for dims in layout.outputs]
        if axes is not np._NoValue:
            return cls(_each(name, layout, axes, counts), kept)
        if axis is not np._NoValue:
            return cls(_shared(name, layout, axis, counts), kept)
        return cls((None,) * len(counts), kept)

    def kept_in(self, layout: Layout) -> Layout:
        """The layout with the core dimensions that are kept in outputs."""
        if not self.kept:
            return layout
        return Layout(layout.text, layout.inputs, (self.kept,) * len(layout.outputs))

    def moved(self, place: int, operand: Value) -> Value:
        """An operand with its core dimensions last."""
        order = self._order(place, len(shape_of(operand)))
        return operand if order is None else xp.transpose(operand, order)

    def placed(self, place: int, result: Value) -> Value:
        """A result, whose core dimensions are last, with these where the call asks for them."""
        order = self._order(place, len(shape_of(result)))
        return result if order is None else xp.transpose(result, tuple(map(order.index, range(len(order)))))

    def _order(self, place: int, ndim: int) -> tuple[int, ...] | None:
        """The axes of an operand with those of its core dimensions last; None where these are.

        Raises `AxisError` or `ValueError` for axes that there are not, and for one that is named twice.
        """
        chosen = self.axes[place]
        if chosen is None:
            return None
        core: list[int] = []
        for axis in chosen:
            if not -ndim <= axis < ndim:
                raise np.exceptions.AxisError(axis, ndim)
            if axis % ndim in core:
                raise ValueError(f"axes item {place} has value {axis % ndim} repeated")
            core.append(axis % ndim)
        return (*(k for k in range(ndim) if k not in core), *core)


def _kept(name: str, layout: Layout) -> tuple[str, ...]:
    """The dimensions of outputs by `keepdims`."""
    count = len(layout.inputs[0])
    sides = [("input", k, dims, count) for k, dims in enumerate(layout.inputs)]
    sides += [("output", k, dims, 0) for k, dims in enumerate(layout.outputs)]
    for side, k, dims, wanted in sides:
        if len(dims) != wanted:
            raise TypeError(
                f"{name} does not support keepdims: its signature {layout.text} requires {side} {k} to have "
                f"{len(dims)} core dimensions, but keepdims can only be used when all inputs have the same number of "
                "core dimensions and all outputs have no core dimensions."
            )
    return ("1",) * count


def _each(name: str, layout: Layout, axes: Any, counts: Sequence[int]) -> tuple[tuple[int, ...] | None, ...]:
    """The axes of each operand by `axes`."""
    if not isinstance(axes, list):
        raise TypeError("axes should be a list.")
    nin = len(layout.inputs)
    if len(axes) != len(counts) and (len(axes) != nin or any(layout.outputs)):
        raise ValueError(
            f"axes should be a list with an entry for all {len(counts)} inputs and outputs; entries for outputs can "
            "only be omitted if none of them has core axes."
        )
    given = [_item(name, place, item, count) for place, (item, count) in enumerate(zip(axes, counts, strict=False))]
    return (*given, *(None,) * (len(counts) - len(axes)))


def _item(name: str, place: int, item: Any, count: int) -> tuple[int, ...] | None:
    """The axes of one operand by its entry in `axes`."""
    if isinstance(item, tuple):
        if len(item) != count:
            raise np.exceptions.AxisError(
                f"{name}: operand {place} has {count} core dimensions, but {len(item)} dimensions are specified by "
                "axes tuple."
            )
        return tuple(map(operator.index, item)) or None
    if count == 1:
        return (operator.index(item),)
    try:
        operator.index(item)
    except TypeError:
        raise TypeError(f"{name}: axes item {place} should be a tuple.") from None
    raise np.exceptions.AxisError(
        f"{name}: operand {place} has {count} core dimensions, but the axes item is a single integer."
    )


def _shared(name: str, layout: Layout, axis: Any, counts: Sequence[int]) -> tuple[tuple[int, ...] | None, ...]:
    """The axis of each operand by `axis`, which is that of the one dimension that there is."""
    distinct = {dim for dims in (*layout.inputs, *layout.outputs) for dim in dims}
    if len(distinct) != 1 or max(counts) > 1:
        raise TypeError(
            f"{name}: axis can only be used with a single shared core dimension, not with the {len(distinct)} distinct "
            f"ones implied by signature {layout.text}."
        )
    chosen = (operator.index(axis),)
    return tuple(chosen if count and chosen != _LAST else None for count in counts)

"""The layout of a generalised ufunc, `(n),(m)->(n,m)`, and where in its operands the core dimensions are."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.numpy import namespace as xp
from anabranch.runtime.numpy.core import shape_of
from anabranch.runtime.ufuncs.elementwise import misfit
from anabranch.runtime.values.atoms import shape_text


@frozen
class Layout:
    """The core dimensions of each operand by name, a number for those of a fixed size."""

    text: str
    inputs: tuple[tuple[str, ...], ...]
    outputs: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, text: str) -> Layout:
        """The layout that a text says; without an arrow all operands are inputs, which the function may write.

        Raises `ValueError` for a text of another form. Raises `NameError` for a dimension of an output that no input
        has, as Numba does.
        """
        sides = re.sub(r"\s", "", text).split("->")
        if len(sides) > 2 or not all(re.fullmatch(r"\([^()]*\)(,\([^()]*\))*", side) for side in sides):
            raise ValueError(f"the layout of a generalised ufunc is such as '(n),(m)->(n,m)', not {text!r}")
        inputs, outputs = [*(_operands(side, text) for side in sides), ()][:2]
        known = {name for dims in inputs for name in dims}
        unknown = sorted({name for dims in outputs for name in dims if not name.isdigit()} - known)
        if unknown:
            raise NameError(f"undefined output symbols: {','.join(unknown)}")
        return cls("->".join(sides), inputs, outputs)


def _operands(side: str, text: str) -> tuple[tuple[str, ...], ...]:
    found = tuple(tuple(filter(None, part.split(","))) for part in re.findall(r"\(([^()]*)\)", side))
    if not all(re.fullmatch(r"\w+", name) for dims in found for name in dims):
        raise ValueError(f"a core dimension is a name or a number, and the layout is {text!r}")
    return found


@frozen
class Shapes:
    """The dimensions of a call."""

    loop: tuple[int, ...]  # those that the operands are broadcast over
    sizes: dict[str, int]  # the core dimensions by name

    @property
    def count(self) -> int:
        """How often the function is called."""
        return math.prod(self.loop)

    def core(self, names: Sequence[str]) -> tuple[int, ...]:
        """The sizes of core dimensions."""
        return tuple(self.sizes[name] for name in names)

    def place(self, index: Value, own: tuple[int, ...]) -> tuple[Value, ...]:
        """Where an operand with the loop dimensions `own` is at the position `index` of the loop."""
        found: list[Value] = []
        for axis, n in enumerate(reversed(own), 1):
            size = self.loop[-axis]
            found.append(0 if n == 1 else index % size if axis < len(self.loop) else index)
            index = index // size if axis < len(self.loop) else index
        return tuple(reversed(found))


def matched(
    name: str,
    layout: Layout,
    inputs: Sequence[tuple[int, ...]],
    outputs: Sequence[tuple[int, ...] | None],
    passed: Sequence[tuple[int, ...]],
) -> Shapes:
    """The dimensions of a call with operands of these shapes; None for an output that the call makes.

    `passed` are the shapes as the caller passes them, with core dimensions that need not be the last. Raises
    `ValueError` as NumPy does for operands that do not fit the layout, or each other.
    """
    sizes: dict[str, int] = {n: int(n) for dims in (*layout.inputs, *layout.outputs) for n in dims if n.isdigit()}
    loops: list[tuple[int, ...]] = []
    places = [*zip(layout.inputs, inputs, strict=True), *zip(layout.outputs, outputs, strict=True)]
    for place, (dims, shape) in enumerate(places):
        if shape is None:
            continue
        split = len(shape) - len(dims)
        loops.append(shape[:split])
        for k, (dim, n) in enumerate(zip(dims, shape[split:], strict=True)):
            if sizes.setdefault(dim, n) != n:
                operand = operand_text(place, len(inputs))
                raise ValueError(
                    f"{name}: {operand} has a mismatch in its core dimension {k}, with gufunc signature {layout.text} "
                    f"(size {n} is different from {sizes[dim]})"
                )
    made = [shape for shape in outputs if shape is not None]
    written = tuple(sizes.get(dim, 0) for dims in layout.outputs for dim in dims)
    return Shapes(_loop(loops, [*inputs, *made], passed, len(inputs), written), sizes)


def operand_text(place: int, nin: int) -> str:
    """An operand of a generalised ufunc in NumPy's words."""
    return f"Input operand {place}" if place < nin else f"Output operand {place - nin}"


def check_dimensions(name: str, layout: Layout, shapes: Sequence[tuple[int, ...] | None]) -> None:
    """Raise `ValueError` as NumPy does for an operand that has not as many dimensions as its core."""
    for place, (dims, shape) in enumerate(zip((*layout.inputs, *layout.outputs), shapes, strict=True)):
        if shape is not None and len(shape) < len(dims):
            raise ValueError(
                f"{name}: {operand_text(place, len(layout.inputs))} does not have enough dimensions (has {len(shape)}, "
                f"gufunc core with signature {layout.text} requires {len(dims)})"
            )


def _loop(
    loops: Sequence[tuple[int, ...]],
    shapes: Sequence[tuple[int, ...]],
    passed: Sequence[tuple[int, ...]],
    nin: int,
    core: tuple[int, ...],
) -> tuple[int, ...]:
    """The dimensions that the operands are broadcast over; outputs, which come after the inputs, are not.

    `core` are the core dimensions of all outputs, `passed` the shapes as the caller passes them.
    """
    try:
        common = np.broadcast_shapes(*loops)
    except ValueError:
        new = ["newaxis"] * len(core)
        axes = [(*map(str, loop), *new) for loop in loops[:nin]] + [tuple(map(str, shape)) for shape in shapes[nin:]]
        shown = " ".join(map(_remapped, passed, axes))
        raise ValueError(
            f"operands could not be broadcast together with remapped shapes [original->remapped]: {shown}  and "
            f"requested shape ({','.join(map(str, core))})"
        ) from None
    for loop in loops[nin:]:
        if loop != common:
            raise ValueError(misfit(loop, common))
    return common


def _remapped(shape: tuple[int, ...], axes: Sequence[str]) -> str:
    return f"{shape_text(shape)}->({','.join(axes)}{',' if len(axes) == 1 else ''})"


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

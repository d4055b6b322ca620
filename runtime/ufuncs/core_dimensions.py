"""The layout of a generalised ufunc, `(n),(m)->(n,m)`: which dimensions of the operands its function sees."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
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

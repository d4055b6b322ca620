"""Products of arrays whose size is known only at run time: `dot`, `@`, `einsum`, `outer`.

Sizes that are summed over must agree; what is not there is set to zero on both sides, where it could be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.dynamic_shapes.outputs import stored
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting
from anabranch.runtime.values.dynamic_shapes.valid_region import ValidRegion
from anabranch.runtime.values.registry import FUNCTIONS

rules = Rules()

_CORES = "(n?,k),(k,m?)->(n?,m?)"


class _Side:
    """One operand: its axes, each with its extent; an axis of another operand may be summed over along with one."""

    def __init__(self, x: object) -> None:
        self.x = wrap.numpy_operand(x)
        self.is_dynamic = wrap.is_dynamic_array(self.x)
        self.shape = tuple(self.x.shape) if self.is_dynamic else wrap.shape_of(self.x)
        self.extents: list[ValidRegion | None] = list(self.x.extents) if self.is_dynamic else [None] * len(self.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def cleared(self, axes: Collection[int]) -> Value:
        """The operand with zeros outside of the valid region of these axes, which are summed over."""
        if not wrap.is_dynamic_array(self.x):
            return self.x
        summed = [e if axis in axes else None for axis, e in enumerate(self.x.extents)]
        part = wrap.part_of(self.x.memory, summed, self.x.origin)
        return part.padded(0) if wrap.is_dynamic_array(part) else part


def agree(a: _Side, i: int, b: _Side, j: int, text: str) -> None:
    """Align an axis of each, over which both are summed."""
    if a.extents[i] is None and b.extents[j] is None:
        if a.shape[i] != b.shape[j]:
            broadcasting.refuse(broadcasting.differ(a.shape[i], b.shape[j]), ValueError, text)
        return
    wrong = broadcasting.differ(a.shape[i], b.shape[j])
    broadcasting.refuse(wrong, ValueError, text, a.shape[i], b.shape[j])
    x, y = a.extents[i], b.extents[j]
    capacities = _capacity(a, i), _capacity(b, j)
    if x is not None and y is not None and x.same(y) and capacities[0] == capacities[1]:
        return
    least = min(capacities)
    for side, axis in ((a, i), (b, j)):
        side.x = _fronted(side.x, axis, least)
        side.extents = list(side.x.extents) if wrap.is_dynamic_array(side.x) else [None] * side.ndim


def _capacity(side: _Side, axis: int) -> int:
    n: int = (side.x.capacity if wrap.is_dynamic_array(side.x) else wrap.shape_of(side.x))[axis]
    return n


def _fronted(x: Value, axis: int, capacity: int) -> Value:
    """The array with an axis compacted to its front, of a given capacity."""
    x = x.left_packed(axis) if wrap.is_dynamic_array(x) else x
    key = (slice(None),) * axis + (slice(0, capacity),)
    if not wrap.is_dynamic_array(x):
        return FUNCTIONS[np.asarray](x)[key] if wrap.shape_of(x)[axis] != capacity else x
    return wrap.part_of(x.memory[key], x.extents, x.origin)


def _product(
    a: _Side, i: int, b: _Side, j: int, extents: list[ValidRegion | None], function: Callable[..., Any]
) -> Value:
    """The product of plain arrays, summed over axis i of one and j of the other."""
    made = FUNCTIONS[function](a.cleared((i,)), b.cleared((j,)))
    origin = next((side.x.origin for side in (a, b) if side.is_dynamic), None)
    return wrap.with_extents(made, extents, origin) if any(extents) else made


@rules.dynamic_shape(np.matmul, np.linalg.matmul)
def matmul(x1: object, x2: object, /, out: object = None) -> Value:
    """As `numpy.matmul`; the axes before the last two are broadcast where they are of static size."""
    a, b = _Side(x1), _Side(x2)
    for place, side in enumerate((a, b)):
        if not side.ndim:
            raise ValueError(
                f"matmul: Input operand {place} does not have enough dimensions (has 0, gufunc core with signature "
                f"{_CORES} requires 1)"
            )
    i, j = a.ndim - 1, max(b.ndim - 2, 0)
    text = (
        f"matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {_CORES} "
        "(size {1} is different from {0})"
    )
    agree(a, i, b, j, text)
    lead = _lead(a, b)
    extents = [*lead, *a.extents[-2:-1], *(b.extents[-1:] if b.ndim > 1 else [])]
    return stored(out, _product(a, i, b, j, extents, np.matmul))


def _lead(a: _Side, b: _Side) -> list[ValidRegion | None]:
    """The extents of the axes before the last two; beside one of run-time size only size 1 may stand."""
    lead = max(a.ndim - 2, b.ndim - 2, 0)
    found: list[ValidRegion | None] = []
    for place in range(lead):
        extents = []
        for side in (a, b):
            axis = place - lead + max(side.ndim - 2, 0)
            if axis >= 0 and side.ndim > 2:
                extents.append((side.extents[axis], side.shape[axis]))
        sizes = [e for e, _ in extents if e is not None]
        others = [n for e, n in extents if e is None and n != 1]
        if len(sizes) > 1 and not sizes[0].same(sizes[1]):
            others.append(0)
        if sizes and others:
            next(s.x for s in (a, b) if s.is_dynamic)._needs_size("a stack of matrices of static size")
        found.append(sizes[0] if sizes else None)
    return found


@rules.dynamic_shape(np.dot)
def dot(a: object, b: object, out: object = None) -> Value:
    """As `numpy.dot`."""
    x, y = _Side(a), _Side(b)
    if not x.ndim or not y.ndim:
        return stored(out, FUNCTIONS[np.multiply](a, b))
    i, j = x.ndim - 1, max(y.ndim - 2, 0)
    shapes = f"shapes {_template(x, 0)} and {_template(y, x.ndim)} not aligned: "
    text = shapes + f"{{{i}}} (dim {i}) != {{{x.ndim + j}}} (dim {j})"
    _agree_telling(x, i, y, j, text)
    extents = x.extents[:-1] + [e for k, e in enumerate(y.extents) if k != j]
    return stored(out, _product(x, i, y, j, extents, np.dot))


def _template(side: _Side, first: int) -> str:
    places = ",".join(f"{{{first + k}}}" for k in range(side.ndim))
    return f"({places}{',' if side.ndim == 1 else ''})"


def _agree_telling(x: _Side, i: int, y: _Side, j: int, text: str) -> None:
    """The same with a message that tells of all sizes."""
    wrong: Atom = broadcasting.differ(x.shape[i], y.shape[j])
    broadcasting.refuse(wrong, ValueError, text, *x.shape, *y.shape)
    agree(x, i, y, j, text)


@rules.dynamic_shape(np.vdot)
def vdot(a: object, b: object, /) -> Value:
    """As `numpy.vdot`."""
    flat = [FUNCTIONS[np.ravel](v) for v in (a, b)]
    return FUNCTIONS[np.dot](FUNCTIONS[np.conjugate](flat[0]), flat[1])


@rules.dynamic_shape(np.inner)
def inner(a: object, b: object, /) -> Value:
    """As `numpy.inner`."""
    x, y = _Side(a), _Side(b)
    if not x.ndim or not y.ndim:
        return FUNCTIONS[np.multiply](a, b)
    i, j = x.ndim - 1, y.ndim - 1
    shapes = f"shapes {_template(x, 0)} and {_template(y, x.ndim)} not aligned: "
    _agree_telling(x, i, y, j, shapes + f"{{{i}}} (dim {i}) != {{{x.ndim + j}}} (dim {j})")
    return _product(x, i, y, j, x.extents[:-1] + y.extents[:-1], np.inner)


@rules.dynamic_shape(np.outer)
def outer(a: Value, b: Value, out: Value = None) -> Value:
    """As `numpy.outer`."""
    column, row = (FUNCTIONS[np.ravel](v) for v in (a, b))
    return stored(out, column[:, None] * row[None, :])


@rules.dynamic_shape(np.einsum)
def einsum(subscripts: Value, *operands: Value, out: Value = None, **kwargs: Value) -> Value:
    """As `numpy.einsum` in its form with a string that names each axis."""
    sides = [_Side(x) for x in operands]
    if not isinstance(subscripts, str) or "..." in subscripts:
        next(s.x for s in sides if s.is_dynamic)._needs_size("an einsum() that names its axes by letters")
    left, _, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    if "->" not in subscripts:
        right = "".join(sorted(c for c in set(left) - {","} if left.count(c) == 1))
    if len(terms) != len(sides) or any(len(t) != s.ndim for t, s in zip(terms, sides, strict=False)):
        raise ValueError("einstein sum subscripts string does not fit the number of operands or of their dimensions")
    for letter in dict.fromkeys(left.replace(",", "")):
        _bring_together(letter, terms, sides)
    made = FUNCTIONS[np.einsum](f"{left}->{right}", *[s.cleared(range(s.ndim)) for s in sides], **kwargs)
    extents = [_extent(letter, terms, sides) for letter in right]
    return stored(out, wrap.with_extents(made, extents) if any(extents) else made)


def _bring_together(letter: str, terms: list[str], sides: list[_Side]) -> None:
    places = [(s, axis) for t, s in zip(terms, sides, strict=True) for axis, c in enumerate(t) if c == letter]
    (first, i), *others = places
    text = f"operands could not be broadcast together along '{letter}': {{0}} and {{1}}"
    for _ in range(2):  # bringing a later one to the front of its axis may move the first one, too
        for other, j in others:
            agree(first, i, other, j, text)


def _extent(letter: str, terms: list[str], sides: list[_Side]) -> ValidRegion | None:
    found = [s.extents[t.index(letter)] for t, s in zip(terms, sides, strict=True) if letter in t]
    return next((e for e in found if e is not None), None)

"""Sequential loops of a ufunc: reductions, accumulations and segments for which there is no op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import apply_ufunc, atoms
from anabranch.runtime.values.control_of_atoms import counted

# The elements of a vector at which a mask is true as one, in any order.
Fold: TypeAlias = Callable[[Atom, Atom], Atom]


@frozen
class UfuncLoop:
    """The loop of a binary ufunc that is stepped: the dtypes of accumulator, operand and result."""

    ufunc: np.ufunc
    dtypes: tuple[np.dtype, ...]

    def __call__(self, total: Atom, element: Atom) -> Atom:
        """The next total; both are of one shape."""
        made = atoms.ufunc(self.ufunc, atoms.convert(total, self.dtypes[0]), atoms.convert(element, self.dtypes[1]))
        return atoms.convert(made, total.type.dtype)

    def check(self, elements: Atom) -> None:
        """Raise for what the loop does not take, before it starts."""
        if self.ufunc is not np.power or self.dtypes[1].kind != "i" or not elements.type.size:
            return
        apply_ufunc.refuse_negative_exponents(atoms.convert(elements, self.dtypes[1]))


def reduced(loop: UfuncLoop, start: Atom, rows: Atom, mask: Atom | None) -> Atom:
    """All rows combined with the start, where the mask is true."""
    loop.check(rows)

    def step(_: Atom, carries: Sequence[Atom], row: Sequence[Atom]) -> tuple[list[Atom], list[Atom]]:
        total = loop(carries[0], row[0])
        return [total if mask is None else atoms.select(row[1], total, carries[0])], []

    n = rows.type.shape[0]
    return counted(atoms.literal(n, np.int64), n, step, [start], [rows] if mask is None else [rows, mask])[0]


def accumulated(loop: UfuncLoop, start: Atom, rows: Atom) -> Atom:
    """Return the total after each row, the start first of all."""
    loop.check(rows)

    def step(_: Atom, carries: Sequence[Atom], row: Sequence[Atom]) -> tuple[list[Atom], list[Atom]]:
        total = loop(carries[0], row[0])
        return [total], [total]

    n = rows.type.shape[0]
    _, later = counted(atoms.literal(n, np.int64), n, step, [start], [rows])
    first = atoms.reshape(start, (1, *start.type.shape))
    return atoms.op("concatenate", first, later, axis=0) if n else first


def segmented(loop: UfuncLoop, x: Atom, starts: Atom, size: Atom, fold: Fold | None = None) -> Atom:
    """The rows of each segment combined, of so many: from its start up to the next one's, or the start alone.

    `fold` combines the elements of a vector at which a mask is true, in any order.
    """
    n, (m,) = x.type.shape[0], starts.type.shape
    following = atoms.op("concatenate", atoms.cut(starts, 1, m), atoms.reshape(size, (1,)), axis=0)
    last, one, none = (atoms.literal(number, np.int64) for number in (max(n - 1, 0), 1, 0))

    def at(position: Atom) -> Atom:
        row = atoms.reshape(atoms.ufunc(np.minimum, position, last), (1,))
        return atoms.op("gather", x, row)

    def segment(_: Atom, carries: Sequence[Atom], ends: Sequence[Atom]) -> tuple[list[Atom], list[Atom]]:
        start, end = ends

        def step(index: Atom, totals: Sequence[Atom], _: Sequence[Atom]) -> tuple[list[Atom], list[Atom]]:
            position = atoms.ufunc(np.add, start, atoms.ufunc(np.add, index, one))
            return [loop(totals[0], at(position))], []

        first = atoms.convert(at(start), loop.dtypes[2])
        steps = atoms.ufunc(np.subtract, atoms.ufunc(np.subtract, end, start), one)
        if fold is None:
            return [], list(counted(steps, None, step, [first]))
        low = atoms.ufunc(np.minimum, atoms.ufunc(np.maximum, start, none), last)
        high = atoms.ufunc(np.minimum, atoms.ufunc(np.maximum, end, atoms.ufunc(np.add, low, one)), size)
        total = fold(x, atoms.op("window", low, high, shape=(n,), axis=0))
        if loop.ufunc is not np.add or total.type.dtype.kind != "f":
            return [], [total]
        # A sum begins with 0.0, which shows where all elements are -0.0; then, the first one is.
        is_negative = atoms.logical_and(atoms.ufunc(np.signbit, first), atoms.ufunc(np.equal, first, total))
        in_order = counted(atoms.select(is_negative, steps, none), None, step, [first])[0]
        return [], [atoms.select(is_negative, in_order, total)]

    return counted(atoms.literal(m, np.int64), m, segment, [], [starts, following])[0]

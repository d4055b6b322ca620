"""Products of several matrices, and powers of one."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy.core import (
    atom_of,
    fresh,
    handle,
    store,
)
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, registry

rules = Rules()

_F = registry.FUNCTIONS


@rules.implements(np.linalg.multi_dot)
def multi_dot(arrays: Value, *, out: object = None) -> Value:
    """As `numpy.linalg.multi_dot`, in the order with the fewest multiplications."""
    items = [handle(a) for a in arrays]
    if len(items) < 2:
        raise ValueError("Expecting at least two arrays.")
    if any(x.ndim != 2 for x in items[1:-1]) or any(x.ndim not in (1, 2) for x in items):
        raise np.linalg.LinAlgError("arrays must be two-dimensional, the first and the last one- or two-dimensional")
    rows = [1 if x.ndim == 1 and i == 0 else x.shape[0] for i, x in enumerate(items)]
    columns = 1 if items[-1].ndim == 1 else items[-1].shape[1]
    made = _chain(items, _splits((*rows, columns)), 0, len(items) - 1)
    return made if out is None else store(out, atom_of(made))


def _splits(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """The factor after which to split each product of neighbours, so that the multiplications are fewest."""
    n = len(sizes) - 1
    cost: dict[tuple[int, int], int] = {(i, i): 0 for i in range(n)}
    split: dict[tuple[int, int], int] = {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            costs = {k: cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)}
            split[i, j] = min(costs, key=lambda k: costs[k])
            cost[i, j] = costs[split[i, j]]
    return split


def _chain(items: Sequence[object], splits: dict[tuple[int, int], int], i: int, j: int) -> Value:
    if i == j:
        return items[i]
    k = splits[i, j]
    return _F[np.dot](_chain(items, splits, i, k), _chain(items, splits, k + 1, j))


@rules.implements(np.linalg.matrix_power)
def matrix_power(a: object, n: object) -> Value:
    """As `numpy.linalg.matrix_power`."""
    matrix = handle(a)
    if matrix.ndim < 2:
        raise np.linalg.LinAlgError(f"{matrix.ndim}-dimensional array given. Array must be at least two-dimensional")
    if matrix.shape[-1] != matrix.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if not hasattr(n, "__index__"):
        raise TypeError("exponent must be an integer")
    n = operator.index(n)
    if n < 0:
        matrix, n = _F[np.linalg.inv](matrix), -n
    if n == 0:
        eye = atom_of(_F[np.eye](matrix.shape[-1], dtype=matrix.dtype))
        return fresh(atoms.broadcast_to(eye, matrix.shape))
    made: Any = None
    square: Any = matrix
    while n:
        n, bit = divmod(n, 2)
        if bit:
            made = square if made is None else _F[np.matmul](made, square)
        square = _F[np.matmul](square, square) if n else square
    return made

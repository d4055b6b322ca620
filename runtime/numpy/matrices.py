"""Diagonals, triangles, Vandermonde matrices and window functions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import (
    atom_of,
    diagonal_mask,
    fresh,
    handle,
    offset,
    plain,
    supported,
    traced_inside,
    zeros_atom,
)
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.run_time_sizes import is_open, shape_with_capacity
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import size_arithmetic

rules = Rules()

_F = registry.FUNCTIONS


@rules.any_shape(np.diag)
def diag(v: Value, k: Value = 0) -> Value:
    """As `numpy.diag`: a matrix of a vector, a read-only view of a matrix's diagonal."""
    array, k = operands.array(v), operator.index(k)
    if array.ndim == 2:
        return _F[np.diagonal](array, k)
    if array.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    if not wrap.is_dynamic_array(array):
        return fresh(_diagonal_matrix(array.atom, k))
    front = array.left_packed()
    side = operands.window(size_arithmetic.add(array.shape[0], abs(k)))
    return wrap.with_extents(fresh(_diagonal_matrix(front.memory.atom, k)), (side, side), array.origin)


def _diagonal_matrix(line: Atom, k: int) -> Atom:
    n = line.type.size + abs(k)
    zero = atoms.literal(0, line.type.dtype)
    # Below the main diagonal row i takes element i + k, above it column j takes element j - k.
    low = (max(k, 0) if k >= 0 else 0,)
    padded = atoms.op("pad", line, zero, low=low, high=(n - line.type.size - low[0],), interior=(0,))
    wide = atoms.broadcast_to(padded, (n, n))
    return atoms.select(diagonal_mask(n, n, k), wide, zeros_atom((n, n), line.type.dtype))


@rules.implements(np.diagflat)
def diagflat(v: object, k: Value = 0) -> TracedArray:
    """As `numpy.diagflat`."""
    line = atom_of(v)
    return fresh(_diagonal_matrix(atoms.reshape(line, (line.type.size,)), operator.index(k)))


@rules.creates(np.tri)
def tri(N: object, M: object = None, k: Value = 0, dtype: Value = float, *, like: object = None) -> Value:  # noqa: N803
    """As `numpy.tri`, which makes nothing of negative sizes, and takes floats."""
    plain("tri", like=(like, None))
    shape, extents = shape_with_capacity(tuple(map(_length, (N, N if M is None else M))))
    ones = atoms.convert(_ones_below(shape[0], shape[1], k), supported(dtype))
    return wrap.with_extents(fresh(ones), extents)


def _ones_below(rows: int, columns: int, k: Value) -> Atom:
    """The positions up to a diagonal, of which the number may be a float."""
    if type(k) is float or isinstance(k, np.floating):
        # NumPy's `arange(-k, columns - k)` of ints is all zeros for k between 0 and 1.
        k = columns if 0 < k < 1 else math.trunc(float(k))
    return diagonal_mask(rows, columns, offset(k), np.less_equal)


def _length(n: Value) -> Value:
    """How many numbers `np.arange(n)` makes."""
    if traced_inside(n):
        return size_arithmetic.maximum(size_arithmetic.bound_of(n), 0) if is_open(n) else n
    return max(0, math.ceil(n) if isinstance(n, (float, np.floating)) else operator.index(n))


def _triangle(m: object, k: Value, lower: bool) -> Value:
    """The elements up to a diagonal, or those from one on."""
    array = operands.array(m)
    array = operands.left_packed(array, *range(max(array.ndim - 2, 0), array.ndim))
    extents = operands.extents(array)
    value = operands.memory(array).atom
    if len(value.type.shape) == 1:
        # NumPy broadcasts a vector against the square mask.
        value, extents = atoms.broadcast_to(value, value.type.shape * 2), extents * 2
    if not value.type.shape:
        raise TypeError(f"numpy.{'tril' if lower else 'triu'} takes an array of at least one dimension")
    *_, rows, columns = value.type.shape
    below = _ones_below(rows, columns, k if lower else k - 1)
    mask = atoms.broadcast_to(below, value.type.shape)
    zero = zeros_atom(value.type.shape, value.type.dtype)
    made = fresh(atoms.select(mask, value, zero) if lower else atoms.select(mask, zero, value))
    return wrap.with_extents(made, extents, operands.origin(array))


@rules.any_shape(np.tril)
def tril(m: object, k: object = 0) -> Value:
    """As `numpy.tril`."""
    return _triangle(m, k, lower=True)


@rules.any_shape(np.triu)
def triu(m: object, k: object = 0) -> Value:
    """As `numpy.triu`."""
    return _triangle(m, k, lower=False)


@rules.implements(np.tril_indices)
def tril_indices(n: object, k: object = 0, m: object = None) -> Value:
    """As `numpy.tril_indices`, of sizes known only at run time."""
    return _F[np.nonzero](tri(n, m, k, dtype=bool))


@rules.implements(np.triu_indices)
def triu_indices(n: object, k: Value = 0, m: object = None) -> Value:
    """As `numpy.triu_indices`, of sizes known only at run time."""
    return _F[np.nonzero](_F[np.logical_not](tri(n, m, k - 1, dtype=bool)))


@rules.implements(np.diag_indices)
def diag_indices(n: Value, ndim: Value = 2) -> tuple[Value, ...]:
    """As `numpy.diag_indices`, of a size known only at run time: one array, as often as there are dimensions."""
    return (_F[np.arange](n),) * operator.index(ndim)


@rules.any_shape(np.vander)
def vander(x: Value, N: Value = None, increasing: Value = False) -> Value:  # noqa: N803
    """As `numpy.vander`: running products."""
    if wrap.is_dynamic_array(x) and N is not None:
        made = vander(x.memory, N, increasing)
        return wrap.with_extents(made, (*x.extents, None), x.origin)
    array = handle(x)
    if array.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    columns = array.size if N is None else operator.index(N)
    dtype = np.promote_types(array.dtype, int)
    line = atoms.convert(array.atom, dtype)
    powers = [zeros_atom((array.size,), dtype, 1)]
    for _ in range(columns - 1):
        powers.append(atoms.ufunc(np.multiply, powers[-1], line))
    if columns == 0:
        return fresh(zeros_atom((array.size, 0), dtype))
    ordered = powers if increasing else powers[::-1]
    return fresh(atoms.op("concatenate", *(atoms.reshape(p, (array.size, 1)) for p in ordered), axis=1))


def _window(original: Callable[..., Any]) -> None:
    @rules.creates(original)
    def function(M: Value, *args: Value) -> TracedArray:  # noqa: N803
        # Of a static length: NumPy's own values, as a constant.
        return fresh(atoms.literal(original(operator.index(M), *args)))

    del function


for _original in (np.bartlett, np.blackman, np.hamming, np.hanning, np.kaiser):
    _window(_original)

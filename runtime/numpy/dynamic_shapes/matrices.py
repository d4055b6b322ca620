"""Arrays of run-time size compared as a whole, and what is computed of their rows and diagonals."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import axes_tuple, fresh
from anabranch.runtime.numpy.dynamic_shapes import operands
from anabranch.runtime.numpy.dynamic_shapes.outputs import stored
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.registry import FUNCTIONS

rules = Rules()


@rules.dynamic_shape(np.allclose)
def allclose(a: object, b: object, rtol: object = 1.0e-5, atol: object = 1.0e-8, equal_nan: object = False) -> Value:
    """As `numpy.allclose`."""
    return FUNCTIONS[np.all](FUNCTIONS[np.isclose](a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)).item()


@rules.dynamic_shape(np.array_equal)
def array_equal(a1: object, a2: object, equal_nan: object = False) -> Value:
    """As `numpy.array_equal`: arrays of different sizes are not."""
    x, y = operands.array(a1), operands.array(a2)
    if x.ndim != y.ndim:
        return False
    alike: Atom = atoms.literal(True)
    for n, m in zip(x.shape, y.shape, strict=True):
        alike = atoms.logical_and(alike, atoms.logical_not(broadcasting.differ(n, m)))
    x, y = operands.left_packed(x), operands.left_packed(y)
    capacities = tuple(map(min, zip(operands.capacity(x), operands.capacity(y), strict=True)))
    key = tuple(slice(0, n) for n in capacities)
    there = FUNCTIONS[np.logical_and](*(fresh(operands.valid(v))[key] for v in (x, y)))
    a, b = (operands.memory(v)[key] for v in (x, y))
    same = FUNCTIONS[np.equal](a, b)
    if equal_nan and all(v.dtype.kind in "fcV" for v in (a, b)):
        same = FUNCTIONS[np.logical_or](same, FUNCTIONS[np.logical_and](FUNCTIONS[np.isnan](a), FUNCTIONS[np.isnan](b)))
    every = FUNCTIONS[np.all](FUNCTIONS[np.logical_or](same, FUNCTIONS[np.logical_not](there)))
    return FUNCTIONS[np.logical_and](fresh(alike)[()], every).item()


@rules.dynamic_shape(np.trace)
def trace(
    a: Value, offset: Value = 0, axis1: Value = 0, axis2: Value = 1, dtype: Value = None, out: Value = None
) -> Value:
    """As `numpy.trace`."""
    axes = axes_tuple((axis1, axis2), a.ndim)
    front = a.left_packed(*axes)
    made = FUNCTIONS[np.trace](front.padded(0), offset, *axes, dtype)
    rest = [e for i, e in enumerate(front.extents) if i not in axes]
    return stored(out, wrap.with_extents(made, rest, a.origin) if any(rest) else made)


# ---- covariances -----------------------------------------------------------------------------------------------------


def _variables(m: object, rowvar: object) -> Value:
    """One variable in each row."""
    x = operands.array(m)
    if x.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    if x.ndim == 1:
        return x[None, :]
    return x if rowvar else FUNCTIONS[np.transpose](x)


@rules.dynamic_shape(np.cov)
def cov(
    m: Value,
    y: Value = None,
    rowvar: Value = True,
    bias: Value = False,
    ddof: Value = None,
    fweights: Value = None,
    aweights: Value = None,
    *,
    dtype: Value = None,
) -> Value:
    """As `numpy.cov`, without weights."""
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    for weights in (fweights, aweights):
        if weights is not None:
            next(v for v in (m, y, weights) if wrap.is_dynamic_array(v))._needs_size("cov() with weights")
    parts = [_variables(v, rowvar) for v in (m, y) if v is not None]
    chosen = np.result_type(*(p.dtype for p in parts), np.float64) if dtype is None else dtype
    x = parts[0] if len(parts) == 1 else FUNCTIONS[np.concatenate](parts, 0)
    x = x.astype(chosen)
    free = (0 if bias else 1) if ddof is None else int(ddof)
    count = size_arithmetic.maximum(size_arithmetic.add(size_arithmetic.bound_of(x.shape[1]), -free), 0)
    x = x - FUNCTIONS[np.mean](x, axis=1, keepdims=True)
    scale = FUNCTIONS[np.true_divide](1.0, FUNCTIONS[np.asarray](count, chosen))
    made = FUNCTIONS[np.dot](x, FUNCTIONS[np.conjugate](FUNCTIONS[np.transpose](x))) * scale
    if wrap.is_dynamic_array(made):
        return made
    return FUNCTIONS[np.squeeze](made)


@rules.dynamic_shape(np.corrcoef)
def corrcoef(x: object, y: object = None, rowvar: object = True, *, dtype: object = None) -> Value:
    """As `numpy.corrcoef`."""
    c = FUNCTIONS[np.cov](x, y, rowvar, dtype=dtype)
    if wrap.is_dynamic_array(c):
        return c._needs_size("a static number of variables")
    if not c.shape:
        return c / c
    spread = FUNCTIONS[np.sqrt](FUNCTIONS[np.diagonal](c).real)
    c = c / spread[:, None] / spread[None, :]
    if c.dtype.kind == "c":
        return FUNCTIONS[np.clip](c.real, -1, 1) + 1j * FUNCTIONS[np.clip](c.imag, -1, 1)
    return FUNCTIONS[np.clip](c, -1, 1)

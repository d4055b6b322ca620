"""Covariances and correlations."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.namespace import namespace as xp
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting
from anabranch.runtime.values.failures import run_time_checks

rules = Rules()


def _variables(m: object, rowvar: object, name: str) -> Value:
    """One variable in each row."""
    array = operands.array(m)
    if array.ndim > 2:
        raise ValueError(f"{name} has more than 2 dimensions")
    table = xp.atleast_2d(array)
    several = array.ndim != 1 if name == "m" else not _is(table.shape[0], 1)
    return table.T if several and not rowvar else table


def _is(size: object, number: int) -> bool:
    """Return whether a size is surely this."""
    return isinstance(size, int) and size == number


def _weights(given: object, count: Value, name: str) -> Value:
    weights = operands.array(given).astype(np.float64)
    if weights.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    wrong = broadcasting.differ(weights.shape[0], count) if weights.ndim else atoms.literal(True)
    broadcasting.refuse(wrong, RuntimeError, f"incompatible numbers of samples and {name}")
    _refuse(xp.any(weights < 0), ValueError(f"{name} cannot be negative"))
    return weights


def _refuse(where: object, error: Exception) -> None:
    run_time_checks.fail_if(wrap.as_atom(where), lambda _: error)


@rules.any_shape(np.cov)
def cov(
    m: object,
    y: object = None,
    rowvar: object = True,
    bias: Value = False,
    ddof: Value = None,
    fweights: object = None,
    aweights: object = None,
    *,
    dtype: object = None,
) -> Value:
    """As `numpy.cov`."""
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    parts = [_variables(v, rowvar, name) for v, name in ((m, "m"), (y, "y")) if v is not None]
    chosen = np.result_type(*(p.dtype for p in parts), np.float64) if dtype is None else dtype
    x, *others = [p.astype(chosen) for p in parts]
    if _is(x.shape[0], 0):
        return xp.zeros((0, 0))
    x = xp.concatenate((x, *others), axis=0) if others else x
    free = (0 if bias else 1) if ddof is None else int(ddof)
    weights, total = _all_weights(fweights, aweights, x.shape[1])
    mean = xp.average(x, axis=1, weights=weights)
    count = _freedom(weights, aweights, total, free, x.shape[1])
    x = x - mean[:, None]
    product = xp.dot(x, xp.conjugate((x if weights is None else x * weights).T))
    scaled = product * xp.true_divide(1.0, xp.where(xp.greater(count, 0), count, 0.0))
    made = scaled.astype(chosen)
    if not wrap.is_dynamic_array(made):
        return xp.squeeze(made)
    alone = atoms.logical_not(broadcasting.differ(made.shape[0], 1))
    text = "cov() of a number of variables known only at run time, which is 1 here: NumPy returns a number for one"
    broadcasting.refuse(alone, UnsupportedOperationError, text)
    return made


def _all_weights(fweights: object, aweights: object, count: Value) -> tuple[Value, Value]:
    """The weight of each observation, and their sum; None where all count alike."""
    weights = None
    if fweights is not None:
        weights = _weights(fweights, count, "fweights")
        _refuse(xp.any(weights != xp.round(weights)), TypeError("fweights must be integer"))
    if aweights is not None:
        given = _weights(aweights, count, "aweights")
        weights = given if weights is None else weights * given
    return weights, None if weights is None else xp.sum(weights)


def _freedom(weights: object, aweights: object, total: Value, free: int, count: Value) -> Value:
    """Return the divisor of the sum of products."""
    if weights is None:
        return count - free
    if free == 0 or aweights is None:
        return total - free
    return total - free * xp.sum(weights * operands.array(aweights)) / total


@rules.any_shape(np.corrcoef)
def corrcoef(x: object, y: object = None, rowvar: object = True, *, dtype: object = None) -> Value:
    """As `numpy.corrcoef`."""
    c = cov(x, y, rowvar, dtype=dtype)
    if wrap.is_dynamic_array(c):
        return c._needs_size("a static number of variables")
    if not c.shape:
        return c / c
    spread = xp.sqrt(xp.diagonal(c).real)
    c = c / spread[:, None]
    c = c / spread[None, :]
    if c.dtype.kind == "c":
        return xp.clip(c.real, -1, 1) + 1j * xp.clip(c.imag, -1, 1)
    return xp.clip(c, -1, 1)

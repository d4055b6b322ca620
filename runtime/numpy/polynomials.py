"""Polynomials as arrays of coefficients, the highest power first: arithmetic, zeros, fits to points."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import linear_systems, operands
from anabranch.runtime.numpy.core import atom_of, handle, refused, shape_of
from anabranch.runtime.numpy.namespace import namespace as xp
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting
from anabranch.runtime.values.failures import run_time_checks

rules = Rules()


def _coefficients(p: object) -> Value:
    """A vector of coefficients."""
    return xp.atleast_1d(handle(p))


def _leading(p: object, name: str) -> Value:
    """The coefficients; the first must not be zero, since NumPy drops such ones, and the size would not be static."""
    array = _coefficients(p)
    if array.ndim != 1:
        raise ValueError("Polynomial must be 1d only.")
    if array.shape[0] > 1:
        message = (
            f"numpy.{name} of coefficients that begin with zero is not supported in compiled code: the result's size "
            "depends on how many there are; leave them out"
        )
        run_time_checks.fail_if(wrap.as_atom(array[0] == 0), lambda _: UnsupportedOperationError(message))
    return array


@rules.implements(np.poly)
def poly(seq_of_zeros: object) -> Value:
    """As `numpy.poly`: the coefficients of the polynomial with these zeros, or of a matrix's characteristic one."""
    if not shape_of(seq_of_zeros):
        raise TypeError("numpy.poly takes an array of zeros or a matrix")
    zeros = handle(seq_of_zeros)
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] and zeros.shape[0]:
        zeros = xp.linalg.eigvals(zeros)
    elif zeros.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if not zeros.shape[0]:
        return 1.0
    zeros = zeros if zeros.dtype.char in "fdFD" else zeros.astype(np.float64)
    # The eigenvalues of a real matrix come in conjugate pairs.
    real = zeros.dtype.kind == "f" or (shape_of(seq_of_zeros)[1:] and handle(seq_of_zeros).dtype.kind != "c")
    product = xp.ones(1, zeros.dtype)
    for i in range(zeros.shape[0]):
        product = xp.convolve(product, xp.stack([xp.ones((), zeros.dtype), -zeros[i]]), mode="full")
    if not real:
        raise refused("poly", "the dtype of the result depends on the values of complex zeros")
    return product.real if product.dtype.kind == "c" else product


@rules.implements(np.polymul)
def polymul(a1: object, a2: object) -> Value:
    """As `numpy.polymul`, of coefficients that do not begin with zero."""
    return xp.convolve(_leading(a1, "polymul"), _leading(a2, "polymul"))


@rules.implements(np.polydiv)
def polydiv(u: object, v: object) -> Value:
    """As `numpy.polydiv`: the quotient, and the remainder without coefficients near zero at its beginning."""
    dividend, divisor = (xp.atleast_1d(handle(p)) + 0.0 for p in (u, v))
    dtype = (dividend[0] + divisor[0]).dtype
    degree, steps = divisor.shape[0] - 1, dividend.shape[0] - divisor.shape[0] + 1
    scale = 1.0 / divisor[0]
    quotient, rest = xp.zeros(max(steps, 1), dtype), dividend.astype(dtype)
    for k in range(steps):
        d = scale * rest[k]
        quotient[k] = d
        rest[k : k + degree + 1] -= d * divisor
    leading = xp.cumprod(xp.isclose(rest, 0, rtol=1e-14)).sum()
    return quotient, rest[xp.minimum(leading, rest.shape[0] - 1) :]


@rules.implements(np.roots)
def roots(p: object) -> Value:
    """As `numpy.roots`, always complex, of coefficients that neither begin nor end with zero."""
    array = xp.atleast_1d(handle(p))
    if array.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    array = array if array.dtype.kind in "fc" else array.astype(np.float64)
    n = array.shape[0]
    if n < 2:
        return xp.zeros(0)
    for at, place, advice in ((0, "begin", "leave them out"), (-1, "end", "divide by x: each is a zero at 0")):
        message = (
            f"numpy.roots of coefficients that {place} with zero is not supported in compiled code: how many zeros of "
            f"the polynomial are computed depends on them; {advice}"
        )
        run_time_checks.fail_if(wrap.as_atom(array[at] == 0), lambda _, m=message: UnsupportedOperationError(m))
    below = np.eye(n - 1, k=-1, dtype=array.dtype)[1:]
    return xp.linalg.eigvals(xp.concatenate((-array[np.newaxis, 1:] / array[0], below)))


@rules.any_shape(np.polyfit)
def polyfit(
    x: object, y: object, deg: object, rcond: object = None, full: object = False, w: object = None, cov: object = False
) -> Value:
    """As `numpy.polyfit`, without its `RankWarning`."""
    order = _order(deg)
    points, rhs = _inexact(x), _inexact(y)
    _check_points(points, rhs)
    ratio = points.shape[0] * np.finfo(points.dtype).eps if rcond is None else rcond
    lhs = xp.vander(points, order)
    if w is not None:
        weights = _inexact(w)
        if weights.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        _refuse(broadcasting.differ(weights.shape[0], rhs.shape[0]), "expected w and y to have the same length")
        lhs *= weights[:, np.newaxis]
        rhs *= weights[:, np.newaxis] if rhs.ndim == 2 else weights
    scale = xp.sqrt((lhs * lhs).sum(axis=0))
    lhs /= scale
    found, residuals, rank, s = linear_systems.lstsq(lhs, rhs, ratio)
    c = (found.T / scale).T
    if full:
        return c, residuals, rank, s, ratio
    if not cov:
        return c
    base = xp.linalg.inv(xp.dot(lhs.T, lhs)) / xp.outer(scale, scale)
    factor = 1 if cov == "unscaled" else _variance(rhs - xp.matmul(lhs, found), rank, order)
    return c, base * factor if rhs.ndim == 1 else base[:, :, np.newaxis] * factor


def _inexact(x: object) -> Value:
    return operands.array(x) + 0.0


def _order(deg: Value) -> int:
    order = int(deg) + 1
    if order < 1:
        raise ValueError("expected deg >= 0")
    return order


def _check_points(x: Value, y: Value) -> None:
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    _refuse(atoms.logical_not(broadcasting.differ(x.shape[0], 0)), "expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    _refuse(broadcasting.differ(x.shape[0], y.shape[0]), "expected x and y to have same length")


def _refuse(bad: Atom, message: str) -> None:
    broadcasting.refuse(bad, TypeError, message)


def _variance(rest: Value, rank: Value, order: int) -> Value:
    """Of what the fit leaves; NumPy has no residuals where the columns depend on one another."""
    free = rest.shape[0] - order
    if free <= 0:
        raise ValueError("the number of data points must exceed order to scale the covariance matrix")
    error = ValueError(f"operands could not be broadcast together with shapes ({order},{order}) (0,) ")
    run_time_checks.fail_if(atom_of(rank != order), lambda _: error)
    return (xp.abs(rest) ** 2).sum(axis=0, keepdims=rest.ndim == 1) / free

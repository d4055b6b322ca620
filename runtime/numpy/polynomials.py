"""Polynomials as arrays of coefficients, the highest power first."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy.core import handle, on_host, refused, shape_of
from anabranch.runtime.numpy.namespace import namespace as xp
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.tracing.storage import OfLibrary
from anabranch.runtime.values import wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
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


@rules.any_shape(np.poly1d)
def poly1d(c_or_r: Value, r: Value = False, variable: Value = None) -> Value:
    """As `numpy.poly1d`: an object that the host makes where it is needed; it holds the array of its coefficients."""
    made = on_host(np.poly1d, c_or_r, r, variable)
    if isinstance(c_or_r, TracedArray) and not r:
        c_or_r.storage.readonly = OfLibrary("an array that a poly1d holds")
    return made


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


def _joined(ufunc: Any, a1: object, a2: object) -> Value:
    left, right = _coefficients(a1), _coefficients(a2)
    size = max(left.shape[0], right.shape[0])
    left, right = (xp.concatenate((xp.zeros(size - p.shape[0], p.dtype), p)) for p in (left, right))
    return ufunc(left, right)


@rules.implements(np.polyadd)
def polyadd(a1: object, a2: object) -> Value:
    """As `numpy.polyadd`."""
    return _joined(xp.add, a1, a2)


@rules.implements(np.polysub)
def polysub(a1: object, a2: object) -> Value:
    """As `numpy.polysub`."""
    return _joined(xp.subtract, a1, a2)


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


@rules.implements(np.polyder)
def polyder(p: object, m: Value = 1) -> TracedArray:
    """As `numpy.polyder`."""
    order = operator.index(m)
    if order < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    array = handle(p)
    len(array)
    for _ in range(order):
        powers = np.arange(len(array) - 1, 0, -1)
        array = array[:-1] * powers
    return array


@rules.implements(np.polyint)
def polyint(p: object, m: Value = 1, k: object = None) -> TracedArray:
    """As `numpy.polyint`."""
    order = operator.index(m)
    if order < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = xp.zeros(order, float) if k is None else xp.atleast_1d(handle(k))
    if constants.shape[0] == 1 and order > 1:
        constants = constants[0] * xp.ones(order, float)
    if constants.shape[0] < order:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    array = handle(p)
    for i in range(order):
        array = xp.concatenate((xp.true_divide(array, np.arange(len(array), 0, -1)), constants[i : i + 1]))
    return array

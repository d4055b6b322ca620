"""Factorings of matrices, eigenvalues and singular values."""

from __future__ import annotations

import functools

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import linear_systems, stacks
from anabranch.runtime.numpy.core import atom_of, fresh, handle, refused, result
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.stacks import (
    EighResult,
    EigResult,
    QRResult,
    SVDResult,
    as_dtype,
    assert_square,
    assert_stacked,
    computed,
    fail_where,
    failing,
    real_of,
    result_dtype,
    run,
)
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray

rules = Rules()

_F = registry.FUNCTIONS
_NO_EIGENVALUES = "Eigenvalues did not converge"


@rules.implements(np.linalg.cholesky)
def cholesky(a: Value, /, *, upper: Value = False) -> Value:
    """As `numpy.linalg.cholesky`; a matrix that is not positive definite raises `LinAlgError` at run time."""
    if wrap.is_dynamic_array(a):
        return stacks.of_matrix(functools.partial(cholesky, upper=upper), a)
    array = handle(a)
    assert_square(array)
    factor, info = run("cholesky", *computed(array), upper=bool(upper))
    failing(info, "Matrix is not positive definite")
    return as_dtype(factor, result_dtype(array))


@rules.implements(np.linalg.qr)
def qr(a: object, mode: object = "reduced") -> Value:
    """As `numpy.linalg.qr`, without the modes that NumPy has deprecated."""
    if mode in ("f", "full", "e", "economic"):
        raise refused("linalg.qr", f"mode={mode!r} is deprecated; write mode='reduced' or mode='raw'")
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    array = handle(a)
    assert_stacked(array)
    dtype = result_dtype(array)
    if mode in ("reduced", "complete"):
        q, r = run("qr", *computed(array), mode=mode)
        return QRResult(as_dtype(q, dtype), as_dtype(r, dtype))
    h, tau = run("qr", *computed(array), mode="raw")
    if mode == "raw":
        return as_dtype(atom_of(_F[np.matrix_transpose](fresh(h))), dtype), as_dtype(tau, dtype)
    return as_dtype(_F[np.triu](fresh(h)[..., : min(array.shape[-2:]), :]).atom, dtype)


# ---- eigenvalues -----------------------------------------------------------------------------------------------------


def _eigh(a: object, triangle: Value, vectors: bool) -> tuple[np.dtype, tuple[Atom, ...]]:
    letter = triangle.upper()
    if letter not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    array = handle(a)
    assert_square(array)
    *found, info = run("eigh", *computed(array), lower=letter == "L", vectors=vectors)
    failing(info, _NO_EIGENVALUES)
    return result_dtype(array), tuple(found)


@rules.implements(np.linalg.eigh)
def eigh(a: object, UPLO: object = "L") -> Value:  # noqa: N803
    """As `numpy.linalg.eigh`."""
    dtype, (w, v) = _eigh(a, UPLO, vectors=True)
    return EighResult(as_dtype(w, real_of(dtype)), as_dtype(v, dtype))


@rules.implements(np.linalg.eigvalsh)
def eigvalsh(a: object, UPLO: object = "L") -> TracedArray:  # noqa: N803
    """As `numpy.linalg.eigvalsh`."""
    dtype, (w,) = _eigh(a, UPLO, vectors=False)
    return as_dtype(w, real_of(dtype))


def _eig(a: object, vectors: bool) -> list[TracedArray]:
    """Complex whatever the values are, as in NumPy from 2.5 on: the dtype cannot depend on them."""
    array = handle(a)
    assert_square(array)
    if array.dtype.kind in "fc":
        infinite = atoms.logical_not(atoms.ufunc(np.isfinite, array.atom))
        fail_where(infinite, "Array must not contain infs or NaNs")
    dtype = np.result_type(result_dtype(array), np.complex64)
    *found, info = run("eig", *computed(array), vectors=vectors)
    failing(info, _NO_EIGENVALUES)
    return [as_dtype(x, dtype) for x in found]


@rules.implements(np.linalg.eig)
def eig(a: object) -> Value:
    """As `numpy.linalg.eig`, always complex."""
    return EigResult(*_eig(a, vectors=True))


@rules.implements(np.linalg.eigvals)
def eigvals(a: object) -> TracedArray:
    """As `numpy.linalg.eigvals`, always complex."""
    return _eig(a, vectors=False)[0]


# ---- singular values -------------------------------------------------------------------------------------------------


@rules.implements(np.linalg.svd)
def svd(a: Value, full_matrices: Value = True, compute_uv: Value = True, hermitian: Value = False) -> Value:
    """As `numpy.linalg.svd`."""
    array = handle(a)
    if hermitian:
        return _hermitian_svd(array) if compute_uv else _descending(_F[np.abs](eigvalsh(array)))
    assert_stacked(array)
    dtype = result_dtype(array)
    *found, info = run("svd", *computed(array), full=bool(full_matrices), vectors=bool(compute_uv))
    failing(info, "SVD did not converge")
    if not compute_uv:
        return as_dtype(found[0], real_of(dtype))
    u, s, vh = found
    return SVDResult(as_dtype(u, dtype), as_dtype(s, real_of(dtype)), as_dtype(vh, dtype))


def _descending(s: object) -> TracedArray:
    return fresh(_F[np.sort](s)[..., ::-1].atom)


def _hermitian_svd(array: TracedArray) -> Value:
    """From eigenvalues, the largest first; their signs go into the right vectors."""
    w, v = eigh(array)
    sign, size = _F[np.copysign](np.ones((), w.dtype), w), _F[np.abs](w)
    order = _F[np.argsort](size)[..., ::-1]
    sign, size = (_F[np.take_along_axis](x, order, axis=-1) for x in (sign, size))
    u = _F[np.take_along_axis](v, order[..., np.newaxis, :], axis=-1)
    vt = _F[np.conjugate](_F[np.matrix_transpose](u * sign[..., np.newaxis, :]))
    return SVDResult(u, size, vt)


@rules.implements(np.linalg.svdvals)
def svdvals(x: object, /) -> Value:
    """As `numpy.linalg.svdvals`."""
    return svd(x, compute_uv=False)


@rules.implements(np.linalg.matrix_rank)
def matrix_rank(A: object, tol: object = None, hermitian: object = False, *, rtol: object = None) -> Value:  # noqa: N803
    """As `numpy.linalg.matrix_rank`; of a vector it is a Python int."""
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    array = handle(A)
    if array.ndim < 2:
        return wrap.python_number(atom_of(_F[np.any](array), np.int64))
    s = svd(array, compute_uv=False, hermitian=hermitian)
    if tol is None:
        ratio = max(array.shape[-2:]) * np.finfo(s.dtype).eps if rtol is None else handle(rtol)[..., np.newaxis]
        bound = _F[np.max](s, axis=-1, keepdims=True, initial=0) * ratio
    else:
        bound = handle(tol)[..., np.newaxis]
    return _F[np.count_nonzero](s > bound, axis=-1)


@rules.implements(np.linalg.cond)
def cond(x: object, p: object = None) -> Value:
    """As `numpy.linalg.cond` from NumPy 2.5 on, where it is NaN for a matrix that has a NaN."""
    array = handle(x)
    if array.size == 0 and 0 in array.shape[-2:]:
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    assert_stacked(array)
    dtype = real_of(result_dtype(array))
    if p is None or p in {2, -2}:
        s = _singular_values(array)
        value = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        assert_square(array)
        found, info = linear_systems.inverse(array)
        singular = fresh(info)[..., np.newaxis, np.newaxis] != 0
        inverted = _F[np.where](singular, np.nan, fresh(found))
        value = _size(array, p) * _size(inverted, p)
    there = _F[np.any](_F[np.isnan](array), axis=(-2, -1))
    lost = _F[np.logical_and](_F[np.isnan](value), _F[np.logical_not](there))
    return result(atom_of(_F[np.where](lost, np.inf, value), dtype))


def _size(array: Value, p: object) -> Value:
    if p == "nuc":
        return _F[np.sum](_singular_values(array), axis=-1)
    return _F[np.linalg.norm](array, p, axis=(-2, -1))


def _singular_values(array: TracedArray) -> TracedArray:
    """The singular values, NaN where LAPACK finds none."""
    s, info = run("svd", *computed(array), full=False, vectors=False)
    made: TracedArray = _F[np.where](fresh(info)[..., np.newaxis] != 0, np.nan, fresh(s))
    return made

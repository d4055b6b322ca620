"""Factorings of matrices, eigenvalues and singular values, norms."""

from __future__ import annotations

import functools

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import linear_systems, operands, stacks
from anabranch.runtime.numpy.core import atom_of, fresh, handle, one_axis, refused, result
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
from anabranch.runtime.values import atoms, registry, static_requests, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.tracer import Tracer

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


def _floats(x: Value) -> Value:
    array = operands.array(x)
    return array if array.dtype.kind in "fc" else array.astype(np.float64)


def _squares(x: Value) -> Value:
    return x.real**2 + x.imag**2 if x.dtype.kind == "c" else x * x


@rules.any_shape(np.linalg.norm)
def norm(x: Value, ord: Value = None, axis: Value = None, keepdims: Value = False) -> Value:
    """As `numpy.linalg.norm`."""
    array = _floats(x)
    ndim = array.ndim
    if axis is None:
        is_number = _is_run_time_number(ord)
        if ord is None or (not is_number and ((ord in ("f", "fro") and ndim == 2) or (ord == 2 and ndim == 1))):
            line = _F[np.ravel](array)
            total = _F[np.sqrt](_F[np.sum](_squares(line)))
            return _F[np.reshape](total, (1,) * ndim) if keepdims else total
        axis = tuple(range(ndim))
    axes = axis if isinstance(axis, tuple) else (axis,)
    if len(axes) == 1:
        rule = _vector_of_any_order if _is_run_time_number(ord) else _vector
        return rule(array, ord, one_axis(axes[0], ndim), keepdims)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    rows, columns = (one_axis(a, ndim) for a in axes)
    if rows == columns:
        raise ValueError("Duplicate axes given.")
    return _matrix(array, ord, rows, columns, keepdims)


def _vector(x: Value, ord: Value, axis: int, keepdims: Value) -> Value:
    size = _F[np.abs](x)
    if ord is None or ord == 2:
        return _F[np.sqrt](_F[np.sum](_squares(x), axis=axis, keepdims=keepdims))
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord == np.inf:
        return _F[np.max](size, axis=axis, keepdims=keepdims, initial=0)
    if ord == -np.inf:
        return _F[np.min](size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return _F[np.sum]((x != 0).astype(x.real.dtype), axis=axis, keepdims=keepdims)
    if ord == 1:
        return _F[np.sum](size, axis=axis, keepdims=keepdims)
    total = _F[np.sum](_F[np.power](size, ord), axis=axis, keepdims=keepdims)
    return _F[np.power](total, _F[np.reciprocal](np.asarray(ord, dtype=total.dtype)))


def _is_run_time_number(ord: object) -> bool:
    return isinstance(ord, Tracer) and not wrap.shape_of(ord) and static_requests.source_leaves(ord) is None


def _vector_of_any_order(x: Value, ord: Value, axis: int, keepdims: Value) -> Value:
    """The norm of an order known only at run time."""
    size = _F[np.abs](x)
    total = _F[np.sum](_F[np.power](size, ord), axis=axis, keepdims=keepdims)
    value = _F[np.power](total, _F[np.reciprocal](_F[np.asarray](ord, dtype=total.dtype)))
    if value.dtype != size.dtype:
        raise refused("linalg.norm", f"its result is of {size.dtype} or {value.dtype}, as the run-time order says")
    for special in (1, 0, -np.inf, np.inf, 2):
        value = _F[np.where](ord == special, _vector(x, special, axis, keepdims), value)
    return value if value.ndim else value[()]


def _matrix(x: object, ord: object, rows: int, columns: int, keepdims: object) -> Value:
    both = (rows, columns)
    if ord is None or ord in ("fro", "f"):
        return _F[np.sqrt](_F[np.sum](_squares(x), axis=both, keepdims=keepdims))
    if ord in (2, -2, "nuc"):
        value = _of_singular_values(_F[np.linalg.svdvals](_F[np.moveaxis](x, both, (-2, -1))), ord)
        return _F[np.expand_dims](value, both) if keepdims else value
    if ord not in (1, -1, np.inf, -np.inf):
        raise ValueError("Invalid norm order for matrices.")
    summed, left = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = _F[np.sum](_F[np.abs](x), axis=summed, keepdims=True)
    most = {"axis": left, "keepdims": True}
    value = _F[np.max](sums, initial=0, **most) if ord > 0 else _F[np.min](sums, **most)
    return value if keepdims else _F[np.squeeze](value, both) if value.ndim > 2 else value[0, 0]


def _of_singular_values(s: Value, ord: Value) -> Value:
    if ord == "nuc":
        return _F[np.sum](s, axis=-1)
    return _F[np.max](s, axis=-1, initial=0) if ord > 0 else _F[np.min](s, axis=-1)

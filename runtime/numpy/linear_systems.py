"""Systems of linear equations, inverses and determinants."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands, stacks
from anabranch.runtime.numpy.core import (
    atom_of,
    fresh,
    handle,
    result,
    zeros_atom,
)
from anabranch.runtime.numpy.operands import Operand
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.stacks import (
    FLOAT64,
    SlogdetResult,
    as_dtype,
    assert_square,
    computed,
    failing,
    real_of,
    result_dtype,
    run,
)
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.union import UnionValue

rules = Rules()

_F = registry.FUNCTIONS
# From so many times as many equations as unknowns on, LAPACK's least squares begin with triangular ones.
_TALL = 1.6
_SINGULAR = "Singular matrix"


@rules.implements(np.linalg.solve)
def solve(a: object, b: object) -> Value:
    """As `numpy.linalg.solve`; a singular matrix raises `LinAlgError` at run time."""
    if wrap.is_dynamic_array(a) or wrap.is_dynamic_array(b):
        return stacks.solved(solve, a, b)
    left, right = handle(a), handle(b)
    assert_square(left)
    dtype = result_dtype(left, right)
    vectors = right.ndim == 1
    x, y = computed(left, right)
    y = atoms.reshape(y, (*y.type.shape, 1)) if vectors else y
    _check_rows(x, y, *stacks.gufunc(vectors))
    stack = np.broadcast_shapes(x.type.shape[:-2], y.type.shape[:-2])
    x, y = (atoms.broadcast_to(v, (*stack, *v.type.shape[-2:])) for v in (x, y))
    found, info = run("solve", x, y)
    failing(info, _SINGULAR)
    return as_dtype(atoms.reshape(found, found.type.shape[:-1]) if vectors else found, dtype)


def _check_rows(x: Atom, y: Atom, name: str, signature: str) -> None:
    if len(y.type.shape) < 2:
        raise ValueError(
            f"{name}: Input operand 1 does not have enough dimensions "
            f"(has {len(y.type.shape)}, gufunc core with signature {signature} requires 2)"
        )
    if x.type.shape[-1] != y.type.shape[-2]:
        raise ValueError(
            f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {signature} "
            f"(size {y.type.shape[-2]} is different from {x.type.shape[-1]})"
        )


def inverse(a: TracedArray) -> tuple[Atom, Atom]:
    """The inverses in double precision, and a number that is not 0 for each that there is none of."""
    found, info = run("inverse", *computed(a))
    return found, info


@rules.implements(np.linalg.inv)
def inv(a: object) -> Value:
    """As `numpy.linalg.inv`; a singular matrix raises `LinAlgError` at run time."""
    if wrap.is_dynamic_array(a):
        return stacks.of_matrix(inv, a)
    array = handle(a)
    assert_square(array)
    found, info = inverse(array)
    failing(info, _SINGULAR)
    return as_dtype(found, result_dtype(array))


# ---- determinants ----------------------------------------------------------------------------------------------------


@rules.implements(np.linalg.slogdet)
def slogdet(a: object) -> Value:
    """As `numpy.linalg.slogdet`."""
    if wrap.is_dynamic_array(a):
        return stacks.of_numbers(slogdet, a)
    array = handle(a)
    assert_square(array)
    dtype = result_dtype(array)
    sign, log = run("slogdet", *computed(array))
    return SlogdetResult(result(atoms.convert(sign, dtype)), result(atoms.convert(log, real_of(dtype))))


@rules.implements(np.linalg.det)
def det(a: object) -> Value:
    """As `numpy.linalg.det`."""
    if wrap.is_dynamic_array(a):
        return stacks.of_numbers(det, a)
    array = handle(a)
    assert_square(array)
    dtype = result_dtype(array)
    sign, log = (fresh(v) for v in run("slogdet", *computed(array)))
    return result(atom_of(sign * _F[np.exp](log), dtype))


# ---- least squares ---------------------------------------------------------------------------------------------------


def _made_square(x: Value, y: Value) -> tuple[Value, Value]:
    """A system of many more equations than unknowns as one of as many, with the same least squares and singular values.

    Both sides are multiplied by the orthogonal factor, which is not made for that.
    """
    m, n = x.shape
    if m < _TALL * n:
        return x, y
    both = _F[np.linalg.qr](_F[np.concatenate]([x, y], axis=1), mode="r")
    return both[:n, :n], both[:n, n:]


@rules.implements(np.linalg.lstsq)
def lstsq(a: object, b: object, rcond: object = None) -> Value:
    """As `numpy.linalg.lstsq`; how many residuals there are is known at run time."""
    left, right = Operand.of(a), Operand.of(b)
    vectors = right.ndim == 1
    if vectors:
        right.widen(1)
    for operand in (left, right):
        if operand.ndim != 2:
            raise np.linalg.LinAlgError(f"{operand.ndim}-dimensional array given. Array must be two-dimensional")
    (m, n), (rows, _) = left.shape, right.shape
    stacks.same_size(m, rows, run_time_checks.IntMessage(np.linalg.LinAlgError, "Incompatible dimensions"))
    operands.align([(left, 0), (right, 0)])
    left.front(1)
    arrays = [fresh(v.padded(0, range(2))) for v in (left, right)]
    dtype = result_dtype(*arrays)
    x, y = (fresh(v) for v in computed(*arrays))
    square, right_side = _made_square(x, y)
    u, s, vh, info = run("svd", square.atom, full=False, vectors=True)
    failing(info, "SVD did not converge in Linear Least Squares")
    large = fresh(s) > _cutoff(rcond, size_arithmetic.maximum(m, n)) * _F[np.max](fresh(s), initial=0)
    turned = _F[np.matmul](_F[np.conjugate](_F[np.transpose](fresh(u))), right_side)
    scaled = _F[np.where](large[:, np.newaxis], turned / fresh(s)[:, np.newaxis], 0.0)
    found = _F[np.matmul](_F[np.conjugate](_F[np.transpose](fresh(vh))), scaled)
    rank = atom_of(_F[np.sum](large), np.int32)
    origin = operands.origin(a, b)
    rest = wrap.with_extents(y - _F[np.matmul](x, found), [None, right.extents[1]], origin)
    solution = as_dtype(atom_of(found[:, 0] if vectors else found), dtype)
    least = size_arithmetic.minimum(m, n)
    return (
        wrap.with_extents(solution, [left.extents[1], right.extents[1]][: solution.ndim], origin),
        _residuals(rest, rank, (m, n), real_of(dtype)),
        result(rank),
        wrap.with_extents(
            as_dtype(s, real_of(dtype)), [None if isinstance(least, int) else operands.window(least)], origin
        ),
    )


def _cutoff(rcond: object, size: Bound) -> Value:
    """The ratio to the largest singular value up to which one counts as zero, by LAPACK's gelsd."""
    given: Any = handle(np.finfo(FLOAT64).eps * size if rcond is None else rcond)
    plain = _F[np.logical_and](given > 0, given < 1)
    return _F[np.where](plain, given, np.finfo(FLOAT64).eps / 2)


def _residuals(rest: Value, rank: Atom, shape: tuple[Bound, Bound], dtype: np.dtype) -> Value:
    """Sums of squares where all columns are independent and fewer than the rows, else an empty array."""
    none = fresh(zeros_atom((0,), dtype))
    m, n = shape
    if isinstance(m, int) and isinstance(n, int) and m <= n:
        return none
    squares = rest.real**2 + rest.imag**2 if rest.dtype.kind == "c" else rest * rest
    sums = _F[np.astype](_F[np.sum](squares, axis=0), dtype)
    rows, columns = size_arithmetic.atom_of(m), size_arithmetic.atom_of(n)
    full = atoms.ufunc(np.equal, atoms.convert(rank, np.int64), columns)
    there = atoms.logical_and(full, atoms.ufunc(np.greater, rows, columns))
    return UnionValue(atoms.convert(there, np.int32), (none, sums))

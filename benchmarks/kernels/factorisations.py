"""Factorisations of matrices, and systems of equations."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def cholesky(a):
    """The lower factor of `a`, or NaN throughout if `a` is not positive definite."""
    n = a.shape[0]
    lower = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            if i == j:
                if total <= 0.0:
                    return np.full((n, n), np.nan)
                lower[i, i] = np.sqrt(total)
            else:
                lower[i, j] = total / lower[j, j]
    return lower


def cholesky_arguments(n):
    """A well-conditioned positive definite matrix."""
    factor = generator().random((n, n))
    return (factor @ factor.T + n * np.eye(n),)


def cholesky_slices(a):
    """Leave the lower factor of `a` on and below its diagonal; what is above it stays."""
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[j, :j]
            a[i, j] /= a[j, j]
        a[i, i] = np.sqrt(a[i, i] - a[i, :i] @ a[i, :i])
    return a


def cholesky_slices_arguments(n):
    """A well-conditioned positive definite matrix."""
    factor = generator().random((n, n))
    return (factor @ factor.T + n * np.eye(n),)


def lu(a):
    """Leave both factors in `a`: the unit lower one below the diagonal, the upper one on and above it."""
    n = a.shape[0]
    for k in range(n - 1):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


def lu_arguments(n):
    """A diagonally dominant matrix, which needs no pivoting."""
    return (generator().random((n, n)) + n * np.eye(n),)


def lu_slices(a):
    """Leave both factors in `a`: the unit lower one below the diagonal, the upper one on and above it."""
    for i in range(1, a.shape[0]):
        for k in range(i):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return a


def lu_slices_arguments(n):
    """A diagonally dominant matrix, which needs no pivoting."""
    return (generator().random((n, n)) + n * np.eye(n),)


def ludcmp(a, b):
    """The solution of ``a @ x == b``; `a` becomes its two factors."""
    n = a.shape[0]
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


def ludcmp_arguments(n):
    """A diagonally dominant matrix, which needs no pivoting, and a right-hand side."""
    rng = generator()
    return rng.random((n, n)) + n * np.eye(n), rng.random(n)


def durbin(r):
    """Solve the symmetric Toeplitz system of unit diagonal whose off-diagonals are `r`, with right-hand side ``-r``."""
    n = r.shape[0]
    y = np.zeros(n)
    z = np.zeros(n)
    y[0] = -r[0]
    alpha = -r[0]
    beta = 1.0
    for k in range(1, n):
        beta = (1.0 - alpha * alpha) * beta
        total = r[k]
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -total / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    return y


def durbin_arguments(n):
    """Autocorrelations that fall off slowly but leave the system well conditioned."""
    return (0.4 / (1.0 + np.arange(n)),)


def durbin_slices(r):
    """Solve the symmetric Toeplitz system of unit diagonal whose off-diagonals are `r`, with right-hand side ``-r``."""
    y = np.zeros_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = alpha
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + r[:k][::-1] @ y[:k]) / beta
        y[:k] += alpha * y[:k][::-1]
        y[k] = alpha
    return y


def durbin_slices_arguments(n):
    """Autocorrelations that fall off slowly but leave the system well conditioned."""
    return (0.4 / (1.0 + np.arange(n)),)


def gram_schmidt(a):
    """The factors of `a`, whose columns lose what they have in common with those before them."""
    n = a.shape[1]
    q = np.zeros_like(a)
    r = np.zeros((n, n), a.dtype)
    for k in range(n):
        r[k, k] = np.sqrt(np.sum(a[:, k] ** 2))
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(q[:, k], r[k, k + 1 :])
    return q, r


def gram_schmidt_arguments(n):
    """A matrix of half as many columns as rows, far from singular."""
    return (generator().random((n, (n + 1) // 2)) + 4.0 * np.eye(n, (n + 1) // 2),)


def thomas(lower, diagonal, upper, right):
    """The solution; the first of `lower` and the last of `upper` are not used, and no argument is changed."""
    n = diagonal.shape[0]
    scaled = np.empty(n)
    x = np.empty(n)
    scaled[0] = upper[0] / diagonal[0]
    x[0] = right[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * scaled[i - 1]
        scaled[i] = upper[i] / pivot
        x[i] = (right[i] - lower[i] * x[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        x[i] -= scaled[i] * x[i + 1]
    return x


def thomas_arguments(n):
    """The three diagonals of a diagonally dominant matrix and a right-hand side, signed so that no element cancels."""
    rng = generator()
    return -rng.random(n), rng.uniform(3.0, 4.0, n), -rng.random(n), rng.random(n)


def triangular_solve(lower, b):
    """The solution of ``lower @ x == b``; what is above the diagonal is not looked at."""
    x = np.zeros_like(b)
    for i in range(b.shape[0]):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


def triangular_solve_arguments(n):
    """A matrix with a large diagonal, and a right-hand side."""
    rng = generator()
    return rng.random((n, n)) + n * np.eye(n), rng.random(n)


def gauss_jordan(a):
    """The inverse by Gauss-Jordan elimination, element by element, without pivoting; `a` becomes the identity."""
    n = a.shape[0]
    inverse = np.eye(n)
    for k in range(n):
        pivot = a[k, k]
        for j in range(n):
            a[k, j] /= pivot
            inverse[k, j] /= pivot
        for i in range(n):
            if i != k:
                factor = a[i, k]
                for j in range(n):
                    a[i, j] -= factor * a[k, j]
                    inverse[i, j] -= factor * inverse[k, j]
    return inverse


KERNELS = (
    Kernel(cholesky, "elements", cholesky_arguments, (6,), (16,), (120,)),
    Kernel(cholesky_slices, "slices", cholesky_slices_arguments, (7,), (20,), (200,)),
    Kernel(lu, "elements", lu_arguments, (6,), (14,), (100,)),
    Kernel(lu_slices, "slices", lu_slices_arguments, (7,), (20,), (200,)),
    Kernel(ludcmp, "slices", ludcmp_arguments, (7,), (20,), (150,)),
    Kernel(durbin, "elements", durbin_arguments, (6,), (24,), (400,)),
    Kernel(durbin_slices, "slices", durbin_slices_arguments, (7,), (100,), (1000,)),
    Kernel(gram_schmidt, "slices", gram_schmidt_arguments, (7,), (40,), (300,)),
    Kernel(thomas, "elements", thomas_arguments, (8,), (300,), (100_000,)),
    Kernel(triangular_solve, "slices", triangular_solve_arguments, (7,), (200,), (1500,)),
    Kernel(gauss_jordan, "elements", lambda n: (generator().random((n, n)) + n * np.eye(n),), (5,), (10,), (64,)),
)

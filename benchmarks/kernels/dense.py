"""Products with dense matrices."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def conjugate_gradient(a, b, tolerance, limit):
    """Solve ``a @ x == b`` to a residual norm of `tolerance`, in at most `limit` steps."""
    x = np.zeros(b.shape[0])
    residual = b.copy()
    direction = b.copy()
    squared = np.dot(residual, residual)
    for _ in range(limit):
        image = a @ direction
        step = squared / np.dot(direction, image)
        x += step * direction
        residual -= step * image
        previous = squared
        squared = np.dot(residual, residual)
        if squared < tolerance * tolerance:
            break
        direction = residual + (squared / previous) * direction
    return x


def conjugate_gradient_arguments(n):
    """A matrix with eigenvalues spread evenly over 1 to 100, and a random right-hand side."""
    rng = generator()
    basis = np.linalg.qr(rng.standard_normal((n, n)))[0]
    a = (basis * np.linspace(1.0, 100.0, n)) @ basis.T
    return 0.5 * (a + a.T), rng.standard_normal(n), 1e-12, 2 * n


def syrk(alpha, beta, c, a):
    """Make the lower triangle of `c` that of ``alpha * a @ a.T + beta * c``."""
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]
    return c


def syrk_arguments(n):
    """Two factors, a square matrix, and one of half the columns."""
    rng = generator()
    return 1.5, 1.2, rng.random((n, n)), rng.random((n, (n + 1) // 2))


def trmm(alpha, a, b):
    """Make `b` ``alpha * lower.T @ b``, where `lower` is the unit lower triangle of `a`."""
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += a[i + 1 :, i] @ b[i + 1 :, j]
            b[i, j] *= alpha
    return b


def trmm_arguments(n):
    """A factor, a square matrix, and one of half the columns."""
    rng = generator()
    return 1.5, rng.random((n, n)), rng.random((n, (n + 1) // 2))


def matmul_loops(a, b):
    """A matrix product in three loops."""
    out = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total
    return out


def gemver(a, u, v, x, y):
    """A rank-one update of a matrix, and products with it and its transpose."""
    updated = a + np.outer(u, v)
    z = x + 0.5 * (updated.T @ y)
    return updated, 1.5 * (updated @ z)


def atax(a, x):
    """The product of a matrix's transpose, the matrix and a vector."""
    return a.T @ (a @ x)


def power_iteration(a, x, steps):
    """The largest eigenvalue of a symmetric matrix, and its vector."""
    value = 0.0
    for _ in range(steps):
        y = a @ x
        value = np.sqrt(y @ y)
        x = y / value
    return value, x


def exponential_taylor(a):
    """The exponential of a matrix by Taylor's series."""
    total = np.eye(a.shape[0])
    term = np.eye(a.shape[0])
    for k in range(1, 13):
        term = term @ a / k
        total = total + term
    return total


KERNELS = (
    Kernel(conjugate_gradient, "arrays", conjugate_gradient_arguments, (10,), (20,), (800,)),
    Kernel(syrk, "slices", syrk_arguments, (7,), (20,), (200,)),
    Kernel(trmm, "slices", trmm_arguments, (7,), (20,), (160,)),
    Kernel(matmul_loops, "elements", lambda n: (*generator().random((2, n, n)),), (4,), (12,), (90,)),
    Kernel(
        gemver,
        "arrays",
        lambda n: (generator().random((n, n)), *generator().random((4, n))),
        (5,),
        (100,),
        (700,),
        same_in_jax=True,
    ),
    Kernel(
        atax,
        "arrays",
        lambda n: (generator().random((n, n)), generator().random(n)),
        (5,),
        (400,),
        (1500,),
        same_in_jax=True,
    ),
    Kernel(
        power_iteration,
        "arrays",
        lambda n, steps: (np.eye(n) + generator().random((n, n)), np.ones(n), steps),
        (5, 3),
        (20, 20),
        (500, 100),
    ),
    Kernel(
        exponential_taylor, "arrays", lambda n: (generator().random((n, n)) / n,), (4,), (24,), (160,), same_in_jax=True
    ),
)

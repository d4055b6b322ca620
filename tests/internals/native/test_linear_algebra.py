"""Linear algebra in machine code: by NumPy's own loops, with its results to the bit and its errors."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import configure, jit
from tests.equivalence import check

RNG = np.random.default_rng(3)
SQUARE, TALL = RNG.normal(size=(2, 4, 4)), RNG.normal(size=(5, 3))
COMPLEX = SQUARE[0] + 1j * SQUARE[1]
SINGULAR = np.stack([np.eye(3), np.zeros((3, 3)), np.full((3, 3), 2.0) + np.eye(3)])


def systems(a, b):
    return np.linalg.solve(a, b), np.linalg.inv(a), np.linalg.slogdet(a)


def spectra(a):
    values, vectors = np.linalg.eigh(a)
    return values, vectors, np.linalg.eigvalsh(a, "U"), np.linalg.eigvals(a), np.linalg.eig(a)


def factors(a):
    return np.linalg.svd(a), np.linalg.svd(a, full_matrices=False), np.linalg.svd(a, compute_uv=False)


def orthogonal(a):
    return np.linalg.qr(a), np.linalg.qr(a, "complete"), np.linalg.qr(a, "raw"), np.linalg.qr(a, "r")


def roots(a):
    return np.linalg.cholesky(a), np.linalg.cholesky(a, upper=True)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (systems, (SQUARE[0], SQUARE[1])),
        (systems, (SQUARE, RNG.normal(size=(2, 4, 1)))),
        (systems, (COMPLEX, COMPLEX.T)),
        (spectra, (SQUARE,)),
        (spectra, (COMPLEX,)),
        (factors, (TALL,)),
        (factors, (COMPLEX[:2],)),
        (orthogonal, (TALL,)),
        (orthogonal, (TALL.T,)),
        (orthogonal, (SQUARE,)),
        (orthogonal, (COMPLEX[:, :3],)),
        (roots, (SQUARE[0] @ SQUARE[0].T + np.eye(4),)),
    ],
)
def test_results_to_the_bit(function, args):
    assert jit(function).lower(*args).native_program() is not None
    check(function, *args, ulps=0.0)


def inverse_or_nothing(a):
    found = np.zeros((3, 3))
    for i in range(len(a)):
        x = np.sqrt(a[i, 0, 1] - 1.0)  # a NaN, which raises the flag that tells of a failure
        try:
            found += np.linalg.inv(a[i]) + np.linalg.cholesky(a[i])
        except np.linalg.LinAlgError:
            found -= 1.0
    return found, x


@pytest.mark.parametrize("native", [True, False])
def test_failures(native):
    with np.errstate(all="ignore"), configure(native_loops=native):
        check(inverse_or_nothing, SINGULAR)
        for a in (SINGULAR, SINGULAR[1], np.full((2, 2), np.nan)):
            check(inverse, a)
        check(roots, -SQUARE)


def inverse(a):
    return np.linalg.inv(a)


def filtered(observations, x, covariance):
    step, seen = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    path = np.zeros((len(observations), 2))
    for k in range(len(observations)):
        x, covariance = step @ x, step @ covariance @ step.T + 0.01 * np.eye(2)
        gain = covariance @ seen.T @ np.linalg.inv(seen @ covariance @ seen.T + 0.1)
        x = x + gain @ (observations[k] - seen @ x)
        covariance = (np.eye(2) - gain @ seen) @ covariance
        path[k] = x
    return path, covariance


def test_in_loops():
    args = RNG.normal(size=(20, 1)), np.zeros(2), np.eye(2)
    assert jit(filtered).lower(*args).native_program() is not None
    check(filtered, *args)

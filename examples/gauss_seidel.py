"""A linear system solved by sweeps in place, until the largest change is small."""

from __future__ import annotations

import time

import numpy as np

from anabranch import jit


def solve(matrix, right, x, tolerance):
    """Change `x` to the solution; gives the number of sweeps."""
    sweeps = 0
    while True:
        largest = 0.0
        for i in range(len(right)):
            new = (right[i] - matrix[i] @ x) / matrix[i, i] + x[i]
            largest = max(largest, abs(new - x[i]))
            x[i] = new
        sweeps += 1
        if largest < tolerance:
            return sweeps


def main():
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(200, 200)) + 60 * np.eye(200)
    right = rng.normal(size=200)
    compiled = jit(solve)
    for name, function in (("plain", solve), ("compiled, first call", compiled), ("compiled", compiled)):
        x = np.zeros(200)
        start = time.perf_counter()
        sweeps = function(matrix, right, x, 1e-12)
        seconds = time.perf_counter() - start
        print(f"{name}: {sweeps} sweeps, residual {np.abs(matrix @ x - right).max():.1e}, {seconds * 1e3:.1f} ms")


if __name__ == "__main__":
    main()

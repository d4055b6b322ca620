"""The functions that `python -m anabranch demo` runs: plain NumPy and plain Python, as a user writes them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]


def newton(x: float, tolerance: float) -> float:
    """Square root, to a tolerance."""
    y = x
    while abs(y * y - x) > tolerance:
        y = 0.5 * (y + x / y)
    return y


def first_passage(steps: Floats, barrier: float) -> int:
    """The step that takes a walk over the barrier, or -1."""
    position = 0.0
    for i in range(len(steps)):
        position += steps[i]
        if position > barrier:
            return i
    return -1


def relax(grid: Floats, sweeps: int) -> None:
    """Gauss-Seidel sweeps over the inside of a grid, in place."""
    rows, columns = grid.shape
    for _ in range(sweeps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                # Half of these neighbours are new already.
                rows_near = grid[i - 1, j] + grid[i + 1, j]
                columns_near = grid[i, j - 1] + grid[i, j + 1]
                grid[i, j] = 0.25 * (rows_near + columns_near)


def mandelbrot(real: Floats, imaginary: Floats, limit: int) -> Ints:
    """Steps until each point of the plane escapes."""
    counts = np.zeros((len(imaginary), len(real)), dtype=np.int64)
    for row in range(len(imaginary)):
        for column in range(len(real)):
            c = real[column] + 1j * imaginary[row]
            z = 0j
            count = 0
            for step in range(limit):
                if abs(z) > 2.0:
                    break
                z = z * z + c
                count = step + 1
            counts[row, column] = count
    return counts


def loss(parameters: dict[str, Any], x: Floats, y: Floats, penalty: float) -> Any:
    """Mean squared error of a small network, weights penalised."""
    inner, outer = parameters["inner"], parameters["outer"]
    hidden = np.tanh(x @ inner + parameters["bias"])
    error = np.mean((hidden @ outer - y) ** 2)
    if penalty > 0.0:
        for name in parameters:
            if name != "bias":
                error += penalty * np.sum(parameters[name] ** 2)
    return error


def arguments() -> dict[str, tuple[Any, ...]]:
    """The arguments of each demonstration, by the function's name."""
    rng = np.random.default_rng(7)
    grid = np.zeros((64, 64))
    grid[0] = 1.0
    parameters = {"inner": rng.normal(size=(8, 64)), "bias": rng.normal(size=64), "outer": rng.normal(size=64)}
    return {
        "newton": (2.0, 1e-12),
        "first_passage": (rng.normal(size=20_000), 150.0),
        "relax": (grid, 20),
        "mandelbrot": (np.linspace(-2.0, 0.6, 96), np.linspace(-1.1, 1.1, 64), 50),
        "loss": (parameters, rng.normal(size=(500, 8)), rng.normal(size=500), 1e-3),
    }


KERNELS = (newton, first_passage, relax, mandelbrot, loss)

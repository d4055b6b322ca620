"""Products, diagonals, correlations and fits of arrays whose size is known only at run time."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
LINES = [(np.array(v),) for v in ([1.0, 5, 3, 4], [2.0, 3, 1, 5], [2.0, 1, 1, 1], [1.0, 1, 1, 1])]
POINTS = [(np.array([1.0, 5, 3, 4, 2]), np.array([1.0, 2, 3, 4, 6])), (np.array([2.0, 3, 1, 5, 7]), np.arange(5.0))]


@case(*LINES)
def products(x):
    return np.kron(x[x > 1], np.array([1.0, 2.0])), np.kron(np.array([1, 2, 3]), x[x > 1])


@case(*LINES)
def diagonals(x):
    y = x[x > 1]
    return np.diag(y), np.diag(y, 1), np.diag(y, -2)


@case(*LINES)
def correlations(x):
    y, two, four = x[x > 1], np.array([1.0, 2.0]), np.array([1.0, 2.0, 5.0, 4.0])
    return [np.correlate(a, b, mode) for a, b in ((y, two), (two, y), (y, four), (four, y), (y, y)) for mode in MODES]


MODES = ("full", "same", "valid")


@case(*LINES)
def powers(x):
    return np.vander(x[x > 1], 3), np.vander(x[x > 1], 2, increasing=True)


@case(*[(np.outer(x, np.array([1.0, 2.0, 4.0])),) for (x,) in LINES])
def crosses(x):
    return np.cross(x[x[:, 0] > 1], np.array([1.0, 2.0, 3.0]))


@case(*LINES)
def products_of_two_vectors(x):
    return np.linalg.outer(x[x > 1], np.array([1.0, 2.0])), np.linalg.outer(x, x[x > 1])


@case(*LINES)
def halves_exchanged(x):
    return np.fft.fftshift(x[x > 1]), np.fft.ifftshift(x[x > 1], axes=0)


@case(*POINTS)
def fits(x, y):
    c = np.polyfit(x[x > 1], y[x > 1], 2)
    return np.round(c, 6), np.round(np.polyval(c, x[x > 1]), 6)


@case(*POINTS)
def fits_of_other_sizes(x, y):
    return np.polyfit(x[x > 1], y, 2)


@case((np.ones(3),))
def fits_of_nothing(x):
    return np.polyfit(x[x > 1], x[x > 1], 1)


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_numpy(program: Program) -> None:
    program.check()

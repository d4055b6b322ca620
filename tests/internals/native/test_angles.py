"""Sines and cosines of one number are one call, with the numbers of two."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check


def turned(x, y, angles):
    for k in range(angles.shape[0]):
        c = math.cos(angles[k])
        s = math.sin(angles[k])
        x[k], y[k] = c * x[k] - s * y[k], s * x[k] + c * y[k]
    return x, y


def of_numpy(angles):
    total = np.zeros(3)
    for angle in angles:
        total += np.array([np.sin(angle), np.cos(2 * angle), np.cos(angle)])
    return total


def of_two(angles):
    total = 0.0
    for k in range(1, angles.shape[0]):
        total += math.sin(angles[k]) * math.cos(angles[k - 1])
    return total


def in_branches(angles):
    total = 0.0
    for angle in angles:
        if angle > 0:
            total += math.sin(angle)
        else:
            total -= math.cos(angle)
    return total


@pytest.mark.parametrize("function", [of_numpy, of_two, in_branches])
def test_results(function, rng):
    for scale in (1e-9, 1.0, 1e3, 1e200):
        check(function, (rng.random(20) - 0.5) * scale)


def test_failures(rng):
    angles = rng.random(20)
    check(turned, rng.random(20), rng.random(20), angles)
    angles[7] = np.inf
    check(turned, rng.random(20), rng.random(20), angles)


@pytest.mark.skipif(sys.platform != "linux", reason="two calls elsewhere")
@pytest.mark.parametrize(("function", "calls"), [(turned, 1), (of_numpy, 1), (of_two, 0), (in_branches, 0)])
def test_calls(function, calls):
    x = np.ones(20)
    llvm = jit(function).lower(*(x,) * (3 if function is turned else 1)).native_program().llvm
    assert llvm.count("@sin_and_cos(double %v") == calls

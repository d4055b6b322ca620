"""Arrays that change places from step to step of a loop are not copied, and are where they belong after it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check, check_calls

X = np.arange(20.0) ** 2
Y = np.cos(np.arange(20.0))


def heat(u, v, steps):
    u, v = u.copy(), v.copy()
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u, v = v, u
    return u, v


def wave(before, u, steps):
    before, u, after = before.copy(), u.copy(), u.copy()
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            after[i] = 2 * u[i] - before[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1])
        before, u, after = u, after, before
    return before, u, after


def by_slices(u, v, steps):
    u, v = u.copy(), v.copy()
    for _ in range(steps):
        v[1:-1] = u[1:-1] + 0.1 * (u[:-2] - 2 * u[1:-1] + u[2:])
        u, v = v, u
    return u, v


def sums(u, v, steps):
    for _ in range(steps):
        u, v = v, u + v
    return u, v


def of_callers(u, v, steps):
    for k in range(steps):
        u[k] = v[k + 1] + 1.0
        u, v = v, u
    return u


def in_loops(u, v, steps):
    u, v, w = u.copy(), v.copy(), u + v
    for k in range(steps):
        for i in range(k + 1):
            u[i] += v[i + 1]
            u, w = w, u
        v[k], v[k + 1] = w[k], u[k]
        u, v = v, u
    return u, v, w


def until(u, v, steps):
    u, v = u.copy(), v.copy()
    k = 0
    while u[0] < 5.0 and k < steps:
        for i in range(u.shape[0] - 1):
            v[i] = u[i + 1] + 1.0
        k += 1
        if v[2] > 100.0:
            break
        u, v = v, u
    return u, v, k


def at_times(u, v, steps):
    u, v = u.copy(), v.copy()
    for k in range(steps):
        v[k] = u[k + 1] * 2.0
        if k % 3:
            u, v = v, u
    return u, v


def also_kept(u, v, steps):
    u, v, w = u.copy(), v.copy(), u.copy()
    for k in range(steps):
        v[k] = u[k + 1] * 2.0 + w[k]
        w[:] = u
        u, v = v, u
    return u, v, w


def in_orders(u, v, steps):
    u, v, w = u.copy(), v.copy(), u + v
    for k in range(steps):
        for i in range(u.shape[0]):
            u[i] = 0.5 * u[i] + v[i] - w[i]
        if k % 3 == 1:
            u, v = v, u
        elif u[0] < w[1]:
            u, v, w = w, u, v
        elif k % 5 == 2:
            continue
        else:
            v, w = w, v
    return u, v, w


def accepted(u, v, steps):
    best, trial, least = u.copy(), v.copy(), 1e30
    for k in range(steps):
        for _ in range(steps + 1):
            total = 0.0
            for i in range(u.shape[0]):
                trial[i] = 0.5 * best[i] + (i * k) % 7
                total += trial[i]
            if total < least:
                best, trial, least = trial, best, total
    return best, trial, least


def until_alike(u, v, steps):
    w = u
    for k in range(steps):
        away = 0.0
        for i in range(1, u.shape[0] - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1])
            away += abs(v[i] - u[i])
        if away < 60.0:
            break
        if k % 4 != 3:
            u, v = v, u
    return u, v, u is w, v is w


def then_written(u, v, steps):
    for k in range(steps):
        if u[k % 20] > v[k % 20]:
            u, v = v, u
        u[k % 20] += 2.0 * v[(k + 1) % 20]
    return u, v


def of_rows(u, v, steps):
    m = np.stack([u, v])
    cur, new = m[0], m[1]
    for k in range(steps):
        for i in range(1, u.shape[0] - 1):
            new[i] = 0.5 * (cur[i - 1] + cur[i + 1])
        if k % 3 != 1:
            cur, new = new, cur
    return cur, m


def chosen_rows(u, v, steps):
    m = np.stack([u, v, u + v])
    best = m[0]
    for k in range(steps):
        row = m[k % 3]
        if row[0] > best[1]:
            best = row
        for i in range(u.shape[0]):
            best[i] = 0.5 * best[i] + k
    return best, m


def interleaved(u, v, steps):
    x, y = u[::2], u[1::2]
    for step in range(steps):
        for i in range(4):
            x[i], y[i] = 0.5 * (x[i] + y[i]), x[i] - step
        x, y = y, x
    return u, x


def backwards_between(u, v, steps):
    m = u[:18].reshape(-1, 3)
    x, y = m[::-1, 0], m[:, 2]
    for step in range(steps):
        x[1] += y[0] * step
        x, y = y, x
        y[0] -= 1.0
    return u, x, y


def overlapping(u, v, steps):
    u, v = u[:-2], u[2:]
    for k in range(steps):
        for i in range(u.shape[0]):
            v[i] = 0.5 * u[i] + 1.0
        if k % 3 != 1:
            u, v = v, u
    return u, v


CONDITIONAL = [at_times, in_orders, accepted, until_alike, then_written, of_rows, chosen_rows, overlapping]
ALL = [
    heat,
    wave,
    by_slices,
    sums,
    of_callers,
    in_loops,
    until,
    also_kept,
    interleaved,
    backwards_between,
    *CONDITIONAL,
]


@pytest.mark.parametrize("function", ALL)
def test_results(function):
    check_calls(function, *((X, Y, steps) for steps in (0, 1, 2, 7)))


@pytest.mark.parametrize("function", CONDITIONAL)
def test_results_of_xla(function):
    for steps in (0, 2, 7):
        u, v, x, y = X.copy(), Y.copy(), X.copy(), Y.copy()
        np.testing.assert_allclose(jit(function, native_loops=False)(u, v, steps)[0], function(x, y, steps)[0])
        np.testing.assert_allclose((u, v), (x, y))


@pytest.mark.parametrize("function", [of_callers, in_loops, at_times, also_kept])
def test_failures(function):
    check(function, X, Y, 30)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.complex128, np.float32])
def test_dtypes(dtype):
    check_calls(also_kept, *((X.astype(dtype), Y.astype(dtype), steps) for steps in (2, 3)))


@pytest.mark.parametrize(
    ("function", "addresses"),
    [
        (heat, 2),
        (wave, 3),
        (by_slices, 2),
        (sums, 2),
        (of_callers, 2),
        (at_times, 2),
        (in_orders, 3),
        (accepted, 4),
        (until_alike, 2),
        (of_rows, 2),
        (interleaved, 2),
    ],
)
def test_addresses_change_places(function, addresses):
    llvm = jit(function).lower(X, Y, 3).native_program().llvm
    assert len(re.findall(r"%v\d+ = phi ptr", llvm)) == addresses

"""Ranges where NumPy takes arrays: operands, values, indices; bounds known while tracing or only at run time."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
A = np.array([1.0, 2.0, 0.5])


@case((3,), (1,), (0,))
def arrays(n):
    return np.array(range(n)), np.asarray(range(1, n + 1)), np.array(range(n, 0, -1)), np.array(range(0, n, 2), float)


@case((3,), (2,))
def shapes(n):
    return np.size(range(n)), np.ndim(range(n)), np.shape(range(n)), np.iterable(range(n)), len(np.atleast_2d(range(n)))


@case((3,), (2,))
def reductions(n):
    r = range(1, n)
    return np.sum(r), np.mean(r), np.max(r), np.argmax(r), np.prod(r), np.any(r), np.all(range(n)), np.std(r)


@case((A,), (A[:2],))
def operands(a):
    r = range(len(a))
    return a + r, r * a, a == r, np.add(a, r), np.float64(2) * r, a @ r, np.dot(r, a), np.maximum(r, a)


@case((A, 3), (A, 4))
def operands_of_run_time(a, n):
    r = range(n)
    return a + r, r * a, a == r, np.add(a, r), np.dot(r, a)


@case((3,), (4,), (0,))
def nested(n):
    return np.array([range(n), range(1, n + 1)]), np.stack([range(n), range(n)]), np.concatenate([range(n), [7]])


@case((A.copy(), 3), (A.copy(), 2))
def assigned(a, n):
    b = np.zeros((2, 3), int)
    a[:] = range(3)
    b[0, :n] = range(n)
    b[1] = range(3, 0, -1)
    a += range(3)
    return a, b


@case((A.copy(), 3), (A.copy(), 1))
def indices(a, n):
    part = a[range(n)], a[range(0, n, 2)], np.take(a, range(n)), a[range(2)]
    a[range(n)] = 7
    a[range(1)] += 1
    return part, a, a[range(0)]


@case((3,), (5,))
def steps_of_a_loop(n):
    a = np.zeros(6)
    for k in range(n):
        a[:k] += range(k)
    return a


@case((np.array([0, 1, 1, 1]),), (np.array([0, 0, 0, 0]),))
def bounds_that_no_argument_decides(a):
    n = len(a[a > 0])
    b = np.arange(5)
    b[range(n)] = 9
    total = np.zeros(4)
    total[:n] = range(n)
    return b, total


@case((A.astype(np.uint8), 300), (A.astype(np.uint8), 3))
def too_large(a, n):
    a[:] = range(n - 3, n)
    return a


@case((3, 0), (3, 3), (0, 0), (1, 4))
def equal(n, m):
    one, other = range(n), range(m)
    return (
        one == other,
        one != other,
        one == range(3),
        range(0, n, 5) == range(0, m, 7),
        range(n, m) == range(4, 2),
        one == n,
    )


@case((3,), (1,))
def keys(n):
    names = {range(3): "three", range(1): "one"}
    return names[range(n)], hash(range(n)) == hash(range(n))


@pytest.mark.parametrize("program", case.programs)
def test_as_numpy(program: Program) -> None:
    program.check()

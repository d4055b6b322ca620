"""Loops that write in place, through XLA: programs that a wrong copy, or a missing one, gets wrong."""

from __future__ import annotations

import re

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check

STEPS = range(6)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 5), (5, 3), (17, 33), (0, 4), (4, 0)])
def test_nested_loops_fill_a_table(n, m):
    def fill(a, n, m):
        for i in range(n):
            for j in range(m):
                a[i, j] = i + j
        return a

    check(fill, np.full((n + 1, m + 1), -1.0), n, m)


def test_nested_loops_read_one_array_and_write_another():
    def table(a, b, out, n, m):
        for i in range(n):
            row = 0.0
            for j in range(m):
                row += a[i] * b[j]
                out[i, j] = row
            a[i] = row
        return out

    check(table, np.arange(1.0, 6.0), np.arange(4.0), np.zeros((5, 4)), 5, 4)


def test_three_deep():
    def product(a, b, c, n):
        for i in range(n):
            for j in range(n):
                for k in range(n):
                    c[i, j] += a[i, k] * b[k, j]

    a = np.arange(16.0).reshape(4, 4)
    check(product, a, a + 1, np.zeros((4, 4)), 4)


@pytest.mark.parametrize("steps", STEPS)
def test_ping_pong(steps):
    def relax(u, v, steps, n):
        for _ in range(steps):
            for i in range(1, n - 1):
                v[i] = (u[i - 1] + u[i + 1]) / 2
            u, v = v, u
        return u.copy(), v.copy()

    def fresh(u, v, steps, n):
        u, v = u.copy(), v.copy()
        return relax(u, v, steps, n)

    u, v = np.arange(7.0) ** 2, np.full(7, -1.0)
    check(fresh, u, v, steps, 7)


@pytest.mark.parametrize("steps", STEPS)
def test_ping_pong_of_the_arguments(steps):
    def step(u, v, steps):
        for k in range(steps):
            v[1:-1] = u[:-2] + u[2:]
            v[0] = k
            u, v = v, u
        return u.sum(), v.sum()

    check(step, np.arange(7.0), np.full(7, -1.0), steps)


@pytest.mark.parametrize("steps", STEPS)
def test_rotation_of_three(steps):
    def rotate(a, b, c, steps):
        for i in range(steps):
            a[i] += 10
            a, b, c = b, c, a
        return a.copy(), b.copy(), c.copy()

    check(rotate, np.zeros(6), np.ones(6), np.full(6, 2.0), steps)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 9])
def test_neighbours_are_read_and_written(n):
    def prefix(a, n):
        for i in range(1, n):
            a[i] = a[i - 1] + a[i]

    def shift(a, n):
        for i in range(n - 1):
            a[i], a[i + 1] = a[i + 1], a[i]

    def smooth(a, n):
        for i in range(1, n - 1):
            a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3

    for function in (prefix, shift, smooth):
        check(function, np.arange(1.0, 10.0) ** 2, n)


def test_two_arrays_in_one_loop():
    def update(a, b, n):
        for i in range(n):
            old = a[i]
            a[i] = b[n - 1 - i]
            b[i] = old + a[0]

    def cross(a, b, n):
        for i in range(1, n):
            a[i] = b[i - 1] + 1
            b[i] = a[i - 1] * 2

    for function in (update, cross):
        check(function, np.arange(6.0), np.arange(6.0) * 10, 6)


def test_a_row_is_read_after_it_was_overwritten():
    def rows(a, n):
        for i in range(n):
            first = a[0].copy()
            a[0] = a[i]
            a[i] = first
        return a

    check(rows, np.arange(12.0).reshape(4, 3), 4)


def test_writes_under_a_condition():
    def positive(a, b, n):
        count = 0
        for i in range(n):
            if a[i] > 0:
                b[count] = a[i]
                count += 1
            else:
                a[i] = 0
        return count

    check(positive, np.array([1.0, -2, 3, -4, 5]), np.zeros(5), 5)


def test_while_loops_write_in_place():
    def sort(a):
        i = 1
        while i < len(a):
            j = i
            while j > 0 and a[j - 1] > a[j]:
                a[j - 1], a[j] = a[j], a[j - 1]
                j -= 1
            i += 1

    check(sort, np.array([5.0, 1, 4, 2, 3, 0]))


def test_an_array_that_is_read_at_its_old_value():
    def keep(a, n):
        total = 0.0
        for i in range(n):
            before = a.copy()
            a[i] = before.sum()
            total += before[i]
        return total

    check(keep, np.arange(5.0), 5)


@pytest.mark.parametrize("n", [5_000])
def test_long_loops(n):
    def recurrence(a, n):
        x = 1
        for i in range(n):
            x = (x * 1103515245 + 12345) % 2147483648
            a[i] = x
        return x

    def search(a, n):
        i = 0
        while i < n and a[i] < 2.0:
            i += 1
        return i

    check(recurrence, np.zeros(n, np.int64), n)
    check(search, np.ones(n), n)


BRANCHED = """
import numpy as np
from anabranch import jit

def f(n, x, a):
    if n > 0:
        for i in range(n):
            a[i] += 1.0
        a[2] += 1.0
    elif x > 0:
        return a.sum()
    return a.sum()

a, b = np.zeros(5), np.zeros(5)
assert jit(f)(3, 0.5, a) == f(3, 0.5, b)
assert a.tolist() == b.tolist()
print("done")
"""


def test_a_loop_in_a_branch_that_writes_again(run_python, tmp_path):
    path = tmp_path / "branched.py"
    path.write_text(BRANCHED)
    assert run_python(f"import runpy; runpy.run_path({str(path)!r})") == "done\n"


def test_equal_native_functions_are_emitted_once():
    def solved(a, b):
        return np.linalg.inv(a) + np.linalg.inv(b) @ np.linalg.inv(a - b), np.linalg.inv(a[:2, :2])

    rng = np.random.default_rng(5)
    a, b = rng.random((3, 3)) + 3 * np.eye(3), rng.random((3, 3))
    compiled = jit(solved)
    text = compiled.lower(a, b).as_text()
    assert text.count('xla_cpu_small_call = "true"') == 4
    assert text.count("func.func private @native_") == 2  # one for each size
    for got, expected in zip(compiled(a, b), solved(a, b), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_a_value_is_fenced_once_in_a_block():
    def used(x):
        y = x * 2.0
        return y + 1.0, y - 1.0, y / 3.0, y - y

    x = np.array([1.0, -0.0, np.inf, 1e16])
    compiled = jit(used)
    text = compiled.lower(x).as_text()
    fenced = re.findall(r'optimization_barrier"\((%[^)]*)\)', text)
    assert fenced
    assert len(fenced) == len(set(fenced))
    with np.errstate(invalid="ignore"):
        for got, expected in zip(compiled(x), used(x), strict=True):
            assert got.tobytes() == expected.tobytes() or np.array_equal(got, expected, equal_nan=True)


def test_what_a_step_multiplies_by_is_no_array():
    def damped(x, rate, n):
        for _ in range(n):
            x = x - rate * x * 0.5
        return x

    x = np.linspace(-1.0, 1.0, 5000)
    check(damped, x, 0.25, 7)
    text = jit(damped, native_loops=False).lower(x, 0.25, 7).compile().as_text()
    (loop,) = [line for line in text.splitlines() if " while(" in line]
    assert loop.partition(" while(")[0].count("[5000]") == 1


def test_products_of_many_elements_are_rounded_by_one_instruction():
    def residue(x, y):
        return x * y - y * x

    x, y = np.random.default_rng(3).random((2, 5000))
    check(residue, x, y)
    text = jit(residue).lower(x, y).as_text()
    assert text.count("stablehlo.xor") == 2
    assert "stablehlo.select" not in text


@pytest.mark.parametrize("n", [2, 9, 30])
def test_products_of_matrices_that_wait_for_each_other(n):
    def powers(a, steps):
        for _ in range(steps):
            a = (a + 1.0) @ (a - 1.0) / a.size
        return a

    check(powers, np.random.default_rng(1).random((n, n)), 5)

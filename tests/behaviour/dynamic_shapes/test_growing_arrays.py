"""Arrays that get longer, or shorter, in loops."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()
A = np.array
SIZES = ((A([3, 4]),), (A([2, 40]),), (A([300, 1]),), (A([1, 1]),), (A([0, 0]),))


@case(*SIZES)
def run_lengths(a):
    out = np.empty(0)
    for x in a:
        out = np.concatenate([out, np.full(int(x), x * 1.0)])
    return out


@case(*SIZES)
def longer_by_each_step(a):
    out = np.zeros(0)
    for x in range(int(a[0])):
        out = np.append(out, x * 0.5)
    return out, len(out)


@case(*SIZES)
def longer_by_some_steps(a):
    out = np.array([], dtype=np.int64)
    for x in np.arange(int(a[0])):
        if x % 3 == 1:
            out = np.append(out, x)
    return out


@case(*SIZES)
def longer_while_it_goes_on(a):
    n = int(a[0])
    out = np.array([n])
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        out = np.append(out, n)
    return out


@case(*SIZES)
def shorter_while_it_goes_on(a):
    b = np.arange(int(a[0]) + 5)
    while len(b) > 3:
        b = b[1:]
    return b


@case(*SIZES)
def sieve(a):
    c = np.arange(2, int(a[0]) + 2)
    out = np.zeros(0, dtype=int)
    while c.size > 0:
        p = c[0]
        out = np.append(out, p)
        c = c[c % p != 0]
    return out


@case(*SIZES)
def longer_by_rows(a):
    out = np.zeros((0, 2))
    for x in range(int(a[0])):
        out = np.vstack([out, np.array([x, x * 2.0])])
    return out


@case((3,), (5,), (0,))
def by_as_many_steps_as_an_argument_says(n):
    out = np.zeros(0)
    for i in range(n):
        out = np.append(out, i)
    return out


@case((2.0,), ulps=2**22)
def of_static_size_as_before(x):
    out = np.zeros(0)
    for i in range(4):
        out = np.append(out, i * x)
    return np.fft.fft(out)


@case(*SIZES[:-1])
def longer_by_a_few_steps(a):
    b = np.zeros(int(a[0]))
    for i in range(3):
        b = np.append(b, i)
    return b


@pytest.mark.parametrize("program", case.programs)
def test_growing_arrays(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_growing_arrays_with_static_arguments(program: Program) -> None:
    program.check_static()


def test_a_static_number_of_steps_gives_a_static_size():
    assert jit(of_static_size_as_before).trace(2.0).out_info.shape == (4,)


def test_what_gets_longer_leaps(compiled):
    f = jit(longer_by_each_step)
    for n in (10, 300, 2000, 2048):
        wanted = longer_by_each_step(A([n]))
        found = f(A([n]))
        np.testing.assert_array_equal(found[0], wanted[0])
        assert found[1] == n
    assert len(compiled) == 2

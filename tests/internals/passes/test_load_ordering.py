"""Elements that are read of an array before a write and needed after it: no step of a loop copies the array."""

from __future__ import annotations

import re

import numpy as np
import pytest

from anabranch import configure, jit
from tests.equivalence import check

N = 96
X = np.random.default_rng(7).permutation(N).astype(np.float64)
B = X.reshape(12, 8)


def neighbours_swapped(x):
    for i in range(len(x) - 1):
        x[i], x[i + 1] = x[i + 1], x[i]


def elements_swapped(b):
    for i in range(b.shape[0]):
        for j in range(b.shape[1] - 1):
            b[i, j], b[i, j + 1] = b[i, j + 1], b[i, j]


def rows_swapped(b):
    for i in range(b.shape[0] - 1):
        row = b[i].copy()
        b[i] = b[i + 1]
        b[i + 1] = row


def arrays_swapped(x):
    y = x * 2.0
    for i in range(len(x)):
        x[i], y[i] = y[i], x[i]
    return y


def reversed_in_place(x):
    i, j = 0, len(x) - 1
    while i < j:
        x[i], x[j] = x[j], x[i]
        i, j = i + 1, j - 1


def bubble_sort(x):
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]


def insertion_sort(x):
    for i in range(1, len(x)):
        j = i
        while j > 0 and x[j - 1] > x[j]:
            x[j - 1], x[j] = x[j], x[j - 1]
            j -= 1


def gauss_seidel(u):
    biggest = 0.0
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            old = u[i, j]
            u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
            biggest = max(biggest, abs(u[i, j] - old))
    return biggest


PROGRAMS = [
    (neighbours_swapped, X),
    (elements_swapped, B),
    (rows_swapped, B),
    (arrays_swapped, X),
    (reversed_in_place, X),
    (bubble_sort, X),
    (insertion_sort, X),
    (gauss_seidel, B),
]
IDS = [function.__name__ for function, _ in PROGRAMS]


@pytest.mark.parametrize(("function", "array"), PROGRAMS, ids=IDS)
def test_the_same_elements(function, array):
    with configure(native_loops=False):
        check(function, array)


@pytest.mark.parametrize(("function", "array"), PROGRAMS, ids=IDS)
def test_no_step_copies_the_array(function, array):
    text = jit(function, native_loops=False).lower(array).compile().as_text()
    steps = text.partition("\nENTRY")[0]
    shape = re.escape(f"f64[{','.join(map(str, array.shape))}]")
    assert "while(" in text
    assert not re.findall(rf"= {shape}\S* copy\(", steps)

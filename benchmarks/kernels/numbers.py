"""Sorting, searching and number theory."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def sieve(n):
    """Which numbers below `n` are prime, a slice for each factor."""
    prime = np.ones(n, dtype=np.bool_)
    prime[:2] = False
    i = 2
    while i * i < n:
        if prime[i]:
            prime[i * i :: i] = False
        i += 1
    return prime


def sieve_loops(n):
    """How many numbers below `n` are prime."""
    prime = np.ones(n, dtype=np.bool_)
    count = 0
    for i in range(2, n):
        if prime[i]:
            count += 1
            for k in range(i * i, n, i):
                prime[k] = False
    return count


def insertion_sort(x):
    """An array sorted in place, element by element."""
    for i in range(1, x.shape[0]):
        value = x[i]
        j = i - 1
        while j >= 0 and x[j] > value:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = value
    return x


def bisections(table, wanted):
    """Where each number stands in a sorted table."""
    places = np.zeros(wanted.shape[0], dtype=np.int64)
    for i in range(wanted.shape[0]):
        low = 0
        high = table.shape[0]
        while low < high:
            middle = (low + high) // 2
            if table[middle] < wanted[i]:
                low = middle + 1
            else:
                high = middle
        places[i] = low
    return places


def collatz(n):
    """The steps of each number below `n` to 1."""
    steps = np.zeros(n, dtype=np.int64)
    for start in range(2, n):
        value = start
        count = 0
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            count += 1
        steps[start] = count
    return steps


def greatest_divisors(a, b):
    """The greatest common divisors of pairs, by Euclid's algorithm."""
    out = np.zeros_like(a)
    for i in range(a.shape[0]):
        x = a[i]
        y = b[i]
        while y != 0:
            x, y = y, x % y
        out[i] = x
    return out


def polynomial(coefficients, x):
    """A polynomial at many points, by Horner's scheme."""
    total = np.zeros_like(x)
    for k in range(coefficients.shape[0]):
        total = total * x + coefficients[k]
    return total


KERNELS = (
    Kernel(sieve, "arrays", lambda n: (n,), (20,), (3000,), (3_000_000,)),
    Kernel(sieve_loops, "elements", lambda n: (n,), (20,), (500,), (300_000,)),
    Kernel(insertion_sort, "elements", lambda n: (generator().random(n),), (6,), (40,), (800,)),
    Kernel(
        bisections,
        "elements",
        lambda n, m: (np.sort(generator().random(n)), generator().random(m)),
        (8, 4),
        (100, 40),
        (10_000, 10_000),
    ),
    Kernel(collatz, "elements", lambda n: (n,), (6,), (40,), (6000,)),
    Kernel(
        greatest_divisors, "elements", lambda n: (*generator().integers(1, 1_000_000, (2, n)),), (5,), (50,), (20_000,)
    ),
    Kernel(
        polynomial,
        "arrays",
        lambda n, k: (generator().random(k), generator().random(n)),
        (8, 3),
        (1000, 10),
        (300_000, 20),
        same_in_jax=True,
    ),
)

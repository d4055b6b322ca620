"""Sets whose members are known only at run time, asked right where they stand."""

from __future__ import annotations


def among_computed(x, n):
    return x in {1, n, n + 2}


def among_several_sets(x, n, items):
    return x not in {n, *items} | set(items) - {n + 1}


def among_those_of_a_comprehension(x, n):
    return 0 < x in {n + i for i in range(3)}

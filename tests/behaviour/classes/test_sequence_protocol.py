"""Objects of the user's classes that have a length and items: `__len__`, `__getitem__`, `__iter__` and `__next__`."""

from __future__ import annotations

import collections

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
X = np.array([1.0, 2.0, 3.0, 4.0])


class Counted:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n


class ByPlace:
    def __init__(self):
        self.held = []

    def __len__(self):
        return len(self.held)

    def __getitem__(self, i):
        return self.held[i]


class Walked(ByPlace):
    def __init__(self):
        super().__init__()
        self.place = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.place >= len(self.held):
            raise StopIteration
        self.place += 1
        return self.held[self.place - 1]


class Yielding(ByPlace):
    def __iter__(self):
        for x in self.held:
            yield x * 2


def filled(cls, a):
    made = cls()
    for x in a:
        if x > 1:
            made.held.append(x)
    return made


@case((3,), (0,), (True,), (np.int32(4),))
def lengths(n):
    c = Counted(n)
    return len(c), bool(c), not c, [1] * len(c), list(range(len(c))), 5 if c else 6


@case((-3,), (2.5,))
def lengths_that_are_none(n):
    return len(Counted(n))


@case((-3,), (2,))
def truths_that_are_none(n):
    return 1 if Counted(n) else 0


@case((X,), (-X,))
def lengths_of_what_a_condition_chose(a):
    c = Counted(0) if a[0] > 0 else Counted(3)
    stack, taken = filled(ByPlace, a), 0
    while stack:
        stack.held.pop()
        taken += 1
    return len(c), bool(c), taken, len(stack)


@case((X,))
def items_by_place(a):
    s, total = filled(ByPlace, a), 0.0
    for x in s:
        total = total * 2 + x
    for i, x in enumerate(s):
        total += i * x
    return total, s[-1], s[1:], list(s), tuple(s), sorted(s, reverse=True), max(s), sum(s), 3.0 in s, 9.0 not in s


@case((X,))
def items_by_place_in_containers(a):
    s = filled(ByPlace, a)
    found = [0.0]
    found.extend(s)
    return set(s), dict.fromkeys(s, 0), collections.Counter(s), found, list(reversed(s)), list(map(abs, s))


@case((X,))
def iterators_and_generators(a):
    numbered = [i * x for i, x in enumerate(filled(Walked, a))], list(enumerate(filled(Yielding, a)))
    beside = (
        [x * y for x, y in zip(filled(Walked, a), a, strict=False)],
        list(zip(range(2), filled(Yielding, a), a, strict=False)),
    )
    return numbered, beside, set(filled(Walked, a)), 4.0 in filled(Yielding, a), sum(filled(Walked, a))


@case((X,))
def zipped_as_far_as_the_shortest_goes(a):
    told = []

    def told_of():
        for x in a:
            told.append(x)
            if x < 4:
                yield x

    before, after = list(zip(range(2), told_of(), strict=False)), list(zip(told_of(), (5, 6), strict=False))
    return before, after, list(zip((), told_of(), strict=False)), told


@case((X,))
def iterators_that_both_end_at_run_time(a):
    return list(zip(filled(Walked, a), filled(Walked, a[1:]), strict=False))


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()

"""Lists that become arrays inside stay Python's lists: errors, aliases, copies, types, what is printed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
RNG = np.random.default_rng(7)
PLACES = RNG.integers(0, 20, 15)
LONG = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4]


# ---- Python's lists stay what they are -------------------------------------------------------------------------------


@case((3, LONG), (-4, LONG), (-20, LONG), (19, LONG), (20, LONG), (-21, LONG))
def reads_and_writes_an_argument(i, items):
    items[i] = items[i] + 1
    return items[i], len(items)


@case((3,), (20,), (-21,), (-20,))
def error_of_reading(i):
    items = [0.5] * 20
    return items[i]


@case((3,), (20,), (-21,), (-20,))
def error_of_writing(i):
    items = [0.5] * 20
    items[i] = 1.5
    return items


@case((3,), (25,))
def error_is_caught(i):
    items = list(range(20))
    try:
        items[i] = 100
        items[i + 1] = 101
    except IndexError as error:
        return str(error), items
    return items


@case((19,), (2,))
def writes_before_a_failure_are_seen(i):
    items = list(range(20))
    try:
        items[i] = 100
        items[i + 1] = 101
    except IndexError:
        items[0] = -1
    return items


@case((3, 2), (4, 4))
def aliases_see_writes(i, j):
    a = [0] * 20
    b = a
    c = [a, b]
    d = {"a": a}
    b[i] += 1
    c[0][j] += 2
    d["a"][i] += 4
    return a, b is a, c[1] is a, c, a == c[0]


@case((3,), (12,))
def copies_do_not(i):
    a = list(range(20))
    b, c, d, e = a[:], a.copy(), list(a), [*a]
    a[i] = -1
    b[i] += 1
    c[i] += 2
    d[i] += 3
    e[i] += 4
    return a, b, c, d, e


@case((3, True), (12, False))
def elements_keep_their_types(i, c):
    a = [False] * 20
    a[i] = 1
    if c:
        a[i + 1] = 2.5
    b = [0] * 20
    b[i] = np.float32(1.5)
    b[i + 1] = None
    return a, b, type(a[i]) is int, type(a[0]) is bool, a[i + 1] == 2.5


@case((3, 4.0), (12, -1.0))
def numpy_scalars(i, x):
    a = [np.float32(x)] * 20
    a[i] *= 2
    return a, a[i], a[-1 - i]


@case((3, 4.0), (12, -1.0))
def tuples(i, x):
    a = [(0.0, k) for k in range(20)]
    a[i] = (x, i)
    value, place = a[i + 1]
    return a, a[i], value + place, max(a), min(a)


@case((4,), (0,))
def complex_and_huge(i):
    a = [1j * k for k in range(20)]
    a[i] *= 2
    b = [2**70 + k for k in range(12)]
    c = [2**62 + k for k in range(12)]
    return a, c[i], b[3]


@case((4,), (11,))
def overflow_is_python_s(i):
    c = [2**62 + k for k in range(12)]
    c[i] = c[i] * 1
    return c[i] - 2**62


@case((7, LONG), (0, LONG))
def many_operations(i, items):
    a = list(items)
    a[i] = 50
    return (
        sum(a), min(a), max(a), len(a), 50 in a, 51 in a, a.index(50), a.count(9), sorted(a), a[::-1], a[2:5], a[-3:],
        a[::2], a[1:1], a + items, items + a, a * 2, list(reversed(a)), tuple(a), any(a), all(a), str(a[:3]),
        [x + 1 for x in a], list(enumerate(a))[3], list(zip(a, a[2:], strict=False))[2], a == items,
        a != a[:], a < items,
    )  # fmt: skip


@case((7, LONG), (0, LONG))
def methods(i, items):
    a = list(items)
    a[i] = 50
    a.append(i)
    last = a.pop()
    first = a.pop(0)
    a.insert(3, -5)
    a.extend([7, 8])
    a += [9]
    a.reverse()
    a.remove(8)
    del a[2]
    del a[1:3]
    a[4:6] = [100, 101, 102]
    b = a.copy()
    b.sort()
    c = a[:]
    c.sort(reverse=True)
    d = a[:]
    d.clear()
    d.append(1)
    return a, b, c, d, last, first


@case((7,), (0,))
def numpy_of_a_list(i):
    a = [0.5] * 20
    a[i] = 2.0
    b = [False] * 20
    b[i] = True
    return np.array(a), np.sum(a), np.array(b), np.mean(a) * np.array(a)[b], np.asarray(a, dtype=np.float32).dtype.name


@case((7,), (0,))
def unpacked(i):
    a = list(range(10))
    a[i] = -1
    first, *middle, last = a
    x, y, z, *_ = a

    def total(*values, start=0):
        return start + sum(values)

    return first, middle, last, x + y + z, total(*a), max(*a), f"{a[0]}", "-".join(str(v) for v in a)


@case((7,), (0,))
def printed(i):
    a = list(range(10))
    a[i] = -1
    print(a, a[i])
    print(f"{a}")
    return str(a), repr(a)


@case((LONG, 3), (LONG, 30))
def returned_as_it_came(items, i):
    seen = items
    if i < 20:
        seen[i] = 0
    return seen, items


@case((LONG, 3))
def unchanged_argument(items, i):
    return items[i], items, items is items


@case((np.array([1, 2, 3, 2, 1]),))
def changed_while_gone_over(steps):
    a = list(range(12))
    for s in steps:
        for i, v in enumerate(a):
            if v % 2:
                a[(i + s) % 12] = v + s
    return a


@case((np.array([1, 2, 3, 2, 1]),))
def gone_over_by_for(steps):
    a = list(range(12))
    out = 0
    for s in steps:
        a[s] += 5
        for v in a:
            if v == 9:
                continue
            out = out * 3 % 1001 + v
            if out == 5:
                break
    return a, out


@case((3, 4), (5, 5))
def branches_that_write(i, j):
    a = [0] * 12
    if i == j:
        a[i] = 1.5
    elif i < j:
        a[j] = 2
    else:
        a = a[:6]
    return a


@case((3, True), (5, False))
def another_list_in_a_branch(i, c):
    a = list(range(12))
    b = list(range(12, 24))
    d = a if c else b
    d[i] = -1
    return a, b, d is a, d[i + 1]


@case((4,), (0,))
def another_list_in_each_step(n):
    a = list(range(12))
    for k in range(n):
        a[k + 1] += a[k]
        b = [0] * 12
        for j in range(12):
            b[j] = a[(j + k) % 12]
        a = b
    return a


@case((4,), (0,))
def two_lists_take_turns(n):
    a = list(range(12))
    b = [0] * 12
    for k in range(n):
        for j in range(12):
            b[j] = a[(j + k) % 12] + 1
        a, b = b, a
    return a, b


@dataclasses.dataclass
class Counter:
    """Something with a list."""

    counts: list
    steps: int = 0

    def add(self, value):
        self.counts[value] += 1
        self.steps += 1
        return self


@case((PLACES,))
def attributes(values):
    counter = Counter([0] * 20)
    for v in values:
        counter.add(v)
    return counter.counts, counter.steps


TABLE = list(range(100, 120))
NAMES = {"primes": [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]}


@case((PLACES,))
def read_from_outside(values):
    total = 0
    for v in values:
        total += TABLE[v] + NAMES["primes"][v % 10] + (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)[v % 10]
    return total


def _add_at(items, place, value=1):
    items[place] += value
    return items


@case((PLACES,))
def written_by_a_helper(values):
    counts = [0] * 20
    for v in values:
        if v % 2:
            _add_at(counts, v)
        else:
            counts = _add_at(counts, v, 2)
    return counts


@case((PLACES,))
def written_by_a_closure(values):
    counts = [0] * 20
    seen = [None] * 20

    def visit(v):
        if seen[v] is None:
            seen[v] = len(counts)
        counts[v] += 1

    for v in values:
        visit(v)
    return counts, seen


@case((LONG, 5), (LONG, 9))
def bisected(items, x):
    ordered = sorted(items)
    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


@case((7,), (19,))
def grows_after_it_was_indexed(n):
    a = list(range(20))
    a[n] = -1
    i = 0
    while i < n:
        a.append(a[i])
        i += 1
    return a, len(a)


@case((7,), (19,))
def shrinks_after_it_was_indexed(n):
    a = list(range(20))
    a[n] = -1
    i = 0
    while i < n:
        a.pop()
        i += 1
    return a, len(a)


@case((7, 2), (3, 3))
def swapped(i, j):
    a = list(range(20))
    a[i], a[j] = a[j], a[i]
    a[i] += 1
    return a


@pytest.mark.parametrize("program", case.programs)
def test_programs(program: Program) -> None:
    program.check()

"""Lists of run-time length, read and written: indices, slices, searches, sorts, copies."""

from __future__ import annotations

import collections
import copy
import dataclasses

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, configure, jit
from tests.equivalence import check
from tests.program_table import Program, Table

case = Table()
SIGNED = np.array([1.5, -2.0, 3.0, -4.0, 0.0, 6.0])
NONE = np.array([-1.0, -2.0])


class Weighted:
    def __radd__(self, other):
        return "added", len(other)

    def __rmul__(self, other):
        return "times", len(other)

    def __eq__(self, other):
        return "equal"

    __hash__ = None


def positive(a):
    out = []
    for x in a:
        if x > 0:
            out.append(x)
    return out


@case((SIGNED,))
def beside_arrays(a):
    out, longer, more, sums, turned = positive(a), positive(a), positive(a), positive(a), collections.deque(positive(a))
    longer += a[:3]
    more *= a[:3]
    sums += a[0]
    turned += a[:3]
    asked = out == a[:3], out != a[:3], a[:3] == out, out == None, out != (1.5,)  # noqa: E711
    return longer, more, sums, turned, out * np.array(2), out * a[:3], out * a[a > 0], asked


@case((SIGNED,))
def beside_objects_with_operators(a):
    out = positive(a)
    out += Weighted()
    return out, positive(a) + Weighted(), positive(a) * Weighted(), positive(a) == Weighted()


@case((SIGNED, 1), (SIGNED, 0))
def lists_in_lists_beside_arrays_and_lists(a, i):
    rows, out = [], positive(a)
    for x in a:
        rows.append([y for y in a if y > x])
    row = rows[i]
    row += np.ones(1)
    return row, rows[i] * np.ones(1), rows[i] == out, out == rows[i], [out != r for r in rows], 2 * rows[i]


# ---- reading and writing ---------------------------------------------------------------------------------------------


@case((SIGNED, 0), (SIGNED, 2), (SIGNED, -1), (SIGNED, -3), (SIGNED, 3), (SIGNED, -4), (NONE, 0))
def indexes(a, i):
    out = []
    for x in a:
        if x > 0:
            out.append(x)
    return out[i]


@case((SIGNED,), (NONE,))
def of_an_array(a):
    todo = list(np.flatnonzero(a > 0))
    ends = collections.deque(a[a > 0])
    total = 0.0
    while todo:
        total = total * 2 + todo.pop()
        ends.append(total)
    return total, ends


@case((SIGNED,), (NONE,))
def indexes_by_literals(a):
    out = [x for x in a if x > 0]
    return out[0], out[-1], out[1]


@case((SIGNED, 1, 5.0), (SIGNED, -1, 2.0), (SIGNED, 8, 1.0))
def assigns(a, i, v):
    out = [x for x in a if x > 0]
    out[i] = v
    out[0] += 1
    return out


@case((np.array([1, 1, 2, 2, 2, 3]),), (np.array([4]),), (np.zeros(0, int),))
def run_lengths(a):
    runs = []
    for x in a:
        if runs and runs[-1][0] == x:
            runs[-1] = (x, runs[-1][1] + 1)
        else:
            runs.append((x, 1))
    return runs


@case((np.array([[1, 3], [2, 6], [8, 10], [9, 12]]),), (np.array([[1, 2]]),))
def union_of_intervals(spans):
    merged = []
    for lo, hi in spans:
        if merged and lo <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], hi))
        else:
            merged.append((lo, hi))
    return merged


@case((np.array([1, 3, 5]), np.array([2, 3, 8, 9])), (np.zeros(0, int), np.array([1])))
def merges_sorted(a, b):
    out = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    while i < len(a):
        out.append(a[i])
        i += 1
    while j < len(b):
        out.append(b[j])
        j += 1
    return out


ROWS = np.array([3, 1, 2]), np.array([3, -1, 7]), np.array([-1, -2, -3])


@case((ROWS[0], ROWS[1]), (ROWS[1], ROWS[0]), (ROWS[2], ROWS[0]), (ROWS[2], ROWS[2]), (ROWS[0], ROWS[0]))
def ordered_lists(a, b):
    one = [int(x) for x in a if x > 0]
    other = []
    for x in b:
        if x > 0:
            other.append(float(x))
    return one < other, one <= other, one > other, [3, 1] >= one, other > [], max(one, other) is one


@case((ROWS[0],), (ROWS[1],))
def ordered_lists_of_one_dict(a):
    found = {}
    for x in a.tolist():
        found.setdefault(x % 2, []).append(x)
    return found[1] < [1, 2], found[1] >= found.get(0, [])


BOXES = np.random.default_rng(1).random((8, 2)) * 4


@case((BOXES, np.arange(8.0), 1.0), (BOXES, -np.arange(8.0), 0.1))
def suppression(places, scores, radius):
    order = np.argsort(-scores)
    keep = []
    for i in order:
        near = False
        for k in keep:
            if np.abs(places[i] - places[k]).max() < radius:
                near = True
                break
        if not near:
            keep.append(i)
    return keep


@case((SIGNED,), (NONE,))
def goes_over(a):
    out = [x for x in a if x > 0]
    s = 0.0
    for x in out:
        s += x
    for i, x in enumerate(out):
        s += i * x
    for x, y in zip(out, a, strict=False):
        s += x * y
    for x in reversed(out):
        s = s / 2 + x
    return s


@case((SIGNED,), (NONE,))
def reduces(a):
    out = [x for x in a if x > 0]
    return sum(out), any(x > 2 for x in out), all(out), len(out), sum(x * 2 for x in out if x < 3)


@case((SIGNED,), (NONE,))
def extremes(a):
    out = [x for x in a if x > 0]
    return min(out), max(out)


@case((SIGNED, 3.0), (SIGNED, 4.0), (NONE, 1.0))
def contains(a, x):
    out = [v for v in a if v > 0]
    return x in out, x not in out, out.count(x)


@case((SIGNED, 3.0), (SIGNED, 4.0))
def finds(a, x):
    out = [v for v in a if v > 0]
    return out.index(x)


@case((SIGNED,), (NONE,))
def compares(a):
    up = [x for x in a if x > 0]
    same = [x for x in a if x > 0]
    down = [x for x in a if x <= 0]
    return up == same, up == down, up != down, up == [], up == [1.5, 3.0, 6.0]


@case((SIGNED, 1, 2), (SIGNED, -2, 9), (NONE, 0, 1))
def slices(a, i, j):
    out = [x for x in a if x > 0]
    return out[i:j], out[:i], out[j:], out[:], out[::-1], out[1:]


@case((SIGNED,), (NONE,))
def adds(a):
    up = [x for x in a if x > 0]
    down = [x for x in a if x < 0]
    more = [0.0]
    return up + down, more + up, up + more, list(up), up.copy()


@case((SIGNED,), (NONE,))
def truth(a):
    out = [x for x in a if x > 0]
    if not out:
        return "none"
    return "some" if len(out) > 1 else "one"


@case((SIGNED,), (NONE,))
def reverses(a):
    out = [x for x in a if x > 0]
    out.reverse()
    return out


@case((SIGNED,), (NONE,))
def sorts(a):
    out = [x for x in a if x > 0]
    pairs = [(i % 2, -x, i) for i, x in enumerate(a) if x != 0]
    out.sort(key=lambda x: -x)
    return out, sorted(out), sorted(out, reverse=True), sorted(pairs), sorted(pairs, key=lambda p: p[0], reverse=True)


@case((SIGNED,), (NONE,))
def copies(a):
    out = [x for x in a if x > 0]
    second, third, fourth = out[:], copy.copy(out), copy.deepcopy(out)
    second.append(5.0)
    third.append(1.0)
    return out, second, third, fourth


@case((SIGNED,), (NONE,))
def types(a):
    out = [x for x in a if x > 0]
    return isinstance(out, list), type(out) is list, type(out).__name__


@case((SIGNED,), (NONE,))
def extends(a):
    out = []
    out.extend(2 * x for x in a if x > 0)
    out.extend(a)
    out += [x for x in a if x < 0]
    out.extend(range(len(out)))
    return out


@case((SIGNED, True), (SIGNED, False))
def one_or_the_other(a, flag):
    up, down = [x for x in a if x > 0], [x for x in a if x < 0]
    chosen = up if flag else down
    chosen.append(9.0)
    maybe = None
    if flag:
        maybe = down
    return chosen, up, down, -1 if maybe is None else len(maybe)


@dataclasses.dataclass
class Record:
    items: list = dataclasses.field(default_factory=list)


@case((SIGNED,), (NONE,))
def lists_that_libraries_make(a):
    record, groups = Record(), collections.defaultdict(list)
    words, ranks = "a b".split(), sorted([3, 1])
    groups["all"].append(0)
    for i, x in enumerate(a):
        if x > 0:
            record.items.append(i)
            groups["all"].append(i)
            words.append("c")
            ranks.append(i)
    return record.items, groups, words, ranks


@case((SIGNED,), (NONE,))
def sorts_mixed_numbers(a):
    out = []
    for i, x in enumerate(a):
        if x > 0:
            out.append(i)
        else:
            out.append(x)
            out.append(-i)
    return sorted(out), sorted(out, reverse=True)


LARGE = np.array([2**53 + 1, 2**53, -(2**63), 2**63 - 1, 7, 2**62 + 1])


@case((LARGE, 0), (LARGE, 2**62), (LARGE[:0], 0))
def sorts_large_ints_beside_floats(a, least):
    out = []
    for n in a:
        if n >= least:
            out.append(int(n))
            out.append(float(n))
    return sorted(out), sorted(out, reverse=True)


@case((np.array([2**64 - 1, 2**63, 5, 2**63 + 1], np.uint64), np.array([2**63 - 1, -1]), 6))
def sorts_ints_with_and_without_sign(a, b, least):
    out = []
    for n in a:
        if n >= least:
            out.append(n)
    for n in b:
        if n < least or n > 2**62:
            out.append(n)
    return sorted(out)


@pytest.mark.parametrize("count", [0, 8])
def test_large_ints_of_numpys_beside_floats_have_no_order(count):
    def sorts(a, least):
        out = [float(n) for n in range(count)]
        for n in a:
            if count or n >= least:
                out.append(n)
                out.append(float(n))
        return sorted(out)

    few = np.array([5, 3])
    check(sorts, few, 4)
    with pytest.raises(UnsupportedOperationError, match="from 2\\*\\*53 on"):
        jit(sorts)(LARGE, 0)


@case((SIGNED,), (NONE,))
def one_of_two_lists(a):
    up, down = [x for x in a if x > 0], [x for x in a if x < 0]
    one = up if a[0] > 0 else down
    both = [0.0]
    both.extend(one)
    return sum(one), max(one, default=0.0), [x * 2 for x in one], both, list(one)


@case((SIGNED,), (NONE,))
def lists_in_a_list(a):
    rows = [[] for _ in range(3)]
    for i in range(len(a)):
        if a[i] > 0:
            rows[i % 3].append(i)
    return rows, len(rows[0])


@case((SIGNED,), (NONE,))
def prints(a):
    out = []
    for i, x in enumerate(a):
        if x > 0:
            out.append(i)
    print(out, len(out))
    print(f"found {out}")


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python_with_all_numbers_at_run_time(program: Program) -> None:
    with configure(auto_static=False):
        program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_as_in_eager_python_with_static_arguments(program: Program) -> None:
    program.check_static()


def test_the_message_of_what_is_certainly_not_there_has_the_value() -> None:
    def f(a, n):
        found = []
        for _ in a:
            found.append(found.index(n))
        return found

    for n, shown in ((2, "2"), (np.float64(1.5), "np.float64(1.5)")):
        error = check(f, np.arange(3), n)
        assert str(error) == f"{shown} is not in list"


@pytest.mark.parametrize("is_first", [True, False])
def test_the_message_has_the_one_of_two_values_that_is_not_there(is_first: bool) -> None:
    def indexed(x: np.ndarray, is_first: bool) -> int:
        value = int(x[0]) if is_first else x[1]
        return [1, 2, 3].index(value)

    def removed(x: np.ndarray, is_first: bool) -> list[int]:
        items = [1, 2, int(x[0])]
        items.remove("a" if is_first else 5)
        return items

    for f in (indexed, removed):
        assert isinstance(check(f, np.array([7, 8]), is_first), ValueError)

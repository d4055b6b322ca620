"""Arrays of run-time size at the edges of other things: branches, containers, built-ins, ways in and out of a call."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import anabranch
from anabranch import UnsupportedValueError, export, jit
from tests.equivalence import same
from tests.program_table import Program, Table

case = Table()
A = np.arange(8.0)


@dataclasses.dataclass
class Pair:
    v: object
    w: int


@case((A, 3), (A, 0), (A, 7))
def lengths_of_branches(a, n):
    r = a[:n] if a[n % 8] > 2 else a[::2]
    return len(r), r * 2, r.shape


@case((A, 3), (A, 0), (A, 7))
def written_in_either(a, n):
    r = a[:3] if a[n] > 2 else a[4:]
    r[0] = 99
    return a


@case((A, 3), (A, 0), (A, 7))
def window_or_slice_written(a, n):
    m = int(a[n])
    r = a[:m] if m > 2 else a[4:]
    r[0] = 99
    return a


@case((A, 3), (A, 0), (A, 7))
def window_or_slice_seen(a, n):
    m = int(a[n])
    r = a[:m] if m > 2 else a[4:]
    a[:] = 99
    return r


@case((A, 3), (A, 0), (A, 7))
def early_returns(a, n):
    if a[n] > 5:
        return a[:2] * 1
    if a[n] > 2:
        return a[:n] + 1
    return a * 2


@case((A, 3), (A, 0), (A, 7))
def none_or_some(a, n):
    r = None
    if a[n] > 2:
        r = a[a > n]
    return r


@case((A, 3), (A, 0), (A, 7))
def in_a_tuple_and_a_dict(a, n):
    if a[n] > 2:
        r = (a[:n], 1)
    else:
        r = (a[n:], 2)
    return r, {"k": r[0] * 2}


@case((A, 3), (A, 0), (A, 7))
def truth_of_some(a, n):
    v = a[a > n]
    if v:
        return 1
    return 0


@case((A, 3), (A, 0), (A, 7))
def truth_of_one(a, n):
    v = a[n : n + 1]
    w = a[a == n]
    if w:
        return v
    return v + 1


@case((A, 3), (A, 0), (A, 7))
def compared(a, n):
    v = a[:n]
    w = a[1 : n + 1]
    return v == w, (v < w).all(), np.array_equal(v, w)


@case((A, 3), (A, 0), (A, 7))
def compared_of_other_sizes(a, n):
    v = a[:n]
    w = a[:4]
    return v == w


@case((A, 3), (A, 0), (A, 7))
def zipped(a, n):
    s = 0.0
    for x, y in zip(a[a > n], a[:n], strict=False):
        s += y * x
    return s


@case((A, 3), (A, 0), (A, 7))
def gone_over_backwards(a, n):
    s = 0.0
    for x in reversed(a[a > n]):
        s = s * 2 + x
    return s


@case((A, 3), (A, 0), (A, 7))
def reduced_by_builtins(a, n):
    v = a[a > n]
    return sum(v), any(v > 3), all(v > 3)


@case((A, 3), (A, 0), (A, 7))
def extremes_by_builtins(a, n):
    v = a[a > n]
    return min(v), max(v)


@case((A, 3), (A, 0), (A, 7))
def length_in_a_text(a, n):
    return f"{len(a[a > n])}"


@case((A, 3), (A, 0), (A, 7))
def by_positions(a, n):
    v = a[a > n]
    s = 0
    for i in range(len(v)):
        s += v[i] * i
    return s


@case((A, 3), (A, 0), (A, 7))
def while_there_are_some(a, n):
    v = a[a > n]
    s = 0
    while v.size:
        s += v[0]
        v = v[1:]
    return s


@case((A, 3), (A, 0), (A, 7))
def while_it_has_a_length(a, n):
    v = a[a > n]
    s = 0
    while len(v):
        s += v[-1]
        v = v[:-1]
    return s


@case((A, 3), (A, 0), (A, 7))
def caught(a, n):
    v = a[a > n]
    try:
        return v + a[:3]
    except ValueError:
        return v


@case((A, 3), (A, 0), (A, 7))
def through_a_generator(a, n):
    def g(v):
        for x in v:
            if x > 2:
                yield x * 2

    return sum(g(a[a > n]))


@case((A, 3), (A, 0), (A, 7))
def in_a_closure(a, n):
    v = a[a > n]

    def h(k):
        return v * k

    return h(2) + h(3)


@case((A, 3), (A, 0), (A, 7))
def attribute(a, n):
    p = Pair(a[a > n], 1)
    if n > 2:
        p.v = p.v * 2
    p.v = np.append(p.v, 1)
    return p.v


@case((A, 3), (A, 0), (A, 7))
def length_matched(a, n):
    v = a[a > n]
    match len(v):
        case 0:
            return v
        case 4:
            return v + 4
        case _:
            return v[:1]


@case((A, 3), (A, 0), (A, 7))
def item_of_a_dict(a, n):
    d = {}
    d["x"] = a[a > n]
    if a[n] > 2:
        d["x"] = a[:2]
    else:
        d["x"] = d["x"] * 2
    return d


@case((A, 3), (A, 0), (A, 7))
def swapped(a, n):
    v, w = a[:n], a[n:]
    for i in range(int(a[3])):
        v, w = w, v
    return v, w


@case((A, 3), (A, 0), (A, 7))
def cut_by_a_helper(a, n):
    def cut(v, k):
        return v[v > k]

    x = a
    for i in range(int(a[3])):
        x = cut(x, i)
    return x


@case((A, 3), (A, 0), (A, 7))
def strided_views(a, n):
    v = a[:: n + 1]
    v[0] = 55
    return a, v


@case((A, 3), (A, 0), (A, 7))
def returned_view(a, n):
    return a[n:]


@case((A, 3), (A, 0), (A, 5))
def unpacked(a, n):
    x, y = a[n : n + 2]
    return x, y


@case((A, 3), (A, 0), (A, 7))
def changed_in_place(a, n):
    x = a[n:]
    x += 1
    x *= x
    return a, x


@case((A, 3), (A, 0), (A, 7))
def length_and_item(a, n):
    v = a[a > n]
    return len(v) and v[0]


@case((A, 3), (A, 0), (A, 7))
def printed(a, n):
    v = a[a > n]
    print(v)
    return v


@case((A, 3), (A, 0), (A, 7))
def transformed_on_each(a, n):
    return np.fft.rfft(a[:4] if a[n] > 2 else a[:6])


@case((A, 3), (A, 0), (A, 7))
def chosen_and_joined(a, n):
    part = a[:3] if a[n] > 2 else a[4:]
    whole = np.concatenate([part, a[a > n]])
    return whole, whole.max(initial=0), np.add(part, 1)


@case((A, 3), (A, 0), (A, 7))
def windows_of_an_argument(a, n):
    k = int(a[n])
    late, early = a[k:], a[:5]
    return late if k > 2 else early


@case((A, 3), (A, 0), (A, 7))
def choice_of_a_choice(a, n):
    if a[n] > 1:
        r = a[:3] if a[n] > 5 else a[n:]
    else:
        r = a[2:]
    return r * 2, r.size


EMPTY = np.array([], int)


@case((np.array([1, 2, 3, 2]), 2), (EMPTY, 0), (np.array([1]), 5))
def first_place_in_an_array_without_elements(a, x):
    return np.where(a == x)[0][0]


@case((EMPTY, 0))
def last_element_of_no_elements(a, x):
    return a[a == x][-1]


@case((EMPTY, 0))
def element_of_no_elements_is_caught(a, x):
    try:
        return np.sort(a[a > x])[::-1][0]
    except IndexError as error:
        return str(error)


@case((EMPTY, 0))
def largest_of_no_elements(a, x):
    return np.argmax(a[a > x])


@case((np.zeros((0, 2), int), 0), (np.zeros((2, 0), int), 0), (np.ones((2, 2), int), 1))
def places_in_a_matrix_without_elements(a, x):
    rows, columns = np.where(a == x)
    return rows[0], columns[-1]


@case((EMPTY, 2), (np.array([3, 0, 1]), 2))
def arrays_that_may_have_no_elements(a, n):
    kept = a
    for i in range(n):
        kept = kept[kept > i]
    if n > 1:
        kept = kept[: n - 1]
    return kept, kept.sum()


@pytest.mark.parametrize("program", case.programs)
def test_matches_eager(program: Program) -> None:
    program.check()


def above(a, p):
    return a[a > p], a[: np.minimum(p, 3)]


def test_shapes_say_where_a_size_is_known_only_at_run_time() -> None:
    found = anabranch.eval_shape(jit(above), A, 3)
    assert [f.shape for f in found] == [(None,), (None,)]
    assert found[0].size is None
    with pytest.raises(UnsupportedValueError, match="no size"):
        anabranch.eval_shape(jit(above), found[0], 3)


def test_stages_give_what_calls_give() -> None:
    compiled = jit(above).lower(A, 3).compile()
    for p in (0, 3, 8):
        for got, want in zip(compiled(A, p), above(A, p), strict=True):
            np.testing.assert_array_equal(got, want)


def _parts(a, n):
    found = []
    for x in a[:n]:
        if x > 1:
            found.append(x)
    return a[:n], a[a > n], found, np.cumsum(a[n:])


@pytest.mark.parametrize("way", ["djit", "saved", "exported"])
def test_other_ways_of_a_call(way: str, tmp_path: Path) -> None:
    a = np.arange(6.0)
    if way == "djit":
        call = anabranch.djit(_parts)
    elif way == "saved":
        jit(_parts).lower(a, 2).compile().save(tmp_path / "parts")
        call = anabranch.Compiled.load(tmp_path / "parts")
    else:
        call = export.deserialize(export.export(jit(_parts))(a, 2).serialize()).call
    for n in (0, 3, 6):
        same(_parts(a, n), call(a, n), f"the result for {n}")


def test_arrays_on_the_device_come_back_there() -> None:
    found, _ = jit(above)(anabranch.asarray(A), 3)
    assert isinstance(found, anabranch.Array)
    np.testing.assert_array_equal(np.asarray(found), A[A > 3])


def test_donated_memory() -> None:
    @jit(donate_argnames="a")
    def raised(a, n):
        a[:n] += 1
        return a[:n], a.sum()

    part, total = raised(A.copy(), 3)
    np.testing.assert_array_equal(part, A[:3] + 1)
    assert total == A.sum() + 3


def test_writes_to_a_part_that_one_of_two_branches_gave_are_not_lost() -> None:
    def put(a, b, c, d):
        if d > 0:
            y = a if c > 0 else b
        else:
            y = a
        y[0] = 9
        return y

    for c, d in ((0, 1), (1, 1), (0, 0)):
        eager, compiled = ([np.arange(3.0), np.arange(3.0)] for _ in range(2))
        put(*eager, c, d)
        jit(put)(*compiled, c, d)
        np.testing.assert_array_equal(compiled, eager)

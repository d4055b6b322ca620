"""Arrays of records, structured dtypes and `recarray`, as arguments and results."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, UnsupportedValueError, configure, jit
from tests.equivalence import check

POINT = [("a", int), ("b", float)]
POINTS = np.array([(1, 2.0), (3, 4.0), (5, 6.0)], dtype=POINT)
NESTED = np.zeros(3, [("p", float, (2,)), ("x", [("u", float), ("v", int)]), ("t", "M8[D]"), ("w", "i1")])


@pytest.mark.parametrize("native", [True, False])
def test_fields(native):
    def f(r, i):
        r["b"] *= 2
        r["a"][1:] += 1
        r[i]["a"] = 7
        total = 0.0
        for x in r:
            total += x["a"] * x["b"]
            x["b"] = total
        return r["a"].sum(), r["b"], r[i]["b"], r["a"][i], r[i][0], len(r), r.shape, r.size, r.dtype, total, r

    with configure(native_loops=native):
        check(f, POINTS, 2)


def test_whole_records():
    def f(r, i):
        kept = r[i].copy()
        r[0] = (9, 1.5)
        r[i] = r[0]
        r[1:] = r[:-1]
        r[0], r[1] = r[1], r[0]
        return r, kept, r[i], r[1:], r[["b"]], r[::-1], r[r["a"] > 1], r[[0, 2]], r.copy(), tuple(r[0]), r[0].item()

    check(f, POINTS, 2)


def test_attributes():
    def f(r):
        r.b[0] = 5
        r.a = r.a + 1
        return r.a.sum(), r[0].b, r[1], r

    check(f, POINTS.view(np.recarray))


def test_fields_of_other_kinds():
    def f(r, i):
        r["p"][i] += 1
        r[i]["p"][0] = 9
        r["t"][0] = np.datetime64("2020-01-01")
        r["x"]["u"][i] = 3
        r[i]["x"]["v"] = 4
        return r, r[i]["p"], r["t"] + np.timedelta64(1, "D"), r["x"], r[i]["w"]

    check(f, NESTED, 1)


def test_made_inside():
    def f(n, x):
        z = np.zeros(n, dtype=[*POINT, ("t", "M8[D]"), ("v", float, (2,))])
        for i in range(n):
            z[i]["a"] = i
            z["b"][i] = x * i
            z["v"][i, 1] = x
            z["t"][i] = np.datetime64("2020-01-01") + i
        return z, z[0], z["t"].max()

    check(f, 3, 2.0)


def test_branches_and_several_arrays():
    def f(r, q, c):
        one = r if c > 0 else r.copy()
        one["a"][0] = 50
        k = 0
        while k < len(q) and q[k]["b"] < 5:
            k += 1
        for i in range(len(r)):
            q[i] = r[len(r) - 1 - i]
        return one["a"][0], r, q, k, [x["a"].sum() for x in (r, q)]

    check(f, POINTS, POINTS.copy(), 1)
    check(f, POINTS, POINTS.copy(), -1)


def test_memory_is_the_callers():
    r = POINTS.copy()
    given, part, one, field = jit(lambda r: (r, r[1:], r[0], r["b"]))(r)
    assert given is r
    r["b"] = 8
    assert part["b"][0] == one["b"] == field[0] == 8


def test_errors():
    check(lambda r: r["c"], POINTS)
    check(lambda r: r.foo, POINTS)
    check(lambda r, i: r[i]["a"], POINTS, 3)

    def several(r):
        r[0] = (1, 2, 3)

    check(several, POINTS)


def test_what_is_refused():
    for f in (np.sum, lambda r: r == r, lambda r: r + 1, lambda r: np.sort(r, order="a"), np.array):
        with pytest.raises(UnsupportedOperationError, match="array of records"):
            jit(lambda r, f=f: f(r))(POINTS)
    with pytest.raises(UnsupportedValueError, match=">U3"):
        jit(lambda r: r)(np.zeros(1, [("s", ">U3"), ("n", int)]))


def test_fields_of_texts():
    def f(r):
        total, longest = 0, ""
        for one in r:
            total += one["n"] * (one["s"] != "b")
            longest = max(longest, one["s"])
        r["s"][0] = "new"
        return r["s"] == "b", r["n"][r["s"] == "b"].sum(), total, longest, r[1:], r["s"]

    check(f, np.array([("a", 1), ("b", 2), ("cc", 3), ("b", 4)], [("s", "U3"), ("n", int)]))

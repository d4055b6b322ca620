"""Numbers of several kinds that only some steps of a loop put into items, dict values and attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
V = np.array([-1.5, 0.25, 3.5, -0.5, 2.0, 3.5])
LOW = -np.abs(V) - 1
V32 = V.astype(np.float32)
I64 = np.array([3, -1, 7, 2])
EMPTY = V[:0]


@dataclass
class Box:
    v: object
    w: object = 0


class Pair(NamedTuple):
    a: object
    b: object


@case((V,), (LOW,), (V32,), (I64,), (EMPTY,))
def items_of_a_list(x):
    r = [0, 1.5, x.sum(), True]
    for v in x:
        if v > 1:
            r[0] = v
        if v < 0:
            r[1] += 1
        if v > 3:
            r[2] = 7
            r[3] = v
    return r, r[0] + 1, r[1] * 2


@case((V, 1), (LOW, 0), (V, 2), (V, 5))
def an_item_at_a_run_time_place(x, i):
    dst = [18, 2.5, 3, np.float64(0.5), 5, 7]
    r = list(dst)
    for k in range(2):
        r[i] = x[k]
    return r, dst


@case((V, 1), (LOW, 0), (V, 2))
def an_item_at_a_run_time_place_in_some_steps(x, i):
    r = [18, 2.5, 2**53 + 1]
    for v in x:
        if v > 0:
            r[i] = v
    return r, r[0], r[2] + 1


@case((V, 1), (LOW, 0), (V, 0))
def a_float_and_a_numpy_scalar_in_a_list(x, i):
    r = [1.0, np.float64(0.5)]
    for v in x:
        if v > 3:
            r[i] = v
    return r


@case((V, 1), (LOW, 0), (V, 0))
def a_float_and_a_numpy_scalar_in_a_tuple(x, i):
    r = (1.0, np.float64(0.5), 3)
    for v in x:
        if v > 3:
            r = (r[1], r[0], v)
    return r, r[i]


@case((V,), (LOW,), (EMPTY,))
def values_of_a_dict(x):
    d = {"best": 0, "n": 0, "mean": 0}
    for v in x:
        if v > d["best"]:
            d["best"] = v
            d["n"] += 1
            d["mean"] = d["best"] / d["n"]
    return d, d["best"] - d["n"]


@case((V,), (LOW,), (EMPTY,))
def attributes_of_an_object(x):
    box = Box(1.5, 2)
    for v in x:
        if v > 3:
            box.v = v
        elif v > 0:
            box.w = box.w + 0.5
    return box, box.v * 2, box.w + 1


@case((V,), (LOW,), (EMPTY,))
def objects_made_in_steps(x):
    box, pair = Box(0, 0.5), Pair(0, 0.5)
    for v in x:
        if v > 0:
            box = Box(v, box.v)
            pair = Pair(pair.b, v)
    return box, pair


@case((V,), (LOW,), (EMPTY,))
def tuples_of_two_kinds(x):
    t = (0, 0)
    for i, v in enumerate(x):
        if v > t[0]:
            t = (v, i)
    return t, t[0] + t[1]


@case((V,), (LOW,), (EMPTY,))
def lists_made_in_steps(x):
    t = [0, 1]
    for v in x:
        if v > t[0]:
            t = [v, t[0]]
    return t


@case((V, [Box(1), Box(2)]), (LOW, [Box(1), Box(2.5)]), (V, [Box(np.float64(1)), Box(3)]))
def attributes_of_arguments(x, boxes):
    for v in x:
        for box in boxes:
            if v > box.v:
                box.v = v
    return boxes


@case((V, [1, 2, 3]), (LOW, [1, 2, 3]), (V, [1, 2.5, np.float32(3)]))
def items_of_arguments(x, r):
    for k in range(3):
        if x[k] > 0:
            r[k] = r[k] + x[k]
    return sum(r)


@case((V, {"a": 1, "b": 2**53 + 1}), (LOW, {"a": 1, "b": 2**53 + 1}))
def values_of_arguments(x, d):
    for v in x:
        if v > 0:
            d["a"] += v
        if v > 3:
            d["b"] = v
    return list(d.values())


@case((V,), (LOW,), (EMPTY,))
def lists_of_lists(x):
    m = [[0, 0.5], [1, 2]]
    for v in x:
        if v > 2:
            m[0][0] = v
            m[1] = [m[1][1], v]
    return m


@case((V,), (LOW,), (EMPTY,))
def a_list_of_many_numbers(x):
    r = [0] * 12
    for k in range(len(x)):
        if x[k] > 0:
            r[k] = x[k]
    return r


@case((V,), (LOW,), (EMPTY,))
def a_new_list_of_many_numbers(x):
    r = [0] * 12
    for v in x:
        if v > 0:
            r = [w + v for w in r]
    return r, r[3] * 2


@case((V,), (LOW,), (EMPTY,))
def appended_numbers(x):
    r, s = [], 0
    for v in x:
        if v > 0:
            s = s + v
        r.append(s)
        if v > 3:
            r.append(1)
    return r, len(r), sum(r)


@case((V, 0), (LOW, 0), (V, 3))
def counted_by_a_dict(x, n):
    d = {}
    d["s"] = n
    for v in x:
        if v > 0:
            d["s"] = d.get("s", 0) + v
    return d


@pytest.mark.parametrize("program", case.programs)
def test_numbers_of_loops(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_numbers_of_loops_static(program: Program) -> None:
    program.check_static()

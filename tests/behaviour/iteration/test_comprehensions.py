"""Comprehensions, and lists of run-time numbers: loops over arrays, whatever the number of items."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.program_table import Program, Table

case = Table()
N = 12
X = np.arange(36.0).reshape(N, 3) - 10
V = np.linspace(-2, 3, N)
FLOATS = [v + 0.5 for v in range(N)]
INTS = [3, -1, 4, 1, -5, 9, 2, 6, -5, 3, 5, 8]
PAIRS = list(zip(FLOATS, INTS, strict=True))
TABLE = [[float(i * j - 3) for j in range(N)] for i in range(10)]
RECORDS = [{"x": float(i), "n": i} for i in range(11)]
RANDOM = np.random.default_rng(1)
MANY = [float(v) for v in np.round(RANDOM.normal(size=50), 1)]
MANY_INTS = [int(v) for v in RANDOM.integers(-5, 5, 50)]
MIXED = [v if i % 3 else int(v * 3) for i, v in enumerate(MANY)]
# Floats round ints of this size.
LARGE = [
    2**53 + 1, float(2**53), 2**53 + 2, 2**53, float(2**53 + 2), -(2**63), 2**63 - 1, float(2**63), 2**63 - 2,
    -float(2**63), 3, 2.5, 1, True,
]  # fmt: skip


# ---- what is in the list ---------------------------------------------------------------------------------------------


@case((X,), (X[:9, :1],))
def numbers_of_rows(a):
    return np.array([np.sum(r**2) for r in a]), [float(r[0]) for r in a], [r[0] > 0 for r in a], [int(r[0]) for r in a]


@case((X,))
def views(a):
    rows = [r for r in a]
    rows[2][1] = 7.0
    return rows, a.sum()


@case((V,))
def one_array_many_times(x):
    y = x * 2
    rows = [y for _ in range(10)]
    rows[0][0] = 5.0
    return rows, rows[0] is rows[1]


@case((V,))
def new_arrays_that_are_written(x):
    rows = [x * i for i in range(10)]
    rows[0][0] = 5.0
    return rows, rows[3] is rows[3], rows[3] is rows[4]


@case((V,))
def pairs_of_one_array(x):
    rows = [(y, y) for y in (x * i for i in range(10))]
    rows[0][0][0] = 5.0
    return rows


@case((X,))
def containers(a):
    rows = [(i, r[0], float(r[1]), r * 2, "k", None) for i, r in enumerate(a)]
    named = [{"a": r[0], "b": [r[1], r[2]]} for r in a]
    named[0]["b"][0] = 1.0
    named[1]["a"] = 2.0
    return rows, named


@case((V,))
def new_lists_that_are_changed(x):
    rows = [[v, v] for v in x]
    rows[0][0] = 5.0
    rows[1].append(2.0)
    return rows


@case((V,))
def one_list_many_times(x):
    items = [1.0, 2.0]
    rows = [items for v in x]
    rows[0][0] = 5.0
    return rows


@case((V,))
def positions_are_known(x):
    places = [2 * i for i in range(10)]
    pairs = [(i, x[i]) for i in range(10)]
    return np.zeros(places[2]), np.zeros(pairs[2][0] + 1), pairs


@case((V,))
def shapes_that_differ(x):
    return [np.zeros(i) + x[0] for i in range(10)], [[x[j] for j in range(i)] for i in range(10)]


@case((V,))
def conditions(x):
    return [v if v > 0 else -v for v in x], [v if v > 0 else None for v in x], [v for v in x if v > 0]


@case((V,))
def known_conditions(x):
    return [x[i] for i in range(12) if i % 3 == 0], [x[i] if i % 2 else -x[i] for i in range(12)]


@case((V,))
def in_one_another(x):
    both = [v * w for v in x for w in x[:9]]
    return [[v * w for v in x] for w in x], both, np.array([[[v * w for v in x] for w in x] for _ in range(9)]).shape


@case((V,))
def transposed(x):
    return [np.outer(x[:3] + v, x[:3])[1] for v in x], [np.add(x[:2], v).reshape(2, 1) for v in x]


@case((V,))
def texts(x):
    return [f"{i}" for i in range(10)], [str(v) for v in x][3], [("a", v) for v in x]


# ---- what happens beside it ------------------------------------------------------------------------------------------


@case((V,))
def appending(x):
    out = []
    rest = [out.append(v) for v in x]
    return rest, out


@case((V,))
def kept_elsewhere(x):
    out = []

    def made(v):
        a = v * np.ones(2)
        out.append(a)
        return a

    rows = [made(v) for v in x]
    rows[0][0] = 99.0
    return rows, out


@case((V,))
def counting(x):
    count = [0]

    def made(v):
        count[0] += 1
        return v * count[0]

    return [made(v) for v in x], count


@case((V,))
def printing(x):
    return [print(v) for v in x], [print(i) for i in range(10)]


@case((INTS,), ([4, *INTS],))
def failing(items):
    return [10 // (v - 4) for v in [*items[1:], 7]]


@case((INTS,), ([1] * 12,))
def failing_in_a_try(items):
    try:
        return [10 // (v - 4) for v in items]
    except ZeroDivisionError:
        return [1]


@case((FLOATS, 3.0), (FLOATS, 30.0))
def raising(items, most):
    def checked(v):
        if v > most:
            raise ValueError("too large")
        return v

    return [checked(v) for v in items]


# ---- lists of numbers ------------------------------------------------------------------------------------------------


@case((FLOATS,), (tuple(FLOATS),), ([np.float64(v) for v in FLOATS],), ([np.int32(v) for v in INTS],), (INTS,))
def a_list_of_numbers(items):
    return (
        [v for v in items],
        [v + 1 for v in items][::-1],
        items[2:5],
        items * 2,
        items[0],
        np.array(items),
        max(items),
    )


@case((FLOATS,), (INTS,))
def a_list_that_is_changed(items):
    items[3] = items[0] * 2
    total = sum(items)
    items.append(items[1])
    items.insert(0, items[2])
    items.pop(3)
    return items, total, len(items)


@case((INTS,), ([1] * 20,))
def reductions(items):
    few = any(v > 8 for v in items), all(v > -6 for v in items), any([v > 8 for v in items]), min([-v for v in items])
    return sum(items), max(items), min(items), few, sum([v * v for v in items]), len([v for v in items])


@case((FLOATS, INTS), (FLOATS[:9], INTS))
def zipped(a, b):
    sums = [p * q for p, q in zip(a, b, strict=False)], sum(p * q for p, q in zip(a, b, strict=False))
    return sums, list(zip(a, b, strict=False)), list(enumerate(a)), [v for v in reversed(a)], list(map(max, a, a[::-1]))


@case(([0, 3, 1, 4, 1, 5, 9, 2, 6, 5],))
def pairs_of_one_list(items):
    return sum(i * j for i in items for j in items), max(i - j for i in items for j in items)


@case((PAIRS,))
def tuples(pairs):
    return (
        [a * b for a, b in pairs],
        sum(a for a, _ in pairs),
        max(pairs),
        min(p for p in pairs),
        np.array(pairs),
        pairs,
    )


@case((TABLE,))
def a_table(rows):
    sums = [sum(r) for r in rows], sum(v for r in rows for v in r), [[v + 1 for v in r] for r in rows]
    product = np.array([[sum(a * b for a, b in zip(r, q, strict=False)) for q in rows] for r in rows])
    return sums, product, [[r[j] for r in rows] for j in range(3)], rows[2][3], np.array(rows)


@case((TABLE,))
def a_table_whose_rows_are_kept(rows):
    kept = []
    best = rows[0]
    for r in rows:
        kept.append(r)
        if sum(r) > sum(best):
            best = r
    kept[0][0] = 77.0
    return kept, rows, best, [r is rows[0] for r in rows], [r for r in rows]


@case((TABLE,))
def a_table_whose_rows_change(rows):
    total = 0.0
    for i, r in enumerate(rows):
        rows[3][0] = total
        total += r[0] + i
    for r in rows:
        r[1] = r[0] * 2
    first = rows[0]
    for r in rows:
        first[2] = first[2] + 1.0
        total += r[2]
    return total, rows


@case((RECORDS,))
def records(items):
    total = sum(e["x"] * e["n"] for e in items)
    for e in items:
        e["x"] = e["x"] * 2
        e["n"] += 1
    return total, items


@case((FLOATS,))
def items_set_in_a_loop(items):
    for i, v in enumerate(items):
        if i < 11:
            items[i + 1] = v * 2
    return items


@case((FLOATS,))
def items_appended_in_a_loop(items):
    for v in items:
        if len(items) < 15:
            items.append(v + 1)
    return items


@case((3, INTS), (0, list(range(30))))
def joined_with_a_list_that_is_an_array(i, items):
    a = list(items)
    a[i] = 50
    b = a[:]
    b.extend(items)
    return a + items, items + a, b, a + [v * 2 for v in items]


@case((V, 3), (V, -1))
def indexed(x, i):
    numbers, arrays = [v * 2 for v in x], [v * np.ones(2) for v in x]
    arrays[i][0] = 5.0
    return numbers[i], arrays[i], numbers[-1], arrays


@case((V, True), (V, False))
def in_a_branch(x, c):
    items = [v * 2 for v in x]
    if c:
        items = [v * 3 for v in x]
    else:
        items[0] = 1.0
    return items


@case((V, 4), (V, 0))
def in_a_loop(x, n):
    items, total = [v * 1.0 for v in x], 0.0
    for k in range(n):
        items = [v * 0.5 + k for v in items]
        total += sum([v * k for v in x]) + np.array([v + k for v in x]).max()
    return items, total


@case((V,))
def handed_on(x):
    a = [v * 2 for v in x]
    b = [v + 1 for v in a]
    c = [p - q for p, q in zip(a, b, strict=False)]
    first, second, *rest = b
    grown = [1.0]
    grown.extend(v * 2 for v in x)
    grown += c
    return sum(c), np.dot(a, b), c, first, second, rest, grown, a, a, tuple(v for v in a), tuple(map(abs, a))


@case((V,))
def given_to_numpy(x):
    rows = [v * np.ones(3) for v in x]
    joined = np.stack(rows), np.vstack(rows), np.concatenate(rows), np.mean(rows, axis=0), np.array(rows).T
    return joined, np.array([v for v in x], dtype=np.float32), np.array([int(v) for v in x], dtype=np.int8)


@case((FLOATS,))
def searched(items):
    return items.index(3.5), 3.5 in items, items.count(3.5), items == items, items < [0.0], items == [v for v in items]


# ---- sorting ---------------------------------------------------------------------------------------------------------


@case((MANY,), (MANY_INTS,), ([v > 0 for v in MANY],), (MIXED,), (LARGE,), ([np.float32(v) for v in MANY],))
def in_order(items):
    return sorted(items), sorted(items, reverse=True)


@case((MANY,), (MANY_INTS,))
def in_order_by_a_key(items):
    by_pair = sorted(items, key=lambda v: (v > 0, -v)), sorted(items, key=lambda v: -v, reverse=True)
    return by_pair, sorted(items, key=abs, reverse=True), sorted(v * 2 for v in items)[:3], max(sorted(items)[5:9])


@case((MANY_INTS, MANY))
def tuples_in_order(a, b):
    pairs = list(zip(a, b, strict=False))
    ordered = sorted(pairs), sorted(pairs, key=lambda p: p[0]), sorted(pairs, key=lambda p: p[0], reverse=True)
    return ordered, sorted(pairs, key=lambda p: (-p[0], p[1])), [y for _, y in sorted(zip(a, b, strict=False))], pairs


@case((np.array(MANY),))
def places_in_order(x):
    places = list(range(50))
    places.sort(key=lambda k: (x[k], -k))
    return places, [x[k] for k in places], sorted(range(50), key=lambda i: x[i]), sorted(x), sorted(x.tolist())


@case((MANY,))
def in_order_in_place(items):
    other = items[:]
    items.sort()
    other.sort(reverse=True)
    other.sort(key=lambda v: v > 0)
    return items, other


@case((MANY,))
def known_ones_in_order(items):
    return sorted(["b", "a"] * 20), sorted([3, 1, 2] * 10), sorted({"b": items[0], "a": 2})


@case(([complex(v, 1) for v in MANY],))
def without_an_order(items):
    return sorted(items)


def test_nan_among_many_is_refused() -> None:
    for f in (lambda x: sorted(x), lambda x: sorted((v, 1) for v in x)):
        with pytest.raises(UnsupportedOperationError, match="NaN"):
            jit(f)([*MANY, float("nan")])


# ---- how much is built -----------------------------------------------------------------------------------------------


def _count(program) -> int:
    return sum(1 + sum(map(_count, e.programs())) for e in program.equations)


def of_rows(items):
    return np.array([np.sum(np.array([v, 2.0]) ** 2) for v in items]), [v + 1 for v in items]


def of_many(items):
    best = max(items), min(items), any(v > 5 for v in items), sum(v * w for v in items for w in items)
    return (
        best,
        [(v, w) for v, w in zip(items, reversed(items), strict=False)],
        sorted(items, key=lambda v: -v),
        list(map(abs, items)),
    )


def of_tables(items):
    table = [[v * w for v in items] for w in items]
    return np.array(table), [sum(r) for r in table], table[0][1]


def of_indices(items):
    total = 0
    for i, v in enumerate(items):
        total += items[i - 1] * v
    return total, items


@pytest.mark.parametrize("function", [of_rows, of_many, of_tables, of_indices], ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", [int, float, np.float32], ids=lambda k: k.__name__)
def test_what_is_built_does_not_grow_with_the_number_of_items(function, kind) -> None:
    programs = [jit(function).trace([kind(v) for v in range(n)]).program for n in (20, 60)]
    small, large = map(_count, programs)
    assert small == large < 200
    assert len(programs[0].inputs) == len(programs[1].inputs) == 1
    assert len(programs[0].outputs) == len(programs[1].outputs)


# ---- functions that read the target after its step -------------------------------------------------------------------


class Holder:
    def __init__(self, function):
        self.function = function


@case((3,))
def functions_share_the_target(n):
    return [f(2) for f in [lambda t: t * i for i in range(3)]], [
        f() for f in [lambda: (i, j) for i in (0, 1) for j in (2, 3)]
    ]


@case((V,))
def functions_share_an_item_of_an_array(x):
    return [f(2.0) for f in [lambda t: t * v for v in x[:4]]], sum(f() for f in (lambda: v for v in x[:4]))


@case((3,))
def functions_in_what_an_element_makes(n):
    kept = []
    [kept.append(lambda: v * 2) for v in range(4)]
    holders = [Holder(lambda: v + 1) for v in range(4)]
    return [f() for f in kept], [h.function() for h in holders], [f() for f, _ in [(lambda: v, v) for v in range(4)]]


@case((3,))
def generators_and_maps_share_the_target(n):
    rows = [(v * w for w in range(3)) for v in range(4)]
    maps = [map(lambda q: q + v, range(3)) for v in range(4)]
    return [list(row) for row in rows], [list(m) for m in maps]


@case((V,))
def functions_that_a_step_uses_up(x):
    return [min(x, key=lambda p: abs(p - v)) for v in x], [sum(map(lambda q: q * v, x)) for v in x]


@case((3,))
def functions_with_the_item_as_a_default(n):
    return [f() for f in [lambda i=i: i for i in range(3)]]


@case((V, 3))
def functions_called_where_they_stand(x, n):
    kept = [(lambda t: t + v)(1) for v in x if v < n]
    return kept, [[(lambda: v + w)() for w in x if w > v] for v in x], sum((lambda: i * n)() for i in range(n) if i % 2)


@case((3,))
def functions_that_called_functions_return(n):
    returned = [(lambda t: lambda: (t, v))(1) for v in range(3)]
    defaults = [(lambda f=lambda: v * n: f)() for v in range(3)]
    return [f() for f in returned], [f() for f in defaults]


def test_a_list_that_decides_a_shape_is_known() -> None:
    def made(items):
        return np.zeros(items[0]), sum(items)

    wrapped = jit(made)
    for items in ([2, *range(20)], [3, *range(20)]):
        want, got = made(items), wrapped(items)
        assert want[0].shape == got[0].shape
        assert want[1] == got[1]


@case((V, 5), (V, 0))
def rows_in_rows(v, n):
    log = []
    for k in range(n):
        log.append((v[k] * 2, k))
    first = next((i for i, (a, _) in enumerate(log) if a > 0), None)
    return first, any(a > b for i, (a, b) in enumerate(log)), [i + a for i, (a, _) in enumerate(log) if a < 1]


def test_explain_names_the_list() -> None:
    def repeated(items):
        total = 0
        for _ in range(items[0]):
            total += items[1]
        return total

    assert "items[0]" in str(jit(repeated).explain(list(range(3, 30))))


@pytest.mark.parametrize("program", case.programs)
def test_as_eager(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_as_eager_with_static_arguments(program: Program) -> None:
    program.check_static()

"""Tuples whose length is known only at run time: made of lists, as items of dicts and lists, made longer by loops."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.program_table import Program, Table

case = Table()
KEYS = np.array([3, 1, 3, 3, 5, 1])
IN_XLA = ("what_a_tuple_does", "replaced_items", "grown_in_a_loop", "in_order", "columns")


@case((KEYS,))
def of_lists_in_a_dict(keys):
    groups = defaultdict(list)
    for i, k in enumerate(keys):
        groups[k].append(i)
    return {k: tuple(v) for k, v in groups.items()}


@case((KEYS,))
def what_a_tuple_does(keys):
    t = tuple(x for x in keys if x > 2)
    u = tuple([x for x in keys if x < 4])
    first, second, third, last = t
    found = t == u, t != u, t == (3, 3, 3, 5), len(t), t[0], t[-1], t[1:3], t[::-1], 3 in t, isinstance(t, tuple)
    made = t + (1,), (0, 2) + t, t + u, t * 2, tuple(reversed(t)), list(t), np.array(t), (0, *t, 2, *u)  # noqa: RUF005
    numbers = sum(t), max(t), sorted(t), t.count(3), t.index(5), type(t) is tuple
    return found, made, numbers, (first, second, third, last), tuple(zip(t, u, strict=False))


@case((KEYS,))
def beside_arrays(keys):
    t, a = tuple(x for x in keys if x > 2), keys[:4]
    t += a
    u = tuple([x for x in keys if x > 2])
    return t, u * a, a - u, u == a, a == u, u != a, u < a, u * a[keys[:4] > 0], 2 * u, u * 2


@case((KEYS,), (KEYS[:2],))
def what_a_tuple_refuses(keys):
    t = tuple(x for x in keys if x > 2)
    found = []
    try:
        found.append(t[3])
    except IndexError as error:
        found.append(str(error))
    try:
        a, b = t
        found.append(a + b)
    except ValueError as error:
        found.append(str(error))
    return found, t.index(1)


@case((KEYS[:4],))
def replaced_items(keys):
    groups = {}
    for i, k in enumerate(keys):
        groups[k] = groups.get(k, ()) + (i,)  # noqa: RUF005
    return groups, {k: len(t) for k, t in groups.items()}


@case((KEYS[:4],))
def items_made_longer(keys):
    groups = defaultdict(tuple)
    for i, k in enumerate(keys):
        groups[k] = (*groups[k], i)
    return dict(groups)


@case((KEYS,), (KEYS[::-1],))
def grown_in_a_loop(keys):
    run, best = (), ()
    for k in keys:
        run = run + (k,) if k > 2 else ()  # noqa: RUF005
        if len(run) > len(best):
            best = run
    return run, best


@case((KEYS,))
def items_of_a_list(keys):
    rows = []
    for i in range(len(keys)):
        row = []
        for j in range(i):
            if keys[j] > 1:
                row.append(j)
        rows.append(tuple(row))
    return rows, [sum(r) for r in rows]


@case((KEYS,), (KEYS[::-1],))
def columns(keys):
    rows = [(i, k * 0.5) for i, k in enumerate(keys) if k > 2]
    places, sizes = zip(*rows)  # noqa: B905
    return places, sizes, [sum(c) / len(c) for c in zip(*rows)], list(map(list, zip(*rows)))  # noqa: B905


@case((KEYS,), (KEYS[::-1],))
def compared(keys):
    a, b = tuple(x for x in keys if x > 2), tuple(x for x in keys if x < 5)
    return a < b, a <= b, a > b, a >= b, a < (3,), (3, 4) < a, a < a[:2], a <= a[:4], max(a, b), min(a, (1, 2))


@case((KEYS[::-1],))
def in_order(keys):
    groups = defaultdict(list)
    for i, k in enumerate(keys):
        groups[k].append((i * k) % 7)
    tuples = {k: tuple(v) for k, v in groups.items()}
    by_tuple = sorted(tuples.items(), key=lambda item: item[1], reverse=True)
    return sorted(groups.values()), sorted(tuples.values(), reverse=True), by_tuple


@pytest.mark.parametrize("program", case.programs)
def test_tuples(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", [p for p in case.programs if p.values[0].function.__name__ in IN_XLA])
def test_tuples_without_native_loops(program: Program) -> None:
    assert repr(jit(program.function, native_loops=False)(*program.argsets[0])) == repr(
        program.function(*program.argsets[0])
    )


def test_columns_of_no_rows_are_refused() -> None:
    with pytest.raises(UnsupportedOperationError, match="which is empty"):
        jit(columns)(KEYS[:1] * 0)

"""Sets of known members that run-time conditions change, by themselves and as items of lists, dicts and objects."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
BOTH = ((np.array([1.0, -1.0, 2.0]),), (np.array([-1.0, 1.0, 0.5]),))
IN_XLA = ("of_texts_in_a_loop", "as_items_chosen_at_run_time")


@case(*BOTH)
def members_added_and_taken(a):
    s, t, u = set(), {1, 2, 3}, {(1, 2)}
    same = t
    if a[0] > 0:
        s.add(1)
        t.discard(2)
        u.add((3, 4))
    if a[1] > 0:
        s.update(["x", None])
        t.clear()
    copied = t.copy()
    if a[2] > 1:
        copied |= {7}
    return s, len(s), t, copied, t is same, 1 in s, u, (3, 4) in u, t < copied


@case(*BOTH)
def of_texts_in_a_loop(a):
    seen = set()
    for x in a:
        try:
            if x > 1.5:
                raise ValueError
            seen.add("pos" if x > 0 else "neg")
        except ValueError:
            seen.discard("pos")
    return seen, len(seen), "neg" in seen


class _Tagged:
    def __init__(self):
        self.tags = {"a"}


@case(*BOTH)
def of_an_object_and_of_an_argument(a, s=frozenset({5})):
    tagged, given = _Tagged(), set(s)
    if a[0] > 0:
        tagged.tags.add("b")
        given.add(6)
    return tagged.tags, given, "b" in tagged.tags


@case(*BOTH)
def as_items_chosen_at_run_time(a):
    rows, named = [set() for _ in range(3)], {"x": set(), "y": {9}}
    for x in a:
        rows[int(x) % 3].add(int(x))
        named["x" if x > 0 else "y"].add(int(x))
        if x > 1:
            named["x"].add(100)
    return rows, [len(row) for row in rows], named, 1 in rows[int(a[0]) % 3]


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.named(IN_XLA))
def test_without_native_loops(program: Program) -> None:
    program.check_in_xla()

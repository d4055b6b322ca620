"""Lists of run-time length in the order of the texts that they hold, by themselves and in tuples."""

from __future__ import annotations

import collections

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()
WORDS = ("pear", "fig", "apple", "kiwi", "fig2")
IN_XLA = ("words", "records")
VALUES = ((np.array([1.0, -1.0, 2.0, 7.0, 4.0, 3.0]),), (np.array([3.0, 3.0, 8.0, 8.0, 1.0]),))


@case(*VALUES)
def words(a):
    found = [WORDS[int(v) % 5] for v in a if v > 0]
    in_place = list(found)
    in_place.sort(reverse=True)
    by_length = sorted(found, key=len), sorted(found, key=lambda w: (len(w), w)), sorted(found, key=lambda w: w[-1])
    return sorted(found), in_place, by_length, max(found), min(found), sorted(set(found))


@case(*VALUES)
def words_of_branches(a):
    found, pairs = [], []
    for v in a:
        if v > 2:
            found.append("big")
            pairs.append((True, WORDS[int(v) % 5], v))
        else:
            found.append("mid" if v > 0 else "small")
            pairs.append((False, "none", 0.5))
    return sorted(found), sorted(pairs), sorted(pairs, key=lambda p: (p[1], -p[2]))


@case(*VALUES)
def keys_and_items_of_dicts(a):
    groups = {}
    for v in a:
        groups.setdefault(WORDS[int(v) % 5], []).append(int(v))
    counts = collections.Counter(WORDS[int(v) % 5] for v in a)
    by_count = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return sorted(groups), sorted(groups.items()), sorted(groups, key=lambda k: (-len(groups[k]), k)), by_count


@case(*VALUES)
def records(a):
    rows = [{"name": WORDS[int(v) % 5], "v": v} for v in a if v > 0]
    rows.sort(key=lambda row: (row["name"], row["v"]))
    return rows


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.named(IN_XLA))
def test_without_native_loops(program: Program) -> None:
    program.check_in_xla()


def test_texts_and_numbers_have_no_order() -> None:
    def f(a):
        found = []
        for v in a:
            found.append("up" if v > 2 else v)
        return sorted(found)

    for compiled in (f, jit(f)):
        with pytest.raises((TypeError, NotImplementedError)):
            compiled(VALUES[0][0])

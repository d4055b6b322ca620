"""Dicts that are read by tuples, objects and complex numbers known only at run time."""

from __future__ import annotations

from collections import Counter, namedtuple
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()

Pair = namedtuple("Pair", "x y")


@dataclass(frozen=True)
class Place:
    x: int
    y: int


class Size(Enum):
    SMALL = 1
    MEDIUM = 2
    LARGE = 3


NUMBERS = {(1, 2): 2, (2, 3): 3, (3, 4): 4}
KINDS = {(1, 2): 2, (2, 3): 3.5, (3, 4): 4}
TEXTS = {(1, 2): "a", (2, 3): "bb"}
KEYS = ((1, 2), (2, 3), (3, 4), (4, 5))


@case(*[(d, x, y) for d in (NUMBERS, KINDS, TEXTS) for x, y in KEYS])
def got_by_a_pair(d, x, y):
    return d.get((x, y))


@case(*[(d, x, y) for d in (NUMBERS, KINDS) for x, y in KEYS])
def got_by_a_pair_or_another(d, x, y):
    return d.get((x, y), 7)


@case(*[(x, y) for x, y in KEYS])
def weights_of_edges(u, v):
    weights = {(1, 2): 0.5, (2, 3): 1.5}
    total = 0.0
    for i in range(3):
        total += weights.get((u + i, v + i), 10.0)
    return total


@case(*[({(1, (2, 3)): 4, (2, (3, 4)): 5}, x, (x + 1, x + 2)) for x in (1, 2, 3)])
def tuples_in_tuples(d, x, pair):
    return d.get((x, pair), (0, 0))


@case((1, 2), (2, 3), (3, 3))
def keys_of_several_kinds(x, y):
    d = {(1, 2): 5, (2, 3): 6, 1: 7, "a": 8, (1, 2, 3): 9}
    return d.get((x, y)), d.get((x, y, y + 1)), d.get(x)


@case((1, 2), (2, 3), (3, 3))
def named_tuples_and_dataclasses(x, y):
    d = {Pair(1, 2): 5, Pair(2, 3): 6}
    e = {Place(1, 2): 5, Place(2, 3): 6}
    return d.get(Pair(x, y), -1), d.get((x, y)), e.get(Place(x, y), -1)


@case((1.0, 2.0), (2.0, 3.0), (3.0, 3.0))
def complex_keys(x, y):
    return {1 + 2j: 5, 2 + 3j: 6}.get(complex(x, y), -1)


@case((NUMBERS, 1, 2))
def keys_that_no_dict_has(d, x, y):
    return d.get((x, [y]), -1)


@case((NUMBERS, 1))
def lists_in_dicts(d, x):
    return [x] in d


@case((np.array([3.0, 1, 4, 1, 5, 9]),))
def members_of_an_enumeration(x):
    counts, seen = {}, set()
    for v in x:
        kind = Size.LARGE if v > 4 else Size.MEDIUM if v > 2 else Size.SMALL
        counts[kind] = counts.get(kind, 0) + 1
        seen.add((kind, int(v) % 2))
    return counts, counts[Size.SMALL], len(seen), Counter(Size.LARGE if v > 3 else Size.SMALL for v in x)


@pytest.mark.parametrize("program", case.programs)
def test_tuple_keys(program: Program) -> None:
    program.check()

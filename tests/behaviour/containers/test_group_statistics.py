"""Lists that are items of dicts of run-time keys, as arguments of NumPy's functions; such dicts in other displays."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
KEYS = np.array([1, 2, 1, 3])


def grouped(keys):
    groups = {}
    for k in keys:
        groups.setdefault(k, []).append(k * 2.0 + len(groups))
    return groups


@case((KEYS,), (KEYS[:0],))
def means(keys):
    return {k: np.mean(v) for k, v in grouped(keys).items()}


@case((KEYS,))
def functions_and_methods(keys):
    found = []
    for k, v in grouped(keys).items():
        found.append((k, np.median(v), np.array(v).std(), max(v), np.sort(v)[0], np.concatenate([v, v]).sum()))
    return found


@case((KEYS,))
def arrays_in_lists(keys):
    groups = {}
    for k in keys:
        groups.setdefault(k, []).append(np.arange(3.0) * k)
    return {k: np.mean(v, axis=0) for k, v in groups.items()}, {k: np.concatenate(v) for k, v in groups.items()}


@case((KEYS,), (KEYS[:0],))
def dicts_in_displays(keys):
    counted = {}
    for k in keys:
        counted[k] = {**counted.get(k, {}), 1: k}
    return counted


@case((KEYS, np.arange(8.0).reshape(4, 2)))
def rows_by_groups(keys, rows):
    groups, found = {}, []
    for i, k in enumerate(keys):
        groups.setdefault(k, []).append(i)
    for k, members in groups.items():
        found.append((rows[members].mean(axis=0), rows[members, 1].sum()))
        rows[members, 0] = k
    return found, rows


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()

"""`np.concatenate` and its like of lists of run-time length, whose items are arrays of several lengths."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.equivalence import check

LINE = np.array([1.0, -1.0, 2.0, 0.5, 3.0, -2.0, 4.0])
TABLE = np.arange(12.0).reshape(6, 2) % 5


def windows(a):
    parts = []
    for i in range(len(a)):
        if a[i] > 0:
            parts.append(a[i : i + 2])
    return np.concatenate(parts)


def runs(a):
    parts, start = [], 0
    for i in range(1, len(a)):
        if a[i] < a[i - 1]:
            parts.append(a[start:i] - a[start])
            start = i
    parts.append(a[start:] - a[start])
    return np.concatenate(parts), np.hstack(parts)


def rows(m):
    parts = []
    for i in range(len(m)):
        if m[i, 0] > 1:
            parts.append(m[: i + 1] * 2)
    return np.concatenate(parts), np.vstack(parts)


def chosen(a):
    parts = []
    for v in a:
        if v > 0:
            parts.append(np.array([v, v]) if v > 1 else np.array([v]))
    return np.concatenate(parts)


def columns(m):
    return list(zip(*[row for row in m if row[0] > 1], strict=False))


@pytest.mark.parametrize("function", [windows, runs, chosen])
@pytest.mark.parametrize("a", [LINE, LINE[::-1].copy(), -np.abs(LINE), LINE[:1]])
def test_lines(function, a) -> None:
    check(function, a)


@pytest.mark.parametrize("function", [rows, columns])
def test_rows(function) -> None:
    check(function, TABLE)


def test_several_dtypes_are_refused() -> None:
    def mixed(a):
        parts = []
        for v in a:
            if v > 0:
                parts.append(np.array([v, v]) if v > 1 else np.array([1]))
        return np.concatenate(parts)

    with pytest.raises(UnsupportedOperationError, match="one dtype"):
        jit(mixed)(LINE)

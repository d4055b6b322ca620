"""Dicts and sets as they are where their keys are known, and where they turned out not to be."""

from __future__ import annotations

from anabranch.transpile import stage_operators


def fixed(a, k):
    names = {"first": a[0], "rest": a[1:]}
    return names, {v for v in (1, 2)}, {v: k for v in "ab"}


def counted(a, k):
    seen, counts = {k, *a[:2]}, {k: 0, **a.names}
    for v in a:
        seen.add(v)
        counts[v] = counts.get(v, 0) + 1
    return seen, counts, {v for v in a if v > 0}, {v: i for i, v in enumerate(a) if v > k}


stage_operators(counted.__code__, "table")

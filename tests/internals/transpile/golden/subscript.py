"""Subscripts as they are where arrays alone are indexed, and where lists turned out to be."""

from __future__ import annotations

from anabranch.transpile import stage_operators


def arrays(a, i):
    a[i] += a[i - 1]
    return len(a)


def lists(items, d, i, k):
    items[i] += items[0]
    items[i][-1], d["name"] = d[k], i
    del d[k + 1]
    return len(items[1:])


def compared(items, x, y):
    if [x, 1] == items:
        return x < y
    return max((x, y), items)


stage_operators(lists.__code__, "subscript")
stage_operators(compared.__code__, "compare")

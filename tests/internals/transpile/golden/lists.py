"""Lists as they are where their length is known, and where it turned out not to be."""

from __future__ import annotations

from anabranch.transpile import stage_operators


def fixed(a, k):
    out = [k, k + 1]
    out.append(len(a))
    return out + [v if v > 0 else -v for v in a if 0 < v < 9]


def grown(a, k):
    out, (first, last) = [[], k], [1, 2]
    for v in a:
        if v > 0:
            out[0].append(v)
    return len(out), [v * k for v in out[0] if v > first if v < last], [v for row in out for v in row]


def starred(a, k, out):
    for v in a:
        if v > 0:
            out.append(v)
    return [*out, k], [k, *a, k + 1, *out]


stage_operators(starred.__code__, "list")
stage_operators(grown.__code__, "list")

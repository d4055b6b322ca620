"""The tables of an inspection: loops, copies, seconds of lines, suggestions; in the page and in the text."""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest

from anabranch import jit


def doubled(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] * 2.0
    return out


def total(x):
    s = 0.0
    for v in x:
        s += v
    return s


def running(x):
    for i in range(1, len(x)):
        x[i] = x[i - 1] * 0.5 + x[i]
    return x


def table(n):
    rows = []
    for i in range(n):
        row = np.full(3, i * 1.5)
        rows.append((row, i) if i % 2 else (row,))
    return rows


def grown(x):
    parts = ()
    for i in range(40):
        parts = (*parts, x * i + 1.0)
    return parts


def counted(x):
    k = 0
    while k < 9:
        x = x + k
        k += 1
    return x


def swapped(u, v, n):
    for _ in range(n):
        u, v = v, u + v
    return u, v


def nested(x):
    for _ in range(3):
        for i in range(len(x)):
            x[i] += 1.0
    return x


def line(function, words):
    """The number of the line of a function that has these words."""
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, text in enumerate(lines) if words in text)


def verdict(function, words, *args, **options):
    """The verdict on the loop of a function at the line with these words."""
    found = jit(function, **options).inspect(*args)
    return next(v for v in found.loops if v.place == (__file__, line(function, words)))


X = np.arange(500.0)


@pytest.mark.parametrize(
    ("function", "words", "options", "made", "vectorised"),
    [
        (doubled, "for i", {}, "machine code", "yes: "),
        (total, "for v", {}, "machine code", "no: a sum of floats depends on the order"),
        (total, "for v", {"fastmath": ("reassoc",)}, "machine code", "yes: "),
        (running, "for i", {}, "machine code", "no: "),
        (nested, "for _", {}, "machine code", "no: only loops without others in them"),
        (nested, "for i", {}, "machine code", "yes: "),
        (doubled, "for i", {"native_loops": False}, "XLA's loop", "no: XLA runs one step after the other"),
        (grown, "for i", {}, "unrolled", ""),
        (counted, "while", {}, "run while tracing", ""),
    ],
)
def test_what_loops_are_made_of(function, words, options, made, vectorised):
    found = verdict(function, words, X, **options)
    assert (found.made, found.loop) == (made, words.split()[0])
    assert found.vectorised.startswith(vectorised)
    assert bool(found.vectorised) == bool(vectorised)


def test_where_llvm_cannot_be_asked(monkeypatch):
    monkeypatch.setattr(sys, "executable", "")
    assert verdict(doubled, "for i", X).vectorised == "LLVM cannot be asked here"


def test_which_arrays_are_copied_at_each_step():
    def copies(**options):
        return jit(swapped, **options).inspect(np.ones(500), np.zeros(500), 9).copies

    for found in (copies(), copies(native_loops=False)):
        (copy,) = found
        assert copy.loop == (__file__, line(swapped, "for _"))
        assert copy.nbytes == 4000
    assert copies()[0].why == "arrays change places from step to step"
    assert jit(doubled).inspect(X).copies == jit(doubled, native_loops=False).inspect(X).copies == ()


def test_seconds_of_lines():
    found = jit(grown).inspect(X)
    by_line = {cost.place[1]: cost for cost in found.lines}
    slow = by_line[line(grown, "parts, x * i")]
    seconds = dict(row[:2] for row in found.times)
    assert slow.tracing == max(cost.tracing for cost in found.lines)
    assert 0 < sum(cost.tracing for cost in found.lines) <= seconds["tracing"]
    assert slow.lowering > 0 < slow.instructions
    compiling = [cost.compiling for cost in found.lines if cost.compiling is not None]
    assert sum(compiling) == pytest.approx(found.times[-1].seconds) if compiling else found.times[-1].note


def test_nothing_is_measured_without_an_inspection(monkeypatch):
    monkeypatch.setattr("anabranch.runtime.ir.line_times.LineTimes.tick", None)
    assert jit(total)(X) == total(X)

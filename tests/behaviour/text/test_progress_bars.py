"""Progress bars of tqdm and rich in compiled functions: the last that is shown, at each call, however the loop ends."""

from __future__ import annotations

import contextlib
import io
import re
import time

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from anabranch.runtime.api.jitted import Wrapped
from tests.behaviour.text.shown_bars import check, shown
from tests.program_table import Table

pytest.importorskip("tqdm")
from tqdm import auto, tqdm, trange

case = Table()
X = np.arange(10.0)


@case((X, 10), (X, 0), (X, 13))
def over_a_range(x, n):
    s = 0.0
    for i in tqdm(range(n), desc="adding"):
        s += x[i]
    return s


@case((X,), (X[:3],))
def left_or_returned_from(x):
    s = 0.0
    for v in tqdm(x, desc="first"):
        if v > 6:
            break
        s += v
    for i, v in enumerate(tqdm(x, desc="second")):
        if v > 3:
            return i + s
    return s


@case((X, 4), (X, 30))
def raises_or_catches(x, n):
    s = 0.0
    try:
        for i in trange(n, desc="caught"):
            s += x[i]
    except IndexError:
        s = -1.0
    try:
        with tqdm(total=n, desc="by hand") as bar:
            for i in range(n):
                s += x[i]
                bar.update()
    except IndexError:
        s = -2.0
    for i in auto.trange(12, desc="failing"):
        if x[i] > n:
            raise ValueError(f"at {i}")
        s += x[i]
    return s


@case((X, 3), (X, 0))
def nested(x, n):
    s = 0.0
    for i in tqdm(range(n), desc="outer"):
        for j in tqdm(range(i), desc=f"inner of {i}", leave=False):
            s += x[j]
        if i == 1:
            tqdm.write(f"s={s}", file=None)
    for v in tqdm(x[x > n], desc="run-time size"):
        s += v
    for a, b in zip(tqdm(x), range(n), strict=False):
        s += a * b
    return s


@case((X, 3))
def over_objects_and_generators(x, n):
    def halves(x):
        for v in x:
            yield v / 2

    s = 0.0
    for v in tqdm([1, 2.5, "abc"], desc="constants"):
        s += len(str(v)) + x[0]
    for part in tqdm([{"a": 1}, (x, 2), []], desc="objects"):
        s += len(part)
        if s + x[1] > n:
            break
    for v in tqdm(halves(x), desc="generator"):
        if v > n:
            break
        s += v
    for v in tqdm(halves(x), total=len(x), desc="whole generator"):
        s += v
    return s + sum(v for v in tqdm(x, desc="sum")) + sum(tqdm(halves(x), desc="sum of a generator"))


@case((X, 3))
def comprehensions(x, n):
    a = [v * 2 for v in tqdm(x, desc="list")]
    b = {k: x[k] for k in tqdm(range(n), desc="dict")}
    c = any(v > n for v in tqdm(x, desc="any"))
    return a, b, c, list(tqdm(range(n), desc="range")), tuple(v for v in tqdm([1, 2], desc="tuple")), len(tqdm(x))


@case((X, 7))
def moved_by_hand(x, n):
    s = 0.0
    with tqdm(total=n, desc=f"n={n}", initial=1) as bar:
        for i in range(n):
            s += x[i]
            bar.update()
            if x[i] > 3:
                bar.update(2)
    other = tqdm(total=20)
    while other.n < n:
        other.update(2)
        if other.n == 4:
            other.set_postfix(s=s, n=n)
    other.set_description("described")
    other.close()
    left = tqdm(total=n, desc="left open")
    for _ in range(n - 1):
        left.update(True)
    return s, other.n, other.total, left.n


@case((X, 3))
def made_in_a_loop(x, n):
    s = 0.0
    for k in range(n):
        bar = tqdm(total=3, desc=f"{k}")
        for v in x[:3]:
            s += v
            if v > 0:
                bar.update()
        if k == 1:
            bar.close()
            continue
        bar.close()
    return s


@case((X, 2))
def reset_and_set(x, n):
    bar = tqdm(total=100)
    for i in range(n):
        bar.reset(total=10 * (i + 1))
        for _ in x[: i + 3]:
            bar.update()
        bar.refresh()
    bar.n = 17
    bar.close()
    return bar.n


@case((X, True), (X, False))
def disabled_or_not(x, off):
    s = 0.0
    for v in tqdm(x, disable=off, unit="m"):
        s += v
    for v in tqdm(x, desc="always"):
        s += v
    return s


@case((X, 4))
def as_in_training(x, n):
    s = 0.0
    for _ in trange(n, position=0, desc="epochs"):
        for i, (a, b) in enumerate(tqdm(zip(x, x[::-1], strict=True), total=len(x), position=1, leave=False)):
            s += a * b * i
    steps = trange(n, desc="steps")
    for i in steps:
        steps.set_description(f"step {i}")
        steps.set_postfix(loss=s, text=f"{s:.2e}")
    pairs = tqdm(enumerate(x), desc="pairs", ascii=True)
    pairs.total = n + 2
    for i, v in pairs:
        if i > n:
            break
        s += v
    pairs.close()
    for v in tqdm(map(abs, x), disable=True):
        s += v
    return s


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.function.__name__)
def test_bars(program):
    check(program.function, *program.argsets)


@pytest.mark.parametrize("function", [over_a_range, raises_or_catches], ids=lambda f: f.__name__)
def test_without_machine_code(function):
    assert shown(jit(function, native_loops=False), (X, 13)) == shown(function, (X, 13))


def test_a_run_that_begins_anew_with_larger_buffers():
    def grows(x, n):
        out = []
        for _ in tqdm(range(3), desc="before"):
            out.append(x[0])
        for i in tqdm(range(n), desc="growing"):
            for k in range(i):
                out.append(k * x[0])
        return len(out), sum(out)

    check(grows, (X, 3), (X, 60), (X, 4))


def test_rich_track():
    track = pytest.importorskip("rich.progress").track
    console = __import__("rich.console").console.Console(stderr=True, width=70)

    def tracked(x, n):
        s = 0.0
        for v in track(x, "going", console=console):
            s += v
            if s > n:
                break
        for v in track(range(n), "all", console=console, transient=False):
            s += v
        return s

    check(tracked, (X, 20))


def test_it_moves_while_machine_code_runs():
    def long(x, n):
        s = 0.0
        for i in tqdm(range(n), mininterval=0.01):
            s += x[i % 10]
        return s

    compiled = jit(long)
    compiled(X, 10)
    written = io.StringIO()
    n = 30_000_000
    with contextlib.redirect_stderr(written):
        begin = time.perf_counter()
        compiled(X, n)
        taken = time.perf_counter() - begin
    states = [int(found) for found in re.findall(rf"(\d+)/{n}", written.getvalue())]
    assert states == sorted(states)
    assert states[-1] == n
    assert len(set(states)) > 2 or taken < 0.3
    assert "loop: machine code" in str(compiled.explain(X, n))


def test_the_class_of_the_user():
    class Counting(tqdm):
        made = 0

        def __init__(self, *args, **kwargs):
            type(self).made += 1
            super().__init__(*args, **kwargs)

    def loop(x):
        s = 0.0
        for v in Counting(x):
            s += v
        return s

    compiled: Wrapped = jit(loop)
    for _ in range(3):
        compiled(X)
    assert Counting.made == 3


def test_refusals():
    def updates_by_floats(x):
        bar = tqdm(total=3)
        bar.update(x[0])
        return x

    def asks_for_what_is_not_there(x):
        return tqdm(x).format_dict

    def sets_what_is_not_seen(x):
        bar = tqdm(x)
        bar.leave = False
        return x

    def describes_by_an_attribute(x):
        bar = tqdm(x)
        bar.desc = "x"
        return x

    def shows_in_a_file_of_its_own(x):
        return sum(tqdm(x, file=io.StringIO()))

    for function, message in (
        (updates_by_floats, "takes an int"),
        (asks_for_what_is_not_there, "format_dict of a progress bar is not supported"),
        (sets_what_is_not_seen, "leave of a progress bar is set"),
        (describes_by_an_attribute, "call set_description"),
        (shows_in_a_file_of_its_own, "make it outside"),
    ):
        with pytest.raises(UnsupportedOperationError, match=message):
            jit(function)(X)

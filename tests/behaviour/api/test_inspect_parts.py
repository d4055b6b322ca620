"""The tables of an inspection: loops, copies, seconds of lines, suggestions; in the page and in the text."""

from __future__ import annotations

import inspect
import io
import sys

import numpy as np
import pytest

import anabranch
from anabranch import jit
from anabranch.__main__ import main
from tests.behaviour.api.test_inspect import Page


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


@anabranch.host
def looked_up(v) -> float:
    return float(v) * 2.0


def on_the_host(x):
    s = 0.0
    for v in x:
        if v < LIMIT:
            s += looked_up(v)
    return s


def growing(v):
    found = []
    while v < 600.0:
        found.append(v)
        v = v + 1.0
    return np.array(found)


def sized(n):
    out = np.zeros(n)
    out[0] = 1.0
    return out


def smoothed(x, n):
    for _ in range(n):
        y = np.zeros_like(x)
        for i in range(1, len(x) - 1):
            y[i] = 0.5 * x[i - 1] + 0.5 * x[i + 1]
        x = y
    return x


LIMIT = 3.0
X = np.arange(500.0)


@pytest.fixture
def llvm_is_not_asked(monkeypatch):
    """A process of its own takes its time."""
    monkeypatch.setattr(sys, "executable", "")


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
    found = verdict(function, words, X[:5] if made == "unrolled" else X, **options)
    assert (found.made, found.loop) == (made, words.split()[0])
    assert found.vectorised.startswith(vectorised)
    assert bool(found.vectorised) == bool(vectorised)


@pytest.mark.usefixtures("llvm_is_not_asked")
def test_where_llvm_cannot_be_asked():
    assert verdict(doubled, "for i", X).vectorised == "LLVM cannot be asked here"


@pytest.mark.usefixtures("llvm_is_not_asked")
def test_which_arrays_are_copied_at_each_step():
    def the_copy(function, *args, **options):
        (copy,) = jit(function, **options).inspect(*args).copies
        assert copy.loop == (__file__, line(function, "for _"))
        assert copy.nbytes == 4000
        return copy.why

    pair = np.ones(500), np.zeros(500), 9
    assert the_copy(smoothed, np.ones(500), 3) == "the next step has it under another name"
    assert the_copy(swapped, *pair, native_loops=False) == "arrays change places from step to step"
    assert jit(swapped).inspect(*pair).copies == jit(doubled).inspect(X).copies == ()


@pytest.mark.usefixtures("llvm_is_not_asked")
def test_seconds_of_lines():
    found = jit(grown).inspect(X[:5])
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


def called(function, *calls, **options):
    """A jitted function that has been called with each of these arguments."""
    compiled = jit(function, **options)
    for args in calls:
        compiled(*args)
    return compiled


@pytest.mark.parametrize(
    ("compiled", "args", "words", "what", "why", "write"),
    [
        (lambda: jit(grown), (X[:5],), "for i", "unrolled 40 times", "size of a container", "fill an array"),
        (lambda: jit(total), (X,), "for v", "not vectorised", "in Python's order", 'fastmath=("reassoc",)'),
        (
            lambda: jit(total, native_loops=False),
            (X,),
            "for v",
            "a loop of XLA's",
            "native_loops, which is off",
            "leave native_loops on",
        ),
        (
            lambda: jit(on_the_host),
            (X[:4],),
            "looked_up(v)",
            "called on the host at each step",
            "goes through Python",
            "before or after the loop",
        ),
        (
            lambda: called(growing, (1.0,)),
            (1.0,),
            "while",
            "had room for 2048 elements",
            "nothing bounds it",
            "capacity=2048",
        ),
        (lambda: called(total, (X,), (X[1:],), (X[2:],)), (X,), "", "compiled 3 times", "x comes in ever", "pad x"),
        (lambda: called(sized, (2,), (3,), (4,)), (2,), "", "compiled 3 times", "n is compiled in", "depend on n"),
        (lambda: called(total, (X,), (X.astype("f"),), (X.astype(int),)), (X,), "", "compiled", "several types", "one"),
    ],
)
def test_suggestions(monkeypatch, compiled, args, words, what, why, write):
    if "vectorised" not in what:
        monkeypatch.setattr(sys, "executable", "")  # LLVM need not be asked
    function = compiled()
    found = function.inspect(*args).suggestions
    shown = [s for s in found if what in s.what and why in s.why and write in s.write]
    assert len(shown) == 1, found
    if words:
        assert shown[0].place == (__file__, line(function.__wrapped__, words))


@pytest.mark.usefixtures("llvm_is_not_asked")
def test_what_changed_outside_is_a_suggestion(monkeypatch):
    compiled = called(on_the_host, (X[:4],))
    monkeypatch.setitem(globals(), "LIMIT", 5.0)
    compiled(X[:4])
    assert any("pass LIMIT as an argument" in s.write for s in compiled.inspect(X[:4]).suggestions)


@pytest.mark.usefixtures("llvm_is_not_asked")
def test_nothing_is_suggested_where_all_is_well():
    assert called(doubled, (X,), (X[1:],)).inspect(X).suggestions == ()


def test_the_page_and_the_text_have_the_parts():
    found = jit(smoothed).inspect(X, 3)
    page, text = Page(found.html), str(found)
    for title in ("Suggestions: 1", "Loops: 2", "Copied at each step", "Seconds of each line before it runs"):
        assert title in found.html
        assert f"\n{title}\n" in text
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert "yes: " in found.html
    assert f"\n  test_inspect_parts.py:{line(smoothed, 'x = y')}: x: copied at each step\n" in text


@pytest.mark.usefixtures("llvm_is_not_asked")
def test_rich_shows_the_text_in_colours(capsys, monkeypatch, tmp_path):
    console = pytest.importorskip("rich.console")
    found = jit(doubled).inspect(X)
    made = console.Console(file=io.StringIO(), force_terminal=True, width=60)
    made.print(found, soft_wrap=True)
    shown = made.file.getvalue()
    assert "\x1b[1m" in shown
    path = tmp_path / "functions.py"
    path.write_text(f"import numpy as np\n\n\n{inspect.getsource(doubled)}")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert main(["inspect", f"{path}:doubled", "np.ones(3)"]) == 0
    assert capsys.readouterr().out.startswith("\x1b[1mdoubled(x: float64[3])")

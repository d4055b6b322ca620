"""`anabranch.profile()`, and what profiles write: flame graphs without scripts, and traces in Chrome's format."""

from __future__ import annotations

import inspect
import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import anabranch
from anabranch import jit
from anabranch.__main__ import main
from anabranch.runtime.api.inspection.flame_graph import Frame
from anabranch.runtime.api.inspection.profile import line_frames
from anabranch.runtime.host import sampler

sampled = pytest.mark.skipif(bool(sampler.obstacle()), reason="no samples can be taken here")


def sums(x, n):
    s = 0.0
    for v in x:
        for k in range(n):
            s += v * k % 7.0
    return s


def check_trace(written):
    """Assert that a trace is one: complete events, each within the one around it; gives them."""
    trace = json.loads(written)
    assert set(trace) == {"traceEvents", "displayTimeUnit"}
    assert trace["displayTimeUnit"] in ("ms", "ns")
    named, *events = trace["traceEvents"]
    assert (named["ph"], named["name"]) == ("M", "process_name")
    stacks: dict[int, list[float]] = {}
    for event in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
        assert event["ph"] == "X"
        assert isinstance(event["name"], str)
        assert {type(event[key]) for key in ("pid", "tid")} == {int}
        assert event["ts"] >= 0
        assert event["dur"] >= 0
        ends = stacks.setdefault(event["tid"], [])
        while ends and ends[-1] <= event["ts"] + 0.01:
            ends.pop()
        assert not ends or event["ts"] + event["dur"] <= ends[-1] + 0.01
        ends.append(event["ts"] + event["dur"])
    return events


def check_page(written):
    """Assert that a page needs nothing else; gives the bars: left, width and title of each."""
    assert "<script" not in written
    assert "http" not in written.replace("http://www.w3.org/2000/svg", "")
    picture = ElementTree.fromstring(written[written.index("<svg") : written.index("</svg>") + 6])
    space = "{http://www.w3.org/2000/svg}"
    bars = []
    for group in picture.findall(f"{space}g"):
        box, title = group.find(f"{space}rect"), group.find(f"{space}title")
        assert box is not None
        assert title is not None
        bars.append((float(box.attrib["x"]), float(box.attrib["width"]), title.text))
    assert bars
    assert all(0 <= left and left + width <= 1200.1 for left, width, _ in bars)
    return bars


def test_lines_lie_in_the_statements_around_them():
    _, first = inspect.getsourcelines(sums)
    times = {
        (__file__, first + 2): 0.25,
        (__file__, first + 3): 0.5,
        (__file__, first + 4): 2.0,
        (__file__, first): 1.0,
    }
    (function,) = line_frames(times.items())
    assert function.name == f"{first}: def sums(x, n):"
    assert function.seconds == 3.75
    (outer,) = function.children
    (inner,) = outer.children
    assert (outer.seconds, inner.seconds) == (2.75, 2.5)
    assert inner.children == (Frame(f"{first + 4}: s += v * k % 7.0", 2.0),)


@sampled
def test_a_profile_writes_files(tmp_path):
    x = np.linspace(0, 1, 5000)[::-1]
    found = jit(sums).profile(x, 20, seconds=0.2)
    page = found.flame_graph(tmp_path / "flame.html")
    assert (tmp_path / "flame.html").read_text() == page
    titles = [title for *_, title in check_page(page)]
    assert titles[0].startswith("sums(x: float64[5000] of strides (-8,), n: Python int)")
    assert any("for k in range(n):" in title for title in titles)
    events = check_trace(found.chrome_trace(tmp_path / "trace.json"))
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"][1:] == events
    assert events[0]["dur"] == pytest.approx(found.seconds * 1e6, rel=1e-3)
    assert found.memory.arguments == x.nbytes + 8
    assert found.memory.results == 12  # a number, and of which kind it is
    assert found.memory.copied == ("x (not C-contiguous)",)
    assert str(found).endswith("copied: x (not C-contiguous)")
    pytest.importorskip("rich")
    assert found.__rich__().plain == str(found)


def test_memory_of_writes():
    def fill(a, k):
        for i in range(len(a)):
            a[i] = i
        return a[k]

    def shift(a):
        for i in range(len(a)):
            a[i] += 1.0

    def whole(a):
        return np.tanh(a @ a) @ a

    a = np.zeros((100, 100))
    if not sampler.obstacle():
        assert jit(fill).profile(a[0], 3, seconds=0.001).memory.copied == ()  # so few are put back after a failure
        assert jit(fill).profile(a.ravel(), 3, seconds=0.001).memory.copied == (
            "1 changed array back into the caller's memory",
        )
        assert jit(shift).profile(a[0], seconds=0.001).memory.copied == ()
    found = jit(whole).profile(a, seconds=0.001).memory
    assert (found.results, found.copied) == (a.nbytes, ())
    assert found.temporary is not None
    assert found.temporary >= a.nbytes


def test_all_calls_in_a_block(tmp_path):
    @jit
    def inner(x):
        return x * 2

    @jit
    def outer(x):
        return inner(x).sum()

    class Model:
        @jit
        def run(self, x):
            return x + 1

    before = type(inner).__call__
    x = np.ones(3)
    with anabranch.profile() as found, anabranch.profile() as same:
        for _ in range(3):
            outer(x)
        inner(x)
        Model().run(x)
        with pytest.raises(TypeError):
            inner()
    outer(x)
    assert type(inner).__call__ is before
    rows = {name.rpartition(".")[-1]: (calls, compiling > 0) for name, calls, _, compiling in found.rows()}
    assert rows == {"outer": (3, True), "inner": (2, True), "run": (1, True)}
    assert len(same.rows()) == 3
    assert "outer" in str(found)
    assert "outer" in found._repr_html_()
    names = [event["name"] for event in check_trace(found.chrome_trace())]
    assert sum(name.endswith("outer") and " " not in name for name in names) == 3
    assert sum(name.startswith("trace ") for name in names) == 3
    check_page(found.flame_graph(tmp_path / "flame.html"))


@sampled
def test_command(tmp_path, capsys):
    path, page, trace = tmp_path / "functions.py", tmp_path / "flame.html", tmp_path / "trace.json"
    path.write_text(inspect.getsource(sums))
    options = ["--seconds", "0.01", "--flame", str(page), "--trace", str(trace)]
    assert main(["profile", f"{path}:sums", "np.ones(900)", "3", *options]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [f"{page} has the flame graph", f"{trace} has the trace"]
    check_page(page.read_text())
    check_trace(trace.read_text())
    assert main(["profile", f"{path}:sums", "np.ones(9)", "3", "--trace", str(tmp_path)]) == 2
    assert "can't be written" in capsys.readouterr().err

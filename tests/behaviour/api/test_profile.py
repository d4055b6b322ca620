"""`f.profile`: how long each line takes, by samples of machine code and by XLA's times of its ops."""

from __future__ import annotations

import inspect
import signal

import numpy as np
import pytest

from anabranch import jit
from anabranch.__main__ import main
from anabranch.runtime.errors import UnsupportedValueError
from anabranch.runtime.host import sampler

sampled = pytest.mark.skipif(bool(sampler.obstacle()), reason="no samples can be taken here")


def slow_line(x, n):
    s = 0.0
    t = 0.0
    for v in x:
        s += v
        for k in range(n):
            t += s * k % 7.0
    return s, t


def whole_arrays(x, n):
    y = np.zeros(3)
    for _ in range(n):
        x = np.tanh(x) + np.sin(x) * 0.5
    return y + x[:3]


def line_of(function, words):
    lines, first = inspect.getsourcelines(function)
    return next(first + k for k, line in enumerate(lines) if words in line)


@sampled
def test_samples_of_machine_code():
    before = signal.getsignal(signal.SIGPROF)
    found = jit(slow_line).profile(np.linspace(0, 1, 5000), 20, seconds=0.3)
    assert signal.getsignal(signal.SIGPROF) == before
    most = max(found.lines, key=lambda line: line.share)
    assert most.place == (__file__, line_of(slow_line, "% 7.0"))
    assert most.code == "            t += s * k % 7.0"
    assert most.share > 0.4
    assert 0 <= found.around < 0.6
    assert found.measured.endswith("samples of machine code")


def test_times_of_xla():
    found = jit(whole_arrays).profile(np.ones(400_000), 20, seconds=0.2)
    most = max(found.lines, key=lambda line: line.share)
    assert most.place == (__file__, line_of(whole_arrays, "np.tanh(x)"))
    assert most.share > 0.3
    assert sum(line.share for line in found.lines) <= 1.0 + 1e-9
    assert found.measured.startswith("XLA's times of ")


def test_text_and_html():
    found = jit(whole_arrays).profile(np.ones(400_000), 20, seconds=0.01)
    head, columns, *rows = str(found).splitlines()
    assert head.startswith("whole_arrays(x: float64[400000], n: Python int): ")
    assert columns.split() == ["share", "time", "│", "line"]
    assert rows[-2].endswith("around the compiled code")
    assert rows[-1].startswith("memory: 3.2 MB of arguments")
    assert any("np.tanh(x)" in row for row in rows)
    assert "np.tanh(x)" in found._repr_html_()


@sampled
def test_arguments_stay_and_exceptions_come_out():
    def fill(a, k):
        for i in range(len(a)):
            a[i] = a[i] + 1.0
        return a[k]

    a = np.zeros(100)
    assert jit(fill).profile(a, 3, seconds=0.01).calls >= 1
    assert a.tolist() == [0.0] * 100
    with pytest.raises(IndexError, match="100"):
        jit(fill).profile(a, 100, seconds=0.01)


class Model:
    def __init__(self):
        self.steps = 0

    @jit
    def step(self, x):
        while x > 1.0:
            x = x * 0.5
            self.steps += 1
        return x


@sampled
def test_methods_and_static_arguments():
    model = Model()
    assert model.step.profile(4.0, seconds=0.01).function == "Model.step"
    assert model.steps == 0
    assert jit(slow_line, static_argnames="n").profile(np.ones(3), n=2, seconds=0.01).calls >= 1


def test_where_nothing_can_be_sampled(monkeypatch):
    monkeypatch.setattr(sampler, "obstacle", lambda: "there is no clock")
    with pytest.raises(UnsupportedValueError, match="there is no clock; jit"):
        jit(slow_line).profile(np.ones(3), 2, seconds=0.01)
    found = jit(slow_line, native_loops=False).profile(np.ones(3), 2, seconds=0.01)
    assert found.measured.startswith("XLA")


@sampled
def test_command(tmp_path, capsys):
    path = tmp_path / "functions.py"
    path.write_text(inspect.getsource(slow_line))
    assert main(["profile", f"{path}:slow_line", "np.ones(9)", "3", "--seconds", "0.01"]) == 0
    assert capsys.readouterr().out.startswith("slow_line(x: float64[9], n: Python int): ")
    assert main(["profile", f"{path}:slow_line", "1.0", "3"]) == 2
    assert "raises TypeError" in capsys.readouterr().err


TABLE = np.arange(5.0)


@sampled
def test_arrays_from_outside():
    def sorted_and_added(x):
        return np.sort(x)[:5] + TABLE

    for native in (True, False):
        found = jit(sorted_and_added, native_loops=native).profile(np.arange(10.0), seconds=0.05)
        assert found.calls

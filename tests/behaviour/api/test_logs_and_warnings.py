"""Reports of compilations: logs, warnings, progress, and files."""

from __future__ import annotations

import io
import itertools
import logging
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import anabranch
from anabranch import jit
from anabranch.runtime.config import configure
from anabranch.runtime.xla import disk_cache

RATE = 2.0
TABLE = {"a": 1.0, "rows": [1, 2]}


def helper(x):
    return x * RATE


@pytest.fixture
def explained(caplog):
    """The lines of the log on compilations, with explanations."""
    caplog.set_level(logging.WARNING, "anabranch")
    with configure(explain_cache_misses=True):
        yield lambda: [r.getMessage() for r in caplog.records if "is compiled for" in r.getMessage()]


# ---- what a call misses --------------------------------------------------------------------------------------------


def test_only_what_differs_is_told(explained):
    f = jit(lambda x, rows, n=1: x + rows["a"] + n)
    f(np.ones(3), {"a": np.ones(3)})
    f(np.ones((2, 3)), {"a": np.ones(3)}, n=2)
    f(np.ones((2, 3)), {"a": np.ones(3, "f4")}, n=3)
    assert explained()[0].endswith("it was not compiled before")
    last = explained()[-1].partition("; ")[2]
    assert last == (
        "of the signatures before, the closest differs in 1 argument: rows['a'] is float32[3], was float64[3]"
    )


def test_a_global_that_has_changed(explained, monkeypatch):
    f = jit(lambda x: helper(x) + TABLE["a"] + TABLE["rows"][0])
    f(1.0)
    monkeypatch.setitem(globals(), "RATE", 3.0)
    assert f(1.0) == 5.0
    assert explained()[-1].endswith(f"since then this has changed: RATE in {__name__} is 3.0, was 2.0")
    monkeypatch.setitem(TABLE, "a", 5.0)
    TABLE["rows"][0] = 7
    assert f(1.0) == 15.0
    TABLE["rows"][0] = 1
    assert explained()[-1].endswith(
        f"changed: TABLE['a'] in {__name__} is 5.0, was 1.0; TABLE['rows'][0] in {__name__} is 7, was 1"
    )


def test_a_cell_an_attribute_and_a_function_that_have_changed(explained):
    class Model:
        def __init__(self):
            self.bias = 1.0

        def apply(self, x):
            return x + self.bias

    model, step = Model(), 1

    def inner(x, scale=2):
        return x * scale

    @jit
    def f(x):
        return inner(x) + step + model.apply(x)

    f(1)
    step = 10
    assert f(1) == 14.0
    assert re.search(r"changed: step in the closure of .*f is 10, was 1$", explained()[-1])
    model.bias = 5.0
    assert f(1) == 18.0
    assert re.search(r"changed: model\.bias in the closure of .*f is 5.0, was 1.0$", explained()[-1])
    inner.__defaults__ = (3,)
    assert f(1) == 19.0
    assert re.search(r"changed: the function .*inner has other defaults$", explained()[-1])
    Model.apply = lambda self, x: x
    assert f(1) == 14
    assert re.search(r"changed: .*the class .*Model has another apply", explained()[-1])


def test_what_had_to_make_room(explained):
    f = jit(lambda x: x + 1)
    with configure(cache_size=1):
        for x in (1, 1.0, 1):
            f(x)
    assert explained()[-1].endswith("its executable for this signature had made room for others: cache_size is 1")


def test_a_warning_where_the_call_stands():
    f = jit(lambda x: x + 1, compile_warning=2)
    f(1)
    with pytest.warns(UserWarning, match=r"was compiled 2 times; .* x is Python float, was Python int") as found:
        f(1.0)
    assert Path(found[0].filename).name == Path(__file__).name


@pytest.mark.parametrize("compiler", ["XLA", "LLVM"])
def test_how_long_each_stage_took(caplog, tmp_path, compiler):
    caplog.set_level(logging.DEBUG, "anabranch")
    with configure(log_compiles=True, cache_dir=tmp_path):
        for _ in range(2):
            jit(lambda x: x * 17 + 3, native_loops=compiler == "LLVM")(1)
    first, second = (r for r in caplog.records if "was traced in" in r.getMessage())
    assert re.search(rf"traced in \d+ ms, lowered in \d+ ms and compiled by {compiler} in \d+ ms", first.getMessage())
    assert "found on disk" in second.getMessage()
    assert {first.name, second.name} == {"anabranch.compiles"}


SILENT = """
import numpy as np
from anabranch import jit, configure
f = jit(lambda x, n: x * n if n > 2 else x)
for n in (1, 2.0, np.float32(3)):
    f(np.ones(3), n)
"""


def test_nothing_is_printed(tmp_path):
    """Not even where the cache's folder is a file, and the folder of texts, too; but what is asked for is."""
    (tmp_path / "file").write_text("")
    (tmp_path / "program.py").write_text(SILENT)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ANABRANCH")}
    environment |= {"ANABRANCH_CACHE_DIR": str(tmp_path / "file"), "ANABRANCH_DUMP_DIR": str(tmp_path / "file")}
    environment["PYTHONPATH"] = str(Path(anabranch.__file__).parents[1])

    def run(**more):
        command = [sys.executable, tmp_path / "program.py"]
        return subprocess.run(command, env={**environment, **more}, capture_output=True, text=True)

    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = run(ANABRANCH_LOG_COMPILES="1")
    assert (done.returncode, done.stdout, done.stderr.count("is compiled for")) == (0, "", 3)


# ---- progress ------------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def slow(monkeypatch):
    """LLVM takes half a second longer."""
    plain = disk_cache.compile_llvm
    monkeypatch.setattr(disk_cache, "compile_llvm", lambda *a: time.sleep(0.5) or plain(*a))


def helpers():
    return [t for t in threading.enumerate() if t.name == "anabranch progress" and t.is_alive()]


def test_long_compilations_are_told_of(slow, caplog, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    caplog.set_level(logging.INFO, "anabranch.progress")
    assert jit(lambda x: x + 1, progress=0.2)(1) == 2
    assert not helpers()
    lines = [r.getMessage() for r in caplog.records if r.name == "anabranch.progress"]
    assert len(lines) >= 2
    assert all(re.fullmatch(r".*<lambda> has been compiled for \d s, and is being compiled", line) for line in lines)
    shown = terminal.getvalue()
    assert "\r\x1b[K| " in shown
    assert shown.endswith("\r\x1b[K")


def test_no_bar_where_none_is_wanted(slow, caplog, monkeypatch):
    caplog.set_level(logging.INFO, "anabranch.progress")
    for terminal, options in ((io.StringIO(), {}), (Terminal(), {"progress_bar": False})):
        monkeypatch.setattr(sys, "stderr", terminal)
        caplog.clear()
        jit(lambda x: x + 1, progress=0.1, **options)(1)
        assert terminal.getvalue() == ""
        assert caplog.records
    caplog.clear()
    jit(lambda x: x + 1, progress=0)(1)
    assert not caplog.records
    terminal.close()
    jit(lambda x: x + 1, progress=0.1)(1)


def test_one_line_on_stderr_says_what_is_done_and_where(monkeypatch, capfd):

    def plain(x):
        y = x
        y = np.sin(y) + np.cos(y) * y
        return y

    jit(plain)(1.0)  # imports
    compile_llvm = disk_cache.compile_llvm
    monkeypatch.setattr(disk_cache, "compile_llvm", lambda *a: time.sleep(2) or compile_llvm(*a))
    with configure(progress=0, progress_notice=1):
        jit(plain)(1.0)
    out, line = capfd.readouterr()
    place = rf"{re.escape(__file__)}:{plain.__code__.co_firstlineno + 2}"
    said = r"has been compiled for \d s, and is being compiled"
    assert out == ""
    assert re.fullmatch(rf"anabranch: \S*plain {said}: \d of its \d equations come from {place}\n", line)
    for seconds in (0, 100):
        jit(plain, progress_notice=seconds)(1.0)
    assert capfd.readouterr() == ("", "")


def test_the_line_names_what_is_traced(capfd):
    @jit(progress_notice=1.5)  # it is rewritten by then
    def traced(x):
        sum(itertools.repeat(1, 10**7))
        return x + 1

    traced(1.0)
    line = capfd.readouterr().err
    assert line.count("\n") == 1
    assert re.search(
        rf"is being traced, now {re.escape(__file__)}:{traced.__wrapped__.__code__.co_firstlineno + 2}\n", line
    )


def test_short_ones_are_not(caplog):
    caplog.set_level(logging.INFO, "anabranch.progress")
    jit(lambda x: x + 1)(1)
    assert not caplog.records
    deadline = time.monotonic() + 5
    while helpers() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not helpers()


# ---- files ---------------------------------------------------------------------------------------------------------


def test_every_text_has_a_file(tmp_path):
    @jit(dump_dir=tmp_path)
    def f(x):
        while x < 10:
            x = x * 2  # doubled
        return x

    assert f(1) == 16
    assert f(1.0) == 16.0
    files = sorted(tmp_path.iterdir())
    kinds = ["hlo.txt", "program.txt", "rewritten.py", "source.py", "stablehlo.mlir"]
    assert sorted(p.name.split(".", 5)[-1] for p in files) == sorted(kinds * 2)
    assert all(re.match(rf"test_every_text_has_a_file\._locals_\.f\.\d+\.{os.getpid()}\.", p.name) for p in files)
    texts = {p.name.split(".", 5)[-1]: p.read_text() for p in files}
    assert "# doubled" in texts["source.py"]
    assert "ab.while_" in texts["rewritten.py"]
    assert "while" in texts["program.txt"]
    assert texts["stablehlo.mlir"].startswith("module @main")
    assert texts["hlo.txt"].startswith("HloModule")


def test_what_cannot_be_written_stops_nothing(tmp_path, caplog):
    caplog.set_level(logging.INFO, "anabranch.dumps")
    (tmp_path / "file").write_text("")
    assert jit(np.sum, dump_dir=tmp_path / "file")(np.ones(3)) == 3.0
    assert "was not written" in caplog.text
    assert jit(np.sum, dump_dir=tmp_path / "made")(np.ones(3)) == 3.0  # it has no source that could be read, or does
    assert any(p.name.endswith("hlo.txt") for p in (tmp_path / "made").iterdir())


def test_what_fails_has_left_its_source(tmp_path):
    @jit(dump_dir=tmp_path)
    def f(x):
        return open(x) if x > 1 else x

    with pytest.raises(anabranch.AnabranchError):
        f(1.0)
    assert [p.name.split(".")[-2] for p in tmp_path.iterdir() if p.name.endswith("source.py")] == ["source"]

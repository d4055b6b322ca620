"""`python -m anabranch doctor`: what it reports, and what it advises."""

from __future__ import annotations

import sys

import pytest

from anabranch.__main__ import main
from anabranch.cli import doctor
from anabranch.cli.timing import per_call, shown_seconds
from anabranch.runtime.config import configure

FINE = doctor.Trial(0.1, 5e-6, "")


def test_report(tmp_path, capsys):
    with configure(cache_dir=tmp_path, unroll_budget=17):
        assert main(["doctor"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("anabranch ")
    assert f"Python {sys.version.split()[0]}" in printed
    for word in ("numpy ", "jaxlib ", "llvmlite ", "processor: ", "threads: ", "0 executables", "unroll_budget = 17"):
        assert word in printed
    assert "trial:      a small function: first call " in printed
    assert "look at" in printed


def test_a_trial_that_fails(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "examine", lambda: doctor.Trial(0.0, 0.0, "ImportError: no XLA"))
    assert main(["doctor"]) == 1
    assert "trial:      FAILED: ImportError: no XLA" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "advised"),
    [
        ({"cache_dir": None}, "nothing is kept on disk"),
        ({"native_loops": False}, "native_loops is off"),
        ({"disable_jit": True}, "disable_jit is on"),
        ({"disable_passes": ("cse",)}, "passes are left out (cse)"),
        ({"dump_dir": "/tmp"}, "each compilation writes its texts into /tmp"),
    ],
)
def test_advice_on_settings(tmp_path, changes, advised):
    with configure(cache_dir=tmp_path):
        before = list(doctor.advice(FINE))
        with configure(**changes):
            (new,) = [text for text in doctor.advice(FINE) if text not in before and "load" not in text]
    assert advised in new


def test_advice_on_the_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor.machine_code, "is_available", lambda: False)
    monkeypatch.setattr(doctor, "is_as_expected", lambda: False)
    monkeypatch.setattr(doctor, "_flags", lambda: ["sse4_2"])
    monkeypatch.setattr(doctor, "_quota", lambda: 0.5)
    monkeypatch.setattr(doctor.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(doctor.os, "getloadavg", lambda: (1e4, 0.0, 0.0))
    monkeypatch.setattr(doctor.os, "access", lambda *_: False)
    with configure(cache_dir=tmp_path):
        found = "\n".join(doctor.advice(doctor.Trial(0.1, 1.0, "")))
    for words in ("llvmlite is not", "lays its objects", "no AVX2", "0.5 processors", "load 1e4", "can't be written"):
        assert words.replace("1e4", "10000.0") in found
    assert "a call of a small function takes 1 s" in found


def test_a_full_cache_is_told_of(tmp_path, monkeypatch):
    with configure(cache_dir=tmp_path):
        monkeypatch.setattr(doctor.cache, "stores", lambda folder: [_Full()])
        assert any("is nearly full" in text for text in doctor.advice(FINE))


class _Full:
    folder, limit = "/caches/executables", 10

    def usage(self):
        return self

    size = 10


def test_seconds():
    assert [shown_seconds(s) for s in (2.0, 0.0123, 4.56e-6, 1e-8)] == ["2 s", "12.3 ms", "4.56 µs", "10 ns"]


def test_changed_arguments_are_copied():
    seen = []

    def push(items):
        items.append(1)
        seen.append(len(items))

    given = ([0],)
    assert per_call(push, given, 1e-3) > 0
    assert given == ([0],)
    assert set(seen) == {2}

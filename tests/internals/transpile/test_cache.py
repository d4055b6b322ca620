"""Rewritten functions on disk: a second process finds them, and nothing that changes finds an old one."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import types

import pytest

from anabranch.transpile import cache, rewrite
from anabranch.transpile.source import find_source
from tests.internals.transpile import eager_vocabulary
from tests.internals.transpile.eager_rewriting import from_text, nothing_staged

MODULE = """
import numpy as np
from anabranch import jit

LIMIT = 3.0

def helper(v):
    return v if v > 0 else -v

@jit
def newton(x, tol):
    y = x
    while abs(y * y - x) > tol:
        y = 0.5 * (y + x / y)
    for _ in range(2):
        y = helper(y)
    if y > LIMIT:
        raise ValueError("too large")
    return y, (lambda v: v if v > 1 else 1.0)(y)
"""
PROGRAM = """
import sys, traceback
import newton
print(*newton.newton(2.0, 1e-12))
try:
    newton.newton(16.0, 1e-12)
except ValueError as error:
    print(traceback.extract_tb(error.__traceback__)[-1].line)
print(newton.newton.source())
print("libcst" in sys.modules, file=sys.stderr)
"""


@pytest.fixture
def run(tmp_path):
    """Runs the program in a process of its own; gives what it printed, and whether it imported libcst."""
    (tmp_path / "newton.py").write_text(MODULE)
    (tmp_path / "program.py").write_text(PROGRAM)

    def run(**environment):
        settings = {"ANABRANCH_CACHE": "1", "ANABRANCH_CACHE_DIR": str(tmp_path / "cache"), **environment}
        settings["PYTHONDONTWRITEBYTECODE"] = "1"
        done = subprocess.run(
            [sys.executable, "program.py"], cwd=tmp_path, env={**os.environ, **settings}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr.strip() == "True"

    return run


def entries(tmp_path):
    return sorted((tmp_path / "cache" / "rewritten").iterdir())


def test_a_second_process_does_not_import_libcst(run, tmp_path):
    first, second = run(), run()
    assert second == (first[0], False)
    assert first[1]
    assert len(entries(tmp_path)) == 2
    assert first[0].splitlines()[1] == 'raise ValueError("too large")'


def test_an_edited_file_is_rewritten_anew(run, tmp_path):
    before, _ = run()
    (tmp_path / "newton.py").write_text(MODULE.replace("y = helper(y)", "y = helper(y)  # twice"))
    after, imported = run()
    assert imported
    assert "# twice" in after
    assert "# twice" not in before


def test_damaged_entries_are_rewritten_anew(run, tmp_path):
    want, _ = run()
    for entry in entries(tmp_path):
        data = bytearray(entry.read_bytes())
        data[-20] ^= 0xFF
        entry.write_bytes(data)
    assert run() == (want, True)
    for entry in entries(tmp_path):
        entry.write_bytes(entry.read_bytes()[:10])
    assert run() == (want, True)


def test_no_cache_where_it_is_off_or_nothing_can_be_written(run, tmp_path):
    want, _ = run(ANABRANCH_CACHE="0")
    assert not (tmp_path / "cache").exists()
    (tmp_path / "cache").write_text("a file where the folder would be")
    assert run() == (want, True)
    assert run(ANABRANCH_CACHE_DIR="", XDG_CACHE_HOME="", HOME="/nowhere/at/all") == (want, True)


TEXT = "def f(x):\n    return abs(x) if x else len('abs')\n"


def key_of(text, counterpart=nothing_staged, filename="<key>", **names):
    function = from_text(text, filename, **names)
    return cache.key_of(function, find_source(function), counterpart)


def test_what_decides_the_rewriting_decides_the_key(monkeypatch):
    def staged(value):
        return "ab.builtins.abs" if value is abs else None

    keys = [
        key_of(TEXT),
        key_of(TEXT, staged),
        key_of(TEXT + "\n", filename="<another file>"),
        key_of("\n" + TEXT),
        key_of(TEXT.replace("x)", "x )", 1)),
    ]
    assert len(set(keys)) == len(keys)
    assert key_of(TEXT, staged, abs=max) == keys[0]
    assert key_of(TEXT) == keys[0]
    for name, value in (("_versions", lambda: ("another",)), ("_version_of", lambda module: "2")):
        monkeypatch.setattr(cache, name, value)
    assert key_of(TEXT) != keys[0]
    assert key_of("def f(x):\n    return math.sin(x)\n", lambda v: "ab.math", math=types) != keys[0]


def test_the_code_comes_back_as_it_was(tmp_path):
    function = from_text(TEXT, "<back>")
    made = rewrite(function, nothing_staged)
    cache.save(tmp_path, "key", made)
    found = cache.load(tmp_path, "key")
    assert found == made
    assert list(found.code.co_positions()) == list(made.code.co_positions())
    assert found.bind(function, eager_vocabulary)(-3) == 3
    assert cache.load(tmp_path, "another") is None


def test_many_threads_and_one_key(tmp_path):
    made = rewrite(from_text(TEXT, "<threads>"), nothing_staged)
    wrong = []

    def work():
        for _ in range(50):
            cache.save(tmp_path, "key", made)
            if cache.load(tmp_path, "key") != made:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert [f.name for f in (tmp_path / "rewritten").iterdir()] == ["key"]

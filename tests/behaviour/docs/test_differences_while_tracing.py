"""Entries of docs/differences.md on what runs while tracing: when eager Python does it, and when tracing does."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import sys
import types

import numpy as np
import pytest

import anabranch
from anabranch import jit
from anabranch.runtime.api.jitted import Wrapped


def test_functions_of_scipy_are_called_once_more_while_tracing():
    calls = []

    @anabranch.host
    def counted(x):
        calls.append(x)
        return x

    compiled = jit(lambda x: counted(x))
    assert [compiled(1.0), compiled(2.0)] == [1.0, 2.0]
    assert calls == [1.0, 1.0, 2.0]

    @anabranch.host(result=float)
    def of_another_type(x):
        return int(x)

    with pytest.raises(anabranch.StructureMismatchError, match="has returned int"):
        jit(lambda x: of_another_type(x))(1.0)


def test_printing_waits_for_the_end_of_the_call(monkeypatch):
    class Stream(io.StringIO):
        def write(self, text):
            made = sys._getframe().f_back.f_code.co_name
            texts.append((text, made == "step"))
            return len(text)

    texts = []

    def step(x):
        print("step", x)
        return x + 1

    def report(x):
        if x > 0:
            print(x)
        return x

    monkeypatch.setattr(sys, "stdout", Stream())
    step(1.0)
    eager, texts = texts, []
    jit(step)(1.0)
    assert "".join(text for text, _ in texts) == "".join(text for text, _ in eager) == "step 1.0\n"
    assert all(at_once for _, at_once in eager)
    assert not any(at_once for _, at_once in texts)
    texts.clear()
    jit(report)(1.0)
    assert "".join(text for text, _ in texts) == "1.0\n"


def loud(found):
    print("replacing")
    return "u"


def test_output_of_other_code_appears_while_tracing(capsys):
    def name(x):
        return re.sub("a", loud, "cat"), x

    compiled = jit(name)
    assert [compiled(1.0), compiled(2.0)] == [("cut", 1.0), ("cut", 2.0)]
    assert capsys.readouterr().out == "replacing\n"


class Thing:
    def __init__(self, x):
        self.x = x


def test_the_text_of_an_object_is_that_of_a_copy():
    def show(x):
        thing = Thing(x)
        return str(thing), thing

    text, thing = jit(show)(1.0)
    assert text.startswith(object.__repr__(thing)[:-16])
    assert text != object.__repr__(thing)


@contextlib.contextmanager
def announced():
    print("in", end=" ")
    yield
    print("out", end=" ")


def test_context_managers_of_generators_run_while_tracing(capsys):
    def twice(x):
        with announced():
            return x * 2

    compiled = jit(twice)
    assert [compiled(1.0), compiled(2.0)] == [2.0, 4.0]
    assert capsys.readouterr().out == "in out "


def test_a_function_that_changes_outside_lists_is_traced_at_each_call(monkeypatch):
    seen, traces = [], []
    plain = Wrapped._trace
    monkeypatch.setattr(Wrapped, "_trace", lambda self, *args: traces.append(self) or plain(self, *args))

    def remember(x):
        seen.append(x)
        return x

    compiled = jit(remember)
    for x in (1.0, 2.0, 3.0):
        compiled(x)
    assert seen == [1.0, 2.0, 3.0]
    assert len(traces) == 3


def test_the_world_outside_is_left_alone(tmp_path):
    file = tmp_path / "numbers.txt"
    file.write_text("1 2")

    def reads(x):
        return np.loadtxt(file) + x

    assert reads(1.0).tolist() == [2.0, 3.0]
    with pytest.raises(anabranch.UnsupportedOperationError, match="only while the function is traced"):
        jit(reads)(1.0)


def test_the_depth_of_recursion_counts_from_the_compiled_function():
    def down(n):
        return 0 if n == 0 else 1 + down(n - 1)

    compiled, most = jit(down), sys.getrecursionlimit() - 1
    assert compiled(most) == most
    for function, n in ((down, most), (compiled, most + 100)):
        with pytest.raises(RecursionError):
            function(n)


def test_what_libraries_keep_to_themselves_is_read_once(monkeypatch):
    settings, which = types.ModuleType("settings"), 1
    settings.gain_1 = 2.0

    def by_text(x):
        return x * getattr(settings, f"gain_{which}")

    compiled = jit(by_text)
    assert compiled(3.0) == by_text(3.0) == 6.0
    monkeypatch.setattr(settings, "gain_1", 5.0)
    assert by_text(3.0) == 15.0
    assert compiled(3.0) == 6.0


def test_the_keys_of_a_group_are_asked_for_before_it_is_gone_over():
    def f(x):
        asked, found = [0], []

        def key(v):
            asked[0] += 1
            return v > 1

        for _, group in itertools.groupby(x, key):
            found.append(asked[0])
            for _ in group:
                pass
        return found

    x = np.array([0.0, 1.0, 2.0])
    assert (f(x), jit(f)(x)) == ([1, 3], [3, 4])

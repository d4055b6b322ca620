"""`python -m anabranch bench`: a function plain beside compiled, on given arguments or on made-up ones."""

from __future__ import annotations

import re

import numpy as np
import pytest

from anabranch.__main__ import main
from anabranch.cli import bench
from anabranch.cli.made_up import arguments
from anabranch.cli.show import TargetError

PROGRAM = """\
import time

import numpy as np
from numpy.typing import NDArray

HALF = 0.5


def clipped(x, top):
    total = 0.0
    for value in x:
        total += min(value, top)
    return total


def typed(x: NDArray[np.float32], n: int, scale: float = 2.0):
    for _ in range(n):
        x = x * scale
    return x


def fails(x):
    return x[10]


def refused(x):
    return time.time() + x
"""
FAST = ["--seconds", "0.01"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench") / "functions.py"
    path.write_text(PROGRAM)
    return path


def test_given_arguments(file, capsys):
    assert main(["bench", f"{file}:clipped", "np.ones(9)", "-HALF", *FAST]) == 0
    first, head, plain, compiled = capsys.readouterr().out.splitlines()
    assert first == "clipped(float64[9], -0.5)"
    assert head.split() == ["first", "call", "per", "call"]
    assert re.fullmatch(r"plain +[\d.]+ .s", plain)
    assert re.match(r"compiled +[\d.]+ m?s +[\d.]+ .s  [\d.]+ times as ", compiled)


def test_made_up_arguments(file, capsys):
    assert main(["bench", *FAST, "--size", "7", f"{file}:typed"]) == 0
    assert capsys.readouterr().out.startswith("typed(float32[7], 10)\n")


@pytest.mark.parametrize(
    ("given", "status", "words"),
    [
        (["clipped"], 2, "the parameter 'x' has no annotation; give arguments after the function"),
        (["clipped", "nothing", "1"], 2, "the argument nothing can't be evaluated: NameError"),
        (["fails", "np.ones(3)"], 2, "on these arguments the function raises IndexError"),
        (["missing"], 2, "has no 'missing'"),
        (["refused", "1.0"], 1, "time.time"),
    ],
)
def test_status(file, capsys, given, status, words):
    name, *rest = given
    assert main(["bench", f"{file}:{name}", *rest, *FAST]) == status
    assert words in capsys.readouterr().err


def test_a_difference_is_told(file, capsys, monkeypatch):
    monkeypatch.setattr(bench, "check_equivalent", lambda *_: "they differ")
    assert main(["bench", f"{file}:clipped", "np.ones(2)", "0.5", *FAST]) == 1
    assert capsys.readouterr().out.endswith("they differ\n")


def test_values_are_made_by_annotations():
    def function(
        a: bool,
        b: complex,
        c: np.float32,
        d: np.ndarray,
        e: np.ndarray[tuple[int, int], np.dtype[np.int64]],
        f: tuple[int, float],
        g: list[np.int32],
        h: dict[str, float],
        i: int = 3,
    ): ...

    a, b, c, d, e, f, g, h = arguments(function, 100)
    assert (a, b, f, h) == (True, 0.5 + 0.5j, (10, 0.5), {"x": 0.5, "y": 0.5})
    assert (type(c), d.dtype, d.shape, e.dtype, e.shape) == (np.float32, np.float64, (100,), np.int64, (10, 10))
    assert {type(item) for item in g} == {np.int32}
    assert all(np.array_equal(x, y) for x, y in zip((d, e), arguments(function, 100)[3:5], strict=True))


@pytest.mark.parametrize("hint", [object, list[object], "nothing"])
def test_what_cannot_be_made_up_is_told(hint):
    def function(x): ...

    function.__annotations__["x"] = hint
    with pytest.raises(TargetError, match="give arguments after the function"):
        arguments(function, 3)


@pytest.mark.parametrize("command", ["demo", "doctor", "cache", "show", "inspect", "bench", "profile", "check"])
def test_help_has_an_example(capsys, command):
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    assert f"example:\n  python -m anabranch {command}" in capsys.readouterr().out

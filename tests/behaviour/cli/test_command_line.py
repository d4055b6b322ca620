"""`python -m anabranch`: what it prints, and its exit status."""

from __future__ import annotations

import re
import subprocess
import sys
import types

import numpy as np
import pytest

import anabranch
from anabranch import jit
from anabranch.__main__ import main
from anabranch.cli import demo, kernels
from anabranch.runtime.config import configure

PROGRAM = """\
import numpy as np
from anabranch import jit

print("the file runs")
SCALE = 2.0


def clipped(x):
    # a comment that stays
    if x > SCALE:
        x = SCALE
    return x


class Model:
    @jit
    def step(self, x):
        while x < 1.0:
            x = x * 2
        return x


async def never(x):
    return x
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "functions.py"
    path.write_text(PROGRAM)
    return path


def test_show(file, capsys):
    assert main(["show", f"{file}:clipped"]) == 0
    printed = capsys.readouterr()
    assert "# a comment that stays" in printed.out
    assert "ab.if_(x > SCALE" in printed.out
    assert printed.err == "the file runs\n"


def test_show_method(file, capsys):
    assert main(["show", f"{file}:Model.step"]) == 0
    assert "ab.while_(" in capsys.readouterr().out


def test_show_program(file, capsys):
    assert main(["show", f"{file}:clipped", "--program", "-SCALE"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("{ lambda a:f64[] ; let")
    assert "greater" in printed


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("{file}", "is not of the form FILE.py:FUNCTION"),
        ("{file}:", "is not of the form FILE.py:FUNCTION"),
        ("absent.py:f", "there is no file absent.py"),
        ("{file}:missing", "has no 'missing'; its functions are clipped"),
        ("{file}:Model.missing", "has no 'Model.missing'"),
        ("{file}:SCALE", "is a float, not a function"),
    ],
)
def test_bad_target(file, capsys, target, message):
    assert main(["show", target.format(file=file)]) == 2
    error = capsys.readouterr().err.removeprefix("the file runs\n")
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("body", ["1 / 0", "def f(:", "import nothing_of_this_name", "raise SystemExit(3)"])
def test_file_that_cannot_run(tmp_path, capsys, body):
    path = tmp_path / "broken.py"
    path.write_text(body)
    assert main(["show", f"{path}:f"]) == 2
    error = capsys.readouterr().err
    assert "can't be run" in error
    assert error.count("\n") == 1


def test_bad_argument(file, capsys):
    assert main(["show", f"{file}:clipped", "--program", "unknown"]) == 2
    assert "the argument unknown can't be evaluated: NameError" in capsys.readouterr().err


def test_function_that_cannot_be_rewritten(file, capsys):
    assert main(["show", f"{file}:never"]) == 1
    error = capsys.readouterr().err
    assert "AB101" in error
    assert "Traceback" not in error


def test_no_command():
    with pytest.raises(SystemExit) as left:
        main([])
    assert left.value.code == 2


@pytest.mark.slow
def test_demo():
    done = subprocess.run([sys.executable, "-m", "anabranch", "demo"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for kernel in kernels.KERNELS:
        assert f"── {kernel.__name__} " in done.stdout
    assert done.stdout.endswith(f"all {len(kernels.KERNELS)} equal to NumPy\n")


def test_demo_fails_where_a_result_differs(monkeypatch, capsys):
    def subnormal(x):
        return (x * 0.5) * 1e308

    monkeypatch.setattr("anabranch.__main__.KERNELS", (subnormal,))
    monkeypatch.setattr("anabranch.__main__.arguments", lambda: {"subnormal": (np.full(500_000, 1e-310),)})
    with anabranch.configure(native_loops=False):
        assert main(["demo"]) == 1
    printed = capsys.readouterr().out
    assert "DIFFERS from NumPy: " in printed
    assert printed.endswith("differ from NumPy: subnormal\n")


def test_compare_sees_a_changed_argument():
    def write(a):
        a[0] = 1.0

    def forget(a):
        a[0] + 1.0

    assert demo.compare(write, jit(write), (np.zeros(2),)).difference is None
    assert demo.compare(write, jit(forget), (np.zeros(2),)).difference == "the values of the arguments[0]"


@pytest.mark.parametrize(
    ("want", "got", "found"),
    [
        (1.0, 1.0 + 1e-9, "the values of x"),
        (1, 2, "the values of x"),
        (np.zeros(2), np.zeros(2, np.float32), "float64"),
        (np.zeros(2), np.zeros(3), "[3] here"),
        ((1.0, 2.0), (1.0,), "length"),
        ({"a": 1.0}, {"b": 1.0}, "keys"),
        ({"a": [1.0]}, {"a": [2.0]}, "x['a'][0]"),
        (None, 1.0, "NoneType"),
    ],
)
def test_difference(want, got, found):
    assert found in (demo.difference(want, got, "x") or "")
    assert demo.difference(want, want, "x") is None


def test_sources_stand_beside_each_other_where_there_is_room():
    left, right = "def f():\n    return 1\n", "def rewritten(ab):\n    def f():\n        return 1\n"
    wide, narrow = demo.beside(left, right, 160), demo.beside(left, right, 80)
    assert wide[0] == "def f():     │ def rewritten(ab):"
    assert narrow[:2] == ["def f():", "    return 1"]
    assert max(map(len, demo.beside("x", "a, " * 60, 100))) <= 100


def test_version(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"anabranch {anabranch.__version__}\n"


def test_what_the_cache_keeps(tmp_path, capsys, monkeypatch):
    def f(x):
        while x < 10.0:
            x = x * 2
        return x

    def explained():
        assert main(["cache", "explain"]) == 0
        rewritten, _, executables = capsys.readouterr().out.partition(str(tmp_path / "executables"))
        return rewritten, executables

    with configure(cache_dir=tmp_path):
        jit(f)(1.0)
        for text in explained():
            assert re.search(rf"f.* in {__file__}:\d+\n    \d+\.\d KiB, last used .*, usable here\n", text)
        assert "f(float64[]) -> (float64[])" in explained()[1]
        monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_enable_fast_math=false")
        monkeypatch.setattr(sys, "flags", types.SimpleNamespace(optimize=2))
        rewritten, executables = explained()
        assert "not usable here: another Python" in rewritten
        assert "not usable here: XLA_FLAGS not set, here --xla_cpu_enable_fast_math=false" in executables
        for entry in (tmp_path / "executables").iterdir():
            entry.write_bytes(entry.read_bytes()[:-1])
        assert "not usable: it is damaged" in explained()[1]


def test_cache(tmp_path, capsys):
    def f(x):
        while x < 10.0:
            x = x * 2
        return x

    with configure(cache_dir=tmp_path):
        jit(f)(1.0)
        assert main(["cache", "info"]) == 0
        assert re.findall(r": (\d) (.*?), .* of (\d+) MiB", capsys.readouterr().out) == [
            ("1", "rewritten functions", "64"),
            ("1", "executables", "512"),
        ]
        assert main(["cache", "clear"]) == 0
        assert capsys.readouterr().out.count("removed") == 2
        assert main(["cache", "info"]) == 0
        assert capsys.readouterr().out.count(": 0 ") == 2
    with configure(cache_dir=None):
        assert main(["cache", "info"]) == 0
    assert "nothing is kept" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("program", "arguments", "said"),
    [
        ("def f(x):\n    return x\n", ["show", "FILE:f", "--program"], "raises TypeError: f() missing 1 required"),
        ("def f(x):\n    return x.a\n", ["show", "FILE:f", "--program", "1"], "raises AttributeError"),
        ("def __getattr__(name):\n    raise ValueError(name)\n", ["show", "FILE:f"], "has no 'f'"),
        ("def f(x: 'nothing'):\n    return x\n", ["check", "FILE:f"], "annotations cannot be read (NameError"),
        ("def f(x):\n    return x\n", ["check", "FILE:f", "--example", "np"], "the argument np can't be copied"),
        ("def f(x):\n    return x\n", ["check", "FILE:f", "--example", "exit(5)"], "can't be evaluated: SystemExit: 5"),
    ],
)
def test_what_the_users_file_raises_is_one_line(tmp_path, capsys, program, arguments, said):
    path = tmp_path / "theirs.py"
    path.write_text(program)
    assert main([a.replace("FILE", str(path)) for a in arguments]) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["check", "FILE:f", "--example", "1.0"],
            "can't be called with these examples: missing a required argument: 'y'",
        ),
        (["check", "FILE:f", "--example", "1.0", "2", "3"], "with these examples: too many positional arguments"),
        (["bench", "FILE:f", "1.0", "2", "--bogus"], "the argument --bogus can't be evaluated, and is no option: Name"),
        (["bench", "nowhere.py:f"], "there is no file nowhere.py"),
        (["bench", "FILE:g", "1.0"], "has no 'g'; its functions are f"),
        (["inspect", "FILE:f", "1.0"], "missing 1 required positional argument: 'y'"),
        (["inspect", "FILE:f", "1.0", "2", "--html", "FILE/page.html"], "can't be written"),
        (["profile", "FILE:f"], "the parameter 'x' has no annotation"),
    ],
)
def test_a_wrong_command_is_told_in_one_line(tmp_path, capsys, arguments, said):
    path = tmp_path / "theirs.py"
    path.write_text("def f(x, y):\n    return x + y\n")
    assert main([a.replace("FILE", str(path)) for a in arguments]) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert printed.startswith(f"python -m anabranch {arguments[0]}: ")
    assert printed.count("\n") == 1


@pytest.mark.parametrize("command", ["demo", "doctor", "docs", "cache", "show", "inspect", "bench", "profile", "check"])
def test_help_has_an_example_and_the_exit_status(capsys, command):
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    printed = capsys.readouterr().out
    assert f"example:\n  python -m anabranch {command}" in printed
    assert "exit status:\n  0  done\n  1  " in printed


def test_options_after_the_arguments_are_told_of_by_the_command(capsys):
    with pytest.raises(SystemExit) as left:
        main(["bench", "any.py:f", "1.0", "--seconds", "0"])
    assert left.value.code == 2
    assert "python -m anabranch bench: error: argument --seconds" in capsys.readouterr().err


@pytest.mark.parametrize("count", ["0", "-1", "many"])
def test_a_check_takes_one_example_or_more(capsys, count):
    with pytest.raises(SystemExit) as ended:
        main(["check", "any.py:f", f"--examples={count}"])
    assert ended.value.code == 2
    assert "argument --examples" in capsys.readouterr().err


def test_a_check_leaves_out_what_does_not_end_plainly(tmp_path, capsys):
    path = tmp_path / "theirs.py"
    path.write_text(
        "def f(n: int):\n    while n % 2:\n        n = n * 3\n    return n\n"
        "def g(n: int):\n    while n == n:\n        n = n + 1\n    return n\n"
    )
    assert main(["check", f"{path}:f", "--examples", "12", "--deadline", "0.1"]) == 0
    printed = capsys.readouterr().out
    left = re.search(r"the same on (\d+) examples; (\d+) left out, on which the plain function takes more", printed)
    assert left is not None
    assert int(left[1]) + int(left[2]) == 12
    assert main(["check", f"{path}:g", "--examples", "2", "--deadline", "0.1"]) == 1
    assert "the same on 0 examples" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--examples", "x"], "'x' is no whole number"),
        (["--deadline", "-1"], "-1 seconds are no time to wait"),
        (["--deadline", "nan"], "nan seconds are no time to wait"),
        (["--deadline", "soon"], "'soon' is no number of seconds"),
        (["--example"], "give an argument"),
    ],
)
def test_a_check_with_wrong_options_says_what_is_wrong(arguments, words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["check", "any.py:f", *arguments])
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_what_is_no_function_is_named(tmp_path, capsys):
    path = tmp_path / "names.py"
    path.write_text("count = 3\nclass Model: pass\n")
    for name, words in (("count", "is an int, not a function"), ("Model", "is a class, not a function")):
        assert main(["show", f"{path}:{name}"]) == 2
        assert words in capsys.readouterr().err

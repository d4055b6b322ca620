"""A function that reads or changes the world outside of the program is refused and never called; a pure one runs."""

from __future__ import annotations

import concurrent.futures
import contextlib
import io
import json
import os
import pickle
import pprint
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
import warnings
import weakref
from os import mkdir as make_a_folder
from pathlib import Path

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.equivalence import check

FOLDER = Path(tempfile.gettempdir()) / "anabranch-is-never-made"
FILE = Path(__file__)
NAME = "ANABRANCH_TEST_FACTOR"
POOL = concurrent.futures.ThreadPoolExecutor(1)


class Dice(random.Random):
    def roll(self):
        return self.randint(1, 6)

    def doubled(self, x):
        return 2 * x if x > 0 else x


DICE = Dice()


def named_in_the_function(x):
    from os import mkdir

    mkdir(FOLDER)
    return x


def under_a_condition(x):
    if x > 0:
        os.mkdir(FOLDER)
    return x


@pytest.mark.parametrize(
    "function",
    [
        lambda x: os.mkdir(FOLDER),
        lambda x: os.makedirs(FOLDER),
        lambda x: make_a_folder(FOLDER),
        lambda x: FOLDER.mkdir(),
        lambda x: Path.mkdir(FOLDER),
        lambda x: list(map(os.mkdir, [FOLDER])),
        lambda x: os.write(1, b"text"),
        lambda x: os.system("true"),
        lambda x: os.getcwd(),
        lambda x: len(os.listdir()) + x,
        lambda x: x if os.path.exists(FOLDER) else -x,
        lambda x: x if FOLDER.exists() else -x,
        lambda x: len(FILE.read_text()) + x,
        lambda x: FOLDER.write_text("text"),
        lambda x: FOLDER.unlink(),
        lambda x: FILE.open(),
        lambda x: Path.cwd(),
        lambda x: shutil.copy(FILE, FOLDER),
        lambda x: subprocess.run(["true"], check=True),
        lambda x: subprocess.Popen(["true"]),
        lambda x: socket.socket(),
        lambda x: tempfile.mkdtemp(),
        lambda x: time.sleep(0),
        lambda x: uuid.uuid4(),
        lambda x: threading.Thread(target=abs, args=(x,)),
        lambda x: threading.Timer(0.0, abs),
        lambda x: concurrent.futures.ThreadPoolExecutor(),
        lambda x: POOL.submit(abs, x),
        lambda x: list(POOL.map(abs, [x])),
        lambda x: open(FILE),
        lambda x: io.open_code(str(FILE)),
        lambda x: float(input()),
        lambda x: np.loadtxt(FILE) + x,
        lambda x: np.load(FILE) + x,
        lambda x: np.fromfile(FILE) + x,
        lambda x: np.save(FOLDER, np.ones(2)),
        lambda x: np.savetxt(FOLDER, [1.0]),
        lambda x: np.memmap(FOLDER),
        lambda x: json.load(sys.stdin),
        lambda x: pickle.dump(3, sys.stdout),
        named_in_the_function,
        under_a_condition,
    ],
)
def test_the_world_is_left_alone(function) -> None:
    wrapped = jit(function)
    for _ in range(2):
        with pytest.raises(UnsupportedOperationError, match="only while the function is traced"):
            wrapped(1.0)
    assert not FOLDER.exists()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: Dice().roll() + x,
        lambda x: random.SystemRandom().random() + x,
        lambda x: max([x, 1.0], key=lambda v: DICE.randint(0, 9)),
    ],
)
def test_numbers_are_not_drawn_while_tracing(function) -> None:
    wrapped = jit(function)
    for _ in range(2):
        with pytest.raises(UnsupportedOperationError, match=r"same number at each call.*anabranch\.random"):
            wrapped(1.0)


def test_the_environment_is_not_changed() -> None:
    @jit
    def f(x):
        os.environ["ANABRANCH_NEVER_SET"] = "1"
        return x

    with pytest.raises(UnsupportedOperationError, match=r"os\.environ"):
        f(1.0)
    assert "ANABRANCH_NEVER_SET" not in os.environ


def test_the_environment_is_read_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    f = jit(
        lambda x: float(os.environ.get("ANABRANCH_TEST_FACTOR", "1")) * x + float(os.getenv("ANABRANCH_TEST_FACTOR"))
    )
    for value in ("2", "3"):
        monkeypatch.setenv(NAME, value)
        assert f(5.0) == 6.0 * float(value)


def pure(x):
    names = os.path.join("a", "b"), Path("a") / "b.txt", os.fspath(FILE), FILE.name, FILE.with_suffix(".c").stem
    return names, json.dumps({"a": 1}), pickle.loads(pickle.dumps(3)), x


def streams_in_memory(x):
    return json.load(io.StringIO('{"a": 1}'))["a"] + x, np.loadtxt(io.StringIO("1 2 3")) * x


def lines(x):
    return np.loadtxt(["1 2", "3 4"]) * x


@pytest.mark.parametrize("function", [pure, streams_in_memory, lines])
def test_what_is_pure_runs(function) -> None:
    check(function, 2.0)


# ---- where print goes --------------------------------------------------------------------------------------------

outside = io.StringIO()


def redirected(x):
    print("before", x)
    with contextlib.redirect_stdout(outside):
        print(x)
        if x > 1:
            print("large", x)
    print("after", x)
    return x


def redirected_under_a_condition(x):
    if x > 1:
        with contextlib.redirect_stdout(outside):
            print("large", x)
    return x


def redirected_in_a_loop(x):
    for i in range(3):
        with contextlib.redirect_stdout(outside):
            print(i, x)
        print("not", i)
    return x


def redirected_to_nothing(x):
    with contextlib.redirect_stdout(None):
        print(x)
    return x


def standard_error(x):
    with contextlib.redirect_stderr(outside):
        print(x, file=sys.stderr)
        print("out", x)
        print("out again", x, file=sys.stdout)
    return x


def to_standard_error(x):
    with contextlib.redirect_stdout(sys.stderr):
        print("to standard error", x)
    return x


def printed_pretty(x):
    with contextlib.redirect_stdout(outside):
        pprint.pprint([x])
    return x


def warned(x):
    with contextlib.redirect_stderr(outside):
        warnings.warn(f"warned {x}", stacklevel=1)
    return x


def assigned(x):
    before = sys.stdout
    sys.stdout = outside
    try:
        print("assigned", x)
    finally:
        sys.stdout = before
    return x


def kept_by_the_function(x):
    own = io.StringIO()
    with contextlib.redirect_stdout(own):
        print("hello")
    return own.getvalue(), x


@pytest.mark.parametrize(
    "function",
    [
        redirected,
        redirected_under_a_condition,
        redirected_in_a_loop,
        redirected_to_nothing,
        standard_error,
        to_standard_error,
        printed_pretty,
        warned,
        assigned,
        kept_by_the_function,
    ],
)
def test_where_text_goes(function) -> None:
    def run(function):
        outside.seek(0)
        outside.truncate()
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = lambda message, *_: print(message, file=sys.stderr)
            results = [function(1.0), function(2.5)]
        return results, outside.getvalue(), out.getvalue(), err.getvalue()

    wrapped = jit(function)
    want = run(function)
    for _ in range(3):
        assert run(wrapped) == want


def test_text_of_run_time_values_in_a_buffer_of_the_function() -> None:
    @jit
    def f(x):
        own = io.StringIO()
        with contextlib.redirect_stdout(own):
            print(x)
        return own.getvalue()

    with pytest.raises(UnsupportedOperationError, match="that the function made"):
        f(1.0)


def test_a_method_of_the_users_own_generator_that_draws_nothing_runs():
    dice = Dice()
    check(lambda x: dice.doubled(x), 2.0)


class Referent:
    pass


_referent = Referent()
proxy = weakref.proxy(_referent)
del _referent


def test_a_proxy_of_an_object_that_is_no_more():
    def f(x):
        kept = proxy  # noqa: F841 # what a function reads is looked at
        return x + 1

    assert jit(f)(2) == 3

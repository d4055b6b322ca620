"""Ctrl-C while a loop with a progress bar runs: the call ends soon, with the handler's exception."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import anabranch
from anabranch import jit

pytest.importorskip("tqdm")
from tqdm import tqdm

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")

PATH = str(Path(anabranch.__file__).parents[1])
# Steps that take minutes, and how long an interrupted loop may take to end, on a machine with others on it.
MANY, SOON = 10**11, 5.0


@contextlib.contextmanager
def signals(*delays, number=signal.SIGINT):
    """Send a signal at these times."""
    timers = [threading.Timer(delay, os.kill, (os.getpid(), number)) for delay in delays]
    for timer in timers:
        timer.start()
    try:
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            yield shown
    finally:
        for timer in timers:
            timer.join()


def machine_code(x, n):
    x[0] = 7.0
    s = 0.0
    for i in tqdm(range(n), desc="long"):
        s += x[i % 10]
    return s


def by_hand(x, n):
    s, i = 0.0, 0
    with tqdm(total=n) as bar:
        while i < n:
            s += x[i % 10]
            i += 1
            bar.update()
    return s


def of_xla(x, n):
    for _ in tqdm(range(n)):
        x = np.sort(x[::-1]) + 1.0
    return x


def a_second_loop(x, n):
    s = 0.0
    for v in tqdm(x, desc="short"):
        s += v
    for i in tqdm(range(n), desc="long"):
        for j in tqdm(range(3), desc="inner", leave=False, disable=True):
            s += x[(i + j) % 10]
    return s


def with_text(x, n):
    s = 0.0
    for i in (bar := tqdm(range(n))):
        s += x[i % 10]
        bar.set_postfix(s=s)
    return s


@pytest.mark.parametrize("function", [machine_code, by_hand, a_second_loop, with_text], ids=lambda f: f.__name__)
def test_an_interrupt_ends_a_loop(function):
    check_interrupted(jit(function), function)


def test_an_interrupt_ends_a_loop_of_xla():
    check_interrupted(jit(of_xla, native_loops=False), of_xla)


def check_interrupted(compiled, function):
    x = np.arange(10.0)
    with signals():
        compiled(x.copy(), 5)
    given = x.copy()
    begin = time.monotonic()
    with signals(0.3), pytest.raises(KeyboardInterrupt):
        compiled(given, MANY)
    assert time.monotonic() - begin < SOON
    assert np.array_equal(given, x)  # as after any exception
    with signals() as ours:
        got = compiled(x.copy(), 12)
    with signals() as theirs:
        assert np.array_equal(got, function(x.copy(), 12))
    assert ("12/12" in ours.getvalue()) is ("12/12" in theirs.getvalue()) is True


@pytest.mark.parametrize("delay", [0.1, 0.13, 0.17])
def test_an_interrupt_ends_a_loop_that_prints(delay):
    @jit
    def prints(x, n):
        for i in range(n):
            print(x[i % 10])

    with contextlib.redirect_stdout(io.StringIO()):
        prints(np.arange(10.0), 3)
        with signals(delay), pytest.raises(KeyboardInterrupt):
            prints(np.arange(10.0), 10**8)


def test_the_bar_is_closed_with_the_last_count():
    compiled = jit(machine_code)
    with signals():
        compiled(np.arange(10.0), 5)
    with signals(0.3) as shown, pytest.raises(KeyboardInterrupt):
        compiled(np.arange(10.0), MANY)
    assert shown.getvalue().endswith("\n")
    assert not tqdm._instances


def test_a_handler_that_does_not_raise_stops_nothing():
    came = []
    old = signal.signal(signal.SIGUSR1, lambda *_: came.append(time.monotonic()))
    compiled = jit(machine_code)
    n = 100_000_000
    try:
        with signals():
            compiled(np.arange(10.0), 5)
        with signals(0.05, number=signal.SIGUSR1):
            got = compiled(np.arange(10.0), n)
        ended = time.monotonic()
    finally:
        signal.signal(signal.SIGUSR1, old)
    assert got == 7.0 * (n // 10) + 45.0 * (n // 10)
    assert len(came) == 1
    assert came[0] < ended


def test_in_another_thread_nothing_waits_for_signals():
    compiled, results = jit(machine_code), []
    with signals():
        thread = threading.Thread(target=lambda: results.append(compiled(np.arange(10.0), 20)))
        thread.start()
        thread.join()
    assert results == [machine_code(np.arange(10.0), 20)]


PROGRAM = """
import numpy as np
from anabranch import jit
from tqdm import tqdm

@jit
def long(x, n):
    s = 0.0
    for i in tqdm(range(n)):
        s += x[i % 10]
    return s

long(np.arange(10.0), 10)
print("begun", flush=True)
long(np.arange(10.0), 10**11)
"""


def test_a_process_ends_as_python_does(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    with subprocess.Popen(
        [sys.executable, "program.py"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": PATH},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout.readline() == "begun\n"
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == -signal.SIGINT
    assert error.rstrip().endswith("KeyboardInterrupt")
    assert 'program.py", line 15' in error

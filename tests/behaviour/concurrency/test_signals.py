"""Signals at any time: the call ends with what the handler raises, nothing is left half done, the next call works."""

from __future__ import annotations

import contextlib
import contextvars
import os
import random
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
from anabranch.base.signals import Interrupt, Watched, check
from anabranch.runtime.api import stages
from anabranch.runtime.api.compile_driver import tracing_alone
from anabranch.runtime.config import settings
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values.failures.user_traceback import hide_internal_frames

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")

PATH = str(Path(anabranch.__file__).parents[1])
TABLE = np.arange(6.0)
LOG = [0.0]


class Vec:
    """A class with methods that Python calls by itself."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    @property
    def norm(self):
        return np.sqrt(self.x**2 + self.y**2)


def pairs(values):
    for value in values:
        yield value, value + 1


def everything(x, n):
    """Loops, branches, try, generators, objects, an array and a list from outside."""
    total = Vec(0.0, 0.0)
    for (a, b), t in zip(pairs([x[0], x[1]]), TABLE, strict=False):
        total = total + Vec(a, b * t)
    TABLE[0] += x[0]
    LOG[0] = LOG[0] + 1.0
    try:
        k = 0
        while x[k] < n:
            k += 1
        found = x[k] if k else -x[0]
    except Exception:
        found = -1.0
    rows = [np.sum(row) for row in np.outer(x, x)]
    with np.errstate(all="ignore"):
        ratio = total.norm / found
    return ratio, np.array(rows), k


def outside():
    """Return the state that a call must leave as it was, or change as eager Python does."""
    return TABLE.copy(), list(LOG), [(k, id(v)) for k, v in vars(Vec).items()], id(TABLE)


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


@contextlib.contextmanager
def signal_at(number, event_number, files=("",)):
    """Send a signal where Python looks for one the n-th time: where a function begins, or one in C has ended."""
    left = event_number

    def count(frame, event, argument):
        nonlocal left
        if event in ("call", "c_return") and frame.f_code.co_filename.endswith(files):
            left -= 1
            if left == 0:
                signal.raise_signal(number)

    sys.setprofile(count)
    try:
        yield lambda: event_number - left
    finally:
        sys.setprofile(None)


def locks_are_free():
    taken = []
    thread = threading.Thread(target=lambda: taken.append(tracing_alone.acquire(timeout=10)) or tracing_alone.release())
    thread.start()
    thread.join()
    return taken == [True]


def restore(before):
    TABLE[:], LOG[:] = before[0], before[1]


# Those that change what is not theirs, and put it back.
CHANGING = (
    "contextlib.py",
    "api/call_dispatch.py",
    "api/compile_driver.py",
    "api/jitted.py",
    "base/context_values.py",
    "base/signals.py",
    "calls/special_methods.py",
    "frontend/trace_function.py",
    "heap/snapshot.py",
)
FILES = {"anywhere": ("",), "where state changes": CHANGING}


@pytest.fixture(scope="module")
def events():
    """How many chances for a signal there are in a call that compiles, by the files that are looked at."""
    x, before, found = np.arange(1.0, 5.0), outside(), {}
    jit(everything)(x, 2.5)  # rewrites, imports
    restore(before)
    for kind, files in FILES.items():
        with signal_at(signal.SIGINT, 10**9, files) as seen:
            jit(everything)(x, 2.5)
        restore(before)
        found[kind] = seen()
    return found


# Where a handler raises while Python closes a generator, Python says so on stderr.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", FILES)
def test_an_interrupt_leaves_everything_as_it_was(events, seed, kind):
    x = np.arange(1.0, 5.0)
    compiled, before = jit(everything), outside()
    force, handler, limit = settings(), signal.getsignal(signal.SIGINT), sys.getrecursionlimit()
    interrupted, number = False, random.Random(seed).randrange(1, events[kind])
    with signal_at(signal.SIGINT, number, FILES[kind]) as seen:
        try:
            compiled(x, 2.5)
            # A handler that was told to come back does so from a thread, which a busy machine may let wait.
            sys.setprofile(None)
            deadline = time.monotonic() + 60.0
            while seen() >= number and time.monotonic() < deadline:
                time.sleep(0.01)
        except KeyboardInterrupt:
            interrupted = True
    assert interrupted is (seen() >= number)
    assert signal.getsignal(signal.SIGINT) is handler
    assert not tracing()
    assert settings() is force
    assert sys.getrecursionlimit() == limit
    assert locks_are_free()
    now = outside()
    assert now[2:] == before[2:]
    ran = now[1] != before[1]  # the signal came after the end of the run
    assert ran or (now[1] == before[1] and np.array_equal(now[0], before[0]))
    restore(before)
    expected, after = everything(x, 2.5), outside()
    restore(before)
    got = compiled(x, 2.5)
    assert same(got, expected)
    assert type(got[2]) is type(expected[2])
    assert same(outside()[:2], after[:2])
    restore(before)


def blocks(x):
    """A class that is staged, and what is computed while the function is traced."""
    return (Vec(x[0], x[1]) + Vec(np.sum(np.zeros(2)), 1.0)).norm


def around():
    """Return what the project's `with` blocks change and put back."""
    context = {variable.name: id(value) for variable, value in contextvars.copy_context().items()}
    displays = [thread for thread in threading.enumerate() if thread.name == "anabranch progress"]
    for display in displays:
        display.join(10)
    return context, any(display.is_alive() for display in displays), outside()[2:]


class Late(Exception):
    """The ordinary exception that an alarm raises."""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "file", ["contextlib.py", "base/context_values.py", "api/compile_driver.py", "_ufunc_config.py"]
)
def test_a_signal_where_a_block_begins_or_ends(file):
    x, came = np.arange(1.0, 5.0), []

    def handler(*_):
        came.append(True)
        raise Late

    old = signal.signal(signal.SIGUSR1, handler)
    try:
        jit(blocks)(x)  # rewrites, imports
        with signal_at(signal.SIGUSR1, 10**9, (file,)) as events:
            jit(blocks)(x)
        before, deadline = around(), time.monotonic() + 60.0
        for number in range(1, events() + 1):
            came.clear()
            with contextlib.suppress(Late), signal_at(signal.SIGUSR1, number, (file,)) as seen:
                jit(blocks)(x)
                sys.setprofile(None)
                while seen() >= number and not came and time.monotonic() < deadline:
                    time.sleep(0.001)
            assert bool(came) is (seen() >= number)
            assert around() == before, number
        assert events()
    finally:
        signal.signal(signal.SIGUSR1, old)


def guarded(x):
    try:
        slow()
        y = 1.0 / x[0]
        if y > 3.0:
            raise ValueError("large")
    except Exception:
        y = -1.0
    return y


def unguarded(x):
    if x[1] > 10.0:
        raise ValueError("large")
    slow()
    return x[0] + 1.0


def alarmed(*_):
    raise Late


def slow():
    """Where the signal comes while the function is traced."""


@contextlib.contextmanager
def signal_in_slow(number):
    """Send a signal when `slow` begins."""
    sent = []

    def watch(frame, event, argument):
        if event == "call" and frame.f_code.co_name == "slow" and not sent:
            sent.append(True)
            signal.raise_signal(number)

    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(None)
    assert sent


@pytest.mark.parametrize("function", [guarded, unguarded])
def test_what_a_handler_raises_is_no_part_of_the_function(function):
    old = signal.signal(signal.SIGUSR1, alarmed)
    x = np.array([2.0, 3.0])
    try:
        compiled = jit(function)
        with signal_in_slow(signal.SIGUSR1), pytest.raises(Late):
            compiled(x)
        assert compiled(x) == function(x)
        assert signal.getsignal(signal.SIGUSR1) is alarmed
    finally:
        signal.signal(signal.SIGUSR1, old)


def test_an_instruction_without_a_line_may_be_interrupted():
    def interrupted():
        raise KeyboardInterrupt

    interrupted.__code__ = interrupted.__code__.replace(co_linetable=b"")
    with pytest.raises(KeyboardInterrupt) as caught:
        interrupted()
    hide_internal_frames(caught.value)
    assert caught.tb.tb_next.tb_frame.f_code is interrupted.__code__
    # Early releases of Python 3.11 say -1 of it themselves.
    assert caught.value.__traceback__.tb_next.tb_lineno in (interrupted.__code__.co_firstlineno, -1)


def test_an_exception_that_somebody_swallows_is_raised_at_the_end():
    def swallow():
        with Watched():
            with contextlib.suppress(BaseException):
                signal.raise_signal(signal.SIGINT)
            with pytest.raises(Interrupt):
                check()

    with pytest.raises(KeyboardInterrupt):
        swallow()
    check()


def test_a_handler_that_does_not_raise_disturbs_nothing():
    came = []
    old = signal.signal(signal.SIGUSR1, lambda *_: came.append(1))
    try:
        with signal_in_slow(signal.SIGUSR1):
            assert jit(unguarded)(np.array([2.0, 3.0])) == 3.0
        assert came
    finally:
        signal.signal(signal.SIGUSR1, old)


# Straight-line code, which takes XLA several seconds whatever becomes of loops.
PROGRAM = """
import os, random, signal, sys, threading, time
import numpy as np
from anabranch import jit

@jit
def long(a):
    x = a
{lines}
    return x

@jit
def short(x):
    y = x
    while abs(y * y - x) > 1e-12:
        y = 0.5 * (y + x / y)
    return y

def on_exit(*_):
    raise SystemExit(7)

def main(how, delay):
    if how == "handler":
        signal.signal(signal.SIGTERM, on_exit)
    number = signal.SIGINT if how in ("caught", "uncaught") else signal.SIGTERM
    threading.Timer(delay, lambda: print("sent", flush=True) or os.kill(os.getpid(), number)).start()
    try:
        long(np.eye(3) * 2.0)
        time.sleep(60)
    except KeyboardInterrupt:
        if how == "uncaught":
            raise
    assert short(9.0) == 3.0
    print("next call", flush=True)

def forked(delay):
    assert short(9.0) == 3.0
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        return
    threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        long(np.eye(3) * 2.0)
        time.sleep(60)
    except KeyboardInterrupt:
        os._exit(5 if abs(short(16) - 4.0) < 1e-9 else 1)
"""
LINES = "\n".join(
    f"    x = np.linalg.inv(x + {i}.0) @ np.sort(x, axis=0)[::-1] + np.cumsum(x, axis={i % 2})" for i in range(1, 80)
)


def child(tmp_path, call, delay):
    """Run the program with a signal; gives its exit status and what it printed. A hang is a failure."""
    (tmp_path / "program.py").write_text(PROGRAM.format(lines=LINES))
    environment = {**os.environ, "PYTHONPATH": PATH, "ANABRANCH_CACHE": "0"}
    process = subprocess.Popen(
        [sys.executable, "-c", f"import program; program.{call}"],
        cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        out, error = process.communicate(timeout=delay + 50)
    finally:
        process.kill()
    return process.returncode, out, error


@pytest.mark.parametrize("seed", range(4))
def test_ctrl_c_at_a_random_time(tmp_path, seed):
    delay = random.Random(seed).uniform(0.1, 8.0)
    status, out, error = child(tmp_path, f"main('caught', {delay})", delay)
    assert (status, out) == (0, "sent\nnext call\n"), error


@pytest.mark.parametrize(
    ("how", "expected"), [("uncaught", -signal.SIGINT), ("handler", 7), ("default", -signal.SIGTERM)]
)
def test_the_process_ends_with_the_status_that_the_signal_gives(tmp_path, how, expected):
    status, out, error = child(tmp_path, f"main({how!r}, 6.0)", 6.0)
    assert (status, out) == (expected, "sent\n"), error
    assert "Fatal" not in error


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_for_which_another_compiles(tmp_path):
    status, out, error = child(tmp_path, "forked(6.0)", 6.0)
    assert (status, out) == (0, "5\n"), error


def test_no_compiled_function_is_kept_of_an_interrupted_call():
    compiled = jit(unguarded)
    with signal_in_slow(signal.SIGINT), pytest.raises(KeyboardInterrupt):
        compiled(np.array([2.0, 3.0]))
    assert compiled.cache_info().currsize == 0
    assert isinstance(compiled.lower(np.array([2.0, 3.0])), stages.Lowered)


def test_an_interrupt_while_the_function_prints(monkeypatch):
    class Interrupting:
        def write(self, text):
            if "2" in text:
                signal.raise_signal(signal.SIGINT)

        def flush(self):
            pass

    @jit
    def printing(x, n):
        i = 0
        while i < n:
            if x > 0:
                print(i)
            i += 1
        return x + i

    monkeypatch.setattr(sys, "stdout", Interrupting())
    with pytest.raises(KeyboardInterrupt):
        printing(1.0, 4)
    assert printing(1.0, 2) == 3.0


def test_what_frees_memory_of_llvm_is_not_cut_short():
    """An object that has freed its memory, and has not noted that, would free it again."""

    def stop(*_):
        raise KeyboardInterrupt

    scope = {"__name__": "llvmlite.binding.ffi", "signal": signal}
    exec("def freed(done):\n    signal.raise_signal(signal.SIGUSR1)\n    done.append('noted')\n", scope)
    before, done = signal.signal(signal.SIGUSR1, stop), []

    def watched():
        with Watched():
            scope["freed"](done)
            for _ in range(500):
                time.sleep(0.01)

    try:
        with pytest.raises(KeyboardInterrupt):
            watched()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert done == ["noted"]

"""Functions that are machine code as a whole: Python calls them without XLA, on the caller's own memory."""

from __future__ import annotations

import gc
import os
import threading
import weakref

import numpy as np
import pytest

from anabranch import IntegerRangeError, configure, jit, memory_stats
from anabranch.runtime.xla import disk_cache
from tests.behaviour.interop.fresh_process import run_program
from tests.equivalence import Outcome, alike, check


@pytest.fixture
def no_xla(monkeypatch):
    """XLA compiles nothing."""

    def refuse(*_):
        raise AssertionError("XLA was asked")

    monkeypatch.setattr(disk_cache, "compile_text", refuse)


def scaled(a, k):
    out = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        out[i] = a[i] * k
    return out


def smoothed(a):
    for i in range(1, a.shape[0] - 1):
        a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3


def divided(a, b):
    for i in range(a.shape[0]):
        a[i] = a[i] // b[i]


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def numbers(i, x, flag):
    return i / 2, x + i, not flag, i if flag else x


def strided(n):
    return np.arange(3.0 * n)[::3]


def unaligned(n):
    memory = np.zeros(8 * n + 1, np.uint8)
    made = memory[1:].view(np.float64)
    made[:] = np.arange(n)
    return made


def column_major(n):
    return np.asfortranarray(np.arange(2.0 * n).reshape(n, 2))[:, 1]


def swapped_bytes(n):
    return np.arange(float(n)).astype(">f8")


LAYOUTS = [np.arange, strided, unaligned, column_major, swapped_bytes]


@pytest.mark.parametrize("make", LAYOUTS)
def test_arrays_of_any_layout_are_read_and_written(no_xla, make):
    a = make(20) * 1.0 if make is np.arange else make(20)
    check(scaled, a, 2.5)
    check(smoothed, a)


def test_arrays_of_more_axes_in_other_orders(no_xla):
    def f(a):
        total = 0.0
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                total = total * 0.5 + a[i, j]
                a[i, j] = total
        return total

    grid = np.arange(30.0).reshape(5, 6)
    for a in (grid, np.asfortranarray(grid), grid.T, grid[::2, ::-1], grid[1:, 2:]):
        check(f, a)


@pytest.mark.parametrize(
    "args",
    [
        (3, 1.5, True), (-(2**63), -0.0, False), (2**63 - 1, float("nan"), True), (-1, 1e308, np.True_),
        (np.int64(3), np.float64(2.5), True), (np.int8(3), np.float32(2.5), False), (7, 2j, True),
        (np.uint16(3), np.complex64(1j), np.False_), (3, np.array(1.5), True), (np.array(4), 1, True),
        (True, False, True),
    ],
)  # fmt: skip
def test_numbers_of_all_kinds(args):
    check(numbers, *args)


def test_numbers_need_no_xla(no_xla):
    for args in ((3, 1.5, True), (np.int8(3), np.float32(2.5), False), (np.array(4), 2, True)):
        check(numbers, *args)
    check(collatz, 27)


def test_an_int_beyond_64_bits_is_refused_by_name(no_xla):
    f = jit(collatz)
    for _ in range(3):
        assert f(27) == 111
    for n in (2**64, -(2**70)):
        with pytest.raises(IntegerRangeError, match="argument 'n'"):
            f(n)
    assert f(27) == 111


def test_after_a_failure_arguments_are_as_before(no_xla):
    f, a, b = jit(divided), np.arange(10.0, 30.0).astype(int), np.arange(20) + 1
    for _ in range(3):
        c = a.copy()
        f(c, b)
        assert c.tolist() == (a // b).tolist()
    checked = jit(lambda x, i: x[i] + 1 / i)
    for i in (2, -2, 20, 0, -21, 2):
        for _ in range(3):
            alike(Outcome(lambda x, i: x[i] + 1 / i, (a, i), {}), Outcome(checked, (a, i), {}))


def test_a_failing_write_leaves_the_argument():
    def f(a, i):
        for k in range(a.shape[0]):
            a[k] += 1.0
        return a[i]

    compiled, a = jit(f), np.zeros(18)
    for i in (3, 3, 3):
        b = a.copy()
        compiled(b, i)
        assert b.all()
    for _ in range(2):
        with pytest.raises(IndexError, match="index 18"):
            compiled(a, 18)
        assert not a.any()


def test_contents_that_change_places(no_xla):
    def f(a, b):
        for i in range(a.shape[0]):
            a[i], b[i] = b[i], a[i] + 1.0

    def g(a, b, n):
        for _ in range(n):
            c = a.copy()
            for i in range(a.shape[0]):
                a[i] = b[i]
            for i in range(a.shape[0]):
                b[i] = c[i]
        return a

    a, b = np.arange(20.0), np.arange(20.0) * 3
    check(f, a, b)
    check(g, a, b, 3)
    check(f, np.arange(40.0)[::2], b)


def test_the_result_is_the_argument_where_python_says_so(no_xla):
    def f(a, flag):
        for i in range(a.shape[0]):
            a[i] += 1.0
        return a if flag else a[2:5]

    compiled = jit(f)
    for flag in (True, False, True, True):
        a = np.zeros(20)
        result = compiled(a, flag)
        assert (result is a) == flag
        assert np.shares_memory(result, a)
        assert a.all()


def test_results_are_fresh_and_large_ones_are_recycled(no_xla):
    f, a = jit(scaled), np.arange(40_000.0)
    first, second = f(a, 2.0), f(a, 3.0)
    assert not np.shares_memory(first, second)
    third = f(a, 4.0)
    assert (first[7], second[7], third[7]) == (14.0, 21.0, 28.0)
    view = second[5:]
    kept = memory_stats()["kept_buffers"]
    del first, second
    assert memory_stats()["kept_buffers"] == kept + 1  # the view keeps the other one
    assert view[2] == 21.0
    fourth = f(a, 5.0)
    assert (view[2], third[7], fourth[7]) == (21.0, 28.0, 35.0)


def test_elements_of_large_arrays_are_read_outside_of_loops(no_xla):
    def f(a):
        peak = a[0]
        for x in a:
            peak = max(peak, x)
        return peak, a[-1], a[3:6]

    check(f, np.cos(np.arange(70_000.0)))


def test_xla_is_asked_where_its_form_is_wanted():
    f = jit(scaled).lower(np.arange(20.0), 2.0).compile()
    assert f(np.arange(20.0), 2.0).tolist() == scaled(np.arange(20.0), 2.0).tolist()
    assert "HloModule" in f.as_text()
    assert f.memory_analysis()["output"] == 160
    again = type(f).deserialize(f.serialize())
    assert again(np.arange(20.0), 2.0).tolist() == scaled(np.arange(20.0), 2.0).tolist()


def test_flags_are_xlas(no_xla):
    with pytest.raises(AssertionError, match="XLA was asked"):
        jit(scaled, compiler_options={"xla_cpu_enable_fast_math": False})(np.arange(20.0), 2.0)
    with configure(native_loops=False), pytest.raises(AssertionError, match="XLA was asked"):
        jit(scaled)(np.arange(20.0), 2.0)


def test_threads_run_beside_one_another(no_xla):
    """The first call waits, in its loop, for what the other thread computes."""

    def slow(n):
        x = 1.0
        for _ in range(n):
            x = x * 0.999999 + 1e-9
        return x

    f = jit(slow)
    assert f(10) == slow(10)
    ticks, ended = [], threading.Event()

    def tick():
        while not ended.is_set():
            ticks.append(1)
            ended.wait(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    before = len(ticks)
    f(100_000_000)
    during = len(ticks) - before
    ended.set()
    thread.join()
    assert during > 20


def test_many_threads_one_function(no_xla):
    f, found = jit(scaled), {}

    def work(k):
        a = np.arange(100.0) + k
        found[k] = all(f(a, 2.0)[3] == 2.0 * (3.0 + k) for _ in range(200))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(8), True)


ENDLESS = """
import os, signal, threading, time
import numpy as np
from anabranch import jit

def endless(x):
    while x > 0:
        x = x * 0.5 + 1.0
    return x

def long(a, n):
    for _ in range(n):
        for i in range(1, a.shape[0]):
            a[i] = a[i - 1] * 0.5 + 1.0
    return a[3]

def timed(f, *args):
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.perf_counter()
    try:
        f(*args)
    except KeyboardInterrupt:
        return 0.25 < time.perf_counter() - start < 3

f, g, a = jit(endless), jit(long), np.ones(1000)
f(-1.0), f(-1.0), g(a, 1), g(a, 1)
print(timed(f, 1.0), timed(g, a, 10**12), timed(f, 1.0), f(-1.0), g(a, 1))
seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
g(a, 2_000_000)
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(seen) > 2)

def stop(*_):
    raise ValueError("enough")

signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    f(1.0)
except ValueError as error:
    print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
def test_signals_are_answered_while_it_runs(tmp_path):
    assert run_program(tmp_path, ENDLESS) == "True True True -1.0 1.875\nTrue\nenough\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_calls_it_too(no_xla):
    f, a = jit(scaled), np.arange(30.0)
    f(a, 2.0), f(a, 2.0)
    child = os.fork()
    if child == 0:
        os._exit(0 if f(a, 3.0)[2] == 6.0 and jit(collatz)(6) == 8 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_code_goes_with_the_function():
    f = jit(lambda x: x * 12345.0 + 1)
    f(2.0), f(2.0)
    function = weakref.ref(f._executables.values()[0].execution.code.function)
    assert function() is not None
    del f
    gc.collect()
    assert function() is None


def test_equal_code_is_one_function():
    f, g = jit(lambda x: x * 3.0 + 7), jit(lambda y: y * 3.0 + 7)
    assert f(2.0) == g(2.0) == 13.0
    first, second = (h._executables.values()[0].execution.code.function for h in (f, g))
    assert first is second


def ordered(a, k):
    total = 0.0
    for i in range(k):
        s = np.sort(a + i)
        total += s[0] - s[-1]
    return total, np.sort(a)[::-1], np.argsort(a, kind="stable"), np.sort(a[:5])


def picked(a, k):
    few = a[:6] * 2
    places = [k, 1, -1]
    total = a[0] * 0
    for i in range(k):
        places[i] = (places[i] + i) % 6
        total += few[places].sum()
    return few[places], total


DTYPES = (np.int64, np.uint8, np.int16, np.uint64, np.float64, np.float32, np.bool_)


@pytest.mark.parametrize("dtype", DTYPES)
def test_few_elements_are_sorted(no_xla, dtype):
    values = (np.random.default_rng(3).standard_normal(70) * 9).astype(dtype)
    if np.dtype(dtype).kind == "f":
        values[::9], values[4::11], values[5] = np.nan, -0.0, np.inf
    check(ordered, values, 3)


def test_many_elements_are_sorted_by_numpy():
    check(ordered, np.random.default_rng(3).standard_normal(700), 3)


def test_elements_of_small_arrays_are_picked(no_xla):
    check(picked, np.arange(8.0), 3)
    check(picked, np.arange(8), 2)

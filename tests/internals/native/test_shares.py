"""Large loops of machine code that several threads run: the results are those of one, to the bit."""

from __future__ import annotations

import os
import pickle
import re
import signal
import threading

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.host import machine_code
from anabranch.runtime.native import emitter, share_runtime, shares
from tests.equivalence import check

pytestmark = pytest.mark.skipif(not machine_code.HAS_THREADS, reason="there are no threads here")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Loops of some hundred steps are large, and there are more processors than threads."""
    monkeypatch.setattr(shares, "_WORK_OF_THREAD", 64)
    monkeypatch.setattr(
        share_runtime, "_THREADS", re.sub(r"@count_processors.*?\n\}", _SIX, share_runtime._THREADS, flags=re.DOTALL)
    )


_SIX = "@count_processors() {\n  ret i64 6\n}"


def llvm(function, *args):
    return jit(function).lower(*args).native_program().llvm


def count(function, *args):
    """How many loops threads share."""
    return llvm(function, *args).count("call void @run_shares")


def elementwise(x):
    y = x * x + 3 * x - 1
    return y, y[::-1] / (2 + x), np.where(x > 0.5, y, 0.0), np.concatenate([x, y]).T


def functions(x):
    return np.exp(x) + np.log(x + 1), np.exp(x[:, ::2]), np.arctan2(x, x[0])


def reductions(x):
    return x.sum(), x.sum(axis=0), x.sum(axis=1), x.max(axis=1), x.argmax(), (x * x).mean(), np.cumsum(x, axis=1)


def shifted(x):
    x[1:] = x[:-1] + x[1:]
    x[:, 0] = x[:, 1]
    return x


def wide(x):
    return (x + 1j * x[::-1]) * 2, (x * 100).astype(np.int8), x > 0.3


@pytest.mark.parametrize("function", [elementwise, functions, reductions, shifted, wide])
def test_arrays(rng, function):
    x = rng.random((60, 50))
    assert count(function, x) > 0
    check(function, x)
    made = [pickle.dumps(jit(function, threads=n)(x.copy())) for n in (1, 3)]
    assert made[0] == made[1]


def rows(a, b):
    for i in range(a.shape[0]):
        a[i, : i + 1] *= 2
        for k in range(b.shape[1]):
            a[i, : i + 1] += b[i, k] * b[: i + 1, k]
    return a


def blocks(a, b):
    for i in range(a.shape[0] // 4):
        for k in range(4):
            a[4 * i + k] *= b[i % 7, k]
    return a


def columns(a, b):
    out = np.zeros((b.shape[0], a.shape[0] + 1))
    for i in range(a.shape[0]):
        for k in range(b.shape[1]):
            out[:, i + 1] += np.sqrt(b[:, k] * a[i, k]) - out[k, i + 1]
    return out


def pairs(a, b):
    out = np.zeros(2 * a.shape[0])
    for i in range(a.shape[0]):
        if a[i, 0] > 0.5:
            out[2 * i] = a[i, 1]
        else:
            k = 0
            while b[k % 7, 0] < 0.9 and k < 20:
                k += 1
            out[2 * i + 1] = k
    return out


def from_copies(a, b):
    for i in range(a.shape[0]):
        t = b[:7].copy()
        for k in range(7):
            t[k] += a[i, k] * t[k - 1, 0]
        a[i, :9] = t[6]
    return a


def exchanged(a, b):
    for i in range(a.shape[0]):
        row = a[i].copy()
        a[i, :20] = row[20:]
        a[i, 20:] = row[:20] + b[0, 0]
    return a


def next_rows(a, b):
    for i in range(1, a.shape[0]):
        a[i] = a[i - 1] * 0.5 + b[i % 5, 0]
    return a


def overlapping(a, b):
    out = np.zeros(a.shape[0] + 1)
    for i in range(a.shape[0]):
        out[i] += a[i, 0]
        out[i + 1] = a[i, 1] * b[0, 0]
    return out


def same_place(a, b):
    for i in range(a.shape[0]):
        a[0] = a[i] + b[0, 0]
    return a


def counted(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        a[i] = a[i] * 2
        total += a[i].sum()
    return a, total


@pytest.mark.parametrize(
    ("function", "is_shared"),
    [(f, True) for f in (rows, blocks, columns, pairs, from_copies, exchanged)]
    + [(f, False) for f in (next_rows, overlapping, same_place, counted)],
)
def test_loops(rng, monkeypatch, function, is_shared):
    asked = []
    plain = emitter.are_shared
    monkeypatch.setattr(emitter, "are_shared", lambda *a: asked.append(plain(*a)) or asked[-1])
    a, b = rng.random((40, 40)), rng.random((40, 9))
    check(function, a, b)
    check(function, a[:6], b)  # some arrays are in registers
    assert any(asked) == is_shared
    made = [pickle.dumps(jit(function, threads=n)(a.copy(), b)) for n in (1, 3)]
    assert made[0] == made[1]


def test_threads_that_can_not_be_made(rng, monkeypatch):
    failing = re.sub(r"call i32 @pthread_create\(.*", "add i32 11, 0", share_runtime._THREADS)
    monkeypatch.setattr(share_runtime, "_THREADS", failing)
    check(elementwise, rng.random((60, 50)))


def test_what_scipy_computes_is_one_threads(rng):
    special = pytest.importorskip("scipy.special")
    text = llvm(lambda x: special.gammaln(x) + 1, rng.random(3000))
    assert re.findall(r"@run_shares\(ptr @take\d+, ptr %\w+, i64 0, i64 3000, i64 \d+, i64 (\d+)", text) == ["1"]


def busy(x, n):
    for _ in range(n):
        x = x * 0.5 + 1
    return x


def test_a_fork_meanwhile(rng):
    x = rng.random(3000)
    compiled = jit(busy)
    want = compiled(x, 7)
    other = threading.Thread(target=lambda: [compiled(x, 300) for _ in range(3)])
    other.start()
    child = os.fork()
    if not child:
        os._exit(0 if np.array_equal(compiled(x, 7), want) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    other.join()


def test_several_callers(rng):
    x, found = rng.random((60, 50)), []
    compiled = jit(lambda x: (x * 2 + 1) / (x + 1))
    want = compiled(x)
    callers = [threading.Thread(target=lambda: found.extend(compiled(x) for _ in range(20))) for _ in range(3)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(found) == 60
    assert all(np.array_equal(one, want) for one in found)


def endless(a, limit):
    for i in range(a.shape[0]):
        k = 0
        while a[i] * k < limit:
            k += 1
        a[i] = k
    return a


class Stop(Exception):
    pass


def test_a_signal_meanwhile(rng):
    def stop(*_):
        raise Stop

    compiled, a = jit(endless), np.full(600, 1.0)
    assert (compiled(a.copy(), 5.0) == 5).all()
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(Stop):
            compiled(a, 1e15)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert (a == 1).all()
    assert (compiled(a, 5.0) == 5).all()

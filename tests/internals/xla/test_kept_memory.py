"""Memory that calls keep: used again when nobody has it, bounded, given back; never that of an array in use."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

import anabranch
from anabranch import configure, jit
from anabranch.runtime.host import staging
from tests.equivalence import check
from tests.internals.xla.hand_written import run_script

N = 50_000


@pytest.fixture(autouse=True)
def nothing_kept():
    anabranch.release_memory()
    yield
    anabranch.release_memory()


def unaligned(values):
    """The values at an address that XLA does not take."""
    memory = np.empty(values.nbytes + 128, np.uint8)
    start = -memory.ctypes.data % 64 + 16
    view = memory[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    view[...] = values
    return view


def doubled(x):
    return x * 2


X = unaligned(np.arange(float(N)))


def test_results_stand_where_earlier_ones_stood():
    f = jit(lambda n: np.arange(N) + n)
    first = f(1)
    place = first.ctypes.data
    del first
    assert f(2).ctypes.data == place


def test_an_array_in_use_is_left_alone():
    f = jit(doubled)
    results = [f(X + k) for k in range(6)]
    parts = [f(X + k)[5:7] for k in range(6)]
    for _ in range(6):
        f(X - 1)
    for k in range(6):
        np.testing.assert_array_equal(results[k], (X + k) * 2)
        np.testing.assert_array_equal(parts[k], ((X + k) * 2)[5:7])


def test_two_results_of_one_call_are_two_arrays():
    f = jit(lambda x: (x * 2, x * 2, x + 1))
    for _ in range(3):
        a, b, c = f(X)
        a[0] = -1.0
        np.testing.assert_array_equal(b, X * 2)
        np.testing.assert_array_equal(c, X + 1)
        assert not np.shares_memory(a, b)


def test_a_result_is_the_argument_of_the_next_call():
    f = jit(doubled)
    x = X.copy()
    for _ in range(4):
        x = f(x)
    np.testing.assert_array_equal(x, X * 16)


def test_written_arguments():
    def write(x, y):
        x[0] = 1.0
        y += x
        return x * 2

    for _ in range(3):
        check(write, X.copy(), unaligned(X))


def test_what_is_kept_is_counted_bounded_and_given_back():
    f, strided = jit(doubled), np.repeat(X, 2)[::2]
    for _ in range(2):
        f(strided)
    stats = anabranch.memory_stats()
    # The result; the argument is read where it is.
    assert stats == {"kept_bytes": X.nbytes, "kept_buffers": 1, "limit": anabranch.Settings().kept_memory}
    anabranch.release_memory()
    assert anabranch.memory_stats()["kept_bytes"] == 0
    with configure(kept_memory=4 * X.nbytes + 128):
        held = [f(strided), f(strided)]
        del held
        assert anabranch.memory_stats()["kept_bytes"] == 2 * X.nbytes
    with configure(kept_memory=0):
        np.testing.assert_array_equal(f(X), X * 2)
        held = [f(X), f(X)]
        del held
        anabranch.release_memory()
        f(X)
        assert anabranch.memory_stats()["kept_bytes"] == 0


def test_a_call_that_raises_costs_no_memory_in_use():
    def checked(x, limit):
        y = x * 2
        if y[0] > limit:
            raise ValueError("too large")
        return y

    f = jit(checked)
    kept = f(X, 1.0)
    for _ in range(3):
        with pytest.raises(ValueError, match="too large"):
            f(X + 1, 1.0)
        np.testing.assert_array_equal(f(X - 1, 1.0), (X - 1) * 2)
    np.testing.assert_array_equal(kept, X * 2)


def test_threads():
    f, wrong = jit(doubled), []

    def work(number):
        for k in range(50):
            if not np.array_equal(f(X + number * k), (X + number * k) * 2):
                wrong.append((number, k))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_results_in_cycles_come_back_by_the_collector():
    f = jit(doubled)
    for _ in range(5):
        loop = [f(X)]
        loop.append(loop)
        del loop
        gc.collect()
        np.testing.assert_array_equal(f(X), X * 2)


def test_copies_and_results_need_no_other_package():
    script = """
    import sys
    import numpy as np
    from anabranch import jit
    f, x = jit(lambda x: (x * 2, x.sum())), np.arange(50_001.0)[1:]
    for _ in range(4):
        f(x)
        f(x.copy())
    print("jax" in sys.modules)
    """
    assert run_script(script).stdout == "False\n"


FORKED = """
import os, sys
import numpy as np
import anabranch
from anabranch import jit
f = jit(lambda x: x * 2)
x = np.arange(50_000.0)
held = f(x)
f(x)
child = os.fork()
if not child:
    before = held.copy()
    del held
    assert np.array_equal(f(x + 1), (x + 1) * 2)
    assert np.array_equal(f(x + 2), (x + 2) * 2)
    sys.stdout.flush()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert np.array_equal(f(x), held)
print("done")
"""


def test_forked():
    assert run_script(FORKED).stdout == "done\n"


@pytest.mark.parametrize("made", [np.float32, np.complex128, np.int8, np.bool_])
def test_every_result_may_be_recycled(made, monkeypatch):
    monkeypatch.setattr(staging, "_RECYCLED_BYTES", 1)

    def several(x, n):
        total = x[:0]
        for i in range(n):
            if i % 2:
                x[i % 3] = x[0]
            total = x[::-1]
        return x, total, x.sum(), x[1:], np.zeros((2, 0)), n + 1

    for _ in range(2):
        check(several, np.ones(4, made), 3)

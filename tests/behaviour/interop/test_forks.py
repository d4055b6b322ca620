"""Processes that are forked from one in which XLA has run: right answers or a clear error, and always an end."""

from __future__ import annotations

import os

import pytest

from tests.behaviour.interop import fresh_process

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


def run_program(folder, program, *, native_loops=False):
    """Run a program, whose functions are XLA's."""
    return fresh_process.run_program(folder, program, ANABRANCH_NATIVE_LOOPS=str(int(native_loops)))


# The parent uses everything, then forks; `in_child` waits for the child, which may not take for ever.
COMMON = """
import os, sys, time, traceback, warnings
import numpy as np
import anabranch
from anabranch import jit
warnings.simplefilter("ignore", DeprecationWarning)  # on forking with threads

@jit
def count(x):
    s = 0.0
    while s < 10:
        s = s + x.sum()
    return s

@jit
def solved(a):
    return np.linalg.solve(a, a @ np.ones(len(a)))

@jit
def told(n):
    for i in range(n):
        print("step", i)
    return n

@jit
def moved(a, b):
    return a @ b + 1

def in_child(work):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            work()
            sys.stdout.flush()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            assert status == 0, status
            return
        time.sleep(0.01)
    os.kill(pid, 9)
    raise SystemExit("the child hangs")
"""


def test_what_the_parent_compiled_runs_in_the_child(tmp_path):
    out = run_program(
        tmp_path,
        COMMON
        + """
x, big = np.ones(3), np.eye(400) + 1
a, b = anabranch.asarray(big), anabranch.asarray(big)
assert count(x) == 12.0
expected = solved(big)
on_device = moved(a, b)
for _ in range(4):  # calls that are met more than once go another way
    count(x), solved(big), moved(a, b), a + b
compiled = count.lower(x).compile()

def work():
    assert count(x) == 12.0
    assert compiled(x * 2) == 12.0
    np.testing.assert_array_equal(solved(big), expected)
    # Arrays of the parent's, made by it and given to the parent's executable, also with new ones.
    np.testing.assert_array_equal(np.asarray(on_device), big @ big + 1)
    np.testing.assert_array_equal(np.asarray(moved(on_device, b)), (big @ big + 1) @ big + 1)
    np.testing.assert_array_equal(np.asarray(moved(anabranch.asarray(big), a)), big @ big + 1)
    for _ in range(4):
        assert count(x) == 12.0
        np.testing.assert_array_equal(np.asarray(moved(on_device, b)), (big @ big + 1) @ big + 1)
        np.testing.assert_array_equal(np.asarray(a + b), 2 * big)
    assert count.cache_info().misses == 1
    print("same")

in_child(work)
in_child(lambda: in_child(work))
assert count(x) == 12.0
np.testing.assert_array_equal(np.asarray(moved(a, b)), big @ big + 1)
""",
    )
    assert out == "same\nsame\n"


def test_the_child_compiles(tmp_path):
    out = run_program(
        tmp_path,
        COMMON
        + """
assert count(np.ones(3)) == 12.0
a = anabranch.asarray(np.ones((2, 2)))
assert float((a + 1).sum()) == 8.0

def work():
    assert count(np.ones(5)) == 10.0
    assert count(np.ones((2, 2), np.float32)) == 12.0
    assert float((a * 3).sum()) == 12.0
    np.testing.assert_allclose(solved(np.eye(3) + 1), np.ones(3))
    print("new")

in_child(work)
def twice():
    work()
    in_child(lambda: print(count(np.ones(7))))
in_child(twice)
assert count(np.ones(5)) == 10.0
""",
    )
    assert out == "new\nnew\n14.0\n"


def test_the_child_of_a_parent_that_has_run_nothing_compiles_by_itself(tmp_path):
    out = run_program(
        tmp_path,
        COMMON
        + """
from anabranch.runtime.xla import fork
def work():
    assert count(np.ones(3)) == 12.0
    told(2)
    assert not fork._process.cannot_compile
in_child(work)
assert count(np.ones(3)) == 12.0
""",
    )
    assert out == "step 0\nstep 1\n"


def test_the_compiling_interpreter_ends(tmp_path):
    out = run_program(
        tmp_path,
        COMMON
        + """
from anabranch.runtime.xla import fork
import multiprocessing
assert count(np.ones(3)) == 12.0
def work():
    assert count(np.ones(4)) == 12.0
    fork._process._compiler._process.kill()
    try:
        count(np.ones(5))
    except anabranch.ForkedProcessError as error:
        print("spawn" in str(error))
    print(count(np.ones(5)))
    multiprocessing.set_executable("/no/such/python")
    fork._process._compiler._process.kill()
    for _ in range(2):
        try:
            count(np.ones(6))
        except anabranch.ForkedProcessError as error:
            print("spawn" in str(error))
in_child(work)
""",
    )
    assert out == "True\n10.0\nTrue\nTrue\n"


def test_host_functions_in_the_child(tmp_path):
    out = run_program(
        tmp_path,
        COMMON
        + """
ordered = jit(lambda x: np.sort(x))
given = np.arange(5000.0)[::-1] % 1234
assert (ordered(given) == np.sort(given)).all()
assert "host functions" in str(ordered.explain(given))
def work():
    for x in (given, given[:4000]):  # one that the parent compiled, and a new one
        assert (ordered(x) == np.sort(x)).all()
    print("sorted")
in_child(work)
""",
    )
    assert out == "sorted\n"


def test_callbacks_cannot_be_had_in_the_child(tmp_path):
    out = run_program(
        tmp_path,
        COMMON
        + """
told(1)
def work():
    for n in (1, True):  # one that the parent compiled, and a new one
        try:
            told(n)
        except anabranch.ForkedProcessError as error:
            print("spawn" in str(error), isinstance(error, RuntimeError))
    assert count(np.ones(3)) == 12.0
in_child(work)
told(2)
""",
    )
    assert out == "step 0\nTrue True\nTrue True\nstep 0\nstep 1\n"


def test_a_computation_that_is_under_way_is_ready_in_the_child(tmp_path):
    out = run_program(
        tmp_path,
        COMMON
        + """
a = anabranch.asarray(np.eye(700) + 1e-3)
expected = np.asarray(moved(a, a))
for _ in range(4):
    later = moved(a, a)
    in_child(lambda: np.testing.assert_array_equal(np.asarray(later), expected))
print("ready")
""",
    )
    assert out == "ready\n"


def test_locks_that_other_threads_held_are_free_in_the_child(tmp_path):
    out = run_program(
        tmp_path,
        COMMON
        + """
import threading
inside, go_on = threading.Event(), threading.Event()

def stop_here():
    inside.set()
    go_on.wait()
    return 1.0

class Slow:
    def __array__(self, dtype=None, copy=None):
        return np.ones(3)

@jit
def slow(x):
    if threading.current_thread() is not threading.main_thread():
        stop_here()
    return x + 1

thread = threading.Thread(target=slow, args=(1.0,))
thread.start()
inside.wait()
in_child(lambda: print(slow(1.0)))
go_on.set()
thread.join()
""",
    )
    assert out == "2.0\n"


def test_jax_has_compiled_in_the_parent(tmp_path):
    pytest.importorskip("jax")
    out = run_program(
        tmp_path,
        COMMON
        + """
import jax
warnings.simplefilter("ignore")
jax.jit(lambda x: x + 1)(1.0).block_until_ready()
def work():
    assert count(np.ones(3)) == 12.0
    print("beside")
in_child(work)
""",
    )
    assert out == "beside\n"


def test_leaving_the_child_as_any_program(tmp_path):
    """`sys.exit` runs what `os._exit` leaves out: the ends of clients and executables."""
    out = run_program(
        tmp_path,
        COMMON
        + """
count(np.ones(3)); a = anabranch.asarray(np.ones(3)); a + 1
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    print(count(np.ones(4)), count(np.ones(3)), float((a + 1).sum()))
    sys.exit()
print(os.waitpid(pid, 0)[1])
""",
    )
    assert out == "12.0 12.0 6.0\n0\n"


@pytest.mark.slow
@pytest.mark.parametrize("native_loops", [False, True])
def test_while_other_threads_compile_and_run(tmp_path, native_loops):
    out = run_program(
        tmp_path,
        COMMON
        + """
import threading
a = anabranch.asarray(np.eye(100))
count(np.ones(3)); moved(a, a)
stop = threading.Event()

def busy(k):
    n = 0
    while not stop.is_set():
        n += 1
        jit(lambda x: x * k + n if x.sum() > 0 else x)(np.ones(3))
        count(np.ones(3)); moved(a, a); moved(np.eye(100), np.eye(100))

threads = [threading.Thread(target=busy, args=(k,)) for k in range(2)]
for thread in threads:
    thread.start()

def work():
    assert count(np.ones(3)) == 12.0
    np.testing.assert_array_equal(np.asarray(moved(a, a)), np.eye(100) + 1)

for i in range(8):
    time.sleep(0.03 * i)
    in_child(work)
in_child(lambda: print(count(np.ones(5))))
stop.set()
for thread in threads:
    thread.join()
""",
        native_loops=native_loops,
    )
    assert out == "10.0\n"

"""Many threads and one jitted function: one compilation for each signature, and nobody waits who need not."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import numpy as np
import pytest

import anabranch
from anabranch import jit
from anabranch.runtime.api import compile_driver
from anabranch.runtime.config import configure
from anabranch.runtime.xla import disk_cache


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def together(count, work):
    """Run `work(i)` in that many threads, started at once; gives what they gave, and raises what one raised."""
    barrier, results, errors = threading.Barrier(count), [None] * count, []

    def run(i):
        barrier.wait()
        try:
            results[i] = work(i)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    if errors:
        raise errors[0]
    return results


@pytest.fixture(params=["compile_text", "compile_llvm"])
def compiler(request):
    """The name of what compiles: by XLA, or by LLVM alone."""
    return request.param


@pytest.fixture
def options(compiler):
    """The options of a function that is compiled so."""
    return {"native_loops": compiler == "compile_llvm"}


@pytest.fixture
def compiled(monkeypatch, compiler):
    """The texts that were compiled."""
    texts = []
    plain = getattr(disk_cache, compiler)
    monkeypatch.setattr(disk_cache, compiler, lambda text, *a: texts.append(text) or plain(text, *a))
    return texts


def test_sixty_four_threads_and_a_new_signature(compiled, options):
    f = jit(collatz, **options)
    assert together(64, lambda i: f(i + 1)) == [collatz(i + 1) for i in range(64)]
    assert len(compiled) == 1
    assert f.cache_info().misses == 1
    assert f.cache_info().hits <= 63


def test_threads_with_signatures_of_their_own(compiled, options):
    def total(x):
        s = 0.0
        for v in x:
            s += v
        return s

    f = jit(total, **options)
    assert together(32, lambda i: f(np.arange(1.0 + i % 4))) == [sum(range(1 + i % 4)) for i in range(32)]
    assert f.cache_info().misses == len(compiled) == 4


def test_functions_are_compiled_side_by_side(monkeypatch, compiler, options):
    """The work for one function does not keep another from being compiled."""
    inside, plain = threading.Barrier(2, timeout=30), getattr(disk_cache, compiler)

    def compile_slowly(*args):
        inside.wait()  # broken, and so raised, when only one thread gets here
        return plain(*args)

    monkeypatch.setattr(disk_cache, compiler, compile_slowly)
    functions = [jit(lambda x: x + 1, **options), jit(lambda x: x + 2, **options)]
    assert together(2, lambda i: functions[i](1)) == [2, 3]


def test_a_known_signature_waits_for_no_compilation(monkeypatch, compiler, options):
    f = jit(collatz, **options)
    assert f(6) == collatz(6)
    compiling_now, may_go_on, plain = threading.Event(), threading.Event(), getattr(disk_cache, compiler)

    def compile_slowly(*args):
        compiling_now.set()
        assert may_go_on.wait(30)
        return plain(*args)

    monkeypatch.setattr(disk_cache, compiler, compile_slowly)
    thread = threading.Thread(target=f, args=(np.int32(7),))
    thread.start()
    assert compiling_now.wait(30)
    assert f(27) == 111  # this thread would wait for ever
    with compile_driver.tracing_alone:
        assert f(9) == collatz(9)
    may_go_on.set()
    thread.join()
    assert f.cache_info().currsize == 2


def test_cleared_while_compiling(monkeypatch, compiler, options):
    f, plain = jit(collatz, **options), getattr(disk_cache, compiler)

    def compile_slowly(*args):
        f.cache_clear()
        return plain(*args)

    monkeypatch.setattr(disk_cache, compiler, compile_slowly)
    assert together(8, lambda i: f(i + 1)) == [collatz(i + 1) for i in range(8)]
    f.cache_clear()
    assert f.cache_info().currsize == 0
    assert f(6) == collatz(6)


def test_cleared_all_the_time():
    f, stop = jit(collatz), threading.Event()

    def clear():
        while not stop.wait(0.001):
            f.cache_clear()

    thread = threading.Thread(target=clear)
    thread.start()
    try:
        with configure(cache_size=1):
            kinds = (int, np.int32, np.int64)
            assert together(8, lambda i: [f(kinds[(i + k) % 3](6)) for k in range(6)]) == [[8] * 6] * 8
    finally:
        stop.set()
        thread.join()


def test_a_failure_is_everybodys_own():
    def f(x):
        raise KeyError(x + 1)

    w, found = jit(f), []

    def work(i):
        try:
            w(i)
        except KeyError as error:
            found.append(error.args[0])

    together(8, work)
    assert sorted(found) == list(range(1, 9))

    @jit
    def never(x):
        return np.zeros(x)[0] if isinstance(x, str) else open("nothing")

    def refused(i):
        with pytest.raises(anabranch.AnabranchError):
            never(i)

    together(8, refused)


def test_traces_see_nothing_of_one_another():
    """Each changes the list that all share, and puts it back."""
    shared = [0]

    def make(k):
        def f(x):
            shared[0] = x + k
            return shared[0]

        return jit(f)

    functions = [make(k) for k in range(8)]
    assert together(8, lambda i: functions[i](10)) == list(range(10, 18))
    assert shared[0] in range(10, 18)


def test_recursion_and_calls_of_others():
    @jit
    def double(x):
        return 2 * x

    @jit
    def power(x, n):
        return 1 if n == 0 else double(power(x, n - 1))

    assert together(4, lambda i: power(i, anabranch.asarray(np.array(3)) if i % 2 else 3)) is not None
    assert power(1, 5) == 32


# ---- nothing stays behind ----------------------------------------------------------------------------------------


class Held:
    """Something that a function may hold."""


def alive(references):
    """Return what has not gone."""
    for _ in range(20):
        gc.collect()
        found = [r() for r in references]
        if not any(o is not None for o in found):
            return []
        # XLA lets go of memory that another of its threads was done with when it is next called.
        del found
        idle(1)
        time.sleep(0.05)
    return [type(o()) for o in references if o() is not None]


@jit
def idle(x):
    return x


def made_and_called(array, fails=False):
    """A jitted closure that has been called, and weak references to what should go with it."""
    held, big = Held(), np.arange(200_000.0)

    def closure(x):
        if held is None or fails:
            raise ValueError("on purpose")
        if fails is None:
            open("nothing")
        return x + big[:3].sum() + len(type(held).__name__)

    f = jit(closure)
    try:
        f(array)
    except (ValueError, anabranch.AnabranchError):
        pass
    executables = [c.execution.executable for c in f._executables.values()]
    return f, [weakref.ref(o) for o in (f, closure, held, big, *executables)]


@pytest.mark.parametrize("fails", [False, True, None])
@pytest.mark.parametrize("on_disk", [False, True])
def test_nothing_stays_behind(tmp_path, fails, on_disk):
    array = np.ones(3)
    with configure(cache_dir=tmp_path if on_disk else None):
        for _ in range(2):
            f, references = made_and_called(array, fails)
            assert len(references) == (5 if fails is False else 4)
            del f
            assert alive(references) == []


def test_arguments_do_not_stay_behind():
    f = jit(lambda x, rows: x.sum() + rows[0].sum())
    x, row = np.ones(1000), np.ones(2)
    rows = [row]
    references = [weakref.ref(x), weakref.ref(row)]
    f(x, rows)
    del x, row, rows
    assert alive(references) == []


def test_what_is_cleared_does_not_stay_behind():
    f = jit(collatz)
    f(3)
    reference = weakref.ref(f._executables.values()[0].execution.executable)
    f.cache_clear()
    assert alive([reference]) == []


def test_keyed_locks_do_not_stay_behind():
    f = jit(collatz)
    together(8, lambda i: f(i + 1))
    assert not f._executables.locks._locks

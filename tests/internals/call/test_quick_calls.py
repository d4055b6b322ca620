"""Calls that machine code answers: those that it has tables for, with the results of the plain function."""

from __future__ import annotations

import collections
import contextlib
import gc
import inspect
import os
import pickle
import sys
import threading
import traceback
import types
import weakref
from typing import Any

import numpy as np
import pytest

import anabranch
from anabranch import configure, jit
from anabranch.compat.numba import njit
from anabranch.runtime.api import jitted
from anabranch.runtime.call.quick.entry import are_possible
from anabranch.runtime.call.quick.translation import table_of
from anabranch.runtime.testing.outcomes import copied
from tests.equivalence import Outcome, alike

pytestmark = pytest.mark.skipif(not are_possible(), reason="no machine code takes calls in this Python")


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """A table is made for the second call that takes the fast path."""
    monkeypatch.setattr(jitted, "_OFTEN", 2)


def quick(function: Any, *args: Any, **kwargs: Any) -> Any:
    """The function compiled, with a table for these arguments, which must exist."""
    wrapped = function if hasattr(function, "lower") else jit(function)
    for _ in range(4):
        given, options = copied((args, kwargs))
        wrapped(*given, **options)
    assert wrapped._executables.quick, "there is no table"
    return wrapped


def answered(wrapped: Any) -> int:
    """How many calls machine code has answered."""
    return sum(table.calls for _, table in wrapped._executables._tables)


def nothing():
    return None


def total(a):
    s = 0.0
    for x in a:
        s += x
    return s


def more(x):
    return x + 1


def fill(a, n=3):
    for i in range(a.shape[0]):
        a[i] += n


def pick(a, i):
    return a[i]


def product(a, b):
    out = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        out[i] = a[i] * b[i]
    return out


def several(a, x):
    found = [0.0, 1]
    for i in range(3):
        found[0] += a[i] * x
        found[1] += 1
    return found[0], found[1], [x, (a, None)], found[1] > 2


def either(a, limit):
    for i in range(a.shape[0]):
        if a[i] > limit:
            return i
    return None


def halves(a):
    s = a[0]
    for i in range(a.shape[0]):
        s = max(s, a[i])
    return s, a[0] < a[1]


def larger(a, b, n):
    found = a
    for i in range(n):
        found = a if a[i] > b[i] else b
    return found, n


def mean(state, x):
    state.count += 1
    state.total += x
    return state.total / state.count


def entry(table, names):
    return table["a"] + names[1] * table["b"]


def settle(table, x):
    table["b"], table["a"] = table.pop("a"), x
    return x * 2


ONE = np.arange(3.0)
READ_ONLY = np.arange(3.0)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("function", "args", "kwargs"),
    [
        (nothing, (), {}), (total, (ONE,), {}), (total, (np.arange(6.0)[::2],), {}), (more, (1,), {}),
        (more, (1.5,), {}), (more, (True,), {}), (more, (np.float64(1.5),), {}), (more, (np.int64(3),), {}),
        (more, (np.float32(1.5),), {}),
        (more, (np.int8(3),), {}), (fill, (ONE,), {}), (fill, (ONE,), {"n": 2}), (fill, (), {"a": ONE, "n": 1.5}),
        (pick, (ONE, 1), {}), (pick, (READ_ONLY, -1), {}), (product, (ONE, ONE), {}), (product, (ONE, ONE.copy()), {}),
        (several, (ONE, 2.0), {}), (either, (ONE, 1.5), {}), (either, (ONE, 7.0), {}),
        (larger, (ONE, ONE[::-1].copy(), 1), {}), (larger, (ONE, ONE[::-1].copy(), 3), {}),
        (halves, (ONE.astype("f4"),), {}),
        (halves, (ONE.astype("i2"),), {}), (halves, (ONE.astype("u4"),), {}),
        (halves, (np.array([2**64 - 1, 2**63 + 1], np.uint64),), {}), (more, (np.uint64(2**64 - 2),), {}),
        (mean, (types.SimpleNamespace(count=1, total=2.0), 3.0), {}), (entry, ({"a": 1.0, "b": 2}, ("n", 3)), {}),
        (entry, ({"a": 1.0, "b": 2}, ["n", 3]), {}),
    ],
)  # fmt: skip
def test_results_are_those_of_the_plain_function(function, args, kwargs):
    wrapped = quick(function, *args, **kwargs)
    before = answered(wrapped), wrapped.cache_info().hits
    for _ in range(3):
        alike(Outcome(function, args, kwargs), Outcome(wrapped, args, kwargs))
    assert (answered(wrapped), wrapped.cache_info().hits) == (before[0] + 3, before[1] + 3)
    assert wrapped.cache_info().misses == 1
    loops = jit(function, native_loops=False)
    alike(Outcome(wrapped, args, kwargs), Outcome(loops, args, kwargs))


CALLS = (
    (1,), (True,), (1.0,), (np.float64(1.0),), (np.int64(1),), (None,), ("a",), (ONE,), (np.arange(4.0),),
    (np.arange(3),), (READ_ONLY,), (np.arange(6.0)[::2],), (np.zeros(()),), ((1, 2),), ([1, 2],), ({"a": 1, "b": 2},),
    ({"b": 2, "a": 1},), (types.SimpleNamespace(a=1, b=2),), (ONE, ONE), (ONE, ONE.copy()), (1, 2), (),
)  # fmt: skip


def ends(x=7, y=0):
    return x


def test_only_calls_of_the_signature_are_answered():
    wrapped, made = jit(ends), []
    for args in CALLS:
        for _ in range(4):
            wrapped(*args)
        made += wrapped._executables.quick[:1]
    assert len(made) > 12
    for entry in made:
        for other in CALLS:
            wrapped._executables.quick = (entry,)  # and no other one's
            alike(Outcome(ends, other, {}), Outcome(wrapped, other, {}))


def test_a_failure_is_raised_and_shows_the_user_alone():
    wrapped = quick(pick, ONE, 1)
    for _ in range(3):
        with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 3") as caught:
            wrapped(ONE, 9)
        names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
        assert names == ["test_a_failure_is_raised_and_shows_the_user_alone", "pick"]
        assert wrapped(ONE, 2) == 2.0
    with pytest.raises(TypeError):
        wrapped(ONE)
    with pytest.raises(OverflowError):
        quick(more, 1)(2**70)


def test_several_signatures():
    wrapped = jit(more)
    for _ in range(8):
        for x in (1, 1.5, True, np.float64(2.0)):
            alike(Outcome(more, (x,), {}), Outcome(wrapped, (x,), {}))
    assert len(wrapped._executables.quick) == 4
    wrapped.clear_cache()
    assert wrapped._executables.quick == ()
    assert wrapped(1) == 2
    assert wrapped.cache_info()[:2] == (0, 1)


def test_static_arguments_and_defaults():
    def scaled(x, n, *, by=2.0):
        return x * by**n

    wrapped = quick(jit(scaled, static_argnames="n"), 1.5, 2)
    for _ in range(5):
        assert [wrapped(1.5, n) for n in (2, 3, True)] == [6.0, 12.0, 3.0]
        assert [wrapped(1.5, n=n, by=b) for n in (2, 1) for b in (3.0, 1)] == [13.5, 1.5, 4.5, 1.5]
    scaled.__kwdefaults__["by"] = 3.0
    assert wrapped(1.5, 2) == 13.5


offset = 1.0


def test_what_is_read_from_outside(monkeypatch):
    def inner():
        return offset

    def outer(x, n=0):
        return inner() + by + x + n

    by = 2.0
    wrapped = quick(outer, 1.0)
    before = answered(wrapped)
    assert wrapped(1.0) == 4.0
    assert answered(wrapped) == before + 1
    by = 3.0
    assert wrapped(1.0) == 5.0
    monkeypatch.setitem(globals(), "offset", 5.0)
    assert wrapped(1.0) == 9.0
    outer.__defaults__ = (1,)
    assert wrapped(1.0) == 10.0
    inner.__code__ = (lambda: 0.0).__code__
    assert wrapped(1.0) == 5.0


def test_objects_from_outside():
    table, items, state = {"a": 1.0, 2: 3.0}, [1.0, 2.0], types.SimpleNamespace(by=2.0)

    def f(x):
        return x * state.by + table["a"] + items[1] + table[2]

    wrapped = quick(f, 1.0)
    changes = [
        lambda: None, lambda: table.update(a=5.0), lambda: table.update({2: 4.0}), lambda: items.append(3.0),
        lambda: items.__setitem__(1, 7.0), lambda: setattr(state, "by", 3.0), lambda: setattr(state, "other", 1),
        lambda: state.__dict__.update(by=4.0), table.popitem,
    ]  # fmt: skip
    for change in changes:
        change()
        for _ in range(4):
            alike(Outcome(f, (1.0,), {}), Outcome(wrapped, (1.0,), {}))


def test_a_text_that_has_no_table_is_run_itself():
    wrapped, args = jit(settle), ({"a": 1.0}, 2.0)
    for _ in range(6):
        alike(Outcome(settle, args, {}), Outcome(wrapped, args, {}))
    (entry,) = quick(more, 1)._executables.with_fast_path
    chosen = " ".join(f"{k} if n == {k} else" for k in range(3000))
    entry.written = [f"return {chosen} 0"], entry.written[1]
    assert table_of(entry) is None


def small(x):
    out = []
    for v in x:
        if v < 3:
            out.append(v)
    return out


def small_as(kind):
    def found(x):
        out, others = [], [kind(0)]
        for v in x:
            if v < 3:
                out.append(kind(v))
            else:
                others.append(kind(v))
        return out, (others, len(out))

    return found


@pytest.mark.parametrize("code", "bhilBHILfd")
def test_lists_of_scalars(code):
    for x in (np.arange(9)[::-1].astype(code), np.arange(9).astype(code) + 1, np.full(9, 5, code)):
        wrapped = quick(small, x)
        before = answered(wrapped)
        assert list(map(type, wrapped(x))) == list(map(type, small(x)))
        alike(Outcome(small, (x,), {}), Outcome(wrapped, (x,), {}))
        assert answered(wrapped) > before


@pytest.mark.parametrize("kind", [int, float])
def test_lists_of_numbers(kind):
    function, x = small_as(kind), np.arange(-3.0, 9.0)
    wrapped = quick(function, x)
    before = answered(wrapped)
    for given in (x, x - 20.0, x + 20.0):
        alike(Outcome(function, (given,), {}), Outcome(wrapped, (given,), {}))
    assert answered(wrapped) > before


def visited(ahead, start, kind):
    order = [start, 0.5, kind(7)]
    while ahead[order[-1] if len(order) > 3 else start] >= 0 and len(order) < 9:
        order.append(ahead[order[-1] if len(order) > 3 else start])
    return order, len(order)


@pytest.mark.parametrize("kind", [np.float32, np.uint8, np.int16, np.float64])
def test_lists_of_numbers_of_several_kinds(kind):
    def found(ahead, start):
        return visited(ahead, start, kind)

    ahead = np.array([2, -1, 3, 1])
    wrapped = quick(found, ahead, 0)
    before = answered(wrapped)
    for given in ((ahead, 0), (ahead, 1), (np.array([0, 1, 2, 3]), 3)):
        alike(Outcome(found, given, {}), Outcome(wrapped, given, {}))
    assert answered(wrapped) > before


def test_settings_and_traces():
    wrapped = quick(pick, ONE, 1)
    with configure(checks=False):
        assert wrapped(ONE, 9) == 2.0
    with configure(disable_jit=True):
        assert wrapped([1, 2, 3], 1) == 2
    assert jit(lambda a: [wrapped(a, i) for i in range(3)])(ONE) == [0.0, 1.0, 2.0]


class Sum:
    by = 2.0

    def __init__(self):
        self.total, self.a = 0.0, np.ones(3)

    @jit
    def add(self, x):
        self.total += x * self.by
        return self.total

    def twice(self, x):
        return self.add(x) + self.add(x)


def test_methods(monkeypatch):
    one, other = Sum(), Sum()
    for n in range(1, 9):
        assert one.add(1.0) == 2.0 * n
    before = answered(Sum.add)
    assert other.twice(0.5) == 3.0
    assert Sum.add(other, x=0.5) == 3.0
    assert answered(Sum.add) == before + 2
    bound = one.add
    assert (bound.__self__, bound, bound(0.0)) == (one, one.add, 16.0)
    one.other = 1  # another order of attributes, then no such attribute
    assert one.add(1.0) == 18.0
    del other.total
    with pytest.raises(AttributeError):
        other.add(1.0)
    other.__dict__ = collections.OrderedDict(total=1.0, a=other.a)
    assert other.add(1.0) == 3.0
    monkeypatch.setattr(Sum, "by", 10.0)
    assert one.add(1.0) == 28.0
    one.add = lambda x: "mine"
    assert one.add(1.0) == "mine"


def test_functions_that_are_compiled_as_numba_does():
    wrapped = quick(njit(total), ONE)
    before = answered(wrapped)
    assert (wrapped(ONE), answered(wrapped)) == (3.0, before + 1)
    half = njit("float64(float64)")(lambda x: x / 2)
    for _ in range(6):
        assert [half(3), half(3.0), half(x=np.float32(5)), half(True)] == [1.5, 1.5, 2.5, 0.5]
    for wrong in (1j, ONE):
        with pytest.raises(TypeError):
            half(wrong)


def test_a_method_that_is_compiled_for_one_instance():
    class Odd:
        def __init__(self, name):
            self.name, self.kept = name, iter([1])

        @jit
        def size(self, x):
            return len(self.name) + x

    for name in ("ab", "abc", "ab"):
        odd = Odd(name)
        for _ in range(4):
            assert odd.size(1) == Odd.size(odd, 1) == len(name) + 1


def test_classes_of_which_nothing_is_a_method_are_called_as_ever():
    wrapped = quick(more, 1)
    assert (inspect.signature(wrapped), callable(wrapped)) == (inspect.signature(more), True)
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    gone = weakref.ref(wrapped)
    del wrapped
    gc.collect()
    assert gone() is None


@jit
def decorated(x):
    return x


def test_what_is_counted_while_calls_are_profiled():
    wrapped = quick(more, 1)
    with anabranch.profile() as session:
        assert [wrapped(1), wrapped(2)] == [2, 3]
    assert session.rows()[0][1] == 2
    before = answered(wrapped)
    assert wrapped(1) == 2
    assert answered(wrapped) == before + 1


def test_nothing_is_kept_and_nothing_is_let_go_of_too_often():
    state, a = types.SimpleNamespace(count=1, total=2.0), np.arange(3.0)
    calls = [
        (quick(total, a), (a,)), (quick(several, a, 2.5), (a, 2.5)), (quick(mean, state, 3.5), (state, 3.5)),
        (quick(product, a, a.copy()), (a, a.copy())), (quick(nothing), ()), (quick(pick, a, 1), (a, 7)),
    ]  # fmt: skip
    held = [None, True, a, state, a.dtype, np.float64, *(wrapped._executables.quick for wrapped, _ in calls)]

    def run(times: int) -> None:
        for wrapped, args in calls:
            for _ in range(times):
                with contextlib.suppress(IndexError):
                    wrapped(*args)

    run(30)
    gc.collect()
    before, blocks = list(map(sys.getrefcount, held)), sys.getallocatedblocks()
    run(300)
    gc.collect()
    assert max(abs(n - m) for n, m in zip(map(sys.getrefcount, held), before, strict=True)) < 20
    assert sys.getallocatedblocks() - blocks < 200


def test_a_cache_that_is_cleared_by_other_threads():
    wrapped, wrong, ended = quick(total, ONE), [], threading.Event()

    def work() -> None:
        while not ended.is_set():
            if wrapped(ONE) != 3.0:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(5):
        wrapped.clear_cache()
        wrapped(ONE)
    ended.set()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process():
    wrapped = quick(total, ONE)
    child = os.fork()
    if child == 0:
        before = wrapped._executables.quick
        right = [wrapped(ONE) for _ in range(8)] == [3.0] * 8 and wrapped._executables.quick is not before
        os._exit(not (right and answered(wrapped)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert wrapped(ONE) == 3.0

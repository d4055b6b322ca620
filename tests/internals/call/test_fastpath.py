"""The fast path of a call: taken by calls of its signature and by no others, with the results of the general path."""

from __future__ import annotations

import collections
import contextlib
import gc
import itertools
import os
import threading
import types
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest

import anabranch
from anabranch import DeletedArrayError, configure, jit
from anabranch.runtime.call.execution import MISS, never
from anabranch.runtime.host.object_layout import address
from anabranch.runtime.testing.outcomes import copied
from tests.equivalence import Outcome, alike


def with_fast_path(function: Any, *args: Any, **kwargs: Any) -> Any:
    """The function compiled, and its fast path for these arguments, which must exist."""
    wrapped = function if hasattr(function, "lower") else jit(function)
    for _ in range(2):
        given, options = copied((args, kwargs))
        wrapped(*given, **options)
    assert wrapped._executables.with_fast_path, "there is no fast path"
    return wrapped


def ways(wrapped: Any) -> list[Any]:
    """The fast paths that a call is offered to."""
    return [execution.fast_path for execution in wrapped._executables.with_fast_path]


class Pair(NamedTuple):
    left: Any
    right: Any


def first(x, *rest):
    return x


ONE = np.arange(3.0)
READ_ONLY = np.arange(3.0)
READ_ONLY.flags.writeable = False
CALLS = (
    (1,), (2,), (True,), (1.0,), (1j,), (np.float64(1.0),), (np.float32(1.0),), (np.int64(1),), (None,), ("a",), ("b",),
    (ONE,), (np.arange(3.0),), (np.arange(4.0),), (np.arange(3),), (np.arange(3, dtype=np.float32),), (READ_ONLY,),
    (np.arange(6.0)[::2],), (np.arange(9.0)[::3],), (np.zeros((3, 1)),), (np.zeros((3, 2)).T,), (np.zeros(()),),
    (np.arange(3.0).astype(">f8"),), (np.zeros(0),), (np.arange(3.0).view(np.ndarray)[None][0],),
    ((1, 2),), ([1, 2],), ([1, 2.0],), ([1, [2]],), ((1, (2,)),), (Pair(1, 2),), (collections.deque([1, 2]),),
    ({"a": 1, "b": 2},), ({"b": 2, "a": 1},), ({"a": 1},), ({1: 1},), ({True: 1},),
    (collections.OrderedDict(a=1, b=2),),
    (ONE, ONE), (ONE, ONE.copy()), (1, 2), ([1], [2]), ([ONE], [ONE]), (anabranch.asarray(ONE),),
    (anabranch.asarray(np.arange(4.0)),), (len,), (int,), (np.dtype(float),), (range(3),), (slice(1),),
)  # fmt: skip


@pytest.mark.parametrize("made_for", range(len(CALLS)))
def test_only_calls_of_the_signature_take_it(made_for):
    """For what calls a fast path gives an answer, the signature is the one it was made for."""
    wrapped = jit(first)
    for _ in range(2):
        wrapped(*CALLS[made_for])
    key = wrapped._signature(CALLS[made_for], {})[0]
    for fast, other in itertools.product(ways(wrapped), CALLS):
        if fast(other, {}) is not MISS:
            assert wrapped._signature(other, {})[0] == key
        assert fast(other, {"more": 1}) is MISS
        assert fast((*other, 1, 2), {}) is MISS


def add(x, y):
    return x + y


def nested(tree, n):
    return {"w": tree["w"] * n, "l": [tree["b"], (n, tree["b"][0] + 1)], "held": "text"}, tree


def write(a, b):
    a += b
    a[0] = -1.0
    return a


SAME = np.arange(4.0)
SHARED = [SAME, 1]


def lists(a, b, c):
    c += 1
    return a[0] + b[0][0], a, b


def both(a, b):
    total = a * b
    return total, total, a, b


def pick(a, i):
    return a[i]


def numbers(i, x, z, flag):
    return i + 1, x * 2, z * 1j, not flag, i / 2


def view(a):
    return a[1:]


def constant(a):
    return a.shape, None, "text"


def chosen(a, b, first):
    c = a if first else b
    return c, c[1:], c


def views(a):
    made = a * 2
    return made, made[...], np.broadcast_to(made[0], (3, 2)), a.T


def fill(items, table, state, x):
    items[0], items[1] = items[1], x * 2
    table["new"] = table.pop("old") + x
    state.count += 1
    state.last, state.items = items, [x]
    return state.count, table


def grow(items, n):
    for i in range(n):
        items.append(i)
    return len(items)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (add, (np.arange(4.0), np.arange(4.0) + 1)), (add, (2, 3.5)), (add, (np.float32(2), 3)),
        (add, (np.arange(4, dtype=np.int8), 3)), (add, (np.zeros((0, 3)), 1.0)), (add, (np.arange(6.0)[::2], 1)),
        (add, (np.ones(100_000), np.ones(100_000))), (add, (np.ones((300, 400)).T, 1.0)),
        (nested, ({"w": np.arange(3.0), "b": (np.ones(2), 4)}, 3)), (write, (np.arange(5.0), 2.0)),
        (write, (np.arange(5.0), np.arange(5.0))), (write, (SAME, SAME)), (add, (SAME, SAME)),
        (lists, (SHARED, [SHARED, SAME], SAME)), (both, (np.arange(3.0), 2.0)), (pick, (np.arange(5.0), -1)),
        (numbers, (3, 1.5, 2j, True)), (constant, (np.ones(3),)), (add, (np.zeros(()), 1)),
        (chosen, (np.arange(3.0), np.ones(3), True)), (chosen, (np.arange(3.0), np.ones(3), 0)), (view, (SAME,)),
        (views, (np.ones((3, 2)),)), (fill, ([1, 2.0], {"old": 1}, types.SimpleNamespace(count=1), np.ones(2))),
        (fill, ([1, SAME], {"old": SAME}, types.SimpleNamespace(count=1, items=3, last=0), SAME)), (grow, ([1, 2], 3)),
        (add, (np.complex64(1j), 2)), (add, (np.ones(3, np.float16), 1)), (add, ([1], [2.0])),
    ],
)  # fmt: skip
def test_the_results_are_those_of_the_long_way(function, args):
    wrapped = with_fast_path(function, *args)
    (fast,) = ways(wrapped)
    want, got = Outcome(function, args, {}), Outcome(lambda *a: fast(a, {}), args, {})
    alike(want, got)
    for _ in range(2):
        assert isinstance(wrapped(*copied(args)), type(want.value))
    assert wrapped.cache_info().misses == 1


def test_a_result_that_is_an_argument_is_that_very_array():
    wrapped, a = with_fast_path(both, np.arange(3.0), 2.0), np.arange(3.0)
    one, other, same_a, _ = wrapped(a, 2.0)
    assert one is other
    assert same_a is a


def test_results_are_writable_and_apart():
    wrapped, a = with_fast_path(add, np.arange(3.0), 1.0), np.arange(3.0)
    one, other = wrapped(a, 1.0), wrapped(a, 1.0)
    one[0] = 99.0
    assert other.tolist() == [1.0, 2.0, 3.0]
    assert a.tolist() == [0.0, 1.0, 2.0]


def test_a_failure_is_raised_and_the_next_call_is_right():
    wrapped = with_fast_path(pick, np.arange(5.0), 1)
    for _ in range(3):
        with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 5"):
            wrapped(np.arange(5.0), 9)
        assert wrapped(np.arange(5.0), 4) == 4.0


@pytest.mark.parametrize("first", [np.datetime64("2020"), np.timedelta64(3, "s"), np.str_("a")])
def test_scalars_that_are_static_by_themselves(first):
    """Their values are part of the signature, and no leaves."""
    f, other = (
        jit(lambda x, y: (x, y + 1)),
        np.array(["2021" if isinstance(first, np.datetime64) else 7], first.dtype)[0],
    )
    for value in (first, first, first, other, other, first, other):
        assert repr(f(type(first)(value), 1)) == repr((value, 2))


def test_an_int_beyond_64_bits():
    wrapped = with_fast_path(add, 1, 2)
    with pytest.raises(OverflowError):
        wrapped(2**70, 1)
    assert wrapped(3, 4) == 7


def test_arrays_that_share_memory_with_a_written_one():
    wrapped, a = with_fast_path(write, np.arange(5.0), np.arange(5.0)), np.arange(10.0)
    with pytest.raises(anabranch.AliasError):
        wrapped(a[:5], a[2:7])
    assert a.tolist() == list(range(10))
    wrapped(a[:5], a[5:])
    assert a[:5].tolist() == [-1.0, 7.0, 9.0, 11.0, 13.0]


def test_what_is_written_is_known_from_outside():
    outside = types.SimpleNamespace(w=np.ones(3), items=[1])

    def f(x, items):
        x += 1
        items[0] = x[0]
        return x.sum() + outside.w[0] + outside.items[0]

    wrapped = with_fast_path(f, np.ones(3), [1])
    for x, items in ((outside.w, [1]), (np.ones(3), outside.items)):
        with pytest.raises(anabranch.AliasError):
            wrapped(x, items)
    assert wrapped(np.ones(3), [1]) == f(np.ones(3), [1])


def test_methods_that_change_their_object():
    class Counter:
        def __init__(self):
            self.count, self.seen = 0, np.zeros(2)

        @jit
        def add(self, x):
            self.count += 1
            self.seen = self.seen + x
            return self.seen

    counter = Counter()
    for n in range(1, 6):
        made = counter.add(np.ones(2))
        assert counter.seen is made
        assert (counter.count, made.tolist()) == (n, [n, n])
    assert list(vars(counter)) == ["count", "seen"]
    assert ways(Counter.add)


def test_arguments_by_name():
    wrapped = jit(add)
    for _ in range(3):
        assert wrapped(x=1, y=2) == 3
        assert wrapped(1, y=2) == 3
        assert wrapped(y=5, x=1) == 6
    assert wrapped.cache_info().currsize == 2
    assert len(wrapped._executables.with_fast_path) == 2
    with pytest.raises(TypeError):
        wrapped(1, z=2)


def power(x, n, *, scale=1.0):
    return scale * x**n


def test_static_arguments():
    wrapped = with_fast_path(jit(power, static_argnames="n"), np.arange(3.0), 2)
    (fast,) = ways(wrapped)
    assert fast((np.arange(3.0), 2), {}).tolist() == [0.0, 1.0, 4.0]
    for other in (3, 2.0, True, np.int64(2)):
        assert fast((np.arange(3.0), other), {}) is MISS
    assert fast((np.arange(3.0),), {"n": 2}) is MISS
    for n, scale in itertools.product((1, 2, 3), (1.0, 2.0)):
        for _ in range(3):
            np.testing.assert_array_equal(
                wrapped(np.arange(3.0), n, scale=scale), power(np.arange(3.0), n, scale=scale)
            )
            np.testing.assert_array_equal(wrapped(n=n, x=np.arange(3.0)), power(np.arange(3.0), n))


def test_zeros_of_both_signs_that_are_static():
    wrapped = jit(lambda x, z: np.copysign(x, z), static_argnames="z")
    for _ in range(3):
        assert [wrapped(1.0, z) for z in (0.0, -0.0, 2.0, -2.0)] == [1.0, -1.0, 1.0, -1.0]


def test_stages_take_it():
    compiled = jit(add).lower(ONE, 1.0).compile()
    for _ in range(4):
        assert compiled(ONE, 1.0).tolist() == [1.0, 2.0, 3.0]
    assert compiled.execution.fast_path((ONE, 2.0), {}).tolist() == [2.0, 3.0, 4.0]
    for other in ((ONE, 1), (np.arange(4.0), 1.0)):
        with pytest.raises(anabranch.UnsupportedValueError, match="was compiled for other arguments"):
            compiled(*other)
    raised = jit(power, static_argnames="n").lower(ONE, 2).compile()
    for _ in range(4):
        assert raised(ONE).tolist() == [0.0, 1.0, 4.0]


class Scaled:
    factor = 2.0

    def __init__(self, by):
        self.by = by

    @jit
    def of(self, x):
        return x * self.factor + self.by


def test_methods(monkeypatch):
    scaled = Scaled(1.0)
    for by in (1.0, 5.0, True, 1.0):
        scaled.by = by
        for _ in range(3):
            assert scaled.of(3.0) == 6.0 + by
            assert type(scaled.of(3)) is float
    assert Scaled.of._executables.with_fast_path
    monkeypatch.setattr(Scaled, "factor", 10.0)
    for _ in range(3):
        assert scaled.of(3.0) == 31.0


offset = 1.0


def shifted(x):
    return x + offset


def test_guards(monkeypatch):
    wrapped = with_fast_path(shifted, np.ones(2))
    assert wrapped(np.ones(2)).tolist() == [2.0, 2.0]
    monkeypatch.setitem(globals(), "offset", 5.0)
    for _ in range(3):
        assert wrapped(np.ones(2)).tolist() == [6.0, 6.0]
    monkeypatch.setitem(globals(), "offset", 1.0)
    for _ in range(3):
        assert wrapped(np.ones(2)).tolist() == [2.0, 2.0]


def test_settings_of_the_moment():
    wrapped = with_fast_path(pick, np.arange(5.0), 1)
    with configure(checks=False):
        assert wrapped(np.arange(5.0), 9) == 4.0
    with pytest.raises(IndexError):
        wrapped(np.arange(5.0), 9)
    with configure(disable_jit=True):
        assert wrapped([1, 2, 3], 1) == 2


def test_settings_that_are_the_same_in_other_blocks():
    wrapped = jit(pick)
    for _ in range(8):
        with configure(checks=True):
            assert wrapped(np.arange(5.0), 1) == 1.0
    (fast,) = ways(wrapped)
    assert fast((np.arange(5.0), 2), {}) == 2.0
    with configure(checks=False):
        assert fast((np.arange(5.0), 2), {}) is MISS


def test_called_while_another_function_is_traced():
    wrapped = with_fast_path(add, 1, 2)

    def outer(n):
        total = 0
        for i in range(n):
            total = wrapped(total, i) + wrapped(1, 2)
        return total

    assert jit(outer)(4) == outer(4)
    assert wrapped(1, 2) == 3


def test_a_cleared_cache():
    wrapped = with_fast_path(add, 1, 2)
    wrapped.cache_clear()
    assert wrapped._executables.with_fast_path == ()
    assert wrapped(1, 2) == 3
    assert wrapped.cache_info()[:2] == (0, 1)


def test_what_is_used_the_fast_way_is_not_the_least_recently_used():
    with configure(cache_size=3):
        wrapped = with_fast_path(add, 1, 2)
        for n in range(1, 7):
            wrapped(1, 2)
            wrapped(collections.deque([1.0] * n), collections.deque([2]))
        misses = wrapped.cache_info().misses
        wrapped(1, 2)
        assert wrapped.cache_info().misses == misses


def test_many_signatures_in_turns():
    wrapped = jit(add)
    for _ in range(4):
        for n in range(1, 9):
            assert wrapped(np.ones(n), 1.0).tolist() == [2.0] * n
    assert wrapped.cache_info().misses == 8
    assert len(wrapped._executables.with_fast_path) == 4


def test_what_cannot_be_made_fast_is_not_tried_again_and_again():
    wrapped, args = jit(add), (collections.deque([1]), collections.deque([2]))
    for _ in range(10):
        assert wrapped(*args) == add(*args)
    (entry,) = wrapped._executables.values()
    assert entry.execution.fast_path_attempts == 3
    assert entry.execution.fast_path is never


# ---- large arrays, which XLA reads where they are -------------------------------------------------------------------


def aligned(count: int) -> np.ndarray:
    memory = np.zeros(count * 8 + 64, np.uint8)
    start = -address(memory) % 64
    return memory[start : start + count * 8].view(np.float64)


def test_the_address_of_an_array():
    for array in (np.ones(3), np.ones(100)[7:], np.zeros(0), np.ones((4, 5)).T, np.zeros(()), aligned(8)):
        assert address(array) == array.ctypes.data


def test_a_large_array_is_read_anew_each_time():
    wrapped, a = jit(lambda a: a.sum()), aligned(10_000)
    for step in range(5):
        a[:] = step
        assert wrapped(a) == 10_000 * step


def test_large_arrays_in_turns():
    wrapped, arrays = jit(lambda a: a.sum()), [aligned(10_000) for _ in range(3)]
    for step in range(4):
        for k, a in enumerate(arrays):
            a[:] = step + k
            assert wrapped(a) == 10_000 * (step + k)


def test_a_large_array_whose_memory_has_moved():
    wrapped, a = jit(lambda a: a.sum()), np.zeros(20_000)
    for value in range(1, 6):
        a.resize(200_000 + value, refcheck=False)
        kept = np.ones(20_000)
        a.resize(20_000, refcheck=False)
        a[:] = value
        assert wrapped(a) == 20_000 * value
        del kept


def test_arguments_are_not_kept():
    wrapped = jit(add)
    for make in (lambda: np.ones(4), lambda: aligned(10_000), lambda: np.ones(50_000)):
        array = make()
        for _ in range(3):
            wrapped(array, 1.0)
        gone = weakref.ref(array)
        del array
        gc.collect()
        assert gone() is None


def test_executables_go_without_the_collector():
    gc.disable()
    try:
        for function, args in ((add, (ONE, 1.0)), (pick, (np.arange(5.0), 1))):
            wrapped = with_fast_path(function, *args)
            (execution,) = map(weakref.ref, wrapped._executables.with_fast_path)
            executable = weakref.ref(execution().executable)
            wrapped.cache_clear()
            assert execution() is None
            assert executable() is None
    finally:
        gc.enable()


# ---- arrays on the device -------------------------------------------------------------------------------------------


def test_arrays_on_the_device():
    x, y = anabranch.asarray(np.arange(3.0)), anabranch.asarray(np.ones(3))
    wrapped = with_fast_path(add, x, y)
    made = wrapped(x, y)
    assert type(made) is anabranch.Array
    assert made.tolist() == [1.0, 2.0, 3.0]
    for number in (2, -0.0, 0.0, 2.5, 1e300, float("nan"), 3, True, 2j, complex(1, -0.0)):
        for _ in range(3):
            np.testing.assert_array_equal(np.asarray(wrapped(x, number)), np.arange(3.0) + number)


def test_numbers_on_the_device_keep_their_signs():
    wrapped, x = jit(lambda x, z: np.copysign(x, z)), anabranch.asarray(np.ones(2))
    for _ in range(3):
        assert [wrapped(x, z).tolist()[0] for z in (0.0, -0.0, 3.0, -3.0)] == [1.0, -1.0, 1.0, -1.0]
    angle = jit(lambda x, z: x * np.angle(z))
    for _ in range(3):
        assert angle(x, complex(-1, 0.0)).tolist()[0] == -angle(x, complex(-1, -0.0)).tolist()[0]


def test_one_array_on_the_device_in_two_places():
    def f(x):
        y = x * 2
        return y, y, x

    x = anabranch.asarray(np.arange(3.0))
    one, other, same = with_fast_path(f, x)(x)
    assert one is other
    assert same is x


def test_a_deleted_array():
    x = anabranch.asarray(np.arange(3.0))
    wrapped = with_fast_path(add, x, 1.0)
    x.delete()
    with pytest.raises(DeletedArrayError):
        wrapped(x, 1.0)


def test_a_tree_of_arrays_on_the_device():
    def step(tree, rate):
        return {name: value - rate * value for name, value in tree.items()}, len(tree)

    tree = {"a": anabranch.asarray(np.ones(2)), "b": anabranch.asarray(np.arange(2.0))}
    wrapped = with_fast_path(step, tree, 0.5)
    made, count = wrapped(tree, 0.5)
    assert {k: v.tolist() for k, v in made.items()} == {"a": [0.5, 0.5], "b": [0.0, 0.5]}
    assert count == 2


# ---- lists in lists ------------------------------------------------------------------------------------------------


def summed(rows, weights, k):
    total = 0
    for row in rows:
        for x in row:
            total += x
    rows[k][0] = total
    return total, weights[k] * 2


ROW = [1, 2, 3]
GRIDS = [
    [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]],
    [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11]],
    [[1.5, 2.5, 3.5], [4.5, 5.5, 6.5], [7.5, 8.5, 9.5]],
    [ROW, ROW, [4, 5, 6]],
    [[1, 2, 3], [4, 5, 6], [7, 8, 9.5]],
]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_lists_in_lists_and_dicts_of_ints(order):
    wrapped = jit(summed)
    for place in [*order, 3, 4, *order]:
        for weights in ({0: 2, 1: 3}, {True: 4, 0: 5}):
            for _ in range(3):
                want, got = (copied((GRIDS[place], weights)) for _ in range(2))
                alike(Outcome(summed, (*want, 1), {}), Outcome(wrapped, (*got, 1), {}))
    assert wrapped._executables.with_fast_path


# ---- threads --------------------------------------------------------------------------------------------------------


def test_threads():
    wrapped, wrong = with_fast_path(add, np.arange(50.0), 1.0), []
    large = np.ones(40_000)

    def work(k: int) -> None:
        for _ in range(200):
            if wrapped(np.full(50, float(k)), float(k)).tolist() != [2.0 * k] * 50:
                wrong.append(k)
            if wrapped(large, float(k))[7] != 1.0 + k:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process():
    device = anabranch.asarray(np.arange(3.0))
    wrapped = with_fast_path(add, np.arange(3.0), 1.0)
    wrapped(device, 1.0)
    wrapped(device, 1.0)
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            for _ in range(4):
                right = wrapped(np.arange(3.0), 2.0).tolist() == wrapped(device, 2.0).tolist() == [2.0, 3.0, 4.0]
                if not right:
                    os._exit(1)
            os._exit(0)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert wrapped(np.arange(3.0), 2.0).tolist() == wrapped(device, 2.0).tolist() == [2.0, 3.0, 4.0]

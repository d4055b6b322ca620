"""Ints and bools among the arguments that become static where their values are needed while tracing."""

from __future__ import annotations

import copy
import logging

import numpy as np
import pytest

from anabranch import ConcretizationError, UnsupportedValueError, configure, jit
from tests.equations import ops
from tests.equivalence import Outcome, alike


def zeros(n):
    return np.zeros(n)


def derived(n, m):
    return np.zeros((min(n, m) + 1, 2 * m - 1)) + n


def nested(x, options):
    return np.ones(options["shape"][0]) * x + options["shape"][1]


def helper(m):
    return np.arange(m + 1)


def through_a_helper(x, n):
    return helper(n) * x


def by_arrays_of_sizes(x, block):
    block = np.array(block)
    blocks = np.array(x.shape) // block
    return x.reshape(tuple(blocks) + tuple(block))


def in_a_branch(a, n):
    if a.sum() > 0:
        return a.reshape(n, -1).sum(axis=0)
    return a[:n]


def in_a_loop(x, n):
    total = 0.0
    for i in range(4):
        if x > i:
            continue
        total += np.ones(n).sum() * i
    return total


def in_a_while_loop(x, n):
    while x < 10.0:
        x = x + np.ones(n).sum()
        if x > 7.0:
            break
    return x


def grows(n):
    found = []
    for i in range(n):
        found.append(i * 2.0)
    return found


def halves(n):
    found = []
    while n > 1:
        found.append(n)
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    return found


def listed(x, n):
    return [x * i for i in range(n)], (x,) * n, [0] * n, list(range(n)), "ab" * n, bytes(n)


def keys(x, n):
    return {n: x, f"k{n}": 2 * x, (n, 1): n in {1, 2}}


def one_of(x, n):
    return (x, "text", None, [x])[n]


def structure(x, deep):
    return {"x": x, "more": [x, (x, x)]} if deep else x


def statement(x, deep):
    if deep:
        made = {"x": x}
        made["y"] = x
    else:
        made = [x]
    made[0 if not deep else "y"] = x * 2
    return made


def axes(a, n):
    return a.sum(axis=n), np.expand_dims(a, n), np.concatenate([a, a], axis=n), np.roll(a, 1, axis=n)


def sizes(n):
    return np.eye(n), np.linspace(0.0, 1.0, n), np.full(n, 2.0), np.tile(np.ones(2), n), np.arange(1, n, 0.5)


def caught(x, n):
    try:
        return np.zeros(n) + x
    except (TypeError, ValueError):
        return x


def changed(state):
    state["n"] += 1
    return np.zeros(state["n"]), state["n"] / 2


def recursive(x, n):
    return () if n == 0 else (x, recursive(x + 1, n - 1))


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half if n % 2 == 0 else half * half * x


def tree(n, x):
    if n < 2:
        return x + n
    return tree(n - 1, x) + 2 * tree(n - 2, -x)


def goes_even(n, x):
    return x if n == 0 else goes_odd(n - 1, x * 2)


def goes_odd(n, x):
    return -x if n == 0 else goes_even(n - 1, x + 1)


def in_a_loop_of_a_loop(n, x):
    for _ in range(n):
        x = x + in_a_loop_of_a_loop(n - 1, x / 2)
    return x


def generated(n):
    def count():
        for i in range(n):
            yield i * i

    return list(count())


def slices(a, n):
    b = a[:n]
    b[0] = 5.0
    return b, a[n:].sum(), a[1 : n + 1]


A = np.arange(6.0)
PROGRAMS = [
    (zeros, [(3,), (4,), (0,), (-1,), (True,), (np.int64(3),), (np.int8(2),), (np.True_,)]),
    (derived, [(3, 4), (5, 2)]),
    (nested, [(2.0, {"shape": (2, 3)}), (2.0, {"shape": (3, 3)})]),
    (through_a_helper, [(2.0, 3), (2.0, 0)]),
    (by_arrays_of_sizes, [(np.arange(16.0).reshape(4, 4), (2, 2)), (np.arange(16.0).reshape(4, 4), (1, 4))]),
    (in_a_branch, [(A, 2), (-A, 2), (A, 3), (A, 4)]),
    (in_a_loop, [(1.5, 3), (1.5, 2)]),
    (in_a_while_loop, [(1.5, 3), (1.5, 2)]),
    (grows, [(0,), (1,), (5,)]),
    (halves, [(1,), (6,), (7,)]),
    (listed, [(1.5, 3), (1.5, 0), (1.5, True)]),
    (keys, [(1.5, 2), (1.5, 3)]),
    (one_of, [(1.5, 0), (1.5, 1), (1.5, -1), (1.5, 4)]),
    (structure, [(1.5, True), (1.5, False)]),
    (statement, [(1.5, True), (1.5, False)]),
    (axes, [(np.ones((2, 3)), 0), (np.ones((2, 3)), -1), (np.ones((2, 3)), np.int64(1)), (np.ones((2, 3)), 2)]),
    (sizes, [(3,), (5,)]),
    (caught, [(1.5, 2), (1.5, -2)]),
    (changed, [({"n": 2},), ({"n": 3},)]),
    (recursive, [(1.5, 3), (1.5, 0)]),
    (power, [(1.5, 0), (1.5, 13), (1.5, 100), (A, 5)]),
    (tree, [(0, 1.5), (6, 1.5), (5, 2)]),
    (goes_even, [(0, 1.5), (7, 1.5), (40, 2)]),
    (in_a_loop_of_a_loop, [(0, 1.5), (3, 1.5)]),
    (generated, [(3,), (0,)]),
    (slices, [(A, 2), (A, 3)]),
]


@pytest.mark.parametrize(("function", "calls"), PROGRAMS, ids=[p[0].__name__ for p in PROGRAMS])
def test_what_eager_python_gives(function, calls):
    compiled = jit(function)
    for args in (*calls, *calls):
        want, got = Outcome(function, args, {}), Outcome(compiled, args, {})
        assert type(got.error) is type(want.error), got.error
        if want.error is None:
            alike(want, got, where=f"{args!r}: ")


def test_each_value_is_compiled_once():
    compiled = jit(zeros)
    for n in (3, 4, 3, 4, 3):
        assert compiled(n).shape == (n,)
    assert compiled.cache_info()[:2] == (3, 2)
    compiled.cache_clear()
    compiled(3)
    assert compiled.cache_info()[:2] == (0, 1)


def test_the_quick_way_asks_for_the_values():
    compiled = jit(lambda x, n: np.zeros(n) + x)
    for _ in range(4):
        for n in (2, 3):
            for x in (1.0, 2.0):
                assert compiled(x, n).tolist() == [x] * n
    assert compiled.cache_info()[:2] == (14, 2)
    lowered = compiled.lower(1.0, 3).compile()
    for _ in range(4):
        assert lowered(2.0, 3).tolist() == [2.0] * 3
        with pytest.raises(UnsupportedValueError):
            lowered(2.0, 4)


def test_only_what_is_needed_is_known():
    compiled = jit(lambda x, n, m: np.zeros(n) + x * m)
    for m in range(4):
        np.testing.assert_array_equal(compiled(1.0, 2, m), np.full(2, float(m)))
    assert compiled.cache_info()[:2] == (3, 1)


def test_arguments_that_are_needed_under_another_value_alone():
    compiled = jit(lambda x, n, m: np.zeros(n) if n > 2 else np.zeros(n + m) + x)
    for _ in range(2):
        for n, m in ((3, 1), (3, 2), (1, 1), (1, 2)):
            assert compiled(1.0, n, m).shape == (n if n > 2 else n + m,)


@pytest.mark.parametrize(
    ("function", "args"),
    [(power, (1.5, 9)), (tree, (5, 1.5)), (goes_even, (9, 1.5)), (in_a_loop_of_a_loop, (2, 1.5))],
)
def test_what_ends_a_recursion_need_not_be_known(function, args):
    assert not jit(function).trace(*args).plan.known


def test_what_ends_a_recursion_is_known_where_its_results_differ_in_structure():
    traced = jit(recursive).trace(1.5, 3)
    assert traced.plan.known == {1}
    assert "cond" not in ops(traced.program)


def test_what_ends_a_recursion_is_not_known_where_another_value_ends_it():
    def halved(x, k):
        return k if x < 1.0 else halved(x / 2.0, k + 1)

    traced = jit(halved, recursion_limit=4).trace(5.0, 0)
    assert not traced.plan.known
    assert "cond" in ops(traced.program)


def test_the_cache_is_bounded():
    compiled = jit(zeros)
    with configure(cache_size=2):
        for n in range(6):
            compiled(n)
        assert compiled.cache_info().currsize == 2


def test_loops_that_can_be_staged_stay_so():
    def total(x, n):
        for i in range(n):
            x = x + i
        return x

    compiled = jit(total)
    assert [compiled(1.0, n) for n in (3, 5, 1000)] == [total(1.0, n) for n in (3, 5, 1000)]
    assert compiled.cache_info().misses == 1


def test_it_is_logged_once(caplog):
    compiled = jit(nested)
    with caplog.at_level(logging.INFO, "anabranch"):
        for k in (2, 3, 2):
            compiled(1.0, {"shape": (k, 1)})
    (record,) = [r for r in caplog.records if r.name.startswith("anabranch.")]
    line = nested.__code__.co_firstlineno + 1
    assert record.getMessage() == (
        "nested is specialised on its argument options['shape'][0]: a plain int is needed while tracing by "
        f'`np.ones(options["shape"][0])` ({__file__}:{line}), so each value has an executable of its own. '
        "static_argnames='options' says so, auto_static=False makes it an error"
    )


@pytest.mark.parametrize(
    ("function", "args", "error", "names"),
    [
        (zeros, (3,), ConcretizationError, "the argument n: static_argnames='n'"),
        (derived, (3, 4), ConcretizationError, "the arguments n, m: static_argnames=('n', 'm')"),
        (
            nested,
            (1.0, {"shape": (2, 3)}),
            ConcretizationError,
            "the argument options['shape'][0]: static",
        ),
        (in_a_branch, (A, 2), ConcretizationError, "the argument n: static_argnames='n'"),
    ],
)
def test_switched_off_it_is_an_error(function, args, error, names):
    for compiled in (jit(function, auto_static=False), jit(auto_static=False)(function)):
        with pytest.raises(error) as caught:
            compiled(*copy.deepcopy(args))
        assert names in str(caught.value)
        assert __file__ in str(caught.value)
    compiled = jit(function)
    with configure(auto_static=False), pytest.raises(error):
        compiled(*copy.deepcopy(args))
    compiled(*copy.deepcopy(args))
    with configure(auto_static=False), pytest.raises(error):
        compiled(*copy.deepcopy(args))


@pytest.mark.parametrize(
    ("function", "args", "other"),
    [
        (lambda a: np.zeros(a[0]), (np.array([3]),), (np.array([5]),)),
        (lambda a: np.zeros(a), (np.array(3),), (np.array(0),)),
        (lambda x: np.zeros(int(x)), (3.0,), (4.5,)),
        (lambda a, n: np.zeros(int(a.sum()) + n), (np.ones(3), 2), (np.zeros(3), 7)),
    ],
)
def test_contents_of_arrays_and_floats_are_never_known(function, args, other, compiled):
    f = jit(function)
    for given in (args, other, args):
        np.testing.assert_array_equal(f(*given), function(*given))
    assert len(compiled) == 1


def test_a_compiled_one_is_for_these_values():
    compiled = jit(lambda x, n: np.zeros(n) + x).lower(1.0, 3).compile()
    np.testing.assert_array_equal(compiled(2.0, 3), np.full(3, 2.0))
    with pytest.raises(UnsupportedValueError):
        compiled(2.0, 4)


def test_a_changed_global_and_a_known_argument():
    held = [1.0]
    compiled = jit(lambda n: np.full(n, held[0]))
    assert compiled(2).tolist() == [1.0] * 2
    held[0] = 2.0
    assert compiled(2).tolist() == [2.0] * 2
    assert compiled(3).tolist() == [2.0] * 3

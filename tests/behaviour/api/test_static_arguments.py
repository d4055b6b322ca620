"""Static arguments by content, the bounded cache of executables, switched-off compilation, and reports of misses."""

from __future__ import annotations

import dataclasses
import logging
import threading

import numpy as np
import pytest

import anabranch
from anabranch import StaticArgumentError, configure, disable_jit, jit


@dataclasses.dataclass
class Grid:
    size: int
    weights: np.ndarray


@dataclasses.dataclass(frozen=True)
class Frozen:
    size: int


def scaled(x, table):
    total = 0.0
    for w in table.tolist():
        total += x * w
    return total


def test_arrays_are_told_apart_by_content():
    f = jit(scaled, static_argnames="table")
    table = np.array([1.0, 2.0])
    assert f(2.0, table) == 6.0
    assert f(2.0, table.copy()) == 6.0
    assert f.cache_info()[:2] == (1, 1)
    table[0] = 5.0
    assert f(2.0, table) == 14.0
    assert f(2.0, np.array([1.0, 2.0])) == 6.0
    assert f.cache_info()[:2] == (2, 2)
    assert f(2.0, np.array([[1.0], [2.0]]).ravel()) == 6.0
    assert f(2, np.array([1, 2])) == 6


def test_a_static_array_cannot_be_written():
    def f(x, table):
        table[0] = 3.0
        return x + table[0]

    with pytest.raises(ValueError, match="read-only"):
        jit(f, static_argnames="table")(1.0, np.zeros(2))


def test_dataclasses_are_told_apart_by_content():
    def f(x, grid):
        return np.ones(grid.size) * x + grid.weights

    g = jit(f, static_argnums=1)
    first = Grid(2, np.array([1.0, 2.0]))
    np.testing.assert_array_equal(g(1.0, first), f(1.0, first))
    np.testing.assert_array_equal(g(1.0, Grid(2, np.array([1.0, 2.0]))), f(1.0, first))
    assert g.cache_info().misses == 1
    first.weights[0] = 7.0
    np.testing.assert_array_equal(g(1.0, first), f(1.0, first))
    first.size, first.weights = 3, np.zeros(3)
    np.testing.assert_array_equal(g(1.0, first), f(1.0, first))
    assert g.cache_info().misses == 3


def test_a_hashable_dataclass_and_tuples_of_arrays():
    def f(x, options):
        first, table = options
        return x * first.size + table.sum()

    g = jit(f, static_argnames=["options"])
    for size in (2, 2, 3):
        assert g(1.5, (Frozen(size), np.arange(3.0))) == 1.5 * size + 3
    assert g.cache_info().misses == 2


@pytest.mark.parametrize("value", [[1], {"a": 1}, np.array([object()]), (1, [2])])
def test_what_has_no_hash_and_no_content(value):
    with pytest.raises(StaticArgumentError, match=r"static argument 'n' of .* is not hashable"):
        jit(lambda x, n: x, static_argnames="n")(1.0, value)


# ---- the cache -------------------------------------------------------------------------------------------------------


def test_the_least_recently_used_executable_goes_first():
    f = jit(lambda x, n: x + n, static_argnames="n")
    with configure(cache_size=2):
        for n in (1, 2, 1, 3):  # 3 takes the place of 2
            assert f(1.0, n) == 1.0 + n
        assert f.cache_info() == (1, 3, 2, 2)
        f(1.0, 1)
        assert f.cache_info().hits == 2
        f(1.0, 2)
        assert f.cache_info().misses == 4
    f.cache_clear()
    assert f.cache_info()[:2] == (0, 0)
    assert f.cache_info().currsize == 0
    assert f(1.0, 1) == 2.0


def test_many_threads_compile_once():
    f = jit(lambda x: x * 2 + 1)
    gate, got = threading.Barrier(16), []

    def work():
        gate.wait()
        got.append(f(3.0))

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [7.0] * 16
    assert f.cache_info().misses == 1


# ---- switches --------------------------------------------------------------------------------------------------------


def test_disable_jit():
    seen = []

    @jit
    def f(x):
        seen.append(type(x))
        return x + 1

    with disable_jit():
        assert f(2) == 3
        with disable_jit(False):
            pass
    assert seen == [int]
    assert f.cache_info().misses == 0


def test_settings_that_decide_what_is_compiled_are_told_apart():
    f = jit(lambda a, i: a[i])
    a = np.arange(3.0)
    with configure(checks=False):
        f(a, 1)
    with pytest.raises(IndexError):
        f(a, 3)
    assert f.cache_info().misses == 2


def test_disable_jit_by_the_environment(run_python):
    program = f"""
import os, sys
sys.path.insert(0, {anabranch.__path__[0].removesuffix("/anabranch")!r})
os.environ["ANABRANCH_DISABLE_JIT"] = "1"
from anabranch import jit
print(jit(lambda x: type(x).__name__)(1), "jaxlib" in sys.modules)
"""
    assert run_python(program).startswith("int")


# ---- reports of misses -----------------------------------------------------------------------------------------------


def power(x, n, *rest, scale=1.0):
    return x * n * scale


def test_a_miss_is_explained_beside_the_closest_signature(caplog):
    f = jit(power, static_argnames="scale")
    with configure(explain_cache_misses=True), caplog.at_level(logging.WARNING, "anabranch.compiles"):
        f(np.zeros(3), 2)
        f(np.zeros((4, 4)), 2.0)
        f(np.zeros(3), 2.5)
        f(np.zeros(3), 2.5, scale=np.float64(2.0))
        f(np.zeros(3), 2.5, scale=np.float64(2.0))
    first, second, third, fourth = (record.getMessage() for record in caplog.records)
    assert first == (
        "power is compiled for x: float64[3], n: Python int, scale: static 1.0; it was not compiled before"
    )
    assert (
        "the closest differs in 2 arguments: x is float64[4,4], was float64[3], n is Python float, was Python int"
        in second
    )
    assert "the closest differs in 1 argument: x is float64[3], was float64[4,4]" in third
    assert fourth.endswith("scale is static np.float64(2.0), was static 1.0")


def test_parts_of_arguments_have_names(caplog):
    f = jit(lambda state, *more: state["x"] + more[0])
    readonly = np.zeros(2)
    readonly.flags.writeable = False
    with configure(explain_cache_misses=True), caplog.at_level(logging.WARNING, "anabranch.compiles"):
        f({"x": 1.0}, 2)
        f({"x": readonly}, 2)
    assert "state['x'] is float64[2] read-only, was Python float" in caplog.records[1].getMessage()


def test_arrays_on_the_device_and_settings_are_told(caplog):
    f = jit(lambda x: x[0] + 1)
    with configure(explain_cache_misses=True), caplog.at_level(logging.WARNING, "anabranch.compiles"):
        f(np.zeros(3))
        f(anabranch.asarray(np.zeros(3)))
        with configure(checks=False):
            f(np.zeros(3))
    _, second, third = (record.getMessage() for record in caplog.records)
    assert "x is Array float64[3], was float64[3]" in second
    assert "settings is checks=False zero_division_errors=True unroll_budget=4000 recursion_limit=32 capacity=" in third
    assert third.rstrip().endswith(", was not there") or ", was not there" in third


def test_a_changed_global_is_a_miss_with_the_same_signature(caplog):
    cell = [1.0]

    def f(x):
        return x + cell[0]

    g = jit(f)
    with configure(explain_cache_misses=True), caplog.at_level(logging.WARNING, "anabranch.compiles"):
        g(1.0)
        cell[0] = 2.0
        assert g(1.0) == 3.0
    assert "this has changed: cell[0] in the closure of" in caplog.records[1].getMessage()


def test_many_compilations_are_warned_of():
    f = jit(lambda x, n: x + n, static_argnames="n")
    with configure(compile_warning=3):
        f(1.0, 1)
        f(1.0, 2)
        with pytest.warns(UserWarning, match=r"was compiled 3 times; give arguments .*n is static 3, was static 2"):
            f(1.0, 3)


def test_nothing_is_logged_unless_asked(caplog):
    with caplog.at_level(logging.INFO):
        jit(lambda x: x + 1)(1.0)
    assert not [r for r in caplog.records if r.name.startswith("anabranch")]


def test_names_that_cannot_be_listed():
    with pytest.raises(StaticArgumentError, match="static_argnames is a memoryview that gives no names"):
        jit(lambda x: x, static_argnames=memoryview(np.zeros((2, 3))))

"""Changes by the caller between two calls: methods, defaults, code, names that were not there before."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anabranch import jit


class Scaled:
    def __init__(self, value):
        self.value = value

    def times(self, x):
        return self.value * x

    def __add__(self, other):
        return self.value + other

    @property
    def doubled(self):
        return self.value * 2


outside = Scaled(2.0)


def calls_a_method(x):
    return outside.times(x)


def adds(x):
    return outside + x


def asks_for_a_property(x):
    return outside.doubled + x


def makes_one(x):
    return Scaled(x).times(3.0)


@pytest.mark.parametrize(
    ("function", "name", "other"),
    [
        (calls_a_method, "times", lambda self, x: -x),
        (adds, "__add__", lambda self, x: -x),
        (asks_for_a_property, "doubled", property(lambda self: 5.0)),
        (makes_one, "times", lambda self, x: -x),
        (makes_one, "__init__", lambda self, value: vars(self).update(value=value + 100)),
    ],
)
def test_another_method(function: Callable[..., Any], name: str, other: Any, monkeypatch: Any) -> None:
    wrapped = jit(function)
    assert wrapped(1.0) == function(1.0)
    with monkeypatch.context() as patch:
        patch.setattr(Scaled, name, other)
        changed = function(1.0)
        assert wrapped(1.0) == changed
    assert wrapped(1.0) == function(1.0) != changed


def test_an_operator_of_a_base_class_that_a_subclass_gets_later() -> None:
    class Base:
        def __neg__(self):
            return 1.0

    class Derived(Base):
        pass

    made = Derived()
    wrapped = jit(lambda x: -made + x)
    assert wrapped(1.0) == 2.0
    Derived.__neg__ = lambda self: 5.0
    assert wrapped(1.0) == 6.0


def _helper() -> types.FunctionType:
    def helper(x, k=1.0, *, m=0.0):
        return x + k + m

    return helper


def test_other_defaults() -> None:
    helper = _helper()
    wrapped = jit(lambda x: helper(x))
    assert wrapped(1.0) == 2.0
    helper.__defaults__ = (7.0,)
    assert wrapped(1.0) == 8.0
    helper.__kwdefaults__ = {"m": 10.0}
    assert wrapped(1.0) == 18.0
    helper.__kwdefaults__["m"] = 20.0
    assert wrapped(1.0) == 28.0


def test_other_code() -> None:
    helper = _helper()
    wrapped = jit(lambda x: helper(x))
    assert wrapped(1.0) == 2.0
    helper.__code__ = (lambda x, k=1.0, *, m=0.0: x * 100).__code__
    assert wrapped(1.0) == 100.0


SCALE = 0.5


def _often(wrapped: Any, x: float) -> float:
    """The result of three calls, the last of which take the fast path."""
    results = {wrapped(x), wrapped(x), wrapped(x)}
    assert len(results) == 1
    return results.pop()


@pytest.mark.parametrize("native", [True, False])
def test_changes_are_seen_by_the_fast_path(monkeypatch: Any, native: bool) -> None:
    def helper(x, k=1.0):
        return x + k + SCALE

    monkeypatch.setitem(globals(), "SCALE", 0.5)
    wrapped = jit(lambda x: helper(x), native_loops=native)
    assert _often(wrapped, 1.0) == 2.5
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    assert _often(wrapped, 1.0) == 4.0
    helper.__defaults__ = (7.0,)
    assert _often(wrapped, 1.0) == 10.0
    helper.__kwdefaults__ = {"m": 1.0}
    assert _often(wrapped, 1.0) == 10.0
    helper.__code__ = (lambda x, k=1.0: x * k).__code__
    assert _often(wrapped, 3.0) == 21.0
    helper.__defaults__ = None
    for _ in range(2):
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'k'"):
            wrapped(3.0)


def test_changes_are_seen_in_what_is_named_after_a_function_of_numpy():
    scale = [2.0]

    def gain(x):
        return x * scale[0]

    functools.update_wrapper(gain, np.full, updated=()).__dict__.clear()
    assert gain.__module__ == "numpy"
    wrapped = jit(lambda x: gain(x))
    assert _often(wrapped, 3.0) == 6.0
    scale[0] = 5.0
    assert _often(wrapped, 3.0) == 15.0


def test_a_lost_global_is_seen_by_the_fast_path(monkeypatch: Any) -> None:
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    wrapped = jit(lambda x: x * SCALE)
    assert _often(wrapped, 3.0) == 6.0
    monkeypatch.delitem(globals(), "SCALE")
    for _ in range(2):
        with pytest.raises(NameError, match="'SCALE' is not defined"):
            wrapped(3.0)


def reads_a_missing_name(x):
    try:
        return MISSING * x
    except NameError:
        return -x


def test_a_name_that_is_there_only_later(monkeypatch: Any) -> None:
    wrapped = jit(reads_a_missing_name)
    assert wrapped(1.0) == -1.0
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "MISSING", 5.0)
        assert wrapped(1.0) == 5.0
    assert wrapped(1.0) == -1.0


def calls_built_in_functions(x):
    return max(x, 0.0) + abs(x)


def test_a_global_that_hides_a_built_in_function(monkeypatch: Any) -> None:
    wrapped = jit(calls_built_in_functions)
    assert wrapped(-1.0) == 1.0
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "max", lambda a, b: 1.0 if a > 5 else -100.0)
        assert [wrapped(-1.0), wrapped(7.0)] == [-99.0, 8.0]
        patch.setitem(globals(), "abs", lambda a: 50.0)
        assert wrapped(-1.0) == -50.0
    assert wrapped(-1.0) == 1.0

"""`jit` in its forms, what is static, and what is compiled again."""

from __future__ import annotations

import functools
import math
import threading

import numpy as np
import pytest

from anabranch import AnabranchError, jit


@jit
def bare(x):
    if x > 0:
        return x * 2
    return -x


@jit(static_argnames=("flag",))
def with_names(x, flag=False):
    if flag and x > 0:
        return "positive"
    return x if not flag else "negative or zero" if x is None else x


@functools.partial(jit, static_argnums=(1,))
def by_partial(x, n):
    return tuple(x * k for k in range(n))


class Model:
    gain = 2.0

    def __init__(self, bias):
        self.bias = bias

    @jit
    def run(self, x):
        if x > 0:
            return x * self.gain
        return x + self.bias

    @staticmethod
    @jit
    def fixed(x):
        return x + 1 if x > 0 else x

    @classmethod
    @functools.partial(jit, static_argnums=(0,))
    def of_class(cls, x):
        return x * cls.gain if x > 0 else x


def test_bare() -> None:
    assert bare(2.0) == 4.0
    assert bare(-2.0) == 2.0
    assert bare(-2) == 2
    assert type(bare(-2)) is int


def test_names_and_docstring_are_kept() -> None:
    def documented(x):
        """The documentation of it."""
        return x

    wrapped = jit(documented)
    assert wrapped.__name__ == "documented"
    assert wrapped.__doc__ == "The documentation of it."
    assert wrapped.__wrapped__ is documented


def test_static_by_name_and_by_position() -> None:
    assert by_partial(2.0, 3) == (0.0, 2.0, 4.0)
    assert by_partial(2.0, n=2) == (0.0, 2.0)
    assert by_partial(x=2.0, n=1) == (0.0,)


def test_static_default() -> None:
    @jit(static_argnames="n")
    def f(x, n=2):
        return tuple(x + k for k in range(n))

    assert f(1.0) == (1.0, 2.0)
    assert f(1.0, 3) == (1.0, 2.0, 3.0)
    assert f(1.0, n=1) == (1.0,)


def test_static_values_equal_but_of_other_types() -> None:
    @jit(static_argnames="k")
    def f(x, k):
        return x * k

    got = [f(2, 1), f(2, 1.0), f(2, True), f(2, 0.0)]
    assert [type(v) for v in got] == [int, float, int, float]


def test_static_negative_zero_is_told_apart() -> None:
    f = jit(lambda x, k: x * k, static_argnames="k")
    assert (str(f(2, 0.0)), str(f(2, -0.0))) == ("0.0", "-0.0")


def test_traced_types_are_told_apart() -> None:
    @jit
    def f(x):
        return x + x

    got = [f(1), f(1.0), f(True), f(np.int32(1)), f(np.array(1)), f(np.float32(1)), f(1j)]
    want = [2, 2.0, 2, np.int32(2), np.int64(2), np.float32(2), 2j]
    assert [type(v) for v in got] == [type(v) for v in want]


def test_unhashable_static_argument() -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        by_partial(2.0, [1])
    assert isinstance(caught.value, AnabranchError)


def test_unknown_static_name() -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        jit(lambda x: x, static_argnames=("nothing",))(1.0)
    assert isinstance(caught.value, AnabranchError)


def test_wrong_arguments_are_a_type_error() -> None:
    with pytest.raises(TypeError):
        bare()
    with pytest.raises(TypeError):
        bare(1.0, 2.0)
    with pytest.raises(TypeError):
        bare(1.0, y=2.0)


def test_argument_of_a_foreign_type() -> None:
    with pytest.raises(TypeError) as caught:
        bare(object())
    assert isinstance(caught.value, AnabranchError)


def test_methods() -> None:
    model = Model(10.0)
    assert model.run(2.0) == 4.0
    assert model.run(-2.0) == 8.0
    assert Model(20.0).run(-2.0) == 18.0
    assert Model.fixed(2.0) == 3.0


def test_class_method_with_a_static_class() -> None:
    assert Model.of_class(2.0) == 4.0


def test_changed_attribute_of_self_is_seen() -> None:
    model = Model(10.0)
    assert model.run(-2.0) == 8.0
    model.bias = 100.0
    assert model.run(-2.0) == 98.0


def test_lambda() -> None:
    f = jit(lambda x: x * 2 if x > 0 else -x)
    assert f(2.0) == 4.0
    assert f(-3.0) == 3.0


def test_two_lambdas_on_one_line() -> None:
    f, g = jit(lambda x: x * 2 if x > 0 else -x), jit(lambda x: x * 3 if x > 0 else -x)
    assert (f(2.0), g(2.0)) == (4.0, 6.0)


def test_partial_of_a_function() -> None:
    def f(x, y, k=1):
        return x + y * k if x > 0 else x

    assert jit(functools.partial(f, k=10))(1.0, 2.0) == 21.0


def test_jit_of_jit_and_jit_within_jit() -> None:
    @jit
    def outer(x):
        if x > 1:
            return bare(x) + 1
        return bare(-x)

    assert outer(2.0) == 5.0
    assert outer(0.5) == 0.5
    assert jit(bare)(2.0) == 4.0


def test_star_arguments_of_the_jitted() -> None:
    @jit
    def f(x, *rest, scale=1.0, **named):
        for r in rest:
            x = x * 10 + r
        for key in sorted(named):
            x = x * 10 + named[key]
        return x * scale if x > 0 else x

    assert f(1, 2, 3) == 123.0
    assert f(1, 2, b=4, a=3, scale=2.0) == 2468.0
    assert f(1) == 1.0


def test_changed_object_in_a_closure_is_seen() -> None:
    model = Model(1.0)

    @jit
    def f(x):
        return x + model.bias

    assert f(1.0) == 2.0
    model.bias = 5.0
    assert f(1.0) == 6.0


def test_changed_class_attribute_is_seen() -> None:
    model = Model(1.0)
    f = jit(lambda x: x * model.gain)
    assert f(2.0) == 4.0
    Model.gain = 5.0
    try:
        assert f(2.0) == 10.0
    finally:
        Model.gain = 2.0


def test_default_argument_is_evaluated_once() -> None:
    k = 3

    @jit
    def f(x, scale=k):
        return x * scale

    assert f(2) == 6
    k = 100
    assert f(2) == 6
    assert k == 100


def test_one_compilation_for_a_signature() -> None:
    traces = []

    def helper(x):
        traces.append(1)
        return x

    @jit
    def f(x, n):
        return x * n

    f(1.0, 2)
    compiled = len(f._executables)
    f(2.0, 3)
    f(-1.0, 10**6)
    assert len(f._executables) == compiled == 1
    f(1, 2)
    assert len(f._executables) == 2
    f(np.zeros(3), 2)
    f(np.ones(3), 2)
    assert len(f._executables) == 3
    f(np.zeros(4), 2)
    f(np.zeros((3, 1)), 2)
    f(np.zeros(3, dtype=np.float32), 2)
    assert len(f._executables) == 6
    assert helper(1) == 1


def test_from_threads() -> None:
    @jit
    def f(x, n):
        s = 0.0
        for i in range(n):
            s += x * i
        return s

    got = {}

    def work(k):
        got[k] = f(float(k), 10)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert got == {k: k * 45.0 for k in range(8)}
    assert len(f._executables) == 1


def test_source_is_python_that_compiles() -> None:
    text = bare.__wrapped__.__name__
    assert text == "bare"
    compile(bare.source(), "<source>", "exec")


def test_tracing_long_loops_is_as_quick_as_short_ones() -> None:
    def f(x):
        for i in range(30000):
            x = x * 0.5 + i
        return x

    program = str(jit(f).trace(1.0).program)
    assert len(program) < 4000


def test_nesting_does_not_blow_up() -> None:
    traced = []

    @jit
    def f(x, n):
        for _ in range(n):
            if x > 0:
                for _ in range(n):
                    if x > 1:
                        for _ in range(n):
                            if x > 2:
                                for _ in range(n):
                                    if x > 3:
                                        traced.append(1) if x is None else None
                                        x = x - 0.5
        return x

    text = str(f.trace(4.0, 2).program)
    assert len(text) < 20000


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (np.sin, (1.5,)),
        (np.add, (np.arange(3), 2)),
        (np.linalg.norm, (np.arange(5.0),)),
        (np.where, (np.array([True, False]), 1, 2.5)),
        (math.hypot, (3.0, 4.0)),
        (abs, (-3,)),
        (divmod, (7, -2)),
    ],
)
def test_functions_of_libraries(function, args):
    want, got = function(*args), jit(function)(*args)
    assert type(want) is type(got)
    np.testing.assert_array_equal(got, want)

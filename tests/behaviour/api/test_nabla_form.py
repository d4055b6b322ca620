"""Nabla's form: `jit(func, static, show_graph, auto_device)`, `djit` and `xpr`."""

from __future__ import annotations

import copy
import io
import logging
import math
import pickle
import threading

import numpy as np
import pytest

import anabranch
from anabranch import asarray, djit, jit, make_xpr, xpr
from anabranch.runtime.api.djit import Dynamic
from tests.behaviour.docs.parity_page import shows

SCALE = 2.0


def power(x, n):
    result = 1.0
    for _ in range(n):
        result = result * x
    if n > 3:
        result = result + 1
    return result


@shows("nabla.jit(func)", "nabla.jit(static)")
def test_static_traces_once_for_each_signature():
    f = jit(power, True)
    assert f(2.0, 3) == power(2.0, 3)
    assert f(3.0, 4) == power(3.0, 4)
    assert f.cache_info()[:2] == (1, 1)
    assert type(jit(func=power)) is type(jit(power, static=True)) is anabranch.Wrapped


@shows("nabla.jit(static)", "nabla.djit(func)")
def test_dynamic_keeps_numbers():
    seen = []

    def f(x, n):
        seen.append(type(n))
        return x * np.ones(n) if n > 3 else x * n

    for wrapped in (djit(f), jit(f, static=False), jit(f, False), djit(func=f)):
        assert isinstance(wrapped, Dynamic)
        x = np.arange(5.0)
        np.testing.assert_array_equal(wrapped(x, 5), x)
        np.testing.assert_array_equal(wrapped(x, 2), x * 2)
    assert set(seen) == {int}


def test_programs_are_found_by_what_they_are():
    f = djit(lambda x, n: np.sin(x) + (1.0 if n > 3 else 2.0))
    x = np.ones(3)
    for n in (1, 2, 3, 4, 5, -7):
        f(x, n)
    assert f.cache_info()[:2] == (4, 2)  # two programs for six numbers
    assert len(f._programs) == 2
    f(np.ones(4), 1)
    f(asarray(np.ones(3)), 1)
    assert len(f._programs) == 4
    f.clear_cache()
    assert f.cache_info()[3] == 0
    f(x, 1)
    f.cache_clear()
    assert f.cache_info() == (0, 0, f.cache_info().maxsize, 0)


def test_programs_are_bounded():
    f = jit(lambda x, n: x + n, static=False, cache_size=3)
    for n in range(6):
        assert f(np.ones(1), n)[0] == 1 + n
    assert f.cache_info() == (0, 6, 3, 3)


@pytest.mark.parametrize(
    "args",
    [
        (2.0, 3),
        (True, 1),
        (1, 2.5),
        (1j, 2),
        (np.float32(1.5), 2),
        (np.arange(3), 2),
        (np.arange(3.0), 2.0),
        (10**30, 7),
    ],
)
def test_results_are_those_of_plain_python(args):
    def f(a, b):
        return a * b, b + 1, a - a, [b, {"a": a}]

    want, got = f(*args), djit(f)(*args)
    assert repr(want) == repr(got)
    assert type(want[0]) is type(got[0])
    assert type(want[1]) is type(got[1])


def test_numbers_alone_are_plain_python():
    def f(n, k):
        return math.factorial(n) // 10**k, f"{n:>5}", n ** (-k)

    assert djit(f)(40, 3) == f(40, 3)


def test_changed_arguments():
    def f(items, d, a):
        items.append(items[0] + 1)
        items[0] += 2
        d["n"] = d["n"] * 2
        d["a"] = a * d["n"]
        a[0] = d["n"]
        return items

    outcomes = []
    for g in (f, djit(f)):
        items, d, a = [1, 2.0], {"n": 3}, np.ones(2)
        assert g(items, d, a) is items
        outcomes.append(repr((items, d, a)))
    assert outcomes[0] == outcomes[1]


def test_globals_are_read_at_each_call(monkeypatch):
    f = djit(lambda x: x * SCALE)
    assert f(np.ones(1))[0] == 2.0
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert f(np.ones(1))[0] == 5.0
    monkeypatch.setitem(globals(), "SCALE", 2.0)


def test_exceptions_are_the_users():
    def f(x, n):
        if n < 0:
            raise ValueError(f"n is {n}")
        if x[0] > 1:
            raise KeyError(x[0])
        return x + n

    g = djit(f)
    with pytest.raises(ValueError, match="n is -1"):
        g(np.ones(1), -1)
    with pytest.raises(KeyError) as caught:
        g(np.array([3.5]), 1)
    assert caught.value.args == (3.5,)
    assert g(np.ones(1), 1)[0] == 2


@pytest.mark.parametrize("loop", [False, True])
def test_prints_are_those_of_this_call(loop, capsys):
    def in_a_loop(x, name):
        for i in range(x[0]):
            print(name, i, x[1])
        return x

    def at_the_top(x, name):
        print(name, x[1])
        return x

    f = in_a_loop if loop else at_the_top
    g = djit(f)
    for name in ("a", "b", "a"):
        for h in (f, g):
            h(np.array([2, 7]), name)
    out = capsys.readouterr().out
    once = {True: "{0} 0 7\n{0} 1 7\n", False: "{0} 7\n"}[loop]
    assert out == "".join(once.format(n) * 2 for n in "aba")
    # The text of what is printed is no part of the program.
    assert g.cache_info()[:2] == (2, 1)


def test_a_callback_that_calls_the_function_again(caplog):
    log = logging.getLogger("nabla")

    class Again(logging.Handler):
        def emit(self, record):
            if record.args[0] > 0:
                got.append(f(np.array([record.args[0] - 1])).tolist())

    @djit
    def f(x):
        for _ in range(x[0]):
            log.warning("at %d", x[0])
        return x * 2

    got = []
    log.addHandler(Again())
    f(np.array([2]))
    assert got == [[0], [2], [0], [2]]


def test_abstract_values_never_reach_a_kept_executable():
    f = djit(lambda x, n: [print(n + v) for v in x] and x)
    f(np.ones(2), 1)
    import gc
    import weakref

    class Marked:
        pass

    marked = Marked()
    alive = weakref.ref(marked)

    @djit
    def g(x, m):
        for i in range(x[0]):
            print(i, m is None)
        return x

    g(np.array([1]), None)
    del marked
    gc.collect()
    assert alive() is None


def test_threads():
    f = djit(lambda x, n: np.sort(x)[:n] * n)
    got = {}

    def call(n):
        got[n] = f(np.arange(9.0)[::-1].copy(), n).tolist()

    threads = [threading.Thread(target=call, args=(n % 4 + 1,)) for n in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert got == {n: (np.arange(9.0)[:n] * n).tolist() for n in (1, 2, 3, 4)}
    assert f.cache_info()[:2] == (12, 4)


def test_stages_of_a_dynamic_function():
    f = djit(power)
    assert str(f.trace(2.0, 3).in_tree) == "((2.0, 3), {})"
    compiled = f.lower(np.float64(2.0), 4).compile()
    assert compiled(np.float64(3.0), 4) == power(3.0, 4)
    with pytest.raises(anabranch.UnsupportedValueError, match="n: compiled for static 4, called with static 5"):
        compiled(np.float64(3.0), 5)
    assert f.eval_shape(np.float64(1.0), 2) == anabranch.ShapeDtypeStruct((), float)


def test_methods_copies_and_calls_from_compiled_functions():
    class Model:
        def __init__(self, k):
            self.k = k

        @djit
        def scaled(self, x, n):
            return x * self.k if n > 1 else x

        @djit(show_graph=False)
        @staticmethod
        def fixed(x, n):
            return x * n

    model = Model(3.0)
    assert model.scaled(np.ones(1), 2)[0] == 3.0
    assert model.scaled(np.ones(1), 1)[0] == 1.0
    assert isinstance(model.scaled, Dynamic)
    assert Model.fixed(np.ones(1), 4)[0] == 4.0
    f = djit(power)
    assert copy.copy(f) is f
    assert isinstance(pickle.loads(pickle.dumps(f)), Dynamic)
    assert jit(lambda x, n: f(x, n) * 2)(2.0, 4) == 34.0
    assert repr(f) == f"<anabranch.djit of {power!r}>"
    assert f.__name__ == "power"
    with anabranch.disable_jit():
        assert f(2.0, 4) == 17.0


def test_donation_and_options_hold_for_dynamic_functions():
    f = jit(lambda a, n: a + n, static=False, donate_argnums=0)
    a = asarray([1.0])
    assert f(a, 2).tolist() == [3.0]
    assert a.is_deleted()
    assert isinstance(jit(f, donate_argnums=()), Dynamic)
    assert jit(djit(power)) is not None
    assert type(jit(jit(power), static=False)) is Dynamic


@pytest.mark.parametrize(
    "make", [lambda f: jit(f, True, True), lambda f: jit(f, show_graph=True), lambda f: djit(f, True)]
)
@shows("nabla.jit(show_graph)", "nabla.djit(show_graph)")
def test_show_graph_prints_a_program_once(make, capsys):
    f = make(lambda x: np.sin(x) + 1)
    f(np.ones(3))
    out = capsys.readouterr().out
    assert out == xpr(lambda x: np.sin(x) + 1, np.ones(3)) + "\n"
    f(np.zeros(3))
    assert capsys.readouterr().out == ""
    f(np.zeros(4))
    assert "f64[4]" in capsys.readouterr().out
    jit(lambda x: x + 1)(1.0)
    assert capsys.readouterr().out == ""


@shows("nabla.jit(auto_device)", "nabla.djit(auto_device)")
def test_auto_device_moves_nothing_on_the_cpu():
    for auto in (True, False):
        x = np.ones(3)
        assert type(jit(lambda x: x + 1, auto_device=auto)(x)) is np.ndarray
        assert type(djit(lambda x: x + 1, auto_device=auto)(x)) is np.ndarray
        assert jit(lambda x: x + 1, True, False, auto)(asarray(x)).device == "cpu"


@pytest.mark.parametrize("name", ["static", "show_graph", "auto_device"])
def test_switches_are_truths(name):
    with pytest.raises(TypeError, match=f"True or False for {name}, not 1"):
        jit(power, **{name: 1})
    with pytest.raises(TypeError, match=f"True or False for {name}, not 'no'"):
        jit(**{name: "no"})(power)


@shows("nabla.xpr(fn)", "nabla.xpr(primals)", "jax.make_jaxpr(fun)")
def test_programs_as_text_and_as_objects():
    text = xpr(power, 2.0, 3)
    program = make_xpr(power)(2.0, 3)
    assert isinstance(program, anabranch.Program)
    assert str(program) == text
    assert text == str(jit(power).trace(2.0, 3).program) == make_xpr(jit(power))(2.0, 3).__str__()
    assert "while" in text or "for" in text
    assert make_xpr(power).__name__ == "power"
    assert "range" not in xpr(djit(power), np.float64(2.0), 3)
    assert text.startswith("{ lambda a:f64[] b:i64[] ; let")


@shows("jax.make_jaxpr(static_argnums)", "jax.make_jaxpr(return_shape)")
def test_programs_with_static_arguments_and_shapes():
    program, shape = make_xpr(power, static_argnums=1, return_shape=True)(2.0, 3)
    assert str(program) == xpr(jit(power, static_argnums=1), 2.0, 3)
    assert len(program.inputs) == 1
    assert shape == anabranch.ShapeDtypeStruct((), float, weak_type=True)
    assert str(make_xpr(power, 1)(2.0, 3)) == str(program)


def test_streams_are_those_of_the_call():
    import contextlib

    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        jit(lambda x: x + 1, show_graph=True)(1.0)
    assert "add" in stream.getvalue()

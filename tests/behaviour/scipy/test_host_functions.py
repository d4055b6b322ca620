"""`anabranch.host`: functions of the user's that compiled functions call on the host."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import anabranch
from anabranch import ShapeDtypeStruct, StructureMismatchError, UnsupportedOperationError, host, jit
from tests.equivalence import check

SEEN: list[object] = []


@host(result=float)
def noted(x):
    SEEN.append(x)
    return x * 2.0


@host(result=ShapeDtypeStruct((3,), float))
def several(n):
    SEEN.append(n)
    return np.arange(float(n))


@host
def halves(x, y=1):
    return {"x": x / 2, "pair": (int(y), np.float32(y), None)}


class Gauge:
    factor = 3.0

    @host(result=float)
    def read(self, x):
        return float(x) * self.factor


GAUGE = Gauge()


@pytest.fixture(autouse=True)
def nothing_seen():
    SEEN.clear()


def test_it_is_called_at_each_call_in_order():
    def f(x):
        total = 0.0
        for i in range(3):
            if x > i:
                total += noted(x + i)
        return total

    compiled = jit(f)
    for x in (1.5, 1.5, 5.0):
        want, told = f(x), [*SEEN]
        SEEN.clear()
        assert compiled(x) == want
        assert told == SEEN
        SEEN.clear()


def test_it_is_called_with_known_values_too():
    compiled = jit(lambda x: x + noted(1.0))
    assert [compiled(1.0), compiled(2.0)] == [3.0, 4.0]
    assert SEEN == [1.0, 1.0]


def test_effects_are_in_order(capsys):
    @host(result=int)
    def told(x):
        print("host", x)
        return 1

    def f(x):
        print("before", x)
        n = told(x)
        print("after", n)
        return n

    jit(f)(2.0)
    assert capsys.readouterr().out == "before 2.0\nhost 2.0\nafter 1\n"


def test_a_run_that_begins_anew_does_not_call_it_again():
    def f(n):
        first = noted(1.0)
        made = several(n)
        return made, first + noted(2.0)

    compiled = jit(f)
    for n in (3, 5, 2, 5):
        made, total = compiled(n)
        assert (made.tolist(), total) == (list(range(n)), 6.0)
        assert SEEN == [1.0, n, 2.0]
        SEEN.clear()


def test_results_of_all_forms():
    check(lambda x: halves(x, y=2), np.arange(3.0))
    check(lambda x: GAUGE.read(x), 2.0)
    check(lambda x: len(halves(x)["pair"]), 2.0)


def test_text_of_run_time_values_is_passed():
    @host(result=int)
    def length(text):
        SEEN.append(text)
        return len(text)

    assert jit(lambda x: length(f"x={x:.2f}"))(1.5) == 6
    assert SEEN == ["x=1.50"]


def test_a_text_is_returned():
    @host(result=("", float))
    def shown(x):
        return f"<{x:.3f}>", x

    def f(x):
        found = []
        for k in range(3):
            text, value = shown(x * k)
            if value > 1:
                text += "!"
            found.append(text)
        return found

    check(f, 1.5)


def test_what_it_raises_is_raised():
    class Own(ValueError):
        pass

    @host(result=float)
    def failing(x):
        if x > 1:
            raise Own(f"too large: {x}")
        return float(x)

    def f(x):
        return failing(x)

    def g(x):
        try:
            return failing(x)
        except ValueError:
            return -1.0

    def h(x):
        try:
            return failing(x)
        except ZeroDivisionError:
            return -2.0
        except Own:
            return -3.0
        except ValueError:
            return -4.0

    check(f, 0.5)
    check(f, 2.0)
    check(h, 2.0)
    check(g, 0.5)
    check(g, 2.0)


def test_another_type_is_refused():
    @host(result=float)
    def odd(x):
        return int(x)

    @host(result=(float, float))
    def long(x):
        return (x, x, x)

    for function in (odd, long):
        with pytest.raises(StructureMismatchError, match="has returned"):
            jit(lambda x, function=function: function(x), static_argnames=("function",))(1.0)


def test_changes_of_arguments_are_refused():
    @host(result=float)
    def changes(x):
        x[0] = 5
        return 0.0

    @host
    def returns(x):
        return x[1:]

    @host
    def path(x):
        return pathlib.Path("a")

    for function, said in ((changes, "changes an argument"), (returns, "a view of one"), (path, "returns a Pos")):
        with pytest.raises((UnsupportedOperationError, StructureMismatchError), match=said):
            jit(lambda x, function=function: function(x), static_argnames=("function",))(np.arange(3.0))


def test_outside_it_is_the_function():
    assert noted(2.0) == 4.0
    assert noted.__name__ == "noted"
    assert Gauge().read(1.0) == 3.0


def test_settings_forbid_it():
    with pytest.raises(UnsupportedOperationError, match="host_calls"), anabranch.configure(host_calls=False):
        jit(lambda x: noted(x))(1.0)


def test_it_may_call_compiled_functions():
    inner = jit(lambda x: x * 2 + 1)

    @host(result=np.float64)
    def outer(x):
        return inner(np.array([x, x])).sum()

    assert jit(lambda x: outer(x) + 1)(2.0) == 11.0


@host
def doubled(x):
    return x * 2.0


def test_a_result_that_lapack_reads_next_is_in_c_order():
    def f(x):
        made = doubled(x + 1.0)
        return np.linalg.svd(made)[1], made, doubled(np.linalg.qr(x)[0])

    check(f, np.random.default_rng(0).random((6, 5)), ulps=1e4)

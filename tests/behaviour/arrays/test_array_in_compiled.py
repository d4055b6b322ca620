"""Compiled functions that take `anabranch.Array`s, or find them outside."""

from __future__ import annotations

import time

import numpy as np
import pytest

import anabranch
from anabranch import asarray, jit
from anabranch.runtime.config import configure
from tests.behaviour.arrays.same_arrays import same

X, Y = np.array([[1.5, -2, 3], [4, 0.5, -1]]), np.array([2.0, 3, -2])


@jit
def steps(x, limit):
    n = 0
    while (x * x).sum() < limit:
        x = x * 2
        n = n + 1
    return x, x.sum(), n, {"x": x[0]}


def test_arrays_in_arrays_out():
    x, total, n, parts = steps(asarray(Y), 1000.0)
    wanted = steps(Y, 1000.0)
    same((x, total, parts["x"]), (wanted[0], np.asarray(wanted[1]), np.asarray(wanted[3]["x"])))
    assert type(n) is int
    assert n == wanted[2]
    assert type(wanted[0]) is np.ndarray


def test_mixed_arguments():
    @jit
    def f(a, b, c):
        b[0] = 10.0
        return a + b, c + 1, b

    b = np.array([1.0, 2.0, 3.0])
    total, count, given = f(asarray(Y), b, 2)
    same(total, Y + np.array([10.0, 2, 3]))
    assert count == 3
    assert given is b
    assert b.tolist() == [10, 2, 3]


def test_identity_and_views():
    @jit
    def f(a):
        return a, a[1:], a.T, a.copy(), [a, a]

    a = asarray(X)
    itself, part, turned, other, both = f(a)
    assert itself is a
    assert both[0] is both[1] is a
    assert other is not a
    same((part, turned, other), (X[1:], X.T, X))


@pytest.mark.parametrize("branch", [False, True])
def test_an_argument_is_not_written_to(branch):
    def write(x):
        if branch:
            if x.sum() > 0:
                x[0] = 1.0
        else:
            x += 1
        return x

    a = asarray(Y)
    with pytest.raises(anabranch.ImmutableArrayError, match="argument 'x'") as caught:
        jit(write)(a)
    assert "x[0] = 1.0" in str(caught.value) or "x += 1" in str(caught.value)
    assert a.tolist() == Y.tolist()


def test_a_copy_is_written_to():
    @jit
    def f(x):
        x = x.copy()
        for i in range(len(x)):
            x[i] = x[i] + i
        x += 1
        x.sort()
        return x

    a = asarray(Y)
    same(f(a), f(Y.copy()))
    assert a.tolist() == Y.tolist()


WEIGHTS = asarray([1.0, 2.0, 3.0])
PARAMETERS = {"w": asarray([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]]), "b": asarray([1.0, -1.0])}


def test_arrays_from_outside():
    inner = asarray([5.0, 6.0, 7.0])

    @jit
    def f(x):
        y = x * WEIGHTS + inner
        for w in WEIGHTS:
            y = y + w
        if y.sum() > 0:
            y = y + WEIGHTS[x.argmax()]
        return PARAMETERS["w"] @ y + PARAMETERS["b"]

    def plain(x):
        w, i = np.asarray(WEIGHTS), np.asarray(inner)
        y = x * w + i + w.sum()
        if y.sum() > 0:
            y = y + w[x.argmax()]
        return np.asarray(PARAMETERS["w"]) @ y + np.asarray(PARAMETERS["b"])

    same(f(Y), plain(Y))
    same(f(asarray(Y)), plain(Y))


def test_arrays_in_containers_outside_as_starts_of_loops_and_branches():
    @jit
    def f(x):
        total = PARAMETERS["b"]
        while total.max() < 10:
            total = total + x * x
        chosen = PARAMETERS["w"]
        if x[0] > 0:
            chosen = PARAMETERS["b"]
        for i in range(2):
            if x[i] > 1:
                total = total + PARAMETERS["b"][i]
        return total, chosen

    def plain(x):
        b = np.asarray(PARAMETERS["b"])
        total = b
        while total.max() < 10:
            total = total + x * x
        for i in range(2):
            if x[i] > 1:
                total = total + b[i]
        return total, b

    same(f(asarray(Y[:2])), plain(Y[:2]))
    same(f(Y[:2]), plain(Y[:2]))


def _written(x, p):
    y = x.copy()
    y[:2] = p["b"][1:]
    y[p["i"]] += 1
    np.copyto(y, p["b"], where=p["m"])
    y += p["b"]
    return y


HELD = {"b": asarray([1.0, 2.0, 3.0]), "i": asarray([2, 0]), "n": asarray(2), "m": asarray([True, False, True])}
HELD_PROGRAMS = (
    lambda x, p: x[p["i"]], lambda x, p: 3 * p["b"] + x, lambda x, p: [u * v for u, v in zip(x, p["b"], strict=True)],
    lambda x, p: sum(p["b"]) + x[0], lambda x, p: max(p["b"][0], x[0]), lambda x, p: [x * k for k in range(p["n"])],
    lambda x, p: float(p["b"][1]) + x, lambda x, p: np.where(p["m"], x, p["b"]), lambda x, p: x < p["b"],
    lambda x, p: x * 2 if x[1] in p["b"] else x + 1, lambda x, p: x + (2.0 in p["b"]), lambda x, p: [*p["b"]][2] * x,
    lambda x, p: (x if x[0] > 9 else p["b"]) * 2, lambda x, p: p["b"][::-1], lambda x, p: np.stack([x, p["b"]]),
    lambda x, p: 2 ** p["b"] + x, lambda x, p: np.einsum("i,i->", x, p["b"]), lambda x, p: x[p["n"]] * 1,
    lambda x, p: np.asarray(p["b"]) + x, lambda x, p: x.dot(p["b"]) if x.sum() > 0 else p["b"].sum(), _written,
)  # fmt: skip


@pytest.mark.parametrize("number", range(len(HELD_PROGRAMS)))
def test_arrays_in_containers_outside(number):
    program = HELD_PROGRAMS[number]
    wanted = program(Y, {k: np.asarray(v)[()] for k, v in HELD.items()})
    same(jit(lambda x: program(x, HELD))(asarray(Y)), wanted)


def test_values_known_while_tracing_stay_on_the_device():
    @jit
    def f(x):
        counts, edges = np.histogram(x, 3, (0.0, 3.0))
        return counts, edges, np.arange(2), np.float32(2), "text", 1

    same(f(asarray(Y)), (*np.histogram(Y, 3, (0.0, 3.0)), np.arange(2), np.float32(2), "text", 1))


def test_an_array_from_outside_that_is_another_now():
    global WEIGHTS
    before = WEIGHTS

    @jit
    def f(x):
        return x + WEIGHTS

    try:
        same(f(Y), Y + np.asarray(before))
        WEIGHTS = asarray([0.0, 0.0, 1.0])
        same(f(Y), Y + np.array([0.0, 0.0, 1.0]))
    finally:
        WEIGHTS = before


def test_failures_reach_the_caller():
    @jit
    def f(x, i):
        if x.sum() > 100:
            raise ValueError("too much")
        return x[i]

    same(f(asarray(Y), 1), np.asarray(Y[1]))
    with pytest.raises(IndexError, match="out of bounds"):
        f(asarray(Y), 7)
    with pytest.raises(ValueError, match="too much"):
        f(asarray(Y * 1000), 1)


def test_output_is_shown(capsys):
    @jit
    def f(x):
        print("sum", x.sum())
        for i in range(2):
            if x[i] > 2:
                print("big", i)
        return x

    f(asarray(Y))
    assert capsys.readouterr().out == "sum 3.0\nbig 1\n"


def test_results_are_asynchronous():
    @jit
    def f(x):
        for _ in range(30):
            x = x @ x
            x = x / x.max()
        return x

    a = asarray(np.random.default_rng(0).random((400, 400)))
    f(a).block_until_ready()
    start = time.perf_counter()
    result = f(a)
    started = time.perf_counter() - start
    pending = not result.is_ready()
    assert result.block_until_ready() is result
    ended = time.perf_counter() - start
    assert result.is_ready()
    assert pending
    assert started < ended / 2


def test_host_values_inside_a_compiled_function():
    @jit
    def f(x):
        return x + anabranch.asarray([1.0, 2.0, 3.0])

    same(f(asarray(Y)), Y + np.array([1.0, 2.0, 3.0]))
    assert type(f(Y)) is np.ndarray


def test_one_signature_each():
    @jit
    def f(x):
        return x + 1

    f(asarray(Y)), f(Y), f(asarray(Y)), f(asarray(X))
    assert len(f._executables) == 3
    compiled = f.lower(asarray(Y)).compile()
    same(compiled(asarray(Y)), Y + 1)
    with pytest.raises(anabranch.UnsupportedValueError):
        compiled(Y)


def test_checks_can_be_left_out():
    with configure(checks=False):
        assert asarray([1, 2])[asarray([0, 1])].tolist() == [1, 2]


def test_a_write_that_does_not_fit_is_still_a_write():
    """NumPy, too, looks at whether it may write before it looks at the index."""

    def written(x):
        x[0] = 1.0
        return x

    a = asarray(2.5)
    for function in (written, jit(written)):
        with pytest.raises(anabranch.ImmutableArrayError):
            function(a)


A, B = asarray(Y), asarray(Y)


@pytest.mark.parametrize("args", [(A, A), (A, B), (A, [A]), ([A, B, A], B), ({"a": A}, (B, A))], ids=range(5))
def test_which_arrays_are_one(args):
    def one(x, y):
        found = [*(x.values() if isinstance(x, dict) else x if isinstance(x, list) else [x])]
        found += y if isinstance(y, (list, tuple)) else [y]
        return [a is b for a in found for b in found]

    compiled = jit(one)
    for _ in range(3):
        assert compiled(*args) == one(*args)
    assert compiled(A, B) == one(A, B)
    assert compiled(A, A) == one(A, A)


def test_whether_an_argument_is_the_array_from_outside():
    compiled = jit(lambda x: x is A)
    for x in (A, B):
        with pytest.raises(anabranch.UnsupportedOperationError, match="is one from outside"):
            compiled(x)
    assert jit(lambda x: x[0] is A)(A) is False

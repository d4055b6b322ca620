"""Programs of containers and objects, functions, exceptions, `with` and `print`."""

# ruff: noqa: E731, E741

from __future__ import annotations

import collections
import contextlib
import dataclasses

import numpy as np

from tests.behaviour.programs.cases import A, F, I, case


# ---------------- containers & state
@case("state", (I(4),))
def list_append_traced(n):
    l = []
    for i in range(n):
        l.append(i * 2)
    return np.array(l)


@case("state", (A([1.0, 2.0, 3.0]),))
def list_append_static(a):
    l = []
    for i in range(3):
        l.append(a[i] * 2)
    return np.stack(l)


@case("state", (A([1.0, 2.0, 3.0]),))
def list_append_rows(a):
    l = []
    for v in a:
        l.append(v * 2)
    return np.stack(l)


@case("state", (I(4),))
def dict_state(n):
    d = {"a": 0, "b": 1}
    for i in range(n):
        d["a"] = d["a"] + d["b"]
        d["b"] = d["b"] * 2
    return d["a"], d["b"]


@case("state", (I(4),))
def tuple_state(n):
    t = (0, 1)
    for i in range(n):
        t = (t[1], t[0] + t[1])
    return t


P = collections.namedtuple("P", ["x", "y"])


@case("state", (I(4),))
def namedtuple_state(n):
    p = P(0, 1)
    for i in range(n):
        p = P(p.y, p.x + p.y)
    return p.x, p.y


@dataclasses.dataclass
class D:
    x: int
    y: int


@case("state", (I(4),))
def dataclass_state(n):
    p = D(0, 1)
    for i in range(n):
        p.x, p.y = p.y, p.x + p.y
    return p.x, p.y


class Obj:
    def __init__(self):
        self.v = 0

    def bump(self, k):
        self.v = self.v + k


@case("state", (I(4),))
def attr_state_direct(n):
    o = Obj()
    for i in range(n):
        o.v = o.v + i
    return o.v


@case("state", (I(4),))
def attr_state_method(n):
    o = Obj()
    for i in range(n):
        o.bump(i)
    return o.v


@case("state", (A([1.0, 2.0, 3.0]),))
def dict_iter(a):
    d = {"p": a[0], "q": a[1]}
    s = 0.0
    for k, v in d.items():
        s = s + v
    return s


@case("state", (I(3), F(2.0)))
def list_index_state(n, x):
    l = [x, x]
    for i in range(n):
        l[0] = l[0] + l[1]
    return l[0]


# ---------------- functions
@case("fn", (I(3), F(2.0)))
def closure_reads_loopvar(n, x):
    s = 0.0
    for i in range(n):

        def g(y):
            return y * i

        s = s + g(x)
    return s


@case("fn", (I(3),))
def nonlocal_in_loop(n):
    c = 0

    def inc(k):
        nonlocal c
        c = c + k

    for i in range(n):
        inc(i)
    return c


GLOB = 3


@case("fn", (F(2.0),), (F(-2.0),))
def global_read(x):
    if x > 0:
        return x * GLOB
    return x


def _helper(x):
    if x > 5:
        return x**2
    return x**3


@case("fn", (F(2.0),), (F(7.0),))
def call_user_fn(x):
    return _helper(x) + _helper(x + 1)


@case("fn", (F(2.0), I(3)))
def call_user_fn_in_loop(x, n):
    for _ in range(n):
        x = x + _helper(x) * 0.01
    return x


class Callable_:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        if x > 0:
            return x * self.k
        return x

    def m(self, x):
        if x > 0:
            return x * self.k
        return x


_cb = Callable_(3.0)


@case("fn", (F(2.0),), (F(-2.0),))
def call_callable_obj(x):
    return _cb(x) + _cb.m(x)


@case("fn", (F(2.0),), (F(-2.0),))
def lambda_ternary(x):
    f = lambda v: v * 2 if v > 0 else -v
    return f(x)


def _rec_static(x, k):
    if k == 0:
        return x
    return _rec_static(x * 2, k - 1)


@case("fn", (F(2.0),))
def recursion_static(x):
    return _rec_static(x, 4)


def _fact(n):
    if n <= 1:
        return 1
    return n * _fact(n - 1)


@case("fn", (I(5),))
def recursion_traced(n):
    return _fact(n)


def _gen(n):
    for i in range(n):
        yield i * i


@case("fn", (I(4),))
def generator_traced(n):
    s = 0
    for v in _gen(n):
        s = s + v
    return s


@case("fn", (F(2.0),))
def generator_static(x):
    s = x
    for v in _gen(4):
        s = s + v
    return s


@case("fn", (A([1.0, -2.0, 3.0]),))
def listcomp_array(a):
    return np.stack([v * 2 for v in a])


@case("fn", (A([1.0, -2.0, 3.0]),))
def listcomp_cond_elem(a):
    return np.stack([v * 2 if v > 0 else v for v in a])


@case("fn", (A([1.0, -2.0, 3.0]),))
def listcomp_filter(a):
    return sum([v for v in a if v > 0])


@case("fn", (A([1.0, -2.0, 3.0]),))
def sum_genexpr(a):
    return sum(v * v for v in a)


@case("fn", (A([1.0, -2.0, 3.0]),))
def any_genexpr(a):
    if any(v < 0 for v in a):
        return a[0]
    return a[1]


@case("fn", (F(2.0), F(3.0)), (F(5.0), F(3.0)))
def builtin_min_max(x, y):
    return min(x, y) + 10 * max(x, y)


@case("fn", (A([3.0, 1.0, 2.0]),))
def builtin_min_array(a):
    return min(a) + max(a) + sum(a)


@case("fn", (F(-2.7),))
def builtin_int_float_abs(x):
    return int(x) + float(x) + abs(x)


@case("fn", (I(17),))
def builtin_divmod_pow_round(n):
    q, r = divmod(n, 5)
    return q * 100 + r + pow(n, 2)


@case("fn", (F(2.0),), (F(-2.0),))
def builtin_bool(x):
    if bool(x > 0):
        return x
    return -x


# ---------------- exceptions, with, print
@case("exc", (F(2.0),), (F(-2.0),))
def try_except_static(x):
    try:
        y = x * 2
    except ValueError:
        y = x
    if y > 0:
        return y
    return -y


@case("exc", (I(4),))
def try_finally_loop(n):
    s = 0
    for i in range(n):
        try:
            if i % 2 == 0:
                continue
            s = s + i
        finally:
            s = s + 100
    return s


@contextlib.contextmanager
def _ctx():
    yield 1


@case("exc", (F(2.0),), (F(-2.0),))
def with_return(x):
    with _ctx():
        if x > 0:
            return x * 2
    return x


@case("exc", (F(2.0),))
def assert_ok(x):
    assert x > 0, "neg"
    return x


@case("exc", (F(-2.0),))
def assert_fails(x):
    assert x > 0, "neg"
    return x


@case("exc", (F(-2.0),))
def raise_in_branch(x):
    if x < 0:
        raise ValueError("negative")
    return x


@case("exc", (F(2.0),))
def raise_in_branch_ok(x):
    if x < 0:
        raise ValueError("negative")
    return x


@case("exc", (F(2.0),))
def print_traced(x):
    print("x is", x)
    return x

"""126 small programs of plain Python and NumPy control flow, each with the arguments to run it on.

Each program is an ordinary function: what it should do is what it does when Python runs it. `I`, `F` and `A` make a
run-time int, float or array argument, `S` one that is static.
"""

# ruff: noqa: B905, E731, E741

from __future__ import annotations

import collections
import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

Spec = tuple[str, Any]
CASES: list[tuple[str, str, Callable[..., Any], tuple[tuple[Spec, ...], ...]]] = []


def I(v):  # noqa: E743
    return ("i", v)


def F(v):
    return ("f", v)


def A(v, d="f"):
    return ("a" + d, v)


def S(v):
    return ("s", v)


def concrete(spec):
    """Give the value of one argument, fresh each time."""
    kind, value = spec
    if kind in "sif":
        return {"s": lambda v: v, "i": int, "f": float}[kind](value)
    return np.array(value, dtype={"ai": np.int64, "af": np.float64, "ab": np.bool_}[kind])


def case(group, *argsets):
    def add(f):
        CASES.append((group, f.__name__, f, argsets))
        return f

    return add


# ---------------- conditionals
@case("if", (F(2.0),), (F(-2.0),))
def if_else(x):
    if x > 0:
        y = x * 2
    else:
        y = -x
    return y


@case("if", (F(2.0),), (F(-2.0),))
def if_no_else(x):
    y = x
    if x > 0:
        y = x * 2
    return y


@case("if", (F(2.0),), (F(-2.0),), (F(0.0),))
def elif_chain(x):
    if x > 1:
        y = 1.0
    elif x < -1:
        y = -1.0
    else:
        y = 0.0
    return y


@case("if", (F(2.0),), (F(-2.0),))
def early_return(x):
    if x > 0:
        return x * 2
    return x - 1


@case("if", (F(2.0),), (F(-2.0),), (F(20.0),))
def early_return_nested(x):
    if x > 0:
        if x > 10:
            return x * 100
        x = x + 1
    else:
        return x - 1
    return x * 2


@case("if", (F(2.0),), (F(-2.0),), (F(7.0),))
def ternary(x):
    return x * 2 if x > 3 else (x + 1 if x > 0 else -x)


@case("if", (F(2.0),), (F(-20.0),), (F(70.0),))
def and_or_not(x):
    if (x > 0 and x < 10) or not (x > -5):
        return x
    return x * 10


@case("if", (I(0), I(5)), (I(3), I(5)))
def or_returns_value(x, y):
    return x or y


@case("if", (I(0), I(5)), (I(3), I(5)))
def and_returns_value(x, y):
    return x and y


@case("if", (F(2.0), S(True)), (F(-2.0), S(True)), (F(-2.0), S(False)))
def and_mixed_static(x, flag):
    if flag and x > 0:
        return x * 2
    return x


@case("if", (F(2.0),), (F(-2.0),), (F(20.0),))
def chained_compare(x):
    if 0 < x < 10:
        return x
    return -x


@case("if", (I(0),), (I(3),))
def int_truthiness(n):
    if n:
        return 10
    return 20


@case("if", (I(2),), (I(9),))
def in_const_tuple(n):
    if n in (1, 2, 3):
        return 1
    return 0


@case("if", (F(2.0), S(None)), (F(2.0), S(3.0)))
def is_none_static(x, y):
    if y is None:
        return x
    return x + y


@case("if", (I(0),), (I(1),), (I(5),))
def match_traced(n):
    match n:
        case 0:
            r = 10
        case 1:
            r = 20
        case _:
            r = 30
    return r


@case("if", (F(2.0),), (F(1.0),))
def walrus(x):
    if (y := x * 2) > 3:
        return y
    return y - 1


@case("if", (F(2.0),), (F(-2.0),))
def branch_dtype_mismatch(x):
    if x > 0:
        y = 1
    else:
        y = 0.5
    return y


@case("if", (F(2.0),), (F(-2.0),))
def undef_one_branch_unused(x):
    r = x
    if x > 0:
        t = x * 3
        r = t + 1
    return r


@case("if", (F(2.0),), (F(-2.0),))
def undef_one_branch_guarded(x):
    if x > 0:
        t = x * 3
    r = x
    if x > 0:
        r = t + 1
    return r


@case("if", (F(2.0),), (F(-2.0),))
def none_or_value(x):
    y = None
    if x > 0:
        y = x * 2
    if y is None:
        y = -x
    return y


@case("if", (F(2.0), F(1.0)), (F(-2.0), F(5.0)))
def tuple_swap(a, b):
    if a > b:
        a, b = b, a
    return a, b


@case("if", (A([1.0, 2.0]),), (A([-1.0, 2.0]),))
def if_array_any(a):
    if (a < 0).any():
        return a * 0
    return a + 1


@case("if", (F(2.0),), (F(-2.0),))
def del_in_branch(x):
    t = x + 1
    if x > 0:
        r = t
        del t
    else:
        r = x
    return r


# ---------------- while
@case("while", (F(1.0),), (F(200.0),))
def while_basic(x):
    n = 0
    while x < 100:
        x = x * 2
        n = n + 1
    return x, n


@case("while", (I(10),), (I(0),))
def while_break(n):
    s = 0
    while n > 0:
        if s > 20:
            break
        s = s + n
        n = n - 1
    return s, n


@case("while", (I(10),), (I(0),))
def while_continue(n):
    s = 0
    while n > 0:
        n = n - 1
        if n % 2 == 0:
            continue
        s = s + n
    return s


@case("while", (I(27),), (I(1),))
def while_true_break(n):
    c = 0
    while True:
        if n == 1:
            break
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        c = c + 1
    return c


@case("while", (I(10), I(3)), (I(10), I(30)))
def while_else(n, k):
    s = 0
    i = 0
    while i < n:
        if i == k:
            s = s + 100
            break
        s = s + i
        i = i + 1
    else:
        s = -1
    return s


@case("while", (I(12), I(18)), (I(7), I(0)))
def while_int_truthy(a, b):
    while b:
        a, b = b, a % b
    return a


@case("while", (I(10),), (I(50),))
def return_in_while(n):
    i = 0
    while i < n:
        if i * i > 200:
            return i
        i = i + 1
    return -1


@case("while", (A([5.0, 3.0, 9.0]), F(2.0)), (A([5.0, 3.0, 9.0]), F(50.0)))
def while_short_circuit_index(a, t):
    i = 0
    while i < len(a) and a[i] > t:
        i = i + 1
    return i


# ---------------- for
@case("for", (F(1.0), I(5)), (F(1.0), I(0)))
def for_range_traced(x, n):
    for i in range(n):
        x = x + i
    return x


@case("for", (I(2), I(11)), (I(5), I(1)))
def for_range_traced_start(a, b):
    s = 0
    for i in range(a, b, 3):
        s = s + i
    return s


@case("for", (I(10), I(0), I(-3)), (I(0), I(10), I(4)))
def for_range_traced_step(a, b, c):
    s = 0
    for i in range(a, b, c):
        s = s * 2 + i
    return s


@case("for", (F(1.0),))
def for_range_static_3000(x):
    for i in range(3000):
        x = x * 0.999 + i
    return x


@case("for", (A([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),))
def for_rows(a):
    s = a[0] * 0
    for r in a:
        s = s * 2 + r
    return s


@case("for", (A([1.0, 2.0, 3.0]),))
def for_enumerate(a):
    s = 0.0
    for i, v in enumerate(a):
        s = s + i * v
    return s


@case("for", (A([1.0, 2.0, 3.0]), A([4.0, 5.0, 6.0])))
def for_zip(a, b):
    s = 0.0
    for u, v in zip(a, b):
        s = s + u * v
    return s


@case("for", (A([1.0, 2.0, 3.0]), A([4.0, 5.0, 6.0])))
def for_enumerate_zip(a, b):
    s = 0.0
    for i, (u, v) in enumerate(zip(a, b)):
        s = s + i * u * v
    return s


@case("for", (I(5),))
def for_reversed_range(n):
    s = 0
    for i in reversed(range(n)):
        s = s * 2 + i
    return s


@case("for", (A([1.0, 2.0, 3.0]),))
def for_slice_rev(a):
    s = 0.0
    for v in a[::-1]:
        s = s * 2 + v
    return s


@case("for", (A([1, 2, 3, 4], "i"), I(3)), (A([1, 2, 3, 4], "i"), I(9)))
def for_else_break(a, k):
    s = 0
    for v in a:
        if v == k:
            break
        s = s + v
    else:
        s = -100
    return s


@case("for", (A([1.0, 2.0, -3.0, 4.0]),), (A([1.0, 2.0, 3.0, 4.0]),))
def for_break(a):
    s = 0.0
    for v in a:
        if v < 0:
            break
        s = s + v
    return s


@case("for", (A([1.0, 2.0, -3.0, 4.0]),))
def for_continue(a):
    s = 0.0
    for v in a:
        if v < 0:
            continue
        s = s + v
    return s


@case("for", (A([1.0, 2.0, -3.0, 4.0]),), (A([1.0, 2.0, 3.0, 4.0]),))
def return_in_for(a):
    for i in range(4):
        if a[i] < 0:
            return i
    return -1


@case("for", (A([[1.0, 2.0], [-3.0, 4.0]]),), (A([[1.0, 2.0], [3.0, 4.0]]),))
def return_in_nested_for(m):
    for i in range(2):
        for j in range(2):
            if m[i, j] < 0:
                return i * 10 + j
    return -1


@case("for", (A([[1.0, -2.0], [3.0, 4.0]]),))
def break_inner(m):
    s = 0.0
    for r in m:
        for v in r:
            if v < 0:
                break
            s = s + v
    return s


@case("for", (A([1.0, 2.0, 3.0]),))
def loop_var_after(a):
    for v in a:
        pass
    return v


@case("for", (I(5),))
def loop_var_reassigned(n):
    s = 0
    for i in range(n):
        i = i * 3
        s = s + i
    return s, i


@case("for", (I(5),))
def defined_in_loop_used_after(n):
    for i in range(n):
        y = i * 2
    return y


@case("for", (I(5),))
def first_iter_init(n):
    for i in range(n):
        if i == 0:
            a = 1
        else:
            a = a * 2
    return a


@case("for", (A([3.0, 1.0, 2.0]),))
def best_none(a):
    best = None
    for v in a:
        if best is None or v < best:
            best = v
    return best


@case("for", (A([1.0, 2.0, 3.0]),))
def carry_int_to_float(a):
    s = 0
    for v in a:
        s = s + v
    return s


@case("for", (I(4),))
def carry_pyint_half(n):
    s = 1
    for i in range(n):
        s = s / 2
    return s


@case("for", (I(3),))
def carry_shape_change(n):
    v = np.zeros(1)
    for i in range(n):
        v = np.concatenate((v, np.ones(1)))
    return v


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


# ---------------- array mutation
@case("mut", (I(4),))
def setitem_loop(n):
    a = np.zeros(6)
    for i in range(n):
        a[i] = i * i
    return a


@case("mut", (I(4),))
def augitem_loop(n):
    a = np.ones(6)
    for i in range(n):
        a[i] += i
    return a


@case("mut", (A([1.0, 2.0, 3.0]),))
def setitem_arg_copy(a):
    b = a.copy()
    b[1] = 10.0
    return b


@case("mut", (I(2),))
def setitem_2d(n):
    a = np.zeros((3, 3))
    for i in range(n):
        for j in range(n):
            a[i, j] = i + j
    return a


@case("mut", (I(2),))
def setitem_2d_chained(n):
    a = np.zeros((3, 3))
    for i in range(n):
        a[i][0] = i + 5
    return a


@case("mut", (A([1.0, -2.0, 3.0]),))
def setitem_mask(a):
    b = a.copy()
    b[b < 0] = 0.0
    return b


@case("mut", (A([1.0, -2.0, 3.0, 4.0]),))
def aug_slice(a):
    b = a.copy()
    b[1:3] *= 2
    return b


@case("mut", (A([1.0, -2.0, 3.0, 4.0]), I(1)))
def setitem_dyn_slice_len2(a, i):
    b = a.copy()
    b[i : i + 2] = 0.0
    return b


@case("mut", (A([1.0, -2.0, 3.0, 4.0]), I(1), I(3)))
def swap_items(a, i, j):
    b = a.copy()
    b[i], b[j] = b[j], b[i]
    return b


@case("mut", (A([0, 2, 1], "i"),))
def setitem_fancy(idx):
    a = np.zeros(4)
    a[idx] = 5.0
    return a


@case("mut", (A([0, 2, 0], "i"),))
def aug_fancy_dup(idx):
    a = np.zeros(4)
    a[idx] += 1.0
    return a


@case("mut", (F(2.0),), (F(-2.0),))
def setitem_in_branch(x):
    a = np.zeros(3)
    if x > 0:
        a[0] = x
    else:
        a[1] = x
    return a


@case("mut", (F(2.0),))
def alias_write(x):
    a = np.zeros(3)
    b = a
    b[0] = x
    return a


@case("mut", (F(2.0),))
def view_write(x):
    a = np.zeros((2, 3))
    r = a[0]
    r[1] = x
    return a


@case("mut", (F(2.0),))
def iadd_alias(x):
    a = np.zeros(3)
    b = a
    b += x
    return a


@case("mut", (F(2.0),))
def multi_assign(x):
    a = b = x * 2
    return a + b


@case("mut", (A([1.0, 2.0, 3.0]),))
def star_unpack(a):
    x, *r = a
    return x + r[0] * r[1]


@case("mut", (A([1.0, 2.0, 3.0, 4.0]), I(2)))
def dyn_slice_sum(a, n):
    return a[:n].sum()


@case("mut", (A([1.0, -2.0, 3.0, 4.0]),))
def mask_read_sum(a):
    return a[a > 0].sum()


@case("mut", (A([3.0, 1.0, 2.0]),))
def method_sort_inplace(a):
    b = a.copy()
    b.sort()
    return b


@case("mut", (F(2.0),))
def method_fill(x):
    a = np.zeros(3)
    a.fill(x)
    return a


@case("mut", (F(2.0),))
def helper_mutates(x):
    a = np.zeros(3)
    _mut(a, x)
    return a


def _mut(a, x):
    a[0] = x


@case("mut", (A([1.0, 2.0, 3.0]),))
def input_mutation(a):
    a[0] = 100.0
    return a


@case("mut", (I(3),))
def other_augops(n):
    a = np.arange(4)
    a[n] //= 2
    a[0] ^= 5
    a[1] |= 6
    a[2] <<= 1
    return a


# ---------------- algorithms
@case("alg", (A([5.0, 2.0, 9.0, 1.0, 7.0]),))
def bubble_sort(a):
    a = a.copy()
    n = len(a)
    for i in range(n):
        for j in range(n - i - 1):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


@case("alg", (A([1.0, 3.0, 5.0, 7.0, 9.0]), F(7.0)), (A([1.0, 3.0, 5.0, 7.0, 9.0]), F(4.0)))
def binary_search(a, t):
    lo = 0
    hi = len(a) - 1
    while lo <= hi:
        mid = (lo + hi) // 2
        if a[mid] == t:
            return mid
        elif a[mid] < t:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1


@case("alg", (I(30),))
def sieve(n):
    is_p = np.ones(50, dtype=bool)
    is_p[0] = False
    is_p[1] = False
    for i in range(2, n):
        if is_p[i]:
            j = i * i
            while j < 50:
                is_p[j] = False
                j = j + i
    return is_p


@case("alg", (A([1, 2, 3, 4], "i"), A([2, 3, 5], "i")))
def levenshtein(s, t):
    m = len(s)
    n = len(t)
    d = np.zeros((m + 1, n + 1))
    for i in range(m + 1):
        d[i, 0] = i
    for j in range(n + 1):
        d[0, j] = j
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            if s[i - 1] == t[j - 1]:
                c = 0
            else:
                c = 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + c)
    return d[m, n]


@case("alg", (F(0.3), F(0.5)), (F(2.0), F(0.0)))
def mandel(cr, ci):
    zr = 0.0
    zi = 0.0
    for k in range(200):
        t = zr * zr - zi * zi + cr
        zi = 2 * zr * zi + ci
        zr = t
        if zr * zr + zi * zi > 4:
            return k
    return 200


@case("alg", (A([[4.0, 1.0], [2.0, 3.0]]),))
def lu_inplace(a):
    a = a.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


@case("alg", (F(2.0),))
def newton_tol(x):
    y = x
    for _ in range(100):
        y_new = 0.5 * (y + x / y)
        if abs(y_new - y) < 1e-9:
            break
        y = y_new
    return y_new

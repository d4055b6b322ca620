"""Programs of conditionals, `while` and `for`."""

# ruff: noqa: B905

from __future__ import annotations

import numpy as np

from tests.behaviour.programs.cases import A, F, I, S, case


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

"""Programs that change arrays, and whole algorithms."""

from __future__ import annotations

import numpy as np

from tests.behaviour.programs.cases import A, F, I, case


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

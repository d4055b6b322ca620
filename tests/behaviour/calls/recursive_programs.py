"""Functions that call themselves to a depth known only at run time, each with arguments."""

from __future__ import annotations

# Lists are put together as in textbooks.
# ruff: noqa: RUF005
import functools
from collections import deque
from typing import Any

import numpy as np

PROGRAMS: list[tuple[Any, tuple[Any, ...]]] = []
INLINED: list[tuple[Any, tuple[Any, ...]]] = []
BOARD = np.array([[1, 0, 3, 4], [0, 4, 0, 2], [2, 0, 4, 0], [0, 3, 0, 1]])
words = np.random.default_rng(0).integers(0, 20, 20)
COUNT = 0


def program(*args, to=PROGRAMS):
    def added(function):
        to.append((function, args))
        return function

    return added


class Walker:
    def __init__(self, n):
        self.count = 0
        self.left = np.full(n, -1)
        self.right = np.full(n, -1)
        self.key = np.zeros(n)
        self.best = 0.0

    def insert(self, i, k):
        if k < self.key[i]:
            if self.left[i] < 0:
                self.count += 1
                self.key[self.count] = k
                self.left[i] = self.count
            else:
                self.insert(self.left[i], k)
        elif self.right[i] < 0:
            self.count += 1
            self.key[self.count] = k
            self.right[i] = self.count
        else:
            self.insert(self.right[i], k)

    def depth(self, i):
        if i < 0:
            return 0
        self.best = max(self.best, self.key[i])
        return 1 + max(self.depth(self.left[i]), self.depth(self.right[i]))

    def walk(self, i, out):
        if i >= 0:
            self.walk(self.left[i], out)
            out.append(self.key[i])
            self.walk(self.right[i], out)


@program(7, np.arange(10.0))
def raise_caught(n, a):

    def f(k):
        a[k] = -1.0
        if k == 5:
            raise ValueError("five")
        if k < n:
            f(k + 1)
        a[k] = a[k] - 1

    r = 0
    try:
        f(0)
    except ValueError:
        r = 1
    return (a, r)


@program(7, np.arange(10.0))
def raise_caught_inside(n, a):

    def f(k):
        a[k] = -1.0
        try:
            if k == 5:
                raise ValueError("five")
            if k < n:
                f(k + 1)
        except ValueError:
            a[k] = 50
            if k == 5:
                raise
        finally:
            a[k] = a[k] - 1

    f(0)
    return a


@program(1)
@program(4)
def raise_before_the_call_that_is_caught(n):

    def f(k):
        if k == 0:
            raise ValueError(f"at {k}")
        if k < 0:
            return k
        try:
            return f(k - 1)
        except ValueError as error:
            return error

    return str(f(n))


@program(2)
@program(4)
def calls_that_fail_leave_what_they_had_changed(n):
    seen = []

    def f(k):
        if k in seen:
            raise ValueError(k)
        seen.append(k)
        if k <= 0:
            return k
        r = f(k - 1)
        try:
            x = f(k - 2)
        except ValueError:
            x = 7
        seen.append(-k)
        return r * 2 + x

    return f(n), seen


@program(3)
def raises_again_at_each_level(n):

    def f(k, a):
        a[k] += 1
        if k == 0:
            raise KeyError(k)
        if k > 9:
            return 0
        try:
            return f(k - 1, a)
        except KeyError:
            a[k] += 10
            if k == 2:
                return 5
            raise

    a = np.zeros(6)
    return f(n, a), a


@program(10)
@program(7)
def mutual(n):

    def even(n):
        return True if n == 0 else odd(n - 1)

    def odd(n):
        return False if n == 0 else even(n - 1)

    return (even(n), odd(n))


@program(5)
def mutual_self(n):

    def a(n):
        if n <= 0:
            return 1
        return a(n - 1) + b(n - 2)

    def b(n):
        if n <= 0:
            return 2
        return b(n - 2) + a(n - 3) * 3

    return a(n) + b(n)


@program(8, 3)
def binom(n, k):

    def c(n, k):
        return 1 if k == 0 or k == n else c(n - 1, k - 1) + c(n - 1, k)

    return c(n, k)


@program(5)
def in_loop(n):

    def f(n):
        s = 0
        for i in range(n):
            s += f(i) + 1
        return s

    return f(n)


@program(5)
def in_while_test(n):

    def f(n):
        if n <= 0:
            return 0
        s = 0
        while f(n - 1) + s < 2 * n:
            s += 1
        return s

    return f(n)


@program(np.array([5.0, 2, 8, 1, 9, 3]))
def methods(xs):
    w = Walker(20)
    w.key[0] = xs[0]
    for x in xs[1:]:
        w.insert(0, x)
    out = []
    w.walk(0, out)
    return (w.depth(0), w.count, w.best, out)


@program(6)
def nonlocals(n):
    calls = 0
    total = 0.0

    def f(n):
        nonlocal calls, total
        calls += 1
        if n < 2:
            return 1
        total += n
        return f(n - 1) + f(n - 2)

    r = f(n)
    return (r, calls, total)


@program(6)
def kwdefault(n):

    def f(n, acc=0, *, step=1):
        if n <= 0:
            return acc
        if n == 3:
            return f(n - step, step=2, acc=acc + 100)
        return f(n - step, acc + n, step=step) + f(n=n - 2)

    return f(n)


@program(4.5)
@program(0.5)
def floatint(x):

    def f(x):
        if x < 1:
            return 0
        return x + f(x - 1)

    return f(x)


@program(4)
@program(0)
def intfloat(n):

    def f(n):
        if n < 1:
            return 1
        if n == 2:
            return f(n - 1) / 2
        return f(n - 1) * 2

    return f(n)


@program(5)
@program(11)
def none_or(n):

    def find(k):
        if k > 10:
            return None
        if k % 4 == 0:
            return k
        return find(k + 1)

    r = find(n)
    return r if r is not None else -1


@program(5)
def tuples(n):

    def fibpair(n):
        if n == 0:
            return (0, 1)
        a, b = fibpair(n // 2)
        c = a * (2 * b - a)
        d = a * a + b * b
        if n % 2 == 0:
            return (c, d)
        return (d, c + d)

    return fibpair(n)


@program(np.array([3.0, 1, 2, 5, 4]), 3)
def arr_arg(x, n):

    def f(x, n):
        if n == 0:
            return x.sum()
        return f(x * 2, n - 1) + x[0]

    return f(x, n)


@program(np.array([3.0, 1, 2, 5, 4]), 3)
def arr_res(x, n):

    def f(x, n):
        if n == 0:
            return x
        return f(x * 2, n - 1) + x

    y = f(x, n)
    y[0] = 100
    return (y, x)


@program(np.array([3.0, 1, 2, 5, 4]), 0)
@program(np.array([3.0, 1, 2, 5, 4]), 2)
def arr_res_alias2(x, n):

    def f(x, n):
        if n == 0:
            return x
        return f(x * 2, n - 1)

    y = f(x, n)
    x[0] = 100
    return (y[0], x)


@program(np.int64(6), np.float32(2))
def npscalars(n, x):

    def f(n, x):
        if n == 0:
            return x
        return f(n - 1, x * np.float32(1.5))

    return f(n, x)


@program(6, 13)
def shortcircuit(n, t):
    a = np.array([1, 4, 6, 2, 9, 3])

    def ss(i, left):
        if left == 0:
            return True
        if i == n or left < 0:
            return False
        return ss(i + 1, left - a[i]) or ss(i + 1, left)

    return (ss(0, t), ss(0, 1000))


@program(4)
def comprehension(n):

    def f(n):
        if n <= 0:
            return 1
        return sum(f(n - 1 - i) for i in range(n)) + max(f(n - 2), 1)

    return f(n)


@program(4)
def gen_any(n):

    def f(n):
        if n <= 0:
            return n == 0
        return any(f(n - k) for k in (1, 2, 3))

    return f(n)


@program(900)
@program(899)
def deep(n):

    def f(n):
        return 0 if n == 0 else 1 + f(n - 1)

    return f(n)


@program(5)
def endless(n):

    def f(n):
        if n == -1:
            return 0
        return f(n + 1) + 1

    return f(n)


@program(5)
def endless_caught(n):

    def f(n):
        if n == -1:
            return 0
        return f(n + 1) + 1

    try:
        return f(n)
    except RecursionError:
        return -5


@program(5)
def overflow_zero(n):

    def f(n):
        if n == -3:
            return 1
        return f(n - 1) + 10 // n

    return f(n)


@program(np.arange(4.0))
def oob(a):

    def f(i):
        if a[i] > 100:
            return 0
        return 1 + f(i + 1)

    return f(0)


@program(4)
def lists_pushpop(n):
    path = []
    sums = []

    def f(k):
        if k == 0:
            sums.append(sum(path))
            return
        for d in range(1, k + 1):
            path.append(d)
            f(k - d)
            path.pop()

    f(n)
    return sums


@program(4)
def hanoi_text(n):
    moves = []
    cnt = 0

    def h(n, a, b, c):
        nonlocal cnt
        if n == 0:
            return
        h(n - 1, a, c, b)
        cnt += 1
        moves.append(n)
        h(n - 1, b, a, c)

    h(n, "a", "b", "c")
    return (moves, cnt)


@program(5)
def lam(n):
    f = lambda n: 1 if n == 0 else n * f(n - 1)  # noqa: E731
    return f(n)


@program(5)
def inner_def(n):

    def f(n):

        def g(x):
            return x + n

        if n <= 0:
            return 0
        return g(f(n - 1))

    return f(n)


@program(30)
def memo_arr(n):
    memo = np.zeros(n + 1, int)

    def fib(k):
        if k < 2:
            return k
        if memo[k]:
            return memo[k]
        memo[k] = fib(k - 1) + fib(k - 2)
        return memo[k]

    return fib(n)


@program(48, 18)
def gcd(a, b):

    def g(a, b):
        return a if b == 0 else g(b, a % b)

    return g(a, b)


@program(5)
def twice(n):

    def f(n):
        return 1 if n < 1 else f(n - 1) + f(n - 2)

    return f(n) + f(n + 1) * f(2)


@program(5)
def under_loop(n):

    def f(n):
        return 1 if n < 1 else f(n - 1) + f(n - 2)

    s = 0
    for i in range(n):
        if i % 2:
            s += f(i)
    return s


@program(3)
def starargs(n):

    def f(n, *rest):
        if n <= 0:
            return rest[0] + rest[1]
        return f(n - 1, rest[1], rest[0] + 1)

    return f(n, 1, 2)


@program(12)
def cached(n):

    @functools.lru_cache(None)
    def f(k):
        return k if k < 2 else f(k - 1) + f(k - 2)

    return f(n)


@program(3)
def prints(n):

    def f(n):
        if n == 0:
            return 0
        print("n", n)
        return f(n - 1) + 1

    return f(n)


@program(np.array([[1, 1, 0], [0, 1, 0], [1, 0, 1]]))
def islands(g):
    g = g.copy()

    def sink(i, j):
        if 0 <= i < g.shape[0] and 0 <= j < g.shape[1] and (g[i, j] == 1):
            g[i, j] = 0
            for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                sink(i + di, j + dj)

    c = 0
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            if g[i, j] == 1:
                c += 1
                sink(i, j)
    return (c, g)


@program(BOARD)
def sudoku4(b):
    b = b.copy()

    def ok(r, c, v):
        for k in range(4):
            if b[r, k] == v or b[k, c] == v:
                return False
        r0 = r // 2 * 2
        c0 = c // 2 * 2
        for i in range(2):
            for j in range(2):
                if b[r0 + i, c0 + j] == v:
                    return False
        return True

    def solve(pos):
        if pos == 16:
            return True
        r, c = divmod(pos, 4)
        if b[r, c] != 0:
            return solve(pos + 1)
        for v in range(1, 5):
            if ok(r, c, v):
                b[r, c] = v
                if solve(pos + 1):
                    return True
                b[r, c] = 0
        return False

    return (solve(0), b)


@program(np.array([3, 1, 2]))
def perms(a):
    n = len(a)
    used = np.zeros(n, bool)
    cur = np.zeros(n, int)
    out = np.zeros((6, 3), int)
    cnt = 0

    def rec(k):
        nonlocal cnt
        if k == n:
            out[cnt] = cur
            cnt += 1
            return
        for i in range(n):
            if used[i]:
                continue
            used[i] = True
            cur[k] = a[i]
            rec(k + 1)
            used[i] = False

    rec(0)
    return (out, cnt)


@program(5)
def early(n):

    def f(n, d):
        if n < 0:
            return -1
        for i in range(n):
            if i == 2:
                return f(i - 1, d + 1) + 10
            if d > 3:
                return d
        else:
            return f(n - 1, d + 1)
        return 7

    return f(n, 0)


@program(3, np.arange(6.0))
def append_arrays(n, a):
    out = []

    def p(k):
        a[k] = -1
        if k == n:
            return
        out.append(a.copy())
        p(k + 1)
        out.append(a * 2)

    p(0)
    return out


@program(np.arange(5.0), 5)
def split_sum(a, n):

    def f(xs):
        if len(xs) <= 1:
            return xs.sum()
        m = len(xs) // 2
        return f(xs[:m]) + f(xs[m:])

    return f(a[:n])


@program(np.array([3, 1, 2, 7, 5, 4, 6, 0]), 7)
def merge_dyn(a, n):

    def ms(x):
        if len(x) < 2:
            return x
        m = len(x) // 2
        l = ms(x[:m])  # noqa: E741
        r = ms(x[m:])
        out = np.empty_like(x)
        i = j = 0
        for k in range(len(x)):
            if j >= len(r) or (i < len(l) and l[i] <= r[j]):
                out[k] = l[i]
                i += 1
            else:
                out[k] = r[j]
                j += 1
        return out

    return ms(a[:n])


@program(5)
def glob_counter(n):
    global COUNT
    COUNT = 0

    def f(n):
        global COUNT
        COUNT += 1
        if n > 0:
            f(n - 1)
            f(n - 2)

    f(n)
    return COUNT


@program(5)
def rng_draws(n):
    rng = np.random.default_rng(3)

    def f(n):
        if n <= 0:
            return rng.random()
        return f(n - 1) + f(n - 2)

    return f(n)


@program(np.array([2.0, 5.0, 1.0]), 3)
def dict_state(a, n):
    d = {"lo": 10.0, "hi": 0.0, "n": 0}

    def f(i):
        if i == n:
            return
        d["lo"] = min(d["lo"], a[i])
        d["hi"] = max(d["hi"], a[i])
        d["n"] += 1
        f(i + 1)
        f(i + 2) if i + 2 <= n else None

    f(0)
    return d


@program(6)
def deque_state(n):
    q = deque()

    def f(k):
        if k <= 0:
            return
        q.append(k)
        f(k - 1)
        q.appendleft(-k)
        f(k - 3)

    f(n)
    return list(q)


@program(5)
def exc_backtrack(n):

    class Found(Exception):
        pass

    tried = np.zeros(20, int)
    cnt = 0

    def f(k, s):
        nonlocal cnt
        tried[cnt] = k
        cnt += 1
        if s == 7:
            raise Found
        if k > n or s > 7:
            return
        f(k + 1, s + k)
        f(k + 1, s)

    try:
        f(1, 0)
    except Found:
        return ("found", tried, cnt)
    return ("none", tried, cnt)


@program(0.7, 3)
def sierp(x, n):
    pts = []

    def f(a, b, n):
        if n == 0:
            pts.append((a, b))
            return
        m = (a + b) / 2
        f(a, m, n - 1)
        f(m, b, n - 1)

    f(0.0, x, n)
    return pts


@program(7)
def gray(n):
    out = np.zeros(16, int)
    k = 0

    def g(n, pre):
        nonlocal k
        if n == 0:
            out[k] = pre
            k += 1
            return
        g(n - 1, pre * 2)
        h(n - 1, pre * 2 + 1)

    def h(n, pre):
        nonlocal k
        if n == 0:
            out[k] = pre
            k += 1
            return
        g(n - 1, pre * 2 + 1)
        h(n - 1, pre * 2)

    g(n - 3, 0)
    return out


@program(np.array([[0, 1, 2], [2, 3, -1], [4, -1, -1], [-1, -1, -1], [-1, -1, -1]]), 0)
def graph_dfs(adj, start):
    seen = np.zeros(len(adj), bool)
    order = []

    def dfs(u):
        seen[u] = True
        order.append(u)
        for v in adj[u]:
            if v >= 0 and (not seen[v]):
                dfs(v)

    dfs(start)
    return order


@program(np.random.default_rng(0).random(64))
def select(a):
    a = a.copy()

    def kth(lo, hi, k):
        p = a[hi]
        i = lo
        for j in range(lo, hi):
            if a[j] < p:
                a[i], a[j] = (a[j], a[i])
                i += 1
        a[i], a[hi] = (a[hi], a[i])
        if i == k:
            return a[i]
        if k < i:
            return kth(lo, i - 1, k)
        return kth(i + 1, hi, k)

    return (kth(0, len(a) - 1, 10), a)


@program(np.arange(64.0).reshape(8, 8), 3)
def strassen_like(a, n):

    def f(a, n):
        if n == 0:
            return a @ a
        return f(a * 0.5, n - 1) - f(a + 1, n - 1)

    return f(a, n)


@program(5, np.arange(6.0))
def perms_dyn(n, a):
    out = []

    def p(k):
        if k == n:
            out.append(a.copy())
            return
        for i in range(k, 3):
            a[k], a[i] = (a[i], a[k])
            p(k + 1)
            a[k], a[i] = (a[i], a[k])

    p(n - 3)
    return len(out)


@program(np.arange(10.0)[::-1].copy())
def r_qsort(a):

    def qs(a, lo, hi):
        if lo >= hi:
            return
        p = a[(lo + hi) // 2]
        i = lo
        j = hi
        while i <= j:
            while a[i] < p:
                i += 1
            while a[j] > p:
                j -= 1
            if i <= j:
                a[i], a[j] = (a[j], a[i])
                i += 1
                j -= 1
        qs(a, lo, j)
        qs(a, i, hi)

    qs(a, 0, len(a) - 1)
    return a


@program(0.0, 1.0, 1e-08)
def r_adapt(a, b, tol):

    def f(x):
        return np.sin(x * x)

    def simpson(a, b):
        return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b))

    def rec(a, b, tol, whole):
        c = (a + b) / 2
        l = simpson(a, c)  # noqa: E741
        r = simpson(c, b)
        if abs(l + r - whole) < 15 * tol:
            return l + r + (l + r - whole) / 15
        return rec(a, c, tol / 2, l) + rec(c, b, tol / 2, r)

    return rec(a, b, tol, simpson(a, b))


@program(6)
def r_queens(n):
    cols = []

    def place(row):
        if row == n:
            return 1
        c = 0
        for i in range(n):
            ok = True
            for r, j in enumerate(cols):
                if j == i or abs(j - i) == row - r:
                    ok = False
                    break
            if ok:
                cols.append(i)
                c += place(row + 1)
                cols.pop()
        return c

    return place(0)


@program(np.zeros((5, 5), int), 2)
def r_flood(g, c):

    def f(i, j):
        if i < 0 or j < 0 or i >= g.shape[0] or (j >= g.shape[1]) or (g[i, j] == c):
            return
        g[i, j] = c
        f(i + 1, j)
        f(i - 1, j)
        f(i, j + 1)
        f(i, j - 1)

    f(2, 2)
    return g


@program(2, 3)
def r_ack(m, n):

    def a(m, n):
        if m == 0:
            return n + 1
        if n == 0:
            return a(m - 1, 1)
        return a(m - 1, a(m, n - 1))

    return a(m, n)


@program(5)
def r_hanoi(n):
    moves = []

    def h(n, a, b, c):
        if n == 0:
            return
        h(n - 1, a, c, b)
        moves.append((a, c))
        h(n - 1, b, a, c)

    h(n, 0, 1, 2)
    return moves


@program(np.array([3.0, 1, 2, 5, 4]), 2, to=INLINED)
def arr_inplace_arg(x, n):

    def f(x, n):
        if n == 0:
            return
        x[n] = 0
        f(x * 2, n - 1)
        x[n - 1] += 1

    f(x, n)
    return x


@program(np.arange(8.0), 8, to=INLINED)
def arr_view_inplace(x, n):

    def f(v, n):
        if n <= 1:
            return
        v[0] += 1
        f(v[1:], n - 1)

    f(x, n)
    return x


@program(3, np.arange(6.0), to=INLINED)
def append_same(n, a):
    out = []

    def p(k):
        if k == n:
            return
        out.append(a)
        p(k + 1)
        a[k] = -1

    p(0)
    return out


@program(5, 2.0, to=INLINED)
def attr_array(n, x):

    class S:
        pass

    s = S()
    s.a = np.zeros(4)
    s.k = 0

    def f(n):
        s.a[n % 4] += 1
        s.k += 1
        if n <= 0:
            return
        s.a = s.a * x
        f(n - 1)

    f(n)
    return (s.a, s.k)


@program(3, np.ones(3), to=INLINED)
def result_in_array(n, a):

    def f(k):
        if k == 0:
            return a
        b = f(k - 1)
        b[0] += k
        return b

    f(n)
    return a


@program(4, to=INLINED)
def exc_value(n):

    def f(k):
        if k == 0:
            raise KeyError("zero")
        if k == 2:
            try:
                return f(k - 1)
            except KeyError:
                return 100
        return f(k - 1) + 1

    return f(n)


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@program(4)
def list_result(n):

    def h(n, a, c, b):
        if n == 0:
            return []
        return h(n - 1, a, b, c) + [(a, c)] + h(n - 1, b, c, a)

    return h(n, 0, 1, 2)


@program(4)
def list_result2(n):

    def h(n):
        if n == 0:
            return [0]
        r = h(n - 1)
        r.append(n)
        return r

    return h(n)


@program(np.random.default_rng(0).integers(0, 20, 20))
def quick_lists(a):

    def qs(x):
        if len(x) <= 1:
            return x
        p = x[0]
        return qs([v for v in x[1:] if v < p]) + [p] + qs([v for v in x[1:] if v >= p])

    return qs(list(a))


@program(np.random.default_rng(0).integers(0, 20, 13), 9)
def merge_lists(a, n):

    def ms(xs):
        if len(xs) <= 1:
            return xs
        m = len(xs) // 2
        l = ms(xs[:m])  # noqa: E741
        r = ms(xs[m:])
        out = []
        i = j = 0
        while i < len(l) and j < len(r):
            if l[i] <= r[j]:
                out.append(l[i])
                i += 1
            else:
                out.append(r[j])
                j += 1
        out.extend(l[i:])
        out.extend(r[j:])
        return out

    return ms([v for v in a if v < n])


@program(5)
def subsets_sum(n):

    def f(k, path):
        if k == n:
            return sum(path)
        return f(k + 1, path) + f(k + 1, path + [k])

    return f(0, [])


@program(4, to=INLINED)
def list_arg_alias(n):

    def f(xs, k):
        if k <= 0:
            return xs
        return f(xs + [k], k - 1)

    a = [n]
    b = f(a, n - 4)
    b.append(7)
    return (a, b)


@program(4, to=INLINED)
def list_arg_alias2(n):

    def f(xs, k):
        if k <= 0:
            return xs
        r = f(xs + [k], k - 1)
        r.append(k)
        return r

    a = [n]
    b = f(a, n)
    return (a, b)


@program(4, to=INLINED)
def list_arg_mut(n):

    def f(xs, k):
        xs.append(k)
        if k <= 0:
            return len(xs)
        return f(list(xs), k - 1) + f(xs, k - 2)

    a = [n]
    r = f(a, n)
    return (a, r)


@program(4, to=INLINED)
def held(n):

    class S:
        pass

    s = S()
    s.cur = np.zeros(3)
    s.k = 0

    def f(k):
        t = np.ones(3) * k
        s.cur = t
        if k > 0:
            f(k - 1)
        t[0] = s.cur[1] + 1
        s.k += 1
        return t[0]

    r = f(n)
    return (r, s.cur, s.k)


@program(4, to=INLINED)
def list_of_lists(n):
    out = []
    path = []

    def h(k):
        if k == n:
            out.append(list(path))
            return
        h(k + 1)
        path.append(k)
        h(k + 1)
        path.pop()

    h(0)
    return out


@program(9, 2.0)
def memo_dict(n, x):
    memo = {}

    def fib(k):
        if k < 2:
            return x * k
        if k in memo:
            return memo[k]
        r = fib(k - 1) + fib(k - 2)
        memo[k] = r
        return r

    return (fib(n), len(memo))


@program(np.array([3, 1, 4, 1, 5, 9, 2, 6]))
def seen_set(a):
    seen = set()

    def f(i):
        if i >= len(a) or int(a[i]) in seen:
            return 0
        seen.add(int(a[i]))
        return 1 + f(i + 1) + f(i + 3)

    return (f(0), len(seen))


@program(np.array([[0, 1], [1, 2], [2, 0], [3, 4]]), 5)
def adj_dfs(edges, n):
    adj = [[] for _ in range(n)]
    for a, b in edges:
        adj[int(a)].append(int(b))
        adj[int(b)].append(int(a))
    seen = np.zeros(n, bool)

    def dfs(u):
        seen[u] = True
        c = 1
        for v in adj[u]:
            if not seen[v]:
                c += dfs(v)
        return c

    return [dfs(s) for s in range(n) if not seen[s]]


class Leaf:
    def __init__(self, key):
        self.key = key
        self.left = self.right = None

    def add(self, key):
        side = "left" if key < self.key else "right"
        below = getattr(self, side)
        if below is None:
            setattr(self, side, Leaf(key))
        else:
            below.add(key)

    def height(self):
        return 1 + max((side.height() for side in (self.left, self.right) if side is not None), default=0)


@program(np.array([5, 3, 7, 4, 3, 9, 8]))
def search_tree(keys):
    def inserted(node, key):
        if node is None:
            return Leaf(key)
        if key < node.key:
            node.left = inserted(node.left, key)
        else:
            node.right = inserted(node.right, key)
        return node

    def visit(node, depth):
        if node is not None:
            visit(node.left, depth + 1)
            found.append((node.key, depth))
            visit(node.right, depth + 1)

    root, found = None, []
    for key in keys:
        root = inserted(root, int(key))
    visit(root, 0)
    return found


@program(np.array([5, 3, 7, 4, 9]))
def tree_that_adds(keys):
    root = Leaf(int(keys[0]))
    for key in keys[1:]:
        root.add(int(key))
    return root.height(), root


@program(np.random.default_rng(5).random((10, 2)), np.array([0.45, 0.5]))
def nearest_in_tree(points, wanted):
    def built(rows, axis):
        if not rows:
            return None
        rows = sorted(rows, key=lambda i: points[i, axis])
        node, middle = Leaf(rows[len(rows) // 2]), len(rows) // 2
        node.left, node.right = built(rows[:middle], 1 - axis), built(rows[middle + 1 :], 1 - axis)
        return node

    def nearest(node, axis, best, least):
        if node is None:
            return best, least
        distance = np.sum((points[node.key] - wanted) ** 2)
        if distance < least:
            best, least = node.key, distance
        gap = wanted[axis] - points[node.key, axis]
        near, far = (node.left, node.right) if gap < 0 else (node.right, node.left)
        best, least = nearest(near, 1 - axis, best, least)
        return nearest(far, 1 - axis, best, least) if gap**2 < least else (best, least)

    return nearest(built(list(range(len(points))), 0), 0, -1, np.inf)


@functools.cache
def pairs(n):
    return n if n < 2 else pairs(n - 1) + pairs(n - 2)


@program(np.array([3, 50, 4]), 60)
def cached_in_loops(ns, n):
    """Without the cache it would not end."""
    total = 0
    for k in ns:
        total += pairs(int(k))
    return total, [pairs(k) for k in range(n)]


@program(9)
def nested_dicts(n):
    def built(k):
        if k < 2:
            return {"k": k, "rest": None}
        return {"k": k, "rest": built(k // 2)}

    def total(node):
        return 0 if node is None else node["k"] + total(node["rest"])

    return total(built(n))


@program(np.arange(8.0).reshape(4, 2), 3)
def sums_of_arrays(a, n):
    def total(k):
        return a[k] * 2 if k >= n else sum(total(j) for j in range(k + 1, n + 1))

    return np.array([total(k) for k in range(n)]), total(n)


@program([5, 3, 7, 4], to=INLINED)
def tree_of_tuples(keys):
    """The result holds one tuple more at each level: without end, were it one function."""

    def inserted(tree, key):
        if tree is None:
            return (key, None, None)
        here, left, right = tree
        if key < here:
            return (here, inserted(left, key), right)
        return (here, left, inserted(right, key))

    tree = None
    for key in keys:
        tree = inserted(tree, key)
    return tree

"""Item assignment, aliases and views, in branches and loops: who shares storage with whom."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
A = np.arange(6.0)
M = np.arange(6.0).reshape(2, 3)


@case((4,), (0,))
def set_in_a_loop(n):
    a = np.zeros(6)
    for i in range(n):
        a[i] = i * i
    return a


@case((4,), (0,))
def add_in_a_loop(n):
    a = np.ones(6, dtype=np.int64)
    for i in range(n):
        a[i] += i
        a[-1 - i] *= 2
    return a


@case((A, 1.0), (A, -1.0))
def set_in_one_branch(a, x):
    if x > 0:
        a[0] = x
    return a.sum()


@case((A, 1.0), (A, -1.0))
def different_arrays_in_two_branches(a, x):
    b = a.copy()
    if x > 0:
        a[0] = x
    else:
        b[1] = x
    return b


@case((A, 1.0), (A, -1.0))
def rebind_or_write(a, x):
    b = a
    if x > 0:
        b = b * 2
    else:
        b[0] = 50
    return a, b * 1


@case((A, 3), (A, 0))
def alias_written_in_a_loop(a, n):
    b = a
    for i in range(n):
        b[i] = -1
    return a.sum()


@case((M, 2.0))
def row_view(m, x):
    r = m[1]
    r[0] = x
    r += 1
    return m.sum()


@case((M, 2), (M, 0))
def row_view_in_a_loop(m, n):
    for i in range(n):
        r = m[i]
        r[0] = -5
        r += i
    return m[0].copy()


@case((M, 2), (M, 0))
def view_taken_before_the_loop(m, n):
    r = m[1]
    for i in range(n):
        r[i] += 10
        m[1, 2] += r[i]
    return r.sum()


@case((M, 2.0), (M, -2.0))
def view_written_in_a_branch(m, x):
    c = m[:, 1]
    if x > 0:
        c[0] = x
    else:
        m[1, 1] = x
    return c.copy()


@case((M, 2.0))
def views_of_views(m, x):
    t = m.T
    u = t[1:]
    v = u[::-1, 0]
    v[0] = x
    v *= 3
    return t.copy(), u.copy()


@case((A, 2.0))
def reshape_is_a_view(a, x):
    m = a.reshape(2, 3)
    m[1, 1] = x
    f = m.ravel()
    f[0] = x + 1
    return m.copy()


@case((A, 2.0))
def flatten_and_copy_are_no_views(a, x):
    b = a.reshape(2, 3).flatten()
    c = a.copy()
    b[0] = x
    c[1] = x
    return b, c


@case((A, 2.0))
def fancy_read_is_a_copy(a, x):
    b = a[[0, 1, 2]]
    b[0] = x
    c = a[a > 100] if x is None else a[::2]
    c[1] = x
    return b


@case((A, 2), (A, 0))
def slices_step(a, k):
    a[1:5:2] = k
    a[::-2] += 1
    a[-2:] = a[:2]
    return a[::-1].copy()


@case((A, 3), (A, 5))
def overlapping_slices(a, k):
    a[1:] = a[:-1]
    a[:-1] += a[1:]
    a[:] = a[::-1] * k
    return a.sum()


@case((M, 1))
def newaxis_and_ellipsis(m, i):
    m[..., 0] = -1
    m[i, ...] += 10
    return m[:, None, :].sum(axis=0), m[..., i]


@case((A, np.array([0, 2, 0])))
def duplicate_indexes(a, idx):
    a[idx] += 1
    a[idx] = np.array([7.0, 8.0, 9.0])
    return a[idx]


@case((A, np.array([0, 2, 0])))
def add_at(a, idx):
    np.add.at(a, idx, 1)
    return a[idx]


@case((np.array([1.0, -2.0, 3.0]),))
def mask_assignment(a):
    a[a < 0] = 0
    a[a > 2] *= 10
    return a.max()


@case((np.array([1.0, -2.0, 3.0]), 2))
def swap_by_fancy_indexes(a, k):
    a[[0, k]] = a[[k, 0]]
    return a[0]


@case((M,))
def swap_rows(m):
    m[[0, 1]] = m[[1, 0]]
    return m[0]


@case((M,))
def swap_rows_through_views_goes_wrong_as_in_numpy(m):
    m[0], m[1] = m[1], m[0]
    return m.sum()


@case((M,))
def swap_columns_with_a_copy(m):
    m[:, 0], m[:, 1] = m[:, 1].copy(), m[:, 0].copy()
    return m.sum()


@case((A, 2.0), (A, -2.0))
def in_place_methods(a, x):
    if x > 0:
        a[:] = a[::-1]
        a.sort()
    else:
        a.fill(x)
    return a[0]


@case((A, 2.0))
def out_and_copyto(a, x):
    b = np.empty(6)
    np.add(a, x, out=b)
    np.multiply(a, 2, out=a)
    np.copyto(b[:2], a[:2])
    return b


@case((np.zeros(4), np.ones(4), 3), (np.zeros(4), np.ones(4), 4), (np.zeros(4), np.ones(4), 0))
def ping_pong(u, v, n):
    for i in range(n):
        v[1:-1] = u[1:-1] + u[:-2] + i
        v[0] = i
        u, v = v, u
    return u[0]


@case((np.zeros(4), 3), (np.zeros(4), 4), (np.zeros(4), 0))
def ping_pong_of_locals(a, n):
    u = a.copy()
    v = np.ones(4)
    for i in range(n):
        v[i % 4] = u[0] + i
        u, v = v, u
    return u, v


@case((np.zeros(4), 3), (np.zeros(4), 0))
def rebound_in_a_loop_then_written(a, n):
    b = a
    for i in range(n):
        b[0] += 1
        b = b + 1
    b[1] = 77
    return b * 1


@case((np.zeros(3), 2.0))
def same_array_twice(a, x):
    def write(p, q):
        p[0] = x
        q[1] = p[0] + 1
        return p.sum()

    return write(a, a)


@case((np.zeros(3), 3), (np.zeros(3), 0))
def array_in_a_list(a, n):
    items = [a, a]
    for i in range(n):
        items[0][i] = i + 1
        items[1][0] += 10
    return items[1].sum()


@case((np.zeros(3), 3), (np.zeros(3), 0))
def array_in_a_dict(a, n):
    d = {"u": a, "w": np.ones(3)}
    for i in range(n):
        d["u"][i] = d["w"][i] + i
        d["w"] += 1
    return d["w"]


@case((4, 1), (4, 9), (4, -4), (4, -5))
def index_out_of_range(n, i):
    a = np.arange(n) if n is None else np.arange(4)
    return a[i]


@case((1,), (9,), (-4,), (-5,))
def store_out_of_range(i):
    a = np.zeros(4)
    a[i] = 1
    return a


@case((3,), (9,))
def out_of_range_in_a_loop(n):
    a = np.zeros(4)
    s = 0.0
    for i in range(n):
        s += a[i]
    return s


@case((np.array([0, 1]),), (np.array([0, 7]),))
def fancy_out_of_range(idx):
    return np.arange(3.0)[idx]


@case((2,), (7,), (-3,), (-4,))
def list_index_by_a_traced_int(i):
    items = [10, 20, 30]
    return items[i] if i < 3 else items[i - 5]


@case((np.zeros((0, 3)),))
def empty_arrays(m):
    s = m.sum()
    for r in m:
        s = s + r[0]
    m += 1
    return s, m.shape[0], m.sum(axis=0)


@case((np.array(3.0),))
def zero_dimensional(a):
    b = a + 1
    c = a[()]
    a += 5
    if a > 7:
        b = b * 2
    return b, c, a.shape


@case((np.array(3.0),))
def zero_dimensional_is_written(a):
    a[...] = 8
    a[()] += 1


@case((np.zeros(3, dtype=np.int64), 2.9), (np.zeros(3, dtype=np.int64), -2.9))
def float_into_an_int_array_truncates(a, x):
    a[0] = x
    return a[0]


@case((np.zeros(3, dtype=np.uint8), 200))
def uint8_wraps(a, k):
    a[0] = k
    a += a + a[0]
    a[1] -= a[0]
    return a[0], a[1]


@case((np.zeros(3, dtype=np.uint8), 300), (np.zeros(3, dtype=np.uint8), -1), (np.zeros(3, dtype=np.uint8), 3))
def python_int_out_of_bounds_for_uint8(a, k):
    a[0] = k
    return a


@case((np.ones(3, dtype=np.float32), 2.5))
def python_float_is_weak(a, x):
    return a * x, a + 1, a[0] * x, a / 3


@case((np.zeros((2, 2)),))
def wrong_shape_stored(m):
    m[0] = np.ones(3)
    return m


@case((np.arange(4.0), 2), (np.arange(4.0), 0))
def dynamic_slice_of_static_length(a, i):
    b = a[i : i + 2]
    b[0] = -1
    return a.sum()


@case((np.arange(4.0),))
def shape_and_size_are_static(a):
    return np.zeros(a.shape[0] * 2)[: a.size] + a.ndim, a.reshape(np.prod(a.shape))


@case((np.zeros(2), np.ones(2), 4), (np.zeros(2), np.ones(2), 1))
def one_of_two_arrays_written_in_each_step(a, b, n):
    total = 0.0
    for k in range(n):
        c = a if k % 2 else b
        c[0] += 1
        total = total + c.sum()
    return total


@case((np.zeros(2), np.ones(2), 4), (np.zeros(2), np.ones(2), 1))
def one_of_two_arrays_in_nested_loops(a, b, n):
    while n > 0:
        c = a if n % 2 else b
        for k in range(n):
            c[0] += k
            d = b if k > 1 else c
            d[1] -= 1
            a[1] += 2
        n -= 1
    return a.sum()


@case((A, 3), (-A, 1), (A, 0))
def sorted_in_a_loop(a, n):
    b = a
    while n > 0:
        b = np.sort(-b)
        n -= 1
        a = b[np.argsort(a * b)]
    return a, b


@pytest.mark.parametrize("program", case.programs)
def test_arrays(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_arrays_with_static_arguments(program: Program) -> None:
    program.check_static()

"""Programs about storage, written to come out silently wrong: aliases, views and swaps, in branches and loops."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
Z = np.zeros(4)
M = np.arange(12.0).reshape(3, 4)


@dataclasses.dataclass
class Holder:
    data: Any
    other: Any


@case((Z, 3), (Z, 4), (Z, 0), (Z, 1))
def argument_swapped_with_a_local(a, n):
    b = np.ones(4)
    for i in range(n):
        a, b = b, a
        a[i] += 5
    return a.sum(), b.sum()


@case((Z, np.ones(4), 3), (Z, np.ones(4), 2), (Z, np.ones(4), 0))
def swap_then_write_after_the_loop(u, v, n):
    for _ in range(n):
        u, v = v, u
    u[0] = 100
    v[1] = 200


@case((Z, np.ones(4), 1), (Z, np.ones(4), 0))
def swap_in_a_branch_then_write(u, v, n):
    if n:
        u, v = v, u
    u[0] = 100
    v += 1
    return u[1]


@case((Z, np.ones(4), 1), (Z, np.ones(4), 0))
def rebind_to_the_other_in_a_branch(u, v, n):
    w = u
    if n:
        w = v
    w[0] = 100
    return w.sum()


@case((Z, 3), (Z, 0))
def rebound_to_fresh_then_written(a, n):
    for i in range(n):
        a = a + 1
        a[0] = i
    return a.sum()


@case((Z, 3), (Z, 0), (Z, 1))
def written_first_then_rebound(a, n):
    for i in range(n):
        a[i] = i + 1
        a = a * 2
    return a * 1


@case((Z, 2.0), (Z, -2.0))
def alias_made_in_a_branch(a, x):
    if x > 0:
        b = a
    else:
        b = a.copy()
    b[0] = x
    return b.sum()


@case((M, 2), (M, 0))
def rows_written_through_the_loop_variable(m, n):
    for r in m:
        r += n
        r[0] = -1
    return m.sum()


@case((M, 2))
def loop_variable_row_written_after_the_loop(m, n):
    for r in m:
        pass
    r[0] = n
    return m.sum()


@case((np.arange(5.0), 2), (np.arange(5.0), 0))
def iteration_sees_writes_ahead(a, n):
    s = 0.0
    for v in a:
        a[4] += v + n
        s = s * 2 + v
    return s


@case((np.arange(5.0), 3))
def iteration_over_a_copy_does_not(a, n):
    s = 0.0
    for v in a.copy():
        a[4] += v + n
        s = s * 2 + v
    return s


@case((np.arange(5.0), 3))
def iteration_over_a_rebound_name(a, n):
    s = 0.0
    for v in a:
        a = a + n
        s = s * 2 + v
    return s, a


@case((np.arange(5.0), 3))
def enumerate_sees_writes_ahead(a, n):
    s = 0.0
    for i, v in enumerate(a):
        a[-1 - i] = n * i
        s = s * 2 + v
    return s


@case((np.arange(5.0), 3))
def zip_of_an_array_with_itself_reversed(a, n):
    s = 0.0
    for u, v in zip(a, a[::-1]):  # noqa: B905
        a[2] += u * n
        s = s * 2 + v
    return s


@case((M, 5.0), (M, -5.0))
def view_outlives_the_rebinding_of_its_base(m, x):
    r = m[0]
    if x > 0:
        m = m * 2
    m[0, 0] = x
    r[1] = -x
    return m.copy(), r.copy()


@case((M, 2), (M, 1), (M, 0))
def view_rebound_in_a_loop_to_a_view_of_itself(m, n):
    r = m[0]
    for _ in range(n):
        r = r[::-1]
    r[0] = 99
    return m[0].copy()


@case((M, 2), (M, 1), (M, 0))
def base_written_view_read(m, n):
    r = m[1]
    s = 0.0
    for i in range(n):
        m[1, i] = 50
        s += r[i]
    return s


@case((M, 2), (M, 0))
def two_overlapping_views(m, n):
    p = m.ravel()[:6]
    q = m.ravel()[3:9]
    for i in range(n):
        p += q + i
        q[:3] = p[:3]
    return m.sum(axis=1)


@case((np.arange(6.0), 2.0))
def overlapping_in_place_add(a, x):
    a[1:] += a[:-1]
    a[:-1] *= x
    a += a[::-1]
    return a.sum()


@case((np.arange(6.0), 2))
def in_place_add_of_itself_by_index(a, k):
    a[k] += a[k] + a[k - 1]
    a[a.argmax()] -= a[k]
    return a.max()


@case((M, 1), (M, -1))
def transposed_written_in_a_branch(m, n):
    t = m.T
    if n > 0:
        t[0, 1] = 77
        t += 1
    return m.sum(), t.sum()


@case((M, 1), (M, -1))
def reshape_of_a_transpose_is_a_copy(m, n):
    f = m.T.reshape(-1)
    if n > 0:
        f[0] = 77
    return f.sum()


@case((M, 1), (M, -1))
def ravel_of_a_transpose_is_a_copy(m, n):
    f = m.T.ravel()
    f[0] = n * 100
    return m[0, 0]


@case((Z, 3), (Z, 0))
def same_array_twice_in_a_list(a, n):
    items = [a, a]
    for i in range(n):
        items[0][i] += 1
        items[1][i] += 10
    return items[0] is items[1], items[0].sum()


@case((Z, 3), (Z, 0))
def list_item_rebound_in_a_loop(a, n):
    items = [a, a]
    for i in range(n):
        items[0] = items[0] + 1
        items[0][0] = i
        items[1][1] += 1
    return items[0].sum(), items[1].sum()


@case((Z, np.ones(4), 3), (Z, np.ones(4), 2), (Z, np.ones(4), 0))
def swap_inside_a_list(a, b, n):
    items = [a, b]
    for i in range(n):
        items[0], items[1] = items[1], items[0]
        items[0][i] += 10
    return items[0].sum()


@case((Z, np.ones(4), 3), (Z, np.ones(4), 2), (Z, np.ones(4), 0))
def swap_inside_a_dict(a, b, n):
    d = {"old": a, "new": b}
    for i in range(n):
        d["new"][:] = d["old"] + i
        d["old"], d["new"] = d["new"], d["old"]
    return d["old"].sum(), d["new"].sum()


@case((Z, 3), (Z, 2), (Z, 0))
def swap_inside_a_dataclass(a, n):
    h = Holder(a.copy(), np.ones(4))
    for i in range(n):
        h.other[0] = h.data.sum() + i
        h.data, h.other = h.other, h.data
    return h.data, h.other


@case((Z, 3), (Z, 0))
def tuple_shares_with_a_name(a, n):
    t = (a, a[1:])
    for i in range(n):
        t[0][i] += 1
        t[1][0] *= 2
        a[2] += t[1].sum()
    return t[0].sum()


@case((Z, 2.0), (Z, -2.0))
def written_after_a_conditional_return(a, x):
    a[0] = 1
    if x < 0:
        return a.sum()
    a[1] = 2
    return a.sum() * 10


@case((Z, 3), (Z, 9))
def written_until_a_break(a, n):
    i = 0
    while True:
        a[i] = i + 1
        if i == n or i == 3:
            break
        a[i] *= 10
        i += 1


@case((Z, 1), (Z, 2), (Z, 3))
def written_in_nested_loops_with_continue(a, n):
    for i in range(4):
        for j in range(i, 4):
            if (i + j) % n == 0:
                continue
            a[j] += i + 1
            if a[j] > 4:
                break
            a[i] -= 0.5


@case((Z, 2.0), (Z, -2.0))
def only_a_helper_writes_and_only_in_one_branch(a, x):
    def write(v):
        v[1] = x

    if x > 0:
        write(a)
    return x


@case((Z, 3), (Z, 0))
def helper_closes_over_the_array(a, n):
    def write(i):
        a[i] += i + 1

    for i in range(n):
        write(i)
    return a.sum()


@case((Z, 3), (Z, 0))
def helper_closes_over_a_rebound_array(a, n):
    def total():
        return a.sum()

    s = 0.0
    for i in range(n):
        a = a + 1
        s += total()
    a[0] = 50
    return s, total()


@case((Z, 3), (Z, 0))
def nonlocal_array_rebound(a, n):
    b = a

    def grow():
        nonlocal b
        b = b + 1

    for _ in range(n):
        grow()
    b[0] = 9
    return b * 1


@case((Z, 2.0), (Z, -2.0))
def ternary_between_arrays_then_written(a, x):
    b = np.ones(4)
    c = a if x > 0 else b
    c[0] = 7
    return b


@case((Z, 2.0), (Z, -2.0))
def conditional_view_then_written(a, x):
    c = a[:2] if x > 0 else a[2:]
    c[0] = 7
    return c.sum()


@case((Z, 2), (Z, 0))
def or_between_scalar_items(a, n):
    v = a[n] or a[1] + 5
    a[n] = v
    return v


@case((Z, 2.0))
def scalar_read_is_a_snapshot(a, x):
    v = a[0]
    a[0] = x
    w = a[0]
    a[0] += 1
    return v, w


@case((np.array(5.0), 2), (np.array(5.0), 0))
def zero_dimensional_in_place_in_a_loop(a, n):
    b = a
    for _ in range(n):
        a += 1
    return b + 0


@case((np.array(5.0), 2), (np.array(5.0), 0))
def zero_dimensional_plus_makes_a_scalar(a, n):
    b = a
    for _ in range(n):
        b = b + 1
    return b + 0.0


@case((np.float64(5.0), 2), (np.float64(5.0), 0))
def numpy_scalars_are_immutable(a, n):
    b = a
    for _ in range(n):
        a += 1
    return a, b


@case((Z, 3))
def astype_copies_and_asarray_does_not(a, n):
    b = a.astype(np.float64)
    c = np.asarray(a)
    d = np.array(a)
    e = a.astype(np.float64, copy=False)
    b[0], c[1], d[2], e[3] = n, n, n, n
    return b.sum(), d.sum()


@case((M, 2.0))
def squeeze_expand_and_broadcast_views(m, x):
    e = m[:, None]
    e[0, 0, 0] = x
    s = np.squeeze(e)
    s[1, 1] = x
    t = np.swapaxes(m, 0, 1)
    t[2, 2] = x
    np.expand_dims(m, 0)[0, 0, 1] = x
    m.reshape(4, 3)[3, 2] = x
    np.flip(m)[0, 1] = -x
    return m.sum()


@case((M, 2.0))
def diagonal_is_read_only(m, x):
    d = m.diagonal()
    d[0] = x
    return m


@case((M, 2.0))
def broadcast_is_read_only(m, x):
    b = np.broadcast_to(m[0], (3, 4))
    b[0, 0] = x
    return m


@case((np.arange(12).reshape(3, 4), 3.7))
def real_stored_in_ints_through_a_view(m, x):
    m.T[1] = x
    m[0] += 1
    return m.sum()


@pytest.mark.parametrize("program", case.programs)
def test_hostile_storage(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_hostile_storage_with_static_arguments(program: Program) -> None:
    program.check_static()

"""An array or a view of all of it, tuples and scalars that were picked: which object is which."""

from __future__ import annotations

import collections

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.program_table import Program, Table

case = Table()


@case((np.arange(4.0),), (np.arange(3),))
def views_of_all_of_an_argument(a):
    r = a[:]
    return r, a[...], a.view(), a.T, a.reshape(-1), np.rollaxis(a, 0), r is a, r is r[:], a is a


@case((np.arange(4.0),), (np.zeros(0),), (np.ones(1),))
def views_of_all_of_a_new_array(a):
    z = a * 2
    r = z[:]
    return z, r, r, z.T, z


@case((1, np.arange(4.0)), (-1, np.arange(4.0)))
def a_view_of_all_beside_what_is_a_list_or_a_number(n, a):
    y = a[:]
    if n > 0:
        d, y = 0, a
    else:
        d = [y]
    if isinstance(d, list):
        d[0][1] = 7
    return y, isinstance(d, list)


@case((1, np.arange(4.0)), (-1, np.arange(4.0)), (3, np.arange(4.0)))
def a_view_of_all_in_one_of_two_lists_beside_a_number(n, a):
    y = a[:]
    d = 0 if n > 2 else [a] if n > 0 else [y]
    return d, a


@case((1, np.arange(4.0)), (-1, np.arange(4.0)), (-3, np.arange(4.0)))
def a_view_of_all_where_another_branch_returns_early(n, a):
    if n > 0:
        a = a.reshape(-1)
    elif n < -2:
        return a
    return a


STEPS = [(n, np.arange(4.0)) for n in (0, 1, 2, 3)]


@case(*STEPS)
def a_view_of_a_new_array_in_a_step(n, a):
    y = z = a
    for _ in range(n):
        y = a * 2
        z = y[:]
        z[0] += 1
    return y is z, y, z


@case(*STEPS)
def a_view_of_a_new_array_in_the_loop_of_a_branch(n, a):
    if n > 0:
        z = y = a * 1
        for _ in range(n):
            y, z = z, y[:]
            y[0] += 1
    else:
        y, z = a * 2, a * 3
    return y is z, y, z


@case(*STEPS)
def a_view_of_an_array_in_the_loop_of_a_branch(n, a):
    z = y = a * 1
    if n != 2:
        for _ in range(n):
            y, z = z, y[:]
            y[0] += 1
    else:
        y, z = a * 2, a * 3
    return y is z, y, z


@case(*STEPS)
def one_of_a_view_and_an_array_in_a_step(n, a):
    w = z = y = a * 1
    for i in range(n):
        w = y[:] if n > 1 else z
        w[0] += 1
        y = y if i > 0 else w
    return w is y, w is z, z is y, w


@case(*STEPS)
def one_of_a_view_of_a_loop_and_an_array(n, a):
    w = z = y = a * 1
    if n > 0:
        for _ in range(n):
            z = y[:]
            z[1] += 1
        w = z if n > 2 else y
    return w is y, w is z, z is y, w


@case(*STEPS)
def one_of_a_view_and_its_array_in_a_branch(n, a):
    y, z = a * 1, a * 2
    if n > 0:
        y = a * 3
        v = y[:]
        z, w = v if n > 1 else y, v if n > 2 else y
    else:
        w = z
    w[0] = 7
    return w is y, w is z, z is y, w, z, y


VIEWS = [(n, np.array([x, y, 0.0]), np.ones(3)) for n in (1, -1) for x in (0.0, 1.0) for y in (0.0, 1.0)]


@case(*VIEWS)
def a_view_of_all_in_a_branch_of_a_branch(n, a, b):
    if n > 0:
        b = a
        if a[0] > 0:
            b = b.reshape(-1)
    return b


@case(*VIEWS)
def a_view_of_a_view_in_a_branch_of_a_branch(n, a, b):
    if n > 0:
        b = a[:]
        if a[0] > 0:
            b = b.reshape(-1)
    return b


@case(*VIEWS)
def a_view_of_all_three_branches_deep(n, a, b):
    if n > -5:
        if n > 0:
            c = a
            if a[0] > 0:
                c = a[:]
            if a[1] > 0:
                c = b
            b = c
        b[2] += 1
    return b, a


@case((1, np.arange(4.0), np.ones(4)), (-1, np.arange(4.0), np.ones(4)))
def a_view_of_all_or_another_array(n, a, b):
    if n > 0:
        r = a[:]
    else:
        r = b
    return r


@case((1, np.arange(4.0), np.ones(4)), (-1, np.arange(4.0), np.ones(4)))
def a_view_of_all_is_written_under_a_condition(n, a, b):
    r = a[:]
    if n > 0:
        r[0] = 5
        b = a
    return r, a, b, b is a


@case((0, np.arange(4.0)), (3, np.arange(4.0)))
def a_view_of_all_is_written_in_a_loop(n, a):
    r = a[:]
    for i in range(n):
        r[i] += a[0] + 1
    return r, a, r is a


@case((0, np.arange(4.0)), (3, np.arange(4.0)))
def a_new_array_and_its_view_after_a_loop(n, a):
    a = a * 2
    r = a.T
    for i in range(n):
        a[i] += 1
    return a, r, [r, a]


@case((np.eye(3),), (np.arange(9.0).reshape(3, 3),))
def a_view_made_by_einsum_is_written(a):
    np.einsum("ii->i", a)[1:] = 7
    b = np.einsum("ij->ji", a)
    b[0] = 9
    return b, np.diagonal(a), np.einsum("ii->i", a)


@case(([np.arange(3.0)],))
def views_in_containers(items):
    a = items[0]
    return {"it": a, "view": a[:]}, [a, a.view()], items


Pair = collections.namedtuple("Pair", "x y")
Other = collections.namedtuple("Other", "x y")


@case(((1, 2), (3, 4), 0), ((1, 2), (3, 4), 1))
def picked_tuple_is_not_the_other(a, b, i):
    c = (a, b)[i]
    d = (b, a)[i]
    return c is d, c, d


@case((Pair(1, 2), Other(1, 2), 0), (Pair(1, 2), Other(1, 2), 1))
def class_of_a_picked_namedtuple(a, b, i):
    c = a if i else b
    return c, type(c).__name__, isinstance(c, Pair), isinstance(c, Other)


@case((0,), (1,))
def constant_tuple_picked_by_an_index(i):
    ts = [(1, 2), (3, 4), (5.0, 6)]
    t = ts[i + 1]
    return t is ts[0], t


@case((1,), (3,))
def tuple_that_a_loop_binds_anew(n):
    t = (0, 0)
    u = t
    for i in range(n):
        t = (i, i + 1)
    return t is u, t


@case((np.float64(2.5), 1), (np.float64(np.nan), 1))
def numpy_scalar_that_a_loop_binds_anew(x, n):
    y = x
    for _ in range(n):
        y = 1.0 - y * 0.0 if n < 0 else np.float64(n)
    return y is x


@case((np.array([1.0, 1.0]),))
def numpy_scalars_of_two_readings_are_two(a):
    return a[0] is a[0], a[0] is a[1], a[0] + 1.0 is a[0] + 1.0


@case((np.array([True, False]), 0), (np.array([True, False]), 1))
def numpy_bools_are_two_objects(a, n):
    picked = a[0] if n else a[1]
    return a[n] is np.True_, (a[0] & a[1]) is np.False_, picked is a[n], np.all(a) is np.False_, a[n] is True


@case((np.arange(4, dtype=np.float32),), (np.arange(4),), (np.array([True]),))
def dtypes_are_the_one_object_of_numpy(a):
    b = np.zeros_like(a)
    return (a + a).dtype is b.dtype, b.dtype is np.dtype(b.dtype.type), b.copy().dtype is b.dtype


@case((np.arange(4, dtype=np.float32),), (np.arange(4.0),))
def dtype_of_an_argument_is_the_one_object_of_numpy(a):
    return a.dtype is np.dtype(np.float32), a.dtype is np.dtype(float)


@pytest.mark.parametrize("program", case.programs)
def test_identity(program: Program) -> None:
    program.check()


def test_identity_of_what_was_put_together_is_refused_where_it_is_equal() -> None:
    def by_branch(x):
        p = (x, 1.0)
        q = p
        if x > 0:
            q = (x, 2.0)
        return q is p

    def by_loop(x):
        p = ("a", x)
        q = p
        for _ in range(int(x)):
            q = ("a", q[1] + 1.0)
        return q is p

    def by_index(x):
        pairs = [(1, 2), (3, 4)]
        return pairs[int(x)] is pairs[0]

    def of_scalars(x):
        a = np.float64(1.0) + x
        b = a
        for _ in range(int(x)):
            b = b + 1.0
        return b is a

    for f, different, one in (
        (by_branch, 1.0, -1.0),
        (by_loop, 1.0, 0.0),
        (of_scalars, 1.0, 0.0),
        (by_index, 1.0, 0.0),
    ):
        compiled = jit(f, auto_static=False)
        assert compiled(different) is f(different) is False
        assert f(one) is True
        with pytest.raises(UnsupportedOperationError, match=r"whether this .* is that one is not known"):
            compiled(one)


def test_identity_of_what_one_branch_gave_with_none_and_itself() -> None:
    def f(x):
        q = (x, 1.0)
        if x > 0:
            q = (x, 2.0)
        r = q
        return q is r, q is None, q is not r

    assert jit(f)(1.0) == f(1.0) == (True, False, False)


PARTS = {
    "transpose": lambda x: x.T,
    "row": lambda x: x[1],
    "element of a row": lambda x: x[1, 2:3],
    "steps": lambda x: x[::-1, ::2],
    "turned part": lambda x: x[1:3].T,
    "another axis": lambda x: x[:, None, 1:],
    "rows joined": lambda x: x.reshape(-1),
    "diagonal": np.diag,
    "nothing": lambda x: x[2:2],
}


@pytest.mark.parametrize("name", PARTS)
def test_known_parts_of_arguments_of_any_layout(name):
    compiled = jit(PARTS[name])
    for x in (np.arange(24.0).reshape(4, 6), np.asfortranarray(np.ones((4, 6))), np.zeros((8, 12))[::2, ::2]):
        for _ in range(4):
            found, expected = compiled(x), PARTS[name](x)
            np.testing.assert_array_equal(found, expected, strict=True)
            assert np.shares_memory(found, x) == np.shares_memory(expected, x)
            assert found.flags.writeable == expected.flags.writeable

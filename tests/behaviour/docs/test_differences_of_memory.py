"""Entries of docs/differences.md on memory: what eager NumPy leaves, and what a compiled function does."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import scipy.sparse

import anabranch
from anabranch import jit


def test_after_an_exception_arguments_are_as_before():
    def write(a, i):
        a[0] = 5.0
        a[i] = 1.0

    eager, compiled = np.zeros(3), np.zeros(3)
    with pytest.raises(IndexError):
        write(eager, 7)
    with pytest.raises(IndexError):
        jit(write)(compiled, 7)
    assert eager[0] == 5.0
    assert compiled[0] == 0.0


def test_the_order_of_a_set_that_was_changed_may_be_another():
    def last(s, xs):
        ordered = sorted(s)
        s.clear()
        for i in range(len(xs)):
            s.add(ordered[-1 - i])

    plain, given = {9, 17}, {9, 17}
    last(plain, np.zeros(2))
    jit(last)(given, np.zeros(2))
    assert plain == given
    assert list(plain) != list(given)


def test_a_nan_that_was_chosen_is_not_one_object():
    def known(x):
        return (x, 1) == (x, 1), (x, 1) <= (x, 1), (x, 1) < (x, 1), x in [x, 2.0], [2.0, x].index(x)

    def chosen(x, c):
        y = x if c else 0.0
        return (x, 1) == (y, 1)

    nan = float("nan")
    assert jit(known)(nan) == known(nan) == (True, True, False, True, 1)
    assert chosen(nan, True)
    assert not jit(chosen)(nan, True)


def test_returned_arrays_do_not_overlap():
    def whole_and_tail(a):
        b = a * 2
        return b, b[1:]

    def twice(a):
        b = a * 2
        return b, b

    a = np.arange(4.0)
    assert np.shares_memory(*whole_and_tail(a))
    assert not np.shares_memory(*jit(whole_and_tail)(a))
    first, second = jit(twice)(a)
    assert first is second
    assert np.shares_memory(jit(lambda x: x[1:])(a), a)


def test_a_result_that_a_condition_decides_may_be_a_copy():
    def chosen(a, b, c):
        return a if c else b

    def computed(a, c):
        y = a[0]
        if c:
            i = 1 if a[0, 0] > 0 else 0
            y = a[i]
        return y

    def turned(a, n):
        for _ in range(n):
            a = a[::-1]
        return a

    def moved(a, n):
        part = a[:1]
        for k in range(n):
            part = part[::-1] if a[0, 0] > 5 else a[k % 2 : k % 2 + 1]
        return part

    def seen(a, n):
        for _ in range(n):
            a = a[:]
        return a

    def bound(items, n):
        for i in range(n):
            if n > 5:
                items = [n, i]
        return items

    a, b = np.ones((2, 2)), np.zeros((2, 2))
    items = [1, 2]
    assert bound(items, 2) is items
    assert jit(bound)(items, 2) is items
    assert jit(chosen)(a, b, True) is a
    assert jit(chosen)(a, b, False) is b
    assert np.shares_memory(computed(a, True), a)
    assert np.shares_memory(jit(computed)(a, True), a)
    assert np.shares_memory(turned(a, 2), a)
    assert np.shares_memory(jit(turned, auto_static=False)(a, 2), a)
    assert np.shares_memory(moved(a, 2), a)
    assert not np.shares_memory(jit(moved, auto_static=False)(a, 2), a)
    assert seen(a, 2) is not a
    assert jit(seen, auto_static=False)(a, 2) is a


def test_what_is_returned_of_a_static_array_is_a_copy():
    def same(a):
        return a

    def written(a):
        a[0] = 1.0
        return a

    a = np.zeros(3)
    assert same(a) is a
    first, second = jit(same, static_argnames="a")(a), jit(same, static_argnames="a")(a)
    assert not np.shares_memory(first, a)
    assert not np.shares_memory(first, second)
    assert first.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        jit(written, static_argnames="a")(a)


def test_a_slice_whose_step_is_known_only_at_run_time_is_a_copy_once_it_is_returned():
    def strided(a, k):
        part = a[:: int(k.sum())]
        part[0] = 5
        return part

    def window(a, k):
        return a[int(k.sum()) :]

    k = np.array([1, 1])
    for function, views in ((strided, (True, False)), (window, (True, True))):
        for call, is_view in zip((function, jit(function)), views, strict=True):
            a = np.zeros(6)
            part = call(a, k)
            assert np.shares_memory(a, part) is is_view
            assert a[0] == (5 if function is strided else 0)


def test_overlapping_lines_of_different_steps_are_copied_as_if_apart():
    def line(a):
        a[::2] = a[:3]
        return a

    def column(a):
        m = a.reshape(4, 4)
        m[1] = m[:, 2]
        return m

    def masked(a):
        a[a % 2 == 1] = a[:3]
        return a

    for function in (line, column, masked):
        a = np.arange(16.0) if function is column else np.arange(6.0)
        want = a.reshape(4, 4)[:, 2].copy() if function is column else a[:3].copy()
        eager, compiled = function(a.copy()), jit(function)(a.copy())
        taken = {line: lambda x: x[::2], column: lambda x: x[1], masked: lambda x: x[1::2]}[function]
        np.testing.assert_array_equal(taken(compiled), want)
        assert not np.array_equal(taken(eager), want)


def test_the_parts_of_np_partition_may_be_sorted():
    def f(a):
        a.partition(0)
        return a

    given = np.array([0, 2, 3, 3, 1, 2], np.uint8)
    assert (np.partition(given, 0)[0], jit(f)(given.copy()).tolist()) == (0, sorted(given.tolist()))
    many = np.random.default_rng(0).normal(size=2000)
    np.testing.assert_array_equal(jit(lambda a: np.partition(a, 700))(many), np.partition(many, 700))


def test_equal_elements_stay_in_order_in_argsort():
    def order(a):
        return np.argsort(a), a.argsort()

    given = np.random.default_rng(0).integers(0, 5, 100).astype(float)
    for eager in order(given):
        assert (given[eager] == np.sort(given)).all()
    for compiled in jit(order)(given):
        assert (compiled == np.argsort(given, kind="stable")).all()


def test_results_are_in_c_order_or_in_another_order_of_axes():
    def transposed(a):
        return a.T + 1, np.sort(a.T), (a * 2)[::-1]

    a = np.ones((2, 3))
    for eager in transposed(a):
        assert not eager.flags.c_contiguous
    elementwise, *others = jit(transposed)(a)
    assert elementwise.flags.f_contiguous
    assert all(other.flags.c_contiguous for other in others)


def test_arrays_of_other_libraries_give_anabranch_s():
    jnp = pytest.importorskip("jax.numpy")

    def doubled(x):
        return x * 2, x

    given = jnp.arange(3)
    assert all(isinstance(r, type(given)) for r in doubled(given))
    result, same = jit(doubled)(given)
    assert type(result) is anabranch.Array
    assert same is given
    np.testing.assert_array_equal(jnp.asarray(result), doubled(given)[0])


def test_rows_of_run_time_length_are_a_copy_once_they_are_returned():
    def rows(a, j):
        part = a[:j].reshape(2, -1)
        part[0] = 9.0
        return part

    def pairs(a, j):
        return a[:j].reshape(-1, 2)

    for function, views in ((rows, (True, False)), (pairs, (True, True))):
        for call, is_view in zip((function, jit(function)), views, strict=True):
            a = np.zeros(6)
            part = call(a, 4)
            assert np.shares_memory(a, part) is is_view
            assert a[0] == (9 if function is rows else 0)


def test_a_write_where_only_the_run_knows_whether_numpy_copies_is_refused():
    def f(m, j):
        pairs = m[:, :j].reshape(-1, 2)
        pairs[0] = 9.0
        return m

    with pytest.raises(anabranch.AliasError):
        jit(f)(np.zeros((3, 4)), 2)


def test_two_arguments_with_common_memory_cannot_be_written():
    def shifted(a, b):
        b += a
        return a.sum()

    whole = np.arange(4.0)
    assert shifted(whole[:3].copy(), whole[1:].copy()) == jit(shifted)(whole[:3].copy(), whole[1:].copy())
    with pytest.raises(anabranch.AliasError, match="share memory"):
        jit(shifted)(whole[:3], whole[1:])
    assert jit(lambda a, b: (a * b).sum())(whole[:3], whole[1:]) == 8
    assert jit(shifted)(whole, whole) == shifted(np.arange(4.0), np.arange(4.0)) * 2
    np.testing.assert_array_equal(whole, np.arange(4.0) * 2)


def test_a_frozen_dataclass_that_is_returned_is_a_new_one():
    @dataclasses.dataclass(frozen=True)
    class Frozen:
        items: list[float]

    def same(x):
        return x

    given = Frozen([1.0])
    assert same(given) is given
    for _ in range(3):
        found = jit(same)(given)
        assert found == given
        assert found is not given
        assert found.items is given.items


def test_what_fails_in_a_handler_tells_of_what_it_handles_where_it_is_raised_by_a_statement():
    def by_statement(x):
        try:
            return 1 / x
        except ZeroDivisionError:
            raise KeyError("k")  # noqa: B904 - the context is what is asked for

    def by_operation(x):
        try:
            return 1 / x
        except ZeroDivisionError:
            return [1.0, 2.0][int(x) + 5]

    for f, kept in ((by_statement, True), (by_operation, False)):
        found = []
        for function in (f, jit(f)):
            with pytest.raises(LookupError) as caught:
                function(0.0)
            found.append(caught.value)
        plain, compiled = found
        assert type(plain) is type(compiled)
        assert type(plain.__context__) is ZeroDivisionError
        assert (type(compiled.__context__) is ZeroDivisionError) == kept


def test_a_name_that_is_not_set_is_a_local_one_in_comprehensions():
    def f(n):
        if n > 5:
            y = 1.0
        return sum(y for _ in range(3))

    with pytest.raises(NameError, match="cannot access free variable 'y'"):
        f(2)
    with pytest.raises(UnboundLocalError, match="cannot access local variable 'y'"):
        jit(f)(2)


def test_a_part_that_a_library_returns_of_its_own_objects_is_a_copy():
    pandas = pytest.importorskip("pandas")

    def of_rows(d):
        return d.iloc[1:]["a"].values

    def transposed(m):
        return m.T

    eager, compiled = (pandas.DataFrame({"a": [1.0, 2.0, 3.0]}) for _ in range(2))
    assert np.shares_memory(of_rows(eager), eager["a"].values)
    assert not np.shares_memory(jit(of_rows)(compiled), compiled["a"].values)
    matrix = scipy.sparse.csr_matrix(np.array([[1.0, 2.0], [0.0, 4.0]]))
    for f in (transposed, jit(transposed)):
        assert np.shares_memory(f(matrix).data, matrix.data)


def test_arrays_that_were_taken_of_a_pandas_object_before_keep_what_they_held():
    pandas = pytest.importorskip("pandas", minversion="3")

    def change(s):
        s.iloc[0] = 9.0

    eager, compiled = (pandas.Series([1.0, 2.0]) for _ in range(2))
    seen, kept = eager.values, compiled.values
    change(eager)
    jit(change)(compiled)
    assert eager.iloc[0] == compiled.iloc[0] == 9.0
    assert (seen[0], kept[0]) == (9.0, 1.0)

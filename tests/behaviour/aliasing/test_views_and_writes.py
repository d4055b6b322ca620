"""Views, read-only arrays and writes: what the caller finds afterwards, and exceptions in NumPy's own words."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

from anabranch import AliasError, UnsupportedOperationError, jit
from tests.equivalence import Outcome
from tests.program_table import Table

case = Table()
V = np.array([1.0, 2.0, 3.0, 4.0])
W = np.array([10.0, 11.0, 12.0, 13.0])
M = np.arange(6.0).reshape(2, 3)
I = np.arange(6).reshape(2, 3)  # noqa: E741


@case((M, 0), (M, 1), (M, -1))
def a_stride_beside_a_position_is_kept(a, i):
    a[i, ::2] = 7
    a[i, -3::2] += a[i, ::-2]
    return a[i, ::-1]


@case((np.asfortranarray(M),), (M,), (M.T,))
def ravel_in_the_order_of_memory(a):
    return a.ravel("K"), a.T.ravel("K"), a[:, ::-1].ravel("K"), a.flatten("K")


@case((M, 0), (M, 7))
def copying_an_array_onto_itself_checks_nothing(a, n):
    b = a[:1]
    np.copyto(b, a[:1], where=np.array([True]))
    return b


@case((I,))
def copying_complex_numbers_unsafely(a):
    np.copyto(a, 2j, casting="unsafe")


@case((M, I), (I, -I), (I, M))
def placing_casts_safely(a, vals):
    np.place(a, a > 2, vals)


@case((M, I), (I, I), (I, M))
def putmask_casts_safely(a, vals):
    np.putmask(a, a > 2, vals)


@case((np.ones((3, 1)),), (np.ones((3, 2)),))
def positions_are_checked_where_nothing_is_indexed(a):
    return a[[], 1]


@case((V, 0), (V, 3))
def taking_into_an_array_of_another_dtype(a, i):
    out = np.zeros(2, np.int8)
    np.take(a, [0, i], out=out)
    return out


@case((V,))
def clipping_into_a_larger_array(a):
    out = np.zeros((2, 4))
    np.clip(a, 2, 3, out=out)
    return out


@case((V[:0],), (V,))
def partitioning_nothing(a):
    a.partition(0)


@case((V > 2, V), (V > 9, V))
def powers_of_truths(a, b):
    return a**2, a**3, a**2.0, a**b


@case((V.astype(np.int8), 300, -1), (V.astype(np.int8), 5, 2**40))
def where_wraps_python_ints(a, n, m):
    return np.where(a > 2, a, n), np.where(a > 2, m, a), np.where(a > 2, 300, a)


@case((np.array([True, False]),))
def dividing_truths_with_remainder(a):
    return divmod(a, a)


@case((np.ones(2, complex),))
def dividing_complex_numbers_with_remainder(a):
    return divmod(a, a)


@case((V, [0, 0, 2]), (I, [0, 0, 1]), (M.astype(np.float32), [1, 1, 1]))
def any_ufunc_at_some_places(a, places):
    np.divide.at(a, places, 2) if a.dtype.kind == "f" else np.floor_divide.at(a, places, 2)
    np.negative.at(a, places)
    np.add.at(a, places, 0.75)
    np.maximum.at(a, places, np.int8(1))
    return a


@case((M,), (np.asfortranarray(M),), (M.T,), (M[::-1],))
def views_of_results_in_other_orders(a):
    b = a.T + 1
    flat = b.reshape(-1)
    flat[0] = 50
    c = np.array(a)
    line = c.ravel()
    line[-1] = 60
    return b, flat, c, line


@case((M + 1j,), (np.asfortranarray(M) * 1j,), (M.astype(np.float16).T,))
def parts_of_arguments_of_other_kinds(a):
    a[1:] += a[:1]
    return a[None], (a.T + 1).reshape(-1)


@case((I, 2.7), (I, 2j), (I, 1e300), (V, 2j), (V, 3))
def a_sum_that_starts_with_a_python_number(a, x):
    return a.sum(initial=x)


@case((M,), (M[:1],))
def squeezing_nothing_gives_the_array_itself(a):
    return a.squeeze() is a


@case((np.asfortranarray(I),), (I,))
def zeros_that_imag_gives(a):
    np.ascontiguousarray(a.imag)[0] = 1


@case((M, 1), (M, -1))
def a_layout_that_a_branch_gives(a, n):
    if n > 0:
        b = a.T * 2
    else:
        b = a.T * 3
    flat = b.reshape(-1)
    flat[0] = 50
    return b, flat


NUMBERS = (2.7, -3.9, 2j, 1e300, float("nan"), float("inf"), 7, True)


@case(*((I[0], x) for x in NUMBERS), *((V, x) for x in NUMBERS))
def python_numbers_are_assigned_as_int_and_float_convert_them(a, x):
    a[0] = x
    return a


@case(*((I[0], x) for x in NUMBERS[:5]))
def python_numbers_at_places(a, x):
    a.put([0], x)
    a[[1, 2]] = x
    return a


@case(*((I[0], x) for x in NUMBERS[:5]))
def python_numbers_under_masks(a, x):
    np.putmask(a, a > 1, x)
    np.place(a, a > 1, x)
    a[a == 0] = x
    return a


@case(*((I[0], x) for x in NUMBERS[:3]), *((V, x) for x in NUMBERS[:3]))
def python_numbers_in_slices_and_fills(a, x):
    a[1:] = x
    a.fill(x)
    return a


@case((1, V), (2, V), (3, V))
def one_of_three_given_back(n, a):
    if n == 1:
        a = a * 2
    elif n == 2:
        a = a + 1
    return a


@case((1, V, W), (2, V, W), (3, V, W))
def one_of_three_written(n, a, b):
    if n == 1:
        c = a
    elif n == 2:
        c = b
    else:
        c = a * 2
    c[0] = 7
    a[1] = 3
    b[2] += 4
    return c, c + 0


@case((1, V, W), (2, V, W), (3, V, W))
def one_of_three_views_written(n, a, b):
    if n > 1:
        if n == 2:
            v = a[1:]
        else:
            v = b[:-1]
    else:
        v = b[1:]
    v[0] = 9
    a[:] += 1
    b[1:] *= 2
    return v.sum(), v


@case((0, V, W), (2, V, W), (4, V, W))
def one_of_three_written_in_a_loop(n, a, b):
    for i in range(n):
        if i == 1:
            v = a
        elif i == 2:
            v = b
        else:
            v = a + b
        v[i % 3] += 5
    return a, b


@case((M, np.array(1)), (M, np.array(0, np.int8)), (M, 1), (M, np.int64(1)))
def an_array_of_one_integer_as_an_index_gives_a_copy(m, k):
    rows = m[k], m[k, :], m[:, k], m[k, ...], m[None, k], m[k, None]
    for n, row in enumerate(rows):
        row[0] = 100 * n
    m[k] += 1
    return rows, m


@pytest.mark.parametrize("program", case.programs)
def test_eager_and_compiled(program: Any) -> None:
    program.check()


def parts_of(a, i):
    return a[i], a[:, i], a[i:, ::-1] if isinstance(i, str) else a[i : i + 1], a.T[i]


@pytest.mark.parametrize("i", [0, 1, -1])
def test_returned_views_at_run_time_positions_are_views_of_the_argument(i: int) -> None:
    if i == -1:
        results = jit(lambda a, i: (a[i], a[:, i]))(array := M.copy(), i)
    else:
        results = jit(parts_of)(array := M.copy(), i)
    for result in results:
        assert np.shares_memory(result, array)
    results[0][:] = 9
    np.testing.assert_array_equal(array[i], [9, 9, 9])


def test_read_only_results_are_read_only() -> None:
    def f(a):
        new = a + 1
        return np.broadcast_to(new[0], (2, 3)), a.imag, np.diagonal(new), new

    for compiled, plain in zip(jit(f)(M), f(M), strict=True):
        np.testing.assert_array_equal(compiled, plain)
        assert compiled.flags.writeable == plain.flags.writeable


def test_the_shape_of_an_argument_stays() -> None:
    def f(a):
        a.shape = (3, 2)

    with pytest.raises(UnsupportedOperationError, match="sets the shape of an array from outside"):
        jit(f)(M.copy())


def test_no_shape_is_set_under_a_condition() -> None:
    def f(a, n):
        b = a + 1
        if n > 0:
            b.shape = (3, 2)
        return b

    with pytest.raises(UnsupportedOperationError, match="setting an array's shape under a run-time condition"):
        jit(f, auto_static=False)(M, 1)


@pytest.mark.parametrize("is_all", [True, False])
def test_no_shape_is_set_of_what_a_condition_has_chosen(is_all) -> None:
    def f(a, b, n):
        y = (a if n > 0 else a[:]) if is_all else (a if n > 0 else b)
        y.shape = (3, 2)
        return a.shape

    with pytest.raises(UnsupportedOperationError, match="array which a run-time condition has chosen"):
        jit(f, auto_static=False)(M, M + 1, 1)


def test_a_write_to_what_may_or_may_not_be_a_view_is_refused() -> None:
    def f(a, n):
        b = a.T * 2 if n > 0 else a.T.copy()
        flat = b.reshape(-1)
        flat[0] = 50
        return b, flat

    def reads(a, n):
        b = a.T * 2 if n > 0 else a.T.copy()
        return b.reshape(-1).sum()

    with pytest.raises(AliasError, match="may share memory"):
        jit(f)(M, 1)
    assert jit(reads)(M, 1) == reads(M, 1)


def test_a_read_only_array_is_refused_before_a_shape_that_does_not_fit() -> None:
    def f(a):
        a.real = [1, 2]

    given = M.copy()
    given.flags.writeable = False
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        f(given)
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        jit(f)(given)


def test_an_array_that_may_be_read_only_is_not_written() -> None:
    def f(a, n):
        b = np.broadcast_to(a[0], (2, 3)) if n > 0 else a + 1
        b[0] = 1

    with pytest.raises(UnsupportedOperationError, match="read-only or not, depending on a run-time condition"):
        jit(f)(M, 1)


def test_placing_values_of_the_same_array_is_refused() -> None:
    def f(a):
        np.place(a, a > 1, a)

    with pytest.raises(UnsupportedOperationError, match="pass a copy of them"):
        jit(f)(V.copy())


WORDS = {
    "in place": lambda a, b, n: a.__iadd__(b),
    "in place, casting": lambda a, b, n: b.__itruediv__(n),
    "matrix product in place": lambda a, b, n: a.__imatmul__(b),
    "output too small": lambda a, b, n: np.add(a, b, out=b),
    "output and operands": lambda a, b, n: np.add(a, n, out=b),
    "output of a reduction": lambda a, b, n: a.sum(axis=0, out=b),
    "reduction of no such axis": lambda a, b, n: a.sum(axis=5),
    "clip": lambda a, b, n: np.clip(a, 0.5, 2.5, out=b),
    "assignment": lambda a, b, n: a.__setitem__(Ellipsis, b),
    "fancy assignment": lambda a, b, n: a.__setitem__([0, 1], b),
    "too many indices": lambda a, b, n: a[n, n, n],
    "copyto": lambda a, b, n: np.copyto(a, b),
    "copyto, casting": lambda a, b, n: np.copyto(b, a[0, 0]),
    "copyto, mask": lambda a, b, n: np.copyto(a, n, where=b > 1),
    "take": lambda a, b, n: np.take(a, [0, 1], axis=0, out=b),
    "reshape": lambda a, b, n: a.reshape(4, 4),
    "concatenate": lambda a, b, n: np.concatenate([a, b]),
    "stack": lambda a, b, n: np.stack([a, b]),
    "matmul": lambda a, b, n: np.matmul(a, b),
    "at": lambda a, b, n: np.add.at(a, [0, 1], b),
    "read-only": lambda a, b, n: np.broadcast_to(a, (2, 2, 3)).sort(),
    "squeeze": lambda a, b, n: a.squeeze(0),
}


@pytest.mark.parametrize("name", WORDS)
def test_exceptions_in_the_words_of_numpy(name: str) -> None:
    args = (M, np.arange(4, dtype=np.int8), 2)
    want, got = Outcome(WORDS[name], args, {}), Outcome(jit(WORDS[name]), args, {})
    assert want.error is not None
    assert type(got.error) is type(want.error)
    assert str(got.error) == str(want.error)
    assert _line(got.error) == _line(want.error)


def _line(error: BaseException) -> list[int | None]:
    return [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.name == "<lambda>"]

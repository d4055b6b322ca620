"""Entries of docs/differences.md on types of results and on numbers: what eager NumPy and compiled code return."""

from __future__ import annotations

import contextlib
import queue
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import anabranch
from anabranch import jit

PAGE = Path(__file__).parents[3] / "docs" / "differences.md"
TINY = 1e-310


def test_every_entry_has_a_test():
    titles = re.findall(r"^### (.*)$", PAGE.read_text(), re.MULTILINE)
    assert titles
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_differences*.py"))
    missing = [t for t in titles if "def test_" + re.sub(r"\W+", "_", t.lower()).strip("_") + "(" not in tests]
    assert not missing


def test_the_order_of_two_lists_or_tuples_is_a_python_bool():
    def orders(x, y):
        return tuple(x) < tuple(y), list(x) >= list(y), (x[0], 1) < (y[0], 2)

    x, y = np.array([1.0, 2.0]), np.array([1.0, 3.0])
    assert [type(v) for v in orders(x, y)] == [np.bool_, np.bool_, bool]
    assert [type(v) for v in jit(orders)(x, y)] == [bool, bool, bool]
    assert orders(x, y) == jit(orders)(x, y) == (True, False, True)
    assert [type(v) for v in orders(x, x)] == [type(v) for v in jit(orders)(x, x)] == [bool, bool, bool]
    one, two = np.array([1.0]), np.array([2.0])
    assert type((one, 1) < (two, 2)) is np.ndarray
    assert jit(lambda a, b: (a, 1) < (b, 2))(one, two) is True


def square(n):
    return n * n


def power(b, n):
    return b**n


def root(x):
    return x**0.5


def rounded(x, digits):
    return round(x, digits)


def places(a):
    return np.array([i for i in range(len(a)) if a[i] > 0])


def pairs(a):
    return np.array([(v, 2 * v) for v in a if v > 0])


def halves(a):
    return np.array([i if a[i] < 2 else a[i] / 2 for i in range(len(a)) if a[i] > 0])


def counted(a):
    return np.array(range(len(a[a > 0])))


def weighted(x, n):
    return np.bincount(x[:n], x[:n] * 1.0)


def ordered(x, y):
    return sorted([x, y])


def is_one(x, y):
    return x is y


def picked(items, i):
    item = items[i]
    return item is items[0], item


def chosen(x, y, n):
    z = y if n > 0 else x
    return z is x, z


NONE, SOME = np.array([-1.0, -2.0]), np.array([1.0, -1.0, 1.5])
ITEMS, LARGE = [(1, 2), (3, 4)], 1000
ONE, OTHER = np.float64(1.5), np.float64(2.5)
# Functions, calls that compiled code answers, calls that are made again, and what the error says where they are not.
MADE_AGAIN = (
    (square, [(5,), (-7,)], [(2**40,), (2**63,)], "64 bits|128 bits"),
    (power, [(2, 3), (7, 0)], [(2, -1)], r"float\(x\) \*\* n"),
    (root, [(4.0,)], [(-4.0,)], r"complex\(x\) \*\* y"),
    (rounded, [(2.675, 2), (1e300, 5), (0.5, 400), (-1234.5, -2), (1e-7, 20)], [(1e-7, 30)], r"np\.round"),
    (places, [(SOME,)], [(NONE,)], "float64 with one axis"),
    (pairs, [(SOME,)], [(NONE,)], "float64 with one axis"),
    (halves, [(SOME * 2,), (NONE,)], [(SOME,)], "another dtype"),
    (counted, [(SOME,)], [(NONE,)], "np.arange"),
    (weighted, [(np.array([1, 0, 1]), 2)], [(np.array([1, 0, 1]), 0)], "np.bincount with weights"),
    (ordered, [(2.0, 1.0)], [(float("nan"), 1.0)], "NaN"),
    (is_one, [(7, 7), (7, 8), (2.5, 3.5)], [(LARGE, LARGE), (2.5, 2.5)], "compare with =="),
    (picked, [(ITEMS, 1)], [(ITEMS, 0)], "whether this tuple is that one is not known"),
    (chosen, [(ONE, OTHER, 1)], [(ONE, OTHER, 0)], "whether this NumPy scalar is that one is not known"),
)


@pytest.mark.parametrize(("function", "plain", "again", "text"), MADE_AGAIN)
def test_some_calls_are_made_again_as_plain_python(function, plain, again, text):
    falling, raising = jit(function, eager_fallback=True), jit(function, eager_fallback=False)
    for args in (*plain, *again):
        is_again = any(args is other for other in again)
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always", anabranch.EagerFallbackWarning)
            got, want = falling(*args), function(*args)
        np.testing.assert_equal(got, want)
        assert (type(got), getattr(got, "dtype", None)) == (type(want), getattr(want, "dtype", None))
        assert bool(given) == (is_again and args is again[0])  # it warns once
        with pytest.raises(anabranch.AnabranchError, match=text) if is_again else contextlib.nullcontext():
            raising(*args)
    assert f"calls run as plain Python: {len(again)} so far" in str(falling.explain(*plain[0]))


def test_sums_are_taken_in_another_order(rng):
    def total(a):
        return a.sum()

    samples = [rng.normal(size=1001) for _ in range(20)]
    compiled = jit(total)
    assert any(total(a) != compiled(a) for a in samples)
    for a in samples:
        assert abs(total(a) - compiled(a)) <= 1e-13 * np.abs(a).sum()


def test_elementary_functions_differ_in_the_last_digits(rng):
    def hyperbolic(a):
        return np.tanh(a)

    a = rng.normal(size=100_000)
    assert np.any(hyperbolic(a) != jit(hyperbolic)(a))
    np.testing.assert_allclose(jit(hyperbolic)(a), hyperbolic(a), rtol=1e-15)


def test_power_and_arctan2_are_reduced_one_after_the_other():
    given = np.array([2.0, 3.0, 2.0])
    assert jit(lambda a: np.power.reduce(a))(given) == 64.0
    assert np.power.reduce(given) in (64.0, 4.0)  # by the CPU
    last = jit(lambda a: np.arctan2.reduce(a))(given)
    np.testing.assert_allclose(last, np.arctan2(np.arctan2(2.0, 3.0), 2.0), rtol=1e-15)


def test_numbers_below_2_2e_308_are_zero():
    def positive(a):
        return a > 0

    def half(a):
        return a * 0.5

    assert positive(TINY)
    assert jit(positive)(TINY)
    assert not jit(positive, native_loops=False)(TINY)
    smallest = np.full(5000, np.finfo(np.float64).smallest_normal)
    assert (half(smallest) > 0).all()
    assert (jit(half)(smallest) > 0).all()
    assert (jit(half, native_loops=False)(smallest) == 0).all()
    assert jit(half)(smallest[:1]) == half(smallest[:1])

    def quotient(a, b):
        return a / b

    pair = np.full(5000, complex(1, np.inf)), np.full(5000, 1e300 + 1e-8j)
    assert not np.isnan(quotient(*pair).real).any()
    assert np.isnan(jit(quotient, native_loops=False)(*pair).real).all()


def test_the_sign_of_a_zero_may_differ_in_maxima_and_minima():
    def largest(a):
        return a.max()

    zeros = np.array([0.0, -0.0])
    assert jit(largest)(zeros) == largest(zeros) == 0
    assert np.signbit(jit(largest)(zeros)) != np.signbit(largest(zeros))


def test_zeros_of_either_sign_sort_as_equals():
    given = np.array([0.0, -1.0, -0.0, 0.0])
    got = jit(lambda a: np.sort(a))(given)
    np.testing.assert_array_equal(got, np.sort(given))
    assert np.signbit(got).sum() == 2


def test_a_float_that_no_integer_of_the_dtype_holds():
    compiled = jit(lambda a: a.astype(np.uint32))
    np.testing.assert_array_equal(compiled(np.array([1.5, 4e9])), np.array([1, 4_000_000_000], np.uint32))
    assert compiled(np.array([np.nan, -np.inf])).tolist() == [0, 0]


def test_complex_numbers_that_overflow_differ():
    def square(z):
        return z * z

    z = np.complex128(1e200 + 1e200j)
    assert not np.isfinite(square(z))
    assert not np.isfinite(jit(square)(z))
    assert str(square(z)) != str(jit(square)(z))
    assert str(square(complex(z))) == str(jit(square)(complex(z)))

    def power(z, w):
        return z**w

    z = complex(np.inf, 30.0)
    assert np.isnan(power(z, 2 + 0j).real)
    assert jit(power)(z, 2 + 0j).real == np.inf


def test_np_empty_gives_zeros():
    def nothing(n):
        return np.empty(n)

    assert not jit(nothing, static_argnames="n")(100).any()


def test_numpy_s_floating_point_warnings_are_not_given():
    def reciprocal(a):
        return 1 / a

    def strict(a):
        with np.errstate(divide="raise"):
            return 1 / a

    zero = np.zeros(1)
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        assert jit(reciprocal)(zero) == np.inf
        with pytest.raises(RuntimeWarning):
            reciprocal(zero)
        same = np.ones(4)
        assert jit(lambda x: np.polyfit(x, x, 1, full=True))(same)[2] == 1
        jit(lambda x: np.polyfit(x, x, 1))(same)
        with pytest.raises(np.exceptions.RankWarning):
            np.polyfit(same, same, 1)
        for lossy in (lambda z: z.astype(float), lambda z: float(z[0])):
            assert jit(lossy)(same * 1j) == pytest.approx(0.0)
            with pytest.raises(np.exceptions.ComplexWarning):
                lossy(same * 1j)
    assert jit(strict)(zero) == np.inf
    with pytest.raises(FloatingPointError):
        strict(zero)
    with pytest.raises(ZeroDivisionError):
        jit(reciprocal)(0.0)


def test_numpy_linalg_and_numpy_fft_are_those_of_numpy_2_5():
    a, broken = np.diag([2.0, 3.0]), np.full((2, 2), np.nan)
    old = np.lib.NumpyVersion(np.__version__) < "2.5.0"

    def spectrum(a):
        return np.linalg.eig(a)

    def condition(a):
        return np.linalg.cond(a)

    def transform(a, out):
        np.fft.ifft2(a, out=out)
        return out[0, 0]

    assert spectrum(a)[0].dtype == (np.float64 if old else np.complex128)
    assert [x.dtype for x in jit(spectrum)(a)] == [np.complex128, np.complex128]
    assert np.array_equal(jit(spectrum)(a)[0], spectrum(a)[0])
    line = np.array([1.0, -3.0, 2.0])
    assert np.roots(line).dtype == np.float64
    assert jit(lambda p: np.roots(p))(line).dtype == np.complex128
    with pytest.raises(np.linalg.LinAlgError) if old else contextlib.nullcontext():
        condition(broken)
    assert np.isnan(jit(condition)(broken))
    assert transform(a, np.zeros((2, 2), complex)) == (0 if old else 1.25)
    assert jit(transform)(a, np.zeros((2, 2), complex)) == 1.25


def test_items_of_a_list_of_run_time_length_are_copies():
    def rows(m):
        return [row for row in m if row[0] > 0]

    def writes(m):
        for row in rows(m):
            row += 1.0

    m = np.array([[1.0, 2.0], [-1.0, 2.0]])
    assert np.shares_memory(rows(m)[0], m)
    assert not np.shares_memory(jit(rows)(m)[0], m)
    assert np.array_equal(jit(rows)(m)[0], rows(m)[0])
    with pytest.raises(anabranch.AliasError):
        jit(writes)(m)


def test_searches_of_what_is_not_sorted_find_other_places():
    a, v = np.array([3.0, 1.0, 2.0, 0.0, 4.0]), np.array([2.5, 0.5, 1.5])
    np.testing.assert_array_equal(jit(np.searchsorted)(np.sort(a), v), np.searchsorted(np.sort(a), v))
    found = jit(np.searchsorted)(a, v)
    assert ((found >= 0) & (found <= len(a))).all()


def test_arrays_of_the_other_byte_order_count_as_the_machine_s_own():
    def dtypes(x):
        return x.dtype, (x + 1).dtype, x.copy().dtype

    def written(x):
        x[0] = 7
        return x

    other = np.dtype(np.int64).newbyteorder("S")
    x = np.arange(3, dtype=other)
    assert dtypes(x) == (other, np.int64, other)
    assert jit(dtypes)(x) == (np.int64, np.int64, np.int64)
    assert jit(written)(x) is x
    assert (x.dtype, x.tolist()) == (other, [7, 1, 2])


def test_an_array_is_an_ndarray_inside():
    def kinds(x):
        return isinstance(x, np.ndarray), isinstance(x, anabranch.Array)

    assert kinds(anabranch.asarray(2.5)) == (False, True)
    assert jit(kinds)(anabranch.asarray(2.5)) == jit(kinds)(np.array(2.5)) == kinds(np.array(2.5)) == (True, False)


def test_sorts_by_the_user_s_compare_other_pairs():
    class Hand:
        def __init__(self, shape):
            self.shape = shape

        def __lt__(self, other):
            return (other.shape - self.shape) % 3 == 1  # paper beats rock, scissors beat paper, rock beats scissors

    def ordered(a):
        hands = []
        for x in a:
            if x >= 0:
                hands.append(Hand(int(x)))
        hands.sort()
        return [h.shape for h in hands]

    a = np.array([0, 1, 2, 0, 2, 1, -1])
    assert sorted(ordered(a)) == sorted(jit(ordered)(a))
    assert ordered(a) != jit(ordered)(a)
    assert ordered(a[:2]) == jit(ordered)(a[:2]) == [0, 1]


def test_a_queue_is_of_a_subclass_for_one_thread():
    def filled(a):
        q = queue.Queue()
        for x in a:
            if x > 1:
                q.put(x)
        return q, type(q) is queue.Queue

    a = np.array([1.0, 2.0, 3.0])
    plain, is_plain = filled(a)
    made, is_compiled_plain = jit(filled)(a)
    assert isinstance(made, queue.Queue)
    assert list(made.queue) == list(plain.queue)
    assert (is_plain, is_compiled_plain) == (True, False)
    assert type(plain) is queue.Queue is not type(made)
    assert [made.get(), made.get()] == [2.0, 3.0]
    with pytest.raises(RuntimeError, match="would wait for another thread"):
        made.get()

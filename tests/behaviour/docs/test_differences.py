"""Each entry of docs/differences.md, shown: what eager NumPy gives, and what a compiled function gives."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re
import sys
import types
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest

import anabranch
from anabranch import jit
from anabranch.runtime.api.jitted import Wrapped

PAGE = Path(__file__).parents[3] / "docs" / "differences.md"
TINY = 1e-310


def test_every_entry_has_a_test():
    titles = re.findall(r"^### (.*)$", PAGE.read_text(), re.MULTILINE)
    assert titles
    missing = [t for t in titles if "test_" + re.sub(r"\W+", "_", t.lower()).strip("_") not in globals()]
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


def test_a_python_int_has_64_bits():
    def factorial(n):
        product = 1
        for i in range(1, n + 1):
            product *= i
        return product

    def square(n):
        return n * n

    assert jit(factorial)(20) == factorial(20)
    with pytest.raises(OverflowError):
        jit(factorial)(21)
    with pytest.raises(OverflowError):
        jit(lambda n: n + 1)(2**63)
    assert jit(square, static_argnames="n")(2**40) == 2**80
    assert jit(lambda n: n < 2**70)(5) is True


def test_an_int_to_a_negative_power_is_an_error():
    def power(n):
        return 2**n

    assert jit(power)(3) == 8
    assert power(-1) == 0.5
    with pytest.raises(anabranch.AnabranchError, match=r"float\(x\) \*\* n"):
        jit(power)(-1)


def test_a_negative_float_to_a_fractional_power_is_an_error():
    def root(x):
        return x**0.5

    assert jit(root)(4.0) == 2.0
    assert isinstance(root(-4.0), complex)
    with pytest.raises(anabranch.AnabranchError, match=r"complex\(x\) \*\* y"):
        jit(root)(-4.0)


def test_round_x_digits_of_far_digits_is_an_error():
    def rounded(x, digits):
        return round(x, digits)

    compiled = jit(rounded)
    for x, digits in ((2.675, 2), (1e300, 5), (0.5, 400), (-1234.5, -2), (1e-7, 20)):
        assert compiled(x, digits) == rounded(x, digits)
    assert rounded(1e-7, 30) == 1e-7
    with pytest.raises(anabranch.UnsupportedOperationError, match=r"np\.round"):
        compiled(1e-7, 30)


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

    a = rng.normal(size=1000)
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
    assert not jit(positive)(TINY)
    smallest = np.array([np.finfo(np.float64).smallest_normal])
    assert half(smallest) > 0
    assert jit(half)(smallest) == 0

    def quotient(a, b):
        return a / b

    pair = np.array([complex(1, np.inf)]), np.array([1e300 + 1e-8j])
    assert not np.isnan(quotient(*pair).real)
    assert np.isnan(jit(quotient)(*pair).real)


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


def test_nan_is_not_sorted_in_lists():
    def ordered(x, y):
        return sorted([x, y])

    assert jit(ordered)(2.0, 1.0) == [1.0, 2.0]
    with pytest.raises(anabranch.UnsupportedOperationError):
        jit(ordered)(float("nan"), 1.0)


def test_whether_equal_numbers_are_one_object_is_an_error():
    def f(x, y):
        return x is y

    large = 1000
    assert (f(large, large), f(large, int("1000")), f(7, 7), f(2.5, 3.5)) == (True, False, True, False)
    assert (jit(f)(7, 7), jit(f)(7, 8), jit(f)(2.5, 3.5)) == (True, False, False)
    for x in (large, 2.5):
        with pytest.raises(anabranch.UnsupportedOperationError, match="compare with =="):
            jit(f)(x, x)


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
    assert not np.shares_memory(jit(computed)(a, True), a)
    assert np.shares_memory(turned(a, 2), a)
    assert not np.shares_memory(jit(turned, auto_static=False)(a, 2), a)
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


def test_a_slice_whose_step_only_the_run_knows_is_a_copy_once_it_is_returned():
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


def test_the_parts_of_np_partition_are_sorted():
    def f(a):
        a.partition(0)
        return a

    given = np.array([0, 2, 3, 3, 1, 2], np.uint8)
    assert (np.partition(given, 0)[0], jit(f)(given.copy()).tolist()) == (0, sorted(given.tolist()))


def test_equal_elements_stay_in_order_in_argsort():
    def order(a):
        return np.argsort(a), a.argsort()

    given = np.random.default_rng(0).integers(0, 5, 100).astype(float)
    for eager in order(given):
        assert (given[eager] == np.sort(given)).all()
    for compiled in jit(order)(given):
        assert (compiled == np.argsort(given, kind="stable")).all()


def test_results_are_in_c_order():
    def transposed(a):
        return a.T + 1

    a = np.ones((2, 3))
    assert transposed(a).flags.f_contiguous
    assert jit(transposed)(a).flags.c_contiguous


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


def test_printing_waits_for_the_end_of_the_call(monkeypatch):
    class Stream(io.StringIO):
        def write(self, text):
            made = sys._getframe().f_back.f_code.co_name
            texts.append((text, made == "step"))
            return len(text)

    texts = []

    def step(x):
        print("step", x)
        return x + 1

    def report(x):
        if x > 0:
            print(x)
        return x

    monkeypatch.setattr(sys, "stdout", Stream())
    step(1.0)
    eager, texts = texts, []
    jit(step)(1.0)
    assert "".join(text for text, _ in texts) == "".join(text for text, _ in eager) == "step 1.0\n"
    assert all(at_once for _, at_once in eager)
    assert not any(at_once for _, at_once in texts)
    texts.clear()
    jit(report)(1.0)
    assert "".join(text for text, _ in texts) == "1.0\n"


def loud(found):
    print("replacing")
    return "u"


def test_output_of_other_code_appears_while_tracing(capsys):
    def name(x):
        return re.sub("a", loud, "cat"), x

    compiled = jit(name)
    assert [compiled(1.0), compiled(2.0)] == [("cut", 1.0), ("cut", 2.0)]
    assert capsys.readouterr().out == "replacing\n"


class Thing:
    def __init__(self, x):
        self.x = x


def test_the_text_of_an_object_is_that_of_a_copy():
    def show(x):
        thing = Thing(x)
        return str(thing), thing

    text, thing = jit(show)(1.0)
    assert text.startswith(object.__repr__(thing)[:-16])
    assert text != object.__repr__(thing)


@contextlib.contextmanager
def announced():
    print("in", end=" ")
    yield
    print("out", end=" ")


def test_context_managers_of_generators_run_while_tracing(capsys):
    def twice(x):
        with announced():
            return x * 2

    compiled = jit(twice)
    assert [compiled(1.0), compiled(2.0)] == [2.0, 4.0]
    assert capsys.readouterr().out == "in out "


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


def test_an_empty_list_of_run_time_length_becomes_an_array_of_its_items_type():
    def places(a):
        return np.array([i for i in range(len(a)) if a[i] > 0])

    for a in (np.array([1.0, -1.0]), np.array([-1.0])):
        assert np.array_equal(jit(places)(a), places(a))
    assert places(a).dtype == np.float64
    assert jit(places)(a).dtype == np.int64


def test_a_function_that_changes_outside_lists_is_traced_at_each_call(monkeypatch):
    seen, traces = [], []
    plain = Wrapped._trace
    monkeypatch.setattr(Wrapped, "_trace", lambda self, *args: traces.append(self) or plain(self, *args))

    def remember(x):
        seen.append(x)
        return x

    compiled = jit(remember)
    for x in (1.0, 2.0, 3.0):
        compiled(x)
    assert seen == [1.0, 2.0, 3.0]
    assert len(traces) == 3


def test_the_world_outside_is_left_alone(tmp_path):
    file = tmp_path / "numbers.txt"
    file.write_text("1 2")

    def reads(x):
        return np.loadtxt(file) + x

    assert reads(1.0).tolist() == [2.0, 3.0]
    with pytest.raises(anabranch.UnsupportedOperationError, match="only while the function is traced"):
        jit(reads)(1.0)


def test_what_libraries_keep_to_themselves_is_read_once(monkeypatch):
    class Held:
        value = 2.0

    held, settings = Held(), types.ModuleType("settings")
    settings.gain_1 = 2.0
    reference, which = weakref.ref(held), 1

    def by_reference(x):
        return x * reference().value

    def by_text(x):
        return x * getattr(settings, f"gain_{which}")

    for function, target, name in ((by_reference, held, "value"), (by_text, settings, "gain_1")):
        compiled = jit(function)
        assert compiled(3.0) == function(3.0) == 6.0
        monkeypatch.setattr(target, name, 5.0)
        assert function(3.0) == 15.0
        assert compiled(3.0) == 6.0


def test_np_bincount_with_weights_of_nothing_gives_float64():
    def counts(x, n):
        return np.bincount(x[:n], x[:n] * 1.0)

    x = np.array([1, 0, 1])
    np.testing.assert_array_equal(jit(counts)(x, 2), counts(x, 2), strict=True)
    assert counts(x, 0).dtype == np.int64
    assert jit(counts)(x, 0).dtype == np.float64


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


def test_whether_equal_tuples_or_numpy_scalars_are_one_object_may_be_an_error():
    def picked(pairs, i):
        pair = pairs[i]
        return pair is pairs[0], pair

    def chosen(x, y, n):
        z = y if n > 0 else x
        return z is x, z

    pairs = [(1, 2), (3, 4)]
    assert jit(picked)(pairs, 1) == picked(pairs, 1) == (False, (3, 4))
    assert picked(pairs, 0) == (True, (1, 2))
    with pytest.raises(anabranch.UnsupportedOperationError, match="whether this tuple is that one is not known"):
        jit(picked)(pairs, 0)
    x, y = np.float64(1.5), np.float64(2.5)
    assert jit(chosen)(x, y, 1) == chosen(x, y, 1) == (False, 2.5)
    assert chosen(x, y, 0) == (True, 1.5)
    with pytest.raises(anabranch.UnsupportedOperationError, match="whether this NumPy scalar is that one is not known"):
        jit(chosen)(x, y, 0)


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

"""`anabranch.vectorize`: ufuncs of functions of numbers, beside `np.vectorize`, NumPy's own ufuncs and Numba's."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, configure, jit, vectorize
from tests.equivalence import Outcome, alike, check, same

LINE = np.arange(6.0) - 2.5
GRID = np.arange(6.0).reshape(2, 3) - 2
SMALL = GRID.astype(np.float32)


def gap(x, y):
    if x > y:
        return math.sqrt(x - y)
    return 0.0


def plus(a, b):
    return a + b


def steps(x, n):
    total = x * 0
    k = 0
    while k < n:
        total += x
        k += 1
    return total


GAP, PLUS, STEPS = vectorize(gap), vectorize(plus), vectorize(steps)
TYPED = vectorize(["float32(float32,float32)", "float64(float64,float64)"])(plus)
SUMMED = vectorize(["float64(float64, float64)"], identity=0)(plus)


def test_values_are_those_of_the_function_on_each_element():
    argsets = [(LINE, 0.5), (GRID, GRID[:, :1]), (2.0, 1.0), (GRID[0], 1), (GRID[:0], 1.0), ([1, 5], [2, 3])]
    for function, ufunc in ((gap, GAP), (steps, STEPS)):
        plain = np.vectorize(function, otypes=[float])
        for args in argsets:
            for _ in range(3):
                same(plain(*map(np.float64, args))[()], np.asarray(ufunc(*args), float)[()])


def test_dtypes_follow_the_functions_arithmetic_in_every_branch():
    whole = vectorize(lambda x: 1 if x > 0 else 0.5)
    same(np.array([1.0, 1.0]), whole(np.array([1, 2])))
    same(SMALL + np.float32(1), PLUS(SMALL, 1.0))
    same(np.array([3, 4]), PLUS([1, 2], 2))
    same(np.float64(2.5), PLUS(1, 1.5))
    same(np.int64(3), PLUS(1, 2))
    same(np.array([False, True]), vectorize(lambda x: x > 1)(np.array([1, 2])))
    same(np.zeros((0,), np.float32), GAP(SMALL[0, :0], 1.0).astype(np.float32))


def test_elements_are_numpys_numbers():
    with np.errstate(all="ignore"):
        same(np.array([np.inf, 0.5]), vectorize(lambda x: 1 / x)(np.array([0, 2])))
        same(np.array([2**8 - 1], np.uint8), vectorize(lambda x: x - x - x)(np.array([1], np.uint8)))


@vectorize
def doubled(x):
    return 2 * x


SAME_AS_ADD = [
    lambda f: f(GRID, 1.0, out=np.zeros((2, 3))),
    lambda f: f(GRID, 1.0, out=(np.zeros((4, 2, 3)),)),
    lambda f: f(GRID, 1.0, np.zeros((2, 3)), where=GRID > 0),
    lambda f: f(GRID, 1.0, out=np.ones((2, 3)), where=np.array([True, False, True])),
    lambda f: f(LINE, 1.0, out=np.zeros(6, int)),
    lambda f: f(LINE, 1.0, out=np.zeros(6, np.float32)),
    lambda f: f(LINE, 1.0, out=np.zeros(6, int), casting="unsafe"),
    lambda f: f(LINE, 1.0, out=np.zeros(3)),
    lambda f: f(LINE[:1], 1.0, out=np.zeros(())),
    lambda f: f(LINE, 1.0, np.zeros(6), out=np.zeros(6)),
    lambda f: f(LINE, 1.0, out=[1.0]),
    lambda f: f(LINE, GRID),
    lambda f: f(LINE),
    lambda f: f(SMALL, 1.0, dtype=np.float64),
    lambda f: f.reduce(GRID),
    lambda f: f.reduce(GRID, axis=1, keepdims=True),
    lambda f: f.reduce(GRID, axis=None),
    lambda f: f.reduce(GRID, axis=(0, 1), initial=2.0),
    lambda f: f.reduce(GRID, axis=-1, out=np.zeros(2)),
    lambda f: f.reduce(GRID, axis=1, where=GRID > 0),
    lambda f: f.reduce(GRID, axis=2),
    lambda f: f.reduce(GRID[:, :0], axis=1),
    lambda f: f.reduce(3.0),
    lambda f: f.reduce(SMALL, dtype=np.float64),
    lambda f: f.accumulate(GRID, axis=1),
    lambda f: f.accumulate(LINE, out=np.zeros(6)),
    lambda f: f.accumulate(1.0),
    lambda f: f.reduceat(LINE, [0, 4, 1, 5]),
    lambda f: f.reduceat(GRID, [0, 1], axis=1),
    lambda f: f.reduceat(LINE, [0, 6]),
    lambda f: f.outer(LINE, GRID),
    lambda f: f.outer(2.0, LINE),
    lambda f: (f.nin, f.nout, f.nargs, f.identity, f.signature),
]


@pytest.mark.parametrize("use", SAME_AS_ADD, ids=range(len(SAME_AS_ADD)))
def test_keywords_and_methods_are_those_of_a_ufunc(use):
    named = np.add

    def renamed(error):
        return None if error is None else (type(error), str(error).replace("'plus'", "'add'").replace("plus", "add"))

    want, got = Outcome(use, (named,), {}), Outcome(use, (SUMMED,), {})
    assert renamed(want.error) == renamed(got.error)
    if want.error is None:
        same(want.value, got.value)


def test_a_reduction_without_identity():
    for use in (
        lambda f: f.reduce(LINE[:0]),
        lambda f: f.reduce(GRID, axis=None),
        lambda f: f.reduce(GRID, where=GRID > 0),
    ):
        want, got = Outcome(use, (np.minimum,), {}), Outcome(use, (PLUS,), {})
        if want.error is not None:
            assert str(got.error) == str(want.error).replace("minimum", "plus")
        else:
            with pytest.raises(ValueError, match="not reorderable"):
                use(PLUS)
    same(np.float64(LINE.sum()), PLUS.reduce(LINE))
    same(np.cumsum(np.arange(4)), PLUS.accumulate([0, 1, 2, 3]))
    # The accumulator has the dtype that a step returns.
    same(np.float64(1.25), vectorize(lambda a, b: (a + b) / 2).reduce(np.array([0, 1, 2])))


def test_at_changes_the_array():
    for places in ([0, 0, 2], np.array([True, False, True, False, False, False]), slice(1, 3)):
        mine, numpys = LINE.copy(), LINE.copy()
        PLUS.at(mine, places, 1.5)
        np.add.at(numpys, places, 1.5)
        same(numpys, mine)
    whole = np.arange(3)
    with pytest.raises(TypeError, match="Cannot cast ufunc 'plus' output"):
        PLUS.at(whole, [0], 1.5)
    negative = LINE.copy()
    vectorize(lambda x: -x).at(negative, [1, 1, 2])
    same(LINE * [1, 1, -1, 1, 1, 1], negative)


VIEWS = [lambda x: x, lambda x: x[:], lambda x: x[::-1]]
IN_PLACE = [
    lambda f, x, seen: f(seen, 1.0, x),
    lambda f, x, seen: f(2.0, seen, out=x),
    lambda f, x, seen: f(seen, x, out=(x,)),
    lambda f, x, seen: f(seen, 1.0, out=x, where=seen > 1),
    lambda f, x, seen: f.accumulate(seen, out=x),
    lambda f, x, seen: f.reduce(np.stack([x, x]), out=seen),
    lambda f, x, seen: f.at(x, [0, 1, 1, 5], seen[:4]),
]


@pytest.mark.parametrize("view", VIEWS, ids=range(len(VIEWS)))
def test_operands_that_share_memory_with_an_output_are_read_as_they_were(view):
    for use in IN_PLACE:
        want, got = LINE.copy(), LINE.copy()
        for _ in range(3):
            use(np.add, want, view(want))
            use(SUMMED, got, view(got))
            same(want, got)


def test_loops_of_signatures_are_chosen_as_numpy_does():
    same(np.float32, TYPED(np.arange(3, dtype="i2"), 1).dtype.type)
    same(np.float64, TYPED(np.arange(3), 1).dtype.type)
    same(np.float32, TYPED(SMALL, 1.0).dtype.type)
    same(np.float64(3.0), TYPED(1, 2))
    assert (TYPED.types, TYPED.ntypes) == (["ff->f", "dd->d"], 2)
    for bad in (1j, "a"):
        with pytest.raises((TypeError, UnsupportedOperationError, ValueError)):
            TYPED(bad, 1)
    with pytest.raises(TypeError, match="No loop matching the specified signature"):
        TYPED(LINE, 1.0, dtype=int)
    for bad, message in (("float64", "signature"), ("float64(float64)", "2 numbers"), ("f64(x)", "no signature")):
        with pytest.raises(TypeError, match=message):
            vectorize([bad])(plus)
    with pytest.raises(TypeError, match="of numbers"):
        vectorize(["float64(float64[:], float64)"])(plus)


def uses(x, n):
    y = GAP(x, 0.5)
    for i in range(n):
        y = PLUS(y, GAP(x, i))
    out = np.zeros(x.shape)
    TYPED(x, 1.0, out=out, where=x > 0)
    PLUS.at(out, [0, 0], 2.0)
    return y, PLUS.reduce(y, axis=-1), SUMMED.reduce(y, axis=None), PLUS.outer(n, x), GAP(3.0, n), out, PLUS(x, SMALL)


@pytest.mark.parametrize("native", [True, False])
def test_in_compiled_functions(native):
    with configure(native_loops=native):
        check(uses, GRID, 3)


def test_sizes_known_only_at_run_time():
    def f(x, t):
        y = x[x > t]
        return GAP(y, 0.5), PLUS(y, y), PLUS(y, x[:1])

    check(f, LINE, 0.0)
    with pytest.raises(ValueError, match="could not be broadcast"):
        jit(lambda x: PLUS(x[x > 0], x[:2]))(LINE)
    for use in (lambda x: PLUS.reduce(x[x > 0]), lambda x: PLUS(x[x > 0], 1.0, out=x)):
        with pytest.raises(UnsupportedOperationError, match="known only at run time"):
            jit(use)(LINE)


def test_as_an_argument_and_in_a_closure():
    def f(g, x):
        return g(x, x + 1), g.reduce(x), sum(g(v, 1.0) for v in x)

    check(f, PLUS, LINE)
    check(f, TYPED, LINE)


def test_exceptions_are_the_functions():
    def root(x):
        if x < 0:
            raise ValueError("negative")
        return math.sqrt(x)

    of_each = vectorize(root)
    with pytest.raises(ValueError, match="negative"):
        of_each(LINE)
    check(lambda x: of_each(x), LINE)
    same(np.sqrt(np.abs(LINE)), of_each(np.abs(LINE)))
    with pytest.raises(TypeError, match="returns a number, not tuple"):
        vectorize(lambda x: (x, x))(LINE)


def test_more_loops_and_other_globals():
    ufunc = vectorize(lambda x: x * factor)
    factor = 2
    use = jit(lambda x: ufunc(x))
    same(LINE * 2, ufunc(LINE))
    same(LINE * 2, use(LINE))
    factor = 3
    same(LINE * 3, ufunc(LINE))
    same(LINE * 3, use(LINE))
    ufunc.add("float32(float64)")
    same((LINE * 3).astype(np.float32), ufunc(LINE))
    same((LINE * 3).astype(np.float32), use(LINE))


def test_uncompiled():
    with configure(disable_jit=True):
        for use in SAME_AS_ADD[::4]:
            want = Outcome(use, (np.add,), {})
            if want.error is None:
                same(want.value, use(SUMMED))
        same(GAP(LINE, 0.5), np.vectorize(gap, otypes=[float])(LINE, 0.5))


def test_copies_and_pickles():
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    same(SUMMED.reduce(LINE[:0]), pickle.loads(pickle.dumps(SUMMED)).reduce(LINE[:0]))
    same(PLUS(LINE, 1.0), copy.copy(PLUS)(LINE, 1.0))
    assert repr(GAP) == "<ufunc 'gap'>"


class Wrapping:
    def __init__(self, array):
        self.array = array

    def __array_ufunc__(self, ufunc, method, *args, **kwargs):
        plain = [x.array if isinstance(x, Wrapping) else x for x in args]
        return Wrapping(getattr(ufunc, method)(*plain, **kwargs))


def test_operands_that_take_ufuncs_over():
    made = PLUS(Wrapping(LINE), 1.0)
    assert isinstance(made, Wrapping)
    same(LINE + 1, made.array)


@pytest.mark.slow
def test_numbas_conventions():
    numba = pytest.importorskip("numba")
    cases = [
        lambda v: v(gap)(LINE, 0.5),
        lambda v: v(["float64(float64, float64)"], identity=1)(plus).reduce(GRID, axis=None),
        lambda v: v([float64, "int64(int64, int64)"])(plus)(np.arange(3), 2),
        lambda v: v("float64(float64, float64)")(plus)(1, 2),
        lambda v: v()(steps)(GRID, 3.0),
        lambda v: v(["boolean(float64)"])(lambda x: x > 0)(LINE),
        lambda v: v(["int64(float64)"])(lambda x: x)(np.array([1.5, -1.5])),
        lambda v: v(["float64(float64, float64)"])(plus)(LINE, GRID),
    ]
    float64 = "float64(float64, float64)"
    for use in cases:
        alike(Outcome(use, (numba.vectorize,), {}), Outcome(use, (vectorize,), {}))


class Overriding:
    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return "overridden"


def test_calls_after_others_of_the_same_kind():
    ufunc, plain = vectorize(gap), np.vectorize(gap)
    for _ in range(4):
        same(plain(LINE, 0.5), ufunc(LINE, 0.5), "ufunc")
    for args in ((LINE, LINE[::-1]), (GRID, 1.0), (SMALL, SMALL), (2.0, 1.0), ([1.0, 2.0], LINE[:2]), (LINE[:0], 1.0)):
        for _ in range(3):
            np.testing.assert_array_equal(ufunc(*args), plain(*args) if np.size(args[0]) else args[0])
    assert ufunc(LINE, Overriding()) == "overridden"
    out = np.zeros(6)
    for _ in range(3):
        assert ufunc(LINE, 0.0, out) is out
        np.testing.assert_array_equal(out, plain(LINE, 0.0))
    for args in ((), (LINE,), (LINE, LINE, out, out), (LINE, LINE[:4])):
        with pytest.raises((TypeError, ValueError)):
            ufunc(*args)

"""`anabranch.compat.numba`: programs for Numba give what the plain functions give, and what Numba gives."""

from __future__ import annotations

import math
import sys
import textwrap
import warnings

import numpy as np
import pytest

import anabranch
from anabranch import AnabranchError, UnsupportedOperationError
from anabranch.compat import numba as ours
from tests.equivalence import same


def programs(numba):
    """Calls of programs that are written for one of the two modules."""
    njit, float64, int64, types = numba.njit, numba.float64, numba.int64, numba.types
    prange = numba.prange
    List, Dict = numba.typed.List, numba.typed.Dict

    @njit(fastmath=True, cache=False, parallel=False, nogil=True)
    def total(a):
        s = 0.0
        for i in prange(a.shape[0]):
            s += a[i]
        return s

    @njit("float64(int64)")
    def half(n):
        return n / 2

    @numba.jit([int64(int64), float64(float64)], nopython=True)
    def twice(x):
        return x * 2

    @njit(float64(float64[:], int64))
    def at(a, i):
        return a[i]

    @njit
    def nested(x):
        return half(x) + twice(3)

    @njit
    def containers(n):
        items = List()
        for i in range(n):
            items.append(i * 0.5)
        table = Dict.empty(key_type=types.int64, value_type=types.float64)
        for i in range(n):
            table[i] = items[i]
        s = 0.0
        for k in table:
            s += table[k]
        first = List.empty_list(types.float64)
        first.append(s)
        return first[0], len(items)

    @numba.experimental.jitclass([("x", float64), ("n", int64), ("a", float64[:])])
    class Walker:
        def __init__(self, x, n):
            self.x = x
            self.n = n
            self.a = np.zeros(n)

        def norm(self):
            return math.sqrt(self.x * self.x) + self.n

        def step(self, k):
            self.x += k
            for i in range(self.n):
                self.a[i] += self.x
            return self.x

        @property
        def double(self):
            return self.x * 2

    @njit
    def walked(walker):
        walker.step(2)
        return walker.norm()

    @numba.vectorize(["float64(float64, float64)"], nopython=True, identity=0)
    def longer(a, b):
        return a if a > b else b

    @numba.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", target="cpu")
    def running(row, out):
        acc = 0.0
        for i in range(row.shape[0]):
            acc += row[i]
            out[i] = acc

    @njit
    def ufuncs(a):
        return longer(a, 1.0).sum() + running(a[0], np.zeros(3)) if False else longer(a, 1.0).sum()

    def walker():
        one = Walker(1, 3)
        return one.x, one.norm(), one.step(1), walked(one), one.x, one.double, list(one.a)

    grid = np.arange(6.0).reshape(2, 3)
    return {
        "loops": lambda: float(total(np.arange(4.0))),
        "a signature": lambda: (half(3), half(3.7), half(n=5)),
        "several": lambda: (twice(3), twice(2.5)),
        "arrays": lambda: at(np.arange(3.0), 1),
        "a signature inside": lambda: nested(3.9),
        "containers": lambda: containers(4),
        "a class": walker,
        "ufuncs": lambda: (longer(grid, 2.0), longer.reduce(grid, axis=1), running(grid)),
        "inside": lambda: float(ufuncs(grid)),
        "a type as a function": lambda: (numba.int32(3.7), float64(2)),
        "the function itself": lambda: half.py_func(3),
    }


WANT = {
    "loops": 6.0,
    "a signature": (1.5, 1.5, 2.5),
    "several": (6, 5.0),
    "arrays": 1.0,
    "a signature inside": 7.5,
    "containers": (3.0, 4),
    "a class": (1.0, 4.0, 2.0, 7.0, 4.0, 8.0, [6.0, 6.0, 6.0]),
    "the function itself": 1.5,
}


def test_programs():
    made = programs(ours)
    for name, want in WANT.items():
        for _ in range(3):
            if name == "a class":
                assert made[name]() == want
            else:
                same(want, made[name]())


@pytest.mark.slow
def test_as_numba():
    theirs = programs(pytest.importorskip("numba"))
    for name, call in programs(ours).items():
        want, got = theirs[name](), call()
        if name == "a type as a function":
            assert want == got
        else:
            same(want, got, name)


def test_arrays_that_have_not_the_type():
    at = ours.njit("float64(float64[:], int64)")(lambda a, i: a[i])
    for bad in (np.arange(3), np.ones((2, 2)), 1.0):
        with pytest.raises((TypeError, IndexError)):
            at(bad, 0)
    with pytest.raises(TypeError, match="3 arguments"):
        ours.njit("float64(float64)")(lambda *xs: xs[0])(1.0, 2.0, 3.0)
    with pytest.raises(TypeError, match="not in C order"):
        ours.njit("float64(float64[:, ::1])")(lambda a: a[0, 0])(np.ones((2, 3)).T)


def test_options_without_a_meaning_are_warned_about_once():
    with pytest.warns(UserWarning, match="'no_such_option' is not one"):
        ours.njit(no_such_option=1)(lambda x: x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.njit(no_such_option=1)(lambda x: x)
        ours.njit(cache=True, parallel=True, boundscheck=False, error_model="python")(lambda x: x)
    with pytest.warns(UserWarning, match="forceobj"):
        ours.jit(forceobj=True)(lambda x: x)


def test_what_differs_raises():
    divide = ours.njit(lambda x, y: x / y)
    with pytest.raises(ZeroDivisionError):
        divide(1.0, 0.0)
    loose = ours.njit(error_model="numpy")(lambda x, y: x / y)
    assert [loose(1.0, 0.0), ours.njit(lambda x: loose(x, 0.0))(-1.0)] == [math.inf, -math.inf]
    with pytest.raises(ZeroDivisionError):
        ours.njit(error_model="numpy")(lambda x: ours.njit(error_model="python")(divide.py_func)(x, 0.0))(1.0)
    with pytest.raises(IndexError):
        ours.njit(lambda a, i: a[i])(np.ones(3), 7)

    with pytest.raises(AttributeError, match="has no stencil"):
        ours.stencil  # noqa: B018
    assert issubclass(AnabranchError, ours.TypingError)


def test_blocks_of_objmode_are_compiled_as_the_rest():
    def f(x, n):
        y = 0.0
        for k in range(n):
            with ours.objmode(y="float64"):
                y += x[k % 3] * len(str(n))
                if y > 5:
                    x[0] = y
        return y

    compiled = ours.njit(f)
    for _ in range(3):
        want, got = np.arange(3.0), np.arange(3.0)
        same(f(want, 12), compiled(got, 12))
        same(want, got)

    @ours.njit
    def with_objects(x):
        with ours.objmode(y="float64"):
            y = float(str(x))
        return y

    assert with_objects(1.5) == 1.5


def test_what_is_no_python_can_be_defined_and_not_called():
    kernel = ours.cuda.jit("void(float64[:])", device=True)(lambda a: None)
    bits = ours.extending.intrinsic(programs)
    for use, error, message in (
        (lambda: kernel[1, 2](np.ones(3)), ours.cuda.CudaSupportError, "a kernel of Numba's"),
        (lambda: ours.njit(lambda a: kernel[1, 2](a))(np.ones(3)), ours.cuda.CudaSupportError, "a kernel of Numba's"),
        (lambda: ours.njit(lambda x: bits(x))(1.0), UnsupportedOperationError, "programs is made of LLVM's"),
        (lambda: ours.np.linalg._LAPACK().numba_xgesv("f8"), UnsupportedOperationError, "numpy.linalg.solve"),
        (ours.cuda.list_devices, ours.cuda.CudaSupportError, "no CUDA devices"),
    ):
        with pytest.raises(error, match=message):
            use()
    assert not ours.cuda.is_available()


class Series(np.ndarray):
    pass


def test_arrays_of_a_users_class_are_arrays():
    @ours.njit
    def doubled(a, k):
        a[k] = 9.0
        return 2 * a

    typed = ours.njit("float64[:](float64[:], int64)")(doubled.py_func)
    for f in (doubled, typed):
        for _ in range(3):
            a = np.arange(3.0).view(Series)
            same(np.array([0.0, 18.0, 4.0]), f(a, k=1))
            assert a[1] == 9.0


class Held(ours.experimental.structref.StructRefProxy):
    @property
    def places(self):
        return places_of(self)

    @property
    def total(self):
        return self.places.sum() + self.flag


@ours.njit
def places_of(held):
    return held.places


@ours.njit
def put(held, k):
    held.places[k] = 7.0
    held.flag += 1
    return held.places[k] + held.flag


ours.experimental.structref.define_proxy(Held, ours.types.StructRef, ["places", "flag"])


def test_structrefs_have_fields():
    for _ in range(3):
        held = Held(np.arange(3.0), 2)
        assert put(held, 1) == 10.0
        same(np.array([0.0, 7.0, 2.0]), held.places)
        assert (held.flag, held.total, places_of(held) is held.places) == (3, 12.0, True)
    with pytest.raises(TypeError, match="takes 2 fields, and was given 1"):
        Held(1)


def test_names():
    assert str(ours.float64[:, ::1]) == "float64[:, ::1]"
    assert ours.typeof(np.ones((2, 3))) == ours.types.Array(ours.float64, 2, "C")
    assert (ours.typeof(1), ours.typeof(1.5), ours.from_dtype("f4")) == (ours.int64, ours.float64, ours.float32)
    ours.set_num_threads(2)
    assert ours.get_num_threads() == 2
    assert ours.extending.is_jitted(ours.njit(programs))
    assert not ours.extending.is_jitted(programs)
    function = ours.types.FunctionType(ours.int64(ours.float64[:]))
    assert isinstance(function, ours.types.FunctionType)
    assert str(function.signature) == "(float64[:]) -> int64"
    assert isinstance([], ours.typed.List)
    assert ours.njit(lambda a: sum([a[k] for k in ours.pndindex(a.shape)]))(np.ones((2, 3))) == 6.0
    same([1, 2], ours.typed.List([1, 2]))
    assert anabranch.vectorize is not ours.vectorize
    assert issubclass(ours.NumbaIRAssumptionWarning, ours.core.errors.NumbaWarning)


def test_fastmath_true_keeps_infinities():
    @ours.njit(fastmath=True)
    def cheapest(x, y):
        costs = np.full((len(x), len(y)), np.inf)
        costs[0, 0] = 0.0
        for i in range(1, len(x)):
            for j in range(1, len(y)):
                above, beside = costs[i - 1, j] + abs(x[i] - x[i - 1]), costs[i, j - 1] + abs(y[j] - y[j - 1])
                costs[i, j] = min(above, beside, costs[i - 1, j - 1] + abs(x[i] - y[j]))
        return costs[1:, 1:]

    for n in range(2, 5):
        x = np.arange(float(n))
        same(cheapest.py_func(x, x), cheapest(x, x))


def test_in_place_of_numba(run_python):
    program = """
        from anabranch.compat import numba
        numba.install()
        import numba as found
        from numba import njit, types
        from numba.core import errors, types as other
        from numba.typed import List
        from numba.typed.typedlist import List
        from numba.core.registry import CPUDispatcher
        assert isinstance(numba.njit(lambda x: x), CPUDispatcher)
        from numba.extending import register_jitable
        import numba.core.config, numba.core.cgutils, numba.core.errors
        import numba.core.caching, numba.core.serialize, numba.cuda, numba.experimental
        assert numba.config is numba.core.config and not numba.config.DISABLE_JIT
        from numba.np.ufunc.gufunc import GUFunc
        from numba.np.numpy_support import as_dtype
        from numba.np.linalg import _LAPACK
        made = numba.guvectorize([(types.float64[:], types.float64[:])], "(n)->()")(lambda a, out: None)
        assert isinstance(made, GUFunc) and as_dtype(types.float32) == "f4"
        assert found is numba and types is other and errors.TypingError is found.TypingError
        print(found.__version__)
    """
    assert "0." in str(run_python(textwrap.dedent(program)))
    assert "numba" not in sys.modules or sys.modules["numba"] is not ours


def test_a_types_number_of_a_value_known_only_at_run_time():
    @ours.njit
    def mark(table, place):
        mask = ours.uint8(1 << (place & 7))
        was = table[place >> 3] & mask
        table[place >> 3] |= mask
        return was, ours.float32(place) / 2

    @ours.njit
    def marked(table, places):
        return [mark(table, place) for place in places]

    def eager(table, places):
        return [mark.py_func(table, place) for place in places]

    places, tables = np.array([3, 9, 3], np.int32), (np.zeros(2, np.uint8), np.zeros(2, np.uint8))
    same(eager(tables[0], places), marked(tables[1], places))
    same(*tables)

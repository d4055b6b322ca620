"""`anabranch.guvectorize`: functions that write into their last arguments, over loop dimensions, beside Numba's."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import NoSourceError, UnsupportedOperationError, configure, guvectorize, jit
from tests.equivalence import Outcome, alike, check, same

LINE = np.arange(3.0)
GRID = np.arange(6.0).reshape(2, 3) - 1


def products(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            out[i, j] = a[i] * b[j]


def dot(a, b, out):
    out[0] = 0.0
    for i in range(a.shape[0]):
        out[0] += a[i] * b[i]


def shifted(a, k, out):
    for i in range(a.shape[0]):
        out[i] = a[i] + k


def added(a, out):
    for i in range(a.shape[0]):
        out[i] += a[i]


def extremes(a, least, most):
    least[0] = a.min()
    most[0] = a.max()


def boxed(a, k, out):
    out[:] = a + k[0]


PRODUCTS = (["void(float64[:], float64[:], float64[:,:])"], "(n),(m)->(n,m)")
DOT = (["void(float64[:], float64[:], float64[:])"], "(n),(n)->()")
SHIFTED = (["void(float32[:], float32, float32[:])", "(float64[:], float64, float64[:])"], "(n),()->(n)")
BOXED = (["void(float64[:], float64[:], float64[:])"], "(n),()->(n)")

MADE = {
    "products": (PRODUCTS, products),
    "dot": (DOT, dot),
    "shifted": (SHIFTED, shifted),
    "boxed": (BOXED, boxed),
    "dynamic": (("(n),()->(n)",), shifted),
    "added": (("(n)->(n)",), added),
}
OURS = {name: guvectorize(*how)(function) for name, (how, function) in MADE.items()}


def _written(gufunc, *args):
    gufunc(*args)
    return args[-1]


CALLS = [
    lambda g: g["products"](LINE, LINE[:2]),
    lambda g: g["products"](GRID, LINE[:2]),
    lambda g: g["products"](GRID[:, None], np.ones((4, 2))),
    lambda g: g["products"](LINE, LINE[:2], np.zeros((3, 2))),
    lambda g: g["products"](LINE, LINE[:2], out=np.zeros((5, 3, 2))),
    lambda g: g["products"](GRID, np.zeros((3, 4))),
    lambda g: g["products"](1.0, LINE),
    lambda g: g["products"](LINE, LINE, np.zeros((3, 2))),
    lambda g: g["products"](LINE, LINE, LINE),
    lambda g: g["products"](LINE),
    lambda g: g["products"](LINE, LINE, LINE, LINE),
    lambda g: g["products"](LINE, LINE, out=(np.zeros((3, 3)), 1)),
    lambda g: g["products"](LINE, LINE, np.zeros((3, 3), int)),
    lambda g: g["products"](LINE * 1j, LINE),
    lambda g: g["products"].reduce(LINE),
    lambda g: g["dot"](LINE, LINE),
    lambda g: g["dot"]([1, 2], [3, 4]),
    lambda g: g["dot"](GRID, LINE),
    lambda g: g["dot"](GRID[:, :0], LINE[:0]),
    lambda g: g["dot"](LINE, LINE[:2]),
    lambda g: g["dot"](GRID, np.ones((5, 3))),
    lambda g: g["shifted"](LINE, 2),
    lambda g: g["shifted"](LINE.astype(np.float32), np.float32(0.5)),
    lambda g: g["shifted"](GRID, LINE[:2]),
    lambda g: g["boxed"](GRID, 1.5),
    lambda g: _written(g["dynamic"], LINE, 2.0, np.zeros(3)),
    lambda g: g["dynamic"](LINE, 2.0),
    lambda g: _written(g["added"], GRID, np.ones((2, 3))),
    lambda g: (g["dot"].nin, g["dot"].nout, g["dot"].nargs, g["dot"].signature),
]


@pytest.mark.slow
def test_as_numbas():
    numba = pytest.importorskip("numba")
    theirs = {name: numba.guvectorize(*how)(function) for name, (how, function) in MADE.items()}
    for use in CALLS:
        alike(Outcome(lambda: use(theirs), (), {}), Outcome(lambda: use(OURS), (), {}))


def test_values():
    for _ in range(3):
        same(np.einsum("ki,j->kij", GRID, LINE), OURS["products"](GRID, LINE))
        same(GRID @ LINE, OURS["dot"](GRID, LINE))
        same(np.float64(5.0), OURS["dot"](LINE, LINE))
        same(GRID + 2, OURS["shifted"](GRID, 2))


def test_operands_that_share_memory_with_an_output_are_read_as_they_were():
    turned = guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")(_turned)
    for view in (lambda x: x, lambda x: x[:], lambda x: x[:, ::-1]):
        for _ in range(2):
            x = GRID.copy()
            want = view(x)[:, ::-1].copy()
            assert turned(view(x), x) is x
            same(want, x)


def _turned(a, out):
    for i in range(a.shape[0]):
        out[i] = a[a.shape[0] - 1 - i]


@pytest.mark.parametrize("native", [True, False])
def test_inputs_of_other_loop_dimensions_are_broadcast_in_one_loop(native):
    x, y = np.arange(24.0).reshape(12, 2), np.arange(22.0, -2.0, -1).reshape(12, 2)
    with configure(native_loops=native, unroll_budget=300):
        same(np.einsum("ik,jk->ij", x, y), OURS["dot"](x[:, None], y))


def test_several_outputs():
    both = guvectorize(["void(float64[:], float64[:], float64[:])"], "(n)->(),()")(extremes)
    same((GRID.min(1), GRID.max(1)), both(GRID))
    least = np.zeros(2)
    assert both(GRID, least, np.zeros(2))[0] is least
    same(GRID.min(1), least)


def test_dimensions_of_a_fixed_size():
    cross = guvectorize(["void(float64[:], float64[:], float64[:])"], "(3),(3)->(3)")(
        lambda a, b, out: out.__setitem__(slice(None), np.cross(a, b))
    )
    same(np.cross(GRID, LINE), cross(GRID, LINE))
    with pytest.raises(ValueError, match=r"core dimension 0, with gufunc signature .*\(size 2 is different from 3\)"):
        cross(LINE[:2], LINE)


@pytest.mark.parametrize("native", [True, False])
def test_in_compiled_functions(native):
    def f(x, y):
        out = np.ones(x.shape)
        OURS["added"](x, out)
        total = OURS["dot"](x, y)
        for row in x:
            total = total + OURS["dot"](row, y)
        return out, total, OURS["products"](x[0], y), OURS["shifted"](x, y[:2])

    with configure(native_loops=native):
        check(f, GRID, LINE)


def test_uncompiled():
    with configure(disable_jit=True):
        same(GRID @ LINE, OURS["dot"](GRID, LINE))


def test_what_is_refused():
    for how, error, message in [
        (("(n)->(m)",), NameError, "undefined output symbols: m"),
        (("n->n",), ValueError, "layout"),
        ((["void(float64[:])"], "(n)->(n)"), TypeError, "2 operands"),
        ((["void(float64[:,:], float64[:])"], "(n)->(n)"), TypeError, "does not fit"),
        ((["void(unicode_type, float64[:])"], "()->(n)"), NameError, "undefined output"),
        ((["void(unicode_type, float64[:])"], "()->()"), TypeError, "does not fit"),
        (([], [], "(n)->(n)"), TypeError, "takes signatures and a layout"),
    ]:
        with pytest.raises(error, match=message):
            guvectorize(*how)(added)
    with pytest.raises(UnsupportedOperationError, match="known only at run time"):
        jit(lambda x: OURS["dot"](x[x > 0], x[x > 0]))(LINE)
    assert repr(OURS["dot"]) == "<gufunc 'dot' with signature '(n),(n)->()'>"


def scattered(values, labels, out):
    for i in range(values.shape[0]):
        out[labels[i]] += values[i]


SCATTERED = (["(float64[:], int64[:], float64[:])"], "(a),(a),(z)")
LABELS = np.array([0, 1, 2, 0])


@pytest.mark.parametrize("settings", [{}, {"native_loops": False}])
@pytest.mark.parametrize(
    "out",
    [
        np.zeros(3),
        np.zeros((2, 3)),
        np.zeros((1, 3)),
        np.zeros((4, 2, 3)),
        np.zeros((3, 2)).T,
        np.zeros((4, 2, 3))[::2, :, ::-1],
    ],
)
def test_a_layout_without_outputs(out, settings):
    values = np.arange(8.0).reshape(2, 4) + 1
    gufunc = guvectorize(*SCATTERED, **settings)(scattered)
    want, got = out.copy(), out.copy(order="K")
    for _ in range(3):
        for index in np.ndindex(np.broadcast_shapes(want.shape[:-1], (2,))):
            own = index[len(index) - want.ndim + 1 :] if want.ndim > 1 else ()
            scattered(values[index[-1]], LABELS, want[tuple(0 if want.shape[k] == 1 else i for k, i in enumerate(own))])
        assert gufunc(values, LABELS, got) == ()
        same(want, got)


@pytest.mark.slow
def test_a_layout_without_outputs_as_numbas():
    numba = pytest.importorskip("numba")
    ours, theirs = guvectorize(*SCATTERED)(scattered), numba.guvectorize(*SCATTERED)(scattered)
    for args in (
        (np.ones((2, 4)), LABELS),
        (np.ones(4), LABELS, np.zeros(3), 1),
        (np.ones(4), LABELS[:2], np.zeros(3)),
    ):
        alike(Outcome(lambda: theirs(*args), (), {}), Outcome(lambda: ours(*args), (), {}))
    assert (ours.nin, ours.nout, ours.signature) == (theirs.nin, theirs.nout, theirs.signature)


def test_a_function_without_source():
    made = {}
    exec(
        "def biggest(a, out):\n    out[0] = -1.0\n    for x in a:\n        if x > out[0]:\n            out[0] = x\n",
        made,
    )
    gufunc = guvectorize(["(float64[:], float64[:])"], "(n)->()")(made["biggest"])
    with pytest.raises(NoSourceError, match="no source for biggest"):
        gufunc(LINE)

"""`axes`, `axis` and `keepdims` of `anabranch.guvectorize`, beside NumPy's own generalised ufuncs."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import guvectorize, jit
from tests.equivalence import Outcome, alike, same

CUBE = np.arange(24.0).reshape(2, 3, 4)
GRID = CUBE[0]
PAIR = np.arange(6.0).reshape(3, 2)
TALL = np.arange(12.0).reshape(4, 3)


def vecdot(a, b, out):
    out[0] = 0.0
    for i in range(a.shape[0]):
        out[0] += a[i] * b[i]


def vecmat(a, b, out):
    for j in range(b.shape[1]):
        out[j] = 0.0
        for i in range(a.shape[0]):
            out[j] += a[i] * b[i, j]


OURS = {
    "vecdot": guvectorize(["(float64[:], float64[:], float64[:])"], "(n),(n)->()")(vecdot),
    "vecmat": guvectorize(["(float64[:], float64[:,:], float64[:])"], "(n),(n,m)->(m)")(vecmat),
}
THEIRS = {"vecdot": np.vecdot, "vecmat": np.vecmat}

GOOD = [
    ("vecdot", (GRID, GRID), {"axis": 0}),
    ("vecdot", (GRID, GRID), {"axis": -1}),
    ("vecdot", (GRID, GRID), {"axis": np.int8(-2), "keepdims": True}),
    ("vecdot", (GRID, GRID), {"keepdims": True}),
    ("vecdot", (GRID, GRID), {"axes": [0, 0]}),
    ("vecdot", (GRID, GRID), {"axes": [0, (-2,), ()]}),
    ("vecdot", (GRID, GRID), {"axes": [0, 0], "keepdims": True}),
    ("vecdot", (GRID, GRID), {"axes": [0, 0, 0], "keepdims": True}),
    ("vecdot", (GRID, TALL), {"axes": [1, 0]}),
    ("vecdot", (CUBE, np.arange(3.0)), {"axes": [1, 0], "keepdims": True}),
    ("vecdot", (np.arange(3.0), CUBE), {"axes": [0, 1, 1], "keepdims": True}),
    ("vecdot", (CUBE, CUBE), {"axis": 1}),
    ("vecdot", (np.arange(3.0), np.arange(3.0)), {"axis": 0}),
    ("vecmat", (np.arange(3.0), TALL), {"axes": [0, (1, 0), 0]}),
    ("vecmat", (PAIR, CUBE), {"axes": [0, (1, 2), 0]}),
    ("vecmat", (PAIR, CUBE), {"axes": [(0,), (1, 0), (-1,)]}),
]
BAD = [
    ("vecdot", (GRID, GRID), {"axes": [0, 0, 0]}),
    ("vecdot", (GRID, GRID), {"axes": (0, 0)}),
    ("vecdot", (GRID, GRID), {"axes": None}),
    ("vecdot", (GRID, GRID), {"axes": [0]}),
    ("vecdot", (GRID, GRID), {"axes": [0, (0, 1)]}),
    ("vecdot", (GRID, GRID), {"axes": [0, 2]}),
    ("vecdot", (GRID, GRID), {"axes": [0, "a"]}),
    ("vecdot", (GRID, GRID), {"axes": [0, (1.5,)]}),
    ("vecdot", (GRID, GRID), {"axis": 5}),
    ("vecdot", (GRID, GRID), {"axis": 1.0}),
    ("vecdot", (GRID, GRID), {"axis": None}),
    ("vecdot", (GRID, GRID), {"axis": 0, "axes": [0, 0]}),
    ("vecdot", (GRID, GRID), {"keepdims": 1}),
    ("vecdot", (GRID, GRID[0]), {"axis": 0}),
    ("vecdot", (GRID, 1.0), {"axis": 7}),
    ("vecmat", (PAIR, CUBE), {"axis": 0}),
    ("vecmat", (PAIR, CUBE), {"keepdims": True}),
    ("vecmat", (PAIR, CUBE), {"axes": [0, (1, 2)]}),
    ("vecmat", (PAIR, CUBE), {"axes": [0, 1, 0]}),
    ("vecmat", (PAIR, CUBE), {"axes": [0, (1, -2), 0]}),
    ("vecmat", (PAIR, CUBE), {"axes": [0, [1, 2], 0]}),
    ("vecmat", (PAIR, CUBE), {"axes": [0, (1, 2), 2]}),
]


@pytest.mark.parametrize(("name", "operands", "options"), [*GOOD, *BAD])
def test_as_numpy(name, operands, options):
    want = Outcome(lambda: THEIRS[name](*operands, **options), (), {})
    for _ in range(3):
        alike(want, Outcome(lambda: OURS[name](*operands, **options), (), {}))


def test_results_where_they_are_passed():
    for out in (np.zeros((2, 1, 4)), np.zeros((2, 4, 3)).transpose(0, 2, 1)[:, :1]):
        want = np.vecdot(CUBE, CUBE, axis=1, keepdims=True)
        assert OURS["vecdot"](CUBE, CUBE, axis=1, keepdims=True, out=out) is out
        same(want, np.array(out))
    out = np.zeros((4, 2))
    OURS["vecmat"](PAIR, CUBE, axes=[0, (1, 2), 0], out=out)
    same(np.vecmat(PAIR, CUBE, axes=[0, (1, 2), 0]), out)


@pytest.mark.parametrize("native", [True, False])
def test_in_compiled_functions(native):
    def both(a, b):
        return ours["vecdot"](a, b, axis=0) + ours["vecmat"](a[:, 0], b, axes=[0, (0, 1), 0])

    ours, compiled = OURS, jit(both, native_loops=native)
    got = [compiled(GRID, GRID) for _ in range(3)]
    ours = THEIRS
    for one in got:
        same(both(GRID, GRID), one)

"""Functions that return views in NumPy do so for arrays of run-time size: a write to either tells."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import AliasError, UnsupportedOperationError, jit
from anabranch.runtime.errors import RunTimeSizeError
from anabranch.runtime.testing.compare_outcomes import Tolerance
from anabranch.runtime.testing.stage_bisection import stages
from tests.equivalence import ULPS, Outcome, alike

A = np.arange(6.0)
M = np.arange(12.0).reshape(3, 4)
REFUSALS = (AliasError, RunTimeSizeError, UnsupportedOperationError)
LINES = {
    "window": lambda m, i, j: m[i:j],
    "computed": lambda m, i, j: m[i:j] * 1,
    "chosen": lambda m, i, j: m[m > i],
    "backwards": lambda m, i, j: m[::-1][i:j],
    "with gaps": lambda m, i, j: m[::2][i:j],
}
ROWS = {
    "rows": lambda m, i, j: m[i:j],
    "columns": lambda m, i, j: m[:, i:j],
    "a computed block": lambda m, i, j: m[i:j, i:j] * 1,
    "turned": lambda m, i, j: m.T[i:j],
    "computed of what is turned": lambda m, i, j: m[:, i:j].T * 1,
    "with gaps": lambda m, i, j: m[::2][i:j],
}
OF_LINES = {
    "view": lambda x: x.view(),
    "all": lambda x: x[...], "atleast_2d": np.atleast_2d, "with an axis": lambda x: x[:, None], "asarray": np.asarray,
    "ascontiguousarray": np.ascontiguousarray, "astype": lambda x: x.astype(float, copy=False), "flip": np.flip,
    "T": lambda x: x.T, "real": lambda x: x.real, "own shape": lambda x: x.reshape(x.shape),
    "row": lambda x: x.reshape(1, -1), "column": lambda x: x.reshape(-1, 1), "split": lambda x: np.split(x, [1])[0],
    "positive": np.positive, "copy": np.copy, "gaps in a line": lambda x: np.ravel(x[::2]),
    "gaps in a shape": lambda x: x[::2].reshape(-1), "inner": lambda x: x[1:][:-1], "trimmed": np.trim_zeros,
    "squeezed": lambda x: x.squeeze(0),
    "flatten": lambda x: x.flatten(), "moved": lambda x: np.moveaxis(x[None], 0, 1), "roll": lambda x: np.roll(x, 0),
}  # fmt: skip
OF_ROWS = {
    "squeezed": lambda x: np.squeeze(x, 0), "squeezed column": lambda x: x.squeeze(axis=1),
    "squeezed of all": lambda x: x.squeeze((0, -1)), "squeezed of one more": lambda x: x[None].squeeze((0, 1)),
    "squeezed of a static axis": lambda x: x[:, :, None].squeeze(2),
    "view": lambda x: x.view(x.dtype),
    "T": lambda x: x.T, "backwards": lambda x: x[:, ::-1], "rot90": np.rot90, "row": lambda x: x[0],
    "column": lambda x: x[:, 0], "hsplit": lambda x: np.hsplit(x, [1])[0], "vsplit": lambda x: np.vsplit(x, [1])[1],
    "ascontiguousarray": np.ascontiguousarray, "ascontiguousarray, turned": lambda x: np.ascontiguousarray(x.T),
    "atleast_3d": np.atleast_3d, "own shape": lambda x: x.reshape(x.shape), "ravel": np.ravel,
    "ravel, turned": lambda x: x.T.ravel(), "ravel in Fortran's order": lambda x: x.ravel("F"),
    "line": lambda x: x.reshape(-1), "line in Fortran's order": lambda x: np.reshape(x, -1, order="F"),
    "every second row": lambda x: x[::2].ravel(), "every second column": lambda x: x[:, ::2].ravel(),
    "first column": lambda x: x[:, :1].ravel(), "first row": lambda x: x[:1].T.reshape(-1),
    "pairs": lambda x: x.reshape(-1, 2), "two": lambda x: x.reshape(2, -1), "copied": lambda x: np.copy(x).ravel(),
}  # fmt: skip
CASES = [
    pytest.param(array, source, view, id=f"{of}-{name}")
    for array, sources, every in ((A, LINES, OF_LINES), (M, ROWS, OF_ROWS))
    for of, source in sources.items()
    for name, view in every.items()
]


@pytest.mark.parametrize(("array", "source", "view"), CASES)
def test_a_write_reaches_what_it_reaches_in_numpy(array, source, view) -> None:
    def f(m, i, j):
        x = source(m, i, j)
        y = view(x)
        y[...] = 9
        before = x + 0
        x[...] = x * 2
        return m, before, y + 0

    traced = dict(stages(jit(f, auto_static=False)))["tracing"]
    for bounds in ((0, 3), (1, 2), (2, 2)):
        want, got = Outcome(f, (array, *bounds), {}), Outcome(traced, (array, *bounds), {})
        if isinstance(got.error, REFUSALS):
            pytest.skip(f"refused: {got.error}")
        alike(want, got, Tolerance(ULPS, copies=True))


@pytest.mark.parametrize("longer", [lambda z: np.append(z, 1), lambda z: np.concatenate([z, z[:1]])])
def test_a_loop_changes_the_memory_of_what_it_makes_longer(longer) -> None:
    def f(a, b, n):
        z = a[b[0] :]
        for _ in range(2):
            a += 1
            z = longer(z)
        return a, z

    def g(a, b, n):
        z = a[b[0] :]
        for _ in range(n):
            a += 1
            z = longer(z)
        return a, z

    for n in range(4):
        args = np.zeros(5), np.ones(1, int), n
        for function in (f, g):
            alike(*(Outcome(each, args, {}) for each in (function, jit(function, auto_static=False))))

"""The methods of ufuncs: reduce, accumulate, reduceat, outer and at, of every ufunc."""

from __future__ import annotations

import functools
from typing import Any

import numpy
import pytest

from anabranch.runtime.ops.table import OPS
from anabranch.runtime.values import registry
from tests.behaviour.numpy.cases import check_program
from tests.behaviour.numpy.samples import BYTES, COMPLEX, EMPTY, FLOATS, INTS, NANS, SINGLE, TRUTHS

UFUNCS = sorted({f.__name__ for f in registry.FUNCTIONS if isinstance(f, numpy.ufunc) and f.__name__ in OPS})
ARRAYS = (FLOATS, INTS, BYTES, TRUTHS, SINGLE, NANS, COMPLEX, EMPTY)
LINE = numpy.array([2.0, 3.0, 2.0])
# NumPy's own are wrong on some CPUs, as docs/differences.md tells.
REDUCED = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            name in ("arctan2", "power") and not numpy.isclose(ufunc.reduce(LINE), functools.reduce(ufunc, LINE)),
            reason="NumPy does not reduce one after the other on this CPU",
        ),
    )
    for name in UFUNCS
    for ufunc in (getattr(numpy, name),)
]


def _check(program: Any, *args: Any) -> None:
    try:
        check_program(program, *args)
    except AssertionError as error:
        raise AssertionError(f"{[f'{a.dtype}{a.shape}' for a in args]}: {error}") from error


@pytest.mark.parametrize("name", REDUCED)
def test_reduce(name: str) -> None:
    for array in ARRAYS:
        mask = numpy.arange(array.shape[1]) % 2 > 0
        for keywords in (
            {}, {"axis": 1}, {"axis": -1, "keepdims": True}, {"axis": None}, {"axis": (0, 1)}, {"axis": ()},
            {"dtype": "f4"}, {"initial": 1}, {"initial": None}, {"initial": 2, "where": mask}, {"where": mask},
            {"axis": 3}, {"axis": 0, "initial": None, "where": mask},
        ):  # fmt: skip
            _check(lambda np, a, keywords=keywords: getattr(np, name).reduce(a, **keywords), array)


@pytest.mark.parametrize("name", REDUCED)
def test_accumulate_and_reduceat(name: str) -> None:
    for array in ARRAYS:
        for keywords in ({}, {"axis": 1}, {"dtype": "f8"}, {"axis": 2}):
            _check(lambda np, a, keywords=keywords: getattr(np, name).accumulate(a, **keywords), array)
        if name == "power" and array.dtype.kind in "bi":
            continue  # refused: the exponents must not be negative
        for indices in ([0], [0, 1, 0], [1, 1], []):
            if len(array):
                _check(
                    lambda np, a, i, axis=1: getattr(np, name).reduceat(a, i, axis=axis), array, numpy.array(indices)
                )
                _check(lambda np, a, i=indices: getattr(np, name).reduceat(a, i), array)


@pytest.mark.parametrize("indices", [[0, 5], [-1], [[0]], [0.5]])
def test_reduceat_of_bad_indices(indices: Any) -> None:
    _check(lambda np, a: np.add.reduceat(a, indices), FLOATS)
    _check(lambda np, a, i: np.add.reduceat(a, i), FLOATS, numpy.array(indices))


@pytest.mark.parametrize("name", UFUNCS)
def test_at_and_outer(name: str) -> None:
    def at(np, a, *others):
        getattr(np, name).at(a, [0, 1, 0], *others)
        return a

    for array in ARRAYS[:-1]:
        _check(at, array)
        _check(at, array, array[:1])
        _check(at, array, numpy.full((3, 1), 2.5))
        _check(lambda np, a: getattr(np, name).at(a, (1, [0, 0]), 3), array)
        _check(lambda np, a: getattr(np, name).outer(a, a[0]), array)
        _check(lambda np, a: getattr(np, name).outer(a, 2), array)


def into(np, a, out, line):
    np.add.reduce(a, 0, out=line)
    np.subtract.accumulate(a, 1, out=out)
    np.multiply.reduceat(a, [0, 2, 1], out=out)
    np.subtract.outer(a[:, 0], line, out=out)
    return np.divide.reduce(a, 1, out=out[:, 0])


def test_out() -> None:
    check_program(into, FLOATS, FLOATS * 0, FLOATS[0] * 0)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "?"])
@pytest.mark.parametrize("name", ["add", "maximum", "minimum"])
def test_reduceat_of_long_segments(name: str, dtype: str) -> None:
    """Segments of any length, in any order of the starts, of one element, of NaN and of zeros with a sign."""
    rng = numpy.random.default_rng(5)
    array = rng.integers(-50, 50, 300).astype(dtype)
    starts = numpy.array([0, 7, 8, 250, 3, 3, 299, 20, 120, 200])
    _check(lambda np, a, i: getattr(np, name).reduceat(a, i), array, starts)
    if array.dtype.kind == "f":
        array[130], array[20:60], array[200:] = numpy.nan, -0.0, -0.0
        _check(lambda np, a, i: getattr(np, name).reduceat(a, i), array, starts)
        _check(lambda np, a, i: numpy.signbit(np.add.reduceat(a, i)), array, numpy.array([20, 60, 200, 250]))

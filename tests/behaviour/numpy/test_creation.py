"""Making arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from anabranch import jit
from tests.behaviour.numpy.cases import Static, Table, check_program
from tests.behaviour.numpy.samples import EMPTY, FLOATS, VECTOR
from tests.equivalence import check

case = Table()

for f in (np.zeros, np.ones):
    case(f, Static(3))
    case(f, Static((2, 3)), dtype="i4")
    case(f, Static(-1))

case(np.empty_like, EMPTY)
case(np.empty_like, EMPTY, shape=Static((0, 2)), dtype="i4")
for X in (FLOATS, 3, [1, 2.5]):
    case(np.asanyarray, X)
case(np.asarray_chkfinite, Static([1.0, 2.0]))
case(np.asarray_chkfinite, FLOATS)
case(np.asarray_chkfinite, np.array([1, np.nan]))
case(np.astype, FLOATS, Static(np.int32))
case(np.resize, FLOATS, Static((2, 3)))
case(np.resize, VECTOR, Static((3, 3)))
case(np.resize, EMPTY, Static((2,)))
for f in (np.bartlett, np.blackman, np.hamming):
    case(f, Static(5))
case(np.kaiser, Static(5), Static(2.0))
for order in ("C", "F", "K", "A", "X"):
    for f in (np.asarray, np.array, np.copy, np.zeros_like):
        case(f, FLOATS, order=order)
    case(np.zeros, Static((2, 3)), order=order)
    case(np.full, Static((2, 3)), 1.5, order=order)
    case(np.reshape, FLOATS, Static((4, 3)), order=order)
for f in (np.asfortranarray, np.ascontiguousarray):
    case(f, FLOATS)
    case(f, 2.5)
    case(f, FLOATS, dtype="f4")
for needs in (["F", "W"], "C", "CF", ["Q"], None):
    case(np.require, FLOATS, requirements=needs)


def orders(np, a):
    b, c = np.asfortranarray(a), np.ascontiguousarray(a.T)
    d, e = np.asarray(b, order="F"), np.asarray(a, order="C")
    b[0, 0], c[1, 1], d[2, 2], e[2, 3] = 10, 11, 12, 13
    f = np.zeros_like(a, order="F")
    f.ravel("K")[1] = 14
    return a, b, c, d, e, f, [np.isfortran(x) for x in (a, b, c, d, e, f, a.astype("f4", order="F"))]


def test_orders() -> None:
    check_program(orders, FLOATS)


for low, high in ((1.0, 1000.0), (-2, -5), (1j, 2), (0.0, 2.0), (np.array([1, 2.0]), np.array([3.0, 9]))):
    for n in (0, 1, 4):
        case(np.geomspace, low, high, Static(n))
        case(np.geomspace, low, high, Static(n), endpoint=False)
case(np.geomspace, np.array([1, 2.0]), np.array([3.0, 9]), Static(4), axis=1)
case(np.geomspace, 1.0, 100, Static(4), dtype="i4")
case(np.logspace, 1.0, 2, Static(4), base=2.0)
case(np.logspace, 1.0, 2, Static(4), base=np.array([2.0, 3]))
case(np.logspace, Static(1), Static(2), Static(3), base=np.array([2.0, 3]), axis=-1)


for n in (-4, 0, 3, 2.5, np.float32(1.5), True):
    case(np.tri, Static(n))
    case(np.tri, Static(2), Static(n))
    case(np.tri, Static(3), k=Static(n))
for k in (0.5, -0.5, -1.5, -2.0):
    case(np.tri, Static(3), Static(4), k=Static(k))
for given in (
    {"start": 3, "stop": None},
    {"start": 3},
    {"stop": 3},
    {"stop": 3, "start": 1, "step": 2},
    {"stop": None},
    {},
):
    case(np.arange, **given)
case(np.arange, Static(3), stop=None)
case(np.arange, Static(3), stop=5)
case(np.arange, Static(3), start=5)
case(np.arange, Static(3), Static(None), Static(2))


@pytest.mark.parametrize("shape", [(10**7, 10**7), (10**6, 3, 10**6), (10**10, 10**10)])
@pytest.mark.parametrize("function", [np.zeros, np.ones, np.empty])
def test_too_large_for_memory(function: Any, shape: tuple[int, ...]) -> None:
    def unused(x: Any) -> Any:
        function(shape)
        return x

    with pytest.raises((MemoryError, ValueError)) as eager:
        unused(1.0)
    with pytest.raises(type(eager.value)) as compiled:
        jit(unused)(1.0)
    assert str(compiled.value) == str(eager.value)


def test_too_large_for_memory_under_a_condition() -> None:
    def f(x: Any) -> Any:
        if x > 1:
            np.zeros((10**7, 10**7))
        try:
            y = np.broadcast_to(x, (10**7, 10**7))
            y = y + 1
        except MemoryError:
            return y[0, 0]
        return y

    assert jit(f)(0.5) == f(0.5)
    with pytest.raises(MemoryError, match="Unable to allocate 728"):
        jit(f)(2.0)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)


def filled_with_what_does_not_fit(np, a):
    """As `astype` casts it; only a Python int has to fit."""
    made = [np.full(2, 2.5 + 1j, "f4"), np.full_like(a, 2j), np.full(2, -3.7, "u1"), np.full(2, np.nan, int)]
    return [*made, np.full(2, 1e300, "f4"), np.full(2, 1j, bool)]


def test_filled_with_what_does_not_fit() -> None:
    check_program(filled_with_what_does_not_fit, FLOATS)


def made_by_the_class(x: Any, n: int) -> Any:
    table, row = np.ndarray((2, n), np.int32), np.ndarray(n)
    table[:], row[:] = 7, 0.0
    for i in range(n):
        row[i] = x * i
    plain = np.ndarray(2, np.int16, b"\x01\x00\x02\x00") + 1
    return table, row, type(row) is np.ndarray, isinstance(table, np.ndarray), plain


def test_arrays_made_by_the_class() -> None:
    check(made_by_the_class, 2.0, 3, static=("n",))


def masked_of_several_axes(z: Any, c: Any) -> Any:
    inside = abs(z) < 1.5
    z[inside] = z[inside] ** 2 + c[inside]
    found = z[inside] * c[inside]
    inside[0] = True
    return z, found, z[inside] - c[inside][::-1]


def test_parts_that_one_mask_of_several_axes_selects() -> None:
    rng = np.random.default_rng(2)
    z, c = rng.standard_normal((2, 5, 7)) + 1j * rng.standard_normal((2, 5, 7))
    check(masked_of_several_axes, z, c)
    check(masked_of_several_axes, z.real.copy(), c.real.copy())


def sized_by_a_power(base: int, exponent: int, x: float) -> Any:
    rows, columns = np.mgrid[0:base, 0 : base**exponent]
    return rows * x, columns, np.arange(base**exponent)


def test_sizes_that_are_powers_of_arguments() -> None:
    check(sized_by_a_power, 2, 3, 1.5)


def test_a_range_begins_with_its_start() -> None:
    def spread(*bounds: Any) -> Any:
        return np.arange(*bounds)

    for bounds in (
        (-0.0, 2.0, 0.5),
        (-0.0, 0.25, 0.5),
        (0.0, 2.0),
        (-0.0, -2.0, -0.5),
        (np.float32(-0.0), np.float32(2)),
    ):
        want = repr(spread(*bounds))
        assert repr(jit(spread)(*bounds)) == want
        assert repr(jit(lambda bounds=bounds: np.arange(*bounds))()) == want

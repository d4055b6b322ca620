"""Polynomials as coefficients."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from anabranch import UnsupportedOperationError, host, jit
from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import BYTES, COMPLEX, CUBE, INTS, SINGLE, VECTOR
from tests.equivalence import check

case = Table()

for X in (VECTOR, INTS[0], SINGLE[0], 2.5, BYTES[0], COMPLEX[0]):
    for Y in (VECTOR[:2], INTS[0, :3], 3):
        for f in (np.polyadd, np.polysub, np.polymul):
            case(f, X, Y)
    for m in (0, 1, 2, 5, -1):
        case(np.polyder, X, Static(m))
        case(np.polyint, X, Static(m))
    for k in (Static([3, 4.0]), np.array([3]), np.array([3, 4, 5])):
        case(np.polyint, X, Static(2), k=k)
for X in (VECTOR, INTS[0], SINGLE[0], VECTOR.astype("f2"), 2.5, np.zeros(0), CUBE):
    case(np.poly, X)
case.refuses("complex", np.poly, COMPLEX[0])
case.refuses("begin with zero", np.polymul, np.array([0, 1]), VECTOR)
for X in (VECTOR, INTS[0], COMPLEX[0], np.array([1.0, 3, 2]), np.array([2, 4, 8, 1])):
    for Y in (VECTOR[:2], np.array([1, 2]), np.array([2.0]), np.array([1.0, 2, 3, 4, 5, 6, 7])):
        case(np.polydiv, X, Y)


for P, stem in (
    (polynomial, "poly"),
    (chebyshev, "cheb"),
    (legendre, "leg"),
    (hermite, "herm"),
    (hermite_e, "herme"),
    (laguerre, "lag"),
):
    value, powers = getattr(P, f"{stem}val"), getattr(P, f"{stem}vander")
    for X in (VECTOR, INTS, SINGLE[0], 2.5, 3, COMPLEX[0], np.zeros(0), [1.0, 2.5]):
        for C in (VECTOR[:1], VECTOR[:2], VECTOR, INTS, SINGLE[0], Static([1, 2, 3]), 2.0):
            case(value, X, C)
        case(value, X, VECTOR, tensor=Static(False))
        for m in (0, 1, 4):
            case(powers, X, Static(m))


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)


def test_objects():
    def fitted(x, y):
        p = np.poly1d(np.polyfit(x, y, 2))
        return p(x), p.deriv()(x), p.integ(k=2).coef, p.order, p[0], p.roots, p.coeffs, 2 * p(1.5)

    def computed(x):
        p, one = np.poly1d(x), np.poly1d([1.0, 1.0])
        return p, (p * one).c, (p - 1)(2), (p**2).c, -p(1), p == np.poly1d(x), np.poly1d(x, r=True).c, f"{p}"

    def in_a_loop(x):
        p, total = np.poly1d(x), 0.0
        for i in range(4):
            total += p(i)
        return total

    x = np.arange(5.0) + 1
    check(fitted, x, x**3, ulps=4096)
    check(computed, x)
    check(computed, np.array([0.0, 1.0, 2.0]))
    check(in_a_loop, x)


def test_functions_of_objects():
    known = np.poly1d([1.0, 2.0])

    def f(x):
        p = np.poly1d(x)
        return (
            np.polyval(p, 2.0), np.polyval(known, x), np.polyder(p).c, np.roots(p.deriv()), np.polydiv(x, known),
            np.polymul(known, x), np.polyadd(x, known).coeffs, known(x) * known(2.0),
        )  # fmt: skip

    check(f, np.arange(5.0) + 1)


def test_coefficients_of_an_object_are_not_written():
    def later(x):
        p = np.poly1d(x)
        x[0] = 9.0
        return p(2.0)

    def through(x):
        p = np.poly1d(x)
        p.coeffs[0] = 9.0
        return p(2.0)

    def of_its_own(x):
        p = np.poly1d(list(x))
        x[0] = 9.0
        return p(2.0)

    for f in (later, through):
        with pytest.raises(UnsupportedOperationError, match="poly1d"):
            jit(f)(np.arange(3.0))
    check(of_its_own, np.arange(3.0))


@pytest.mark.parametrize("use", [len, list, lambda p: 1.0 in p, lambda p: p.set], ids=["len", "list", "in", "none"])
def test_what_objects_do_not_do(use):
    with pytest.raises((UnsupportedOperationError, AttributeError), match="poly1d"):
        jit(lambda x: use(np.poly1d(x)))(np.arange(3.0))


def test_series_are_no_calls_of_the_host():
    def values(x, c):
        return np.polynomial.chebyshev.chebval(x, c) + laguerre.lagval(0.5, c)

    x = np.linspace(-1, 1, 50)
    assert jit(values).lower(x, VECTOR).native_program() is not None
    assert not jit(values).lower(x, VECTOR).callbacks
    check(values, x, VECTOR)
    check(lambda c: laguerre.lagval(0.5, c), np.ones(200))  # so many are not written out


def test_functions_of_the_same_name():
    @host(result=np.zeros(3))
    def chebval(x, c):
        return np.array([float(x[0].item()), *c.tolist()[:2]])

    check(lambda x, c: chebval(x, c) + x[:3], VECTOR, VECTOR)

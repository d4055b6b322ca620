"""The ufuncs of `scipy.special` in compiled functions: SciPy's own results, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from anabranch import UnsupportedOperationError, jit
from anabranch.runtime.host.library_ufuncs import loop_of, named
from tests.equivalence import check, same
from tests.program_table import Program, Table

case = Table()
X = np.linspace(0.1, 2.0, 8)


@case((X,), (X.astype(np.float32),), (X.reshape(2, 4),), (2.5,), (3,), (np.float32(1.5),), (np.arange(1, 5),))
def of_one_argument(x):
    return (
        special.erf(x), special.erfc(x), special.gamma(x), special.gammaln(x), special.digamma(x), special.expit(x),
        special.logit(x / 4), special.j0(x), special.ndtr(x), special.ndtri(x / 4), special.i0(x), special.k1(x),
    )  # fmt: skip


@case((X, 2.0), (X, X[:, None]), (1.5, 2.0), (3, 2), (X, np.float32(2.0)))
def of_two_arguments(x, y):
    return (
        special.beta(x, y), special.betaln(x, y), special.jv(y, x), special.xlogy(x, y), special.gammainc(x, y),
        special.binom(x, y), special.rel_entr(x, y), special.zeta(x + 1.0, y),
    )  # fmt: skip


@case((X,), (0.5,))
def of_several_results(x):
    ai, aip, bi, bip = special.airy(x)
    sn, *others = special.ellipj(x, 0.3)
    return ai, aip, bi, bip, sn, others, special.fresnel(x)[1]


@case((X,), (X + 1j,), (1.0 + 2.0j,))
def of_complex_numbers(x):
    return special.wofz(x), special.hankel1(1, x), special.erf(x), special.gamma(x)


@case((X,))
def of_the_same_name_as_numpys(x):
    return special.exp2(x), special.expm1(x), special.log1p(x), special.cbrt(x), np.exp2(x), np.cbrt(x)


@case((X,), (np.zeros(0),))
def into_an_array(x):
    out = np.ones_like(x)
    special.erf(x, out=out)
    special.gamma(x, out, where=x > 1)
    return out, special.xlogy.outer(x, x[:2]), special.erf([0.5, x.sum()])


@case((X,), (X - 1,))
def of_a_size_known_at_run_time(x):
    return special.erf(x[x > 1]), special.beta(x[x > 0.5], 2.0)


@case((X, 5), (X, 0))
def in_a_loop(x, n):
    total = 0.0
    for i in range(n):
        if x[i] > 0.3:
            total += special.erf(x[i]) * special.jv(2, x[i]) + special.airy(x[i])[2]
    return total


@case((X,))
def of_no_loop(x):
    return special.erf(x, dtype=int)


@case(((np.arange(3.0), np.arange(4.0)),))
def of_shapes_that_do_not_fit(pair):
    return special.beta(*pair)


@pytest.mark.parametrize("program", case.programs)
def test_program(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("native", [True, False])
def test_the_last_bit_is_scipys(native):
    def f(x):
        made = np.empty((3, len(x)))
        for i in range(len(x)):
            made[0, i] = special.gamma(x[i])
            made[1, i] = special.jv(1.5, x[i])
        made[2] = special.betainc(1.5, 2.0, x / 3)
        return made

    same(f(X).tobytes(), jit(f, native_loops=native)(X).tobytes())


def test_loops_are_called_from_machine_code():
    def f(x):
        total = 0.0
        for value in x:
            total += special.erf(value)
        return total

    assert "not machine code" not in str(jit(f, native_loops=True).explain(X))
    assert all(loop_of(named(u), [np.dtype(float)] * (u.nin + 1)) is not None for u in (special.erf, special.beta))


def test_each_ufunc_has_a_name_or_is_called_on_the_host():
    ufuncs = {name: u for name, u in vars(special).items() if isinstance(u, np.ufunc)}
    assert all(named(u) is not None for u in ufuncs.values() if u.signature is None)
    assert named(np.exp2) is None


def test_reductions_are_refused():
    with pytest.raises(UnsupportedOperationError, match=r"^scipy\.special\.xlogy\.reduce is not supported"):
        jit(lambda x: special.xlogy.reduce(x))(X)


def test_it_is_saved_and_found_again():
    def f(x):
        total = 0.0
        for value in x:
            total += special.jv(1.0, value)
        return total

    compiled = jit(f).lower(X).compile()
    again = type(compiled).deserialize(compiled.serialize())
    assert again(X) == f(X)


def test_settings_forbid_none_of_them():
    check(lambda x: special.erf(x), X)
    assert jit(lambda x: special.erf(x), host_calls=False)(0.5) == special.erf(0.5)

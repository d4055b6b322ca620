"""Functions of SciPy that are not compiled, with values known only at run time: they are called on the host."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy import integrate, interpolate, linalg, optimize, signal, sparse, spatial, special, stats

import anabranch
from anabranch import UnsupportedOperationError, jit
from tests.equivalence import Outcome, alike, check
from tests.program_table import Program, Table

case = Table()
X = np.linspace(0.1, 2.0, 8)
TARGET = np.array([1.0, 2.0])
SEEN = []


@case((X,), (X * 2,), (X.reshape(2, 4),))
def numbers_and_arrays(x):
    return special.logsumexp(x), special.softmax(x, axis=-1), stats.norm.cdf(x), stats.norm.ppf(x / 4, 1.0, scale=2)


@case((np.eye(3) * 2 + 1, np.ones(3)))
def tuples_of_arrays(a, b):
    p, lower, upper = linalg.lu(a)
    return linalg.solve(a, b), p @ lower @ upper, linalg.expm(a), linalg.eigh(a)[0], linalg.lstsq(a, b)[2]


@case((X, 5), (X, 0), (-X, 5))
def in_loops_and_branches(x, n):
    total = 0.0
    for i in range(n):
        total += special.logsumexp(x * i)
        if total > 8:
            total -= stats.norm.cdf(total)
    return total


@case((X, True), (X, False))
def under_a_condition(x, chosen):
    if chosen and x[0] > 0:
        return stats.zscore(x)
    return special.softmax(x)


@case((np.array([3.0, 1, 2, 5, 1, 7, 2]),), (np.array([3.0, 1, 2, 5, 1, 2, 2]),), (np.arange(7.0),))
def of_several_sizes(x):
    peaks, _ = signal.find_peaks(x)
    return peaks, x[peaks], len(peaks)


@case((np.array([1.0, 0.0]), 1.0), (np.array([1.0, 0.0]), 20.0), (np.array([1.0, 0.0]), 2.0))
def an_equation_over_time(y, end):
    found = integrate.solve_ivp(lambda t, y: np.array([y[1], -y[0]]), (0, end), y)
    return found.t, found.y[:, -1], found.nfev, found.success


@case((np.eye(2),), (np.zeros((2, 2)),), (-np.eye(2),))
def an_exception_that_is_caught(a):
    kind = 0
    try:
        made = linalg.cholesky(a)
    except ZeroDivisionError:
        made, kind = a, 1
    except np.linalg.LinAlgError:
        made, kind = a + 1, 2
    finally:
        a[0, 0] = 7
    return made, kind


@case((4.0,), (-1.0,), (9.0,))
def a_function_over_a_number(a):
    return optimize.brentq(lambda t: t * t - a, 0, 10)


@case((TARGET, np.array([3.0, 4.0])))
def functions_over_arrays(x, target):
    def loss(v):
        return ((v - target) ** 2).sum()

    def slope(v):
        return 2 * (v - target)

    found = optimize.minimize(loss, x, jac=slope, method="BFGS")
    return found.x, found.fun, found["nit"], found.success, "x" in found


def residual(v):
    return v - TARGET


@case((np.zeros(2),))
def a_function_over_globals(x):
    return optimize.root(lambda v: residual(v) * 2, x).x + TARGET, optimize.fsolve(residual, x)


class Decay:
    def __init__(self, rate):
        self.rate = rate

    def slope(self, t, y):
        return -self.rate * y


@case((2.0,), (3.0,))
def a_method(rate):
    return integrate.solve_ivp(Decay(rate).slope, (0, 1), [1.0], t_eval=[0.5, 1.0]).y


@case((X,))
def passed_on(x):
    along = functools.partial(special.logsumexp, axis=0)
    return along(x), list(map(special.logsumexp, [x, x * 2]))


@case((X, 1.0), (X * 2, 0.5))
def objects_made_of_values(x, t):
    spline = interpolate.CubicSpline(x, np.sin(x))
    law = stats.norm(x[0], x[1])
    total = 0.0
    for value in x:
        total += spline(value) * spline.derivative()(t)
    return total, spline(t, 1), spline.integrate(0.2, 0.9), law.cdf(x), law.mean()


@case((np.array([[1.0, 2.0], [3.0, 4.0]]),))
def objects_under_a_condition(points):
    tree = spatial.KDTree(points)
    if points[0, 0] > 0:
        return tree.query(points + 0.1)
    return tree.query(points)


@case((X,))
def polynomials_of_numpy(x):
    fitted = Polynomial.fit(x, x**2, 2).convert()
    own = Polynomial([x[0], x[1]])
    np.testing.assert_allclose(x, x)
    return np.polynomial.polynomial.polyval(x, [1.0, 2.0]), fitted.coef, own(x), (2 * own + x[2])(0.5), own.deriv()(1)


@case((X,), (X + 1,))
def operators_of_sparse_matrices(x):
    matrix = sparse.csr_matrix(np.diag(x))
    return matrix @ x, x @ matrix, (x[0] * matrix).sum(), (matrix - matrix * 0.5).toarray(), (-matrix)[1, 1]


@case((X,))
def named_tuples(x):
    found = stats.ttest_1samp(x, 0.5)
    statistic, chance = stats.ttest_1samp(x, 0.4)
    return found.statistic, found.df, found[1], len(found), statistic, chance, stats.linregress(x, x**2).slope


@case((TARGET, 100), (TARGET, 1))
def texts(x, most):
    found = optimize.minimize(lambda v: (v**2).sum(), x, options={"maxiter": most})
    print(found.message, most)
    if not found.success:
        raise RuntimeError(f"{found.message} after {found.nit}")
    return found.message, found.message.upper(), f"{found.message:.10}"


@case((TARGET,))
def whole_records(x):
    return [optimize.root(lambda v: v - x, x * k) for k in range(2)]


@case((X,))
def arguments_that_do_not_fit(x):
    return stats.zscore(x, unknown=1)


@case((TARGET,))
def results_are_new_arrays(x):
    found = optimize.root(lambda v: v - x, x * 0)
    found.x[0] = 9
    return found.x, x


@pytest.mark.parametrize("program", case.programs)
def test_program(program: Program) -> None:
    program.check()


def test_an_exception_is_raised():
    def f(a):
        return linalg.inv(a)

    compiled = jit(f)
    for a in (np.eye(2), np.zeros((2, 2)), np.eye(2) * 3):
        alike(Outcome(f, (a,), {}), Outcome(compiled, (a,), {}))


def test_arrays_of_a_result_may_share_memory():
    def f(x):
        found = optimize.minimize(lambda v: ((v - x) ** 2).sum(), np.zeros(2), method="Nelder-Mead")
        return found.x, found.final_simplex[0].sum()

    def g(x):
        found = optimize.minimize(lambda v: ((v - x) ** 2).sum(), np.zeros(2), method="Nelder-Mead")
        found.x[0] = 1
        return found.final_simplex[0]

    alike(Outcome(f, (TARGET,), {}), Outcome(jit(f), (TARGET,), {}))
    with pytest.raises(UnsupportedOperationError, match="shares memory with another one"):
        jit(g)(TARGET)


def append_each(x):
    seen = []
    optimize.minimize(lambda v: (v**2).sum(), x, callback=lambda v: seen.append(v))
    return len(seen)


def count_each(x):
    SEEN.clear()
    return optimize.minimize(lambda v: (SEEN.append(1), (v**2).sum())[1], x).x


def write_to_an_attribute(x):
    spline = interpolate.CubicSpline(np.arange(2.0), x)
    spline.c[0] = 3
    return spline(0.5)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x: optimize.minimize(lambda v: (v**2).sum(), x, method="L-BFGS-B"), "returns an OptimizeResult"),
        (lambda x: optimize.minimize(lambda v: (v**2).sum(), x, method="L-BFGS-B").hess_inv, "hess_inv of an Opt"),
        (lambda x: linalg.inv(np.diag(x).T, overwrite_a=True), "changes an argument"),
        (append_each, "changes an argument, or what a function"),
        (count_each, "changes an argument, or what a function"),
        (write_to_an_attribute, "the attribute c of a CubicSpline is written to"),
        (lambda x: stats.norm.rvs(x), "draws from a global generator"),
        (lambda x: stats.norm.rvs(size=3) + x[0], "draws from a global generator"),
        (lambda x: stats.gaussian_kde(x).resample(3), "may change the object"),
    ],
)
def test_refused(function, said):
    for _ in range(2):
        got = Outcome(jit(function), (np.array([1.0, 2.0]),), {})
        assert isinstance(got.error, UnsupportedOperationError), got.value
        with pytest.raises(UnsupportedOperationError, match=said):
            raise got.error


def test_a_generator_that_the_function_has_the_state_of_is_refused():
    def drawn(rng, x):
        return stats.norm.rvs(x, random_state=rng)

    def closed_over(rng, x):
        return integrate.quad(lambda t: t + rng.random(), 0, x)[0]

    for function in (drawn, closed_over):
        with pytest.raises(UnsupportedOperationError, match="generator of random numbers"):
            jit(function)(np.random.default_rng(0), 1.0)


def test_the_state_of_a_generator_stays():
    np.random.seed(3)
    want = np.random.random()
    np.random.seed(3)
    with pytest.raises(UnsupportedOperationError):
        jit(lambda x: stats.norm.rvs(x))(1.0)
    assert np.random.random() == want


def test_without_a_call_it_is_tried_with_other_values():
    compiled = jit(lambda x: special.logsumexp(x)).lower(anabranch.ShapeDtypeStruct((3,), float)).compile()
    assert compiled(np.ones(3)) == special.logsumexp(np.ones(3))
    with pytest.raises(anabranch.SerializationError, match="calls a host function"):
        compiled.serialize()


def test_settings_forbid_it():
    with pytest.raises(anabranch.AnabranchError, match=r"^scipy\.special\.logsumexp is not compiled.*@anabranch\.host"):
        jit(lambda x: special.logsumexp(x), host_calls=False)(X)


def test_it_is_explained():
    said = str(jit(lambda x: special.logsumexp(x)).explain(X))
    assert "Called on the host" in said
    assert "scipy.special.logsumexp: called on the host" in said


def test_the_same_without_machine_code_and_on_the_device():
    def f(x):
        total = 0.0
        for i in range(len(x)):
            total += special.logsumexp(x[i:])
        return total

    want = Outcome(f, (X,), {})
    alike(want, Outcome(jit(f, native_loops=False), (X,), {}))
    assert float(jit(f)(anabranch.asarray(X))) == want.value
    check(f, X)


def test_arrays_that_an_object_holds_are_not_written():
    def tree(x):
        found = spatial.cKDTree(x)
        x[0] = 9.0
        return found.query([0.5, 0.5])[0]

    def pieces(x):
        found = interpolate.PPoly(x, np.arange(3.0))
        x[0] = 9.0
        return found(0.5)

    def grid(x):
        found = interpolate.RegularGridInterpolator((np.arange(2.0), np.arange(2.0)), x)
        x[0] = 9.0
        return found([0.5, 0.5])

    def copied(x):
        found = spatial.cKDTree(x.copy())
        x[0] = 9.0
        return found.query([0.5, 0.5])[0]

    for f in (tree, pieces, grid):
        with pytest.raises(UnsupportedOperationError, match="has made an object of"):
            jit(f)(np.eye(2))
    check(copied, np.eye(2))


def test_the_memory_of_bytes_is_not_copied():
    @anabranch.host
    def of_memory(data):
        return np.frombuffer(data, np.uint8)

    def by_host(data):
        made = of_memory(data)
        data[0] = 9
        return made

    def by_numpy(data):
        made = np.atleast_1d(data)
        made[0] = 9
        return data[0]

    for f in (by_host, by_numpy):
        with pytest.raises(UnsupportedOperationError, match=r"returns an argument|of a bytearray"):
            jit(f)(bytearray(b"abc"))

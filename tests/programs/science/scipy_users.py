"""Programs that call SciPy."""

from __future__ import annotations

import math

import numpy as np
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg
import scipy.spatial
import scipy.special
import scipy.stats

from tests.programs.science.table import program


@program(lambda: (100.0, np.array([90.0, 100.0, 110.0]), 1.0, 0.03, 0.2))
def black_scholes_norm_cdf(s, k, t, r, sigma):
    d1 = (np.log(s / k) + (r + 0.5 * sigma**2) * t) / (sigma * np.sqrt(t))
    d2 = d1 - sigma * np.sqrt(t)
    return s * scipy.stats.norm.cdf(d1) - k * np.exp(-r * t) * scipy.stats.norm.cdf(d2)


@program(lambda: (np.linspace(-2, 2, 9),))
def error_functions(x):
    total = 0.0
    for v in x:
        if v < 0:
            total += scipy.special.erfc(v)
        else:
            total += scipy.special.erf(v)
    return total, scipy.special.erf(x), scipy.special.ndtr(x)


@program(lambda: (np.linspace(0.5, 5, 8), 3))
def gamma_functions(x, n):
    log_binomial = scipy.special.gammaln(n + x + 1) - scipy.special.gammaln(x + 1) - scipy.special.gammaln(n + 1)
    return np.exp(log_binomial), scipy.special.gamma(x), scipy.special.digamma(x)


@program(lambda: (np.linspace(0, 10, 12),))
def bessel_diffraction(x):
    out = np.empty_like(x)
    for i, v in enumerate(x):
        out[i] = 1.0 if v == 0 else (2 * scipy.special.j1(v) / v) ** 2
    return out


@program(lambda: (np.array([1000.0, 1001.0, 999.5]),))
def stable_softmax(scores):
    log_z = scipy.special.logsumexp(scores)
    return log_z, scipy.special.softmax(scores), scipy.special.expit(scores - log_z), scipy.special.xlogy(scores, 2.0)


@program(lambda: (0.2, 1.1), lambda: (0.6, 2.0))
def kepler_equation(e, mean_anomaly):
    def f(x):
        return x - e * math.sin(x) - mean_anomaly

    root = scipy.optimize.brentq(f, 0.0, 2 * math.pi)
    newton = scipy.optimize.newton(f, mean_anomaly)
    return round(root, 9), round(newton, 9)


@program(lambda: (np.array([-1.2, 1.0]),))
def minimise_rosenbrock(x0):
    def cost(x):
        return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2

    result = scipy.optimize.minimize(cost, x0, method="Nelder-Mead", options={"maxiter": 60})
    return np.round(result.x, 4), result.nit


@program(lambda: (np.linspace(0, 4, 15), 3 * np.exp(-1.2 * np.linspace(0, 4, 15)) + 0.2))
def fit_decay(t, y):
    def model(t, a, k, c):
        return a * np.exp(-k * t) + c

    parameters, covariance = scipy.optimize.curve_fit(model, t, y, p0=[1.0, 1.0, 0.0])
    return np.round(parameters, 5), covariance.shape


@program(lambda: (2.0,), lambda: (0.5,))
def integrate_planck(a):
    total = 0.0
    for low, high in ((1e-3, 1.0), (1.0, 5.0)):
        value, _ = scipy.integrate.quad(lambda x: x**3 / (math.exp(a * x) - 1), low, high)
        total += value
    return total


@program(lambda: (np.array([10.0, 5.0]), 3.0))
def solve_lotka_volterra(y0, t_end):
    def rhs(t, y):
        return [1.1 * y[0] - 0.4 * y[0] * y[1], 0.1 * y[0] * y[1] - 0.4 * y[1]]

    solution = scipy.integrate.solve_ivp(rhs, (0, t_end), y0, t_eval=np.linspace(0, t_end, 7), rtol=1e-6)
    return solution.y, solution.success


@program(lambda: (np.linspace(0, 3, 13),))
def trapezoid_and_simpson(x):
    y = np.exp(-x) * np.sin(x)
    return scipy.integrate.trapezoid(y, x), scipy.integrate.simpson(y, x=x), scipy.integrate.cumulative_trapezoid(y, x)


@program(lambda: (np.linspace(0, 5, 8), np.array([0.3, 2.2, 4.9])))
def cubic_spline(x, query):
    spline = scipy.interpolate.CubicSpline(x, np.sin(x))
    return spline(query), spline(query, 1)


@program(lambda: (np.linspace(0, 5, 8), np.array([-1.0, 0.3, 2.2, 4.9, 7.0])))
def interp1d_with_limits(x, query):
    f = scipy.interpolate.interp1d(x, np.cos(x), bounds_error=False, fill_value=0.0)
    return f(query)


@program(lambda: (np.random.default_rng(0).normal(1, 1, 12), np.random.default_rng(1).normal(0, 1, 12)))
def compare_groups(a, b):
    t = scipy.stats.ttest_ind(a, b)
    r, p = scipy.stats.pearsonr(a, b)
    if t.pvalue < 0.05:
        return "different", t.statistic, r
    return "same", t.statistic, p


@program(lambda: (np.array([3.0, 1.0, 4.0, 1.0, 5.0]),))
def rank_and_describe(x):
    return scipy.stats.rankdata(x), scipy.stats.zscore(x), scipy.stats.skew(x), scipy.stats.iqr(x)


@program(lambda: (np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]]), np.array([1.0, 2.0, 3.0])))
def solve_with_factors(a, b):
    c = scipy.linalg.cho_factor(a)
    x = scipy.linalg.cho_solve(c, b)
    p, low, up = scipy.linalg.lu(a)
    return x, scipy.linalg.solve_triangular(up, scipy.linalg.solve_triangular(low, p.T @ b, lower=True))


@program(lambda: (np.array([[-1.0, 1.0], [0.5, -0.5]]), 3))
def matrix_exponential(q, steps):
    p = np.array([1.0, 0.0])
    out = []
    for k in range(steps):
        out.append(p @ scipy.linalg.expm(q * k))
    return out


@program(lambda: (np.sin(np.arange(40) / 3) + np.cos(np.arange(40)) / 5,))
def butterworth_low_pass(x):
    b, a = scipy.signal.butter(2, 0.3)
    y = scipy.signal.lfilter(b, a, x)
    peaks, _ = scipy.signal.find_peaks(y)
    return y, peaks


@program(lambda: (np.sin(np.arange(30) / 3),))
def smooth_and_convolve(x):
    smooth = scipy.signal.savgol_filter(x, 7, 2)
    return smooth, scipy.signal.fftconvolve(x, np.ones(5) / 5, mode="same"), scipy.signal.detrend(x)


@program(lambda: (np.random.default_rng(2).random((10, 10)),))
def label_blobs(image):
    smooth = scipy.ndimage.gaussian_filter(image, 1.0)
    labels, n = scipy.ndimage.label(smooth > smooth.mean())
    return n, labels, scipy.ndimage.binary_erosion(smooth > 0.4)


@program(lambda: (np.random.default_rng(3).random((10, 2)),))
def nearest_neighbours(points):
    tree = scipy.spatial.cKDTree(points)
    distance, index = tree.query(points, k=2)
    hull = scipy.spatial.ConvexHull(points)
    return distance[:, 1], index[:, 1], hull.volume


@program(lambda: (np.random.default_rng(4).random((5, 3)),))
def pairwise_distances(points):
    full = scipy.spatial.distance.cdist(points, points)
    return (
        full,
        scipy.spatial.distance.pdist(points, "cityblock"),
        scipy.spatial.distance.squareform(full, checks=False),
    )


@program(lambda: (6,), lambda: (9,))
def sparse_poisson(n):
    main, off = 2 * np.ones(n), -np.ones(n - 1)
    a = scipy.sparse.diags([off, main, off], [-1, 0, 1], format="csc")
    return scipy.sparse.linalg.spsolve(a, np.ones(n))

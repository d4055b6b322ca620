"""Programs that call SciPy's functions with values known only at run time; the page on SciPy is made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import (
    cluster,
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    spatial,
    special,
    stats,
)

X = np.linspace(0.1, 2.0, 8)
Y = np.array([0.3, 1.2, 0.7, 2.2, 1.9, 0.1, 0.8, 1.5])
A = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
B = np.array([1.0, 2.0, 3.0])
POINTS = np.array([[0.0, 0.0], [1.0, 0.2], [0.3, 1.1], [1.4, 1.3], [0.6, 0.5]])
IMAGE = np.arange(25.0).reshape(5, 5) % 7


def of_clusters(points):
    tree = cluster.hierarchy.linkage(points)
    return tree, cluster.hierarchy.fcluster(tree, 0.9), cluster.vq.whiten(points), cluster.vq.vq(points, points[:2])


def of_transforms(x):
    return (
        fft.fft(x),
        fft.ifft(x),
        fft.rfft(x),
        fft.irfft(x),
        fft.dct(x),
        fft.idct(x),
        fft.dst(x),
        fft.fft2(x[None]),
        fft.fftn(x),
        fft.fftshift(x),
    )


def of_integrals(y, end):
    return (
        integrate.trapezoid(y),
        integrate.simpson(y),
        integrate.cumulative_trapezoid(y),
        integrate.quad(lambda t: np.exp(-t * end), 0, end),
        integrate.dblquad(lambda s, t: s * t, 0, end, 0, 1)[0],
        integrate.odeint(lambda y, t: -y * end, y[:2], np.linspace(0, 1, 3)),
        integrate.solve_ivp(lambda t, y: -y * end, (0, 1), y[:2], t_eval=[0.5, 1.0]).y,
    )


def of_interpolation(x, y):
    spline = interpolate.CubicSpline(x, y)
    return (
        spline(0.5),
        interpolate.PchipInterpolator(x, y)(x),
        interpolate.Akima1DInterpolator(x, y)(0.7),
        interpolate.interp1d(x, y)(0.9),
        interpolate.make_interp_spline(x, y)(x),
        interpolate.barycentric_interpolate(x, y, 0.4),
        interpolate.splev(0.5, interpolate.splrep(np.arange(8.0), np.arange(8.0) ** 2)),
        interpolate.griddata(x, y, x[:3] + 0.01),
        interpolate.RegularGridInterpolator((x,), y)(x[:2, None]),
        interpolate.RBFInterpolator(x[:, None], y)(x[:2, None]),
    )


def of_matrices(a, b):
    factors = linalg.lu_factor(a)
    return (
        linalg.solve(a, b),
        linalg.inv(a),
        linalg.det(a),
        linalg.pinv(a),
        linalg.norm(a),
        linalg.lstsq(a, b)[0],
        linalg.eig(a)[0],
        linalg.eigh(a),
        linalg.eigvals(a),
        linalg.eigvalsh(a),
        linalg.svd(a)[1],
        linalg.svdvals(a),
        linalg.qr(a),
        linalg.lu(a),
        linalg.lu_solve(factors, b),
        linalg.cholesky(a),
        linalg.cho_factor(a)[0],
        linalg.schur(a)[0],
        linalg.hessenberg(a),
        linalg.expm(a),
        linalg.sqrtm(a),
        linalg.toeplitz(b),
        linalg.block_diag(a, b),
        linalg.solve_triangular(a, b),
        linalg.solve_sylvester(a, a, a),
        linalg.null_space(a[:2]),
    )


def of_images(image):
    return (
        ndimage.gaussian_filter(image, 1.0),
        ndimage.uniform_filter(image),
        ndimage.median_filter(image, 3),
        ndimage.convolve(image, np.ones((3, 3))),
        ndimage.correlate1d(image, [1.0, 2.0]),
        ndimage.sobel(image),
        ndimage.label(image > 3),
        ndimage.center_of_mass(image),
        ndimage.binary_erosion(image > 1),
        ndimage.rotate(image, 30),
        ndimage.distance_transform_edt(image > 2),
        ndimage.zoom(image, 2),
        ndimage.shift(image, 1),
        ndimage.map_coordinates(image, [[1.0], [2.0]]),
    )


def of_optima(x, target):
    return (
        optimize.minimize(lambda v: ((v - target) ** 2).sum(), x[:2]).x,
        optimize.minimize_scalar(lambda t: (t - target) ** 2).x,
        optimize.brentq(lambda t: t - target, 0, 10),
        optimize.bisect(lambda t: t - target, 0, 10),
        optimize.newton(lambda t: t - target, 1.0),
        optimize.root_scalar(lambda t: t - target, bracket=[0, 10]).root,
        optimize.root(lambda v: v - target, x[:2]).x,
        optimize.fsolve(lambda v: v - target, x[:2]),
        optimize.least_squares(lambda v: v - target, x[:2]).x,
        optimize.curve_fit(lambda t, k: k * t, x, x * target)[0],
        optimize.linear_sum_assignment(x.reshape(2, 4)),
        optimize.nnls(x.reshape(4, 2), x[:4])[0],
        optimize.linprog(x[:2], bounds=[(1, 2), (1, 3)]).x,
        optimize.approx_fprime(x[:2], lambda v: (v**2).sum()),
    )


def of_signals(x):
    b, a = signal.butter(2, 0.3)
    return (
        signal.lfilter(b, a, x),
        signal.filtfilt(b, a, np.tile(x, 3)),
        signal.savgol_filter(x, 5, 2),
        signal.convolve(x, x),
        signal.fftconvolve(x, x),
        signal.correlate(x, x),
        signal.find_peaks(x)[0],
        signal.detrend(x),
        signal.hilbert(x),
        signal.welch(np.tile(x, 40))[1],
        signal.resample(x, 5),
        signal.decimate(np.tile(x, 8), 2),
        signal.medfilt(x),
        signal.peak_prominences(x, [3])[0],
        signal.sosfilt(signal.butter(2, 0.3, output="sos"), x),
    )


def of_space(points):
    tree = spatial.KDTree(points)
    return (
        tree.query(points + 0.1),
        spatial.distance.cdist(points, points),
        spatial.distance.pdist(points),
        spatial.distance.euclidean(points[0], points[1]),
        spatial.distance.squareform(spatial.distance.pdist(points)),
        spatial.ConvexHull(points).volume,
        spatial.Delaunay(points).simplices,
        spatial.distance_matrix(points, points),
        spatial.procrustes(points, points * 2)[2],
    )


def of_sparse_matrices(x):
    matrix = sparse.csr_matrix(np.diag(x) + 1)
    return (
        matrix @ x,
        (matrix * 2).toarray(),
        (matrix + matrix)[0, 0],
        matrix.sum(),
        matrix.nnz,
        sparse.linalg.spsolve(matrix.tocsc(), x),
        sparse.linalg.norm(matrix),
        sparse.csgraph.connected_components(matrix)[0],
    )


def of_special_functions(x):
    return (
        special.logsumexp(x),
        special.softmax(x),
        special.log_softmax(x),
        special.comb(5, x),
        special.factorial(3),
        special.perm(5, x),
        special.polygamma(1, x),
        special.sph_harm_y(1, 2, x, x),
        special.jn_zeros(1, 3) + x[0],
        special.eval_legendre(3, x),
        special.multigammaln(x + 2, 2),
        special.binom(x, 2),
        special.factorial2(5) + x,
    )


def of_statistics(x, y):
    law = stats.gamma(x[0] + 1, scale=y[0])
    return (
        stats.norm.cdf(x),
        stats.norm.pdf(x, 1.0, 2.0),
        stats.norm.ppf(x / 3),
        stats.norm.logpdf(x),
        stats.t.sf(x, 3),
        stats.poisson.pmf(2, x),
        stats.norm.fit(x),
        law.pdf(y),
        law.mean(),
        stats.ttest_ind(x, y).pvalue,
        stats.ttest_1samp(x, 1.0).statistic,
        stats.pearsonr(x, y)[0],
        stats.spearmanr(x, y)[0],
        stats.kendalltau(x, y)[0],
        stats.linregress(x, y).slope,
        stats.ks_2samp(x, y)[1],
        stats.mannwhitneyu(x, y)[1],
        stats.zscore(x),
        stats.skew(x),
        stats.kurtosis(x),
        stats.describe(x).mean,
        stats.iqr(x),
        stats.entropy(x),
        stats.gaussian_kde(x)(y),
        stats.rankdata(y),
        stats.trim_mean(x, 0.1),
        stats.sem(x),
        stats.mode(y).mode,
        stats.multivariate_normal.pdf(x[:2]),
    )


PROGRAMS: dict[Callable[..., Any], tuple[Any, ...]] = {
    of_clusters: (POINTS,),
    of_transforms: (X,),
    of_integrals: (Y, 1.5),
    of_interpolation: (X, Y),
    of_matrices: (A, B),
    of_images: (IMAGE,),
    of_optima: (X, 1.5),
    of_signals: (Y,),
    of_space: (POINTS,),
    of_sparse_matrices: (X,),
    of_special_functions: (X,),
    of_statistics: (X, Y),
}

# What is refused, and why.
REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a result with other objects among its fields, as a whole: `return minimize(f, x, method='L-BFGS-B')`": (
        lambda x: optimize.minimize(lambda v: (v**2).sum(), x, method="L-BFGS-B"),
        "return those of its fields that are needed",
    ),
    "a function that changes its argument: `inv(a.T, overwrite_a=True)`": (
        lambda x: linalg.inv(np.diag(x).T, overwrite_a=True),
        "compiled code would not see the change",
    ),
    "a callback that changes what it closes over, or a global": (
        lambda x: _with_callback(x),
        "the number of its calls would show, and one more is made while tracing",
    ),
    "random numbers of the global generators: `norm.rvs(size=3)`": (
        lambda x: stats.norm.rvs(x),
        "the call while tracing would draw, too",
    ),
}


def _with_callback(x):
    seen = []
    optimize.minimize(lambda v: (v**2).sum(), x, callback=lambda v: seen.append(v))
    return len(seen)

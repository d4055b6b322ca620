"""How each staged function of NumPy is called in the property test: its name, and how to draw its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from property_tests.numpy_arguments import Arguments, Given, shape_of

Call = tuple[list[Any], dict[str, Any]]
Maker = Callable[[Arguments, Any], Call]
CALLS: dict[str, Maker] = {}


def calls(names: str, prefix: str = "numpy.") -> Callable[[Maker], Maker]:
    """Say how functions are called."""

    def register(maker: Maker) -> Maker:
        CALLS.update(dict.fromkeys((prefix + name for name in names.split()), maker))
        return maker

    return register


def one_array(kinds: str = "biufc", low: int = 0, high: int = 3, without: str = "", special: bool = True) -> Maker:
    """An array, and keywords."""

    def maker(make: Arguments, function: Any) -> Call:
        first = make.array(kinds, low, high, special=special)
        return [first], make.keywords(function, first, without)

    return maker


def several(count: int, kinds: str = "biufc", without: str = "", special: bool = True) -> Maker:
    """Operands that broadcast, and keywords."""

    def maker(make: Arguments, function: Any) -> Call:
        operands = make.operands(count, kinds, special)
        return list(operands), make.keywords(function, operands[0], without)

    return maker


def single_axis(kinds: str = "biufc", low: int = 0, without: str = "") -> Maker:
    """An array, and one axis at most."""

    def maker(make: Arguments, function: Any) -> Call:
        first = make.array(kinds, low)
        ndim = len(shape_of(first))
        return [first], make.keywords(function, first, without, axis=lambda: make.axis(ndim))

    return maker


# Complex products and quotients of infinities differ in detail, so they are left to tests of their own.
calls("sum any all count_nonzero nansum max min amax amin nanmax nanmin ptp mean nanmean")(one_array())
calls("prod nanprod")(one_array("biuf"))
calls("std var nanstd nanvar")(one_array("biufc", without="dtype where"))
calls("median nanmedian")(single_axis("iuf"))
calls("cumsum nancumsum argmax argmin nanargmax nanargmin cumulative_sum")(single_axis())
calls("cumprod nancumprod cumulative_prod")(single_axis("biuf"))
calls("sort argsort")(single_axis("biuf", without="order"))
calls("partition argpartition")(lambda make, f: (lambda a: ([a, make.one(0, 1, -1)], {}))(make.array("iuf", 1)))
calls("round around")(one_array("iufc"))
calls("fix isposinf isneginf")(one_array("iuf"))
calls("real imag iscomplex isreal iscomplexobj isrealobj angle nan_to_num isscalar iterable ndim shape")(
    one_array(without="copy")
)
calls("isfortran")(one_array())
calls("real_if_close asarray_chkfinite")(one_array("iuf", special=False))
calls("sinc i0")(one_array("if", 1, special=False))
calls("unwrap")(
    lambda make, f: (
        [make.array("iuf", 1, special=False)],
        {"period": make.one(4, 7, 2.5, 300), "axis": make.one(0, -1)},
    )
)
calls("copy ravel array asarray asanyarray ascontiguousarray asfortranarray require")(one_array(without="copy"))
calls("zeros_like ones_like empty_like atleast_1d atleast_2d atleast_3d")(one_array(without="shape"))
calls("diag diagflat tril triu tril_indices_from triu_indices_from")(one_array())
calls("diag_indices_from")(lambda make, f: ([make.array(shape=(make.one(2, 3),) * 2)], {}))
calls("diagonal trace")(one_array("biufc", 2))
calls("transpose matrix_transpose flipud fliplr flip squeeze rot90 sort_complex")(one_array())
calls("size")(single_axis())
calls("diff")(single_axis("iufc"))
calls("ediff1d")(one_array("if"))
calls("gradient")(single_axis("f"))
calls("trapezoid trapz")(single_axis("if"))
calls("packbits")(single_axis("biu"))
calls("unpackbits")(lambda make, f: ([Given(make.values.integers(0, 256, make.shape(1)).astype("u1"))], {}))
calls("vander")(one_array("iuf", 1, 1, special=False))
calls("corrcoef cov")(one_array("if", 1, 2, special=False, without="dtype ddof"))
calls("min_scalar_type")(one_array(low=1))
calls("isclose allclose array_equal array_equiv may_share_memory shares_memory result_type common_type")(
    several(2, "iuf")
)
calls("broadcast_arrays")(lambda make, f: (list(make.operands(2)), {}))
calls("meshgrid")(lambda make, f: ([make.array(low=1, high=1) for _ in range(make.one(1, 2, 3))], {}))
calls("ix_")(lambda make, f: ([make.array("iu", 1, 1) for _ in range(2)], {}))
calls("average")(one_array("iuf", special=False))


@calls("quantile percentile nanquantile nanpercentile")
def quantiles(make: Arguments, function: Any) -> Call:
    first = make.array("iuf", 1)
    most = 1 if "quantile" in function.__name__ else 100
    level = make.one(0.3 * most, Given(0.7 * most), Given(np.array([0, 0.25, 1]) * most))
    methods = "linear lower higher nearest midpoint hazen weibull inverted_cdf median_unbiased closest_observation"
    own = {"method": lambda: make.one(*methods.split()), "axis": lambda: make.axis(len(shape_of(first)))}
    return [first, level], make.keywords(function, first, "weights out", **own)


# ---- shapes ----------------------------------------------------------------------------------------------------------


@calls("reshape resize broadcast_to")
def to_shape(make: Arguments, function: Any) -> Call:
    first = make.array()
    n = int(np.prod(shape_of(first)))
    wanted = make.one((n,), (1, n), (-1,), (n, 1, 1), (3, *shape_of(first)), (2, -1))
    return [first, wanted], make.keywords(function, first, "shape copy dtype")


@calls("swapaxes moveaxis")
def two_axes(make: Arguments, function: Any) -> Call:
    first = make.array()
    ndim = len(shape_of(first))
    return [first, make.axis(ndim), make.axis(ndim)], {}


@calls("rollaxis expand_dims unstack")
def needs_axis(make: Arguments, function: Any) -> Call:
    first = make.array(low=1)
    axis = make.axis(len(shape_of(first)))
    return ([first], {"axis": axis}) if function is vars(np).get("unstack") else ([first, axis], {})


@calls("concatenate stack vstack hstack dstack column_stack row_stack append")
def joined(make: Arguments, function: Any) -> Call:
    first = make.array("biuf", 1)
    parts = [first, *(make.array("biuf", shape=shape_of(first)) for _ in range(make.one(1, 2)))]
    keywords = make.keywords(function, first, "dtype casting", axis=lambda: make.axis(len(shape_of(first))))
    return (parts[:2] if function is np.append else [parts]), keywords


calls("block")(lambda make, f: (lambda a: ([[[a, a], [a, a]]], {}))(make.array(low=1)))


@calls("split array_split hsplit vsplit dsplit")
def parts(make: Arguments, function: Any) -> Call:
    return [make.array(low=1), make.one(1, 2, 3, [1, 2], [0, 5])], {}


@calls("tile repeat roll")
def times(make: Arguments, function: Any) -> Call:
    first = make.array()
    many = make.one((2, 1), (1,), 2) if function is np.tile else make.one(0, 1, 3)
    return [first, many], make.keywords(function, first, axis=lambda: make.axis(len(shape_of(first))))


calls("pad")(lambda make, f: ([make.array(low=1), make.one(1, (0, 2)), make.one("constant", "edge", "wrap")], {}))
calls("delete")(lambda make, f: (lambda a: ([a, 0], {"axis": make.axis(len(shape_of(a)))}))(make.array(low=1)))
calls("insert")(lambda make, f: (lambda a: ([a, 0, 5], {"axis": make.axis(len(shape_of(a)))}))(make.array("if", 1)))


@calls("full_like")
def filled_like(make: Arguments, function: Any) -> Call:
    first = make.array()
    return [first, make.number()], make.keywords(function, first, "shape order")


calls("full")(lambda make, f: ([make.shape(), make.number()], {}))
calls("zeros ones empty ndarray")(lambda make, f: ([make.shape()], {"dtype": make.dtype()}))
calls("astype")(lambda make, f: ([make.array("biuf", special=False), make.dtype("biufc")], {}))


# ---- choosing and writing --------------------------------------------------------------------------------------------


@calls("where")
def where(make: Arguments, function: Any) -> Call:
    x, y = make.operands(2)
    return [make.mask(shape_of(x)), x, y], {}


@calls("clip")
def clip(make: Arguments, function: Any) -> Call:
    first = make.array("iuf")
    return [first, make.one(None, make.number(), make.array("iuf", 0, 0)), make.one(None, make.number())], {}


@calls("select")
def select(make: Arguments, function: Any) -> Call:
    x, y = make.operands(2)
    return [[make.mask(shape_of(x)), make.mask(shape_of(x))], [x, y]], {"default": make.number()}


@calls("piecewise")
def piecewise(make: Arguments, function: Any) -> Call:
    first = make.array("if")
    masks = [Given(make.values.integers(0, 2, shape_of(first)).astype(bool)) for _ in range(2)]
    return [first, masks, [1, 2.5, 3][: make.one(2, 3)]], {}


@calls("take")
def take(make: Arguments, function: Any) -> Call:
    first = make.array(low=1)
    axis = make.one(None, make.axis(len(shape_of(first))))
    size = int(np.prod(shape_of(first))) if axis is None else 3
    return [first, make.positions(size, make.shape(0, 2))], {"axis": axis, "mode": make.one("raise", "clip", "wrap")}


@calls("take_along_axis put_along_axis")
def along(make: Arguments, function: Any) -> Call:
    first = make.array("if", 1)
    shape = shape_of(first)
    axis = make.axis(len(shape))
    index = make.positions(shape[axis] if -len(shape) <= axis < len(shape) else 1, shape)
    if function is np.put_along_axis:
        return [Given(first.value), Given(np.zeros(first.value.shape, int)), 1, axis], {}
    return [first, index, axis], {}


@calls("choose")
def choose(make: Arguments, function: Any) -> Call:
    x, y = make.operands(2)
    return [make.positions(2, shape_of(x)), [x, y]], {"mode": make.one("raise", "clip", "wrap")}


calls("nonzero flatnonzero argwhere unique unique_counts unique_inverse unique_all")(
    lambda make, f: ([make.array("biuf", 1, special=False)], {})
)
# In NumPy the values are in no order.
calls("unique_values")(lambda make, f: ([make.array("biuf", shape=(1,), special=False)], {}))
calls("trim_zeros")(lambda make, f: ([make.array("iuf", 1, 1, special=False)], {}))
calls("union1d intersect1d setdiff1d setxor1d")(
    lambda make, f: ([make.array("iuf", 1, 1, special=False), make.array("iuf", 1, 1, special=False)], {})
)
calls("compress extract")(lambda make, f: ([[True, False, True], make.array(shape=(3,))], {}))
calls("unravel_index")(lambda make, f: ([make.positions(12, make.shape(0, 2)), (3, 4)], {}))
calls("ravel_multi_index")(
    lambda make, f: ([[make.positions(3, (2,)), make.positions(4, (2,))], (3, 4)], {"mode": make.one("raise", "wrap")})
)


@calls("copyto putmask place put fill_diagonal")
def written(make: Arguments, function: Any) -> Call:
    target = Given(make.content(make.one((3, 4), (2, 3), (4, 4)), "iuf"))
    mask, numbers = Given(make.values.integers(0, 2, shape_of(target)).astype(bool)), make.array("iu", 1, 1)
    arguments: dict[Any, list[Any]] = {
        np.copyto: [target, make.array("iuf", shape=make.broadcast(shape_of(target)))],
        np.putmask: [target, mask, numbers],
        np.place: [target, mask, make.array("iu", shape=(2,))],
        np.put: [target, make.positions(6, (3,)), numbers],
        np.fill_diagonal: [target, make.number("i")],
    }
    return arguments[function], {}


# ---- searching -------------------------------------------------------------------------------------------------------


@calls("searchsorted digitize isin histogram histogram_bin_edges interp")
def ordered(make: Arguments, function: Any) -> Call:
    line = Given(np.sort(make.content((make.one(2, 3, 4),), "if", special=False)))
    values = make.array("if", special=False)
    if function is np.searchsorted:
        return [line, values], make.keywords(function, line, "sorter")
    if function is np.interp:
        return [values, line, Given(np.arange(float(len(line.value))))], make.keywords(function, line)
    return [values, make.one(line, line.value.tolist())], make.keywords(function, values, "weights kind")


calls("bincount")(lambda make, f: ([make.array("ub", shape=(5,))], {"minlength": make.one(0, 3)}))
calls("histogram2d")(lambda make, f: ([make.array("f", shape=(4,), special=False) for _ in "xy"], {}))
calls("histogramdd")(lambda make, f: ([make.array("f", shape=(4, 2), special=False)], {"bins": (2, 3)}))
calls("lexsort")(lambda make, f: ([[make.array("iu", shape=(4,)) for _ in "xy"]], {}))


# ---- products and polynomials ----------------------------------------------------------------------------------------


@calls("dot inner matmul")
def products(make: Arguments, function: Any) -> Call:
    n = make.one(0, 1, 3)
    left = make.array("biuf", shape=make.one((n,), (2, n), (2, 2, n)), special=False)
    last = (4, n) if function is np.inner else (n, 4)
    return [left, make.array("biuf", shape=make.one((n,), last), special=False)], {}


@calls("vdot outer kron convolve correlate polyadd polysub")
def vectors(make: Arguments, function: Any) -> Call:
    return [make.array("iufc", shape=(make.one(1, 2, 4),), special=False) for _ in "xy"], {}


calls("polydiv polymul")(lambda make, f: ([Given(np.array([1.0, 2, 0])), Given(np.array([3, 1]))], {}))
calls("polyval")(lambda make, f: ([make.array("if", 1, 1, special=False), make.array("if", special=False)], {}))
calls("polyder polyint")(lambda make, f: ([make.array("if", 1, 1, special=False), make.one(0, 1, 2)], {}))
calls("poly")(lambda make, f: ([make.array("if", 1, 1, special=False)], {}))
calls("roots")(lambda make, f: ([Given(np.array([1.0, *make.values.normal(size=3)]))], {}))
calls("polyfit")(lambda make, f: ([Given(np.arange(6.0)), make.array("f", shape=(6,), special=False), 2], {}))
calls("tensordot")(
    lambda make, f: (
        [make.array("if", shape=(2, 3), special=False), make.array("if", shape=(3, 4), special=False), 1],
        {},
    )
)
calls("cross")(lambda make, f: ([make.array("if", shape=(2, 3), special=False) for _ in "xy"], {}))
calls("einsum")(lambda make, f: (["ij,jk->ik", *(make.matrix(3, 3, stack=False) for _ in "xy")], {}))
calls("einsum_path")(lambda make, f: (["ij,jk", *(make.matrix(3, 3, stack=False) for _ in "xy")], {}))
calls("vecdot")(lambda make, f: ([make.array("ifc", shape=(2, 3), special=False) for _ in "xy"], {}))
calls("matvec")(lambda make, f: ([make.matrix(3, 4), make.array("f", shape=(4,), special=False)], {}))
calls("vecmat")(lambda make, f: ([make.array("f", shape=(3,), special=False), make.matrix(3, 4)], {}))
calls("apply_along_axis")(lambda make, f: ([np.sum, 0, make.array("f", shape=(2, 3))], {}))
calls("apply_over_axes")(lambda make, f: ([np.sum, make.array("f", shape=(2, 3)), (0, 1)], {}))

# ---- what is known while tracing -------------------------------------------------------------------------------------

calls("isnat")(one_array())
calls("can_cast")(lambda make, f: ([make.array(low=1), make.dtype()], {}))
calls("arange linspace logspace geomspace")(lambda make, f: ([1, make.one(5, 7)], {}))
calls("eye identity tri tril_indices triu_indices diag_indices hanning hamming bartlett blackman")(
    lambda make, f: ([make.one(0, 1, 4)], {})
)
calls("kaiser")(lambda make, f: ([make.one(0, 1, 4), 2.0], {}))
calls("indices")(lambda make, f: ([make.shape(1, 2)], {}))
calls("fromfunction")(lambda make, f: ([np.add, (2, 3)], {}))
calls("fromiter")(lambda make, f: ([make.array("biuf", 1, 1), np.float64], {}))
calls("mask_indices")(lambda make, f: ([3, np.triu], {}))

# ---- memory ----------------------------------------------------------------------------------------------------------

STRIDES = "numpy.lib.stride_tricks."
calls("sliding_window_view", STRIDES)(
    lambda make, f: ([make.array(shape=(3, 4)), make.one((2, 2), (1, 3), (4, 1))], {})
)
calls("frombuffer")(lambda make, f: ([make.array("if", shape=(4,))], {"dtype": make.one("u1", "i4", "f8")}))
calls("as_strided", STRIDES)(lambda make, f: ([make.array("f", shape=(6,)), (2, 2)], {}))

# ---- linear algebra and Fourier transforms ---------------------------------------------------------------------------

LINALG = "numpy.linalg."
square: Maker = lambda make, f: ([(lambda n: make.matrix(n, n))(make.one(1, 2, 3))], {})  # noqa: E731
calls("inv det slogdet matrix_transpose", LINALG)(square)
calls("eig eigvals", LINALG)(lambda make, f: ([Given(make.matrix(3, 3).value.astype(complex))], {}))
calls("qr svd svdvals pinv matrix_rank cond matrix_norm", LINALG)(
    lambda make, f: ([make.matrix(3, make.one(2, 3))], {})
)
calls("cholesky eigh eigvalsh", LINALG)(
    lambda make, f: ([Given(np.eye(3) * 2 + make.values.uniform(0, 0.5) * np.ones((3, 3)))], {})
)
calls("solve", LINALG)(lambda make, f: ([make.matrix(3, 3), make.matrix(3, 2, stack=False)], {}))
calls("lstsq", LINALG)(lambda make, f: ([make.matrix(4, 3, stack=False), make.matrix(4, 2, stack=False)], {}))
calls("tensorinv", LINALG)(lambda make, f: ([Given(make.matrix(4, 4, "f", stack=False).value.reshape(2, 2, 4))], {}))
calls("tensorsolve", LINALG)(
    lambda make, f: (
        [Given(make.matrix(4, 4, "f", stack=False).value.reshape(2, 2, 2, 2)), make.array("f", shape=(2, 2))],
        {},
    )
)
calls("norm vector_norm", LINALG)(one_array("if", 1, 1))
calls("diagonal trace", LINALG)(lambda make, f: ([make.array("if", shape=(2, 3))], {}))
calls("matmul tensordot", LINALG)(
    lambda make, f: ([make.matrix(3, 3, stack=False), make.matrix(3, 3, stack=False)], {})
)
calls("vecdot cross", LINALG)(CALLS["numpy.cross"])
calls("outer", LINALG)(CALLS["numpy.outer"])
calls("multi_dot", LINALG)(lambda make, f: ([[make.matrix(3, 3, stack=False) for _ in "xyz"]], {}))
calls("matrix_power", LINALG)(lambda make, f: ([make.matrix(3, 3), make.one(0, 1, 3)], {}))
FFT = "numpy.fft."


@calls("fft ifft rfft irfft hfft ihfft", FFT)
def transformed(make: Arguments, function: Any) -> Call:
    kinds = "f" if function.__name__ in ("rfft", "ihfft") else "fc"
    keywords = {"n": make.one(None, 3, 5), "norm": make.one(None, "ortho", "forward")}
    return [make.array(kinds, shape=(2, make.one(2, 3, 4)), special=False)], keywords


calls("fftn ifftn fft2 ifft2 rfftn irfftn rfft2 irfft2", FFT)(
    lambda make, f: (
        [make.array("f" if "rfft" in f.__name__ and "i" not in f.__name__ else "fc", shape=(2, 3, 4), special=False)],
        {},
    )
)
calls("fftshift ifftshift", FFT)(one_array(low=1))
calls("fftfreq rfftfreq", FFT)(lambda make, f: ([make.one(3, 4), make.number("f")], {}))

"""`anabranch.numpy` beside array-api-strict: every name of the standard is there, and each function does the same."""

from __future__ import annotations

import inspect

import array_api_strict as strict
import numpy as np
import pytest

import anabranch
import anabranch.numpy as xp
from anabranch import Array, jit

# What array-api-strict has beside the standard.
_ITS_OWN = {
    "Device", "set_array_api_strict_flags", "get_array_api_strict_flags", "reset_array_api_strict_flags",
    "ArrayAPIStrictFlags", "__version__",
}  # fmt: skip
NAMES = sorted(set(strict.__all__) - _ITS_OWN)
DTYPES = [n for n in NAMES if isinstance(getattr(xp, n, None), type) and issubclass(getattr(xp, n), np.generic)]
CONSTANTS = ["e", "inf", "nan", "pi", "newaxis"]
EXTENSIONS = ["linalg", "fft"]
OTHERS = {"finfo", "iinfo", "__array_api_version__", "__array_namespace_info__"}
FUNCTIONS = sorted(set(NAMES) - {*DTYPES, *CONSTANTS, *EXTENSIONS, *OTHERS})

REAL = ("acos", "asin", "atanh", "abs", "ceil", "floor", "round", "sign", "square", "trunc", "positive", "negative",
    "acosh", "asinh", "atan", "cos", "cosh", "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "sinh", "sqrt",
    "tan", "tanh", "reciprocal", "isfinite", "isinf", "isnan", "signbit")  # fmt: skip
PAIRS = ("add", "atan2", "copysign", "divide", "equal", "floor_divide", "greater", "greater_equal", "hypot", "less",
    "less_equal", "logaddexp", "maximum", "minimum", "multiply", "nextafter", "not_equal", "pow", "remainder",
    "subtract")  # fmt: skip
BITS = ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift")
LOGIC = ("logical_and", "logical_or", "logical_xor")
REDUCTIONS = ("max", "min", "mean", "sum", "prod", "std", "var", "all", "any", "argmax", "argmin", "count_nonzero")


class Given:
    """The arguments, as arrays of a namespace."""

    def __init__(self, namespace):
        as_array = namespace.asarray
        self.f = as_array(np.array([[0.5, 0.25, -0.75], [1.5, 2.0, 0.125]]))
        self.g = as_array(np.array([[1.0, 3.0, 0.5], [2.0, -1.0, 4.0]]))
        self.i = as_array(np.array([[1, 2, 3], [4, 5, 6]]))
        self.j = as_array(np.array([[2, 0, 1], [1, 3, 2]]))
        self.b = as_array(np.array([[True, False, True], [False, False, True]]))
        self.c = as_array(np.array([1 + 2j, -0.5j]))
        self.v = as_array(np.array([3.0, 1.0, 2.0]))
        self.p = as_array(np.array([2, 0, 1]))


CALLS = {name: lambda s, a, n=name: [getattr(s, n)(a.f)] for name in REAL}
CALLS |= {name: lambda s, a, n=name: [getattr(s, n)(a.f, a.g), getattr(s, n)(a.f, 2.0)] for name in PAIRS}
CALLS |= {name: lambda s, a, n=name: [getattr(s, n)(a.i, a.j), getattr(s, n)(a.i, 1)] for name in BITS}
CALLS |= {name: lambda s, a, n=name: [getattr(s, n)(a.b, a.f > 0)] for name in LOGIC}
CALLS |= {
    name: lambda s, a, n=name: [
        getattr(s, n)(a.f),
        getattr(s, n)(a.f, axis=1),
        getattr(s, n)(a.f, axis=0, keepdims=True),
    ]
    for name in REDUCTIONS
}
CALLS |= {
    "arange": lambda s, a: [s.arange(5), s.arange(1.0, 4, 0.5), s.arange(3, dtype=s.int8)],
    "argsort": lambda s, a: [s.argsort(a.v), s.argsort(a.f, axis=0, descending=True)],
    "asarray": lambda s, a: [s.asarray([1, 2]), s.asarray(2.5, dtype=s.float32), s.asarray(a.f, copy=True)],
    "astype": lambda s, a: [s.astype(a.f, s.int32), s.astype(a.i, s.float32, copy=False)],
    "bitwise_invert": lambda s, a: [s.bitwise_invert(a.i)],
    "broadcast_arrays": lambda s, a: list(s.broadcast_arrays(a.f, a.v)),
    "broadcast_shapes": lambda s, a: [s.broadcast_shapes((2, 1), (3,))],
    "broadcast_to": lambda s, a: [s.broadcast_to(a.v, (2, 3))],
    "can_cast": lambda s, a: [s.can_cast(s.int8, s.int16), s.can_cast(a.f, s.float32)],
    "clip": lambda s, a: [s.clip(a.f, 0.0, 1.0), s.clip(a.f, max=a.g)],
    "concat": lambda s, a: [s.concat([a.f, a.g], axis=1), s.concat((a.f, a.v), axis=None)],
    "conj": lambda s, a: [s.conj(a.c)],
    "cumulative_prod": lambda s, a: [s.cumulative_prod(a.v), s.cumulative_prod(a.f, axis=1, include_initial=True)],
    "cumulative_sum": lambda s, a: [s.cumulative_sum(a.v), s.cumulative_sum(a.i, axis=0, dtype=s.float64)],
    "diff": lambda s, a: [s.diff(a.f), s.diff(a.i, axis=0, n=1)],
    "empty": lambda s, a: [s.empty((2, 0))],
    "empty_like": lambda s, a: [s.empty_like(a.f).shape],
    "expand_dims": lambda s, a: [s.expand_dims(a.f, axis=1)],
    "eye": lambda s, a: [s.eye(2), s.eye(2, 3, k=1, dtype=s.int8)],
    "flip": lambda s, a: [s.flip(a.f), s.flip(a.f, axis=1)],
    "from_dlpack": lambda s, a: [s.from_dlpack(a.f)],
    "full": lambda s, a: [s.full((2,), 3), s.full((1, 2), 2.5, dtype=s.float32)],
    "full_like": lambda s, a: [s.full_like(a.f, 3.0)],
    "imag": lambda s, a: [s.imag(a.c)],
    "isdtype": lambda s, a: [s.isdtype(s.float32, "real floating"), s.isdtype(s.int8, ("bool", "integral"))],
    "isin": lambda s, a: [s.isin(a.i, a.j)],
    "linspace": lambda s, a: [s.linspace(0.0, 1.0, 5), s.linspace(0, 4, 4, endpoint=False)],
    "logical_not": lambda s, a: [s.logical_not(a.b)],
    "matmul": lambda s, a: [s.matmul(a.f, a.v), a.f @ s.matrix_transpose(a.g)],
    "matrix_transpose": lambda s, a: [s.matrix_transpose(a.f)],
    "meshgrid": lambda s, a: list(s.meshgrid(a.v, a.v[:2], indexing="ij")),
    "moveaxis": lambda s, a: [s.moveaxis(a.f, 0, 1)],
    "nonzero": lambda s, a: list(s.nonzero(a.b)),
    "ones": lambda s, a: [s.ones((2, 3)), s.ones(2, dtype=s.int16)],
    "ones_like": lambda s, a: [s.ones_like(a.i)],
    "permute_dims": lambda s, a: [s.permute_dims(a.f, (1, 0))],
    "real": lambda s, a: [s.real(a.c)],
    "repeat": lambda s, a: [s.repeat(a.v, 2), s.repeat(a.v, a.p)],
    "reshape": lambda s, a: [s.reshape(a.f, (3, 2)), s.reshape(a.f, (-1,))],
    "result_type": lambda s, a: [str(s.result_type(s.int8, s.uint8)).split(".")[-1]],
    "roll": lambda s, a: [s.roll(a.f, 1), s.roll(a.f, (1, 2), axis=(0, 1))],
    "searchsorted": lambda s, a: [s.searchsorted(s.sort(a.v), a.f), s.searchsorted(a.v, a.f, sorter=s.argsort(a.v))],
    "sort": lambda s, a: [s.sort(a.f), s.sort(a.f, axis=0, descending=True)],
    "squeeze": lambda s, a: [s.squeeze(s.reshape(a.v, (1, 3)), axis=0)],
    "stack": lambda s, a: [s.stack([a.f, a.g]), s.stack([a.f, a.g], axis=2)],
    "take": lambda s, a: [s.take(a.f, a.p, axis=1)],
    "take_along_axis": lambda s, a: [s.take_along_axis(a.f, s.argsort(a.f, axis=1), axis=1)],
    "tensordot": lambda s, a: [s.tensordot(a.f, a.g), s.tensordot(a.f, a.g, axes=((1,), (1,)))],
    "tile": lambda s, a: [s.tile(a.f, (2, 1))],
    "tril": lambda s, a: [s.tril(a.f, k=-1)],
    "triu": lambda s, a: [s.triu(a.f)],
    "unique_all": lambda s, a: list(s.unique_all(a.j)),
    "unique_counts": lambda s, a: list(s.unique_counts(a.j)),
    "unique_inverse": lambda s, a: list(s.unique_inverse(a.j)),
    "unique_values": lambda s, a: [s.sort(s.unique_values(a.j))],
    "unstack": lambda s, a: list(s.unstack(a.f, axis=1)),
    "vecdot": lambda s, a: [s.vecdot(a.f, a.g)],
    "where": lambda s, a: [s.where(a.b, a.f, a.g), s.where(a.b, a.f, 0.0)],
    "zeros": lambda s, a: [s.zeros((2, 3)), s.zeros((), dtype=s.complex64)],
    "zeros_like": lambda s, a: [s.zeros_like(a.f, dtype=s.int8)],
}
# What depends on values only on the host, or makes nothing of its arguments.
NOT_COMPILED = {"nonzero", "unique_all", "unique_counts", "unique_inverse", "unique_values", "from_dlpack", "repeat"}


def same(got, wanted, kind=Array):
    if not hasattr(wanted, "__array_namespace__"):
        assert got == wanted
        return
    assert type(got) is kind
    theirs = np.from_dlpack(wanted)
    assert got.dtype == theirs.dtype
    assert got.shape == theirs.shape
    np.testing.assert_allclose(np.asarray(got), theirs, rtol=1e-6, atol=1e-12)


def test_every_name_is_there():
    assert not [n for n in NAMES if not hasattr(xp, n)]
    assert len(DTYPES) == 13
    assert sorted(CALLS) == FUNCTIONS
    assert set(NAMES) <= set(dir(xp)) | {"newaxis"}
    assert xp.__array_api_version__ == "2024.12"


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants(name):
    mine, theirs = getattr(xp, name), getattr(strict, name)
    assert type(mine) is type(theirs)
    assert mine == theirs or name == "nan"


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_function(name):
    with np.errstate(all="ignore"):
        wanted = CALLS[name](strict, Given(strict))
    got = CALLS[name](xp, Given(xp))
    assert len(got) == len(wanted)
    for g, w in zip(got, wanted, strict=True):
        same(g, w)


class EveryKeyword:
    """The namespace, its functions called with each keyword of the standard's at its default."""

    def __getattr__(self, name):
        function = getattr(xp, name)
        if name not in FUNCTIONS:
            return function
        parameters = inspect.signature(getattr(strict, name)).parameters.values()
        keywords = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        plain = {k: v for k, v in keywords.items() if v is None or isinstance(v, (bool, int, float))}
        return lambda *args, **given: function(*args, **{**plain, **given})


COMPILED = sorted(set(FUNCTIONS) - NOT_COMPILED)


@pytest.mark.parametrize("first", range(0, len(COMPILED), 20))
def test_functions_in_compiled_code(first):
    names = COMPILED[first : first + 20]
    compiled = jit(lambda a: {name: CALLS[name](EveryKeyword(), a) for name in names})(Given(xp))
    for name in names:
        for g, w in zip(compiled[name], CALLS[name](xp, Given(xp)), strict=True):
            if not isinstance(w, Array):
                assert g == w
                continue
            assert type(g) is Array, name
            assert g.dtype == w.dtype, name
            np.testing.assert_allclose(g, w, rtol=1e-12, err_msg=name)


def test_inspection():
    info = xp.__array_namespace_info__()
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}
    assert info.default_device() == "cpu"
    assert info.devices() == ["cpu"]
    theirs = strict.__array_namespace_info__()
    assert info.default_dtypes() == {k: np.dtype(str(v).split(".")[-1]) for k, v in theirs.default_dtypes().items()}
    for kind in (None, "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
                 "numeric", ("bool", "real floating")):  # fmt: skip
        assert sorted(info.dtypes(kind=kind)) == sorted(theirs.dtypes(kind=kind))
    with pytest.raises(ValueError, match="kind"):
        info.dtypes(kind="text")
    with pytest.raises(ValueError, match="device"):
        info.dtypes(device="moon")


def test_capabilities_within_a_compiled_function():
    found = []

    @jit
    def f(x):
        found.append(x.__array_namespace__().__array_namespace_info__().capabilities())
        return x

    f(xp.ones(3))
    assert found[0]["data-dependent shapes"] is False


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_limits_of_floats(dtype):
    mine, theirs = xp.finfo(getattr(xp, dtype)), strict.finfo(getattr(strict, dtype))
    for name in ("bits", "eps", "max", "min", "smallest_normal"):
        assert getattr(mine, name) == getattr(theirs, name)
        assert type(getattr(mine, name)) is type(getattr(theirs, name))
    assert xp.finfo(xp.ones(2, dtype=dtype)) == mine


def test_limits_of_integers():
    assert (xp.iinfo(xp.uint8).max, xp.iinfo(xp.ones(1, dtype=xp.int16)).min) == (255, -32768)


def test_order_of_equal_elements():
    x = xp.asarray([[2, 1, 2, 1], [0, 0, 5, 0]])
    assert xp.argsort(x, descending=True).tolist() == [[0, 2, 1, 3], [2, 0, 1, 3]]
    assert xp.argsort(x).tolist() == [[1, 3, 0, 2], [0, 1, 3, 2]]


def test_the_namespace_of_an_array():
    a = xp.ones(3)
    assert a.__array_namespace__() is xp
    assert a.__array_namespace__(api_version="2024.12") is xp
    assert anabranch.numpy is xp
    with pytest.raises(ValueError, match=r"2024\.12"):
        a.__array_namespace__(api_version="2019.01")


def test_code_for_any_array():
    def norm(x):
        s = x.__array_namespace__()
        return s.sqrt(s.sum(x * x, axis=-1)) + s.ones(2)

    x = np.arange(6.0).reshape(2, 3)
    for argument, kind in ((x, np.ndarray), (xp.asarray(x), Array)):
        assert type(jit(norm)(argument)) is kind
        np.testing.assert_allclose(jit(norm)(argument), norm(x))
    assert type(norm(xp.asarray(x))) is Array


def test_more_of_numpy_is_there():
    a = xp.asarray([3.0, 1.0, 2.0])
    same(xp.median(a), strict.asarray(2.0))
    same(xp.linalg.norm(a), strict.sqrt(strict.asarray(14.0)))
    assert xp.float16 is np.float16
    for absent in ("busday_count", "random", "ndarray2", "_core"):
        assert not hasattr(xp, absent)


def test_devices():
    assert xp.ones(2, device="cpu").device == "cpu"
    for make in (lambda: xp.ones(2, device="moon"), lambda: xp.asarray([1], device="moon")):
        with pytest.raises(ValueError, match="evice"):
            make()


def test_numbers_and_ndarrays_become_arrays():
    same(xp.sin(0.0), strict.asarray(0.0))
    same(xp.add(np.ones(2), 1.0), strict.asarray([2.0, 2.0]))

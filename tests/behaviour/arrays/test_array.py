"""`anabranch.Array`: what it gives beside NumPy, what it refuses, and compiled functions that take it."""

from __future__ import annotations

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

import anabranch
import anabranch.random as random
from anabranch import asarray, jit
from anabranch.runtime.host.buffer_types import DTYPES
from tests.behaviour.arrays.same_arrays import same

SAMPLES = (
    np.arange(6.0).reshape(2, 3) - 2,
    np.array([3, -1, 2], np.int8),
    np.array(2.5, np.float32),
    np.array([True, False]),
    np.array([1 + 2j, -3j], np.complex64),
    np.zeros((0, 3)),
    np.array([1, 2**63], np.uint64),
)


# ---- what it is --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_there_and_back(sample):
    a = asarray(sample)
    same(a, sample)
    assert (a.ndim, a.size, a.nbytes, a.itemsize) == (sample.ndim, sample.size, sample.nbytes, sample.itemsize)
    assert a.tolist() == sample.tolist()
    assert a.tobytes() == sample.tobytes()
    assert str(a) == str(sample)
    assert a.device == "cpu"
    for again in (
        copy.copy(a),
        copy.deepcopy(a),
        pickle.loads(pickle.dumps(a)),
        a.copy(),
        asarray(a),
        asarray(a, copy=True),
    ):
        same(again, sample)
    assert asarray(a) is a
    assert asarray(a, copy=True) is not a


@pytest.mark.parametrize("dtype", sorted(set(DTYPES.values()), key=str), ids=str)
def test_every_dtype(dtype):
    x = np.array([0, 1, 1]).astype(dtype)
    a = asarray(x)
    assert (a.dtype, np.asarray(a).tobytes()) == (dtype, x.tobytes())
    assert np.asarray(a[1:]).tobytes() == x[1:].tobytes()
    assert np.asarray(jit(lambda v: v[::-1])(a)).tobytes() == x[::-1].tobytes()
    assert asarray(x.astype(dtype.newbyteorder(">"))).dtype == dtype


def test_contents_are_its_own():
    x = np.arange(3.0)
    a = asarray(x)
    x[:] = -1
    assert a.tolist() == [0, 1, 2]
    view = np.asarray(a)
    assert not view.flags.writeable
    assert np.shares_memory(view, np.asarray(a))
    own = np.array(a)
    own[:] = 7
    assert a.tolist() == [0, 1, 2]
    assert np.asarray(a, np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(a, np.float32, copy=False)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.arange(3), "Array([0, 1, 2], dtype=int64)"),
        (np.float32(2.5), "Array(2.5, dtype=float32)"),
        (np.zeros((0, 2)), "Array([], shape=(0, 2), dtype=float64)"),
        (np.eye(2), "Array([[1., 0.],\n       [0., 1.]], dtype=float64)"),
    ],
)
def test_repr(value, text):
    assert repr(asarray(value)) == text


def test_conversions_to_python():
    assert (bool(asarray(3)), int(asarray(2.7)), float(asarray(2)), complex(asarray(1j))) == (True, 2, 2.0, 1j)
    assert [10, 20, 30][asarray(1)] == 20
    assert f"{asarray(2.5):.2f} {asarray(3)}" == "2.50 3"
    assert (len(asarray([1, 2])), [x.item() for x in asarray([1, 2])]) == (2, [1, 2])
    assert 2 in asarray([1, 2])
    assert 5 not in asarray([1, 2])
    with pytest.raises(ValueError, match="ambiguous"):
        bool(asarray([1, 2]))
    for refused in (
        lambda: hash(asarray(1)),
        lambda: len(asarray(1)),
        lambda: iter(asarray(1)),
        lambda: int(asarray([1, 2])),
    ):
        with pytest.raises(TypeError):
            refused()
    with pytest.raises(TypeError):
        range(asarray(2.0))


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_ml_dtypes_are_held(dtype):
    x = np.array([1, 2.5, -3]).astype(getattr(ml_dtypes, dtype))
    a = asarray(x)
    assert a.dtype == x.dtype
    assert np.asarray(a).tobytes() == x.tobytes()
    assert a.astype(np.float32).tolist() == x.astype(np.float32).tolist()


@pytest.mark.parametrize("value", ["text", np.array([b"x"]), np.array([None]), np.datetime64("2020-01-01")], ids=repr)
def test_dtypes_that_the_device_does_not_have(value):
    with pytest.raises(anabranch.UnsupportedValueError, match="dtype"):
        asarray(value)


def test_devices_and_copies():
    a = asarray([1, 2])
    assert a.to_device("cpu") is a
    for refused in (lambda: a.to_device("gpu"), lambda: asarray([1], device="gpu"), lambda: asarray([1], copy=False)):
        with pytest.raises(ValueError, match=r"device|copied"):
            refused()
    with pytest.raises(ValueError, match="without a copy"):
        asarray(a, dtype=np.float32, copy=False)
    same(asarray([1, 2], dtype=np.int16), np.array([1, 2], np.int16))


def test_device_put_keeps_structure():
    tree = {"w": np.ones(2), "b": [1.0, (np.int8(2), asarray(3))]}
    put = anabranch.device_put(tree)
    same(put["w"], np.ones(2))
    same(put["b"], [np.asarray(1.0), (np.asarray(np.int8(2)), np.asarray(3))])
    with pytest.raises(anabranch.UnsupportedValueError, match="str"):
        anabranch.device_put({"a": "text"})


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_ml_dtypes_are_computed_with(dtype):
    x = np.array([1, 2.5, -3, 0.125]).astype(getattr(ml_dtypes, dtype))
    a = asarray(x)
    for function in (
        lambda v: v + v, lambda v: v * 2.0, lambda v: v.max(), lambda v: v.min(), lambda v: v.argmax(), np.sort,
        lambda v: v[1:], lambda v: np.where(v > 0, v, -v), np.isnan, lambda v: v @ v, lambda v: np.dot(v, v),
    ):  # fmt: skip
        got, wanted = np.asarray(function(a)), np.asarray(function(x))
        assert got.dtype == wanted.dtype
        assert got.astype(np.float32).tolist() == pytest.approx(wanted.astype(np.float32).tolist(), rel=1e-5)


def test_deleted():
    a = asarray([1.0, 2.0])
    view = np.asarray(a)
    assert not a.is_deleted()
    a.delete()
    assert a.is_deleted()
    assert (a.shape, a.dtype, repr(a)) == ((2,), np.float64, "<deleted Array float64[2]>")
    assert view.tolist() == [1, 2]
    for use in (lambda: a + 1, lambda: np.asarray(a), lambda: a[0], lambda: jit(lambda x: x)(a), a.is_ready):
        with pytest.raises(anabranch.DeletedArrayError, match="deleted"):
            use()


# ---- operations ----------------------------------------------------------------------------------------------------

OPERATORS = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "truediv": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b, "pow": lambda a, b: a**b, "divmod": divmod,
    "lt": lambda a, b: a < b, "ge": lambda a, b: a >= b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
}  # fmt: skip
X, Y = np.array([[1.5, -2, 3], [4, 0.5, -1]]), np.array([2.0, 3, -2])


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("other", [Y, np.float32(2), 3, 0.5, True], ids=["array", "scalar", "int", "float", "bool"])
def test_operators(name, other):
    apply = OPERATORS[name]
    with np.errstate(all="ignore"):
        try:
            forward, backward = apply(X, other), apply(other, X)
        except TypeError as error:  # bool has no divmod, say
            with pytest.raises(type(error)):
                apply(asarray(X), other)
            return
    same(apply(asarray(X), other), forward)
    same(apply(other, asarray(X)), backward)
    if isinstance(other, np.ndarray):
        same(apply(asarray(X), asarray(other)), forward)


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "bool", "complex64"])
@pytest.mark.parametrize("number", [2.5, True, 300, -1], ids=repr)
def test_python_numbers_are_weak(dtype, number):
    x = np.array([1, 0, 1]).astype(dtype)
    for apply in (lambda a: a + number, lambda a: number * a, lambda a: a < number, lambda a: a == number):
        try:
            wanted = apply(x)
        except (TypeError, OverflowError) as error:
            with pytest.raises(type(error)):
                apply(asarray(x))
        else:
            same(apply(asarray(x)), wanted)


@pytest.mark.parametrize("number", [2**63, 2**64, -(2**63) - 1, 2**70, -1], ids=repr)
@pytest.mark.parametrize("dtype", ["int32", "uint64", "float32"])
def test_comparisons_with_long_ints(dtype, number):
    x = np.array([1, 3, 100]).astype(dtype)
    for compare in (lambda a: a < number, lambda a: number <= a, lambda a: a == number):
        same(compare(asarray(x)), compare(x))
        same(jit(compare)(asarray(x)), compare(x))


def test_the_square_of_truth_values():
    x = np.array([True, False])
    for power in (lambda a: a**2, lambda a: a**3, lambda a: np.power(a, 2), lambda a: a**2.0):
        same(power(asarray(x)), power(x))
        assert jit(power)(x).dtype == power(x).dtype


def test_signs_of_zero_are_not_mixed_up():
    a = asarray([1.0])
    assert [np.signbit(np.asarray(a * z)).tolist() for z in (0.0, -0.0, 0.0)] == [[False], [True], [False]]
    numbers = (complex(0.0, 1.0), complex(-0.0, 1.0))
    below = asarray(complex(-0.0, 0.0))
    assert [np.signbit(np.asarray(below + z).real).tolist() for z in numbers] == [False, True]


def test_integers_and_bits():
    x = np.array([5, -7, 12], np.int32)
    for apply in (
        lambda a: a << 2, lambda a: a >> 1, lambda a: a & 6, lambda a: 6 | a, lambda a: a ^ a, lambda a: ~a,
        lambda a: -a, lambda a: +a, abs, lambda a: a @ a, lambda a: a // 0, lambda a: a % 3,
    ):  # fmt: skip
        with np.errstate(all="ignore"):
            wanted = apply(x)
        same(apply(asarray(x)), wanted)
    with pytest.raises(ValueError, match="negative integer powers"):
        asarray(x) ** asarray(np.array([-1, 1, 1], np.int32))


def test_in_place_operators_make_new_arrays():
    a = b = asarray([1.0, 2.0])
    b += 1
    assert (a.tolist(), b.tolist()) == ([1, 2], [2, 3])


KEYS = (
    0, -1, np.int8(1), slice(None), slice(1, None), slice(None, None, -1), slice(4, 1, -2), slice(5, 2), ..., None, (),
    (1, 2), (slice(None), 1), (..., 0), (0, ..., None), (None, slice(1, 2), 3), (slice(0, 1), slice(2, 4)),
    (slice(None, None, 2), 3), [0, 2], np.array([[1, -1]]), ([0, 1], [3, -1]), (slice(None), [1, 1]), (0, [3, 0]),
    np.array([True, False, True]), (slice(None), np.array([True, False, False, True])), True, np.int64(2),
)  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indexing(key):
    x = np.arange(12.0).reshape(3, 4)
    same(asarray(x)[key], x[key])
    inner = tuple(asarray(k) if isinstance(k, np.ndarray) else k for k in key) if isinstance(key, tuple) else key
    same(asarray(x)[asarray(key) if isinstance(key, np.ndarray) else inner], x[key])


@pytest.mark.parametrize("key", [3, -4, (0, 4), (0, 0, 0), "x", 1.0, [3], np.array([0, -4]), np.ones(2, bool)], ids=str)
def test_indices_out_of_bounds(key):
    x = np.arange(12.0).reshape(3, 4)
    with pytest.raises(IndexError):
        x[key]
    with pytest.raises(IndexError):
        asarray(x)[key]


def test_a_loop_over_positions_compiles_once():
    from anabranch.runtime.eager import execute

    a = asarray(np.arange(50.0))
    a[3], a[3:5]
    before = execute.cache_info().misses
    assert [a[i].item() for i in range(50)] == list(range(50))
    assert [a[i : i + 2].tolist() for i in range(48)] == [[i, i + 1] for i in range(48)]
    assert [(a * k)[1].item() for k in (0.5, 2.0, 3.0)] == [0.5, 2, 3]
    assert execute.cache_info().misses <= before + 1
    assert execute.cache_info().maxsize


METHODS = (
    lambda a: a.sum(), lambda a: a.sum(axis=0), lambda a: a.mean(1, keepdims=True), lambda a: a.max(axis=-1),
    lambda a: a.argmin(), lambda a: a.reshape(3, 2), lambda a: a.reshape((6,)), lambda a: a.ravel(), lambda a: a.T,
    lambda a: a.mT, lambda a: a.real, lambda a: a.imag, lambda a: a.transpose(1, 0), lambda a: a.swapaxes(0, 1),
    lambda a: a.astype(np.int32), lambda a: a.clip(0, 1), lambda a: a.round(), lambda a: a.cumsum(axis=1),
    lambda a: a.take([0, 2], axis=1), lambda a: a.repeat(2, axis=0), lambda a: a.std(), lambda a: a.conj(),
    lambda a: a.any(), lambda a: a.all(axis=0), lambda a: a.dot(a.T), lambda a: a.squeeze(), lambda a: a.flatten(),
    lambda a: a.diagonal(), lambda a: a.trace(), lambda a: a.argsort(axis=1), lambda a: a.nonzero(),
    lambda a: a.item(2), lambda a: a.searchsorted(2.0) if a.ndim == 1 else None,
)  # fmt: skip


@pytest.mark.parametrize("number", range(len(METHODS)))
def test_methods_and_attributes(number):
    same(METHODS[number](asarray(X)), METHODS[number](X))


FUNCTIONS = (
    lambda a: np.sin(a), lambda a: np.add(a, 1), lambda a: np.add(1, a), lambda a: np.where(a > 0, a, 0.0),
    lambda a: np.concatenate([a, np.ones((1, 3))]), lambda a: np.stack((a, a), axis=1), lambda a: np.clip(a, -1, 1),
    lambda a: np.sum(a, axis=0), lambda a: np.linalg.norm(a), lambda a: np.einsum("ij,kj->ik", a, a), lambda a: a @ X.T,
    lambda a: X @ a.T, lambda a: np.add.reduce(a), lambda a: np.multiply.outer(a, [1, 2]), lambda a: np.shape(a),
    lambda a: np.add.accumulate(a, axis=1), lambda a: np.split(a, 3, axis=1), lambda a: np.zeros_like(a),
    lambda a: np.unique(a), lambda a: np.nonzero(a > 0), lambda a: np.where(a > 0),
    lambda a: np.repeat(a, np.arange(2), 0), lambda a: np.interp(a, [0, 1], [2, 3]),
    lambda a: np.modf(a), lambda a: np.maximum(a, [0, 1, 2]), lambda a: np.ndim(a), lambda a: np.result_type(a, 1j),
    lambda a: np.array_equal(a, a), lambda a: np.median(a), lambda a: np.sort(a, axis=None),
)  # fmt: skip


@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_numpy_functions_give_arrays(number):
    same(FUNCTIONS[number](asarray(X)), FUNCTIONS[number](X))


def test_out_is_written_to_an_ndarray():
    out = np.zeros((2, 3))
    assert np.exp(asarray(X), out=out) is out
    np.testing.assert_allclose(out, np.exp(X))
    masked = np.full((2, 3), 9.0)
    np.add(asarray(X), 1, where=X > 0, out=masked)
    np.testing.assert_allclose(masked, np.where(X > 0, X + 1, 9))
    total = np.zeros(3)
    assert asarray(X).sum(axis=0, out=total) is total
    np.testing.assert_allclose(total, X.sum(0))
    with pytest.raises(TypeError):
        np.add(asarray(X), 1, out=np.zeros((2, 3), int))
    np.copyto(out, asarray(X))
    np.add.at(out, ([0], [1]), asarray([10.0]))
    assert out[0, 1] == 8


def test_ndarrays_take_its_contents():
    x = np.arange(4.0)
    x += asarray([1.0, 1, 1, 1])
    assert x.tolist() == [1, 2, 3, 4]
    x[:2] = asarray([7.0, 8.0])
    x[asarray([3])] = 0
    x[asarray([False, False, True, False])] *= 2
    assert x.tolist() == [7, 8, 6, 0]
    assert np.array([asarray(1), asarray(2)]).tolist() == [1, 2]


@pytest.mark.parametrize(
    "write",
    [
        lambda a: a.__setitem__(0, 1.0), lambda a: a.sort(), lambda a: a.fill(0), lambda a: np.copyto(a, 1),
        lambda a: np.add(a, 1, out=a), lambda a: np.add.at(a, 0, 1), lambda a: np.put(a, 0, 1), lambda a: a.put(0, 1),
        lambda a: np.fill_diagonal(a, 1), lambda a: a.sum(axis=0, out=asarray([1.0, 2, 3])),
    ],
)  # fmt: skip
def test_writing_is_refused(write):
    a = asarray(X)
    with pytest.raises(anabranch.ImmutableArrayError, match="never changes"):
        write(a)
    same(a, X)


def test_what_is_missing_says_so():
    a = asarray(X)
    for name in ("flags", "strides", "no_such_thing", "__array_interface__"):
        assert not hasattr(a, name)
    with pytest.raises(anabranch.UnsupportedOperationError, match=r"numpy.asarray\(a\)"):
        np.busday_count(a, a)


def test_operands_of_other_classes_have_their_say():
    class Other:
        def __radd__(self, other):
            return "mine"

    assert asarray([1]) + Other() == "mine"
    with pytest.raises(TypeError):
        asarray([1]) + "text"
    assert (asarray([1]) == "text") is False


def test_exceptions_are_numpys():
    a = asarray(X)
    for wrong in (
        lambda x: x + np.ones(2),
        lambda x: x @ x,
        lambda x: x.sum(axis=2),
        lambda x: x.reshape(4),
        lambda x: ~x,
    ):
        with pytest.raises(Exception) as wanted:  # noqa: PT011 - whichever it is
            wrong(X)
        with pytest.raises(wanted.type.__mro__[0] if wanted.type.__module__ == "builtins" else wanted.type):
            wrong(a)


def test_random_numbers_from_a_key_on_the_device():
    key, there = random.key(7), asarray(random.key(7))
    same(random.uniform(there, (2, 3)), random.uniform(key, (2, 3)))
    same(random.split(there, 3), random.split(key, 3))
    same(random.permutation(key, asarray(Y)), random.permutation(key, Y))
    assert type(random.normal(key, (2,))) is np.ndarray
    same(jit(lambda k, x: x + random.normal(k, (3,)))(key, asarray(Y)), Y + random.normal(key, (3,)))


# ---- exchange ------------------------------------------------------------------------------------------------------


def test_dlpack_to_numpy():
    a = asarray(X)
    given = np.from_dlpack(a)
    assert given.tolist() == X.tolist()
    if given.flags.writeable:  # a copy, where NumPy cannot be told that memory is read-only
        given[:] = 0
        same(a, X)
    assert a.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        a.__dlpack__(copy=False)
    with pytest.raises(BufferError):
        a.__dlpack__(stream=1)


def test_dlpack_from_numpy():
    x = np.arange(4, dtype=np.int16)
    a = anabranch.from_dlpack(x)
    x[:] = 0
    same(a, np.arange(4, dtype=np.int16))
    assert anabranch.from_dlpack(a) is a
    with pytest.raises(BufferError, match="shares no memory"):
        anabranch.from_dlpack(x, copy=False)


def test_torch():
    torch = pytest.importorskip("torch")
    a = asarray(X)
    assert torch.from_dlpack(a).tolist() == X.tolist()
    same(anabranch.from_dlpack(torch.arange(3)), np.arange(3))


def test_numpys_own_tools_take_it(tmp_path):
    a = asarray(X)
    np.testing.assert_array_equal(a, X)
    np.testing.assert_allclose(a, X)
    np.save(tmp_path / "a.npy", a)
    assert np.load(tmp_path / "a.npy").tolist() == X.tolist()
    assert np.array2string(a) == np.array2string(X)

"""Methods and attributes of arrays, and the methods of ufuncs."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from anabranch import jit
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from tests.behaviour.numpy.cases import check_program, compare
from tests.behaviour.numpy.samples import BYTES, COMPLEX, FLOATS, INTS, VECTOR
from tests.equivalence import check


def values(np: Any, a: Any) -> Any:
    return (
        [a.sum(), a.sum(0), a.mean(axis=1, keepdims=True), a.std(), a.var(0), a.prod(), a.cumsum(), a.cumprod(1)],
        [a.any(), a.all(0), a.round(1), a.dot(a.T), a.trace(), a.diagonal(), a.take([0, 1]), a.repeat(2)],
        [a.swapaxes(0, 1), a.transpose(1, 0), a.transpose((1, 0)), a.squeeze(), a.ravel("F"), a.flatten("F")],
        [a.nbytes, a.itemsize, a.size, a.ndim, a.shape, a.dtype, len(a), a.T, a.mT, a.real, a.imag, a.device],
        [a.conj(), a.conjugate(), a.argsort(kind="stable"), a.choose, a.astype("f4"), a.copy(), a.nonzero][:3],
        [a @ a.T, a.T @ a, a[0] @ a[1], 2**a, a**2, -a, a == a, a != 0, np.add([1, 2, 3, 4], a)],
    )


def of_ordered(np: Any, a: Any) -> Any:
    return (
        [a.max(), a.min(1), a.argmax(), a.argmin(0), a.clip(0, 1), abs(a), a // 2, a % 3, divmod(a, 2), a < 1],
        [(a > 0) & (a < 3), ~(a > 0), (a > 0) | (a < 0), (a > 0) ^ (a < 1), a.searchsorted is None],
        [a.item(0), a.item(1, 2), a[0, 0].item(), a.tolist(), a[0].tolist(), a[0, 0].astype("i4")],
    )


@pytest.mark.parametrize("array", [FLOATS, INTS, COMPLEX], ids=["float", "int", "complex"])
def test_values(array: numpy.ndarray) -> None:
    check_program(values, array)


@pytest.mark.parametrize("array", [FLOATS, INTS, BYTES], ids=["float", "int", "uint8"])
def test_values_of_ordered(array: numpy.ndarray) -> None:
    check_program(of_ordered, array)


def written(np: Any, a: Any, v: Any) -> Any:
    a.sort()
    a[0].sort(axis=-1, kind="stable")
    a.T[1].fill(2)
    a.put([0, 5, -1], [5, 6])
    a @= np.eye(4)
    a += v
    a[1:] *= 2
    a[:, 0] = v[:3]
    np.add(a, 1, out=a)
    np.sin(a, out=a, where=a > 0)
    np.multiply(v, 2, out=a[1])
    np.add(v, 1, a)
    np.cumsum(a, axis=0, out=a)
    np.sum(a, axis=0, out=v)
    np.divmod(a, 2, out=(a, a.copy()))
    a.partition(2)
    return a


def test_written() -> None:
    check_program(written, FLOATS, VECTOR)


def test_in_place_keeps_the_dtype() -> None:
    def program(np, i, v):
        i += 2
        i *= True
        return i

    check_program(program, INTS, VECTOR)


@pytest.mark.parametrize("name", ["+=", "out", "/="])
def test_in_place_cast_is_refused(name: str) -> None:
    def program(np, i, v):
        if name == "+=":
            i += v
        elif name == "/=":
            i /= 2
        else:
            np.add(i, 1.5, out=i)

    check_program(program, INTS, VECTOR)


def test_bad_outputs() -> None:
    for shape in ((3,), (4, 3)):

        def program(np, a, shape=shape):
            return np.add(a, 1, out=np.zeros(shape))

        check_program(program, FLOATS)


def folds(np: Any, a: Any) -> Any:
    return (
        [np.add.reduce(a), np.add.reduce(a, 1), np.multiply.reduce(a, axis=None), np.maximum.reduce(a)],
        [
            np.logical_and.reduce(a, 1),
            np.add.accumulate(a),
            np.maximum.accumulate(a, 1),
            np.add.reduce(a, keepdims=True),
        ],
        [np.add.outer(a[0], a[1]), np.subtract.outer(a, a[0]), np.add.reduce(a, initial=2, where=a > 0)],
        [np.add.reduce(a[0, 0]), np.logical_xor.reduce(a), np.multiply.accumulate(a)],
    )


def float_folds(np: Any, a: Any) -> Any:
    return np.fmax.reduce(a), np.hypot.reduce(a, 1), np.logaddexp.reduce(a, 1), np.add.reduce(a, dtype="f4")


def bit_folds(np: Any, a: Any) -> Any:
    return (
        [np.bitwise_and.reduce(a), np.bitwise_xor.reduce(a, 1), np.bitwise_or.reduce(a, None)],
        [np.gcd.reduce(a, 1), np.lcm.reduce(a), np.bitwise_xor.reduce(a[:0]), np.add.reduce(a[:0])],
    )


@pytest.mark.parametrize("array", [FLOATS, INTS, BYTES], ids=["float", "int", "uint8"])
def test_folds(array: numpy.ndarray) -> None:
    check_program(folds, array)


def test_folds_of_some_dtypes() -> None:
    check_program(float_folds, FLOATS)
    check_program(bit_folds, INTS)
    check_program(bit_folds, BYTES)


def at(np: Any, a: Any) -> Any:
    np.add.at(a, [0, 0, 2], 1)
    np.maximum.at(a, (slice(None), 1), 0)
    np.subtract.at(a, (np.array([0, 1]), np.array([1, 1])), a[0, :2])
    np.multiply.at(a, 1, 3)
    return a


def test_at() -> None:
    check_program(at, FLOATS)
    check_program(at, INTS)


def test_at_out_of_bounds() -> None:
    check_program(lambda np, a: np.add.at(a, [9], 1), FLOATS)


def _refused(program: Any) -> str:
    with pytest.raises((UnsupportedOperationError, ConcretizationError)) as caught:
        check_program(lambda np, a: _reraise(program, np, a), FLOATS)
    return str(caught.value)


def _reraise(program: Any, np: Any, a: Any) -> Any:
    """Run only on traced values."""
    return None if np is numpy else program(np, a)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (lambda np, a: a.ctypes, "ndarray.ctypes"),
        (lambda np, a: a.view(bool), "ndarray.view"),
        (lambda np, a: np.linalg.qr(a, "full"), "numpy.linalg.qr"),
        (lambda np, a: np.zeros(3, dtype=object), "dtype object"),
        (lambda np, a: np.random.default_rng(), "default_rng"),
    ],
)  # fmt: skip
def test_refused(program: Any, words: str) -> None:
    with pytest.raises(AssertionError) as caught:
        check_program(lambda np, a: _reraise(program, np, a), FLOATS)
    cause = caught.value.__cause__
    assert isinstance(cause, (UnsupportedOperationError, ConcretizationError))
    assert words in str(cause)


def set_flat(np: Any, a: Any) -> Any:
    a.flat = 2
    a[0].flat = [1, 5, 7]
    a.T.flat = [3, 4]
    return a


def test_set_flat() -> None:
    check_program(set_flat, FLOATS)


@pytest.mark.parametrize("name", ["size", "ndim", "nbytes", "itemsize", "T", "base"])
def test_an_attribute_that_cannot_be_set(name: str) -> None:
    def program(np: Any, a: Any) -> Any:
        setattr(a, name, 3)

    with pytest.raises(AttributeError) as eager:
        program(numpy, FLOATS.copy())
    with pytest.raises(AttributeError) as compiled:
        jit(program, static_argnums=0)(numpy, FLOATS.copy())
    assert str(compiled.value) == str(eager.value)


@pytest.mark.parametrize(("name", "value"), [("strides", 2), ("dtype", "i8"), ("data", b"")])
def test_an_attribute_of_the_memory_is_refused(name: str, value: Any) -> None:
    with pytest.raises(UnsupportedOperationError, match=f"numpy.ndarray.{name} is set"):
        jit(lambda a: setattr(a, name, value))(FLOATS.copy())


def test_methods_as_attributes_of_the_class() -> None:
    def program(a: Any) -> Any:
        return numpy.ndarray.sum(a, axis=0), numpy.ndarray.reshape(a, -1), numpy.float64.conjugate(a[0, 0])

    compare(jit(program)(FLOATS), program(FLOATS))


@pytest.mark.parametrize(
    "array",
    [INTS.astype("i4"), COMPLEX, BYTES, INTS[0, ::2], numpy.array(3.5)],
    ids=["int", "complex", "byte", "part", "0-d"],
)
def test_byteswap(array: numpy.ndarray) -> None:
    def swapped(x: Any) -> Any:
        return x.byteswap()

    def in_place(x: Any) -> Any:
        return x.byteswap(inplace=True), x

    check(swapped, array)
    check(in_place, array)

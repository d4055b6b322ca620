"""Views and copies: a write through one handle is seen by all that share its memory, and by no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from tests.behaviour.numpy.cases import check_program
from tests.behaviour.numpy.samples import COMPLEX, CUBE, FLOATS, INTS

Program = Callable[[Any, Any], Any]

# Each takes (np, a) and gives an array that NumPy makes a view of a, or a copy.
DERIVED: dict[str, Program] = {
    "T": lambda np, a: a.T,
    "reshape": lambda np, a: a.reshape(-1),
    "reshape of T": lambda np, a: a.T.reshape(-1),
    "reshape of T that splits": lambda np, a: a.T.reshape(*a.T.shape[:1], 1, -1),
    "reshape of rows": lambda np, a: a[::2].reshape(a[::2].shape[0], 2, -1),
    "reshape of columns": lambda np, a: a[:, ::2].reshape(-1),
    "reshape of columns that adds": lambda np, a: a[:, ::2].reshape(a.shape[0], 1, -1),
    "reshape of a part": lambda np, a: a[1:, 1:].reshape(-1),
    "reshape of a row": lambda np, a: a[1].reshape(2, -1),
    "reshape of reversed": lambda np, a: a[::-1].reshape(-1),
    "reshape F": lambda np, a: a.reshape(-1, 3, order="F"),
    "reshape F of T": lambda np, a: a.T.reshape(-1, order="F"),
    "reshape A of T": lambda np, a: a.T.reshape(-1, order="A"),
    "reshape copy": lambda np, a: np.reshape(a, -1, copy=True),
    "ravel": lambda np, a: a.ravel(),
    "ravel of rows": lambda np, a: a[:2].ravel(),
    "ravel of every other row": lambda np, a: a[::2, 0].ravel(),
    "ravel of T": lambda np, a: a.T.ravel(),
    "ravel F of T": lambda np, a: np.ravel(a.T, order="F"),
    "ravel K of T": lambda np, a: a.T.ravel("K"),
    "flatten": lambda np, a: a.flatten(),
    "flatten F": lambda np, a: a.flatten("F"),
    "squeeze": lambda np, a: np.squeeze(a[None]),
    "expand_dims": lambda np, a: np.expand_dims(a, 1),
    "atleast_3d": lambda np, a: np.atleast_3d(a),
    "swapaxes": lambda np, a: a.swapaxes(0, -1),
    "moveaxis": lambda np, a: np.moveaxis(a, 0, -1),
    "flip": lambda np, a: np.flip(a, 0),
    "flip of all": lambda np, a: np.flip(a),
    "rot90": lambda np, a: np.rot90(a),
    "rot270": lambda np, a: np.rot90(a, 3),
    "split": lambda np, a: np.split(a, [1], axis=1)[1],
    "real": lambda np, a: a.real,
    "np.real": lambda np, a: np.real(a),
    "imag": lambda np, a: a.imag,
    "asarray": lambda np, a: np.asarray(a),
    "asarray of another dtype": lambda np, a: np.asarray(a, dtype=np.complex64),
    "array": lambda np, a: np.array(a),
    "array that need not copy": lambda np, a: np.array(a, copy=None),
    "copy": lambda np, a: a.copy(),
    "astype": lambda np, a: a.astype(a.dtype),
    "astype that need not copy": lambda np, a: a.astype(a.dtype, copy=False),
    "view": lambda np, a: a.view(),
    "transpose of reshape": lambda np, a: a.reshape(2, -1).T,
    "conj": lambda np, a: a.conj(),
    "nested": lambda np, a: a.T[1:].T[::-1, ::-2],
    "take": lambda np, a: a.take([0, 1], axis=0),
    "diag of a view": lambda np, a: np.diagonal(a).copy(),
}


@pytest.mark.parametrize("name", DERIVED)
@pytest.mark.parametrize("array", [FLOATS, INTS, COMPLEX, CUBE], ids=["float", "int", "complex", "cube"])
def test_write_through(name: str, array: numpy.ndarray) -> None:
    derive = DERIVED[name]

    def program(np, a):
        b = derive(np, a)
        b[0] = 7
        a[-1] += 1
        return a, b

    check_program(program, array)


READ_ONLY: dict[str, Program] = {
    "diagonal": lambda np, a: np.diagonal(a),
    "diag": lambda np, a: np.diag(a),
    "broadcast_to": lambda np, a: np.broadcast_to(a[0], (3, 4)),
    "imag of real": lambda np, a: a.imag,
    "part of a diagonal": lambda np, a: np.diagonal(a)[1:],
}


@pytest.mark.parametrize("name", READ_ONLY)
def test_read_only(name: str) -> None:
    def program(np, a):
        b = READ_ONLY[name](np, a)
        b[0] = 1

    check_program(program, FLOATS)


def test_parts_of_a_complex_array_are_set() -> None:
    def program(np, a):
        a.real = 1
        a.imag[0] = 2
        a[1].imag = a.real[2]
        return a

    check_program(program, COMPLEX)


def test_setting_the_shape() -> None:
    def program(np, a):
        b = a[1]
        b.shape = (2, 2)
        b[0] = 1
        return a, b

    check_program(program, FLOATS)


def test_setting_a_shape_that_needs_a_copy() -> None:
    def program(np, a):
        b = a.T
        b.shape = (12,)

    check_program(program, FLOATS)


def test_identity() -> None:
    def program(np, a):
        return np.asarray(a) is a, np.array(a) is a, a.astype(float, copy=False) is a, np.may_share_memory(a, a.T)

    check_program(program, FLOATS)

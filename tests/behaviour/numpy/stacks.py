"""Matrices and stacks of them that the tests of linear algebra share."""

from __future__ import annotations

import numpy as np

_RNG = np.random.default_rng(1)
SQUARE = _RNG.normal(size=(3, 3))
STACK = _RNG.normal(size=(2, 3, 3))
COMPLEX = STACK + 1j * _RNG.normal(size=(2, 3, 3))
DEEP = _RNG.normal(size=(2, 1, 4, 4))
FLIPPED = np.asfortranarray(_RNG.normal(size=(6, 8)))[::-2, ::2]
INTS = _RNG.integers(-9, 9, (4, 4))
DEFINITE = STACK @ STACK.transpose(0, 2, 1) + np.eye(3)
HERMITIAN = COMPLEX @ COMPLEX.conj().transpose(0, 2, 1) + np.eye(3)
WIDE, TALL = _RNG.normal(size=(2, 3, 5)), _RNG.normal(size=(5, 3))
DEPENDENT = np.outer(np.arange(1.0, 5), np.arange(1.0, 4))
ONE = np.array([[2.5]])
NONE, NO_STACK = np.zeros((0, 0)), np.zeros((0, 3, 3))
SINGULAR = np.array([np.eye(3), np.ones((3, 3))])
NANS = np.array([[np.nan, 1.0], [1.0, 2.0]])
WRONG = (np.float64(2), np.ones(3), np.ones((2, 3)), np.ones((3, 3), np.float16))
SQUARES = (SQUARE, STACK, COMPLEX, DEEP, FLIPPED[:3, :3], INTS, ONE, NONE, NO_STACK)
SQUARES += tuple(x.astype(np.complex64 if x.dtype.kind == "c" else np.float32) for x in (STACK, COMPLEX))
SQUARES += (INTS > 0, INTS.astype(np.int8), DEFINITE, HERMITIAN)
EMPTIES = tuple(np.zeros(shape) for shape in ((3, 0), (0, 3), (2, 0, 3), (0, 2, 3)))
RECTANGLES = (WIDE, TALL, FLIPPED, TALL.astype(np.float32), TALL + 1j * TALL**2, DEPENDENT, *EMPTIES)

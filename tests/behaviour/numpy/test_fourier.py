"""Fourier transforms."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import BYTES, COMPLEX, CUBE, EMPTY, FLOATS, INTS, SCALAR, SINGLE, TRUTHS, VECTOR

case = Table()
ONE_AXIS = (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.hfft, np.fft.ihfft)
ALL_AXES = (np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn)
PLANE = (np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2)
ARRAYS = (FLOATS, VECTOR, COMPLEX, SINGLE, INTS, BYTES, TRUTHS, COMPLEX.astype(np.complex64), FLOATS.astype(np.float16))
FLIPPED = np.asfortranarray(CUBE)[::-1, ::2, ::-1]

for f in ONE_AXIS:
    for X in ARRAYS:
        case(f, X)
        case(f, X, Static(7))
    for n in (1, 2, 3, 4, 6):
        for norm in (None, "backward", "ortho", "forward"):
            case(f, FLOATS, Static(n), axis=Static(0), norm=Static(norm))
            case(f, SINGLE, Static(n), axis=Static(1), norm=Static(norm))
    case(f, FLIPPED, axis=Static(1))
    case(f, EMPTY)
    case(f, EMPTY, axis=Static(0))
    case(f, EMPTY, Static(2), axis=Static(0))
    case(f, [1, 2.5, 4])
    case(f, SCALAR)
    case(f, SCALAR, Static(2))
    case(f, VECTOR, Static(0))
    case(f, VECTOR, Static(-2))
    case(f, VECTOR, axis=Static(2))
    case(f, VECTOR, norm=Static("other"))
    if f is not np.fft.hfft:
        case(f, VECTOR, Static(6), out=np.zeros(4, np.complex128))
        case(f, VECTOR, Static(5), out=np.zeros(5, np.complex128))
for f in (*ALL_AXES, *PLANE):
    for X in (*ARRAYS, CUBE, FLIPPED, EMPTY, SCALAR):
        case(f, X)
    for norm in ("ortho", "forward"):
        case(f, CUBE, norm=Static(norm))
    for s in ((2, 3), (5, 1), (-1, 4), (3,), (0, 2)):
        case(f, CUBE, Static(s), axes=Static((0, 2)))
    case(f, CUBE, axes=Static((1, 0)))
    case(f, CUBE, axes=Static((0, 0)))
    case(f, CUBE, axes=Static((7,)))
    case(f, CUBE, axes=Static(()))
for f in (np.fft.fft, np.fft.ifft, np.fft.fft2, np.fft.fftn, np.fft.ifftn):
    case(f, CUBE, out=np.zeros(CUBE.shape, np.complex128))
    case(f, CUBE, out=np.zeros(CUBE.shape, np.complex64))
case(np.fft.rfft, CUBE, out=np.zeros((2, 3, 3), np.complex128))
case(np.fft.ihfft, CUBE, out=np.zeros((2, 3, 3), np.complex128))
case(np.fft.irfft, CUBE, out=np.zeros((2, 3, 6)))
case(np.fft.rfftn, CUBE, out=np.zeros((2, 3, 3), np.complex128))
case(np.fft.irfftn, CUBE, out=np.zeros((2, 3, 6)))
for f in (np.fft.fftshift, np.fft.ifftshift):
    for X in (FLOATS, INTS, VECTOR, CUBE, EMPTY, FLIPPED):
        case(f, X)
        case(f, X, Static(0))
    case(f, CUBE, Static((0, 2)))
    case(f, CUBE, axes=Static(-1))
    case(f, CUBE, axes=Static(()))
    case(f, np.array(2.5))
for f in (np.fft.fftfreq, np.fft.rfftfreq):
    for n in (1, 2, 7, 8, np.int64(5)):
        case(f, Static(n))
        case(f, Static(n), Static(0.1))
        case(f, Static(n), 0.1)
        case(f, Static(n), d=Static(3))
    case(f, Static(2.5))
    case(f, Static(0))
    case(f, Static(3), 0.0)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)

"""`anabranch.numpy.linalg` and `anabranch.numpy.fft` beside array-api-strict."""

from __future__ import annotations

import array_api_strict as strict
import numpy as np
import pytest

import anabranch.numpy as xp
from anabranch import Array, jit

SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]])
STACK = np.stack([SQUARE, SQUARE + np.eye(3)])
TALL = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]])
SIGNAL = np.array([1.0, -2.0, 0.5, 3.0, 0.0, 1.5])


class Given:
    def __init__(self, namespace):
        self.s, self.k, self.t, self.v = map(namespace.asarray, (SQUARE, STACK, TALL, SIGNAL))
        self.c = namespace.asarray(SIGNAL + 1j * SIGNAL[::-1])
        self.m = namespace.asarray(SIGNAL.reshape(2, 3) * (1 - 2j))


def rebuilt(parts):
    """The product of the parts of a decomposition, whose signs are free, and their shapes."""
    return [parts[0] @ parts[1], parts[0].shape, parts[1].shape]


def svd(n, x, full):
    u, s, v = n.linalg.svd(x, full_matrices=full)
    k = s.shape[-1]
    return [s, u.shape, v.shape, (u[..., :k] * s[..., None, :]) @ v[..., :k, :]]


LINALG = {
    "cholesky": lambda n, a: [n.linalg.cholesky(a.k), n.linalg.cholesky(a.s, upper=True)],
    "cross": lambda n, a: [n.linalg.cross(a.s, a.s[::-1, :], axis=-1)],
    "det": lambda n, a: [n.linalg.det(a.k)],
    "diagonal": lambda n, a: [n.linalg.diagonal(a.k, offset=1)],
    "eigh": lambda n, a: [n.linalg.eigh(a.s).eigenvalues, n.abs(n.linalg.eigh(a.s).eigenvectors)],
    "eigvalsh": lambda n, a: [n.linalg.eigvalsh(a.k)],
    "inv": lambda n, a: [n.linalg.inv(a.k)],
    "matmul": lambda n, a: [n.linalg.matmul(a.s, a.t)],
    "matrix_norm": lambda n, a: [n.linalg.matrix_norm(a.k), n.linalg.matrix_norm(a.s, ord=1, keepdims=True)],
    "matrix_power": lambda n, a: [n.linalg.matrix_power(a.s, 3)],
    "matrix_rank": lambda n, a: [n.linalg.matrix_rank(a.k), n.linalg.matrix_rank(a.t, rtol=1e-3)],
    "matrix_transpose": lambda n, a: [n.linalg.matrix_transpose(a.k)],
    "outer": lambda n, a: [n.linalg.outer(a.v, a.v)],
    "pinv": lambda n, a: [n.linalg.pinv(a.t), n.linalg.pinv(a.s, rtol=1e-10)],
    "qr": lambda n, a: rebuilt(n.linalg.qr(a.t)) + rebuilt(n.linalg.qr(a.t, mode="complete")),
    "slogdet": lambda n, a: list(n.linalg.slogdet(a.k)),
    "solve": lambda n, a: [n.linalg.solve(a.s, a.t), n.linalg.solve(a.s, a.v[:3])],
    "svd": lambda n, a: svd(n, a.t, True) + svd(n, a.k, False),
    "svdvals": lambda n, a: [n.linalg.svdvals(a.t)],
    "tensordot": lambda n, a: [n.linalg.tensordot(a.s, a.t, axes=1)],
    "trace": lambda n, a: [n.linalg.trace(a.k), n.linalg.trace(a.s, offset=1)],
    "vecdot": lambda n, a: [n.linalg.vecdot(a.s, a.s)],
    "vector_norm": lambda n, a: [n.linalg.vector_norm(a.k, axis=(0, 1)), n.linalg.vector_norm(a.v, ord=1)],
}
FFT = {name: lambda n, a, f=name: [getattr(n.fft, f)(a.c), getattr(n.fft, f)(a.c, n=8, norm="ortho")]
       for name in ("fft", "ifft", "irfft", "hfft")}  # fmt: skip
FFT |= {name: lambda n, a, f=name: [getattr(n.fft, f)(a.v), getattr(n.fft, f)(a.v, n=4, norm="forward")]
        for name in ("rfft", "ihfft")}  # fmt: skip
FFT |= {name: lambda n, a, f=name: [getattr(n.fft, f)(a.m), getattr(n.fft, f)(a.m, axes=(0,))]
        for name in ("fftn", "ifftn", "irfftn")}  # fmt: skip
FFT |= {
    "rfftn": lambda n, a: [n.fft.rfftn(a.s), n.fft.rfftn(a.s, s=(2, 2), axes=(0, 1))],
    "fftfreq": lambda n, a: [n.fft.fftfreq(5), n.fft.fftfreq(4, d=0.5)],
    "rfftfreq": lambda n, a: [n.fft.rfftfreq(5)],
    "fftshift": lambda n, a: [n.fft.fftshift(a.v), n.fft.fftshift(a.m, axes=1)],
    "ifftshift": lambda n, a: [n.fft.ifftshift(a.v)],
}
CALLS = {"linalg": LINALG, "fft": FFT}
NAMES = [(extension, name) for extension, calls in CALLS.items() for name in calls]


def compare(got, wanted):
    assert len(got) == len(wanted)
    for g, w in zip(got, wanted, strict=True):
        if not hasattr(w, "__array_namespace__"):
            assert tuple(g) == tuple(w)
            continue
        theirs = np.from_dlpack(w)
        assert type(g) is Array
        assert (g.dtype, g.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_allclose(np.asarray(g), theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("extension", CALLS)
def test_every_name_is_there(extension):
    assert sorted(CALLS[extension]) == sorted(getattr(strict, extension).__all__)
    assert set(CALLS[extension]) <= set(dir(getattr(xp, extension)))


@pytest.mark.parametrize(("extension", "name"), NAMES)
def test_function(extension, name):
    call = CALLS[extension][name]
    compare(call(xp, Given(xp)), call(strict, Given(strict)))


@pytest.mark.parametrize("extension", CALLS)
def test_in_compiled_code(extension):
    calls = CALLS[extension]
    compiled = jit(lambda a: {name: call(xp, a) for name, call in calls.items()})(Given(xp))
    for name, call in calls.items():
        compare(compiled[name], call(strict, Given(strict)))

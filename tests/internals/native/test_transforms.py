"""Transforms in machine code: NumPy's own loops, with its results to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.native import transforms
from anabranch.runtime.xla import disk_cache
from tests.equivalence import check

RNG = np.random.default_rng(11)
SHAPES = ((7,), (16,), (33,), (5, 12), (3, 4, 9), (2000,))

FUNCTIONS = {
    "fft": lambda z: np.fft.fft(z),
    "ifft": lambda z: np.fft.ifft(z),
    "rfft": lambda z: np.fft.rfft(z.real),
    "irfft": lambda z: np.fft.irfft(z),
    "odd": lambda z: np.fft.irfft(z, 2 * z.shape[-1] - 1),
    "shorter": lambda z: np.fft.rfft(z.real, 5),
    "longer": lambda z: np.fft.fft(z * 2, 40),
    "scaled": lambda z: np.fft.fft(z, norm="ortho"),
    "first axis": lambda z: np.fft.fft(z, axis=0),
    "both axes": lambda z: np.fft.fft2(z) if z.ndim > 1 else z,
    "transposed": lambda z: np.fft.rfft(z.real.T),
    "convolved": lambda z: np.fft.irfft(np.fft.rfft(z.real) * np.conj(np.fft.rfft(z.real[..., ::-1]))),
}


def numbers(shape):
    return RNG.normal(size=shape) + 1j * RNG.normal(size=shape)


@pytest.fixture
def no_xla(monkeypatch):
    """XLA compiles nothing."""

    def refuse(*_):
        raise AssertionError("XLA was asked")

    monkeypatch.setattr(disk_cache, "compile_text", refuse)


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.usefixtures("no_xla")
def test_to_the_bit(name, dtype):
    if name == "scaled" and dtype is np.complex64:
        pytest.skip("NumPy has a loop of single precision for it, which rounds otherwise")
    function = FUNCTIONS[name]
    f = jit(function)
    for shape in SHAPES:
        z = numbers(shape).astype(dtype)
        want = function(z)
        for _ in range(3):
            got = f(z)
            assert got.dtype == want.dtype
            assert np.array_equal(got, want), shape


def steps(z, n):
    """Transforms in the steps of a loop, in place."""
    for i in range(n):
        z[:] = np.fft.ifft(np.fft.fft(z) * np.exp(-0.1j * i))
        if z[0].real > 5.0:
            break
    return z


def test_in_loops():
    check(steps, numbers(32), 6)
    assert jit(steps).explain(numbers(32), 6)


def test_long_ones_are_xlas():
    f = jit(FUNCTIONS["fft"])
    assert f.lower(numbers(2**13)).native_program() is None


def test_a_column_is_read_and_written_where_it_lies():
    program = jit(FUNCTIONS["first axis"]).lower(numbers((50, 60))).native_program()
    assert program is not None
    assert "br label %each" not in program.llvm.partition("define ptr @call")[0]  # no loop moves elements


def test_without_such_loops(monkeypatch):
    monkeypatch.setattr(transforms, "_MODULE", "numpy.fft.another_release")
    f = jit(FUNCTIONS["rfft"])
    z = numbers(12)
    assert f.lower(z).native_program() is None
    np.testing.assert_allclose(f(z), np.fft.rfft(z.real), rtol=1e-13, atol=1e-13)

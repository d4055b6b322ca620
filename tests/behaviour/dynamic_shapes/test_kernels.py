"""The kernels of run-time sizes give NumPy's results, and their Programs do not grow with the size."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from benchmarks.compare import leaves
from benchmarks.equations import equations
from benchmarks.kernels import all_kernels

KERNELS = {name: kernel for name, kernel in all_kernels().items() if kernel.style == "slices"}


def arguments(kernel, n, dtype):
    return tuple(a.astype(dtype) if isinstance(a, np.ndarray) and a.dtype.kind == "f" else a for a in kernel.make(n))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", KERNELS)
def test_kernel_equals_numpy(name, dtype):
    kernel = KERNELS[name]
    compiled = jit(kernel.function)
    for n in (1, 2, 7, 20, 150):
        ours, theirs = arguments(kernel, n, dtype), arguments(kernel, n, dtype)
        result, expected = compiled(*ours), kernel.function(*theirs)
        for found, wanted in zip(leaves((result, ours)), leaves((expected, theirs)), strict=True):
            assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
            np.testing.assert_allclose(
                found, wanted, rtol=1e-9 if dtype is np.float64 else 2e-3, atol=1e-12 if dtype is np.float64 else 1e-4
            )


@pytest.mark.parametrize("name", KERNELS)
def test_program_does_not_grow_with_the_size(name):
    kernel = KERNELS[name]
    small, large = (jit(kernel.function).trace(*kernel.make(n)).program for n in (200, 2000))
    assert equations(small) == equations(large)


@pytest.mark.parametrize("name", KERNELS)
def test_arguments_are_reproducible(name):
    kernel = KERNELS[name]
    for first, second in zip(kernel.make(20), kernel.make(20), strict=True):
        np.testing.assert_array_equal(first, second)

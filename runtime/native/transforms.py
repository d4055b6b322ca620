"""Discrete Fourier transforms: NumPy's own loops in C, which give its results to the bit."""

from __future__ import annotations

import math

import numpy as np

from anabranch.runtime.host.library_ufuncs import LibraryUfunc
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.library_loops import LibraryLoop
from anabranch.runtime.native.llvm_types import NotNativeError, constant, memory_type
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.native.values import is_lazy, is_memory, packed
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

_MODULE = "numpy.fft._pocketfft_umath"
# XLA takes less time for longer ones of complex numbers.
_MOST_COMPLEX = 2**12


def transformed(emitter: ValueEmitter, equation: Equation, name: str) -> str:
    """The result of a `fft`, in memory of its own.

    Raises `NotNativeError` where this NumPy has no such loop, or XLA is better at it.
    """
    (x,), out, memory = [a.type for a in equation.inputs], equation.outputs[0].type, emitter.memory
    kind, n = equation.params["kind"], equation.params["n"]
    real = np.dtype(x.dtype.char.lower())
    if kind in ("fft", "ifft") and n > _MOST_COMPLEX:
        raise NotNativeError(f"a transform of {n} complex numbers")
    if real != np.float64 or 1 in (x.size, out.size):
        # NumPy computes those of single precision in double precision, or does not, as it finds loops.
        raise NotNativeError(f"a transform of {x}")
    memory.expect_whole(max(x.size, out.size))
    ufunc = LibraryUfunc(_MODULE, f"rfft_n_{'odd' if n % 2 else 'even'}" if kind == "rfft" else kind)
    loop = LibraryLoop(emitter.code, ufunc, (x.dtype, real, out.dtype))
    if is_lazy(name):
        (name,) = emitter.stores.settled([name], [x], memory.all_places())
    elif not is_memory(name):
        name = memory.spilled(name, x)
    made = memory.place_of(memory.allocate(out))
    scale = emitter.code.reserve(memory_type(real))
    # As NumPy computes it, in the numbers' own precision.
    factor = np.reciprocal(n, dtype=real) if kind in ("ifft", "irfft") else np.ones((), real)
    emitter.code.act(f"store {memory_type(real)} {constant(factor)}, ptr {scale}")
    points, results = x.shape[-1], out.shape[-1]
    loop.on_rows(
        [memory.pointer(memory.place_of(name)), scale, memory.pointer(made)],
        [math.prod(x.shape[:-1]), points, results],
        [points * x.dtype.itemsize, 0, results * out.dtype.itemsize, x.dtype.itemsize, out.dtype.itemsize],
    )
    result = memory.written(made)
    return result if out.size > MOST_ELEMENTS else packed(memory.whole(result, out))

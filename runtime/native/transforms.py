"""Discrete Fourier transforms: NumPy's own loops in C, which give its results to the bit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from anabranch.runtime.host.library_ufuncs import LibraryUfunc
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine
from anabranch.runtime.native.lazy_array import Axis, LazyArray, joined_axes
from anabranch.runtime.native.library_loops import LibraryLoop
from anabranch.runtime.native.llvm_types import NotNativeError, constant, is_lazy, is_memory, memory_type, packed
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

_MODULE = "numpy.fft._pocketfft_umath"
# XLA takes less time for longer ones of complex numbers.
_MOST_COMPLEX = 2**12
_WIDE: Mapping[np.dtype, np.dtype] = {np.dtype("f"): np.dtype("d"), np.dtype("F"): np.dtype("D")}


def transformed(emitter: ValueEmitter, equation: Equation, name: str) -> str:
    """The result of a `fft`, in memory of its own.

    Raises `NotNativeError` where this NumPy has no such loop, or XLA is better at it.
    """
    x, out, kind, n = equation.inputs[0].type, equation.outputs[0].type, equation.params["kind"], equation.params["n"]
    if kind in ("fft", "ifft") and n > _MOST_COMPLEX:
        raise NotNativeError(f"a transform of {n} complex numbers")
    if 1 in (x.size, out.size):
        raise NotNativeError(f"a transform of {x}")
    if kind in ("fft", "rfft") and x.dtype in _WIDE:
        # NumPy computes these in double precision.
        name, x = emitter.convert(name, x, _WIDE[x.dtype]), ArrayType(x.shape, _WIDE[x.dtype])
        wide = ArrayType(out.shape, _WIDE[out.dtype])
        return emitter.convert(_computed(emitter, kind, n, name, x, wide), wide, out.dtype)
    return _computed(emitter, kind, n, name, x, out)


def _computed(emitter: ValueEmitter, kind: str, n: int, name: str, x: ArrayType, out: ArrayType) -> str:
    """The result of NumPy's loop for these very types."""
    memory, real = emitter.memory, np.dtype(x.dtype.char.lower())
    memory.expect_whole(max(x.size, out.size))
    ufunc = LibraryUfunc(_MODULE, f"rfft_n_{'odd' if n % 2 else 'even'}" if kind == "rfft" else kind)
    loop = LibraryLoop(emitter.code, ufunc, (x.dtype, real, out.dtype))
    whole = emitter.arrays.of(name, x).whole if is_lazy(name) else None
    order = None if whole is None or not whole.memory else _order_in_memory(emitter.arrays.of(name, x), whole)
    if whole is not None and order is not None:
        name = whole.memory
    elif is_lazy(name):
        (name,) = emitter.stores.settled([name], [x], memory.all_places())
    elif not is_memory(name):
        name = memory.spilled(name, x)
    order = order or tuple(range(len(x.shape)))
    rows_of, rows_to = _rows(x, order), _rows(out, order)
    if rows_of is None or rows_to is None:
        raise NotNativeError(f"a transform of {x} whose rows are apart in memory")
    lying = ArrayType(tuple(out.shape[axis] for axis in order), out.dtype)
    made = memory.place_of(memory.allocate(lying))
    scale = emitter.code.reserve(memory_type(real))
    # As NumPy computes it, in the numbers' own precision.
    factor = np.reciprocal(n, dtype=real) if kind in ("ifft", "irfft") else np.ones((), real)
    emitter.code.act(f"store {memory_type(real)} {constant(factor)}, ptr {scale}")
    loop.on_rows(
        [memory.pointer(memory.place_of(name)), scale, memory.pointer(made)],
        [math.prod(x.shape[:-1]), x.shape[-1], out.shape[-1]],
        [rows_of[0], 0, rows_to[0], rows_of[1], rows_to[1]],
    )
    result = memory.written(made)
    if lying.shape != out.shape or order != tuple(range(len(order))):
        axes = tuple(Axis(Affine(0), 1, axis) for axis in order)
        return emitter.arrays.name(emitter.arrays.part(emitter.arrays.of(result, lying), out, axes))
    return result if out.size > MOST_ELEMENTS else packed(memory.whole(result, out))


def _order_in_memory(array: LazyArray, whole: LazyArray) -> tuple[int, ...] | None:
    """The axes of a transposed array as they follow one another in memory; None where it is no such array."""
    axes = array.axes
    order = tuple(-1 if axis.of is None else axis.of for axis in axes)
    is_transposed = sorted(order) == list(range(len(array.type.shape))) and all(
        axis.start == Affine(0) and axis.stride == 1 and whole.type.shape[k] == array.type.shape[order[k]]
        for k, axis in enumerate(axes)
    )
    is_taken = is_transposed and array.type.size > MOST_ELEMENTS and _rows(array.type, order) is not None
    return order if is_taken else None


def _rows(type: ArrayType, order: Sequence[int]) -> tuple[int, int] | None:
    """How many bytes it is from row to row, and along one, of an array whose axes lie in an order; None if not so."""
    strides, step = {}, type.dtype.itemsize
    for axis in reversed(order):
        strides[axis] = step
        step *= type.shape[axis]
    rows = joined_axes([(type.shape[axis], strides[axis]) for axis in range(len(type.shape) - 1)])
    return None if rows is None else (rows[1], strides[len(type.shape) - 1])

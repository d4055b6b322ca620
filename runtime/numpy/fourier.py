"""Discrete Fourier transforms: each is one along an axis, or several after one another."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import (
    atom_of,
    fresh,
    handle,
    one_axis,
    plain,
    store,
    traced_inside,
)
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, registry
from anabranch.runtime.values.arrays.traced_array import TracedArray

rules = Rules()

_F = registry.FUNCTIONS
_OPPOSITE = {"backward": "forward", None: "forward", "ortho": "ortho", "forward": "backward"}
# What half precision is computed in.
_WIDE = {np.dtype(np.float16): np.dtype(np.float32)}


def _opposite(norm: object) -> str:
    if norm not in _OPPOSITE:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return _OPPOSITE[norm]


def _scale(n: int, norm: object, forward: bool, real: np.dtype) -> float:
    """By what the op's result is multiplied; the op itself divides inverses by n."""
    opposite = _opposite(norm)
    direction = norm if forward else opposite
    if direction in (None, "backward"):
        return 1.0 if forward else n
    if direction == "forward" and not forward and real not in _WIDE:
        return 1.0
    # NumPy rounds the factor to the operand's precision, which half precision shows.
    root = np.sqrt(n, dtype=real) if norm == "ortho" else n
    factor = float(np.reciprocal(root, dtype=real))
    return factor if forward else factor * n


def _transformed(a: TracedArray, n: int, axis: object, kind: str, norm: object, out: object) -> TracedArray:
    """One transform along one axis, with NumPy's checks."""
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    scale = _scale(n, norm, kind in ("fft", "rfft"), np.result_type(a.real.dtype, 1.0))
    at = one_axis(axis, a.ndim)
    half = n // 2 + 1
    taken, given = {"rfft": (n, half), "irfft": (half, n)}.get(kind, (n, n))
    shape = getattr(out, "shape", None)
    if shape is not None and (len(shape) != a.ndim or shape[at] != given):
        raise ValueError("output array has wrong shape.")
    final, x = _prepared(a, kind)
    line = _resized(_last(x, at), taken)
    found = _scaled(atoms.op("fft", line, kind=kind, n=n), scale)
    value = atoms.convert(_back(found, at), final)
    return fresh(value) if out is None else store(out, value)


def _prepared(a: TracedArray, kind: str) -> tuple[np.dtype, Atom]:
    """The dtype of the result, and the operand in the dtype that is computed with."""
    if a.dtype.kind not in "biufc":
        raise TypeError(f"ufunc '{kind}' not supported for the input types")
    if kind == "rfft" and a.dtype.kind == "c":
        raise TypeError(
            "ufunc 'rfft' not supported for the input types, and the inputs could not be safely coerced to any "
            "supported types according to the casting rule ''safe''"
        )
    real = np.result_type(a.real.dtype, 1.0)
    wide = _WIDE.get(real, real)
    complex_ = np.result_type(wide, np.complex64)
    return real if kind == "irfft" else complex_, atoms.convert(a.atom, wide if kind == "rfft" else complex_)


def _last(x: Atom, axis: int) -> Atom:
    """The axis put last."""
    rest = [i for i in range(len(x.type.shape)) if i != axis]
    return atoms.transpose(x, [*rest, axis])


def _back(x: Atom, axis: int) -> Atom:
    """The last axis put where it was."""
    order = list(range(len(x.type.shape) - 1))
    order.insert(axis, len(order))
    return atoms.transpose(x, order)


def _resized(x: Atom, size: int) -> Atom:
    """The last axis cut, or filled up with zeros."""
    missing = size - x.type.shape[-1]
    zeros = (0,) * len(x.type.shape)
    if missing > 0:
        high = (*zeros[:-1], missing)
        return atoms.op("pad", x, atoms.literal(0, x.type.dtype), low=zeros, high=high, interior=zeros)
    return atom_of(fresh(x)[..., :size]) if missing < 0 else x


def _scaled(x: Atom, scale: float) -> Atom:
    """The parts of complex numbers are multiplied one by one: there is no imaginary part to multiply with."""
    if scale == 1:
        return x
    array: Any = fresh(x)
    if x.type.dtype.kind != "c":
        return atom_of(array * scale)
    return atoms.op("complex", atom_of(array.real * scale), atom_of(array.imag * scale))


# ---- along one axis --------------------------------------------------------------------------------------------------


def _points(a: TracedArray, n: Value, axis: Value, half: bool = False) -> int:
    """How many points are transformed."""
    if n is not None:
        return operator.index(n)
    size: int = a.shape[axis]
    return (size - 1) * 2 if half else size


def _register(original: Callable[..., object]) -> None:
    kind = original.__name__

    def function(a: Value, n: Value = None, axis: Value = -1, norm: Value = None, out: Value = None) -> TracedArray:
        array = handle(a)
        return _transformed(array, _points(array, n, axis, kind == "irfft"), axis, kind, norm, out)

    rules.implements(original)(function)


for _original in (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft):
    _register(_original)


# ---- to which NumPy before 2.5 does not hand on `out` ----------------------------------------------------------------


@rules.implements(np.fft.hfft)
def hfft(a: object, n: object = None, axis: object = -1, norm: object = None, out: object = None) -> Value:
    """As `numpy.fft.hfft`, and `out` is written, which NumPy's own code forgets."""
    array = handle(a)
    return _F[np.fft.irfft](_F[np.conjugate](array), _points(array, n, axis, True), axis, _opposite(norm), out)


def _in_two(original: Callable[..., object], several: Callable[..., object]) -> None:
    def function(a: Value, s: Value = None, axes: Value = (-2, -1), norm: Value = None, out: Value = None) -> Value:
        return _F[several](a, s, axes, norm, out)

    rules.implements(original)(function)


_in_two(np.fft.ifft2, np.fft.ifftn)
_in_two(np.fft.irfft2, np.fft.irfftn)


# ---- helpers ---------------------------------------------------------------------------------------------------------


def _frequencies(original: Callable[..., Any]) -> None:
    @rules.creates(original)
    def function(n: Value, d: Value = 1.0, device: Value = None) -> Value:
        plain(f"fft.{original.__name__}", device=(device, None))
        n = operator.index(n) if traced_inside(n) else n
        # NumPy's counts of cycles in n points; d may be known only at run time.
        counts = np.rint(original(n) * n).astype(np.int64)
        return fresh(atoms.literal(counts)) * (1.0 / (n * d))

    del function


_frequencies(np.fft.fftfreq)
_frequencies(np.fft.rfftfreq)

"""Functions of libraries, by their own code: ufuncs, and those of the C library and of `math`.

XLA's own functions do not have the C library's results to the last bit, so outside of machine code these are called
on the host. Some of them single random numbers are computed with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.host.library_ufuncs import LibraryUfunc
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.elementwise.python_arithmetic import PythonOp
from anabranch.runtime.ops.elementwise.term import identity
from anabranch.runtime.ops.op import CallOp, expect


class _LibraryUfunc(CallOp):
    """`library_ufunc[ufunc] *xs`: the results of a ufunc on arrays of one shape, whose dtypes are a loop of it."""

    __slots__ = ()

    def type(self, *inputs: ArrayType, ufunc: LibraryUfunc) -> tuple[ArrayType, ...]:
        """The outputs' dtypes in the inputs' shape."""
        function, shape = ufunc.load(), inputs[0].shape
        expect(len(inputs) == function.nin, self.name, f"{ufunc} takes {function.nin} inputs")
        expect(all(x.shape == shape for x in inputs), self.name, "takes arrays of one shape")
        given = tuple(x.dtype for x in inputs)
        loop = function.resolve_dtypes((*given, *(None,) * function.nout))
        expect(loop[: function.nin] == given, self.name, f"{ufunc} has no loop for {given}")
        return tuple(ArrayType(shape, dtype) for dtype in loop[function.nin :])

    def evaluate(self, *arrays: np.ndarray, **params: Any) -> tuple[np.ndarray, ...]:
        """The library's own results."""
        with np.errstate(all="ignore"):
            made = params["ufunc"].load()(*arrays)
        return tuple(map(np.asarray, made if isinstance(made, tuple) else (made,)))

    def write(self, outs: Sequence[np.ndarray], *arrays: np.ndarray, **params: Any) -> None:
        """Write the library's own results."""
        params["ufunc"].load()(*arrays, out=tuple(outs))


library_ufunc = _LibraryUfunc("library_ufunc")


_FLOAT = np.dtype(np.float64)


class _Libm(CallOp, PythonOp):
    """`libm_log(x)` and its kin: the function of the C library."""

    __slots__ = ()

    def __init__(self, name: str, function: Callable[[float], float]) -> None:
        PythonOp.__init__(self, name, (_FLOAT, _FLOAT), function, identity)


def _log(x: float) -> float:
    return math.log(x) if x > 0 else math.nan


def _total(function: Callable[[float], float]) -> Callable[[float], float]:
    """The function with NaN outside of its domain, and infinity where its result is too large."""

    def of(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return of


libm_log, libm_sin, libm_cos = _Libm("libm_log", _log), _Libm("libm_sin", math.sin), _Libm("libm_cos", math.cos)
libm_erf, libm_erfc = _Libm("libm_erf", math.erf), _Libm("libm_erfc", math.erfc)
math_gamma, math_lgamma = _Libm("math_gamma", _total(math.gamma)), _Libm("math_lgamma", _total(math.lgamma))


OPS: tuple[Op, ...] = (
    library_ufunc,
    libm_log,
    libm_sin,
    libm_cos,
    libm_erf,
    libm_erfc,
    math_gamma,
    math_lgamma,
)

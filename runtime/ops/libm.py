"""Functions of the C library and of `math`, to the last bit: some of them single random numbers are computed with.

XLA's own are not these, so outside of machine code they are called on the host.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops import op
from anabranch.runtime.ops.elementwise.python_arithmetic import PythonOp
from anabranch.runtime.ops.elementwise.term import identity
from anabranch.runtime.ops.op import CallOp
from anabranch.runtime.ops.stablehlo_writer import LoweringContext

_FLOAT = np.dtype(np.float64)


class _Libm(CallOp, PythonOp):
    """`libm_log(x)` and its kin: the function of the C library."""

    __slots__ = ()

    def __init__(self, name: str, function: Callable[[float], float]) -> None:
        PythonOp.__init__(self, name, (_FLOAT, _FLOAT), function, identity)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        return op.called(ctx, self)


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
OPS: tuple[Op, ...] = (libm_log, libm_sin, libm_cos, libm_erf, libm_erfc, math_gamma, math_lgamma)

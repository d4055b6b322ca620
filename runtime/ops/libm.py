"""Functions of the C library, to the last bit: those that Python and NumPy compute single random numbers with.

XLA's own are not these, so outside of machine code they are called on the host.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops import numpy_calls
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
        return numpy_calls.called(ctx, self)


def _log(x: float) -> float:
    return math.log(x) if x > 0 else math.nan


libm_log, libm_sin, libm_cos = _Libm("libm_log", _log), _Libm("libm_sin", math.sin), _Libm("libm_cos", math.cos)
OPS: tuple[Op, ...] = (libm_log, libm_sin, libm_cos)

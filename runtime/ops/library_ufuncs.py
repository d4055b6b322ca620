"""Ufuncs of other libraries, element by element: the library's own loops compute them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.host.library_ufuncs import LibraryUfunc
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops import op
from anabranch.runtime.ops.op import CallOp, expect
from anabranch.runtime.ops.stablehlo_writer import LoweringContext


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

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        """Emit a call of the ufunc."""
        return op.called(ctx, self)


library_ufunc = _LibraryUfunc("library_ufunc")
OPS: tuple[Op, ...] = (library_ufunc,)

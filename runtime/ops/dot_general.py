"""The general dot product."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ir.program import Equation, Var
from anabranch.runtime.ops import op
from anabranch.runtime.ops.blocked_reduction import reduced
from anabranch.runtime.ops.op import BOOL, UNBOUNDED, expect, in_range
from anabranch.runtime.ops.reducers import ADD
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext

_FLOAT32 = np.dtype(np.float32)
# From so many elements on NumPy takes less time, the call of the host included, for matrices and for vectors.
_LARGE, _LONG = 4096, 16 * 1024
# From so many multiplications on it takes no longer to call the library that NumPy calls.
_LEAST_FOR_LIBRARY = 4096
# From this size on an argument's product with a vector is a sum of products, which reads the argument where it is: for
# the library's product it would be copied. Such a loop takes longer to compile.
_LARGE_ARGUMENT = 64 * 1024
# Those of x, and those of y.
_Axes: TypeAlias = tuple[Sequence[int], Sequence[int]]


class _DotGeneral(Op):
    """`dot_general[contract, batch](x, y)`: sums of products over pairs of contracted axes.

    `contract` and `batch` each hold the axes of x and those of y, pair by pair. The result's axes are the batch axes,
    what is left of x's, what is left of y's. As in `np.matmul`, bool is or-of-ands, integers wrap, and float16 is
    summed in float32.
    """

    __slots__ = ()
    whole_work = Work.MUCH
    is_materialized = True

    @property
    def combine(self) -> str:
        """Products are added."""
        return "add"

    def type(self, x: ArrayType, y: ArrayType, *, contract: _Axes, batch: _Axes) -> tuple[ArrayType, ...]:
        expect(x.dtype == y.dtype, self.name, lambda: f"dtypes {x.dtype} and {y.dtype}")
        same = len(contract[0]) == len(contract[1])
        expect(same, self.name, lambda: f"contracts {list(contract[0])} with {list(contract[1])}")
        expect(len(batch[0]) == len(batch[1]), self.name, lambda: f"batches {list(batch[0])} with {list(batch[1])}")
        for side, type in enumerate((x, y)):
            in_range(self.name, [*contract[side], *batch[side]], len(type.shape))
        for a, b in zip((*contract[0], *batch[0]), (*contract[1], *batch[1]), strict=True):
            expect(x.shape[a] == y.shape[b], self.name, f"axis {a} of {x} with axis {b} of {y}")
        left, right = (_free(t, contract[side], batch[side]) for side, t in enumerate((x, y)))
        shape = [x.shape[a] for a in batch[0]] + [x.shape[a] for a in left] + [y.shape[a] for a in right]
        return (ArrayType(tuple(shape), x.dtype),)

    def evaluate(self, x: np.ndarray, y: np.ndarray, *, contract: _Axes, batch: _Axes) -> tuple[np.ndarray, ...]:
        left, right = _free(x, contract[0], batch[0]), _free(y, contract[1], batch[1])
        outer, rows, columns = ([a.shape[i] for i in axes] for a, axes in ((x, batch[0]), (x, left), (y, right)))
        summed = math.prod(x.shape[i] for i in contract[0])
        x_matrix = np.transpose(x, (*batch[0], *left, *contract[0])).reshape((*outer, math.prod(rows), summed))
        y_matrix = np.transpose(y, (*batch[1], *contract[1], *right)).reshape((*outer, summed, math.prod(columns)))
        # With nothing to sum, a product keeps its sign of zero, which a sum that starts at 0.0 would lose.
        product = np.matmul(x_matrix, y_matrix) if contract[0] else np.multiply(x_matrix, y_matrix)
        return (product.reshape((*outer, *rows, *columns)),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        contract, batch, out = ctx.params["contract"], ctx.params["batch"], ctx.out_types[0]
        numbers = (
            f"lhs_batching_dimensions = {list(batch[0])}, rhs_batching_dimensions = {list(batch[1])}, "
            f"lhs_contracting_dimensions = {list(contract[0])}, rhs_contracting_dimensions = {list(contract[1])}"
        )
        # Without this an accelerator may compute float32 products with fewer bits.
        precision = ", ".join(["#stablehlo<precision HIGHEST>"] * 2)
        attributes = f"dot_dimension_numbers = #stablehlo.dot<{numbers}>, precision_config = [{precision}]"
        # A count of true pairs, however rounded, is zero only where there is none; float32 products are fast ones.
        narrow = out.dtype == BOOL or (out.dtype.kind in "fV" and out.dtype.itemsize < 4)
        wide = _FLOAT32 if narrow else out.dtype
        operands = [emitter.convert(x, t, wide) for x, t in zip(ctx.inputs, ctx.in_types, strict=True)]
        types = [ArrayType(t.shape, wide) for t in ctx.in_types]
        result_type = ArrayType(out.shape, wide)
        side = 0 if len(types[1].shape) == 1 else 1
        one = len(contract[0]) == min(len(t.shape) for t in types) == 1
        if one and types[side].size >= _LARGE_ARGUMENT and emitter.is_argument(operands[side]):
            result = _of_vector(emitter, operands[side], types[side], contract[side][0], operands[1 - side])
        elif (native := self._by_library(ctx)) is not None:
            return native
        elif op.may_call_at_once(ctx, _least_for_numpy(ctx)):
            return op.called(ctx, self)
        else:
            result = emitter.op("dot_general", operands, types, result_type, attributes)
            if contract[0] and all(types[0].shape[a] == 1 for a in contract[0]) and wide.kind in "fc":
                # XLA makes it a multiplication, whose -0.0 is 0.0 in a sum.
                result = emitter.binary(
                    "add", result, emitter.fence(emitter.constant(0, result_type), result_type), result_type
                )
        if out.dtype == BOOL:
            return [emitter.compare(result, emitter.constant(0, result_type), "NE", result_type)]
        return [emitter.convert(result, result_type, out.dtype)]

    def _by_library(self, ctx: LoweringContext) -> Sequence[str] | None:
        """Emit a call of the library that NumPy calls; None where XLA's own product is as good, or there is none.

        XLA runs a program of such calls while its caller waits, also a caller who need not.
        """
        if ctx.emitter.is_asynchronous:
            return None
        made = Equation(self, tuple(ctx.atoms), ctx.params, tuple(map(Var, ctx.out_types)), ctx.source)
        is_long = made.outputs[0].type.shape and Contraction.of(made).work >= _LEAST_FOR_LIBRARY
        return ctx.emitter.native(self, ctx) if is_long and made.outputs[0].type.dtype.char in "fdFD" else None

    def bytes_touched(self, equation: Equation) -> int:
        """Many times the operands', for the library's product would be lost; that of matrices XLA has nowhere else."""
        sides = zip(equation.inputs, equation.params["contract"], equation.params["batch"], strict=True)
        if all(_free(x.type, contract, batch) for x, contract, batch in sides):
            return UNBOUNDED
        return 64 * super().bytes_touched(equation)


@frozen
class Contraction:
    """The axes of a product and its sizes."""

    types: tuple[ArrayType, ArrayType]  # of the operands
    out: ArrayType
    # The axes of each operand along which products are added up, those of the stack, and those that are left.
    summed: _Axes
    batch: _Axes
    free: _Axes

    @classmethod
    def of(cls, equation: Equation) -> Contraction:
        """Those of a `dot_general`."""
        summed, batch = equation.params["contract"], equation.params["batch"]
        x, y = (atom.type for atom in equation.inputs)
        free = _free(x, summed[0], batch[0]), _free(y, summed[1], batch[1])
        return cls((x, y), equation.outputs[0].type, summed, batch, free)

    @property
    def stack(self) -> tuple[int, ...]:
        """The shape of the stack of products."""
        return tuple(self.types[0].shape[a] for a in self.batch[0])

    @property
    def work(self) -> int:
        """The number of multiplications of one product of the stack."""
        x, y = self.types
        rows = math.prod(x.shape[a] for a in (*self.free[0], *self.summed[0]))
        return rows * math.prod(y.shape[a] for a in self.free[1])


def _least_for_numpy(ctx: LoweringContext) -> float:
    """The number of elements from which on NumPy's product is the faster one.

    Of a matrix and its own transpose it computes one half; XLA takes the products of vectors one after the other, and
    has no fast ones of complex matrices.
    """
    (x, y), types, contract = ctx.atoms, ctx.in_types, ctx.params["contract"]
    rank = len(types[0].shape)
    if types[0].dtype.char not in "fdFD" or len(types[1].shape) != rank or len(contract[0]) != 1:
        return math.inf
    if rank == 1:
        return _LONG
    if rank != 2 or ctx.params["batch"][0]:
        return math.inf
    if types[0].dtype.kind == "c":
        return _LARGE
    return _LONG if x is y and contract[0] == contract[1] else math.inf


def _of_vector(emitter: Emitter, array: str, type: ArrayType, axis: int, vector: str) -> str:
    """The product of an array and a vector along an axis, as a sum of products."""
    factors = emitter.broadcast(vector, ArrayType((type.shape[axis],), type.dtype), type.shape, [axis])
    return reduced(emitter, emitter.binary("multiply", array, factors, type), type, [axis], ADD, 0)


def _free(array: ArrayType | np.ndarray, contract: Sequence[int], batch: Sequence[int]) -> list[int]:
    """The axes that are neither contracted nor batch axes."""
    return [a for a in range(len(array.shape)) if a not in contract and a not in batch]


dot_general = _DotGeneral("dot_general")
OPS: tuple[Op, ...] = (dot_general,)

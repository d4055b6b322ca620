"""Products of matrices and vectors: short ones as loops over their elements, others by the BLAS that NumPy calls."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.host import blas
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine, Span, flat
from anabranch.runtime.native.array_reductions import ArrayReductions, within_region
from anabranch.runtime.native.array_stores import ArrayStores
from anabranch.runtime.native.element_loops import ElementLoops
from anabranch.runtime.native.lazy_array import Axis, LazyArray, Strided, Update, joined_axes, strided_view
from anabranch.runtime.native.lazy_arrays import LazyArrays
from anabranch.runtime.native.library_products import LETTERS, Factor, LibraryProducts
from anabranch.runtime.native.llvm_types import NotNativeError, constant
from anabranch.runtime.native.scalar_ops import rule_of
from anabranch.runtime.ops.dot_general import Contraction

# How many products of elements machine code adds up in no more time than the library takes with its call, for one
# product of matrices and for all of a stack.
_MOST_IN_LOOPS, _MOST_IN_ALL = 2**8, 2**12
# Of ints and bools, for which there is no library; XLA takes up to ten times as long.
_MOST_OF_INTS = 2**27
# So many products of elements it adds up in one thread.
_MOST_OF_ONE_THREAD = 10_000
# How many products of elements a call of the library adds up at least, so that several calls take no longer than to
# copy a matrix whose rows do not lie at equal distances.
_LEAST_IN_CALL = 2**12
# How many products of elements of a long matrix and a small one a call of the library adds up at most: for more it has
# threads, which wait for each other for longer than one of them takes to read the matrix. Rows come in such numbers.
_MOST_IN_CALL, _ROWS_ALIKE = 2**17, 64
# The same of a matrix and a vector at least, where calls in turn are what NumPy does.
_LEAST_IN_TURN = 2**9


class Products:
    """Writes products."""

    def __init__(self, arrays: LazyArrays, reductions: ArrayReductions, stores: ArrayStores) -> None:
        self._arrays, self._reductions, self._stores = arrays, reductions, stores
        self._loops, self._library = ElementLoops(arrays), LibraryProducts(arrays.code)
        self._code, self._memory, self._positions = arrays.code, arrays.memory, arrays.positions

    def product(self, equation: Equation, names: Sequence[str]) -> str:
        """The sums of products of a `dot_general`, of operands with these names."""
        contraction, types = Contraction.of(equation), [atom.type for atom in equation.inputs]
        dtype = types[0].dtype
        if not contraction.summed[0] or dtype.kind not in "iufcb":
            raise NotNativeError("dot_general")
        if dtype.itemsize < 4 and dtype.kind == "f":
            raise NotNativeError(f"sums of {dtype}")
        if all(len(type.shape) == 1 for type in types):
            return self._dot(names, types, dtype)
        # A sum of all products reads each element once, and is no reason to bring any in another order to memory.
        is_one_sum = contraction.out.size == 1 and any(
            _matrices(self._arrays.of(name, type), contraction, side) is None
            for side, (name, type) in enumerate(zip(names, types, strict=True))
        )
        if contraction.work > _MOST_IN_LOOPS and _is_librarys(contraction) and not is_one_sum:
            return self._by_library(contraction, names)
        # With a factor that is small all is read once.
        is_short = is_one_sum or min(contraction.work, *(type.size for type in types)) <= _MOST_IN_LOOPS
        most = _MOST_IN_ALL if dtype.kind in "fc" else _MOST_OF_INTS
        if not is_short and contraction.work * math.prod(contraction.stack) > most:
            raise NotNativeError("dot_general")
        return self._by_elements(contraction, names)

    def _dot(self, names: Sequence[str], types: Sequence[ArrayType], dtype: np.dtype) -> str:
        """The dot product of two vectors, over the positions that neither is 0 beyond: 0 times NaN is NaN."""
        zero, (multiply, add) = constant(np.zeros((), dtype)), (rule_of("multiply"), rule_of("add"))
        vectors = [self._arrays.of(name, type) for name, type in zip(names, types, strict=True)]
        if types[0].size > _MOST_OF_ONE_THREAD and dtype.char in "fd" and blas.is_there():
            first, second = map(self._row, vectors)
            if first is not None and second is not None:
                return self._library.dot(first, second, dtype)
        (x, region), (y, other) = (within_region(vector, zero) for vector in vectors)
        if region != other:
            (x, y), region = vectors, {}

        def write_product(row: list[str]) -> str:
            return multiply(self._code, row, dtype, dtype)

        product = self._arrays.combined([x, y], types[0], write_product)
        if region:
            zeros = self._arrays.all_equal(types[0], zero)
            product = self._arrays.updated(Update(zeros, (Axis(Affine(0), 1, 0),), product, region))
        return self._reductions.reduced([product], [zero], [0], lambda xy: [add(self._code, xy, dtype, dtype)])[0]

    def _row(self, vector: LazyArray) -> Factor | None:
        """A vector in memory as a matrix of one row; None where the library can't be given it, or has no threads."""
        view, size = strided_view(vector), vector.type.size
        if view is None or self._code.shares.is_open:
            return None
        (step,) = view.strides
        if not LibraryProducts.takes((1, size), (size, step)):
            return None
        place = self._memory.place_of(view.array)
        pointer = self._memory.address(place, vector.type.dtype, self._positions.value(view.start))
        return Factor(pointer, 1, size, (size, step))

    def _by_elements(self, contraction: Contraction, names: Sequence[str]) -> str:
        """The product as sums over the axes of all products of elements."""
        batch, summed, free = contraction.batch, contraction.summed, contraction.free
        types, dtype = contraction.types, contraction.types[0].dtype
        # What is added up stands before what is left of the second operand.
        order = [*batch[0], *free[0], *summed[0]]
        sizes = [*(types[0].shape[a] for a in order), *(types[1].shape[a] for a in free[1])]
        second = [*range(len(batch[1])), *range(len(order) - len(summed[1]), len(sizes))]
        whole = ArrayType(tuple(sizes), dtype)
        operands = [self._arrays.of(name, type) for name, type in zip(names, types, strict=True)]
        moved, own = operands[1], [*batch[1], *summed[1], *free[1]]
        if contraction.work > _MOST_IN_LOOPS and dtype.kind not in "fc":
            moved, own = self._with_rows(moved, own, free[1])
        places = dict(zip(own, second, strict=True))
        spread = [
            self._arrays.part(operands[0], whole, [Axis(Affine(0), 1, order.index(a)) for a in range(len(order))]),
            self._arrays.part(moved, whole, [Axis(Affine(0), 1, places[a]) for a in range(len(places))]),
        ]
        multiply, add = rule_of("multiply"), rule_of("add")

        def element(index: Sequence[Affine]) -> str:
            return multiply(self._code, [self._arrays.part_of_element(x, index) for x in spread], dtype, dtype)

        products = LazyArray(whole, element, spread[0].reads | spread[1].reads, self._arrays.operations(spread))
        axes = range(len(order) - len(summed[0]), len(order))
        zero = constant(np.zeros((), dtype))

        def sum_up(pair: Sequence[str]) -> list[str]:
            return [add(self._code, list(pair), dtype, dtype)]

        return self._reductions.reduced([products], [zero], list(axes), sum_up)[0]

    def _with_rows(self, array: LazyArray, axes: list[int], free: Sequence[int]) -> tuple[LazyArray, list[int]]:
        """An operand, its axes in the order of the products; a copy where its rows, which are added up, lie apart."""
        view, shape = strided_view(array), array.type.shape
        if not free or shape[free[-1]] == 1 or (view is not None and view.strides[free[-1]] == 1):
            return array, axes
        type = ArrayType(tuple(shape[a] for a in axes), array.type.dtype)
        moved = self._arrays.part(array, type, [Axis(Affine(0), 1, axes.index(a)) for a in range(len(axes))])
        (name,) = self._stores.settled([self._arrays.name(moved)], [type], self._memory.all_places())
        return self._arrays.of(name, type), [*range(len(axes))]

    # ---- by the library --------------------------------------------------------------------------------------------

    def _by_library(self, contraction: Contraction, names: Sequence[str]) -> str:
        """The product of each pair of matrices of two stacks, in memory of its own."""
        x, y = (self._operand(contraction, side, name) for side, name in enumerate(names))
        out = contraction.out
        made = self._memory.place_of(self._memory.allocate(out))
        m, n = x.rows, y.rows
        with contextlib.ExitStack() as stack:
            sizes = (*contraction.stack, *x.apart)
            index = [stack.enter_context(self._loops.each(size)) for size in sizes]
            number = flat(index, sizes).times(m * n)
            second = self._factor(y, y.stack.at(index[: len(contraction.stack)]), out.dtype)
            if x == y and m > 1:
                result = self._memory.address(made, out.dtype, self._positions.value(number))
                self._library.square(second, result, out.dtype)
                self._mirrored(made, number, m, out.dtype)
                return self._memory.written(made)
            for begin, calls, rows in _calls(x, y):
                with self._loops.each(calls) as call:
                    row = call.times(rows).shifted(begin)
                    first = self._factor(x.of_rows(rows), x.stack.at(index).plus(row, x.strides[0]), out.dtype)
                    result = self._memory.address(made, out.dtype, self._positions.value(number.plus(row, n)))
                    self._library.product(first, second, result, out.dtype)
        return self._memory.written(made)

    def _operand(self, contraction: Contraction, side: int, name: str) -> _Matrices:
        """An operand as matrices in memory; it is brought there where it is not."""
        type = contraction.types[side]
        found = _matrices(self._arrays.of(name, type), contraction, side)
        if found is None:
            (name,) = self._stores.settled([name], [type], self._memory.all_places())
            found = _matrices(self._arrays.of(name, type), contraction, side)
        if found is None:
            raise NotNativeError(f"a product of {type} along axes that are no matrix's")
        self._memory.place_of(found.stack.array)
        return found

    def _factor(self, operand: _Matrices, number: Affine, dtype: np.dtype) -> Factor:
        place = self._memory.place_of(operand.stack.array)
        pointer = self._memory.address(place, dtype, self._positions.value(number))
        return Factor(pointer, operand.rows, operand.columns, operand.strides)

    def _mirrored(self, place: int, start: Affine, size: int, dtype: np.dtype) -> None:
        """Copy the part of a matrix above its diagonal to the part below."""
        memory, positions = self._memory, self._positions
        with (
            self._loops.over((size, size), {0: Span((Affine(1),), (Affine(size),))}, 1) as (row,),
            self._loops.counted("0", positions.value(row), Span((Affine(0),), (row,))) as column,
        ):
            above, below = (start + i.times(size) + j for i, j in ((column, row), (row, column)))
            value = memory.load(memory.name(place), dtype, positions.value(above))
            memory.put(place, dtype, positions.value(below), value)


def _is_librarys(contraction: Contraction) -> bool:
    return contraction.types[0].dtype.char in LETTERS and contraction.out.size < blas.MOST and blas.is_there()


@frozen
class _Matrices:
    """A stack of matrices in memory, of rows that are multiplied with the other operand's."""

    stack: Strided  # the first elements of the matrices, along the axes of the stack and those that stand apart
    # The sizes of the first axes of rows, where these do not all lie at equal distances, as those of a matrix do.
    apart: tuple[int, ...]
    rows: int
    columns: int
    strides: tuple[int, int]  # how far it is from one row to the next, and from one column to the next

    def of_rows(self, rows: int) -> _Matrices:
        """Return matrices of so many rows of these."""
        return dataclasses.replace(self, rows=rows)


def _calls(x: _Matrices, y: _Matrices) -> list[tuple[int, int, int]]:
    """The calls that make a product: the first row of some, how many they are, and how many rows each takes."""
    block = _MOST_IN_CALL // (y.rows * y.columns) // _ROWS_ALIKE * _ROWS_ALIKE
    # Where the rows of a product with a vector are shared decides how some of them are added up.
    if y.rows == 1 or y.rows * y.columns > _MOST_IN_LOOPS or x.rows <= block:
        return [(0, 1, x.rows)]
    calls, left = divmod(x.rows, block)
    return [(0, calls, block), *([(calls * block, 1, left)] if left else [])]


def _matrices(array: LazyArray, contraction: Contraction, side: int) -> _Matrices | None:
    """An operand as matrices; None where it is in no memory, or its axes are no matrix's there."""
    strided = strided_view(array)
    if strided is None:
        return None
    strides, free = strided.strides, contraction.free[side]

    def joined(group: Sequence[int]) -> tuple[int, int] | None:
        return joined_axes([(array.type.shape[a], strides[a]) for a in group])

    columns = joined(contraction.summed[side])
    # The second operand's rows are columns of the result, which has all of them side by side.
    firsts = range(max(len(free), 1) if side == 0 else 1)
    # With a vector NumPy multiplies one matrix of a stack after the other, in one thread.
    is_in_turn = len(firsts) > 1 and not contraction.free[1] and contraction.work > _MOST_IN_CALL
    least = _LEAST_IN_TURN if is_in_turn else _LEAST_IN_CALL
    for first in reversed(firsts) if is_in_turn else firsts:
        rows = joined(free[first:])
        if rows is None or columns is None:
            continue
        shape, steps = (rows[0], columns[0]), (rows[1], columns[1])
        apart = tuple(array.type.shape[a] for a in free[:first])
        is_worth_it = not first or contraction.work // math.prod(apart) >= least
        if is_worth_it and LibraryProducts.takes(shape, steps):
            outer = (*contraction.batch[side], *free[:first])
            stack = Strided(strided.array, strided.start, tuple(strides[a] for a in outer))
            return _Matrices(stack, apart, *shape, steps)
    return None

"""Reductions of arrays that are too large for registers, and dot products: loops over what is not neutral."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.affine import Affine, Region
from anabranch.runtime.native.element_loops import ElementLoops, check_size
from anabranch.runtime.native.lazy_array import Axis, LazyArray
from anabranch.runtime.native.lazy_arrays import LazyArrays
from anabranch.runtime.native.llvm_types import NotNativeError, constant, value_type
from anabranch.runtime.native.scalar_ops import rule_of


class ArrayReductions:
    """Writes reductions to single values."""

    def __init__(self, arrays: LazyArrays) -> None:
        self._arrays = arrays
        self._code = arrays.code
        self._loops = ElementLoops(arrays)

    def dot(self, names: Sequence[str], types: Sequence[ArrayType], out: ArrayType) -> str:
        """The dot product of two vectors."""
        if out.shape or any(len(type.shape) != 1 for type in types) or out.dtype.kind not in "iuf":
            raise NotNativeError("dot_general of other than two vectors")
        zero, dtype = constant(np.zeros((), out.dtype)), out.dtype
        (x, one), (y, other) = (_window(self._arrays.of(*row), zero) for row in zip(names, types, strict=True))
        region = self._both(one, other)
        if region is None:
            x, y = map(self._arrays.of, names, types)
        product = self._arrays.combined(
            [x, y], types[0], lambda row: rule_of("multiply")(self._code, row, dtype, dtype)
        )

        def add(row: list[str]) -> list[str]:
            return [rule_of("add")(self._code, row, dtype, dtype)]

        return self._reduced([product], region or {}, [zero], add)[0]

    def all_elements(
        self,
        names: Sequence[str],
        types: Sequence[ArrayType],
        inits: Sequence[str],
        body: Callable[[list[str]], Sequence[str]],
    ) -> list[str]:
        """Arrays of one shape combined element by element to one value each."""
        arrays = list(map(self._arrays.of, names, types))
        region: Region = {}
        if len(arrays) == 1:
            (arrays[0], region) = _window(arrays[0], inits[0])
        return self._reduced(arrays, region, inits, body)

    def _both(self, one: Region, other: Region) -> Region | None:
        """The positions of two regions of an axis; None where that is no region."""
        if not one or not other:
            return one or other
        met = one[0].met(other[0])
        return None if met is None else {0: met}

    def _reduced(
        self,
        arrays: Sequence[LazyArray],
        region: Region,
        inits: Sequence[str],
        body: Callable[[list[str]], Sequence[str]],
    ) -> list[str]:
        if any(array.type.dtype.kind == "c" for array in arrays):
            raise NotNativeError("a reduction of complex numbers")
        for array in arrays:
            check_size(array, region)
        code, kinds = self._code, [value_type(array.type.dtype) for array in arrays]
        # LLVM has them in registers, sums of floats in several with a part each.
        totals = [code.reserve(kind) for kind in kinds]
        for kind, init, total in zip(kinds, inits, totals, strict=True):
            code.act(f"store {kind} {init}, ptr {total}")

        def write() -> None:
            with self._loops.over(arrays[0].type.shape, region) as index:
                values = self._arrays.elements_at(arrays, index)
                before = [code.emit(f"load {kind}, ptr {total}") for kind, total in zip(kinds, totals, strict=True)]
                with code.reassociating():
                    after = body([*before, *values])
                for kind, value, total in zip(kinds, after, totals, strict=True):
                    code.act(f"store {kind} {value}, ptr {total}")

        self._loops.in_versions(arrays, region, write)
        return [code.emit(f"load {kind}, ptr {total}") for kind, total in zip(kinds, totals, strict=True)]


def _window(array: LazyArray, neutral: str) -> tuple[LazyArray, Region]:
    """The array that one is in a region; elsewhere it is neutral."""
    update = array.update
    every = tuple(Axis(Affine(0), 1, axis) for axis in range(len(array.type.shape)))
    if update is None or update.base.uniform != neutral or update.axes != every:
        return array, {}
    return update.value, update.region

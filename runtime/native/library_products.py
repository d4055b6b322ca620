"""Calls of BLAS from machine code.

Its matrices are stored column by column: the rows of an array are the columns there, and `x @ y.T` is computed as the
transpose of `y @ x.T`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.host.blas import MOST, PREFIX
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import value_type

# What the names of functions begin with, by the dtype.
LETTERS: Mapping[str, str] = {"f": "s", "d": "d", "F": "c", "D": "z"}
_ZERO, _ONE = "0x0000000000000000", "0x3FF0000000000000"


@frozen
class Factor:
    """A matrix in memory."""

    pointer: str  # LLVM's name of the address of its first element
    rows: int
    columns: int
    strides: tuple[int, int]  # how many elements it is from one row to the next, and from one column to the next

    @property
    def is_by_rows(self) -> bool:
        """Return whether the elements of a row stand side by side."""
        return self.strides[1] == 1 or self.columns == 1

    @property
    def leading(self) -> int:
        """How far it is from one row, or from one column, to the next."""
        across, length = (self.strides[0], self.columns) if self.is_by_rows else (self.strides[1], self.rows)
        return max(across, length)


class LibraryProducts:
    """Writes calls of BLAS."""

    def __init__(self, code: Instructions) -> None:
        self._code = code

    @staticmethod
    def takes(shape: tuple[int, int], strides: tuple[int, int]) -> bool:
        """Return whether a matrix in memory can be given to BLAS as it is."""
        if max(*shape, *strides) >= MOST:
            return False
        if 1 in shape:
            # A vector, with any distance between its elements.
            return strides[shape[0] == 1] > 0 or shape == (1, 1)
        return (strides[1] == 1 and strides[0] >= shape[1]) or (strides[0] == 1 and strides[1] >= shape[0])

    def product(self, x: Factor, y: Factor, result: str, dtype: np.dtype) -> None:
        """Write `x @ y.T` to the address `result`, row by row."""
        if x.rows == 1 or y.rows == 1:
            matrix, vector = (y, x) if x.rows == 1 else (x, y)
            self._of_vector(matrix, vector, result, dtype)
            return
        # Columns of the result are added up over rows of y.
        kinds = ("T" if y.is_by_rows else "N", "N" if x.is_by_rows else "T")
        sizes = (y.rows, x.rows, x.columns)
        self._call(
            "gemm",
            dtype,
            [*map(self._char, kinds), *map(self._int, sizes), self._scalar(1, dtype)],
            [y.pointer, self._int(y.leading), x.pointer, self._int(x.leading), self._scalar(0, dtype), result],
            [self._int(y.rows)],
        )

    def square(self, x: Factor, result: str, dtype: np.dtype) -> None:
        """Write `x @ x.T` to the address `result`, row by row: what is not below the diagonal."""
        self._call(
            "syrk",
            dtype,
            [self._char("L"), self._char("T" if x.is_by_rows else "N"), self._int(x.rows), self._int(x.columns)],
            [self._scalar(1, dtype), x.pointer, self._int(x.leading), self._scalar(0, dtype), result],
            [self._int(x.rows)],
        )

    def dot(self, x: Factor, y: Factor, dtype: np.dtype) -> str:
        """Write the product of two rows of real numbers; returns its name."""
        symbol, kind = f"{PREFIX}{LETTERS[dtype.char]}dot", value_type(dtype)
        steps = [self._int(max(row.strides[1], 1)) for row in (x, y)]
        operands = [f"ptr {p}" for p in (self._int(x.columns), x.pointer, steps[0], y.pointer, steps[1])]
        call = f"call {kind} @{symbol}({', '.join(operands)})"
        return self._code.emit(call, symbol, kind, ", ".join(["ptr"] * len(operands)))

    def _of_vector(self, matrix: Factor, vector: Factor, result: str, dtype: np.dtype) -> None:
        inner, outer = (matrix.columns, matrix.rows) if matrix.is_by_rows else (matrix.rows, matrix.columns)
        # Releases of OpenBLAS multiply what is there by 0, also where it is NaN.
        self._code.clear(result, matrix.rows * dtype.itemsize)
        self._call(
            "gemv",
            dtype,
            [self._char("T" if matrix.is_by_rows else "N"), self._int(inner), self._int(outer)],
            [self._scalar(1, dtype), matrix.pointer, self._int(matrix.leading)],
            [vector.pointer, self._int(max(vector.strides[1], 1)), self._scalar(0, dtype), result, self._int(1)],
        )

    def _call(self, name: str, dtype: np.dtype, *operands: Sequence[str]) -> None:
        pointers = [pointer for row in operands for pointer in row]
        symbol = f"{PREFIX}{LETTERS[dtype.char]}{name}"
        self._code.declarations[symbol] = f"declare void @{symbol}({', '.join(['ptr'] * len(pointers))})"
        self._code.act(f"call void @{symbol}({', '.join(f'ptr {p}' for p in pointers)})")

    def _int(self, number: int) -> str:
        return self._constant(f"int.{number}", f"i64 {number}")

    def _char(self, char: str) -> str:
        return self._constant(f"char.{char}", f"i8 {ord(char)}")

    def _scalar(self, number: int, dtype: np.dtype) -> str:
        bits, type = (_ONE if number else _ZERO), "float" if dtype.char in "fF" else "double"
        text = f"{type} {bits}"
        if dtype.kind == "c":
            text = f"[2 x {type}] [{text}, {type} {_ZERO}]"
        return self._constant(f"scalar.{dtype.char}.{number}", text)

    def _constant(self, name: str, text: str) -> str:
        """The address of a constant in memory."""
        symbol = f"@operand.{name}"
        line = f"{symbol} = private unnamed_addr constant {text}, align 8"
        if line not in self._code.globals:
            self._code.globals.append(line)
        return symbol

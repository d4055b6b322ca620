"""The loops in C of ufuncs, NumPy's and other libraries', called from machine code for one element or for arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.host.library_ufuncs import LibraryUfunc, loop_of
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import NotNativeError, joined, memory_type, part, parts


class LibraryLoop:
    """A ufunc's loop in C, and calls of it.

    Parameters
    ----------
    code
        The function under construction.
    ufunc
    dtypes
        Of operands and results.

    Raises
    ------
    NotNativeError
        Where the address of the loop cannot be had.
    """

    def __init__(self, code: Instructions, ufunc: LibraryUfunc, dtypes: Sequence[np.dtype]) -> None:
        self._code, self._dtypes = code, dtypes
        loop = loop_of(ufunc, dtypes)
        if loop is None or any(d.kind == "b" for d in dtypes):
            raise NotNativeError(f"{ufunc} of these dtypes")
        self._loop = loop
        self._data = f"@{loop.data}" if loop.data else "null"
        data = f"{self._data} = external global i8"
        if loop.data and data not in code.globals:
            code.globals.append(data)

    def on_arrays(self, addresses: Sequence[str], steps: Sequence[int], count: int | str) -> None:
        """Write a call for so many elements.

        Parameters
        ----------
        addresses
            Of the operands and results.
        steps
            How many elements it is from one to the next in each.
        count
            A number, or its name.
        """
        distances = [step * dtype.itemsize for step, dtype in zip(steps, self._dtypes, strict=True)]
        self.on_rows(addresses, [count], distances)

    def on_rows(self, addresses: Sequence[str], sizes: Sequence[int | str], distances: Sequence[int]) -> None:
        """Write a call of the loop of a ufunc that may take whole axes.

        Parameters
        ----------
        addresses
            Of the operands and results.
        sizes
            How many rows there are, and how long the axes are that it takes.
        distances
            How many bytes it is from one row to the next in each operand and result, then along these axes.
        """
        code = self._code
        pointers = self._stored("ptr", addresses)
        lengths, steps = (self._stored("i64", list(map(str, numbers))) for numbers in (sizes, distances))
        code.declarations[self._loop.function] = f"declare void @{self._loop.function}(ptr, ptr, ptr, ptr)"
        arguments = ", ".join(f"ptr {x}" for x in (pointers, lengths, steps, self._data))
        code.act(f"call void @{self._loop.function}({arguments})")

    def _stored(self, type: str, values: Sequence[str]) -> str:
        """The address of values that stand side by side on the stack."""
        code = self._code
        memory = code.reserve(f"[{len(values)} x {type}]")
        for place, value in enumerate(values):
            at = code.emit(f"getelementptr {type}, ptr {memory}, i64 {place}")
            code.act(f"store {type} {value}, ptr {at}")
        return memory

    def on_element(self, row: Sequence[str]) -> list[str]:
        """Write a call of these operands; returns the results."""
        code, count = self._code, len(row)
        memory = [code.reserve(f"[2 x {memory_type(dtype)}]") for dtype in self._dtypes]
        for name, dtype, address in zip(row, self._dtypes, memory, strict=False):
            for value, at in zip(parts(name), self._parts(dtype, address), strict=True):
                code.act(f"store {memory_type(dtype)} {value}, ptr {at}")
        self.on_arrays(memory, [1] * len(memory), 1)
        made = []
        for dtype, address in zip(self._dtypes[count:], memory[count:], strict=True):
            loaded = [code.emit(f"load {memory_type(dtype)}, ptr {at}") for at in self._parts(dtype, address)]
            made.append(loaded[0] if len(loaded) == 1 else joined(*loaded))
        return made

    def _parts(self, dtype: np.dtype, address: str) -> list[str]:
        """The addresses of the parts of a value, two of a complex one."""
        if dtype.kind != "c":
            return [address]
        return [address, self._code.emit(f"getelementptr {memory_type(part(dtype))}, ptr {address}, i64 1")]

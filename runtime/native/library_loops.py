"""Ufuncs of other libraries in machine code: their own loops in C, called for one element."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.host.library_ufuncs import loop_of
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import NotNativeError, joined, memory_type, part, parts


class ElementCall:
    """The call of a ufunc's loop for one element.

    Parameters
    ----------
    code
        The function under construction.
    equation
        Of `library_ufunc`.

    Raises
    ------
    NotNativeError
    """

    def __init__(self, code: Instructions, equation: Equation) -> None:
        self._code = code
        self._dtypes = [a.type.dtype for a in (*equation.inputs, *equation.outputs)]
        loop = loop_of(equation.params["ufunc"], self._dtypes)
        if loop is None or any(d.kind == "b" for d in self._dtypes):
            raise NotNativeError(f"{equation.params['ufunc']} of these dtypes")
        self._loop = loop
        data = f"@{loop.data} = external global i8"
        if data not in code.globals:
            code.globals.append(data)
        self._count = len(equation.inputs)

    def result(self, row: Sequence[str], place: int) -> str:
        """Write a call of these operands; returns the result at a place among all."""
        return self.results(row)[place]

    def results(self, row: Sequence[str]) -> list[str]:
        """Write a call of these operands; returns all results."""
        code, count = self._code, len(self._dtypes)
        memory = [code.reserve(f"[2 x {memory_type(dtype)}]") for dtype in self._dtypes]
        for name, dtype, address in zip(row, self._dtypes, memory, strict=False):
            for value, at in zip(parts(name), self._parts(dtype, address), strict=True):
                code.act(f"store {memory_type(dtype)} {value}, ptr {at}")
        addresses, one = code.reserve(f"[{count} x ptr]"), code.reserve("i64")
        steps = code.reserve(f"[{count} x i64]")
        for place, address in enumerate(memory):
            at = code.emit(f"getelementptr ptr, ptr {addresses}, i64 {place}")
            code.act(f"store ptr {address}, ptr {at}")
            at = code.emit(f"getelementptr i64, ptr {steps}, i64 {place}")
            code.act(f"store i64 {self._dtypes[place].itemsize}, ptr {at}")
        code.act(f"store i64 1, ptr {one}")
        code.declarations[self._loop.function] = f"declare void @{self._loop.function}(ptr, ptr, ptr, ptr)"
        arguments = ", ".join(f"ptr {x}" for x in (addresses, one, steps, f"@{self._loop.data}"))
        code.act(f"call void @{self._loop.function}({arguments})")
        made = []
        for dtype, address in zip(self._dtypes[self._count :], memory[self._count :], strict=True):
            loaded = [code.emit(f"load {memory_type(dtype)}, ptr {at}") for at in self._parts(dtype, address)]
            made.append(loaded[0] if len(loaded) == 1 else joined(*loaded))
        return made

    def _parts(self, dtype: np.dtype, address: str) -> list[str]:
        """The addresses of the parts of a value, two of a complex one."""
        if dtype.kind != "c":
            return [address]
        return [address, self._code.emit(f"getelementptr {memory_type(part(dtype))}, ptr {address}, i64 1")]

"""Arrays in memory: how their elements are read and written, and which of their names still stands for them.

A write gives an array a new name, and the name from before is of no more use: what it stood for is gone.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.known_values import KnownValues
from anabranch.runtime.native.llvm_types import (
    NotNativeError,
    elements,
    is_memory,
    joined,
    memory_type,
    parts,
    value_type,
)
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

# The most elements of an array that is computed as a whole where XLA could do so; it has more than one thread for more.
MOST_WHOLE = 2**18
# The most bytes that a constant array has.
_MOST_BYTES = 2**16


class Memory:
    """The arrays of a loop nest.

    Parameters
    ----------
    code
        The function under construction.
    ranges
        The ranges of ints, by their names.
    most_whole
        The most elements of an array that is computed as a whole.
    """

    def __init__(self, code: Instructions, ranges: KnownValues, most_whole: float = MOST_WHOLE) -> None:
        self.code = code
        self._most_whole = most_whole
        self.ranges = ranges
        self._pointers: list[str] = []
        self._versions: list[int] = []
        self._fixed: list[bool] = []
        self._numbers = itertools.count()
        self._constants: dict[tuple[ArrayType, bytes], str] = {}
        # The types of the arrays whose memory XLA provides beside operands and results, by their places.
        self.allocated: dict[int, ArrayType] = {}
        self._first_own: int | None = None
        self._shared: Collection[int] = ()
        self._moved: dict[int, ArrayType | None] = {}

    @contextlib.contextmanager
    def of_each_thread(self, shared: Collection[int]) -> Iterator[None]:
        """While a function for several threads is written: each has new arrays of its own, on its stack.

        Of those that there are already they write to parts of these, each to others.
        """
        self._first_own, self._shared = len(self._pointers), shared
        yield
        self._first_own, self._shared = None, ()

    def add(self, pointer: str, *, fixed: bool = False) -> str:
        """The name of an array at this address; a `fixed` one is never written to."""
        self._pointers.append(pointer)
        self._versions.append(next(self._numbers))
        self._fixed.append(fixed)
        return self.name(len(self._pointers) - 1)

    def operand(self, type: ArrayType) -> str:
        """The name of the next operand: an array in memory, of one element a value in a register.

        Raises `NotNativeError`.
        """
        if type.size == 0:
            raise NotNativeError("an array without elements")
        name = self.add(f"%a{len(self._pointers)}")
        return name if type.size > 1 else self.load(name, type.dtype, "0")

    def expect_whole(self, size: int) -> None:
        """Refuse to compute an array of so many elements as a whole.

        Raises `NotNativeError`.
        """
        if size > self._most_whole:
            raise NotNativeError(f"an array of {size} elements as a whole")

    # ---- elements --------------------------------------------------------------------------------------------------

    def load(self, name: str, dtype: np.dtype, place: str) -> str:
        """An element, by its number in C order."""
        pointers = self._addresses(self.place_of(name), dtype, place)
        made = []
        for pointer in pointers:
            value = self.code.emit(f"load {memory_type(dtype)}, ptr {pointer}")
            made.append(self.code.emit(f"trunc i8 {value} to i1") if dtype.kind == "b" else value)
        return made[0] if len(made) == 1 else joined(*made)

    def store(self, name: str, dtype: np.dtype, changes: Sequence[tuple[str, str]]) -> str:
        """The array with new elements, by their numbers in C order."""
        place = self.place_of(name)
        for number, value in changes:
            self.put(place, dtype, number, value)
        return self.written(place)

    def put(self, place: int, dtype: np.dtype, number: str, value: str) -> None:
        """Write an element of an array that keeps its name."""
        for pointer, x in zip(self._addresses(place, dtype, number), parts(value), strict=True):
            if dtype.kind == "b":
                x = self.code.emit(f"zext i1 {x} to i8")
            self.code.act(f"store {memory_type(dtype)} {x}, ptr {pointer}")

    def written(self, place: int) -> str:
        """The new name of an array that has been written to."""
        if self._fixed[place]:
            raise NotNativeError("a write to a constant")
        if self._first_own is not None and place < self._first_own and place not in self._shared:
            raise NotNativeError("a write to an array that several threads read")
        return self.renew(place)

    def address(self, place: int, dtype: np.dtype, number: str) -> str:
        """LLVM's name of the address of an element."""
        return self._addresses(place, dtype, number)[0]

    def _addresses(self, place: int, dtype: np.dtype, number: str) -> list[str]:
        base, type = self._pointers[place], memory_type(dtype)
        if dtype.kind != "c":
            return [self.code.emit(f"getelementptr inbounds {type}, ptr {base}, i64 {number}")]
        pair = f"[2 x {type}]"
        return [
            self.code.emit(f"getelementptr inbounds {pair}, ptr {base}, i64 {number}, i64 {half}") for half in (0, 1)
        ]

    def whole(self, name: str, type: ArrayType) -> list[str]:
        """All elements."""
        return [self.load(name, type.dtype, str(k)) for k in range(type.size)]

    def places(
        self, starts: Sequence[str], positions: Sequence[ArrayType], shape: Sequence[int], block: Sequence[int]
    ) -> list[str]:
        """The numbers in C order of the elements of a block, which is moved to lie within the array."""
        code, total, fixed = self.code, "", 0
        strides = [int(np.prod(shape[axis + 1 :], dtype=np.int64)) for axis in range(len(shape))]
        for start, position, n, size, stride in zip(starts, positions, shape, block, strides, strict=True):
            index = self.within(start, position, n - size)
            if index.lstrip("-").isdigit():
                fixed += int(index) * stride
                continue
            term = index if stride == 1 else code.emit(f"mul nsw i64 {index}, {stride}")
            total = code.emit(f"add nsw i64 {total}, {term}") if total else term
        offsets = np.sum(np.indices(block).reshape(len(block), -1) * np.array(strides, np.int64)[:, None], axis=0)
        found = []
        for offset in (fixed + offsets).tolist():
            found.append((code.emit(f"add nsw i64 {total}, {offset}") if offset else total) if total else str(offset))
        return found

    def within(self, start: str, position: ArrayType, last: int) -> str:
        """A position as an int64 from 0 to `last`."""
        if start.lstrip("-").isdigit():
            return str(min(max(int(start), 0), last))
        if last == 0:
            return "0"
        code, known = self.code, self.ranges.of(start)
        index = start
        if position.dtype != np.int64:
            index = code.emit(f"sext {value_type(position.dtype)} {start} to i64")
        if known is None or known.low < 0:
            index = code.call("llvm.smax.i64", "i64", "i64", index, "0")
        if known is None or known.high > last:
            index = code.call("llvm.smin.i64", "i64", "i64", index, str(last))
        return index

    # ---- arrays of the function's own ------------------------------------------------------------------------------

    def constant(self, array: np.ndarray) -> str:
        """A constant array, which is text of the module: each byte takes three."""
        if array.nbytes > _MOST_BYTES:
            raise NotNativeError(f"a constant of {array.nbytes} bytes")
        key = ArrayType(array.shape, array.dtype), array.tobytes()
        if key not in self._constants:
            name = f"@table{len(self._constants)}"
            flat_array = np.ascontiguousarray(array).reshape(-1)
            if not any(key[1]):
                content = "zeroinitializer"
            else:
                content = 'c"' + "".join(f"\\{byte:02X}" for byte in flat_array.tobytes()) + '"'
            bytes_type = f"[{flat_array.nbytes} x i8]"
            self.code.globals.append(f"{name} = private unnamed_addr constant {bytes_type} {content}, align 64")
            self._constants[key] = name
        return self.add(self._constants[key], fixed=True)

    def allocate(self, type: ArrayType) -> str:
        """An array of any contents, the same memory each time that the code runs."""
        if self._first_own is not None:
            return self.add(self.code.reserve(f"[{type.nbytes} x i8]"))
        name = self.add(f"%s{len(self.allocated)}")
        self.allocated[self.place_of(name)] = type
        return name

    def enlarged(self, place: int, type: ArrayType) -> bool:
        """Make room for a larger array in the memory of one; returns whether that is possible."""
        if place not in self.allocated or self._first_own is not None or self._moved.get(place):
            return False
        if self.allocated[place].nbytes < type.nbytes:
            self.allocated[place] = type
        return True

    def is_own(self, place: int, type: ArrayType) -> bool:
        """Return whether the code may write any array of this type there, and no other thread's does."""
        return self._first_own is None and (self._moved.get(place) or self.allocated.get(place)) == type

    def pointer(self, place: int) -> str:
        """LLVM's name of the address of an array."""
        return self._pointers[place]

    def move(self, place: int, pointer: str, type: ArrayType | None) -> tuple[str, ArrayType | None]:
        """Have an array at another address, where any of a type may be written; returns both as they were."""
        before = self._pointers[place], self._moved.get(place)
        self._pointers[place], self._moved[place] = pointer, type
        return before

    def spilled(self, name: str, type: ArrayType) -> str:
        """A small array in registers, brought to memory."""
        pointer = self.code.reserve(f"[{type.nbytes} x i8]")
        made = self.add(pointer)
        return self.store(made, type.dtype, [(str(k), x) for k, x in enumerate(elements(name))])

    def copied(self, name: str, type: ArrayType, why: str) -> str:
        """A copy of an array, in memory of its own."""
        if is_memory(name) and self.number(name) in self._shared:
            raise NotNativeError("a copy of an array that several threads write to")
        made = self.allocate(type)
        self.overwrite(name, self.place_of(made), type, why)
        return self.name(len(self._pointers) - 1)

    def overwrite(self, name: str, place: int, type: ArrayType, why: str) -> None:
        """Give an array the contents of another one, or of a small one in registers."""
        if self._first_own is not None and place < self._first_own:
            raise NotNativeError("an array that several threads replace")
        if is_memory(name):
            source = self._pointers[self.place_of(name)]
            self.code.copy(self._pointers[place], source, type.nbytes, why)
            self.written(place)
        else:
            self.store(self.name(place), type.dtype, [(str(k), x) for k, x in enumerate(elements(name))])

    # ---- names -----------------------------------------------------------------------------------------------------

    def name(self, place: int) -> str:
        """The name of an array now."""
        return f"@{place}.{self._versions[place]}"

    @staticmethod
    def number(name: str) -> int:
        """The place of the array that has, or had, a name."""
        return int(name[1:].partition(".")[0])

    def is_fixed(self, place: int) -> bool:
        """Return whether an array is a constant."""
        return self._fixed[place]

    def is_current(self, name: str) -> bool:
        """Return whether an array has still this name: nothing has been written to it since."""
        return self.name(self.number(name)) == name

    def place_of(self, name: str) -> int:
        """The place of an array that has still this name."""
        if not self.is_current(name):
            raise NotNativeError("an array as it was before it was written to")
        return self.number(name)

    def renew(self, place: int) -> str:
        """Give an array another name: it has been written to; returns the name."""
        self._versions[place] = next(self._numbers)
        return self.name(place)

    def all_places(self) -> range:
        """The places of all arrays that there are now."""
        return range(len(self._pointers))

    def versions(self) -> list[int]:
        """The versions of all arrays, as `go_to` takes them."""
        return list(self._versions)

    def go_to(self, versions: list[int]) -> None:
        """Give the arrays that there were then the names that they had."""
        self._versions[: len(versions)] = versions


def expect_small(type: ArrayType) -> None:
    """Refuse arrays that are too large for registers.

    Raises `NotNativeError`.
    """
    if type.size > MOST_ELEMENTS:
        raise NotNativeError(f"an array of {type.size} elements as a whole")

"""Arrays in memory: how their elements are read and written, and which of their names still stands for them.

A write gives an array a new name, and the name from before is of no more use: what it stood for is gone.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.known_values import KnownValues
from anabranch.runtime.native.llvm_types import NotNativeError, joined, memory_type, parts, value_type
from anabranch.runtime.native.values import elements, is_memory, packed


class Memory:
    """The arrays of a loop nest.

    Parameters
    ----------
    code
        The function under construction.
    ranges
        The ranges of ints, by their names.

    Attributes
    ----------
    allocated : dict
        The types of the arrays whose memory XLA provides beside operands and results, by their places.
    """

    def __init__(self, code: Instructions, ranges: KnownValues) -> None:
        self._code = code
        self.ranges = ranges
        self._pointers: list[str] = []
        self._versions: list[int] = []
        self._fixed: list[bool] = []
        self._numbers = itertools.count()
        self._constants: dict[tuple[ArrayType, bytes], str] = {}
        self.allocated: dict[int, ArrayType] = {}

    def add(self, pointer: str, *, fixed: bool = False) -> str:
        """The name of an array at this address; a `fixed` one is never written to."""
        self._pointers.append(pointer)
        self._versions.append(next(self._numbers))
        self._fixed.append(fixed)
        return self._name(len(self._pointers) - 1)

    def _name(self, place: int) -> str:
        return f"@{place}.{self._versions[place]}"

    def _now(self, name: str) -> int:
        """The place of an array that has still this name."""
        place, version = map(int, name[1:].split("."))
        if self._versions[place] != version:
            raise NotNativeError("an array as it was before it was written to")
        return place

    def _written(self, place: int) -> str:
        if self._fixed[place]:
            raise NotNativeError("a write to a constant")
        self._versions[place] = next(self._numbers)
        return self._name(place)

    def is_current(self, name: str) -> bool:
        """Return whether an array has still this name: nothing has been written to it since."""
        place, version = map(int, name[1:].split("."))
        return self._versions[place] == version

    def place_of(self, name: str) -> int:
        """The number of the array, in the order of `add`."""
        return self._now(name)

    # ---- elements --------------------------------------------------------------------------------------------------

    def load(self, name: str, dtype: np.dtype, place: str) -> str:
        """An element, by its number in C order."""
        pointers = self._addresses(self._now(name), dtype, place)
        made = []
        for pointer in pointers:
            value = self._code.emit(f"load {memory_type(dtype)}, ptr {pointer}")
            made.append(self._code.emit(f"trunc i8 {value} to i1") if dtype.kind == "b" else value)
        return made[0] if len(made) == 1 else joined(*made)

    def store(self, name: str, dtype: np.dtype, changes: Sequence[tuple[str, str]]) -> str:
        """The array with new elements, by their numbers in C order."""
        place = self._now(name)
        for number, value in changes:
            for pointer, x in zip(self._addresses(place, dtype, number), parts(value), strict=True):
                if dtype.kind == "b":
                    x = self._code.emit(f"zext i1 {x} to i8")
                self._code.act(f"store {memory_type(dtype)} {x}, ptr {pointer}")
        return self._written(place)

    def _addresses(self, place: int, dtype: np.dtype, number: str) -> list[str]:
        base, type = self._pointers[place], memory_type(dtype)
        if dtype.kind != "c":
            return [self._code.emit(f"getelementptr inbounds {type}, ptr {base}, i64 {number}")]
        pair = f"[2 x {type}]"
        return [
            self._code.emit(f"getelementptr inbounds {pair}, ptr {base}, i64 {number}, i64 {half}") for half in (0, 1)
        ]

    def whole(self, name: str, type: ArrayType) -> list[str]:
        """All elements."""
        return [self.load(name, type.dtype, str(k)) for k in range(type.size)]

    def places(
        self, starts: Sequence[str], positions: Sequence[ArrayType], shape: Sequence[int], block: Sequence[int]
    ) -> list[str]:
        """The numbers in C order of the elements of a block, which is moved to lie within the array."""
        code, total, fixed = self._code, "", 0
        strides = [int(np.prod(shape[axis + 1 :], dtype=np.int64)) for axis in range(len(shape))]
        for start, position, n, size, stride in zip(starts, positions, shape, block, strides, strict=True):
            index = self._within(start, position, n - size)
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

    def _within(self, start: str, position: ArrayType, last: int) -> str:
        """A position as an int64 from 0 to `last`."""
        if start.lstrip("-").isdigit():
            return str(min(max(int(start), 0), last))
        if last == 0:
            return "0"
        code, known = self._code, self.ranges.of(start)
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
        """A constant array."""
        key = ArrayType(array.shape, array.dtype), array.tobytes()
        if key not in self._constants:
            name = f"@table{len(self._constants)}"
            flat_array = np.ascontiguousarray(array).reshape(-1)
            if not any(key[1]):
                content = "zeroinitializer"
            else:
                content = 'c"' + "".join(f"\\{byte:02X}" for byte in flat_array.tobytes()) + '"'
            bytes_type = f"[{flat_array.nbytes} x i8]"
            self._code.globals.append(f"{name} = private unnamed_addr constant {bytes_type} {content}, align 64")
            self._constants[key] = name
        return self.add(self._constants[key], fixed=True)

    def allocate(self, type: ArrayType) -> str:
        """An array of any contents, the same memory each time that the code runs."""
        name = self.add(f"%s{len(self.allocated)}")
        self.allocated[self._now(name)] = type
        return name

    def pointer(self, place: int) -> str:
        """LLVM's name of the address of an array."""
        return self._pointers[place]

    def filled(self, type: ArrayType, value: str) -> str:
        """An array of equal elements."""
        name, code = self.allocate(type), self._code
        before, body, end = code.block, code.label("fill"), code.label("filled")
        code.jump(body)
        code.begin(body)
        place = code.hold()
        number = code.fresh()
        name = self.store(name, type.dtype, [(number, value)])
        after = code.add("add nuw nsw", "i64", number, "1")
        code.fill(place, f"{number} = phi i64 [ 0, %{before} ], [ {after}, %{body} ]")
        code.branch(code.add("icmp eq", "i64", after, str(type.size)), end, body)
        code.begin(end)
        return name

    def spilled(self, name: str, type: ArrayType) -> str:
        """A small array in registers, brought to memory."""
        pointer = self._code.reserve(f"[{type.nbytes} x i8]")
        made = self.add(pointer)
        return self.store(made, type.dtype, [(str(k), x) for k, x in enumerate(elements(name))])

    def copied(self, name: str, type: ArrayType) -> str:
        """A copy of an array, in memory of its own."""
        made = self.allocate(type)
        self.overwrite(name, self._now(made), type)
        return self._name(len(self._pointers) - 1)

    def overwrite(self, name: str, place: int, type: ArrayType) -> None:
        """Give an array the contents of another one, or of a small one in registers."""
        if is_memory(name):
            source = self._pointers[self._now(name)]
            self._code.copy(self._pointers[place], source, type.nbytes)
            self._written(place)
        else:
            self.store(self._name(place), type.dtype, [(str(k), x) for k, x in enumerate(elements(name))])

    # ---- control flow ----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def alternatives(self) -> Iterator[Alternatives]:
        """Ways of which one is gone: each finds the arrays as they were before."""
        ways = Alternatives(self, list(self._versions))
        yield ways
        ways.end()

    @contextlib.contextmanager
    def steps(self, state: Sequence[str], types: Sequence[ArrayType]) -> Iterator[Steps]:
        """The steps of a loop over a state."""
        yield Steps(self, state, types)


class Alternatives:
    """The ways of a condition."""

    def __init__(self, memory: Memory, before: list[int]) -> None:
        self._memory = memory
        self._before = before
        self._after: list[list[int]] = []

    @contextlib.contextmanager
    def one(self) -> Iterator[None]:
        """One of the ways."""
        versions = self._memory._versions
        versions[: len(self._before)] = self._before
        yield
        self._after.append(list(versions))

    def give(self, results: Sequence[str]) -> None:
        """Note the results of the way: those in memory must still be there."""
        for name in results:
            if is_memory(name):
                self._memory.place_of(name)

    def end(self) -> None:
        """Go on where the ways meet."""
        memory = self._memory
        for place in range(len(self._before)):
            found = {after[place] for after in self._after}
            if len(found) > 1 or found != {self._before[place]}:
                memory._versions[place] = next(memory._numbers)
            else:
                memory._versions[place] = self._before[place]

    def joined(self, names: Sequence[str]) -> str:
        """The name of a result in memory where the ways meet."""
        places = {name.split(".")[0] for name in names}
        if not all(map(is_memory, names)) or len(places) > 1:
            raise NotNativeError("a choice between two arrays")
        place = int(names[0][1:].split(".")[0])
        if place >= len(self._before) and len(names) > 1:
            raise NotNativeError("an array that one branch makes")
        return self._memory._name(place)


class Steps:
    """The steps of a loop.

    Attributes
    ----------
    entry : list of str
        The names of the state where a step begins; in registers, of the initial values.
    """

    def __init__(self, memory: Memory, state: Sequence[str], types: Sequence[ArrayType]) -> None:
        self._memory = memory
        self._types = types
        places = {memory.place_of(name) for name in state if is_memory(name)}
        self._before = {place: memory._versions[place] for place in places}
        self._outer = list(memory._versions)
        for place in places:
            memory._versions[place] = next(memory._numbers)
        self._head = list(memory._versions)
        self._places = [int(name[1:].split(".")[0]) if is_memory(name) else None for name in state]
        self.entry = [
            name if place is None else memory._name(place) for name, place in zip(state, self._places, strict=True)
        ]
        self._changed: set[int] = set()

    def close(self, after: list[str]) -> list[str]:
        """The names of the state after a step, of which those in memory are where they were at its beginning."""
        memory = self._memory
        moved = [
            (name, place, type)
            for name, place, type in zip(after, self._places, self._types, strict=True)
            if place is not None and not (is_memory(name) and int(name[1:].split(".")[0]) == place)
        ]
        targets = {place for _, place, _ in moved}
        for name in filter(is_memory, after):
            memory.place_of(name)
        # Of arrays that change places one is lost before it is moved, but for a copy.
        kept = [
            memory.copied(name, type) if is_memory(name) and memory.place_of(name) in targets else name
            for name, _, type in moved
        ]
        for name, (_, place, type) in zip(kept, moved, strict=True):
            memory.overwrite(name, place, type)
        for place, version in enumerate(self._head):
            if memory._versions[place] != version:
                self._changed.add(place)
        if not self._changed <= set(self._places):
            raise NotNativeError("an array that is written in a step and is as before in the next")
        return [
            packed(memory.whole(name, type)) if place is None and is_memory(name) else name
            for name, place, type in zip(after, self._places, self._types, strict=True)
        ]

    def results(self, names: Sequence[str]) -> list[str]:
        """The names of the last state."""
        memory = self._memory
        for place, version in self._before.items():
            memory._versions[place] = next(memory._numbers) if place in self._changed else version
        return [name if place is None else memory._name(place) for name, place in zip(names, self._places, strict=True)]

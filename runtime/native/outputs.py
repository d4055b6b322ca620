"""The arrays that the function of a loop nest, or of a whole Program, writes to, and which results they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.input_layouts import InputLayout
from anabranch.runtime.native.llvm_types import is_memory
from anabranch.runtime.native.memory import Memory


@frozen
class Output:
    """An array that the function writes to."""

    pointer: str  # the name of its address in the function
    type: ArrayType
    operand: int | None = None  # the operand whose memory it takes over
    copied: bool = False  # whether that memory is needed elsewhere: the output begins as a copy


class Outputs:
    """The outputs of a function."""

    def __init__(
        self,
        memory: Memory,
        operands: Sequence[str],
        in_types: Sequence[ArrayType],
        results: Sequence[str],
        out_types: Sequence[ArrayType],
    ) -> None:
        """Settle which there are, and write the results to them.

        `operands` and `in_types`: the names of the operands; those in memory are the first arrays there.
        """
        written = [i for i, name in enumerate(operands) if is_memory(name) and not memory.is_current(name)]
        self.arrays = [Output(memory.pointer(i), in_types[i], i) for i in written]
        self.arrays += [Output(memory.pointer(place), type) for place, type in memory.allocated.items()]
        free = {place: number for number, place in enumerate([*written, *memory.allocated])}
        self.places: list[int | None] = []  # of the results among these arrays; None for one that is an operand
        for name, type in zip(results, out_types, strict=True):
            source = memory.place_of(name) if is_memory(name) else None
            # Memory that was enlarged is too large for the array that was there before.
            if source in free and self.arrays[free[source]].type.nbytes == type.nbytes:
                self.places.append(free.pop(source))
            elif source is not None and source < len(operands) and source not in written:
                self.places.append(None)
            else:
                output = Output(f"%r{len(self.arrays)}", type)
                memory.overwrite(name, memory.place_of(memory.add(output.pointer)), type, "it is a result")
                self.places.append(len(self.arrays))
                self.arrays.append(output)


def sizes_of(
    in_types: Sequence[ArrayType], outputs: Sequence[Output], layouts: Mapping[int, InputLayout]
) -> dict[str, int]:
    """The bytes of the arrays that a function is given, by the names of their addresses in it."""
    sizes = {f"%a{i}": layouts[i].nbytes if i in layouts else type.nbytes for i, type in enumerate(in_types)}
    return sizes | {output.pointer: output.type.nbytes for output in outputs}

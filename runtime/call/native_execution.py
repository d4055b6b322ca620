"""Running a function whose whole Program is machine code, which needs no XLA."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.call.execution import Execution, never
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.host import own_memory
from anabranch.runtime.host.buffer_types import BufferType
from anabranch.runtime.host.callbacks import ArgumentMismatchError
from anabranch.runtime.host.python_function import python_function
from anabranch.runtime.native.python_entry import is_kept
from anabranch.runtime.native.whole_program import NativeProgram
from anabranch.runtime.signature.flatten_to_key import Leaves, buffers
from anabranch.runtime.xla import disk_cache
from anabranch.runtime.xla.executable import Executable

# NumPy's flags C_CONTIGUOUS and ALIGNED, as `ndarray.flags.num` has them.
_READABLE = 0x1 | 0x100


class NativeCode:
    """Machine code of a Program in this process."""

    __slots__ = ("function", "makers", "program", "was_loaded")

    def __init__(self, program: NativeProgram, function: Callable[..., int], was_loaded: bool) -> None:
        # `function`: takes the inputs, then the arrays that it writes to, then None or what it is to return where an
        # array is not as expected, then `callbacks`; returns None after a failure, else the numbers: a single one,
        # several in a tuple.
        # `was_loaded`: whether it was found on disk.
        self.program, self.function, self.was_loaded = program, function, was_loaded
        self.makers = [own_memory.maker(kind) for kind in program.arrays]  # what makes these arrays

    @classmethod
    def of(cls, program: NativeProgram) -> NativeCode:
        """The code of a Program: from disk, or compiled."""
        outputs = map([*program.arrays, *program.numbers].__getitem__, program.outputs)
        signature = f"({', '.join(map(str, program.inputs))}) -> ({', '.join(map(str, outputs))})"
        code, was_loaded = disk_cache.machine_code(program.llvm, signature)
        return cls(program, python_function(program.name, code, program.llvm), was_loaded)

    @property
    def callbacks(self) -> tuple[Any, ...]:
        """The last argument, if there is one: the functions that the code calls."""
        return (self.program.callbacks,) if self.program.callbacks else ()

    def __call__(self, arguments: Sequence[np.ndarray], in_place: Mapping[int, int]) -> list[np.ndarray]:
        """Run on arrays of the types of the inputs, of any layout; returns the Program's outputs.

        `in_place`: the arguments that are written to where they are, by the arrays that they are given in place of.
        """
        given = list(map(self._readable, range(len(self.program.inputs)), arguments))
        arrays = [given[in_place[k]] if k in in_place else make() for k, make in enumerate(self.makers)]
        return self.outputs(arrays, self.function(*given, *arrays, None, *self.callbacks))

    def outputs(self, arrays: Sequence[np.ndarray], answer: Any) -> list[np.ndarray]:
        """The Program's outputs, from the arrays that the function has written to and what it has returned."""
        found = [*arrays, *self._numbers(answer)]
        return [found[place] for place in self.program.outputs]

    def is_readable(self, place: int, array: np.ndarray) -> bool:
        """Return whether the code can read an array where it is, as the input at a place."""
        layout = self.program.layouts.get(place)
        return is_readable(array) if layout is None else layout.is_of(array)

    def copied(self, place: int) -> Callable[[np.ndarray], np.ndarray]:
        """The function that copies arrays to memory where the code can read them as the input at a place."""
        layout, kind = self.program.layouts.get(place), self.program.inputs[place]
        return functools.partial(own_memory.copied, kind=kind) if layout is None else layout.copied

    def _readable(self, place: int, array: np.ndarray) -> np.ndarray:
        """An array on memory that the code can read: the array itself, or a copy."""
        kind = self.program.inputs[place]
        if array.shape != kind.shape or array.dtype != kind.dtype:
            found = BufferType(array.shape, array.dtype)
            raise ArgumentMismatchError(f"an argument is {found}, but the program was compiled for {kind}")
        return array if self.is_readable(place, array) else self.copied(place)(array)

    def _numbers(self, answer: Any) -> list[np.ndarray]:
        """The numbers that the function has returned, as arrays; anything after a failure."""
        kinds = self.program.numbers
        if answer is None:
            return [np.zeros((), kind.dtype) for kind in kinds]
        return [np.array(x, k.dtype) for x, k in zip(answer if len(kinds) > 1 else [answer], kinds, strict=False)]


def is_readable(array: np.ndarray) -> bool:
    """Return whether machine code can read an array where it is, as one in C order."""
    return array.flags.num & _READABLE == _READABLE


class NativeExecution(Execution):
    """Machine code with its Plan; the same program for XLA is compiled when somebody asks for it."""

    __slots__ = ("_compile", "_executable", "code", "in_place", "tables_made", "written")
    compiler = "LLVM"

    def __init__(
        self,
        plan: Plan,
        code: NativeCode,
        compile: Callable[[], Executable],
    ) -> None:
        self.fast_path = never
        self.fast_path_attempts = 0
        # The text of its fast path, in lines, and what the names in it stand for.
        self.written: tuple[Sequence[str], Mapping[str, Any]] | None = None
        self.tables_made = 0  # how often a table was asked for that does what this says
        self.plan, self.returns_one_array, self.moves_bars = plan, False, False
        # `in_place`: the inputs that it writes to where they are, by the arrays that they are given in place of.
        self.code, self.in_place = code, written_in_place(plan, code.program)
        self._compile = compile
        self._executable: Executable | None = None

    @property
    def executable(self) -> Executable:  # type: ignore[override]
        """XLA's form of the program, for those who want to see it or keep it."""
        if self._executable is None:
            self._executable = self._compile()
        return self._executable

    @property
    def was_loaded(self) -> bool:
        """Return whether the code was found on disk."""
        return self.code.was_loaded

    def _finish_on_host(self, leaves: Leaves) -> Any:
        outputs = self.code(buffers(self.plan.inputs(leaves.values)), self.in_place)
        return self.plan.finish(outputs, leaves)


def written_in_place(plan: Plan, program: NativeProgram) -> dict[int, int]:
    """The inputs that may be written to where they are: new contents of the caller's arrays, if nothing can fail.

    After an exception arguments are as before, so the code keeps what small ones held, or checks before it writes.
    """
    return {place: begin for _, place, begin in _in_place(plan, program)}


def leaves_in_place(plan: Plan, program: NativeProgram) -> set[int]:
    """The leaves of the arguments that these inputs are."""
    return {leaf for leaf, *_ in _in_place(plan, program)}


def _in_place(plan: Plan, program: NativeProgram) -> Iterator[tuple[int, int, int]]:
    groups = plan.program.groups
    may_fail = bool(plan.program.outputs[groups.failures])
    leaves = list(plan.held(max(plan.mutated, default=-1) + 1))
    outputs = iter(program.outputs[groups.writes])
    for write in plan.writes:
        place, *_ = itertools.islice(outputs, 1 + write.starts)
        begin = program.begins[place]
        if begin is None or begin >= len(leaves) or leaves[begin] != write.leaf:
            continue  # computed elsewhere, or in the memory of another argument
        if may_fail and not (program.is_guarded or is_kept(program.arrays[place].nbytes)):
            continue
        if write.part is None and not write.starts and program.inputs[begin] == program.arrays[place]:
            yield write.leaf, place, begin

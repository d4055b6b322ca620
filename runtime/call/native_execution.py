"""Running a function whose whole Program is machine code, which needs no XLA."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.call.execution import Execution, never
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.host import own_memory
from anabranch.runtime.host.buffer_types import BufferType
from anabranch.runtime.host.callbacks import ArgumentMismatchError
from anabranch.runtime.native.whole_program import NativeProgram
from anabranch.runtime.signature.flatten_to_key import Leaves, buffers
from anabranch.runtime.xla.executable import Executable

# NumPy's flags C_CONTIGUOUS and ALIGNED, as `ndarray.flags.num` has them.
_READABLE = 0x1 | 0x100


class NativeCode:
    """Machine code of a Program in this process.

    Attributes
    ----------
    program : NativeProgram
    function : callable
        Takes the inputs, then the arrays that it writes to, and returns the error code.
    makers : list of callable
        What makes these arrays.
    was_loaded : bool
        Whether it was found on disk.
    """

    __slots__ = ("function", "makers", "program", "was_loaded")

    def __init__(self, program: NativeProgram, function: Callable[..., int], was_loaded: bool) -> None:
        self.program, self.function, self.was_loaded = program, function, was_loaded
        self.makers = [own_memory.maker(kind) for kind in program.arrays]

    def __call__(self, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Run on arrays of the types of the inputs, of any layout; returns the Program's outputs."""
        given = list(map(_readable, self.program.inputs, arguments))
        arrays = [make() for make in self.makers]
        code = self.function(*given, *arrays)
        return [np.array(code, np.int32) if place is None else arrays[place] for place in self.program.outputs]


def _readable(kind: BufferType, array: np.ndarray) -> np.ndarray:
    """An array of a type on memory that machine code can read: the array itself, or a copy."""
    if array.shape != kind.shape or array.dtype != kind.dtype:
        found = BufferType(array.shape, array.dtype)
        raise ArgumentMismatchError(f"an argument is {found}, but the program was compiled for {kind}")
    return array if is_readable(array) else np.array(array, order="C")


def is_readable(array: np.ndarray) -> bool:
    """Return whether machine code can read an array where it is."""
    return array.flags.num & _READABLE == _READABLE


class NativeExecution(Execution):
    """Machine code with its Plan; the same program for XLA is compiled when somebody asks for it."""

    __slots__ = ("_compile", "_executable", "code")
    compiler = "LLVM"

    def __init__(self, plan: Plan, code: NativeCode, compile: Callable[[], Executable]) -> None:
        self.fast_path = never
        self.fast_path_attempts = 0
        self.plan, self.returns_one_array = plan, False
        self.code = code
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
        return self.plan.finish(self.code(buffers(self.plan.inputs(leaves.values))), leaves)

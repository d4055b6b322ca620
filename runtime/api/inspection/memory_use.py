"""The memory that a call takes, and what is copied around it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.shown_numbers import shown_bytes
from anabranch.runtime.api.stages import Compiled
from anabranch.runtime.call.native_execution import NativeExecution, is_readable
from anabranch.runtime.native.caller_arrays import InputLayout


@frozen
class MemoryUse:
    """The memory of a call, in bytes; `str` of it is a line."""

    arguments: int  # numbers and arrays from outside among them
    results: int  # what is made anew for each call, changed arguments among it
    # While the program runs; None for machine code, which has what it needs on the stack or in static memory.
    temporary: int | None
    # The arguments that are copied before the program can read them, with why; and what is copied back.
    copied: tuple[str, ...]

    def __str__(self) -> str:
        temporary = "" if self.temporary is None else f", {shown_bytes(self.temporary)} temporary"
        copies = f"; copied: {', '.join(self.copied)}" if self.copied else "; nothing is copied"
        arguments, results = shown_bytes(self.arguments), shown_bytes(self.results)
        return f"memory: {arguments} of arguments, {results} of results{temporary}{copies}"


def memory_use(compiled: Compiled, given: Mapping[str, object]) -> MemoryUse:
    """The memory that a call with these arguments takes."""
    execution = compiled.execution
    plan = execution.plan
    layouts = execution.code.program.layouts.values() if isinstance(execution, NativeExecution) else ()
    copied = [f"{name} ({why})" for name, value in given.items() for why in _obstacles(value, layouts)]
    in_place = set(execution.in_place.values()) if isinstance(execution, NativeExecution) else set()
    back = len(plan.writes) - len(in_place)
    if back > 0:
        copied.append(f"{back} changed {'array' if back == 1 else 'arrays'} back into the caller's memory")
    groups = plan.program.groups
    types = [*plan.program.out_types[groups.results], *plan.program.out_types[groups.writes]]
    results = sum(type.nbytes for type in types)
    if isinstance(execution, NativeExecution):
        arrays = execution.code.program.arrays
        results -= sum(int(np.prod(arrays[place].shape)) * arrays[place].dtype.itemsize for place in execution.in_place)
        temporary = None
    else:
        temporary = compiled.memory_analysis().get("temp")
    return MemoryUse(sum(type.nbytes for type in plan.program.in_types), max(results, 0), temporary, tuple(copied))


def _obstacles(value: object, layouts: Collection[InputLayout]) -> Iterator[str]:
    """The reason for which the program does not read an argument where it is."""
    if isinstance(value, np.ndarray) and not value.dtype.isnative:
        yield "of another byte order"
    elif isinstance(value, np.ndarray) and not (is_readable(value) or any(one.is_of(value) for one in layouts)):
        yield "not C-contiguous" if value.flags.aligned else "not aligned"

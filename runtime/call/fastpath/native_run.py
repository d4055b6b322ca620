"""The second half of a fast path where the whole Program is machine code."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.call.execution import MISS
from anabranch.runtime.call.fastpath.codegen import Writer
from anabranch.runtime.call.fastpath.guard_args import ArgumentChecks
from anabranch.runtime.call.fastpath.run import Running, place_lines
from anabranch.runtime.call.native_execution import NativeCode, NativeExecution, is_readable
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.host import own_memory
from anabranch.runtime.host.buffer_types import BufferType
from anabranch.runtime.signature.flatten_to_key import buffers
from anabranch.runtime.tracing.capacity import OverflowedError

_AS_THEY_ARE = (bool, int, float)


def _fail(plan: Plan, code: NativeCode, leaves: Sequence[Any]) -> Any:
    """Raise what has failed, which a second run of the same tells.

    Where a buffer was too small, the general path does it all again.
    """
    try:
        plan.fail(code(buffers(plan.inputs(leaves)), {}))
    except OverflowedError:
        return MISS


class NativeRunning(Running):
    """Calls the machine code on the leaves, and builds the result."""

    def __init__(self, writer: Writer, execution: NativeExecution, arguments: ArgumentChecks) -> None:
        self._code = execution.code
        self._arrays = [f"m{place}" for place in range(len(self._code.makers))]
        for place, begin in execution.in_place.items():
            leaf, value = arguments.inputs[begin]
            if is_readable(value):
                self._arrays[place] = leaf
        outputs = ["code" if place is None else self._arrays[place] for place in self._code.program.outputs]
        super().__init__(writer, execution, arguments, outputs)

    def _run(self) -> None:
        lines, constant, code = self._writer.lines, self._writer.constant, self._code
        # Nobody reads on this way what tells of a failure.
        unread = code.program.outputs[self._groups.failures]
        for place, (name, make) in enumerate(zip(self._arrays, code.makers, strict=True)):
            if name == f"m{place}":
                lines.append(f"{name} = {constant(make()) if place in unread else f'{constant(make)}()'}")
        inputs = zip(self._arguments.inputs, code.program.inputs, strict=True)
        given = [self._given(leaf, value, kind) for (leaf, value), kind in inputs]
        call = f"code = {constant(code.function)}({', '.join([*given, *self._arrays])})"
        lines += place_lines([value for _, value in self._arguments.inputs], call)
        self._write_states(self._outputs[self._groups.draws])
        if unread:
            self._writer.scope["failed"] = functools.partial(_fail, self._plan, code)
            lines.append(f"if code: return failed([{', '.join(self._arguments.leaves)}])")
        self._conditions = list(self._outputs[self._groups.conditions])
        self._finish(self._outputs[self._groups.writes])

    def _given(self, leaf: str, value: object, kind: BufferType) -> str:
        """The expression of an input as the code takes it."""
        if type(value) in _AS_THEY_ARE:
            return leaf
        constant = self._writer.constant
        if isinstance(value, np.ndarray):
            return leaf if is_readable(value) else f"{constant(own_memory.copied)}({leaf}, {constant(kind)})"
        return f"as_array({leaf}, {constant(kind.dtype)}, order='C')"

    def _number(self, name: str) -> str:
        return f"{name}.item()"

"""The second half of a fast path where the whole Program is machine code."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.call.execution import MISS
from anabranch.runtime.call.fastpath.codegen import Writer
from anabranch.runtime.call.fastpath.guard_args import ArgumentChecks
from anabranch.runtime.call.fastpath.run import Running, place_lines
from anabranch.runtime.call.native_execution import NativeCode, NativeExecution
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.host.buffer_types import BufferType
from anabranch.runtime.host.object_layout import is_ordinary
from anabranch.runtime.signature.flatten_to_key import buffers
from anabranch.runtime.tracing.capacity import OverflowedError
from anabranch.runtime.values.abstract import Kind

_AS_THEY_ARE = (bool, int, float)
_NUMBER = re.compile(r"\bn\d+\b")


def _fail(plan: Plan, code: NativeCode, leaves: Sequence[Any]) -> Any:
    """Raise what has failed, which a second run of the same tells.

    Where a buffer was too small, the general path does it all again.
    """
    try:
        plan.fail(code(buffers(plan.inputs(leaves)), {}))
    except OverflowedError:
        return MISS


def _fail_of(plan: Plan, code: NativeCode, arrays: Sequence[np.ndarray]) -> Any:
    """Raise what has failed, which the run has told in these arrays: what it has called is not called again.

    Where a buffer was too small, the general path does it all again.
    """
    try:
        plan.fail(code.outputs(arrays, None))
    except OverflowedError:
        return MISS


class NativeRunning(Running):
    """Calls the machine code on the leaves, and builds the result.

    The code returns numbers, `n0` and so on. One that has to be an array becomes one, `n0a`.
    """

    def __init__(self, writer: Writer, execution: NativeExecution, arguments: ArgumentChecks) -> None:
        self._code = execution.code
        program = self._code.program
        self._arrays = [f"m{place}" for place in range(len(self._code.makers))]
        for place, begin in execution.in_place.items():
            leaf, value = arguments.inputs[begin]
            if self._code.is_readable(begin, value):
                self._arrays[place] = leaf
        self._numbers = [f"n{place}" for place in range(len(program.numbers))]
        self._as_arrays: set[str] = set()
        made = [*self._arrays, *self._numbers]
        super().__init__(writer, execution, arguments, [made[place] for place in program.outputs])

    def _run(self) -> None:
        lines, constant, code = self._writer.lines, self._writer.constant, self._code
        failures = code.program.outputs[self._groups.failures]
        # Nobody reads on this way what tells of a failure, but where that cannot be asked of another run.
        unread = () if code.callbacks else failures
        for place, (name, make) in enumerate(zip(self._arrays, code.makers, strict=True)):
            if name == f"m{place}":
                lines.append(f"{name} = {constant(make()) if place in unread else f'{constant(make)}()'}")
        inputs = list(zip(self._arguments.inputs, code.program.inputs, strict=True))
        given = [self._given(k, leaf, value, kind) for k, ((leaf, value), kind) in enumerate(inputs)]
        otherwise = "MISS" if self._leave_checks() else "None"
        answer = self._numbers[0] if len(self._numbers) == 1 else "answer"
        passed = [*given, *self._arrays, otherwise, *map(constant, code.callbacks)]
        call = f"{answer} = {constant(code.function)}({', '.join(passed)})"
        lines += place_lines([value for _, value in self._arguments.inputs], call)
        if otherwise == "MISS":
            lines.append(f"if {answer} is MISS: return MISS")
        states = self._outputs[self._groups.draws]
        if failures:
            told = self._arrays if code.callbacks else self._arguments.leaves
            fail, again_by = (_fail_of, code) if code.callbacks else (_fail, code)
            self._writer.scope["failed"] = functools.partial(fail, self._plan, again_by)
            again = f"return failed([{', '.join(told)}])"
            if states:
                # A run that is done again, in larger buffers, begins with the states from before.
                lines += [f"if {answer} is None:", f"    try: {again}", "    except BaseException:"]
                lines += [f"        {line}" for line in self._written_states(states)] + ["        raise"]
            else:
                lines.append(f"if {answer} is None: {again}")
        lines += self._written_states(states)
        if len(self._numbers) > 1:
            lines.append(f"{', '.join(self._numbers)}, = answer")
        lines += [f"{name}a = as_array({name}, {constant(self._dtype(name))})" for name in sorted(self._as_arrays)]
        self._readonly = [self._array(name) for name in self._readonly]
        self._finish(self._outputs[self._groups.writes])

    def _conditions(self) -> list[str]:
        return list(self._outputs[self._groups.conditions])

    def _leave_checks(self) -> bool:
        """Leave the checks of arrays to the code, where these are as it expects them."""
        inputs = list(zip(self._arguments.inputs, self._code.program.inputs, strict=True))
        if not all(is_ordinary(np.empty(0, kind.dtype)) for _, kind in inputs if kind.shape):
            return False
        direct = [
            (leaf, value, kind)
            for k, ((leaf, value), kind) in enumerate(inputs)
            if kind.shape and isinstance(value, np.ndarray) and self._code.is_readable(k, value)
        ]
        if not all(is_ordinary(value) and value.dtype is kind.dtype for _, value, kind in direct):
            return False
        self._arguments.leave([leaf for leaf, *_ in direct], [leaf for leaf, *_ in direct if leaf in self._arrays])
        return True

    def _given(self, place: int, leaf: str, value: object, kind: BufferType) -> str:
        """The expression of an input as the code takes it."""
        if type(value) in _AS_THEY_ARE:
            return leaf
        constant = self._writer.constant
        if isinstance(value, np.ndarray):
            return leaf if self._code.is_readable(place, value) else f"{constant(self._code.copied(place))}({leaf})"
        return f"as_array({leaf}, {constant(kind.dtype)}, order='C')"

    def _leaf(self, kind: Kind, name: str) -> str:
        if name in self._numbers and kind is Kind.SCALAR:
            return f"{self._writer.constant(self._dtype(name).type)}({name})"
        if kind is Kind.PYTHON and name in self._outputs:
            return self._number(name)
        return super()._leaf(kind, self._array(name))

    def _dtype(self, name: str) -> np.dtype:
        """The dtype of a number."""
        return self._code.program.numbers[self._numbers.index(name)].dtype

    def _array(self, name: str) -> str:
        """An expression with arrays in place of numbers."""
        self._as_arrays.update(_NUMBER.findall(name))
        return _NUMBER.sub(r"\g<0>a", name)

    def _number(self, name: str) -> str:
        return name if name in self._numbers else f"{name}.item()"

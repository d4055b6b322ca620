"""Facts about the values of a loop nest, by the names that they have while it is written."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import numpy as np

from anabranch.runtime.ir.program import Atom, Equation, Literal, Var
from anabranch.runtime.ops.elementwise.arithmetic import add, multiply, subtract
from anabranch.runtime.ops.elementwise.casts import convert_op
from anabranch.runtime.ops.structured import Loop


class NestNames:
    """The values that are the same in all steps of a loop, floats that are whole numbers, and indices."""

    def __init__(self) -> None:
        self._formals: dict[Var, set[str]] = {}  # what is known of values as a step of a loop begins
        self._fixed: set[str] = set()
        self._constant: set[str] = set()
        self._whole: set[str] = set()
        self._moved: dict[tuple[str, int], str] = {}
        self._depth = 0

    @contextlib.contextmanager
    def steps(self, equation: Equation, names: Sequence[str]) -> Iterator[None]:
        """The steps of a loop, in which some values are always the same; `names` are those of its operands."""
        assert isinstance(equation.op, Loop)
        (body,) = equation.op.results(equation.params)
        before = self._fixed
        self._fixed = set(before)
        for slot in equation.op.slots(equation):
            if slot.formal is not None and slot.operand is not None:
                formal, name = body.inputs[slot.formal], names[slot.operand]
                is_fixed = slot.yielded is None or body.outputs[slot.yielded] is formal
                self._formals[formal] = {"fixed"} if is_fixed else set()
                if is_fixed and (not self._depth or name in self._constant):
                    self._formals[formal].add("constant")
                if is_fixed and name in self._whole:
                    self._formals[formal].add("whole")
        self._depth += 1
        yield
        self._depth -= 1
        self._fixed = before

    @contextlib.contextmanager
    def program(self) -> Iterator[None]:
        """A Program, after which nothing is known of what it has checked."""
        count = len(self._moved)
        yield
        for key in list(self._moved)[count:]:
            del self._moved[key]

    def note(self, name: str, var: Var) -> None:
        """Take note of the name of a value."""
        for kind, known in (("fixed", self._fixed), ("constant", self._constant), ("whole", self._whole)):
            if kind in self._formals.get(var, ()):
                known.add(name)

    def note_result(self, equation: Equation, names: Sequence[str], name: str) -> None:
        """Take note of the name of a result: a float that is computed from whole numbers is one."""
        if equation.op is convert_op:
            is_whole = equation.inputs[0].type.dtype.kind in "iu"
        else:
            is_whole = equation.op in (add, subtract, multiply) and all(
                x in self._whole or _is_whole(a) for x, a in zip(names, equation.inputs, strict=True)
            )
        if is_whole and equation.outputs[0].type.dtype == np.float64 and name.startswith("%"):
            self._whole.add(name)

    def is_fixed(self, name: str) -> bool:
        """Return whether a value is the same in all steps of the innermost loop."""
        return name in self._fixed

    def is_asked_again(self, base: str, exponent: str) -> bool:
        """Return whether a power of a number, the same in all of the nest, may well be computed more than once."""
        return self._depth > 1 and base in self._constant and exponent in self._whole

    def moved(self, name: str, length: int) -> str:
        """The name of an index as it counts from the beginning, if it has been checked; else empty."""
        return self._moved.get((name, length), "")

    def checked(self, name: str, length: int, moved: str) -> None:
        """Take note that an index has been checked, and of its name as it counts from the beginning."""
        self._moved[name, length] = moved


def _is_whole(atom: Atom) -> bool:
    if not isinstance(atom, Literal) or atom.type.dtype.kind != "f":
        return False
    return bool(np.all(atom.value == np.floor(atom.value)))

"""Ints that int64 does not hold, where what is computed of them is held again.

An operation that may go beyond int64 has a check. A remainder, a mask or a shift of its result is computed from the
operands instead, modulo the divisor or 2**64, and then the check counts only if the int64 itself is used, too. A
result from 2**63 to 2**64 - 1 is a `Word`: such ints come of masks of 64 bits.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.interval import FULL
from anabranch.runtime.ir.program import Atom, Equation, Literal
from anabranch.runtime.ops.check import check, check_of_value
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.values import atoms, control_of_atoms
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_operands import (
    IntOperand,
    PythonNumber,
    as_kind,
    fits,
    interval_of,
    is_run_time,
    overflow,
)

UINT64 = np.dtype(np.uint64)
_RING = (np.add, np.subtract, np.multiply, np.power, np.left_shift)  # what a remainder can be taken through
_OVERFLOWS = {np.add: "add_overflows", np.subtract: "subtract_overflows", np.multiply: "multiply_overflows"}


# ---- checks that count where their value is used ---------------------------------------------------------------------


class Check:
    """The check of one operation, and the int64 that it is of."""

    def __init__(self, builder: Builder, equation: Equation, value: Atom) -> None:
        self.builder, self.equation, self.value = builder, equation, value
        self._is_forgone = self._is_kept = False

    def insist(self) -> None:
        """Let it count wherever the int64 would be, used or not: it decides more than a value, such as a dtype."""
        if self._is_forgone and not self._is_kept:
            run_time_checks.note_failure(self.equation.inputs[1], overflow)
        self._is_kept = True

    def forgo(self) -> None:
        """Let it count only where the int64 is used."""
        if self._is_kept or self._is_forgone:
            return
        self._is_forgone = True
        equations = self.builder.equations
        place = next((k for k in range(len(equations) - 1, -1, -1) if equations[k] is self.equation), None)
        if place is None:
            return  # it counts so already
        inputs = (*self.equation.inputs, self.value)
        equations[place] = made_of = dataclasses.replace(self.equation, op=check_of_value, inputs=inputs)
        self.builder.makers.update({v: made_of for v in made_of.outputs if v in self.builder.makers})
        self.builder.trace.failures.some_of_values = True


def checked(value: Atom, beyond: Atom) -> Check | None:
    """Raise at run time where a result is beyond int64; returns the check, or None where there is none."""
    if isinstance(beyond, Literal) and not beyond.value:
        return None
    if isinstance(value, Literal) or isinstance(beyond, Literal):
        run_time_checks.fail_if(beyond, overflow)
        return None
    run_time_checks.note_failure(beyond, overflow)
    builder = current()
    equation = next(e for e in reversed(builder.equations) if e.op is check)
    return Check(builder, equation, value)


# ---- exact values ----------------------------------------------------------------------------------------------------


@frozen(eq=False)
class Computed:
    """An int as what computes it."""

    function: np.ufunc
    parts: tuple[IntOperand, ...]  # the operands
    check: Check | None  # that of the int64

    def low(self) -> Atom:
        """The int modulo 2**64."""
        self._forgo()
        function: Any = self.function
        if function is np.power:
            base, exponent = self.parts
            return atoms.ufunc(np.power, low(base), atoms.convert(as_kind(exponent, int), UINT64))
        if function is np.left_shift:
            return atoms.ufunc(np.left_shift, low(self.parts[0]), atoms.convert(as_kind(self.parts[1], int), UINT64))
        return atoms.ufunc(function, *map(low, self.parts))

    def modulo(self, divisor: Atom) -> Atom | None:
        """The int modulo an int64, which is not 0; None where it cannot be computed of the operands."""
        if self.function not in _RING:
            return None
        x, y = self.parts
        first = modulo(x, divisor)
        if first is None:
            return None
        if self.function is np.left_shift:
            self._forgo()
            two: Atom = atoms.literal(2, np.int64)
            return _product(first, atoms.op("modular_power", two, as_kind(y, int), divisor), divisor)
        if self.function is np.power:
            self._forgo()
            return atoms.op("modular_power", first, as_kind(y, int), divisor)
        second = modulo(y, divisor)
        if second is None:
            return None
        self._forgo()
        if self.function is np.multiply:
            return _product(first, second, divisor)
        if self.function is np.add:  # both have the sign of the divisor: their difference is an int64
            second = atoms.ufunc(np.subtract, divisor, second)
        return atoms.ufunc(np.remainder, atoms.ufunc(np.subtract, first, second), divisor)

    def remainder(self, divisor: Atom) -> Atom | None:
        """As `modulo`, in a branch that is taken only where the int, or one that it is computed from, is no int64."""
        anew = self._anew()
        if anew is None or not anew[1]:
            return self.modulo(divisor)
        wrapped, beyond = anew

        def of_parts(_: control_of_atoms.State) -> control_of_atoms.State:
            made = self.modulo(divisor)
            assert made is not None  # all parts are int64s, or computed of such
            return (made,)

        def of_int64(_: control_of_atoms.State) -> control_of_atoms.State:
            return (atoms.ufunc(np.remainder, wrapped, divisor),)

        (found,) = control_of_atoms.cond(functools.reduce(atoms.logical_or, beyond), of_parts, of_int64, ())
        return found

    def _anew(self) -> tuple[Atom, list[Atom]] | None:
        """The int64 that the operations leave of the int, and the conditions that one of them goes beyond int64.

        They are computed again, since to use the int64 would be to ask for its check. None where it is not computed of
        int64s by + - * alone.
        """
        if self.function not in _OVERFLOWS:
            return None
        operands, beyond = [], []
        for part in self.parts:
            exact = exact_of(part)
            anew = exact._anew() if isinstance(exact, Computed) else None
            if anew is not None:
                operands.append(anew[0])
                beyond += anew[1]
            elif exact is not None or not fits(part):
                return None
            else:
                operands.append(as_kind(part, int))
        if self.check is not None:
            beyond.append(atoms.op(_OVERFLOWS[self.function], *operands))
        return atoms.ufunc(self.function, *operands), beyond

    def insist(self) -> None:
        """Raise at run time where the int is no int64."""
        for part in self.parts:
            insist(part)
        if self.check is not None:
            self.check.insist()

    def _forgo(self) -> None:
        if self.check is not None:
            self.check.forgo()


@frozen(eq=False)
class OfWord:
    """A word of 64 bits."""

    atom: Atom
    source: Computed | None = None  # what it is computed from, where it has a check of its own

    def low(self) -> Atom:
        """The word."""
        return self.atom if self.source is None else self.source.low()

    def insist(self) -> None:
        """Raise at run time where the word is no int64."""
        beyond = atoms.ufunc(np.greater, self.atom, atoms.literal(FULL.high, UINT64))
        if not isinstance(beyond, Literal):
            run_time_checks.note_failure(beyond, overflow)

    def modulo(self, divisor: Atom) -> Atom | None:
        """The word modulo an int64 that is known to be positive."""
        if not isinstance(divisor, Literal) or divisor.value <= 0:
            return None
        rest = atoms.ufunc(np.remainder, self.atom, atoms.convert(divisor, UINT64))
        return atoms.convert(rest, np.int64)


Exact: TypeAlias = Computed | OfWord


def _product(x: Atom, y: Atom, divisor: Atom) -> Atom:
    return atoms.op("modular_product", x, y, divisor)


def exact_of(x: IntOperand) -> Exact | None:
    """The exact value of an int that may be more than its int64; None where it is no more than that."""
    return x.exact_ if is_run_time(x) else None


def insist(x: IntOperand) -> None:
    """Raise at run time where an int is no int64."""
    exact = exact_of(x)
    if exact is not None:
        exact.insist()


def is_wide(x: IntOperand) -> bool:
    """Return whether an int may be beyond int64."""
    return not fits(x) or exact_of(x) is not None


def low(x: IntOperand) -> Atom:
    """An int modulo 2**64, as a word."""
    exact = exact_of(x)
    if exact is not None:
        return exact.low()
    if not is_run_time(x):
        return atoms.literal(int(x) % 2**64, UINT64)
    return atoms.convert(as_kind(x, int), UINT64)


def modulo(x: IntOperand, divisor: Atom) -> Atom | None:
    """An int modulo an int64, which is not 0; None where it cannot be computed so."""
    exact = exact_of(x)
    if exact is not None:
        return exact.modulo(divisor)
    if not fits(x):
        if not isinstance(divisor, Literal) or not divisor.value:
            return None
        return atoms.literal(int(x) % int(divisor.value), np.int64)
    known = interval_of(x)
    if isinstance(divisor, Literal) and known.low >= 0 and known.high < divisor.value:
        return as_kind(x, int)
    return atoms.ufunc(np.remainder, as_kind(x, int), divisor)


def narrowed(word: Atom) -> Atom:
    """A word as an int64; raises at run time where it is none and the int64 is used."""
    value = atoms.convert(word, np.int64)
    of = checked(value, atoms.ufunc(np.greater, word, atoms.literal(FULL.high, UINT64)))
    if of is not None:
        of.forgo()
    return value


def computed(result: Value, function: np.ufunc, parts: tuple[IntOperand, ...], of: Check | None) -> Value:
    """The result of an operation, with what it is beyond int64, if it may be beyond."""
    if isinstance(result, PythonNumber) and (of is not None or any(map(is_wide, parts))):
        result.exact_ = Computed(function, parts, of)
    return result

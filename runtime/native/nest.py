"""A loop nest while it is written: what may fail in it, and the ways out of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from anabranch.runtime.ir.interval import Interval, exactly
from anabranch.runtime.ir.program import Equation, Program, Var
from anabranch.runtime.native.carries import Exits
from anabranch.runtime.native.failures import FailureValues, NestFailures
from anabranch.runtime.native.known_values import KnownValues
from anabranch.runtime.passes.range_analysis import ranges_without_failure

_NO_FAILURE = exactly(0)


class Nest:
    """A loop nest.

    Attributes
    ----------
    failures : NestFailures
    codes : collection of str
        The names of the error codes among the operands: where one is set, nothing runs.
    exits : Exits or None
        The ways out of the outermost loop, once that has begun.
    """

    def __init__(self, equation: Equation, names: Sequence[str], failures: FailureValues) -> None:
        self.failures = NestFailures(failures, equation)
        self.codes: Collection[str] = {
            name for name, atom in zip(names, equation.inputs, strict=True) if failures.is_code(atom)
        }
        self.exits: Exits | None = None

    def ranges(self, equation: Equation, known: KnownValues) -> Mapping[Var, Interval]:
        """The intervals of the ints in the nest, which runs only as long as nothing has failed."""
        inputs = tuple(dict.fromkeys(a for a in equation.inputs if isinstance(a, Var)))
        outside = {var: interval for var in inputs if (interval := known.outside(var)) is not None}
        outside |= {var: _NO_FAILURE for var in inputs if self.failures.values.is_code(var)}
        found = ranges_without_failure(Program(inputs, (equation,), equation.outputs), outside, self.failures.leaves)
        # What holds in the nest need not hold around it: it is left where something fails.
        around = {*inputs, *equation.outputs}
        return {var: interval for var, interval in found.items() if var not in around}

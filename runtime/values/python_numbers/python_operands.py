"""Operands of Python's arithmetic: kind, atom, what is known of them; and the exceptions that Python raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.errors import IntegerRangeError
from anabranch.runtime.ir.interval import FULL, Interval, exactly
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import PYTHON_DTYPES, Abstract, Kind, PythonType
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.failures.refusals import INTS_ARE_INT64
from anabranch.runtime.values.tracer import Tracer

# The ints that float64 holds, with every one between them.
EXACT = Interval(-(2**53), 2**53)


made = wrap.python_number


class PythonNumber(Tracer):
    """The base of traced Python scalars.

    An int also carries what is known of it at no cost: the interval it lies in, which spares overflow and bounds
    checks, and `affine`, (atom, offset) when it is another value plus a constant, which makes `a[i:i + 2]` static in
    length; `most`, such a value that it does not exceed, as a counter does not exceed the end of its range, so that
    `k - i` is not negative. `exact_` is what an int that may be beyond int64 is computed from (`exact_ints`).
    """

    __slots__ = ("affine", "atom", "exact_", "interval", "most")

    def __init__(self, atom: Atom, interval: Interval = FULL, affine: tuple[Atom, int] | None = None) -> None:
        self.atom = atom
        self.interval = interval
        self.affine = affine or (atom, 0)
        self.most = self.affine
        self.exact_: Any = None

    @property
    def abstract(self) -> Abstract:
        return Abstract((), self.atom.type.dtype, Kind.PYTHON)

    @property
    def python(self) -> PythonType:
        return self.abstract.python


# The operands of Python's arithmetic, of which one at least is known only at run time.
Operand: TypeAlias = complex | PythonNumber
IntOperand: TypeAlias = int | PythonNumber
Rule: TypeAlias = Callable[[Any, Any], Any]


def is_run_time(x: object) -> TypeGuard[PythonNumber]:
    """Return whether an operand is known only at run time."""
    return isinstance(x, PythonNumber)


def kind_of(x: Operand) -> type:
    """int, float, bool or complex."""
    return x.python if is_run_time(x) else type(x)


def interval_of(x: Value) -> Interval:
    """The interval that an int operand is known to lie in."""
    if is_run_time(x):
        return Interval(0, 1) if x.python is bool else x.interval
    return exactly(int(x))


def least_difference(x: IntOperand, y: IntOperand) -> int:
    """The least that `x - y` may be, by what is known of `y` beside `x`."""
    if is_run_time(x) and is_run_time(y) and x.python is y.python is int and x.affine[0] is y.most[0]:
        return x.affine[1] - y.most[1]
    return interval_of(x).low - interval_of(y).high


def shift_most(result: Value, x: IntOperand, by: int) -> None:
    """Give a sum of an int and a constant what the int is known not to exceed, and that constant more."""
    if is_run_time(result) and is_run_time(x) and x.python is int:
        result.most = (x.most[0], x.most[1] + by)


def as_kind(x: Operand, kind: type) -> Atom:
    """The operand as an atom of a Python kind."""
    if is_run_time(x) and x.exact_ is not None and kind is int:
        return x.atom
    return wrap.as_atom(x, PYTHON_DTYPES[kind])


def raised(function: Callable[..., object], *arguments: complex) -> Callable[[int], BaseException]:
    """A factory of the exception that Python itself raises for this operation."""

    def make(_: int) -> BaseException:
        try:
            function(*arguments)
        except Exception as error:  # the very exception wanted
            return error.with_traceback(None)
        raise AssertionError("the operation did not raise")

    return make


def overflow(_: int) -> BaseException:
    """The exception for an int beyond int64."""
    return IntegerRangeError(
        f"a Python int went beyond 64 bits, and {INTS_ARE_INT64}; use floats, or make the arguments that it comes "
        "from static"
    )


def fits(x: Value) -> bool:
    """Return whether an int operand is an int64."""
    return is_run_time(x) or FULL.low <= int(x) <= FULL.high


def zero_check(y: Operand, b: Atom, function: Callable[..., object], sample: PythonType) -> None:
    """Raise at run time what `function(1, 0)` raises where the divisor is zero."""
    if kind_of(y) in (int, bool):
        bound = interval_of(y)
        if bound.low > 0 or bound.high < 0:
            return
    zero = atoms.literal(0, b.type.dtype)
    run_time_checks.fail_if(atoms.ufunc(np.equal, b, zero), raised(function, sample(1), sample(0)))


def quotient_check(y: Operand, b: Atom, function: Callable[..., object], sample: PythonType) -> None:
    """As `zero_check`, for a result that can be infinite or NaN, which the settings may ask for instead."""
    if settings().zero_division_errors:
        zero_check(y, b, function, sample)


def divmod_check(x: Operand, y: Operand) -> None:
    """Raise at run time `divmod`'s own exception where the divisor of floats is zero."""
    kinds = {kind_of(v) for v in (x, y)}
    if float in kinds and kinds <= {float, int, bool}:
        quotient_check(y, as_kind(y, float), divmod, float)

"""`python -m anabranch bench FILE.py:FUNCTION`: a function plain beside compiled."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.shown_numbers import shown_number, shown_seconds
from anabranch.cli.show import TargetError, one_line
from anabranch.cli.timing import per_call
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.errors import AnabranchError
from anabranch.runtime.testing.check import check_equivalent


@frozen
class Measured:
    """The measured times.

    Attributes
    ----------
    call : str
        The arguments' types.
    difference : str
        A report of how the results differ; empty where they don't.
    plain : float
        The seconds of a call as Python runs it.
    first, compiled : float
        The seconds of the first call of what is compiled, and of later ones.
    """

    call: str
    difference: str
    plain: float
    first: float
    compiled: float

    def lines(self) -> Iterator[str]:
        """The measurement as text."""
        yield self.call
        yield f"{'':10}{'first call':>14}{'per call':>14}"
        yield f"{'plain':10}{'':>14}{shown_seconds(self.plain):>14}"
        yield f"{'compiled':10}{shown_seconds(self.first):>14}{shown_seconds(self.compiled):>14}  {self._ratio()}"

    def _ratio(self) -> str:
        gain = self.plain - self.compiled
        if gain <= 0:
            return f"{shown_number(self.compiled / self.plain)} times as long as plain"
        paid = max(1, round(self.first / gain))
        return (
            f"{shown_number(self.plain / self.compiled)} times as fast; the first call is paid for after {paid:,} calls"
        )


def measure(function: Wrapped[..., Any], arguments: tuple[Any, ...], seconds: float) -> Measured:
    """Time a function both ways, and compare what they do.

    Raises
    ------
    TargetError
        Where the plain function raises on these arguments.
    AnabranchError
        Where it can't be compiled.
    """
    plain: Any = function.__wrapped__
    try:
        plain_time = per_call(plain, arguments, seconds)
    except (Exception, SystemExit) as error:
        raise TargetError(f"on these arguments the function raises {one_line(error)}") from error
    given = copy.deepcopy(arguments)
    start = time.perf_counter()
    try:
        function(*given)
    except AnabranchError:
        raise
    except Exception as error:
        raise TargetError(f"compiled, the function raises {one_line(error)}; `check` compares the two") from error
    first = time.perf_counter() - start
    found = check_equivalent(function, *arguments)
    call = f"{function.__name__}({', '.join(map(_described, arguments))})"
    return Measured(
        call, "" if found is None else str(found), plain_time, first, per_call(function, arguments, seconds)
    )


def _described(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{','.join(map(str, value.shape))}]"
    text = repr(value)
    return text if len(text) <= 40 else type(value).__name__

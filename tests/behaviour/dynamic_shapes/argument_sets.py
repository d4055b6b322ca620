"""Arguments for the programs of this folder: arrays of one shape each, so that argument sets share a compilation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from anabranch import AnabranchError, jit
from anabranch.runtime.errors import ShapeMismatchError
from tests.equivalence import Outcome
from tests.program_table import Program

NDArray = np.ndarray[Any, Any]

V: NDArray = np.array([3.0, -1.0, 4.0, 1.0, -5.0, 9.0, 2.0, 6.0])
W: NDArray = np.array([2.0, 7.0, 1.0, 8.0, -2.0, 8.0, 1.0, 8.0])
N: NDArray = np.array([5, -3, 2, 2, 0, -3, 7, 5])
B: NDArray = np.array([True, False, True, True, False, False, True, False])
C: NDArray = np.array([1 + 2j, 3 - 1j, -2j, 4, -1 + 1j, 2, 0.5j, -3])
M: NDArray = np.arange(30.0).reshape(5, 6) - 11
S: NDArray = np.array([[4.0, 1.0, 2.0, 0.5], [1.0, 5.0, 0.0, 1.0], [2.0, 0.0, 6.0, 2.0], [0.5, 1.0, 2.0, 7.0]])
T: NDArray = np.arange(24).reshape(2, 3, 4) % 7
NOTHING: NDArray = np.zeros(8)


def each(*firsts: Any, last: tuple[tuple[Any, ...], ...]) -> tuple[tuple[Any, ...], ...]:
    """Argument sets that begin with the same arguments."""
    return tuple((*firsts, *more) for more in last)


def ints(*firsts: Any, at: tuple[int, ...] = (0, 1, 3, 8)) -> tuple[tuple[Any, ...], ...]:
    """Argument sets that end with one int each."""
    return each(*firsts, last=tuple((k,) for k in at))


class Worded(Program):
    """A program whose exceptions say what NumPy's say, too."""

    def check_run_time(self) -> None:
        """Compare with no argument made static: sizes are known at run time, or are refused as such."""
        self._compare_unless_refused(jit(self.function, static_argnames=self.static, auto_static=False))

    def _compare_unless_refused(self, wrapped: Any) -> None:
        for args in self.argsets:
            want, got = Outcome(self.function, args, {}), Outcome(wrapped, args, {})
            if isinstance(got.error, AnabranchError) and not isinstance(got.error, ShapeMismatchError):
                pytest.skip(f"refused: {got.error}")
            self._compare_outcomes(want, got, args)

    def _check_error(self, want: BaseException, got: Outcome, args: tuple[Any, ...]) -> None:
        Program._check_error(self, want, got, args)
        # What pytest makes of an assertion has another message, and of what can't be broadcast one size decides.
        if isinstance(want, AssertionError) or "non-broadcastable" in str(want):
            return
        assert str(got.error).startswith(str(want).rstrip()), f"{args!r}: eager says {want}, jitted {got.error}"


class Hoped(Worded):
    """A program that does what NumPy does, or is refused."""

    def check(self) -> None:
        """Compare each argument set, unless it is refused."""
        self._compare_unless_refused(jit(self.function, static_argnames=self.static))

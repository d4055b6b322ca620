"""The failures of a recursive function that its own try statements may catch, around calls of itself.

Such a call may fail wherever the body may, and the body is still being traced when the handlers are. They are given
numbers before: those that a trace of the body has found are numbered again before the next one, and a call that ends
with one of them turns the number that its place has into the one that the handlers know.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.tracing.failures import Failure
from anabranch.runtime.values import atoms


class OwnFailures:
    """The failures of the body of a recursive function, as its handlers know them.

    Attributes
    ----------
    are_caught : bool
        Whether a try statement of the function is around a call of itself.
    """

    def __init__(self, numbered: list[Failure]) -> None:
        self._numbered = numbered
        self._known: Sequence[Failure] = ()
        self._before = self._first = 0  # how many were numbered before the known ones, and before those of the body
        self.are_caught = False

    def begin(self) -> None:
        """Number what is known, before the body is traced."""
        self._before = len(self._numbered)
        self._numbered += self._known
        self._first = len(self._numbered)

    def note_call(self, builder: Builder) -> None:
        """Tell the try statements around a call of the function what it may raise."""
        numbers = range(self._before + 1, self._first + 1)
        for region in builder.trace.failures.regions:
            region.again.update(numbers)
            self.are_caught |= region.first >= self._first

    def are_complete(self) -> bool:
        """Return whether the failures of the body, as just traced, are those that are known; else they are now."""
        found = self._numbered[self._first :]
        if not self.are_caught or [f.frames for f in found] == [f.frames for f in self._known]:
            return True
        self._known = found
        return False

    def renumber(self) -> None:
        """Turn the failures of the body, at its end, into those that the handlers know."""
        if not self.are_caught:
            return
        self._numbered[self._before : self._first] = self._numbered[self._first :]
        builder = current()
        error = builder.trace.failures.error_code
        code = builder.read(error)
        is_own = atoms.ufunc(np.greater, code, atoms.literal(self._first, np.int32))
        known = atoms.ufunc(np.subtract, code, atoms.literal(self._first - self._before, np.int32))
        builder.write(error, atoms.select(is_own, known, code))

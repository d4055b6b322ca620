"""Places that can raise at run time, and the exceptions that handlers see of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from anabranch.base.frozen import frozen, mutable
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.storage import Storage


class UnreachableError(Exception):
    """Raised while tracing when every path from here has raised a run-time exception: no value follows."""


@frozen(eq=False)
class Failure:
    """One place that can raise at run time: the exception to raise when the error code is its number.

    `make` gets what the failure has said in its storages. `reconstruct` makes the exception that a handler sees of the
    run-time values; without it, what the failure has said is an int that its message names.
    """

    make: Callable[[list[np.ndarray]], BaseException]
    reconstruct: Callable[[list[Atom]], BaseException] | None
    frames: tuple[tuple[str, int, str], ...]
    details: tuple[Storage, ...] = ()


# Where failures keep values for their messages, with the values.
Details: TypeAlias = tuple[tuple[Storage, Atom], ...]


@mutable
class Caught:
    """The exception that a handler sees: the error code that led to it, which failures those may be, what they keep."""

    error: BaseException
    code: Atom
    numbers: tuple[int, ...]
    details: Details = ()
    parts: tuple[Any, ...] = ()

    def note(self) -> None:
        """Remember what the exception is made of."""
        self.parts = self._parts()

    @property
    def changed(self) -> bool:
        """Return whether the handler has given it other arguments, attributes or notes, or another cause."""
        now = self._parts()
        return len(now) != len(self.parts) or any(a is not b for a, b in zip(now, self.parts, strict=True))

    def _parts(self) -> tuple[Any, ...]:
        error, held = self.error, vars(self.error)
        # Not the context, which Python sets where it is raised.
        came_of = (error.__cause__, error.__suppress_context__)
        return (*error.args, self, *held, *held.values(), self, *held.get("__notes__", ()), self, *came_of)

"""The text of a fast path, as it is written."""

from __future__ import annotations

import itertools
import os
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentityDict
from anabranch.base.frozen import frozen
from anabranch.runtime.call.call_spec import Call
from anabranch.runtime.call.execution import MISS, FastPath
from anabranch.runtime.device.array import Array

_numbers = itertools.count()
_FOLDER = os.path.dirname(__file__)


class UnsuitedError(Exception):
    """There is no fast path for such a call."""


class Writer:
    """The text of a function, and the values that its names stand for."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: IdentityDict[object, str] = IdentityDict()
        self.scope: dict[str, Any] = {
            "MISS": MISS,
            "Array": Array,
            "ndarray": np.ndarray,
            "copyto": np.copyto,
            "as_array": np.array,
        }

    def constant(self, value: object) -> str:
        """A name for a value."""
        name = self._names.get(value)
        if name is None:
            name = self._names[value] = f"c{len(self.scope)}"
            self.scope[name] = value
        return name

    def unless(self, condition: str) -> int:
        """Leave for the general path unless a condition holds; returns the number of the line."""
        self.lines.append(f"if not ({condition}): return MISS")
        return len(self.lines) - 1

    def drop(self, line: int) -> None:
        """Do without a line."""
        self.lines[line] = ""

    def function(self, name: str, body: list[str]) -> FastPath:
        """The function of these lines; a file name of the project's keeps it out of users' tracebacks."""
        text = "\n".join(["def fast_path(args, kwargs):", *(f"    {line}" for line in body if line)]) + "\n"
        filename = os.path.join(_FOLDER, f"{name}:{next(_numbers)}")
        exec(compile(text, filename, "exec"), self.scope)
        # Its namespace is without it, so that both go when nobody has them any more, and not when the collector comes.
        made: FastPath = self.scope.pop("fast_path")
        return made


@frozen
class _ArgumentPosition:
    """An argument, and where it stands in the call: `args[0]`, `kwargs['n']`; None for a default."""

    where: tuple[str, int | str] | None
    value: Any

    def text(self, writer: Writer) -> str:
        """The expression."""
        match self.where:
            case None:
                return writer.constant(self.value)
            case ("args", index):
                return f"args[{index}]"
            case (_, name):
                return f"kwargs.get({name!r}, MISS)"


@frozen
class CallForm:
    """A call as it is written."""

    positional: int  # how many arguments it has by position
    named: int  # and by name
    places: Sequence[_ArgumentPosition]  # all that it gives, as arranged
    run_time_sequences: Collection[int] = ()  # which texts among them are run-time values

    @staticmethod
    def of(written: Call, arranged: Call, names: Sequence[str], run_time_sequences: Collection[int] = ()) -> CallForm:
        """The form of a call, from its arguments as they were given and as `StaticArguments.arrange` has them."""
        (args, kwargs), (placed, left) = written, arranged
        places = []
        for i, value in enumerate(placed):
            where: tuple[str, int | str] | None = ("args", i)
            if i >= len(args):
                where = ("kwargs", names[i]) if names[i] in kwargs else None
            places.append(_ArgumentPosition(where, value))
        for name, value in sorted(left.items()):
            places.append(_ArgumentPosition(("kwargs", name) if name in kwargs else None, value))
        return CallForm(len(args), len(kwargs), places, run_time_sequences)

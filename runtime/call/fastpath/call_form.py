"""How a call is written: what stands where among its arguments."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.runtime.call.call_spec import Call
from anabranch.runtime.call.fastpath.codegen import Writer


@frozen
class ArgumentPosition:
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
    """A call as it is written.

    Attributes
    ----------
    positional, named : int
        How many arguments it has by position, and by name.
    places : sequence of ArgumentPosition
        All that it gives, as arranged.
    run_time_texts : collection of int
        Which texts among them are run-time values.
    """

    positional: int
    named: int
    places: Sequence[ArgumentPosition]
    run_time_texts: Collection[int] = ()

    @staticmethod
    def of(written: Call, arranged: Call, names: Sequence[str], run_time_texts: Collection[int] = ()) -> CallForm:
        """The form of a call, from its arguments as they were given and as `StaticArguments.arrange` has them."""
        (args, kwargs), (placed, left) = written, arranged
        places = []
        for i, value in enumerate(placed):
            where: tuple[str, int | str] | None = ("args", i)
            if i >= len(args):
                where = ("kwargs", names[i]) if names[i] in kwargs else None
            places.append(ArgumentPosition(where, value))
        for name, value in sorted(left.items()):
            places.append(ArgumentPosition(("kwargs", name) if name in kwargs else None, value))
        return CallForm(len(args), len(kwargs), places, run_time_texts)

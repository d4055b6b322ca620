"""Values of names that a loop's body and the generators that the loop goes over share."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.tracing.source_frames import place


class GeneratorNames(list[Any]):
    """The values of some names, kept where the generators that a loop goes over find and change them.

    `site` is where in the user's code the row was made, and for what: by it the row of another trace is known again.
    """

    __slots__ = ("names", "site")

    def __init__(self, values: Iterable[Value], names: tuple[str, ...]) -> None:
        super().__init__(values)
        self.names = names
        self.site: Hashable = (names, place())

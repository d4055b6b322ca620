"""Values of names that a loop's body and the generators that the loop goes over share."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

from anabranch.base.value import Value


class GeneratorNames(list[Any]):
    """The values of some names, kept where the generators that a loop goes over find and change them.

    `site` is the code of that loop's body, by which the row of another trace of it is known again.
    """

    __slots__ = ("names", "site")

    def __init__(self, values: Iterable[Value], names: tuple[str, ...], site: types.CodeType | None = None) -> None:
        super().__init__(values)
        self.names, self.site = names, site

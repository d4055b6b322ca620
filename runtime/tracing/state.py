"""The state of one trace, by concern."""

from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass(slots=True)
class Active:
    """The calls of one function that are in progress.

    Attributes
    ----------
    depths : list of int
        Of the builders in which it was called.
    inner : int
        How many calls the outermost one has made of it under run-time conditions, ended ones too.
    asked : set
        The places of calls of it of which it is known that no argument alone decides whether they are reached.
    """

    depths: list[int] = dataclasses.field(default_factory=list)
    inner: int = 0
    asked: set[Any] = dataclasses.field(default_factory=set)

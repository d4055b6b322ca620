"""Splitting of arrays at places of which the number is known only at run time, staged as the user's own code is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def parts(part: Callable[[Any, Any], Any], places: Any) -> list[Any]:
    """The parts up to each place, and behind the last one, as `numpy.array_split`: slices in any order of places."""
    made = []
    start = 0
    for place in places:
        made.append(part(start, place))
        start = place
    made.append(part(start, None))
    return made

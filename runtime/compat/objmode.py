"""Numba's `objmode`: a block in a compiled function that Python runs; here it is compiled as the rest."""

from __future__ import annotations

from typing import Any


class objmode:  # noqa: N801 - Numba's name
    """A block as any other, in a compiled function and outside of one: the types are not needed."""

    def __init__(self, *args: Any, **types: Any) -> None:
        pass

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        return None

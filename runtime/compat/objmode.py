"""Numba's `objmode`: a block in a compiled function that Python runs."""

from __future__ import annotations

from typing import Any

from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import tracing


class objmode:  # noqa: N801 - Numba's name
    """A block that Python runs: outside of compiled functions all blocks are; in them it is refused.

    Raises
    ------
    UnsupportedOperationError
        In a compiled function.
    """

    def __init__(self, **types: Any) -> None:
        if tracing():
            raise UnsupportedOperationError(
                "a block of objmode in a compiled function is not supported; put it into a function of its own, "
                "decorated with anabranch.host, and call that"
            )

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        return None

"""Annotations as what they stand for."""

from __future__ import annotations

import typing
from typing import Any


def unaliased(hint: Any) -> Any:
    """The type that a `type` alias stands for, such as `NDArray[np.float32]` since NumPy 2.5; any other hint itself."""
    origin = typing.get_origin(hint)
    value = getattr(hint if origin is None else origin, "__value__", None)
    if value is None:
        return hint
    return unaliased(value if origin is None else value[typing.get_args(hint)])

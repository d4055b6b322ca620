"""The page of what stands beside Nabla's and JAX's names: `python -m tests.docs.parity_page` writes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T", bound=Callable[..., object])


def shows(*names: str) -> Callable[[T], T]:
    """Mark a test as the one that shows these names."""

    def mark(test: T) -> T:
        test.__dict__.setdefault("shows", []).extend(names)
        return test

    return mark

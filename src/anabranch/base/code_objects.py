"""Code objects and those inside of them."""

from __future__ import annotations

import types
from collections.abc import Iterator


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of a function and of those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)

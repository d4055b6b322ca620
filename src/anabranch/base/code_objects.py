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


def names(code: types.CodeType) -> set[str]:
    """The names of globals and attributes in a function and in those inside it."""
    return {name for part in codes(code) for name in part.co_names}

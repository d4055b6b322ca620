"""Blocks in which a context variable has a value."""

from __future__ import annotations

import contextvars
from contextlib import AbstractContextManager
from typing import TypeVar

T = TypeVar("T")


class having(AbstractContextManager[T]):  # noqa: N801 - as contextlib names such classes
    """A `with` block in which a variable has a value, which the block gets."""

    __slots__ = ("_token", "_value", "_variable")

    def __init__(self, variable: contextvars.ContextVar[T], value: T) -> None:
        self._variable, self._value = variable, value

    def __enter__(self) -> T:
        self._token = self._variable.set(self._value)
        return self._value

    def __exit__(self, *_: object) -> None:
        self._variable.reset(self._token)

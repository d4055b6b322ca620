"""The world around a function that is traced, as its trace asks for it."""

from __future__ import annotations

from typing import Any, Protocol

from anabranch.runtime.errors import EscapedTracerError
from anabranch.runtime.tracing.upper_layers import UnionOperations


class Outside(Protocol):
    """The world around the function that is traced, as the frontend sees it.

    Attributes
    ----------
    union_operations : UnionOperations
        The operations that unions leave to the layers above their class.
    """

    @property
    def union_operations(self) -> UnionOperations | None: ...

    def enter(self, value: object) -> None:
        """Guard what a function of the user's reads from outside; called with it before it runs."""

    def meet(self, cls: type) -> None:
        """Prepare a class of the user's whose instances may take part."""

    def hoist(self, array: object) -> Any:
        """Return the handle of an array from outside, which becomes an input."""

    def is_outside(self, value: object) -> bool:
        """Return whether an object was there before the trace, as far as was seen."""

    def needs_plain(self) -> None:
        """Raise `Restart`, perhaps, where Python or a library needs a plain value of a run-time one."""

    def refusal(self) -> BaseException:
        """Return the error for a write into an array of which a list of run-time length has a copy."""


class NoOutside:
    """The outside of a trace of which no function is a part."""

    union_operations = None

    def enter(self, value: object) -> None:
        """Nothing is guarded."""

    def meet(self, cls: type) -> None:
        """Nothing is prepared."""

    def hoist(self, array: object) -> Any:
        """Return the array itself."""
        return array

    def is_outside(self, value: object) -> bool:
        """Return False."""
        return False

    def needs_plain(self) -> None:
        """Nothing is traced again."""

    def refusal(self) -> BaseException:
        """Return an error without words."""
        return EscapedTracerError()

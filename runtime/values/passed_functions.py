"""Functions that are arguments of others, such as the key of a sort."""

from __future__ import annotations

from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current, tracing


def called(function: Any) -> Value:
    """Return the staged form of a function that is an argument of another; None for None."""
    return current().trace.outside.called(function) if function is not None and tracing() else function

"""Names that may be unset."""

from __future__ import annotations

from typing import Any

from anabranch.runtime.values.choice import ChoiceValue
from anabranch.runtime.values.undefined import Undefined as Undefined


def defined(value: Any) -> Any:
    """The value of a name that may be unset.

    Raises
    ------
    UnboundLocalError
        Where the name is unset: at once, or at run time when that depends on run-time conditions.
    """
    if isinstance(value, Undefined):
        value.read = True
        raise value.error()
    if isinstance(value, ChoiceValue):
        return value.without_undefined()
    return value

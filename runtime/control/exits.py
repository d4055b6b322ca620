"""`break`, `continue`, `return`: how a block was left, as one exit code."""

from __future__ import annotations

from typing import Any, Final

from anabranch.runtime.values.choice import ChoiceValue
from anabranch.runtime.values.undefined import Undefined

NEXT: Final = 0
CONTINUE: Final = 1
BREAK: Final = 2
RETURN: Final = 3

no_value: Final = Undefined("return value")


def returned(value: Any) -> Any:
    """The value that a loop or block was left with; only read where the exit code is RETURN."""
    if not isinstance(value, ChoiceValue):
        return value
    set_options = [o for o in value.options if not (isinstance(o, Undefined) and o.name == no_value.name)]
    if len(set_options) == len(value.options):
        return value
    return value.assuming(set_options)

"""The texts that `str.join` is given: a list of them, of which the length may be known only at run time."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.lists import items_of
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.attributes import class_of
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.union import UnionValue


def parts(items: Value) -> Value:
    """A new list of the texts.

    Raises
    ------
    TypeError
        At run time, where there are items and they are no texts, as `str.join` does.
    UnsupportedOperationError
        For a list of run-time length that may hold texts and other items.
    """
    made = items_of(items)
    if is_dynamic_list(made) and made.items.structure.variants:
        _check(made)
    return made


def _check(made: Value) -> None:
    first = made.items.item(0)
    options = first.options if isinstance(first, UnionValue) else (first,)
    are_texts = [isinstance(option, (str, Text)) for option in options]
    if all(are_texts):
        return
    if any(are_texts) or len(options) > 1:
        raise UnsupportedOperationError(
            "str.join of a list whose length is known only at run time, and whose items are not all texts, is not "
            "supported; append str(item)"
        )
    some = atoms.ufunc(np.greater, wrap.as_atom(made.items.length, np.int64), atoms.literal(0, np.int64))
    text = f"sequence item 0: expected str instance, {class_of(first).__name__} found"
    run_time_checks.fail_if(some, lambda _: TypeError(text))

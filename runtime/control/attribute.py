"""The attributes of values that stand for others, as rewritten code and built-in functions see them."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.values.attributes import Attributes, is_proxy, read
from anabranch.runtime.values.unset_attributes import NotAsWhole, lacking


def attributes(value: object) -> Value:
    """The attributes of the object that a value stands for, and no others, to read, write and delete."""
    if is_proxy(value):
        return Attributes(value)
    return value if lacking(value) is None else NotAsWhole(value)


def got(getter: operator.attrgetter[Any], value: object) -> Value:
    """`operator.attrgetter(…)(value)`."""
    names: tuple[str, ...] = getter.__reduce__()[1]  # type: ignore[assignment]
    found = [functools.reduce(read, name.split("."), value) for name in names]
    return found[0] if len(found) == 1 else tuple(found)


def called(caller: operator.methodcaller, call: Callable[..., object], value: object) -> Value:
    """`operator.methodcaller(…)(value)`; `call` calls the user's own functions."""
    made: Any = caller.__reduce__()
    with_keywords = isinstance(made[0], functools.partial)
    name, *args = (*made[0].args, *made[1]) if with_keywords else made[1]
    return call(read(value, name), *args, **(made[0].keywords if with_keywords else {}))

"""NumPy's functions of a value that is one of a few arrays or numbers of several dtypes: they are done on each."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from anabranch.runtime.values.choice import ChoiceValue

Function = TypeVar("Function", bound=Callable[..., Any])


def first(values: Iterable[Any], sizes: bool = False) -> ChoiceValue | None:
    """The first among these values, or in lists and tuples among them, that is of one dtype or another.

    With `sizes` also one that is of one shape or another.
    """
    for value in values:
        if type(value) in (list, tuple):
            found = first(value, sizes)
            if found is not None:
                return found
        elif isinstance(value, ChoiceValue) and (value.has_several_dtypes or (sizes and value.has_several_types)):
            return value
    return None


def over(choice: ChoiceValue, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call with each of the alternatives in the places where the choice stands."""

    def replaced(value: Any, one: Any) -> Any:
        if isinstance(value, ChoiceValue):
            return one if value is choice else value
        if type(value) in (list, tuple):
            return type(value)([replaced(v, one) for v in value])
        return value

    def with_one(one: Any) -> Any:
        return call(*[replaced(a, one) for a in args], **{k: replaced(v, one) for k, v in kwargs.items()})

    return choice.through(with_one)


def of_each(function: Function) -> Function:
    """The function, which is done on each of a few arrays of other dtypes where it is the one."""

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        choice = first((*args, *kwargs.values()))
        return function(*args, **kwargs) if choice is None else over(choice, call, args, kwargs)

    return call  # type: ignore[return-value]

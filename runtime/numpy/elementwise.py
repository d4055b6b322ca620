"""Functions computed element by element: one rule for operands of static and of run-time size."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from anabranch.base.value import Value
from anabranch.runtime.numpy.core import NoValue, has_dynamic_array
from anabranch.runtime.numpy.outputs import stored
from anabranch.runtime.values.dynamic_shapes import broadcasting

Function = TypeVar("Function", bound=Callable[..., Any])


def elementwise(*names: str, lists: Collection[str] = (), fill: object = None) -> Callable[[Function], Function]:
    """A decorator of a rule for arrays of static size, which takes those of run-time size, too: aligned.

    Parameters
    ----------
    names
        The arguments that are operands.
    lists
        The arguments that are sequences of operands.
    fill
        The value where no element is, for a function that refuses some values.
    """

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def rule(*args: object, **kwargs: object) -> Value:
            if not (any(map(has_dynamic_array, args)) or any(map(has_dynamic_array, kwargs.values()))):
                return function(*args, **kwargs)
            given = signature.bind(*args, **kwargs)
            arguments = given.arguments
            holders: list[tuple[Any, Any]] = [(arguments, n) for n in names if _is_given(arguments.get(n))]
            for name in lists:
                arguments[name] = list(arguments[name])
                holders += [(arguments[name], i) for i in range(len(arguments[name]))]
            out, where = arguments.get("out"), arguments.pop("where", True)
            if out is not None:
                arguments["out"] = None
            aligned = broadcasting.broadcast([holder[key] for holder, key in holders], fill)
            for (holder, key), value in zip(holders, aligned.operands, strict=True):
                holder[key] = value
            return stored(out, aligned.made(function(*given.args, **given.kwargs)), where)

        return rule  # type: ignore[return-value]

    return decorate


def _is_given(argument: object) -> bool:
    return argument is not None and argument is not NoValue

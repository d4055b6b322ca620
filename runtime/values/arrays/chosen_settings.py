"""Settings of NumPy's functions that a run-time condition chose: `np.sum(x, axis=None if whole else 0)`."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN

_SETTINGS = (type(None), str, type, np.dtype)


def each(
    function: Callable[..., object], call: Callable[..., Value], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """The call with each value that a setting may have, where it has that one.

    Parameters
    ----------
    function
        The staged function. Its leading parameters without a default are operands, the others settings.
    call
        What is called with each value in place.
    args, kwargs
        The arguments of `function`, of which `call` takes the same.

    Returns
    -------
    object
        The result; `UNKNOWN` where no setting is a choice with None, a text or a type among its values.
    """
    choice = _first(function, args, kwargs)
    if choice is None:
        return UNKNOWN
    return choice.each(
        lambda one: call(
            *(one if v is choice else v for v in args), **{k: one if v is choice else v for k, v in kwargs.items()}
        )
    )


def _first(function: Callable[..., object], args: Sequence[Value], kwargs: Mapping[str, Value]) -> UnionValue | None:
    if not any(isinstance(v, UnionValue) for v in (*args, *kwargs.values())):
        return None
    operands = _operands(function)
    for value in (*args[len(operands) :], *(v for name, v in kwargs.items() if name not in operands)):
        if isinstance(value, UnionValue) and any(isinstance(option, _SETTINGS) for option in value.options):
            return value
    return None


@functools.cache
def _operands(function: Callable[..., object]) -> tuple[str, ...]:
    """The names of the leading parameters that are no settings."""
    parameters = inspect.signature(function).parameters.values()
    return tuple(p.name for p in itertools.takewhile(_is_operand, parameters))


def _is_operand(parameter: inspect.Parameter) -> bool:
    is_one = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    return is_one and parameter.default is parameter.empty and parameter.name != "dtype"

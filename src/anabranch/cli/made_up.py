"""Arguments made up for a function that none were given for: by its annotations, each the same in every run."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.type_hints import unaliased
from anabranch.cli.show import TargetError

_NUMBERS: dict[object, Any] = {bool: True, int: 10, float: 0.5, complex: 0.5 + 0.5j, str: "text"}


def arguments(function: Callable[..., object], size: int) -> list[Any]:
    """A value for each positional parameter that has no default; arrays have `size` elements.

    Raises
    ------
    TargetError
        For a parameter of which nothing says what it takes.
    """
    try:
        hints = typing.get_type_hints(function)
        parameters = inspect.signature(function).parameters.values()
    except Exception as error:  # annotations are the user's code
        raise TargetError(f"its annotations can't be read ({error}); give arguments after the function") from None
    made = []
    for number, parameter in enumerate(parameters):
        if (
            parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            or parameter.default is not inspect._empty
        ):
            break
        hint = hints.get(parameter.name)
        value = None if hint is None else _value(hint, size, np.random.default_rng(number))
        if value is None:
            said = "has no annotation" if hint is None else f"is annotated with {hint}, of which no value can be made"
            raise TargetError(
                f"the parameter '{parameter.name}' {said}; give arguments after the function, such as 2.0 'np.ones(3)'"
            )
        made.append(value)
    return made


def _value(hint: Any, size: int, rng: np.random.Generator) -> Any:
    hint = unaliased(hint)
    if hint in _NUMBERS:
        return _NUMBERS[hint]
    if isinstance(hint, type) and issubclass(hint, np.generic):
        return _array(np.dtype(hint), 1, 1, rng)[0]
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint is np.ndarray or origin is np.ndarray:
        return _array(*_described(parts), size, rng)
    inner = [_value(part, size, rng) for part in parts if part is not Ellipsis]
    if not inner or any(value is None for value in inner):
        return None
    if origin is tuple:
        return tuple(inner * (3 if Ellipsis in parts else 1))
    if origin is list:
        return inner * 10
    return {"x": inner[1], "y": inner[1]} if origin is dict and parts[0] is str else None


def _described(parts: tuple[Any, ...]) -> tuple[np.dtype, int]:
    """The dtype and the number of axes that `np.ndarray[shape, dtype]` says; float64 and one where it doesn't."""
    shape = typing.get_args(parts[0]) if parts else ()
    axes = len(shape) if shape and Ellipsis not in shape else 1
    for part in parts[1:]:
        for kind in typing.get_args(part):
            if isinstance(kind, type) and issubclass(kind, np.generic):
                try:
                    return np.dtype(kind), axes
                except TypeError:  # an abstract one
                    break
    return np.dtype(np.float64), axes


def _array(dtype: np.dtype, axes: int, size: int, rng: np.random.Generator) -> Any:
    side = max(1, round(size ** (1 / axes)))
    values = rng.random((side,) * axes)
    return (values * 100 if dtype.kind in "iu" else values > 0.5 if dtype.kind == "b" else values).astype(dtype)

"""Strategies for the parameters of a function, from their annotations or from arguments that are an example."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from anabranch.base.type_hints import unaliased
from anabranch.runtime.testing.strategies import Strategy, arrays, elements, scalars

_NUMBERS = (bool, int, float, complex)


class InferenceError(ValueError):
    """A parameter of which nothing says what it takes; the message names it and what to write."""


def strategies(function: Callable[..., object], examples: Mapping[str, object] | None = None) -> dict[str, Strategy]:
    """A strategy for each parameter.

    An example is followed in type, dtype and number of axes, and its sizes vary: those that are equal in the examples
    stay equal. Without examples, annotations say it: numbers, NumPy's scalar types, `numpy.ndarray`,
    `numpy.typing.np.ndarray[...]`, and tuples, lists and dicts of these. A parameter with neither gets its default.

    Raises
    ------
    InferenceError
        For a parameter with none of these.
    """
    if examples is not None:
        return {name: like(value) for name, value in examples.items()}
    try:
        hints = typing.get_type_hints(function)
    except Exception as error:  # annotations are the user's code
        why = f"{type(error).__name__}: {error}"
        raise InferenceError(f"the annotations cannot be read ({why}); say what it takes") from None
    return {p.name: _of_parameter(p, hints.get(p.name)) for p in inspect.signature(function).parameters.values()}


def _of_parameter(parameter: inspect.Parameter, hint: object) -> Strategy:
    found = None if hint is None else _of_hint(hint)
    if found is not None:
        return found
    if parameter.default is not parameter.empty:
        return st.just(parameter.default)
    said = "has no annotation" if hint is None else f"is annotated with {hint}, of which no values can be made"
    raise InferenceError(
        f"the parameter '{parameter.name}' {said}; annotate it (x: np.ndarray, n: int), or give examples"
    )


def _of_hint(hint: object) -> Strategy | None:
    hint = unaliased(hint)
    if hint in _NUMBERS or (isinstance(hint, type) and issubclass(hint, np.generic)):
        return scalars(hint)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is np.ndarray or origin is np.ndarray:
        dtypes = [
            a for part in args for a in typing.get_args(part) if isinstance(a, type) and issubclass(a, np.generic)
        ]
        concrete = [d for d in dtypes if not inspect.isabstract(d) and d not in (np.generic, np.number)]
        return arrays(concrete[0]) if concrete else arrays(np.float64)
    parts = [_of_hint(a) for a in args if a is not Ellipsis]
    if not parts or any(p is None for p in parts):
        return None
    inner: list[Any] = parts
    if origin is tuple:
        return st.lists(inner[0], max_size=4).map(tuple) if Ellipsis in args else st.tuples(*inner)
    if origin is list:
        return st.lists(inner[0], max_size=4)
    if origin is dict and args[0] is str:
        return st.dictionaries(st.sampled_from(["x", "y", "z"]), inner[1], max_size=3)
    return None


def like(value: Any) -> Strategy:
    """Values like an example: of its type, dtype and number of axes; what is no number or array stays itself."""
    if isinstance(value, np.ndarray):
        return arrays(value.dtype, st.tuples(*map(_size, value.shape)))
    if isinstance(value, np.generic):
        return elements(value.dtype).map(type(value))
    if type(value) in _NUMBERS:
        return scalars(type(value))
    if isinstance(value, dict):
        return st.fixed_dictionaries({k: like(v) for k, v in value.items()})
    if type(value) in (tuple, list):
        parts: Sequence[Strategy] = [like(v) for v in value]
        return st.tuples(*parts).map(type(value))
    return st.just(value)


def _size(n: int) -> Strategy:
    """Sizes that are equal in the examples are so in what is drawn."""
    return st.shared(st.integers(0, 7), key=f"size {n}")

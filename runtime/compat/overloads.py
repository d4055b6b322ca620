"""Numba's `overload`: a function that compiled functions call in place of another, chosen by the types of arguments."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.compat.value_types import value_type
from anabranch.runtime.control.call import call
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ufuncs.number_types import Type
from anabranch.runtime.values import registry


class _Overloaded:
    """The implementation of a function: the first that one of the choosers returns for the types of the arguments."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.choosers: list[Callable[..., Any]] = []
        self.chosen: dict[Any, Callable[..., Any]] = {}

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        return call(self.implementation(args, kwargs), *args, **kwargs)

    def implementation(self, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Callable[..., Any]:
        """The function for these arguments.

        Raises
        ------
        UnsupportedOperationError
            Where no chooser returns one.
        """
        given = tuple(map(value_type, args))
        named = {name: value_type(value) for name, value in kwargs.items()}
        key = (len(self.choosers), given, *named.items())
        if key not in self.chosen:
            self.chosen[key] = self._choose(given, named)
        return self.chosen[key]

    def _choose(self, given: tuple[Type, ...], named: dict[str, Type]) -> Callable[..., Any]:
        for chooser in self.choosers:
            found = chooser(*given, **named)
            if found is not None:
                plain: Callable[..., Any] = found.plain() if isinstance(found, Wrapped) else found
                return plain
        shown = ", ".join([*map(str, given), *(f"{name}={type_}" for name, type_ in named.items())])
        raise UnsupportedOperationError(
            f"no overload of {self.function.__name__}() is for the types {shown}; write one, or a plain function"
        )


_of_functions: dict[Callable[..., Any], _Overloaded] = {}


def overload(function: Any, jit_options: Any = None, strict: bool = True, inline: str = "never", **options: Any) -> Any:
    """A decorator of a function of types, which returns what compiled functions call for `function`.

    A function that is compiled here as it is, one of NumPy's for instance, stays what it is.
    """

    def registered(chooser: Callable[..., Any]) -> Callable[..., Any]:
        plain = function.plain() if isinstance(function, Wrapped) else function
        if not isinstance(plain, types.FunctionType) or (plain in registry.FUNCTIONS and plain not in _of_functions):
            return chooser
        if plain not in _of_functions:
            _of_functions[plain] = _Overloaded(plain)
            registry.FUNCTIONS[plain] = _of_functions[plain]
        _of_functions[plain].choosers.append(chooser)
        return chooser

    return registered

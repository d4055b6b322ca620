"""Static arguments: which parameters they are, and what tells their values apart."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from anabranch.runtime.errors import StaticArgumentError
from anabranch.runtime.signature import exact_key


class Static(NamedTuple):
    """A static argument: its name, what tells its value apart, and the value that is traced with."""

    name: str
    key: Any
    value: Any


class Split(NamedTuple):
    """A call's arguments, with the static ones apart."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    statics: tuple[Static, ...]


def static_names(fun: Callable[..., Any], nums: int | Sequence[int], names: str | Sequence[str]) -> frozenset[str]:
    """The static parameters, by name.

    Raises
    ------
    StaticArgumentError
        For a position or name that the function does not have.
    """
    nums = (nums,) if isinstance(nums, int) else tuple(nums)
    names = (names,) if isinstance(names, str) else tuple(names)
    if not nums and not names:
        return frozenset()
    parameters = inspect.signature(fun).parameters
    positional = [n for n, p in parameters.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    chosen = set(names)
    for n in nums:
        if not -len(positional) <= n < len(positional):
            raise StaticArgumentError(
                f"static_argnums has {n}, but {fun.__qualname__} has {len(positional)} positional parameters"
            )
        chosen.add(positional[n])
    for name in names:
        if name not in parameters:
            raise StaticArgumentError(f"static_argnames has '{name}', but {fun.__qualname__} has no such parameter")
    return frozenset(chosen)


def split(function: Callable[..., Any], static: frozenset[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Split:
    """Take the static arguments out, defaults filled in; the others go by name.

    Raises
    ------
    StaticArgumentError
        For a value that has neither a hash nor contents to go by.
    """
    signature = inspect.signature(function)
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    statics = []
    for name in sorted(static):
        value = bound.arguments[name]
        try:
            key = key_of(value)
        except TypeError:
            raise StaticArgumentError(
                f"static argument '{name}' of {function.__qualname__} is a {type(value).__name__}, which is not "
                f"hashable; pass a tuple or another immutable value, or take '{name}' out of the static arguments"
            ) from None
        statics.append(Static(name, key, value))
    rest: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if name in static:
            continue
        value = bound.arguments[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            if value:
                raise StaticArgumentError(
                    f"{function.__qualname__} takes *args, so its static arguments must be keyword-only"
                )
        elif parameter.kind is parameter.VAR_KEYWORD:
            rest.update(value)
        else:
            rest[name] = value
    return Split((), rest, tuple(statics))


def key_of(value: Any) -> Any:
    """What tells a static value apart: the value itself, or the contents of an array or a dataclass.

    Raises
    ------
    TypeError
        For anything else without a hash.
    """
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            raise TypeError("an array of objects")
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return (type(value), value.shape, value.dtype, value.strides, digest)
    if type(value) is tuple:
        return (tuple, *map(key_of, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and type(value).__hash__ is None:
        return (type(value), *((f.name, key_of(getattr(value, f.name))) for f in dataclasses.fields(value)))
    hash(value)
    return (exact_key(value), value)


def kept(value: Any) -> Any:
    """The value to trace with: of what may change after the call, a copy; an array's cannot be written."""
    if isinstance(value, np.ndarray):
        made = value.copy(order="K")
        made.flags.writeable = False
        return made
    if type(value) is tuple:
        return tuple(map(kept, value))
    try:
        hash(value)
    except TypeError:
        return copy.deepcopy(value)
    return value

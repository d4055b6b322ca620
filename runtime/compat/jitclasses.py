"""Numba's `jitclass`: a class whose methods are compiled, and whose fields have types."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.compat.dispatcher import cast, jit
from anabranch.runtime.ufuncs.number_types import NumberType, Type, type_of


def jitclass(class_or_spec: Any = None, spec: Any = None) -> Any:
    """Compile the methods of a class; numbers that are written into fields get the types of the specification.

    Examples
    --------
    >>> from anabranch.compat.numba import float64, jitclass
    >>> @jitclass([("total", float64)])
    ... class Sum:
    ...     def __init__(self):
    ...         self.total = 0
    ...
    ...     def add(self, x):
    ...         self.total += x
    ...         return self.total
    >>> Sum().add(2)
    2.0
    """
    if isinstance(class_or_spec, type):
        return _made(class_or_spec, spec)
    return lambda cls: _made(cls, class_or_spec if spec is None else spec)


def _made(cls: type, spec: Any) -> type:
    fields = dict(getattr(cls, "__annotations__", {}))
    fields.update(spec if isinstance(spec, Mapping) else spec or ())
    numbers: dict[str, NumberType] = {}
    for name, given in fields.items():
        try:
            found: Type | None = type_of(given)
        except TypeError:
            found = None  # an annotation of some other class
        if isinstance(found, NumberType):
            numbers[name] = found
    for name, member in list(vars(cls).items()):
        if isinstance(member, types.FunctionType) and not (name.startswith("__") and name.endswith("__")):
            setattr(cls, name, jit(member))
        elif isinstance(member, staticmethod) and not isinstance(member.__func__, Wrapped):
            setattr(cls, name, staticmethod(jit(member.__func__)))
    if numbers:
        plain: Callable[..., None] = cls.__setattr__

        def __setattr__(self: Any, name: str, value: Any) -> None:  # noqa: N807
            plain(self, name, cast(numbers[name], value) if name in numbers else value)

        cls.__setattr__ = __setattr__  # type: ignore[assignment, method-assign]
    return cls

"""Objects of libraries that are made of run-time values: each host call that needs one makes it."""

from __future__ import annotations

import contextlib
import functools
import operator
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.tracing.storage import OfLibrary
from anabranch.runtime.values import containers, wrap
from anabranch.runtime.values.memory.handle import Handle

# Where the classes are whose objects do not change, but for methods of these names.
_MODULES = (
    "numpy.polynomial.",
    "scipy.interpolate.",
    "scipy.optimize.",
    "scipy.sparse.",
    "scipy.spatial.",
    "scipy.stats.",
    "pandas.",
    "xarray.",
)
CHANGING = (
    "add_",
    "set_",
    "close",
    "rvs",
    "random",
    "reset",
    "fast_forward",
    "resample",
    "resize",
    "sort_",
    "sum_duplicates",
    "eliminate_",
    "prune",
    "update",
    "setdiag",
    "pop",
)


@frozen
class Maker:
    """How an object is made on the host."""

    cls: type
    names: frozenset[str]  # of the attributes and methods

    def method(self, name: str) -> str:
        """The name of a method, for messages."""
        return f"{self.cls.__module__.rpartition('._')[0] or self.cls.__module__}.{self.cls.__name__}.{name}"


def set_operators(cls: type, operated: Callable[..., Value]) -> None:
    """Give a class Python's operators that change nothing; `operated(function, self, *others)` does what one does."""

    def swapped(function: Callable[[Any, Any], Any], right: Any, left: Any) -> Any:
        return function(left, right)

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
        function = getattr(operator, f"__{name}__")
        reflected = functools.partial(swapped, function)
        functools.update_wrapper(reflected, function, assigned=("__name__",), updated=())
        reflected.__name__ = f"r{name}"  # type: ignore[attr-defined]
        setattr(cls, f"__{name}__", lambda self, other, function=function: operated(function, self, other))
        setattr(cls, f"__r{name}__", lambda self, other, function=reflected: operated(function, self, other))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        function = getattr(operator, name)
        setattr(cls, f"__{name}__", lambda self, other, function=function: operated(function, self, other))
    for name in ("neg", "pos", "abs", "invert"):
        function = getattr(operator, name)
        setattr(cls, f"__{name}__", lambda self, function=function: operated(function, self))


class Deferred:
    """The stand-in for an object of a library's that run-time values make.

    `recipe`: a function, its arguments and those by name: the object is what it returns.
    """

    __slots__ = ("__weakref__", "_maker", "_recipe")

    def __init__(self, maker: Maker, recipe: Any) -> None:
        object.__setattr__(self, "_maker", maker)
        object.__setattr__(self, "_recipe", recipe)

    def __anabranch_structure__(self) -> DeferredStructure:
        return DeferredStructure(Deferred, ("recipe",), self._maker)

    def __getattr__(self, name: str) -> Value:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._maker.names:
            raise AttributeError(f"'{self._maker.cls.__name__}' object has no attribute '{name}'")
        found = getattr(self._maker.cls, name, None)
        if callable(found):
            return _Method(self, name)
        made = call_of(self)(self._maker.method(name), attribute_of, (self, name), {})
        if isinstance(made, Handle):
            made.storage.readonly = OfLibrary(f"the attribute {name} of {a(self._maker.cls.__name__)}")
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise self._refusal(f"given the attribute {name}")

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        return _Method(self, "__call__")(*args, **kwargs)

    __array_ufunc__ = None  # arrays leave their operators to these

    def __getitem__(self, key: Value) -> Value:
        return self._operated(operator.getitem, key)

    def _operated(self, function: Callable[..., Any], *others: Value) -> Value:
        name = function.__name__.strip("_")
        if name in ("eq", "ne") and self._maker.cls.__eq__ is object.__eq__:
            return self._is_same(others[0]) is (name == "eq")
        return call_of(self)(self._maker.method(f"__{name}__"), function, (self, *others), {})

    def _is_same(self, other: Value) -> bool:
        if self is not other and isinstance(other, Deferred):
            raise self._refusal("compared")
        return self is other

    def _refusal(self, what: str) -> UnsupportedOperationError:
        return UnsupportedOperationError(
            f"{a(self._maker.cls.__name__)} is {what}, which is made anew by each host call that needs it; do that in "
            "a function with @anabranch.host"
        )

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        if hasattr(self._maker.cls, "__bool__") or hasattr(self._maker.cls, "__len__"):
            raise self._refusal("asked for its truth")
        return True

    def __len__(self) -> NoReturn:
        raise self._refusal("asked for its length")

    def __iter__(self) -> NoReturn:
        raise self._refusal("gone over")

    def __contains__(self, _: object) -> NoReturn:
        raise self._refusal("asked for its items")

    def _refuse_change(self, *_: object) -> NoReturn:
        raise self._refusal("changed in place")

    __setitem__ = __delitem__ = _refuse_change
    __imatmul__ = __imul__ = __iadd__ = __isub__ = __itruediv__ = __ipow__ = __ifloordiv__ = __imod__ = _refuse_change

    def __repr__(self) -> str:
        return f"<{self._maker.cls.__name__} of run-time values>"


set_operators(Deferred, lambda function, self, *others: self._operated(function, *others))


@frozen
class DeferredStructure(containers.Structure):
    """That of such an object: what it is made of. On the host it is the object itself."""

    mutable = False

    def children(self, value: Value) -> list[Value]:
        return [value._recipe]

    def build(self, children: Sequence[Value]) -> Value:
        if tracing():
            return Deferred(self.extra, children[0])
        return self.on_host(children, ())

    def on_host(self, children: Sequence[Any], members: Sequence[object]) -> Value:
        function, args, kwargs = children[0]
        return function(*args, **kwargs)


class _Method:
    """A method of such an object."""

    def __init__(self, owner: Deferred, name: str) -> None:
        self._owner, self._name = owner, name

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        name = self._owner._maker.method(self._name)
        if self._name.startswith(CHANGING):
            raise UnsupportedOperationError(
                f"{name} may change the object, which is made anew by each host call that needs it; make it and use it "
                "in a function with @anabranch.host"
            )
        return call_of(self._owner)(name, method_called, (self._owner, self._name, args, kwargs), {})


def attribute_of(owner: object, name: str) -> Any:
    """An attribute, asked for on the host."""
    return getattr(owner, name)


def method_called(owner: object, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a method, called on the host."""
    return getattr(owner, name)(*args, **kwargs)


def part_of(place: int, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A part of the result of a function, called on the host."""
    return function(*args, **kwargs)[place]


def made_again(example: object, recipe: Value) -> Deferred:
    """The stand-in for an object like this one."""
    return Deferred(Maker(type(example), frozenset(dir(example))), copied(recipe))


# Stages a call; the module that does is above.
_stage: list[Callable[..., Any]] = []


def call_of(_: object) -> Callable[..., Any]:
    """The function that stages calls."""
    return _stage[0]


def stages(call: Callable[..., Any]) -> Callable[..., Any]:
    """Name the function that stages calls."""
    _stage.append(call)
    return call


def can_be_made_again(value: object) -> bool:
    """Return whether an object is one of those that do not change."""
    return type(value) is np.poly1d or f"{type(value).__module__}.".startswith(_MODULES)


# Attributes of slots, and of classes that are not written in Python.
_IN_MACHINE_CODE = (types.GetSetDescriptorType, types.MemberDescriptorType)


def held_arrays(value: object, depth: int = 4) -> Iterator[np.ndarray]:
    """The arrays that an object of a library's holds, in attributes of its own or of its classes'."""
    if isinstance(value, np.ndarray):
        yield value
    elif not depth:
        return
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from held_arrays(part, depth - 1)
    elif isinstance(value, dict):
        yield from held_arrays(list(value.values()), depth)
    elif type(value) is np.poly1d or type(value).__module__.startswith(_MODULES):
        yield from held_arrays(getattr(value, "__dict__", {}), depth - 1)
        for cls in type(value).__mro__:
            for name, found in vars(cls).items():
                if isinstance(found, _IN_MACHINE_CODE) and not name.startswith("__"):
                    with contextlib.suppress(Exception):  # of what it has not computed yet
                        yield from held_arrays(getattr(value, name), depth - 1)


def copied(value: Value) -> Value:
    """Arguments with the arrays as they are now."""
    if isinstance(value, Handle):
        return wrap.array_of(value.atom)
    now = getattr(value, "__anabranch_now__", None)
    if now is not None:
        return now()
    if type(value) in (tuple, list):
        return type(value)([copied(part) for part in value])
    if type(value) is dict:
        return {key: copied(part) for key, part in value.items()}
    return value

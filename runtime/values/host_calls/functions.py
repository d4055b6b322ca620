"""Functions of the user's that host calls get, over run-time values; and libraries' that may be called."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from anabranch.base import code_objects
from anabranch.base.by_identity import IdentitySet, reached
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.host.generator_state import is_generator
from anabranch.runtime.tracing.source_frames import installed, internal
from anabranch.runtime.values import atoms, containers, wrap
from anabranch.runtime.values.random_generators import TracedGenerator
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


class _HostFunction:
    """A function whose closure, defaults or globals hold run-time values; `parts` are those, prepared."""

    def __init__(self, function: types.FunctionType, names: tuple[str, ...], parts: list[Any]) -> None:
        self.function, self.names, self.parts = function, names, parts

    def __anabranch_structure__(self) -> _FunctionStructure:
        return _FunctionStructure(_HostFunction, tuple(range(len(self.parts))), (self.function, self.names))


@frozen
class _PartsStructure(containers.Structure):
    """That of what has its parts listed."""

    mutable = False

    def children(self, value: Value) -> list[Value]:
        return list(value.parts)


@frozen
class _FunctionStructure(_PartsStructure):
    """That of a function: the contents of its closure, its defaults, and globals in place of run-time values."""

    def build(self, children: Sequence[Value]) -> Value:
        function, names = self.extra
        count = len(function.__closure__ or ())
        cells = tuple(types.CellType() if part is _EMPTY else types.CellType(part) for part in children[:count])
        defaults, keywords, *globals_ = children[count:]
        scope = {**function.__globals__, **dict(zip(names, globals_, strict=True))} if names else function.__globals__
        made = types.FunctionType(function.__code__, scope, function.__name__, defaults, cells or None)
        made.__kwdefaults__ = keywords
        made.__qualname__, made.__module__ = function.__qualname__, function.__module__
        return made


class _HostMethod:
    """A method of an object that holds run-time values, or a partial function."""

    def __init__(self, cls: type, parts: list[Any]) -> None:
        self.cls, self.parts = cls, parts

    def __anabranch_structure__(self) -> _MethodStructure:
        return _MethodStructure(_HostMethod, tuple(range(len(self.parts))), self.cls)


@frozen
class _MethodStructure(_PartsStructure):
    """That of a method or partial function: what it is made of."""

    def build(self, children: Sequence[Value]) -> Value:
        if self.extra is types.MethodType:
            return types.MethodType(*children)
        function, args, kwargs = children
        return functools.partial(function, *args, **kwargs)


_EMPTY: Any = types.SimpleNamespace()  # in a cell that holds nothing


def has_run_time_values(value: object) -> bool:
    """Return whether a value, or a function among its parts, holds run-time values."""
    return any(isinstance(part, (Tracer, UnionValue)) for part in _parts(value))


def has_generators(value: object) -> bool:
    """Return whether generators of random numbers are among the parts of a value, or globals of its functions."""
    for part in _parts(value):
        held = [part]
        if isinstance(part, types.FunctionType):
            held += [part.__globals__.get(name) for name in code_objects.names(part.__code__)]
        if any(isinstance(x, TracedGenerator) or is_generator(x) for x in held):
            return True
    return False


def _parts(value: object) -> Iterator[object]:
    """The parts of a value, those that functions close over among them."""
    return reached([value], _held_by)


def _held_by(part: object) -> Iterable[object]:
    if isinstance(part, (Tracer, UnionValue)):
        return ()
    structure = containers.structure_of(part)
    if structure is not None:
        return structure.children(part)
    if isinstance(part, types.FunctionType):
        contents = (content for content in _contents(part) if content is not _EMPTY)
        defaults = (*(part.__defaults__ or ()), *(part.__kwdefaults__ or {}).values())
        return (*contents, *defaults, *(part.__globals__[name] for name in _run_time_globals(part)))
    if isinstance(part, types.MethodType):
        return (part.__func__, part.__self__)
    return (part.func, part.args, part.keywords) if isinstance(part, functools.partial) else ()


def prepared(value: Any, around: tuple[types.FunctionType, ...] = ()) -> Value:
    """An argument with its functions as containers, and arrays that are known as arrays of the program's.

    Raises `UnsupportedOperationError` for a function that assigns to a variable from outside, or closes over itself
    with run-time values.
    """
    if isinstance(value, np.ndarray) and type(value) is np.ndarray and value.dtype.kind in "biufc":
        return wrap.array_of(atoms.literal(value))
    if type(value) in (tuple, list):
        return type(value)([prepared(part, around) for part in value])
    if type(value) is dict:
        return {key: prepared(part, around) for key, part in value.items()}
    if not isinstance(value, (types.FunctionType, types.MethodType, functools.partial)):
        return value
    if not has_run_time_values(value):
        return value
    if isinstance(value, functools.partial):
        return _HostMethod(functools.partial, prepared([value.func, value.args, value.keywords], around))
    if isinstance(value, types.MethodType):
        return _HostMethod(types.MethodType, prepared([value.__func__, value.__self__], around))
    if any(value is one for one in around):
        raise UnsupportedOperationError(
            f"the function {value.__name__} calls itself, and holds values known only at run time, where it is passed "
            "to a function that is not compiled; pass these as arguments, or write it as a loop"
        )
    around = (*around, value)
    names = _run_time_globals(value)
    contents = [content if content is _EMPTY else prepared(content, around) for content in _contents(value)]
    rest = [prepared(value.__defaults__, around), prepared(value.__kwdefaults__, around)]
    return _HostFunction(value, names, [*contents, *rest, *(prepared(value.__globals__[n], around) for n in names)])


def _contents(function: types.FunctionType) -> list[Any]:
    """The contents of a function's closure; `_EMPTY` for a variable that is not set."""
    found = []
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            found.append(_EMPTY)
    return found


def _run_time_globals(function: types.FunctionType) -> tuple[str, ...]:
    """The globals that a function reads and that stand for run-time values while it is traced."""
    scope = function.__globals__
    return tuple(sorted(n for n in code_objects.names(function.__code__) if isinstance(scope.get(n), Tracer)))


_HOLD_NOTHING = frozenset({type(None), bool, int, float, complex, str, np.ndarray})


def state(value: object) -> list[tuple[object, list[object]]]:
    """The lists, dicts, objects and closures among the parts of a value, with what they hold."""
    found: list[tuple[object, list[object]]] = []
    pending, seen = [value], IdentitySet[object]()
    while pending:
        part = pending.pop()
        if type(part) in _HOLD_NOTHING:
            continue
        held = _held(part) if seen.admit(part) else None
        if held is not None:
            if type(part) is not tuple:  # which does not change
                found.append((part, held))
            pending += held
    return found


def is_unchanged(before: list[tuple[object, list[object]]]) -> bool:
    """Return whether all hold what they held."""
    for part, held in before:
        now = _held(part)
        if now is None or len(now) != len(held) or any(a is not b for a, b in zip(now, held, strict=True)):
            return False
    return True


def _held(part: object) -> list[object] | None:
    if type(part) is dict:
        return [*part, *part.values()]
    if type(part) in (list, tuple):
        return list(part)  # type: ignore[call-overload, no-any-return]
    if type(part).__module__.startswith("scipy."):
        return None  # a library's object may keep what it has computed
    structure = containers.structure_of(part)
    if structure is not None:
        return list(structure.children(part))
    if isinstance(part, types.FunctionType):
        if installed(part.__code__.co_filename) or internal(part.__code__.co_filename):
            return None
        scope = part.__globals__
        outside = [scope[name] for name in sorted(code_objects.names(part.__code__)) if name in scope]
        return [*_contents(part), *(part.__defaults__ or ()), *outside]
    if isinstance(part, types.MethodType):
        return [part.__func__, part.__self__]
    if isinstance(part, functools.partial):
        return [part.func, *part.args, *part.keywords.values()]
    return None


# Packages whose functions have no effects.
_PACKAGES = ("scipy.", "pandas.", "xarray.", "numpy.ma.", "numpy.polynomial.", "numpy.testing.", "statistics.")
# Modules of theirs whose functions do, and functions that draw.
_EFFECTS = (
    "xarray.backends.", "xarray.tutorial.", "xarray.plot.",
    "scipy.io.", "scipy.datasets.", "scipy._lib.", "pandas.io.", "pandas.plotting.", "statistics.NormalDist.samples",
    "statistics.kde_random",
)  # fmt: skip


def is_of_library(function: object) -> bool:
    """Return whether a function is of a library whose functions keep to their arguments."""
    module = getattr(function, "__module__", None)
    if not isinstance(module, str):
        return False
    name = f"{module}.{getattr(function, '__qualname__', '')}"
    return name.startswith(_PACKAGES) and not name.startswith(_EFFECTS)

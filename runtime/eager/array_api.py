"""The contents of `anabranch.numpy`: the array API standard, and the rest of NumPy's functions, on Arrays."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.device.array import DEVICE, Array, check_device, placed
from anabranch.runtime.eager.array_operators import ON_HOST, OPERATIONS
from anabranch.runtime.eager.creation import asarray, from_dlpack
from anabranch.runtime.eager.execute import call
from anabranch.runtime.numpy import staged
from anabranch.runtime.numpy.core import is_staged
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import registry

P = ParamSpec("P")
R = TypeVar("R")
# Made on the host and copied: there is nothing to compute on the device.
CREATION: frozenset[Any] = frozenset(
    (np.arange, np.empty, np.eye, np.full, np.linspace, np.ones, np.zeros, np.array, np.identity, np.logspace,
     np.geomspace, np.tri, np.fromfunction, np.indices, np.frombuffer, np.fft.fftfreq, np.fft.rfftfreq)
)  # fmt: skip


@functools.cache
def function(original: Callable[..., Any]) -> Callable[..., Any]:
    """One of NumPy's functions or ufuncs, as a function that returns Arrays; in compiled functions the staged one."""

    @functools.wraps(original, updated=(), assigned=("__name__", "__qualname__", "__doc__"))
    def lifted(*args: Value, **kwargs: Value) -> Value:
        if tracing():
            return staged(original)(*args, **kwargs)
        if original in CREATION:
            return placed(original(*args, **kwargs))
        if isinstance(original, np.ufunc):
            return OPERATIONS.ufunc(original, "__call__", args, kwargs)
        return OPERATIONS.function(original, args, kwargs)

    lifted.__module__ = "anabranch.numpy"
    return lifted


def for_arrays(function: Callable[P, R]) -> Callable[P, R]:
    """A function on staged operations: compiled where one of its arguments is an Array, which its results are then."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if not tracing() and any(isinstance(a, Array) for a in (*args, *kwargs.values())):
            made: R = call(function, args, kwargs)
            return made
        return function(*args, **kwargs)

    return run


VERSION = "2024.12"
# These say something of dtypes and shapes alone.
_PLAIN = frozenset((np.isdtype, np.broadcast_shapes, np.promote_types, np.issubdtype, np.dtype, np.errstate))
_DTYPES = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_UNIONS = {
    "integral": ("signed integer", "unsigned integer"),
    "numeric": ("signed integer", "unsigned integer", "real floating", "complex floating"),
}


class Info:
    """The inspection API of the standard, which says what the namespace can do."""

    def capabilities(self) -> dict[str, Value]:
        """Return what the standard leaves open; within a compiled function no shape may depend on values."""
        eager = not tracing()
        return {"boolean indexing": eager, "data-dependent shapes": eager, "max dimensions": 64}

    def default_device(self) -> str:
        """The name of the one device."""
        return DEVICE

    def devices(self) -> list[str]:
        """The names of all devices."""
        return [DEVICE]

    def default_dtypes(self, *, device: object = None) -> dict[str, np.dtype]:
        """The dtypes that NumPy chooses by default."""
        check_device(device)
        names = {"real floating": "float64", "complex floating": "complex128", "integral": "int64", "indexing": "int64"}
        return {kind: np.dtype(name) for kind, name in names.items()}

    def dtypes(self, *, device: object = None, kind: object = None) -> dict[str, np.dtype]:
        """The standard's dtypes of one kind, of several kinds, or all.

        Raises
        ------
        ValueError
            For a kind that the standard does not name.
        """
        check_device(device)
        wanted = tuple(_DTYPES) if kind is None else kind if isinstance(kind, tuple) else (kind,)
        kinds = [k for w in wanted for k in _UNIONS.get(w, (w,))]
        for k in kinds:
            if k not in _DTYPES:
                raise ValueError(f"unknown kind of dtype: {k!r}")
        return {name: np.dtype(name) for k in kinds for name in _DTYPES[k]}


def sort(x: object, /, *, axis: object = -1, descending: bool = False, stable: bool = True, **others: object) -> Value:
    """As `numpy.sort`, and downwards where asked for."""
    ordered = function(np.sort)(x, axis=axis, **(others or {"stable": stable}))
    return function(np.flip)(ordered, axis=axis) if descending else ordered


def argsort(x: Value, /, *, axis: Value = -1, descending: bool = False, stable: bool = True, **others: Value) -> Value:
    """As `numpy.argsort`, and downwards where asked for; equal elements then keep their order, too."""
    options = others or {"stable": stable}
    if not descending:
        return function(np.argsort)(x, axis=axis, **options)
    # Sorted upwards from the end, equal elements stand in reverse: what turns all around puts them right.
    backwards = function(np.argsort)(function(np.flip)(x, axis=axis), axis=axis, **options)
    return (x.shape[axis] - 1) - function(np.flip)(backwards, axis=axis)


def diff(x: Value, /, *, axis: Value = -1, n: object = 1, prepend: object = None, append: object = None) -> Value:
    """As `numpy.diff`; None stands for nothing before or behind the array."""
    ends = {k: v for k, v in (("prepend", prepend), ("append", append)) if v is not None}
    return function(np.diff)(x, n=n, axis=axis, **ends)


@frozen
class FloatLimits:
    """The limits of a floating-point dtype; of a complex one those of its parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype


@frozen
class IntegerLimits:
    """The limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: np.dtype


def finfo(of: object, /) -> FloatLimits:
    """The limits of a floating-point dtype, or of an array's."""
    found = np.finfo(_dtype(of))
    eps, largest, least, normal = (float(n) for n in (found.eps, found.max, found.min, found.smallest_normal))
    return FloatLimits(int(found.bits), eps, largest, least, normal, np.dtype(found.dtype))


def iinfo(of: Value, /) -> IntegerLimits:
    """The limits of an integer dtype, or of an array's."""
    found = np.iinfo(_dtype(of))
    return IntegerLimits(int(found.bits), int(found.max), int(found.min), np.dtype(found.dtype))


def _dtype(of: Value) -> np.dtype:
    return np.dtype(of) if isinstance(of, (type, str, np.dtype)) else np.dtype(of.dtype)


_OWN: dict[Any, Any] = {
    np.asarray: asarray, np.from_dlpack: from_dlpack, np.sort: sort, np.argsort: argsort, np.diff: diff,
    np.finfo: finfo, np.iinfo: iinfo,
}  # fmt: skip


def attribute(module: types.ModuleType, name: str) -> Value:
    """Return the counterpart, in a namespace, of an attribute of one of NumPy's modules.

    Raises
    ------
    AttributeError
        Where there is none, or it does not work on Arrays.
    """
    value = getattr(module, name, None)
    if value is not None and not name.startswith("_"):
        if callable(value) and value in _OWN:
            return _OWN[value]
        if isinstance(value, (type, float, np.dtype)) or value in _PLAIN:
            return value
        if callable(value) and (_takes_arrays(value) or value in CREATION or value in ON_HOST):
            return function(value)
    if name == "newaxis":
        return None
    raise AttributeError(f"module 'anabranch.{module.__name__}' has no attribute '{name}'")


def _takes_arrays(function: Callable[..., object]) -> bool:
    """Return whether a function of NumPy's is staged, by rules of its own."""
    return is_staged(function) and function not in registry.ON_HOST


def names(module: types.ModuleType) -> list[str]:
    """The names that `attribute` knows."""

    def known(name: str) -> bool:
        try:
            attribute(module, name)
        except (AttributeError, TypeError):
            return False
        return True

    return [n for n in dir(module) if known(n)]


class Extension(types.ModuleType):
    """`anabranch.numpy.linalg` and `anabranch.numpy.fft`."""

    def __init__(self, module: types.ModuleType) -> None:
        super().__init__(f"anabranch.{module.__name__}", module.__doc__)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        value = self.__dict__[name] = attribute(self._module, name)
        return value

    def __dir__(self) -> list[str]:
        return names(self._module)

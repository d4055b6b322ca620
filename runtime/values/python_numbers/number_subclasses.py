"""Numbers of subclasses of int, float and complex, such as the members of an `IntEnum`, beside run-time numbers."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values.abstract import PYTHON_DTYPES
from anabranch.runtime.values.tracer import COMPARISONS, INPLACE, Tracer

_MIRRORED: dict[np.ufunc, str] = {
    np.less: "__gt__",
    np.less_equal: "__ge__",
    np.greater: "__lt__",
    np.greater_equal: "__le__",
    np.equal: "__eq__",
    np.not_equal: "__ne__",
}
_REFLECTED: dict[np.ufunc, str] = {ufunc: f"__r{name}__" for name, ufunc in INPLACE.items()} | _MIRRORED
assert set(_MIRRORED) == COMPARISONS
_BASES: tuple[Any, ...] = (int, float, complex)


def base_of(value: object) -> Any:
    """Return int, float or complex where a value is of a subclass of it; None for these themselves and all else."""
    if type(value) in PYTHON_DTYPES or isinstance(value, (Tracer, np.generic)):
        return None
    return next((base for base in _BASES if isinstance(value, base)), None)


def plain(value: Value) -> Value:
    """The number of Python's own class that a number of a subclass is worth; all else as it is."""
    base = base_of(value)
    if base is None:
        return value
    return complex(value.real, value.imag) if base is complex else base.__pos__(value)


def operates(ufunc: np.ufunc, value: object) -> bool:
    """Return whether the class of a right operand has an operator of its own, which Python asks first."""
    base, name = base_of(value), _REFLECTED[ufunc]
    return base is not None and getattr(type(value), name) is not getattr(base, name)


def refuse_flag(ufunc: np.ufunc, value: object) -> None:
    """Refuse operators that give a flag."""
    if isinstance(value, enum.Flag) and ufunc in (np.bitwise_and, np.bitwise_or, np.bitwise_xor):
        raise UnsupportedOperationError(
            f"{type(value).__name__} and an int known only at run time give a flag, which is known only at run time; "
            "take its value"
        )

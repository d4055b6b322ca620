"""The attributes and methods of Python's numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values import atoms
from anabranch.runtime.values.python_numbers import python_conversions
from anabranch.runtime.values.python_numbers.python_operands import PythonNumber, kind_of, made


def _itself(x: PythonNumber) -> Value:
    """An int or a float as it is; a bool as the int that it is."""
    return x if kind_of(x) is float else python_conversions.to_int(x)


def _real(x: PythonNumber) -> Value:
    return made(atoms.op("real", x.atom)) if kind_of(x) is complex else _itself(x)


def _imag(x: PythonNumber) -> Value:
    if kind_of(x) is complex:
        return made(atoms.op("imag", x.atom))
    return 0.0 if kind_of(x) is float else 0


def _conjugate(x: PythonNumber) -> Value:
    return made(atoms.ufunc(np.conjugate, x.atom)) if kind_of(x) is complex else _itself(x)


def _is_integer(x: PythonNumber) -> Value:
    """Of a float; an int has the method from Python 3.12 on."""
    if kind_of(x) is not float:
        return True
    finite = atoms.ufunc(np.isfinite, x.atom)
    return made(atoms.logical_and(finite, atoms.ufunc(np.equal, atoms.ufunc(np.floor, x.atom), x.atom)))


_ATTRIBUTES: dict[str, Callable[[PythonNumber], Any]] = {
    "real": _real,
    "imag": _imag,
    "numerator": _itself,
    "denominator": lambda _: 1,
}
_METHODS: dict[str, Callable[[PythonNumber], Any]] = {
    "conjugate": _conjugate,
    "is_integer": _is_integer,
    "bit_length": python_conversions.bit_length,
    "bit_count": python_conversions.bit_count,
    "as_integer_ratio": python_conversions.ratio,
}


def attribute(x: PythonNumber, name: str) -> Value:
    """`x.name` as the Python number that `x` stands for has it.

    Raises
    ------
    AttributeError
        Where that kind of number has no such attribute.
    UnsupportedOperationError
        For a method that gives text or bytes, or takes them.
    """
    kind = kind_of(x)
    if not hasattr(kind, name) or name.startswith("__"):
        raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
    if name in _ATTRIBUTES:
        return _ATTRIBUTES[name](x)
    if name in _METHODS:
        function = _METHODS[name]
        return lambda: function(x)
    if name in ("from_bytes", "fromhex", "from_number"):
        return getattr(kind, name)
    raise UnsupportedOperationError(
        f"{kind.__name__}.{name} of a value known only at run time is not supported; make the argument it comes from "
        "static (static_argnames=...)"
    )

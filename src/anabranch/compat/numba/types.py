"""Numba's names of types."""

from __future__ import annotations

from typing import Any

from anabranch.runtime.compat.c_functions import WrapperAddressProtocol as WrapperAddressProtocol
from anabranch.runtime.ufuncs.number_types import NAMES, NUMBERS, NumberType, Type as Type, containers

List, Tuple, UniTuple = containers["List"], containers["Tuple"], containers["UniTuple"]
ListType, DictType, Set, Optional = (containers[n] for n in ("ListType", "DictType", "Set", "optional"))
optional = Optional
Integer, Float, Complex, Boolean, Number = (NumberType,) * 5


def Array(dtype: Any, ndim: int, layout: str, readonly: bool = False, aligned: bool = True) -> Type:  # noqa: N802
    """The type of an array, `Array(float64, 2, "C")`."""
    parts = [slice(None)] * ndim
    if layout in ("C", "F"):
        parts[-1 if layout == "C" else 0] = slice(None, None, 1)
    return dtype[tuple(parts)]  # type: ignore[no-any-return]


def __getattr__(name: str) -> Type:
    if name in NAMES:
        return NAMES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


integer_domain = tuple(t for t in NUMBERS.values() if t.dtype.kind in "iu")
real_domain = tuple(t for t in NUMBERS.values() if t.dtype.kind == "f")

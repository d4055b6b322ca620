"""Numba's names of types."""

from __future__ import annotations

from typing import Any

from anabranch.runtime.compat.c_functions import WrapperAddressProtocol as WrapperAddressProtocol
from anabranch.runtime.compat.structrefs import StructRef as StructRef
from anabranch.runtime.compat.value_types import (
    CalledType,
    TextType,
    TupleType,
    class_of,
    is_array,
    is_uniform,
    of_kinds,
)
from anabranch.runtime.ufuncs.number_types import NAMES, NUMBERS, Type as Type, containers


def _array(dtype: Any, ndim: int, layout: str, readonly: bool = False, aligned: bool = True) -> Type:
    """The type of an array, `Array(float64, 2, "C")`."""
    parts = [slice(None)] * ndim
    if layout in ("C", "F"):
        parts[-1 if layout == "C" else 0] = slice(None, None, 1)
    return dtype[tuple(parts)]  # type: ignore[no-any-return]


Array = class_of("Array", is_array, _array)
Integer, Float, Complex, Boolean, Number = (
    class_of(name, of_kinds(kinds))
    for name, kinds in (("Integer", "iu"), ("Float", "f"), ("Complex", "c"), ("Boolean", "b"), ("Number", "iufc"))
)
FunctionType = class_of(
    "FunctionType", lambda value: isinstance(value, CalledType), lambda one: CalledType(f"FunctionType[{one}]", one)
)
NoneType = class_of("NoneType", lambda value: value == NAMES["none"])
BaseTuple = class_of("BaseTuple", lambda value: isinstance(value, TupleType))
Tuple = class_of("Tuple", lambda value: isinstance(value, TupleType) and not is_uniform(value), containers["Tuple"])
UniTuple = class_of("UniTuple", is_uniform, containers["UniTuple"])
StringLiteral = class_of("StringLiteral", lambda value: isinstance(value, TextType))
UnicodeType = Literal = StringLiteral
# No argument of an overload is one: numbers have their types, and those that are not passed have none.
IntegerLiteral = BooleanLiteral = Omitted = class_of("Omitted", lambda value: False)
List, ListType, DictType, Set = (containers[n] for n in ("List", "ListType", "DictType", "Set"))
Optional = optional = containers["optional"]


def __getattr__(name: str) -> Type:
    if name in NAMES:
        return NAMES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


integer_domain = tuple(t for t in NUMBERS.values() if t.dtype.kind in "iu")
real_domain = tuple(t for t in NUMBERS.values() if t.dtype.kind == "f")

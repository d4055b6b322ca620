"""Numba's names of types, and signatures of them: `float64`, `int64[:, ::1]`, `float64(float64, int64)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.control.call import call

_PYTHON = ("float64", "int64", "bool", "complex128")
# The characters of dtypes that hold all that Python's numbers are.
_CHARACTERS = {float: "d", bool: "?", complex: "D"}


@frozen
class Type:
    """A type of Numba's by its name, which values need not have: a text, a list, an object."""

    name: str

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name

    def __call__(self, *arguments: Any) -> Any:
        """The signature of a function that returns this."""
        return Signature(self, tuple(map(type_of, arguments)))

    def __getitem__(self, index: Any) -> Type:
        raise TypeError(f"there are no arrays of {self.name} in compiled code; write a number's type before the [:]")

    def cast(self, value: Any) -> Any:
        """The value as one of this type: as it is."""
        return value


@frozen
class NumberType(Type):
    """The type of a number, `float64`: of NumPy scalars, and of elements of arrays."""

    dtype: np.dtype

    @property
    def element(self) -> np.dtype:
        """The dtype of the number."""
        return self.dtype

    def __call__(self, *arguments: Any) -> Any:
        """Return a signature for types; for a value, the number of this type."""
        if len(arguments) == 1 and not _is_type(arguments[0]):
            return call(self.dtype.type, arguments[0])
        return Signature(self, tuple(map(type_of, arguments)))

    def __getitem__(self, index: Any) -> ArrayType:
        parts = index if isinstance(index, tuple) else (index,)
        if not parts or not all(isinstance(p, slice) and p.start is None and p.stop is None for p in parts):
            raise KeyError(f"an array's type is {self.name}[:], or {self.name}[:, ::1], not {self.name}[{index}]")
        order = "C" if parts[-1].step == 1 else "F" if parts[0].step == 1 else "A"
        return ArrayType(_array_name(self.name, len(parts), order), self.dtype, len(parts), order)

    def cast(self, value: Any) -> Any:
        """The number as one of this type; arrays of one element are no numbers."""
        if _CHARACTERS.get(type(value)) == self.dtype.char:
            return value
        if isinstance(value, np.ndarray):
            raise TypeError(f"an array is passed for {self.name}; write {self.name}[{_colons(value.ndim)}] for arrays")
        if isinstance(value, (bool, int, float, complex, np.generic)):
            given = np.asarray(value)
            if given.dtype.kind == "c" and self.dtype.kind != "c":
                raise TypeError(f"a complex number is passed for {self.name}; write complex128")
            number = given.astype(self.dtype)[()]
            # Python's own numbers where they are as precise: dividing by zero raises, as in Numba.
            return number.item() if self.dtype.name in _PYTHON else number
        return value


@frozen
class ArrayType(Type):
    """The type of an array, `float64[:, ::1]`."""

    element: np.dtype
    ndim: int
    layout: str  # the order of its elements in memory, if one is asked for

    @property
    def dtype(self) -> NumberType:
        """The type of its elements."""
        return _BY_DTYPE[self.element]

    def cast(self, value: Any) -> Any:
        """The array, which must have the type: arrays are not converted."""
        if not isinstance(value, np.ndarray):
            return value
        if value.dtype != self.element or value.ndim != self.ndim:
            given = f"{value.dtype}[{_colons(value.ndim)}]"
            raise TypeError(f"an array {given} is passed for {self.name}; convert it, or leave the signature out")
        contiguous = {"A": True, "C": value.flags.c_contiguous, "F": value.flags.f_contiguous}
        if not contiguous[self.layout]:
            order = "C" if self.layout == "C" else "Fortran"
            raise TypeError(f"an array that is not in {order} order is passed for {self.name}; write [:]")
        return value


@frozen
class Signature:
    """The types that a function takes and returns."""

    return_type: Type | None  # None for one that is not said
    args: tuple[Type, ...]

    def __repr__(self) -> str:
        return f"({', '.join(map(str, self.args))}) -> {'?' if self.return_type is None else self.return_type}"


Written: TypeAlias = "str | Signature | Type | Sequence[Any]"


def _array_name(name: str, ndim: int, order: str) -> str:
    colons = [":"] * ndim
    if order != "A":
        colons[-1 if order == "C" else 0] = "::1"
    return f"{name}[{', '.join(colons)}]"


def _colons(ndim: int) -> str:
    return ", ".join([":"] * ndim)


def _is_type(value: object) -> bool:
    return isinstance(value, (Type, np.dtype)) or (isinstance(value, type) and issubclass(value, np.generic))


def type_of(given: Any) -> Type:
    """The type that is meant by one of Numba's, a dtype, or one of Python's classes of numbers."""
    if isinstance(given, Type):
        return given
    if given is None:
        return NAMES["none"]
    try:
        return _BY_DTYPE[np.dtype(given)]
    except (TypeError, KeyError):
        raise TypeError(f"a signature has types such as float64 and int64[:], not {given!r}") from None


def _numbers() -> Mapping[str, NumberType]:
    sizes = {"int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (32, 64), "complex": (64, 128)}
    names = [f"{kind}{size}" for kind, all_ in sizes.items() for size in all_]
    made = {name: NumberType(name, np.dtype(name)) for name in names}
    made["boolean"] = NumberType("bool", np.dtype(bool))
    other = {
        "boolean": "b1 bool bool_",
        "int8": "char i1",
        "int16": "short i2",
        "int32": "intc i4",
        "int64": "int int_ intp long_ longlong ssize_t i8",
        "uint8": "byte uchar u1",
        "uint16": "ushort u2",
        "uint32": "uintc u4",
        "uint64": "uint uintp ulong ulonglong size_t u8",
        "float32": "f4",
        "float64": "double float float_ f8",
        "complex64": "c8",
        "complex128": "complex c16",
    }
    return {**made, **{short: made[long] for long, names in other.items() for short in names.split()}}


NUMBERS = _numbers()
_BY_DTYPE = {number.dtype: number for number in NUMBERS.values()}
NAMES: Mapping[str, Type] = {
    **NUMBERS,
    **{name: Type(name) for name in ("void", "none", "unicode_type", "string", "pyobject", "voidptr")},
}


def parsed(signature: Written) -> Signature:
    """The signature for one of Numba's forms: a text, what a type returns of types, or a tuple of types.

    Raises `TypeError` for anything else, and for names that are none of a type's.
    """
    if isinstance(signature, Signature):
        return signature
    if isinstance(signature, str):
        try:
            found = eval(signature, {"__builtins__": {}}, {**NAMES, **containers})
        except Exception as error:
            raise TypeError(f"{signature!r} is no signature such as 'float64(float64, int64[:])': {error}") from None
        return parsed(found)
    if isinstance(signature, (tuple, list)):
        return Signature(None, tuple(map(type_of, signature)))
    raise TypeError(f"a signature is a text such as 'float64(float64)' or a tuple of types, not {signature!r}")


def _container(name: str) -> Any:
    def made(*parts: Any, **options: Any) -> Type:
        return Type(f"{name}({', '.join(map(str, parts))})")

    return made


_GENERIC = ("List", "Tuple", "UniTuple", "ListType", "DictType", "Set", "optional")
containers = {name: _container(name) for name in _GENERIC}


def signatures(given: object) -> tuple[Signature, ...]:
    """The signatures that a decorator was given: one, or several in a list."""
    if isinstance(given, (str, Signature)) or (isinstance(given, tuple) and given and all(map(_is_type, given))):
        return (parsed(given),)
    return tuple(map(parsed, given))  # type: ignore[call-overload]

"""Traced Python scalars: int, float, bool and complex that stay what Python makes of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import FULL, Interval
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import apply_ufunc, atoms, lazy_text, wrap
from anabranch.runtime.values.abstract import PYTHON_DTYPES, Abstract, Kind, python_abstract
from anabranch.runtime.values.python_numbers import (
    exact_ints,
    number_subclasses,
    python_conversions,
    python_ints,
    python_operands,
    python_operators,
)
from anabranch.runtime.values.python_numbers.python_operands import PythonNumber, kind_of, made
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.static_requests import is_of_run_time
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


class PythonScalar(python_operands.PythonNumber):
    """A traced Python scalar."""

    __slots__ = ()

    def __new__(cls, atom: Atom, *_: object) -> PythonScalar:
        return object.__new__(_KINDS[atom.type.dtype.kind])

    def _binary(self, ufunc: np.ufunc, left: Value, right: Value) -> Value:
        if is_python_scalar(left) and is_python_scalar(right):
            return python_operators.binary(ufunc, left, right)
        other = right if left is self else left
        if number_subclasses.base_of(other) is not None:
            number_subclasses.refuse_flag(ufunc, other)
            if left is self and number_subclasses.operates(ufunc, other):
                return NotImplemented
            return self._binary(ufunc, number_subclasses.plain(left), number_subclasses.plain(right))
        if isinstance(other, (list, tuple, str, bytes)):
            if ufunc is np.multiply and self.python in (int, bool) and isinstance(other, str):
                return lazy_text.deferred("__mul__", other, self)
            if ufunc is np.multiply and self.python in (int, bool):
                if type(other) is list and is_of_run_time(self):
                    current().trace.lists.demand_growth()
                self.__index__()  # a sequence repeated so many times: the count must be known
            if ufunc is np.multiply:
                raise TypeError(f"can't multiply sequence by non-int of type '{type(self).__name__}'")
            return NotImplemented
        if isinstance(other, RunTimeContainer):
            return NotImplemented  # it repeats itself, and has no other operator with a number
        if takes_complex(ufunc, left, right):
            return python_operators.binary(ufunc, left, python_scalar(right.atom))
        return apply_ufunc.operator(ufunc, left, right)

    def _unary(self, ufunc: np.ufunc) -> Value:
        return python_operators.unary(ufunc, self)

    def __divmod__(self, other: Value) -> Value:
        if other is None:
            return NotImplemented
        other = number_subclasses.plain(other)
        python_operands.divmod_check(self, other)
        return self // other, self % other

    def __rdivmod__(self, other: Value) -> Value:
        if other is None:
            return NotImplemented
        other = number_subclasses.plain(other)
        python_operands.divmod_check(other, self)
        return other // self, other % self

    def __pow__(self, other: Value, modulus: object = None) -> Value:
        if modulus is None:
            return self._binary(np.power, self, other)
        return python_ints.modular(self, number_subclasses.plain(other), number_subclasses.plain(modulus))

    def __round__(self, digits: object = None) -> Value:
        if isinstance(digits, UnionValue):
            return digits.each(functools.partial(round, self))
        if isinstance(digits, np.integer):
            digits = int(digits)
        elif isinstance(digits, Tracer) and digits.abstract.kind is Kind.SCALAR and digits.abstract.dtype.kind in "iu":
            digits = python_conversions.of_numpy(wrap.as_atom(digits))
        return python_conversions.round_(self, number_subclasses.plain(digits))

    def __trunc__(self) -> Value:
        return python_conversions.to_int(self)

    def __floor__(self) -> Value:
        return python_conversions.rounded_to_int(np.floor, self)

    def __ceil__(self) -> Value:
        return python_conversions.rounded_to_int(np.ceil, self)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object) -> Value:
        from_numpy = wrap.array_of(wrap.as_atom(self))
        return from_numpy.__array_ufunc__(ufunc, method, *inputs, **kwargs)

    def __array_function__(
        self, function: Callable[..., object], types: Iterable[type], args: tuple[object, ...], kwargs: dict[str, Value]
    ) -> Value:
        return wrap.array_of(wrap.as_atom(self)).__array_function__(function, types, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return _attribute(self, name)


class _WordScalar(PythonScalar):
    """An int from 0 to 2**64 - 1; its `atom` is its int64, for which it raises where it has none."""

    __slots__ = ()

    def __init__(self, atom: Atom, *_: object) -> None:
        self.interval = FULL  # that of the bits of its int64, also where that is refused
        self.exact_ = exact_ints.OfWord(atom)

    @property
    def word_(self) -> Atom:
        word: Atom = self.exact_.atom
        return word

    @property
    def atom(self) -> Atom:  # type: ignore[override]
        return exact_ints.narrowed(self.word_)

    @property
    def affine(self) -> tuple[Atom, int]:  # type: ignore[override]
        return (self.word_, 0)

    most = affine

    @property
    def abstract(self) -> Abstract:
        return python_abstract(int)


# Python's messages name the classes of operands: `unsupported operand type(s) for +: 'int' and 'str'`.
_KINDS: dict[str, type[PythonScalar]] = {
    np.dtype(dtype).kind: type(kind.__name__, (PythonScalar,), {"__slots__": (), "__module__": __name__})
    for kind, dtype in PYTHON_DTYPES.items()
}
_KINDS["u"] = type("int", (_WordScalar,), {"__slots__": (), "__module__": __name__})


def takes_complex(ufunc: np.ufunc, left: Value, right: object) -> bool:
    """Return whether Python's complex number does an operation with what is right of it; np.float64 is a float."""
    if ufunc not in _OF_COMPLEX or not isinstance(right, Tracer) or not is_python_scalar(left):
        return False
    # The type is asked for last: an array of run-time size has none.
    if python_operands.kind_of(left) is not complex:
        return False
    known = right.abstract
    return known.kind is Kind.SCALAR and known.dtype == np.float64


_OF_COMPLEX = (np.add, np.subtract, np.multiply, np.true_divide, np.power)


def is_python_scalar(value: object) -> bool:
    """A Python number, traced or not."""
    return isinstance(value, PythonScalar) or type(value) in PYTHON_DTYPES


def python_scalar(atom: Atom, interval: Interval = FULL, affine: tuple[Atom, int] | None = None) -> Value:
    """The Python scalar with this value: a plain one when the atom is a literal."""
    if isinstance(atom, Literal):
        return atom.value.item()
    return PythonScalar(atom, interval, affine)


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
_METHODS: dict[str, Callable[..., Any]] = {
    "conjugate": _conjugate,
    "is_integer": _is_integer,
    "bit_length": python_conversions.bit_length,
    "bit_count": python_conversions.bit_count,
    "as_integer_ratio": python_conversions.ratio,
    "to_bytes": python_conversions.to_bytes,
}


def _attribute(x: PythonNumber, name: str) -> Value:
    """`x.name` as the Python number that `x` stands for has it.

    Raises `AttributeError` where that kind of number has no such attribute. Raises `UnsupportedOperationError` for a
    method that gives text or bytes, or takes them.
    """
    kind = kind_of(x)
    if not hasattr(kind, name) or name.startswith("__"):
        raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
    if name in _ATTRIBUTES:
        return _ATTRIBUTES[name](x)
    if name in _METHODS:
        function = _METHODS[name]
        return lambda *args, **kwargs: function(x, *args, **kwargs)
    if name in ("from_bytes", "fromhex", "from_number"):
        return getattr(kind, name)
    raise UnsupportedOperationError(
        f"{kind.__name__}.{name} of a value known only at run time is not supported; make the argument it comes from "
        "static (static_argnames=...)"
    )

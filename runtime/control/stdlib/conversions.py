"""Conversions to Python's numbers, and `pow`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.control.branches.truth import truth_value
from anabranch.runtime.control.staging.signature_errors import staged_form_of
from anabranch.runtime.control.stdlib.choices import is_traced, plain
from anabranch.runtime.control.texts import text_numbers
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.host_calls import stage
from anabranch.runtime.values.host_types.host_type import HostTyped
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers import number_methods, python_conversions, python_ints, python_operands
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN, looked_up


def _python_value(value: object, kind: type) -> PythonScalar | Value:
    """A traced scalar or one-element array as the Python scalar that a number of the kind is made of."""
    if isinstance(value, PythonScalar) or not is_traced(value):
        return value
    atom = wrap.as_atom(value)
    if isinstance(value, TracedArray) and value.ndim:
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    if atom.type.dtype.kind == "c" and kind in (int, float) and not isinstance(value, TracedArray):
        atom = python_conversions.real_part(atom)
    if atom.type.dtype == np.uint64 and kind is not int:
        atom = atoms.convert(atom, np.float64)
    return python_conversions.of_numpy(atom)


def _convert(kind: type) -> Callable[..., Any]:
    def convert(*args: Value, **kwargs: object) -> Value:
        if kind is bool and len(args) == 1:
            return truth_value(args[0])
        if not kwargs and (found := looked_up(kind, *args)) is not UNKNOWN:
            return found
        if len(args) == 1 and isinstance(args[0], UnionValue):
            return args[0].through(lambda value: convert(value, **kwargs))
        args = tuple(map(plain, args))
        if kind is int and args and isinstance(args[0], Text) and tracing():
            return text_numbers.int_of(args[0], *args[1:], **kwargs)
        if kind in (float, complex) and len(args) == 1 and isinstance(args[0], Text) and tracing():
            return _number_of_text(kind, args[0])
        if not any(map(is_traced, args)):
            return _convert_object(kind, *args) if len(args) == 1 and not kwargs else kind(*args, **kwargs)
        if kind is complex and len(args) == 2:
            return complex_parts(*(_python_value(part, complex) for part in args))
        if len(args) > 1:
            if kind is not int or len(args) > 2:
                return kind(*(0 for _ in args))  # raises TypeError
            if kind is int and isinstance(args[0], (str, bytes, bytearray)):
                return int(args[0], operator.index(args[1]))
            raise TypeError(f"{kind.__name__}() can't convert non-string with explicit base")
        value = _python_value(args[0], kind)
        return python_conversions.to_kind(value, kind) if isinstance(value, PythonScalar) else kind(value)

    return convert


def _number_of_text(kind: type, text: Text) -> Value:
    """`float(text)` or `complex(text)`, whose result needs no trial: the texts of one may not say a number."""
    if not settings().host_calls:
        raise UnsupportedOperationError(
            f"{kind.__name__}() of a text known only at run time is a call of the host, which host_calls=False forbids"
        )
    return stage.call(f"builtins.{kind.__name__}", kind, (text,), {}, example=(kind(),))


def _convert_object(kind: type, value: object) -> Value:
    """`kind(value)`, for which the value's class may have a method of the user's."""
    made = number_methods.number_of(value, kind)
    if made is None and isinstance(value, HostTyped):
        return value.__anabranch_number__(kind)
    return kind(value) if made is None else made


def complex_parts(real: Value, imag: Value) -> Value:
    """`complex(real, imag)`; an argument that is complex itself counts with both of its parts."""
    if python_operands.kind_of(imag) is complex:
        return real + imag * 1j
    if python_operands.kind_of(real) is complex:
        return complex_parts(real.real, real.imag + imag)
    parts = (python_operands.as_kind(part, float) for part in (real, imag))
    return python_scalar(atoms.op("complex", *parts))


int_, float_, bool_, complex_ = (_convert(kind) for kind in (int, float, bool, complex))


@staged_form_of(pow)
def pow_(base: Value, exp: Value, mod: Value = None) -> Value:
    """As `pow`, with a modulus also where only one of the others is traced."""
    if mod is None:
        return pow(base, exp)
    if isinstance(exp, UnionValue):
        return exp.each(lambda e: pow_(base, e, mod))
    if isinstance(mod, UnionValue):
        return mod.each(lambda m: pow_(base, exp, m))
    if isinstance(base, UnionValue):
        return base.each(lambda b: pow_(b, exp, mod))
    if isinstance(mod, PythonScalar) or isinstance(exp, PythonScalar):
        return python_ints.modular(base, exp, mod)
    return pow(base, exp, mod)

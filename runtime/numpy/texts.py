"""Texts of numbers and arrays, which are known when the computation has run, as those of `str` are."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.numpy.core import dtype_of, on_host, shape_of
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, lazy_text, wrap
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.tracer import Tracer

rules = Rules()

# What formats an int as `base_repr` does.
_FORMATS = {2: "b", 8: "o", 10: "d", 16: "X"}
_WORD = 62  # twos complements of so many bits are int64


def _shown_by(function: Callable[..., str]) -> None:
    """Register a function that gives a text of numbers."""

    def shown(*args: Value, **kwargs: Value) -> Value:
        if kwargs.get("formatter") is not None:  # functions of the user's
            return on_host(function, *args, **kwargs)
        return lazy_text.by_function(function, *args, **kwargs)

    rules.any_shape(function)(shown)


for _function in (
    np.array2string,
    np.array_repr,
    np.array_str,
    np.format_float_positional,
    np.format_float_scientific,
):
    _shown_by(_function)


def _int(number: Value) -> Value:
    """A number that has an index.

    Raises `TypeError` as `operator.index`, for any other.
    """
    if not isinstance(number, Tracer):
        return operator.index(number)
    if shape_of(number) or dtype_of(number).kind not in "iu":
        operator.index(np.ones(shape_of(number), dtype_of(number))[()])
    return number


@rules.implements(np.base_repr)
def base_repr(number: Value, base: Value = 2, padding: Value = 0) -> Value:
    """As `numpy.base_repr`."""
    if isinstance(base, Tracer) or isinstance(padding, Tracer) or base not in _FORMATS or padding:
        return lazy_text.by_function(np.base_repr, number, base=base, padding=padding)
    return lazy_text.deferred("format", f"{{:{_FORMATS[base]}}}", int(number))


@rules.implements(np.binary_repr)
def binary_repr(num: Value, width: Value = None) -> Value:
    """As `numpy.binary_repr`: negative numbers of a width are twos complements."""
    num = _int(num)
    if width is None:
        return lazy_text.deferred("format", "{:b}", num)
    if isinstance(width, Tracer) or not 0 < operator.index(width) <= _WORD or dtype_of(num) == np.uint64:
        return lazy_text.by_function(np.binary_repr, num, width=width)
    number, most = wrap.as_atom(num, np.int64), 2 ** operator.index(width)
    negative = atoms.ufunc(np.less, number, atoms.literal(0, np.int64))
    wrapped = atoms.ufunc(np.add, number, atoms.literal(most, np.int64))
    fits = atoms.ufunc(np.greater_equal, wrapped, atoms.literal(most // 2, np.int64))
    below = atoms.ufunc(np.less, number, atoms.literal(most, np.int64))
    run_time_checks.fail_if(
        atoms.logical_not(atoms.select(negative, fits, below)), _Insufficient(operator.index(width)), number
    )
    shown = wrap.numpy_result(atoms.select(negative, wrapped, number))
    return lazy_text.deferred("format", f"{{:0{width}b}}", shown)


@frozen
class _Insufficient:
    """Makes the exception for a number that needs more bits."""

    width: int

    def __call__(self, number: int) -> BaseException:
        try:
            np.binary_repr(number, self.width)
        except ValueError as error:
            return error
        raise AssertionError("a number that fits")

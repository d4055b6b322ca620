"""Values that are assigned to elements of an array: numbers as Python and NumPy convert them, sequences as arrays."""

from __future__ import annotations

import math

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, number_sequence, registry, wrap
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.number_sequence import NumberSequence
from anabranch.runtime.values.number_union import may_not_fit
from anabranch.runtime.values.python_numbers import number_methods, number_subclasses, python_conversions
from anabranch.runtime.values.python_numbers.python_operands import overflow, raised
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.static_requests import requests_of
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

_SEQUENCES = (list, tuple, *number_sequence.NUMBERS)


def of_elements(value: Value, dtype: np.dtype) -> Value:
    """The value to assign to elements of a dtype: a Python number is converted as `int` and `float` do it, or raise."""
    if isinstance(value, number_sequence.NUMBERS):
        value = _numbers(value, dtype)
    if isinstance(value, (list, tuple)) and dtype.kind in "iuf":
        return registry.FUNCTIONS[np.array](value, dtype)
    value = number_methods.element_of(value, dtype)
    wanted = {"i": int, "u": int, "f": float}.get(dtype.kind)
    if wanted is None or not isinstance(value, PythonScalar) or value.abstract.python in (bool, int, wanted):
        return value
    return python_conversions.to_kind(value, wanted)


def _numbers(value: range | NumberSequence, dtype: np.dtype) -> Value:
    """The values of a range as those of a list, which must fit the dtype one by one."""
    if isinstance(value, range):
        return list(value)
    try:
        return list(value)  # type: ignore[call-overload]
    except ConcretizationError as error:
        if requests_of(error) or (dtype.kind in "iu" and dtype != np.int64):
            raise
    return value.as_indices()


def of_one(value: Value, dtype: np.dtype) -> Value:
    """The value to assign to a single element: a number; of sequences only bool() makes one."""
    value = number_methods.element_of(value, dtype)
    if dtype == np.bool_ and isinstance(value, _SEQUENCES):
        return bool(value)
    shape = () if isinstance(value, _SEQUENCES) else wrap.shape_of(value)
    if isinstance(value, _SEQUENCES) or (shape and not (dtype == np.bool_ and math.prod(shape) == 1)):
        raise ValueError("setting an array element with a sequence.")
    return value


_LARGEST = 8


def element(value: Value, dtype: np.dtype) -> Value:
    """The value to assign to an element of a dtype, with the checks that NumPy makes of such a value."""
    if isinstance(value, UnionValue):
        kinds = [abstract for abstract in value.kinds() if abstract is not None and not abstract.shape]
        if len(kinds) == len(value.options) and any(may_not_fit(abstract, dtype) for abstract in kinds):
            return value.each(lambda number: _converted(number, dtype))
        return value
    if isinstance(value, Tracer) and not wrap.is_dynamic_array(value) and may_not_fit(value.abstract, dtype):
        return python_conversions.to_kind(python_conversions.of_numpy(wrap.as_atom(value)), int)
    if number_subclasses.base_of(value) is not None:
        np.zeros(1, dtype)[0] = value  # raises where it does not fit
        value = number_subclasses.plain(value)
    return of_elements(value, dtype)


def _converted(number: Value, dtype: np.dtype) -> Value:
    """A number as an element of a dtype."""
    return wrap.numpy_result(wrap.as_atom(wrap.numpy_operand(element(number, dtype)), dtype))


def check_ints(floats: Atom, dtype: np.dtype) -> None:
    """Raise as `int` does where one of some floats that become integers of a dtype is NaN, infinite or too large."""
    if floats.type.dtype.kind != "f" or dtype.kind not in "iu":
        return
    known, wide = np.iinfo(dtype), atoms.convert(floats, np.float64)
    large = atoms.ufunc(np.greater_equal, wide, _like(known.max + 1, wide))
    # What is above the least integer less one is cut off to that integer, where a float has room for the difference.
    below = np.less if dtype.itemsize == _LARGEST else np.less_equal
    small = atoms.ufunc(below, wide, _like(known.min - (below is np.less_equal), wide))
    run_time_checks.fail_if(atoms.any_of(atoms.ufunc(np.isnan, wide)), raised(int, float("nan")))
    run_time_checks.fail_if(atoms.any_of(atoms.ufunc(np.isinf, wide)), raised(int, float("inf")))
    run_time_checks.fail_if(atoms.any_of(atoms.logical_or(large, small)), overflow)


def _like(value: float, atom: Atom) -> Atom:
    return atoms.broadcast_to(atoms.literal(float(value)), atom.type.shape)

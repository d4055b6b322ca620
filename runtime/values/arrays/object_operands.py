"""Operators between NumPy's values and objects of the user's classes, which NumPy takes for arrays of objects."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.python_numbers.python_conversions import of_numpy
from anabranch.runtime.values.tracer import COMPARISONS

_OPERATORS: dict[np.ufunc, tuple[Callable[[Any, Any], Any], str]] = {
    np.add: (operator.add, "add"),
    np.subtract: (operator.sub, "sub"),
    np.multiply: (operator.mul, "mul"),
    np.true_divide: (operator.truediv, "truediv"),
    np.floor_divide: (operator.floordiv, "floordiv"),
    np.remainder: (operator.mod, "mod"),
    np.power: (operator.pow, "pow"),
    np.bitwise_and: (operator.and_, "and"),
    np.bitwise_or: (operator.or_, "or"),
    np.bitwise_xor: (operator.xor, "xor"),
    np.left_shift: (operator.lshift, "lshift"),
    np.right_shift: (operator.rshift, "rshift"),
}
# What NumPy makes an array of numbers of, and not one object.
_PROTOCOLS = ("__array__", "__array_interface__", "__array_struct__")
_EQUALITIES = (np.equal, np.not_equal)
_OF_SCALARS = -1e6


def applied(ufunc: np.ufunc, left: Any, right: Any, ours: Any) -> Value:
    """Return `left OP right`, of which `ours` is NumPy's; NotImplemented where the other one's class is asked next.

    Each element meets the object as Python's number. Of a scalar, that is the result; of an array it would be an array
    of objects. Raises `UnsupportedOperationError` for that, and where the class tells NumPy what to do.
    """
    other = right if left is ours else left
    kind, is_array = type(other), ours.abstract.kind is Kind.ARRAY
    asked = getattr(kind, "__array_ufunc__", other)
    if asked is None:
        return NotImplemented
    if asked is other:
        priority = getattr(other, "__array_priority__", _OF_SCALARS)
        if priority > (0.0 if is_array else _OF_SCALARS) or (ufunc in COMPARISONS and not is_array):
            return NotImplemented
        if ufunc in COMPARISONS and not _is_made_for(ufunc, kind):
            if ufunc not in _EQUALITIES:
                return NotImplemented
            return wrap.numpy_result(atoms.broadcast_to(atoms.literal(ufunc is np.not_equal), ours.abstract.shape))
        if ufunc in _OPERATORS and not _is_array(kind):
            operation, name = _OPERATORS[ufunc]
            if not is_array:
                number = of_numpy(ours.atom)
                return operation(number, other) if left is ours else operation(other, number)
            if not hasattr(kind, f"__{'r' if left is ours else ''}{name}__"):
                return NotImplemented
    raise UnsupportedOperationError(
        f"numpy.{ufunc.__name__} of {a('numpy.ndarray' if is_array else 'numpy scalar')} and {a(kind.__name__)} is not "
        f"supported in compiled code: NumPy does not ask the class {kind.__name__} about an array, but goes over the "
        "elements, and its result is an array of objects or what __array_ufunc__ says; give the class "
        "__array_ufunc__ = None, so that its own methods are asked, or write a loop over the elements"
    )


def _is_made_for(ufunc: np.ufunc, kind: type) -> bool:
    """Return whether a class has a comparison of its own, or is taken for an array of numbers."""
    names = ("__eq__", "__ne__") if ufunc in _EQUALITIES else ("__lt__", "__le__", "__gt__", "__ge__")
    return _is_array(kind) or any(getattr(kind, name) is not getattr(object, name) for name in names)


def _is_array(kind: type) -> bool:
    is_sequence = hasattr(kind, "__len__") and hasattr(kind, "__getitem__")
    return is_sequence or any(hasattr(kind, name) for name in _PROTOCOLS)

"""The methods by which an object of a user's class says what number it is: `__int__`, `__float__` and the like."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.values import user_classes, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.python_numbers import python_conversions
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.tracer import Tracer, class_name
from anabranch.runtime.values.union import UnionValue

# Those that Python asks for each kind of number, in its order, and the class of what they return.
_METHODS: dict[type, tuple[str, ...]] = {
    bool: ("__bool__",),
    int: ("__int__", "__index__"),
    float: ("__float__", "__index__"),
    complex: ("__complex__", "__float__", "__index__"),
}
_MADE = {"__bool__": bool, "__int__": int, "__index__": int, "__float__": float, "__complex__": complex}
_ARRAYS = ("__array__", "__array_interface__", "__len__")  # of these NumPy asks an object for its elements
_OF_ELEMENTS = {"?": bool, "l": int, "q": int, "f": float, "d": float, "e": float, "F": complex, "D": complex}


def number_of(value: object, kind: type) -> Value | None:
    """`kind(value)` by a method of the value's class that is written in Python; None where it has none.

    Raises `TypeError` where the method returns no number of its kind, with Python's message.
    """
    for name in _METHODS[kind]:
        method = user_classes.own_method(value, name)
        if method is not None:
            made = _checked(method(), name, type(value).__name__)
            return made if _MADE[name] is kind else _converted(made, kind)
        if hasattr(type(value), name):
            return None
    return None


def element_of(value: object, dtype: np.dtype) -> Value:
    """A value as an element of an array: of an object of a user's class, the number that its methods give."""
    kind = _OF_ELEMENTS.get(dtype.char)
    if kind is None or not user_classes.is_users_class(type(value)) or any(hasattr(type(value), n) for n in _ARRAYS):
        return value
    made = number_of(value, kind)
    return value if made is None else made


def _checked(made: Value, name: str, owner: str) -> Value:
    if isinstance(made, UnionValue):
        return made.through(lambda choice: _checked(choice, name, owner))
    kind = _MADE[name]
    if _class_of(made) is kind:
        return made
    if issubclass(_class_of(made), kind):  # NumPy's float64 and complex128 are Python's numbers, too
        return _converted(made, kind)
    owner = f"{owner}." if kind is float else ""
    raise TypeError(f"{owner}{name} returned non-{kind.__name__} (type {class_name(made)})")


def _class_of(value: object) -> type:
    if isinstance(value, PythonScalar):
        return value.python
    if isinstance(value, Tracer):
        return np.ndarray if value.abstract.kind is Kind.ARRAY else value.abstract.dtype.type
    return type(value)


def _converted(made: Value, kind: type) -> Value:
    if isinstance(made, UnionValue):
        return made.through(lambda choice: _converted(choice, kind))
    if isinstance(made, Tracer) and not isinstance(made, PythonScalar):
        made = python_conversions.of_numpy(wrap.as_atom(made))
    return python_conversions.to_kind(made, kind) if isinstance(made, PythonScalar) else kind(made)

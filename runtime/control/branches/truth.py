"""Truth values: a plain bool where it is known, else a bool scalar atom."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.staging import run_time_keys
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import apply_ufunc, atoms, wrap
from anabranch.runtime.values.arrays.index_numbers import own_length
from anabranch.runtime.values.arrays.numpy_scalar import is_array
from anabranch.runtime.values.attributes import name_in_messages
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.static_requests import request_static, with_static_request
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN, looked_up
from anabranch.runtime.values.user_classes import own_method


def truth(value: Value) -> bool | Atom:
    """`bool(value)`, as far as it is known while tracing.

    Raises `ValueError` for a traced array of more than one element, as NumPy does.
    """
    if isinstance(value, Tracer):
        atom = apply_ufunc.truth(value)
        return bool(atom.value) if isinstance(atom, Literal) else atom
    if isinstance(value, Reference):
        return truth(value.through(truth_value))
    if isinstance(value, UnionValue):
        return _choice_truth(value)
    if is_dynamic_list(value):
        return truth(value.items.length)
    if isinstance(value, RunTimeContainer):
        return truth(value.count_)
    if isinstance(value, Text) and tracing():
        atom = current().trace.outside.text_operations.truth(value)
        return bool(atom.value) if isinstance(atom, Literal) else atom
    method = own_method(value, "__bool__")
    if method is not None:
        return _answer(method())
    length = None if hasattr(type(value), "__bool__") else own_length(value)
    return bool(value) if length is None else truth(length)


def kept(condition: object) -> bool:
    """Return whether a comprehension that Python itself runs keeps an item."""
    decided = truth(condition)
    if isinstance(decided, bool):
        return decided
    if tracing():
        current().trace.outside.needs_plain()
    what = "whether a comprehension keeps an item"
    request_static(decided, what)
    run_time_keys.stage_comprehensions()
    error = ConcretizationError(
        "whether this comprehension keeps an item is known only at run time, which is supported neither in set and "
        "dict comprehensions nor in those that assign names (:=) of the function around; make a list instead of a "
        "set or dict, or leave the assignment out"
    )
    raise with_static_request(error, decided, what)


def _answer(answer: object) -> bool | Atom:
    """The truth that a `__bool__` of the user's returns."""
    if isinstance(answer, UnionValue):
        answer = answer.without_undefined()
    if isinstance(answer, UnionValue) and not all(map(_is_bool, answer.options)):
        return truth(answer.each(_checked))
    return truth(answer if isinstance(answer, UnionValue) else _checked(answer))


def _is_bool(answer: object) -> bool:
    return isinstance(answer, bool) or (isinstance(answer, PythonScalar) and answer.python is bool)


def _checked(answer: object) -> object:
    if not _is_bool(answer):
        raise TypeError(f"__bool__ should return bool, returned {name_in_messages(lambda: answer)}")
    return answer


def _choice_truth(choice: UnionValue) -> bool | Atom:
    choice = choice.without_undefined()
    if not isinstance(choice, UnionValue):
        return truth(choice)
    if choice.number is not None and choice.worth is not None:
        return truth(choice.resolve())
    if any(map(_may_raise, choice.options)):
        return truth(choice.each(truth_value))  # of one option alone
    known = looked_up(bool, choice)
    if known is not UNKNOWN:
        return truth(known)
    result: Atom = atoms.literal(False)
    for i, option in enumerate(choice.options):
        decided = truth(option)
        atom = atoms.literal(np.bool_(decided)) if isinstance(decided, bool) else decided
        result = atoms.logical_or(result, atoms.logical_and(choice.chosen(i), atom))
    return bool(result.value) if isinstance(result, Literal) else result


def _may_raise(option: object) -> bool:
    """Return whether to ask an option for its truth may raise an exception, or change something."""
    if is_array(option):
        return wrap.is_dynamic_array(option) or wrap.shape_of(option) != ()
    return any(own_method(option, name) for name in ("__bool__", "__len__"))


def truth_value(value: object) -> Value:
    """`bool(value)` as a value: a plain or a traced Python bool."""
    decided = truth(value)
    return decided if isinstance(decided, bool) else python_scalar(decided)

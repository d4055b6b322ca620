"""Classes and attributes of values known only at run time: `type`, `getattr` and their kin."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.staging.signature_errors import staged_form_of
from anabranch.runtime.control.stdlib.choices import is_traced
from anabranch.runtime.values import attributes, unset_attributes, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arena_object import ObjectInArena
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.lazy_text import Text, refused
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


def class_of(value: object) -> Value:
    """The class of the object that a traced value stands for."""
    if isinstance(value, PythonScalar):
        return value.python
    if wrap.is_dynamic_array(value):
        return np.ndarray
    if isinstance(value, Tracer):
        return np.ndarray if value.abstract.kind is Kind.ARRAY else value.abstract.dtype.type
    if isinstance(value, UnionValue):
        value = value.without_undefined()
        return _class_of_choice(value) if isinstance(value, UnionValue) else class_of(value)
    if isinstance(value, (Growable, RunTimeContainer)):
        return value.native
    if isinstance(value, ObjectInArena):
        return value.original_
    return attributes.class_of(value)


def _class_of_choice(value: UnionValue) -> Value:
    if isinstance(value, Reference):
        return value.through(class_of)
    first, *others = classes = tuple(map(class_of, value.options))
    return first if all(other is first for other in others) else UnionValue(value.tag, classes)


def class_(value: object) -> Value:
    """`value.__class__`: of what a traced value stands for."""
    return (
        class_of(value)
        if isinstance(value, (Tracer, UnionValue, Growable, RunTimeContainer, ObjectInArena, attributes.Bare))
        else value.__class__
    )


def type_(*args: object) -> Value:
    """As `type`: the class of a traced value is that of what it stands for."""
    return class_of(args[0]) if len(args) == 1 else type(*args)


def _of_any_name(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of an attribute whose name may be one of several, of each where it is the one."""

    @functools.wraps(function)
    def of_any(value: Value, name: Value, /, *rest: Value) -> Value:
        if isinstance(name, UnionValue):
            return name.each(lambda one: of_any(value, one, *rest))
        if isinstance(name, Text):
            raise refused(name, f" by {function.__name__.rstrip('_')}")
        return function(value, name, *rest)

    return of_any


@staged_form_of(hasattr)
@_of_any_name
def hasattr_(value: Value, name: Value, /) -> Value:
    """As `hasattr`: of one of a few objects, that of each."""
    if isinstance(value, UnionValue):
        return value.each(lambda v: hasattr_(v, name))
    known = unset_attributes.is_set(value, name)
    return attributes.has(value, name) if known is None else python_scalar(known)


@staged_form_of(getattr)
@_of_any_name
def getattr_(value: Value, name: Value, /, *default: Value) -> Value:
    """As `getattr`: of one of a few objects, each without the attribute returns the default."""
    known = unset_attributes.is_set(value, name) if default else None
    if known is not None:
        return if_(python_scalar(known), lambda: getattr(value, name), lambda: default[0])
    if not isinstance(name, str) or not attributes.is_proxy(value):
        return getattr(value, name, *default)
    if default and isinstance(value, UnionValue):
        return value.each(lambda v: getattr_(v, name, *default))
    try:
        return attributes.read(value, name)
    except AttributeError:
        if not default:
            raise
        return default[0]


@staged_form_of(vars)
def vars_(*args: Value) -> Value:
    """As `vars`."""
    for value in args:
        unset_attributes.refuse_dict(value)
    return vars(*args)


@staged_form_of(setattr)
@_of_any_name
def setattr_(value: Value, name: Value, new: Value, /) -> None:
    """As `setattr`."""
    attributes.write(value, name, new)


@staged_form_of(delattr)
@_of_any_name
def delattr_(value: Value, name: Value, /) -> None:
    """As `delattr`."""
    attributes.delete(value, name)


@staged_form_of(dir)
def dir_(*args: Value) -> Value:
    """As `dir`."""
    if not args or not isinstance(args[0], UnionValue):
        return attributes.names(*args) if len(args) == 1 else dir(*args)
    return args[0].each(attributes.names)


@staged_form_of(callable)
def callable_(value: object) -> Value:
    """As `callable`."""
    if isinstance(value, Reference):
        return value.through(callable_)
    if isinstance(value, UnionValue):
        value = value.without_undefined()
    if isinstance(value, UnionValue):
        return python_scalar(value.among([i for i, o in enumerate(value.options) if callable_(o)]))
    return not is_traced(value) and callable(value)

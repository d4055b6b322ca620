"""`isinstance` and `issubclass` of values known only at run time, and by classes that answer for themselves."""

from __future__ import annotations

import types
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.boolean import or_
from anabranch.runtime.control.branches.truth import truth_value
from anabranch.runtime.control.staging.signature_errors import staged_form_of
from anabranch.runtime.control.stdlib.builtin_iterators import enumerate_, range_, reversed_, zip_
from anabranch.runtime.control.stdlib.introspection import class_of
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import attributes
from anabranch.runtime.values.host_types.host_type import HostTyped
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.user_classes import own_method


@staged_form_of(isinstance)
def isinstance_(value: Value, classes: Any, /) -> Value:
    """As `isinstance`: a traced value is an instance of the class it stands for."""
    classes = _original(classes)
    if isinstance(value, Reference):
        return value.through(lambda v: isinstance_(v, classes))
    if isinstance(value, UnionValue):
        value = value.without_undefined()
    if isinstance(value, UnionValue):
        answers = [isinstance_(option, classes) for option in value.options]
        if all(answer is True for answer in answers):
            return True
        if any(isinstance(answer, Tracer) for answer in answers):
            return UnionValue(value.tag, tuple(answers))
        return python_scalar(value.among([i for i, answer in enumerate(answers) if answer]))
    if isinstance(classes, tuple):
        return _any_of(isinstance_, value, classes)
    cls = class_of(value)
    if cls is classes:
        return True
    own = own_method(classes, "__instancecheck__")
    if own is not None:
        return truth_value(own(value))
    if not isinstance(value, (Tracer, Text, RunTimeContainer, attributes.Bare, HostTyped)):
        return _relied_on(cls, classes, isinstance(value, classes))
    try:
        return _relied_on(cls, classes, issubclass(cls, classes))
    except TypeError:
        isinstance(None, classes)  # says what it takes, in words of its own
        raise


@staged_form_of(issubclass)
def issubclass_(cls: Value, classes: Any, /) -> Value:
    """As `issubclass`; a class may be that of a run-time value."""
    classes = _original(classes)
    if isinstance(cls, UnionValue):
        return cls.each(lambda c: issubclass_(c, classes))
    if isinstance(classes, tuple):
        return _any_of(issubclass_, cls, classes)
    own = own_method(classes, "__subclasscheck__")
    return truth_value(own(cls)) if own is not None else _relied_on(cls, classes, issubclass(cls, classes))


def _any_of(test: Any, value: Value, classes: tuple[Any, ...]) -> Value:
    """The test by one class after the other; those that no class has answered yet are not asked where one says yes."""
    if not classes:
        return False
    found = test(value, classes[0])
    return True if found is True else or_(found, lambda: _any_of(test, value, classes[1:]))


def _relied_on(cls: Any, asked: Any, answer: bool) -> bool:
    """An answer that holds for this trace; where a registration or a hook could change it, guards ask again."""
    # A user's method has effects, and is guarded as every function is.
    if type(asked).__subclasscheck__ is not _BY_BASES and tracing() and own_method(asked, "__subclasscheck__") is None:
        current().trace.outside.rely_on(issubclass, (cls, asked), answer)
    return answer


def _original(classes: Any) -> Any:
    """The classes one by one, where rewritten code has staged forms by their names."""
    if isinstance(classes, types.UnionType) and all(isinstance(c, type) for c in classes.__args__):
        classes = classes.__args__
    if isinstance(classes, tuple):
        return tuple(map(_original, classes))
    return next((original for staged, original in _STAGED if classes is staged), classes)


_BY_BASES: Any = type.__subclasscheck__
_STAGED: tuple[tuple[Any, Any], ...] = ((range_, range), (enumerate_, enumerate), (zip_, zip), (reversed_, reversed))

"""The exceptions of `index` and `remove` where an item is not there."""

from __future__ import annotations

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.failures import UnreachableError
from anabranch.runtime.values import containers, lazy_text, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.pytrees import exceptions
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


def fail_where(missing: Atom, value: Value, text: str) -> None:
    """Raise a `ValueError` where an item is missing; the `{}` in its text stands for that."""
    make = run_time_checks.IntMessage(ValueError, text)
    if "{}" not in text or (isinstance(value, PythonScalar) and value.python is int):
        named = (wrap.as_atom(value),) if "{}" in text else ()
        run_time_checks.fail_if(missing, make, *named)
    elif _is_shown(value):
        if isinstance(missing, Literal) and not missing.value:
            return
        error = ValueError(lazy_text.deferred("format", text.replace("{}", "{!r}"), value))
        exceptions.record(missing, error, run_time_checks.user_frames())
        if isinstance(missing, Literal):
            raise UnreachableError
    else:
        shown = "the value" if containers.has_traced(value) else repr(value)
        shown = shown.replace("{", "{{").replace("}", "}}")
        run_time_checks.fail_if(missing, run_time_checks.IntMessage(ValueError, text.format(shown)))


def _is_shown(value: Value) -> bool:
    """Return whether the text of a value is made when it is known: of a number, or of numbers and texts."""
    if isinstance(value, UnionValue):
        return all(isinstance(option, (str, int, float, type(None))) or _is_shown(option) for option in value.options)
    return isinstance(value, Tracer) and value.abstract.kind is not Kind.ARRAY

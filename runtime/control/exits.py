"""`break`, `continue`, `return`: how a block was left, as one exit code."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.tracing.failures import UnreachableError
from anabranch.runtime.values import atoms
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import UnionValue

NEXT: Final = 0
CONTINUE: Final = 1
BREAK: Final = 2
RETURN: Final = 3
# A loop whose condition is evaluated in its body has come to its end.
END: Final = 4

no_value: Final = Undefined("return value")

# The state of a loop: the exit code, the returned value, and the values of the carried names.
State = tuple[Any, ...]


def without_continue(code: int | PythonScalar) -> Value:
    """The code as it stands after a loop: a step that continued has fallen through."""
    if not isinstance(code, PythonScalar):
        return NEXT if code == CONTINUE else code
    left = atoms.ufunc(np.greater_equal, code.atom, atoms.literal(BREAK, np.int64))
    return python_scalar(atoms.select(left, code.atom, atoms.literal(NEXT, np.int64)))


def ended(code: int | PythonScalar) -> Value:
    """The code after a loop whose condition is evaluated in its body, as if that stood before it."""
    if not isinstance(code, PythonScalar):
        return NEXT if code == END else code
    at_end = atoms.ufunc(np.equal, code.atom, atoms.literal(END, np.int64))
    return python_scalar(atoms.select(at_end, atoms.literal(NEXT, np.int64), code.atom))


def _is_unset(value: object) -> bool:
    return isinstance(value, Undefined) and value.name == no_value.name


def returned(value: object) -> Value:
    """The value that a loop or block was left with; only read where the exit code is RETURN."""
    if _is_unset(value) and tracing():
        raise UnreachableError  # each way to a return has raised
    if not isinstance(value, UnionValue):
        return value
    set_options = [o for o in value.options if not _is_unset(o)]
    if len(set_options) == len(value.options):
        return value
    return value.assuming(set_options)

"""An index of a sequence as the place of an item, with the check that there is one."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar

_ANY = Interval(-(2**63), 2**63 - 1)


def place_of(key: Value, length: Value, text: str, most: int | None = None) -> Value:
    """The place from 0 on of an integer that is an index; an `IndexError` says the text where there is none.

    Parameters
    ----------
    length : int or traced int
        How many items the sequence has.
    most : int, optional
        How many it can have.
    """
    span = interval_of(key) if isinstance(key, int) or _is_python_int(key) else _ANY
    least = length if isinstance(length, int) else 0
    zero, size = atoms.literal(0, np.int64), wrap.as_atom(length, np.int64)
    atom: Atom = atoms.convert(wrap.as_atom(key), np.int64)
    bad: Atom = atoms.literal(False)
    if span.low < 0:
        from_end = atoms.ufunc(np.add, atom, size)
        atom = from_end if span.high < 0 else atoms.select(atoms.ufunc(np.less, atom, zero), from_end, atom)
    if span.low < -least:
        bad = atoms.ufunc(np.less, atom, zero)
    if span.high >= least:
        bad = atoms.logical_or(bad, atoms.ufunc(np.greater_equal, atom, size))
    run_time_checks.fail_if(bad, lambda _: IndexError(text))
    return python_scalar(atom, Interval(0, max((interval_of(length).high if most is None else most) - 1, 0)))


def _is_python_int(key: object) -> bool:
    return isinstance(key, PythonScalar) and key.python is int

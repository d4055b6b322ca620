"""The place of an index, with the check that there is one: an IndexError in Python's words where there is none."""

from __future__ import annotations

import collections

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays.index_numbers import check_place
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar

_NAMES: dict[type, str] = {
    range: "range object", list: "list", tuple: "tuple", collections.deque: "deque", str: "string", bytes: "bytes",
}  # fmt: skip


def checked_index(key: Value, length: int, kind: type, what: str) -> Value:
    """The place of an index from 0 on, with the check that there is one."""
    name = next((_NAMES[base] for base in kind.__mro__ if base in _NAMES), kind.__name__)
    if issubclass(kind, (collections.deque, tuple, range, str, bytes)):
        what = "index"
    check_place(key, "byte" if kind is bytes else name.partition(" ")[0])
    return in_range(key, length, f"{what} out of range" if kind is bytes else f"{name} {what} out of range")


def in_range(key: object, length: int, text: str) -> Value:
    """Return the place from 0 on of an integer that is an index; an `IndexError` says the text where there is none."""
    atom: Atom = atoms.convert(wrap.as_atom(key), np.int64)
    span = interval_of(key) if isinstance(key, PythonScalar) and key.python is int else Interval(-(2**63), 2**63 - 1)
    zero, size = atoms.literal(0, np.int64), atoms.literal(length, np.int64)
    bad: Atom = atoms.literal(False)
    if span.low < 0:
        atom = atoms.select(atoms.ufunc(np.less, atom, zero), atoms.ufunc(np.add, atom, size), atom)
        bad = atoms.ufunc(np.less, atom, zero)
    if span.high >= length or span.low < -length:
        bad = atoms.logical_or(bad, atoms.ufunc(np.greater_equal, atom, size))
    if span.low < -length or span.high >= length or not length:
        run_time_checks.fail_if(bad, lambda _: IndexError(text))
    if not length:
        raise IndexError(text)
    return python_scalar(atom, Interval(0, length - 1))


def checked_dynamic_index(key: Value, length: Value, name: str) -> Value:
    """The place of an index in a sequence of this length, which may be known only at run time."""
    if isinstance(length, int):
        return checked_index(key, length, list if name == "list" else tuple, "index")
    check_place(key, name)
    zero, size = atoms.literal(0, np.int64), wrap.as_atom(length, np.int64)
    atom: Atom = atoms.convert(wrap.as_atom(key), np.int64)
    atom = atoms.select(atoms.ufunc(np.less, atom, zero), atoms.ufunc(np.add, atom, size), atom)
    bad = atoms.logical_or(atoms.ufunc(np.less, atom, zero), atoms.ufunc(np.greater_equal, atom, size))
    run_time_checks.fail_if(bad, lambda _: IndexError(f"{name} index out of range"))
    return python_scalar(atom, Interval(0, max(length.interval.high - 1, 0)))

"""Arithmetic on numbers of a few kinds that are all worth the same as floats.

`hi - lo` of two numbers, each of which is an int or a float, is one subtraction of floats: where one of the two is a
float, Python converts the other, and what ints that floats hold exactly give is worth the same. The tag tells what kind
of number it is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, number_union, wrap
from anabranch.runtime.values.abstract import Abstract, Kind, python_abstract
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.union import UnionValue

_ARITHMETIC: dict[Callable[..., object], np.ufunc] = {
    operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply, operator.truediv: np.true_divide,
    operator.iadd: np.add, operator.isub: np.subtract, operator.imul: np.multiply, operator.itruediv: np.true_divide,
}  # fmt: skip
_COMPARISONS: dict[Callable[..., object], np.ufunc] = {
    operator.lt: np.less, operator.le: np.less_equal, operator.gt: np.greater, operator.ge: np.greater_equal,
    operator.eq: np.equal, operator.ne: np.not_equal,
}  # fmt: skip
_FLOAT = np.dtype(np.float64)
_INT = python_abstract(int)


def computed(function: Callable[..., object], operands: Sequence[object]) -> Value:
    """`function(*operands)`; NotImplemented where some number is none that a float surely is worth the same as."""
    ufunc = _ARITHMETIC.get(function) or _COMPARISONS.get(function)
    if ufunc is None or (ufunc is np.true_divide and not _divides(operands[1])):
        return NotImplemented
    rows = [_options(o) for o in operands]
    known = [[_kind(o) for o in row] for row in rows]
    if any(kind is None for row in known for kind in row):
        return NotImplemented
    kinds = [[_of_result(ufunc, a, b) for b in known[1]] for a in known[0]]
    found = list(dict.fromkeys(kind for row in kinds for kind in row))
    ints = [
        (a, b) for a, row in zip(rows[0], kinds, strict=True) for b, k in zip(rows[1], row, strict=True) if k == _INT
    ]
    whole = [function(a, b) for a, b in ints]
    # Several ints would need a number of their own, and what is no float anywhere is no matter of floats. There is no
    # int -0, which floats make of 0 * -1.
    if len(ints) > 1 or (ints and ufunc is np.multiply) or found == [_INT] or None in map(_kind, whole):
        return NotImplemented
    number = atoms.ufunc(ufunc, *map(_as_float, operands))
    options = tuple([whole[0] if kind == _INT else wrap.from_abstract(kind, number) for kind in found])
    places = [[atoms.literal(found.index(kind), np.int32) for kind in row] for row in kinds]
    tag = _chosen(operands[0], [_chosen(operands[1], row) for row in places])
    return options[0] if len(options) == 1 else UnionValue(tag, options, number)


def _options(operand: object) -> tuple[Value, ...]:
    return operand.options if isinstance(operand, UnionValue) else (operand,)


def _divides(operand: object) -> bool:
    """Return whether dividing by a number surely raises nothing."""
    return type(operand) in (bool, int, float) and bool(operand)


def _kind(option: object) -> Abstract | None:
    """The kind of a real number that a float is worth the same as; None for any other."""
    kind = layouts.numeric(layouts.outline(option))
    if kind is None or kind.kind not in (Kind.PYTHON, Kind.SCALAR):
        return None
    if kind.dtype.kind == "c" or (kind.kind is Kind.SCALAR and kind.dtype != _FLOAT):
        return None
    both = Abstract((), _FLOAT, kind.kind)
    return kind if number_union.keeps(kind, option, layouts.interval(layouts.Constant(option)), both) else None


def _of_result(ufunc: np.ufunc, a: Abstract | None, b: Abstract | None) -> Abstract:
    assert a is not None
    assert b is not None
    kind = Kind.SCALAR if Kind.SCALAR in (a.kind, b.kind) else Kind.PYTHON
    if ufunc in _COMPARISONS.values():
        return Abstract((), np.dtype(np.bool_), kind)
    is_float = ufunc is np.true_divide or _FLOAT in (a.dtype, b.dtype)
    return Abstract((), _FLOAT, kind) if is_float else _INT


def _as_float(operand: object) -> Atom:
    kind = python_abstract(float)
    return operand.number_as(kind) if isinstance(operand, UnionValue) else wrap.atom_as(operand, kind)


def _chosen(operand: Value, values: Sequence[Atom]) -> Atom:
    """The value that goes with the option of an operand."""
    *others, chosen = values
    for i, value in reversed(list(enumerate(others))):
        chosen = chosen if value == chosen else atoms.select(operand.chosen(i), value, chosen)
    return chosen

"""One of a few values that are all computed, and arithmetic on such numbers as floats."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, number_union, wrap
from anabranch.runtime.values.abstract import Abstract, Kind, python_abstract
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import layout as layouts, layout_join, pack_unpack
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
    tag = _of_option(operands[0], [_of_option(operands[1], row) for row in places])
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


def _of_option(operand: Value, values: Sequence[Atom]) -> Atom:
    """The value that goes with the option of an operand."""
    *others, chosen = values
    for i, value in reversed(list(enumerate(others))):
        chosen = chosen if value == chosen else atoms.select(operand.chosen(i), value, chosen)
    return chosen


def choose(pred: Atom, on_true: object, on_false: object, bounds: Interval, what: str) -> Value:
    """`on_true if pred else on_false`; scalars become one select, anything else a branch."""
    if not (_is_number(on_true) and _is_number(on_false)):
        return stage_branches.stage(pred, (lambda: on_false, lambda: on_true), what)
    both = layouts.numeric(layouts.outline(on_true))
    if both is None or both != layouts.numeric(layouts.outline(on_false)):
        return _of_either_kind(pred, on_true, on_false)
    atom = atoms.select(pred, wrap.atom_as(on_true, both), wrap.atom_as(on_false, both))
    if both.kind is Kind.PYTHON:
        return python_scalar(atom, bounds)
    return current().trace.identity.merge(wrap.from_abstract(both, atom))


def _is_number(value: object) -> bool:
    """Return whether a value is a number, of whatever kind it may be."""
    options = value.options if isinstance(value, UnionValue) else (value,)
    kinds = [layouts.numeric(layouts.outline(o)) for o in options]
    return all(k is not None and k.kind is not Kind.ARRAY for k in kinds)


def _of_either_kind(pred: Atom, on_true: object, on_false: object) -> Value:
    return _chosen(lambda: [pred], (on_true, on_false))


def _chosen(preds: Callable[[], Sequence[Atom]], values: Sequence[object]) -> Value:
    """The number for which the first of the conditions holds; the last one, for which there is none, if none does."""
    return _selected(preds, values, _joined(values))


def one_tuple(choice: UnionValue) -> tuple[Value, ...] | None:
    """One of a few tuples as a tuple of parts of which each is one of a few; None where that would be more than these.

    The parts are not the very objects: it can be compared.
    """
    layout = _joined(choice.options)
    if not isinstance(layout, layouts.Node) or not all(map(_is_one, layout.children)):
        return None
    made = _selected(lambda: [choice.chosen(i) for i in range(len(choice.options) - 1)], choice.options, layout)
    return made if isinstance(made, tuple) else None


def _is_one(layout: layouts.Layout) -> bool:
    """Return whether a joined layout is no choice, but for one of known texts."""
    return all(map(layouts.is_text, layout.options)) if isinstance(layout, layouts.Union) else True


def _joined(values: Sequence[object]) -> layouts.Layout:
    layout = functools.reduce(layout_join.join, map(layouts.describe, values))
    return layouts.with_leaves(layout, lambda _: False)


def _selected(preds: Callable[[], Sequence[Atom]], values: Sequence[object], layout: layouts.Layout) -> Value:
    *rows, last = [[p.atom for p in pack_unpack.pack(v, layout)] for v in values]
    if last:
        for pred, row in reversed(list(zip(preds(), rows, strict=True))):
            last = [atoms.select(pred, a, b) for a, b in zip(row, last, strict=True)]
    return pack_unpack.unpack(layout, iter(last), [])


def of_each(function: Callable[..., Any], operands: Sequence[Value], place: int) -> Value:
    """A function of numbers of which the one at a place is one of a few kinds, where nothing of that can fail.

    It is computed of each of them, and the result that counts is chosen. Else, and where something else than numbers
    comes of it, `NotImplemented`.
    """
    builder = current()
    start = len(builder.equations)
    choice = operands[place]
    try:
        with run_time_checks.refused():
            found = computed(function, operands) if len(operands) == 2 else NotImplemented
            if found is not NotImplemented:
                return found
            results = [function(*operands[:place], option, *operands[place + 1 :]) for option in choice.options]
            if all(map(_is_number, results)):
                return _chosen(lambda: [choice.chosen(i) for i in range(len(results) - 1)], results)
    except Exception:  # what it is, is said where it is done again
        pass
    builder.drop_equations(start)
    return NotImplemented

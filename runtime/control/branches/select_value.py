"""One of a few values that are all computed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.branches import float_kinds, stage_branches
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import layout as layouts, layout_join, pack_unpack
from anabranch.runtime.values.union import UnionValue


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
            found = float_kinds.computed(function, operands) if len(operands) == 2 else NotImplemented
            if found is not NotImplemented:
                return found
            results = [function(*operands[:place], option, *operands[place + 1 :]) for option in choice.options]
            if all(map(_is_number, results)):
                return _chosen(lambda: [choice.chosen(i) for i in range(len(results) - 1)], results)
    except Exception:  # what it is, is said where it is done again
        pass
    builder.drop_equations(start)
    return NotImplemented

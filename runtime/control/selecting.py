"""One of two values, both already computed."""

from __future__ import annotations

from typing import Any

from anabranch.runtime.control import branches
from anabranch.runtime.ir import Atom
from anabranch.runtime.trace import current
from anabranch.runtime.values import atoms, layout as layouts, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.choice import ChoiceValue
from anabranch.runtime.values.interval import Interval
from anabranch.runtime.values.python_scalar import python_scalar


def choose(pred: Atom, on_true: Any, on_false: Any, bounds: Interval, what: str) -> Any:
    """`on_true if pred else on_false`; scalars become one select, anything else a branch."""
    if not (_is_number(on_true) and _is_number(on_false)):
        return branches.stage(pred, (lambda: on_false, lambda: on_true), (), what)
    both = layouts.numeric(layouts.outline(on_true))
    if both is None or both != layouts.numeric(layouts.outline(on_false)):
        return _of_either_kind(pred, on_true, on_false)
    atom = atoms.select(pred, wrap.held_as(on_true, both), wrap.held_as(on_false, both))
    if both.kind is Kind.PYTHON:
        return python_scalar(atom, bounds)
    return current().trace.merge(wrap.from_abstract(both, atom))


def _is_number(value: Any) -> bool:
    """Return whether a value is a number, of whatever kind it may be."""
    options = value.options if isinstance(value, ChoiceValue) else (value,)
    kinds = [layouts.numeric(layouts.outline(o)) for o in options]
    return all(k is not None and k.kind is not Kind.ARRAY for k in kinds)


def _of_either_kind(pred: Atom, on_true: Any, on_false: Any) -> Any:
    layout = layouts.join(layouts.describe(on_false), layouts.describe(on_true))
    layout = layouts.staged(layout, lambda _: False)
    rows = zip(layouts.pack(on_true, layout), layouts.pack(on_false, layout), strict=True)
    made = layouts.unpack(layout, iter([atoms.select(pred, a.atom, b.atom) for a, b in rows]), [])
    worth = made.worth if isinstance(made, ChoiceValue) else None
    if worth is not None:
        one, other = (v.resolve() if isinstance(v, ChoiceValue) else v for v in (on_true, on_false))
        made.number = atoms.select(pred, wrap.held_as(one, worth), wrap.held_as(other, worth))
    return made

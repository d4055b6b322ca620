"""One of two values, both already computed."""

from __future__ import annotations

from typing import Any

from anabranch.runtime.control import branches
from anabranch.runtime.ir import Atom
from anabranch.runtime.values import atoms, layout as layouts, wrap
from anabranch.runtime.values.abstract import Kind, join
from anabranch.runtime.values.interval import Interval
from anabranch.runtime.values.python_scalar import python_scalar


def choose(pred: Atom, on_true: Any, on_false: Any, bounds: Interval, what: str) -> Any:
    """`on_true if pred else on_false`; scalars become one select, anything else a branch."""
    a, b = (layouts.numeric(layouts.describe(v)) for v in (on_true, on_false))
    both = join(a, b) if a is not None and b is not None else None
    if both is None or both.kind is Kind.ARRAY:
        return branches.stage(pred, (lambda: on_false, lambda: on_true), (), what)
    atom = atoms.select(pred, wrap.as_atom(on_true, both.dtype), wrap.as_atom(on_false, both.dtype))
    if both.kind is Kind.PYTHON:
        return python_scalar(atom, bounds)
    return wrap.from_abstract(both, atom)

"""`zip(*rows)`: the columns of a list whose length is known only at run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.dynamic_lists import dynamic_list, dynamic_list_methods, run_time_tuple
from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.stdlib.builtin_iterators import zip_
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values import chosen_containers, wrap
from anabranch.runtime.values.arena_contents import InArena
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list, is_fixed
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.pytrees.node_structures import ReferenceStructure


def transposed(rows: Value, strict: bool = False) -> Value:
    """`zip(*rows, strict=strict)`.

    Raises `UnsupportedOperationError` for a list of run-time length whose items are not of one length that is known;
    and at run time where there are none, of which there would be no columns.
    """
    if chosen_containers.is_choice(rows):
        return rows.through(lambda one: transposed(one, strict))
    if isinstance(rows, (InArena, run_time_tuple.RunTimeTuple)):
        rows = rows.grown_()
    if not is_dynamic_list(rows) or is_fixed(rows):
        return zip_(*rows, strict=strict)
    widths = {_width(kind) for kind in rows.items.structure.variants}
    width = widths.pop() if len(widths) == 1 else None
    if width is None:
        raise UnsupportedOperationError(
            "zip(*rows) of a list whose length is known only at run time, and whose items are not all of one known "
            "length; make the columns one by one: [row[0] for row in rows]"
        )
    run_time_checks.fail_if(
        wrap.as_atom(rows.items.length == 0, np.bool_),
        lambda _: UnsupportedOperationError(
            "zip(*rows) of a list whose length is known only at run time, and which is empty, so that there are no "
            "columns; ask before whether there are rows"
        ),
    )
    return iter([_column(rows, place) for place in range(width)])


def _width(kind: layouts.Layout) -> int | None:
    """How many items each row of a kind has; None where that is not known."""
    if isinstance(kind, layouts.Leaf):
        return next(iter(kind.abstract.shape), None)
    if not isinstance(kind, layouts.Node) or kind.structure.is_dynamic_list or kind.structure.is_in_arena:
        return None
    structure: Any = kind.structure
    if isinstance(structure, ReferenceStructure):
        lengths = {len(n) if isinstance(n, list) and not is_dynamic_list(n) else None for n in structure.nodes}
        return lengths.pop() if len(lengths) == 1 else None
    is_row = issubclass(structure.cls, tuple) or getattr(structure.cls, "native", structure.cls) is list
    return len(kind.children) if is_row and not structure.is_run_time_tuple else None


def _column(rows: Value, place: int) -> Value:
    made = dynamic_list.growing([])
    dynamic_list_methods.append_each(made, GeneratorExpression(rows, lambda row: row[place]))
    return run_time_tuple.tuple_of(made)

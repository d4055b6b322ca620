"""Arrays of several sizes, one of which is chosen at run time, as one array for functions that take one."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes.length_permission import may_grow
from anabranch.runtime.values.memory import aliasing
from anabranch.runtime.values.pytrees import layout as layouts, layout_join
from anabranch.runtime.values.union import UnionValue


def merged(choice: UnionValue) -> Value:
    """One array of run-time size for arrays of several sizes; None where there is none."""
    layout = _common([layouts.sizes(layouts.describe(o)) for o in choice.options])
    if layout is None or not may_grow():
        return None
    rows = [layout.structure.children(o) for o in choice.options]
    parts = []
    for column, part in zip(zip(*rows, strict=True), layout.children, strict=True):
        assert isinstance(part, layouts.Leaf)
        atom = wrap.as_atom(column[-1], part.abstract.dtype)
        for i in reversed(range(len(rows) - 1)):
            atom = atoms.select(choice.chosen(i), wrap.as_atom(column[i], part.abstract.dtype), atom)
        parts.append(wrap.from_abstract(part.abstract, atom))
    for i, (option, row) in enumerate(zip(choice.options, rows, strict=True)):
        _add_edges(parts[0], choice.chosen(i), row[0], option)
    return layout.structure.build(parts)


def _common(found: Sequence[Value]) -> layouts.Node | None:
    """The layout that holds arrays of each size."""
    if None in found or len({len(f.run_time) for f in found}) > 1:
        return None
    both, layout = found[0], None
    for size in found[1:]:
        layout = layout_join.padded(both, size)
        if layout is None:
            return None
        both = layouts.sizes(layout)
    return layout


def _add_edges(made: TracedArray, pred: Atom, copy: TracedArray, option: object) -> None:
    """Where an option is the one, what is written to it reaches what was made of it, and the other way round."""
    if copy is (option.memory if isinstance(option, DynamicArray) else option):
        aliasing.add_edge(made.storage, pred, copy)
        return
    for edge in copy.storage.alias_edges:
        both = None if edge.pred is None else atoms.logical_and(pred, edge.pred)
        aliasing.add_edge(made.storage, both, edge.handle, edge.form)

"""Lists of lists of one length, indexed by run-time values: all their elements are in one array.

The rows of such a list are the elements of a `Table`, and each row's list says which row of the table it is. What
`rows[i]` gives for a run-time `i` is a list that says so, too: both see what is written through the other. The table
belongs to the builder in which it was made; where that ends, the rows hold their elements by themselves again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from anabranch.base.by_identity import IdentitySet
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.control.columnar.row_tables import Row, RowBinding, Table, view, without_tables
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.tracing.container_state import demand
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists.growable_list import Growable, side_by_side
from anabranch.runtime.values.dynamic_lists.items import Items, one_after_another
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.pytrees.layout import Node, Union


def width_of(contents: Sequence[Value]) -> int:
    """The length that all items have, if they are lists of one length; 0 where they make no table."""
    if len(contents) < 2 or not all(isinstance(row, list) for row in contents):
        return 0
    if any(isinstance(row, Growable) and row.is_dynamic and not row.is_fixed for row in contents):
        return 0
    lengths = {len(row) for row in contents}
    return lengths.pop() if len(lengths) == 1 else 0


def _row_binding_of(item: object) -> RowBinding | None:
    """Return the row that an item of a list is; attributes of a run-time alternative would be staged."""
    return item.row_binding if isinstance(item, Growable) else None


def table_of(owner: list[Value]) -> Table | None:
    """The table of which the items of a list are rows, all of them in order."""
    contents = list.__iter__(owner)
    home = _row_binding_of(next(contents, None))
    if home is None or home.before is None or home.index != 0 or len(owner) != len(home.table.owners):
        return None
    same = all(row is other for row, other in zip(list.__iter__(owner), home.table.owners, strict=True))
    return home.table if same else None


def become_table(owner: list[Value]) -> bool:
    """Put the elements of all items of a list into a table, if that can be done; whether they are."""
    rows = list(list.__iter__(owner))
    width = width_of(rows)
    trace = current().trace
    known = trace.heap.snapshots[-1].has_seen if trace.heap.snapshots else lambda _: False
    if not width or len(IdentitySet(rows)) < len(rows):
        return False
    if any(not isinstance(row, Growable) or row.row_binding is not None or known(row) for row in rows):
        return False
    parts = [row.contents() for row in rows]
    items = _of_rows(parts)
    if items is None:
        return False
    table = Table(rows, width, items, current())
    trace.lists.tables.append(table)
    trace.lists.in_arrays += width * len(rows)
    for place, (row, part) in enumerate(zip(rows, parts, strict=True)):
        row.bind_row(RowBinding(table, place, part))
    return True


def become_row_references(owner: Value) -> Table | None:
    """Let a list whose items all are rows of one table hold which rows they are; None where they are not."""
    rows = list(list.__iter__(owner))
    homes = [_row_binding_of(row) for row in rows]
    if not homes or homes[0] is None or any(home is None or home.table is not homes[0].table for home in homes):
        return None
    table: Table = homes[0].table
    items = side_by_side([view(type(row), table, row.row_binding.index) for row in rows], fixed=True)
    if items is not None:
        owner.become(items)
    return table


def replace_row(owner: Value, key: Value, value: Value) -> None:
    """`owner[key] = value`, for a list of rows."""
    home, sites = _row_binding_of(value), current().trace.lists.array_sites
    if home is None or sites is None:
        raise without_tables("is replaced by another list")
    if owner.site is not None:
        # Which rows it holds had better be numbers before any branch or loop.
        demand(sites, {("rows", owner.site)})
    table = become_row_references(owner)
    if table is None or home.table is not table or not owner.is_fixed:
        raise without_tables("is replaced by another list")
    owner[key] = view(type(value), table, home.index)


class RowReferences:
    """The contents of a list of rows after the function has ended."""

    __slots__ = ("items", "owners")

    def __init__(self, items: Items, owners: Sequence[Row]) -> None:
        self.items, self.owners = items, owners

    def __anabranch_structure__(self) -> Structure:
        fixed = self.items.structure.fixed
        return RowReferencesStructure(RowReferences, tuple(range(2 - fixed + len(self.owners))), fixed)


@frozen
class RowReferencesStructure(Structure):
    """The structure of such contents: their number (if `extra` is not set), the rows', and the lists that were rows."""

    mutable = False

    def children(self, value: RowReferences) -> list[Value]:
        return [*value.items.parts[1 if self.extra else 0 :], *value.owners]

    def build(self, children: Sequence[Value]) -> list[Value]:
        numbers, *rows = children if self.extra else children[1:]
        length = len(numbers) if self.extra else int(children[0])
        return [rows[k] for k in np.asarray(numbers)[:length].tolist()]


def reference_roots(items: Items) -> tuple[object, ...]:
    """The tables that elements say they are rows of, and the lists that are the rows."""
    found = _tables(items)
    return tuple(part for table in found for part in (table, *table.owners))


def _tables(items: Items) -> list[Table]:
    found: list[Table] = []
    pending = list(items.structure.variants)
    while pending:
        kind = pending.pop()
        if isinstance(kind, Node):
            found += [kind.structure.extra] if kind.structure.refers else []
            pending += kind.children
        elif isinstance(kind, Union):
            pending += kind.options
    return found


def finished(items: Items) -> Items | RowReferences:
    """The elements of a list; of one of rows, which rows they are, after the function has ended."""
    tables = _tables(items)
    if not tables or tables[0].last is None:
        return items
    return RowReferences(items, tables[0].owners) if _are_rows(items) else items


def _are_rows(items: Items) -> bool:
    """Return whether all elements are rows of one table."""
    first, *others = items.structure.variants
    return not others and not items.structure.is_circular and isinstance(first, Node) and first.structure.refers


def _of_rows(parts: Sequence[Value]) -> Items | None:
    """The elements of all rows."""
    if not any(isinstance(part, Items) for part in parts):
        return side_by_side([v for part in parts for v in part], fixed=True)
    found = [part if isinstance(part, Items) else side_by_side(part, fixed=True) for part in parts]
    rows = [row for row in found if row is not None]
    return one_after_another(rows) if len(rows) == len(parts) else None


def end(builder: Builder, left: Callable[[], Iterable[object]]) -> None:
    """The tables that were made in a builder are no more; `left()` leads to all that is used after it."""
    tables = builder.trace.lists.tables
    if builder is builder.trace.root:
        for items in _items_in(left) if tables else ():
            if _tables(items) and not _are_rows(items):
                raise without_tables("is an item of a list that has other items, too")
        for table in tables:
            table.finish()
        return
    ended = [t for t in tables if t.builder is builder and not t.dead]
    if ended:
        reached = Heap(left())
        if any(table in ended for items in _items_in(left) for table in _tables(items)):
            raise without_tables("is moved to another place by a branch or a loop")
        for table in ended:
            table.dissolve(reached.has_seen)
        tables[:] = [t for t in tables if not t.dead]


def _items_in(left: Callable[[], Iterable[object]]) -> Iterator[Items]:
    """Yield the elements of each list that some values lead to, if they are side by side."""
    for slot in Heap(left()).slots:
        if isinstance(slot.target, Growable) and slot.target.row_binding is None and slot.target.items is not None:
            yield slot.target.items

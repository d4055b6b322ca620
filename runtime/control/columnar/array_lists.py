"""Lists of static length that are indexed by run-time values: their elements are kept side by side in arrays.

Where such an index meets a list of separate elements, the place in the user's code that has made the list is noted, and
tracing starts again: a list made there has its elements side by side from the beginning. A loop that changes the list
carries an array then, and not each element. Small lists stay as they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from anabranch.base.by_identity import IdentitySet
from anabranch.base.value import Value
from anabranch.runtime.control.columnar import nested_lists, row_tables
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.container_state import demand, is_argument, own_site
from anabranch.runtime.values.dynamic_lists.growable_list import Growable, element_kinds, is_dynamic_list, side_by_side
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.pytrees import node_graphs

# Lists of up to so many elements are no arrays: each element keeps what is known of it, but for those that are written
# at a place known only at run time, after which nothing is known of any.
SMALL, SMALL_IF_WRITTEN = 8, 1
# Fewer lists, of which one is chosen, stay alternatives.
_FEW = 3


def note_allocation(owner: Value, site: Hashable) -> None:
    """Note where a list was made; keep its elements side by side if lists made there are to be."""
    owner.site = site
    owner.origins = frozenset((site,))
    sites = current().trace.lists.array_sites
    if sites and site in sites:
        become_array(owner)


def become_array(owner: Value) -> bool:
    """Keep the elements of a list side by side, if that can be done; whether they are."""
    if owner.is_dynamic:
        return bool(owner.is_fixed)
    if may_be_table(owner.contents()):
        made = nested_lists.become_table(owner)
        if made and ("rows", owner.site) in (current().trace.lists.array_sites or ()):
            nested_lists.become_row_references(owner)
        return made
    items = side_by_side(owner.contents(), fixed=True) if len(owner) else None
    if items is None:
        return False
    owner.become(items)
    current().trace.lists.in_arrays += len(owner)
    return True


def prepare_indexed(owner: Value, writes: bool) -> None:
    """Have the elements of a list that may grow side by side, which is read or written at a run-time place now.

    Raises `Restart` where its elements had better been side by side since it was made.
    """
    trace = current().trace
    if owner.is_dynamic or trace.lists.array_sites is None or owner.native is not list:
        return
    contents = owner.contents()
    table = may_be_table(contents)
    if not (table or may_be_array(contents, writes)) or (table and nested_lists.table_of(owner) is not None):
        return
    if owner.site is not None:
        demand(trace.lists.array_sites, {owner.site, *_arguments_like(owner)})
    become_array(owner)


def _arguments_like(owner: Value) -> set[Hashable]:
    """The sites of lists among the arguments, where this is one, that are lists of lists as it, or of numbers as it.

    They are asked for with it: code that indexes one of several such lists mostly does so with all, and each that is
    asked for alone takes another trace.
    """
    if not is_argument(owner.site):
        return set()
    lists = [x for x in current().trace.lists.arguments if x.native is list and not x.is_dynamic]
    rows = IdentitySet(row for x in lists for row in x.contents())
    has_rows = nested_lists.width_of(owner.contents()) > 0
    fit = may_be_table if has_rows else may_be_array
    return {x.site for x in lists if x not in rows and fit(x.contents())}


def before_loop(roots: Sequence[object]) -> None:
    """Keep the elements side by side of those lists a loop can reach that had better have been so since they were made.

    A list may have been filled since then.
    """
    sites = current().trace.lists.array_sites
    if sites:
        for slot in list(Heap(roots).slots):
            if isinstance(slot.target, Growable) and slot.target.site in sites:
                become_array(slot.target)


def prepare_plain_indexed(items: list[Value], writes: bool) -> None:
    """Have the elements of an ordinary list side by side, which is read or written at a run-time place now.

    Raises `Restart` where lists that may grow have not been asked for, since only such are arrays.
    """
    trace = current().trace
    if type(items) is not list or trace.lists.may_grow or trace.lists.array_sites is None:
        return
    if may_be_array(items, writes) or may_be_table(items):
        trace.lists.demand_growth()


def prefer_arena(options: Sequence[Value]) -> None:
    """Have lists of which a run-time value chooses one lie in an arena, where they are more than a few.

    As alternatives each would take equations of its own for all that is done to the one. Raises `Restart` where they
    could have lain there since they were made.
    """
    if options and len(options) >= (SMALL if type(options[0]) is list else _FEW):
        demand_arena(options)


def demand_arena(options: Sequence[Value]) -> None:
    """Have lists of several lengths, of which a run-time value chooses one, lie in an arena; nothing where they cannot.

    Raises `Restart` where they could have lain there since they were made.
    """
    if not all(type(o) is list or (isinstance(o, Growable) and o.native is list) for o in options):
        return
    lengths = {None if is_dynamic_list(o) else list.__len__(o) for o in options}
    if (len(lengths) == 1 and not lengths & {None, 0}) or any(map(node_graphs.leads_to_its_kind, options)):
        return  # the nodes of a graph are known by their numbers
    lists = current().trace.lists
    if any(type(o) is list for o in options):
        lists.demand_growth()
    elif all(o.row_binding is None and o.origins for o in options):
        demand(lists.arena_sites, {own_site(site) for o in options for site in o.origins})


def may_be_array(contents: Sequence[object], writes: bool = False) -> bool:
    """Return whether elements are many, and of kinds that can be kept side by side."""
    return len(contents) > (SMALL_IF_WRITTEN if writes else SMALL) and element_kinds(contents) is not None


def may_be_table(contents: Sequence[Value]) -> bool:
    """Return whether elements of lists of one length are many, and of kinds that can be kept side by side."""
    width = nested_lists.width_of(contents)
    if width * len(contents) <= SMALL or row_tables.NO_TABLES in (current().trace.lists.array_sites or ()):
        return False
    return all(is_dynamic_list(row) or element_kinds(list(row)) is not None for row in contents)


def fits(value: object) -> bool:
    """Return whether a value can be an element that has no identity of its own."""
    return element_kinds((value,)) is not None

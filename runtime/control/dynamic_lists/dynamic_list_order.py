"""Lists whose length is known only at run time, in order: stable sorts of the whole buffer."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from anabranch.runtime.control.containers import list_order
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.memory.item_memory import gathered, iota
from anabranch.runtime.values.pytrees import layout as layouts


def sorted_by_keys(items: Items, keys: Items, reverse: bool, backwards: Callable[[Items], Items]) -> Items:
    """The elements in the order of their keys; what is equal keeps its order.

    Raises
    ------
    UnsupportedOperationError
        For keys that are no numbers or tuples of these, all of one type; and at run time for NaN, whose place depends
        on Python's way of sorting.
    """
    if not items.structure.variants:
        return items
    given = backwards(items) if reverse else items
    ranked = backwards(keys) if reverse else keys
    valid = size_arithmetic.window((ranked.structure.capacity,), 0, 0, ranked.length)
    columns = list(_sort_keys(ranked, valid))
    for column in columns:
        list_order.refuse_nan(column, valid)
    order = list_order.order_by([atoms.logical_not(valid), *columns], iota(ranked.structure.capacity))
    made = given.taken(order, given.length)
    return backwards(made) if reverse else made


def _sort_keys(keys: Items, valid: Atom) -> Iterator[Atom]:
    """The arrays that the keys are compared by, the first first."""
    kinds, places = keys.structure.variants, keys.places(iota(keys.structure.capacity))
    numbers = [kind.abstract for kind in kinds if isinstance(kind, layouts.Leaf) and _is_number(kind)]
    columns = [gathered(buffer, places) for buffer in keys.buffers]
    if 1 < len(kinds) == len(numbers):
        assert keys.tags is not None
        yield from list_order.of_several_types(numbers, gathered(keys.tags, places), columns, valid)
        return
    if len(kinds) > 1 or not all(map(_is_number, _leaves(kinds[0]))):
        raise UnsupportedOperationError(
            "a list whose length is known only at run time is sorted, but its keys are not numbers, or tuples of "
            "numbers, of one type; sort by such keys (key=...), or use np.argsort"
        )
    yield from columns


def _leaves(kind: layouts.Layout) -> list[layouts.Layout]:
    if isinstance(kind, layouts.Node) and issubclass(kind.structure.cls, tuple):
        return [leaf for child in kind.children for leaf in _leaves(child)]
    return [kind]


def _is_number(kind: layouts.Layout) -> bool:
    return isinstance(kind, layouts.Leaf) and not kind.abstract.shape and kind.abstract.dtype.kind in "biuf"

"""Lists whose length is known only at run time, in order: stable sorts of the whole buffer."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from anabranch.runtime.control.containers.list_order import NAN
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.memory.item_memory import iota
from anabranch.runtime.values.pytrees import layout as layouts

_FAR = (
    "ints beyond 2**53 are sorted together with floats in a list whose length is known only at run time; give them "
    "one type"
)


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
    valid = _valid(ranked)
    order = ranked.places(iota(ranked.structure.capacity))
    for line in reversed([_checked(a, valid) for a in _sort_keys(ranked)]):
        order = _then(order, line)
    order = _then(order, atoms.logical_not(valid))
    made = given.taken(order, given.length)
    return backwards(made) if reverse else made


def _valid(items: Items) -> Atom:
    """The mask of positions that have an element."""
    return size_arithmetic.window((items.structure.capacity,), 0, 0, items.length)


def _sort_keys(keys: Items) -> Iterator[Atom]:
    """The arrays that the keys are compared by, the first first."""
    kinds = keys.structure.variants
    if len(kinds) > 1 and all(map(_is_number, kinds)):
        yield _as_floats(keys)
        return
    if len(kinds) > 1 or not all(map(_is_number, _leaves(kinds[0]))):
        raise UnsupportedOperationError(
            "a list whose length is known only at run time is sorted, but its keys are not numbers, or tuples of "
            "numbers, of one type; sort by such keys (key=...), or use np.argsort"
        )
    positions = keys.places(iota(keys.structure.capacity))
    for buffer in keys.buffers:
        yield atoms.op("gather", buffer, atoms.reshape(positions, (*positions.type.shape, 1)))


def _as_floats(keys: Items) -> Atom:
    """Keys of several types of numbers as floats, by which they are in the order that Python has, if none is large."""
    assert keys.tags is not None
    length = keys.tags.type.shape
    made = atoms.broadcast_to(atoms.literal(0.0), length)
    for k, buffer in enumerate(keys.buffers):
        here = atoms.ufunc(np.equal, keys.tags, atoms.broadcast_to(atoms.literal(k, np.int32), length))
        if buffer.type.dtype.kind in "iu":
            far = atoms.ufunc(np.greater, buffer, atoms.broadcast_to(atoms.literal(2**53, buffer.type.dtype), length))
            if buffer.type.dtype.kind == "i":
                low = atoms.broadcast_to(atoms.literal(-(2**53), buffer.type.dtype), length)
                far = atoms.logical_or(far, atoms.ufunc(np.less, buffer, low))
            far = atoms.logical_and(atoms.logical_and(far, here), _there(keys))
            run_time_checks.fail_if(atoms.op("reduce_any", far, axes=(0,)), lambda _: UnsupportedOperationError(_FAR))
        made = atoms.select(here, atoms.convert(buffer, np.float64), made)
    return atoms.op("gather", made, atoms.reshape(keys.places(iota(length[0])), (*length, 1)))


def _there(items: Items) -> Atom:
    """The mask of places that hold an element."""
    if not items.structure.is_circular:
        return _valid(items)
    n = items.structure.capacity
    last = atoms.broadcast_to(wrap.as_atom(items.first, np.int64), (n,))
    after = atoms.ufunc(np.remainder, atoms.ufunc(np.subtract, iota(n), last), atoms.literal(np.full(n, n), np.int64))
    return atoms.ufunc(np.less, after, atoms.broadcast_to(wrap.as_atom(items.length, np.int64), (n,)))


def _leaves(kind: layouts.Layout) -> list[layouts.Layout]:
    if isinstance(kind, layouts.Node) and issubclass(kind.structure.cls, tuple):
        return [leaf for child in kind.children for leaf in _leaves(child)]
    return [kind]


def _is_number(kind: layouts.Layout) -> bool:
    return isinstance(kind, layouts.Leaf) and not kind.abstract.shape and kind.abstract.dtype.kind in "biuf"


def _checked(line: Atom, valid: Atom) -> Atom:
    if line.type.dtype.kind == "f":
        bad = atoms.logical_and(atoms.ufunc(np.isnan, line), valid)
        run_time_checks.fail_if(atoms.op("reduce_any", bad, axes=(0,)), lambda _: UnsupportedOperationError(NAN))
    return line


def _then(order: Atom, line: Atom) -> Atom:
    """The order by another key first."""
    index = atoms.reshape(order, (*order.type.shape, 1))
    ranks = wrap.array_of(atoms.op("gather", line, index))
    places = wrap.as_atom(registry.FUNCTIONS[np.argsort](ranks, kind="stable"), np.int64)
    return atoms.op("gather", order, atoms.reshape(places, (*places.type.shape, 1)))

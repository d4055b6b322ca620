"""The points-to set of an array: the memory that it may be where a branch or a step of a loop ends.

Both ask the same of the arrays that they return: which memory from around them each may be, and which of their own, and
when. They differ in what they do with the answer: a branch returns the conditions, a loop carries a number that they
decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.storage import AliasEdge, Storage
from anabranch.runtime.values import atoms, visibility
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import aliasing, views

ALWAYS, NEVER = atoms.literal(True), atoms.literal(False)


@frozen
class Target:
    """Memory that an array may be."""

    handle: TracedArray  # the memory, or the part of it
    # Where this holds the array is that, unless a later target's holds, too; None where it is not known when.
    pred: Atom | None
    # Where the elements of the handle lie in the array, if not in the same places.
    form: aliasing.ElementForm | None = None
    is_object: bool = True  # whether the array is the very object then, and not only the same memory


def points_to(array: TracedArray, is_end: Callable[[Storage], bool]) -> list[Target]:
    """All memory that an array may be: its own first, then what that may be, last that of which `is_end` holds.

    Each memory is looked at once, however many ways lead there; conditions are those of the current builder.
    """
    # For each memory the parts of it, by the path and by whether it is a view.
    parts = {array.storage: {(array.path, array.is_view): Target(array, ALWAYS)}}
    own: list[Target] = []
    ends: list[Target] = []
    for storage in reversed(list(aliasing.memory(array.storage, lambda s: not is_end(s)))):
        for target in parts.get(storage, {}).values():
            (ends if is_end(storage) else own).append(target)
            for edge in () if is_end(storage) else storage.alias_edges:
                found = _along(edge, target)
                if is_end(found.handle.storage):
                    ends.append(found)
                    continue
                known, part = parts.setdefault(found.handle.storage, {}), (found.handle.path, found.handle.is_view)
                before = known.get(part, Target(found.handle, NEVER))
                is_object = before.is_object and found.is_object and before.handle is found.handle
                pred = None if found.form is not None else either(before.pred, found.pred)
                known[part] = Target(before.handle, pred, None, is_object)
    return [target for target in (*own, *ends) if not is_never(target.pred)]


def _along(edge: AliasEdge, target: Target) -> Target:
    """The target that an edge leads to from a part of its owner."""
    handle, pred = edge.handle, edge.pred
    path, is_view = target.handle.path, target.handle.is_view
    if pred is not None and not visibility.atom_visible(current(), pred):
        pred = None
    if edge.form is not None:
        return Target(handle, None if path else both(target.pred, pred), edge.form)
    # The edges of an array of a loop's state tell which memory it is, and not always which object.
    is_object = target.is_object and not (path or is_view or target.handle in current().trace.identity.merged)
    if path or is_view:
        handle = handle.viewed(*path)
    return Target(handle, both(target.pred, pred), None, is_object)


def either(one: Atom | None, other: Atom | None) -> Atom | None:
    """One condition or the other; None where either is not known."""
    return None if one is None or other is None else atoms.logical_or(one, other)


def both(one: Atom | None, other: Atom | None) -> Atom | None:
    """One condition and the other; None where either is not known."""
    return None if one is None or other is None else atoms.logical_and(one, other)


def is_never(pred: Atom | None) -> bool:
    """Return whether a condition surely does not hold."""
    return isinstance(pred, Literal) and not pred.value


def select_last(rows: Iterable[tuple[Atom, Atom]], value: Atom | None = None) -> Atom:
    """The last atom whose condition holds; where none does, the one given, or else the first."""
    for pred, one in rows:
        value = one if value is None else atoms.select(pred, one, value)
    assert value is not None
    return value


def moved(array: TracedArray, positions: Iterator[Atom]) -> TracedArray:
    """The view at other positions."""
    return TracedArray(array.storage, views.at(array.path, positions), array.readonly)


def link(array: TracedArray, pred: Atom | None, handle: TracedArray, form: aliasing.ElementForm | None = None) -> None:
    """Link an array, just made by a branch or a loop, with a memory that it may be."""
    current().trace.identity.chosen.add(array)
    aliasing.add_edge(array.storage, pred, handle, form)

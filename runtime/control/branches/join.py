"""Joins, for branches and loops: values joined to one layout, and structures that a join refuses."""

from __future__ import annotations

import collections
import contextlib
import functools
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from anabranch.base.grammar import a, counted
from anabranch.base.value import Value
from anabranch.runtime.control.staging import run_time_keys
from anabranch.runtime.errors import AliasError, StructureMismatchError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.values import containers, unset_attributes
from anabranch.runtime.values.dynamic_shapes.length_permission import may_grow
from anabranch.runtime.values.heap.generator_names import GeneratorNames
from anabranch.runtime.values.heap.slots import GlobalVariable, Slot, SubclassSlot
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.pytrees import layout as layouts, layout_join, shared_containers
from anabranch.runtime.values.union import UnionValue


class _Missing:
    """The value of a branch that never ends normally."""

    def __repr__(self) -> str:
        return "<no value>"


MISSING: Final = _Missing()


def join_all(values: Sequence[object], heap: Heap, stays: Callable[[object], bool]) -> layouts.Layout | None:
    """The layout that holds each of the values; None where there are none. Objects of the heap are held."""
    if not values:
        return None
    joined = functools.reduce(layout_join.join, (layouts.describe(v, heap.__contains__) for v in values))
    return layouts.with_leaves(joined, stays)


def check_sharing(
    values: Sequence[tuple[object, object]], parts: tuple[layouts.Layout | None, layouts.Layout | None], what: str
) -> tuple[int, ...]:
    """For each new container in a branch's value, and in what objects hold after it, the first that is the same one.

    Raises `AliasError` where two of them are one object in one branch and two in another.
    """
    rows = [[(v, t) for v, t in zip(row, parts, strict=True) if t] for row in values]
    found = [[c for v, t in row for c in shared_containers.new_containers(v, t)] for row in rows]
    patterns = [shared_containers.first_places(row) for row in found]
    for other in patterns[1:]:
        if other != patterns[0]:
            raise AliasError(
                f"two names or items are one new list, dict or object in one branch of {what}, and two in another; "
                "make a copy of it in the first, or make it before the condition"
            )
    return patterns[0] if patterns else ()


def check_contents(slot: Slot, after: Value, users: Sequence[Callable[..., Any]], what: str) -> None:
    """Refuse contents without one structure: of a list its length, of a dict its keys, of an object its attributes."""
    is_of_items = isinstance(slot.target, dict)
    if isinstance(slot, SubclassSlot) and isinstance(after, tuple):
        items, held_by_it = after
        is_of_items = is_of_items and isinstance(items, UnionValue)
        after = items if isinstance(items, UnionValue) else held_by_it
    if isinstance(slot.target, set) and (isinstance(after, UnionValue) or containers.has_traced(after)):
        run_time_keys.become_table(slot.target)
    if not isinstance(after, UnionValue):
        return
    if isinstance(slot.target, GlobalVariable):
        raise StructureMismatchError(
            f"the global '{slot.target.name}' is set or not, depending on a run-time condition of {what}; assign it "
            "before"
        )
    if isinstance(after.options[0], tuple):
        grow(slot.target)
    kind = type(slot.target).__name__
    name = next((n for user in users for n, v in _reachable(user) if v is slot.target), None)
    instead = "give it the same number of items on each path, or write into an array made before"
    if isinstance(after.options[0], dict):
        if is_of_items:
            run_time_keys.become_table(slot.target)
        else:
            unset_attributes.want(slot.target, after.options)
        word = "key" if is_of_items else "attribute"
        held = " or ".join(f"the {'keys' if is_of_items else 'names'} {list(o)}" for o in after.options)
        shown = [list(map(repr, o)) for o in after.options]
        some = [k for one in shown for k in one if any(k not in other for other in shown)]
        these = f"{word}{'s' if len(set(some)) > 1 else ''} {', '.join(dict.fromkeys(some))}"
        instead = f"set the {these} before the condition (to None where there is no value), and delete none"
        if not some:
            instead = "set them in one order"
    else:
        held = " or ".join(counted(len(o), "item") for o in after.options if isinstance(o, tuple))
    known = f"the {kind} {name!r}" if name else _named_by_choice(slot.target, kind)
    raise StructureMismatchError(f"{known} holds {held}, depending on a run-time condition of {what}; {instead}")


def _named_by_choice(target: object, kind: str) -> str:
    """The words in a message for an object that a variable of the user's stands for by a run-time condition."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and internal(frame.f_code.co_filename):
        frame = frame.f_back
    for name, value in frame.f_locals.items() if frame is not None else ():
        if isinstance(value, UnionValue) and any(option is target for option in value.options):
            return f"{a(kind)} that {name!r} may be"
    return a(kind)


@contextlib.contextmanager
def decided_by(atom: Atom | None) -> Iterator[None]:
    """Note for this block the condition that decides which of several lengths a list has after it."""
    trace = current().trace
    before, trace.lists.deciding = trace.lists.deciding, atom
    try:
        yield
    finally:
        trace.lists.deciding = before


def grow(target: object) -> None:
    """Start again with lists that may grow, where this is a list that would have to.

    Raises `Restart` where it is one, and no loop is at first tried without.
    """
    trace = current().trace
    if not isinstance(target, (list, collections.deque)) or isinstance(target, GeneratorNames) or trace.lists.may_grow:
        return
    if may_grow():
        trace.lists.demand_growth()


def _reachable(user: object) -> Iterator[tuple[str, object]]:
    """The values that a function that stands for a block knows by name: its closure, and those given to it."""
    if isinstance(user, functools.partial):
        for part in (user.func, *user.args):
            yield from _reachable(part)
    if not isinstance(user, types.FunctionType):
        return
    for default in user.__defaults__ or ():
        yield from _reachable(default)
    for name, cell in zip(user.__code__.co_freevars, user.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):
            yield name, cell.cell_contents

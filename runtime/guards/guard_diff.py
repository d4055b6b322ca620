"""The changes of all that a traced function read from outside, in the user's names."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from anabranch.base.by_identity import IdentityDict
from anabranch.runtime.guards.guards import ABSENT, Guards
from anabranch.runtime.values.heap.slots import Slot


def changes(guards: Guards) -> Iterator[str]:
    """One text for each name, object, array, function or class that is not what it was."""
    for scope, name, before in guards.names.values():
        now = scope.get(name, ABSENT)
        if now is not before:
            yield f"{_Place(name, _module(scope))} {_difference(now, before)}"
    for code in guards.code.values():
        if not code.holds():
            yield code.change()
    places = _places(guards)
    for slot in guards.heap.changes():
        yield from _slot_changes(slot, places.get(slot.target, _Place(f"a {type(slot.target).__name__}")))
    for array, before in guards.heap.arrays.values():
        if array.shape != before.shape or array.tobytes() != before.tobytes():
            yield f"{places.get(array, 'an array')} holds other elements"


class _Place(NamedTuple):
    """How the user's code calls an object: `table['a'].rows[0]`, and where the first name of it stands."""

    path: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.path} in {self.where}" if self.where else self.path

    def part(self, of: Any, name: Any) -> _Place:
        """An attribute or an item."""
        is_item = isinstance(of, (dict, list, tuple))
        return self._replace(path=f"{self.path}[{name!r}]" if is_item else f"{self.path}.{name}")


def _module(scope: Mapping[str, object]) -> str:
    return str(scope.get("__name__", "a module"))


def _slot_changes(slot: Slot, place: _Place) -> Iterator[str]:
    now, before = slot.contents(), slot.before
    if isinstance(now, dict) and isinstance(before, dict):
        names = [n for n in {**before, **now} if now.get(n, ABSENT) is not before.get(n, ABSENT)]
        for name in names:
            yield f"{place.part(slot.target, name)} {_difference(now.get(name, ABSENT), before.get(name, ABSENT))}"
        if not names:
            yield f"{place} has its items in another order"
    elif isinstance(slot.target, types.CellType):
        yield f"{place} {_difference(*(held[0] if held else ABSENT for held in (now, before)))}"
    elif isinstance(slot.target, list) and len(now) == len(before):
        for i, (a, b) in enumerate(zip(now, before, strict=True)):
            if a is not b:
                yield f"{place.part(now, i)} {_difference(a, b)}"
    else:
        yield f"{place} holds other items"


def _difference(now: object, before: object) -> str:
    if now is ABSENT:
        return f"is not there any more, was {before!r:.60}"
    if before is ABSENT:
        return f"is {now!r:.60}, was not there"
    if repr(now) == repr(before):
        return f"is another {type(now).__name__}, {now!r:.60}"
    return f"is {now!r:.60}, was {before!r:.60}"


def _places(guards: Guards) -> IdentityDict[Any, _Place]:
    """The places of all objects that were found by a name, and by what leads on from there."""
    found: IdentityDict[Any, _Place] = IdentityDict()
    slots = IdentityDict((slot.target, slot) for slot in guards.heap.slots)
    pending = [(value, _Place(name, _module(scope))) for scope, name, value in guards.names.values()]
    for function in guards.heap.functions:
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        pending += [(cell, _Place(name, f"the closure of {function.__qualname__}")) for name, cell in cells]
    for value, place in pending:  # grows
        if value in found or not guards.heap.has_seen(value):
            continue
        found[value] = place
        pending += _inside(value, place, slots.get(value))
    return found


def _inside(value: object, place: _Place, slot: Slot | None) -> Iterable[tuple[Any, _Place]]:
    if isinstance(value, types.CellType):
        return [(held, place) for held in (slot.before if slot is not None else ())]
    if isinstance(value, types.MethodType):
        return [(value.__self__, place.part(value, "__self__"))]
    if isinstance(value, tuple):
        return [(item, place.part(value, i)) for i, item in enumerate(value)]
    if slot is None:
        return []
    if isinstance(slot.before, dict):
        return [(part, place.part(value, name)) for name, part in slot.before.items()]
    # Of a list of run-time length no item is known one by one.
    items = slot.before if isinstance(value, list) and isinstance(slot.before, (list, tuple)) else ()
    return [(item, place.part(value, i)) for i, item in enumerate(items)]

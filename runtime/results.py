"""What a call gives back: the layout of its result, and which parts of it are the caller's own arrays and objects."""

from __future__ import annotations

import dataclasses
import functools
import gc
import types
from collections.abc import Container, ItemsView, Iterator, Mapping, Sequence, ValuesView
from typing import Any

import numpy as np

from anabranch._frozen import frozen
from anabranch.runtime.arguments import Given
from anabranch.runtime.control import branch_identity, iteration, sources
from anabranch.runtime.control.call import is_rewritten
from anabranch.runtime.errors import UnsupportedValueError
from anabranch.runtime.ir import Atom, Var
from anabranch.runtime.trace import OnDevice, Storage, current
from anabranch.runtime.values import atoms, containers, layout as layouts, views
from anabranch.runtime.values.array import Array
from anabranch.runtime.values.heap import Heap
from anabranch.runtime.values.host import hosted
from anabranch.runtime.values.sized import SizedStructure
from anabranch.runtime.values.traced import Traced
from anabranch.runtime.values.undefined import Undefined

NDArray = np.ndarray[Any, Any]

# What loops are staged over.
_STAGED = (iteration.Countable, sources.Source)
# What holds others where neither a slot nor an attribute shows them.
_MADE_OF_OTHERS = (Iterator, slice, ItemsView, ValuesView, functools.partial, types.MethodType)


def result_layout(value: Any, contents: tuple[Any, ...], outside: Heap, given: Given) -> layouts.Node:
    """The layout of the result and of what changed objects hold; the arguments' own parts are held."""
    known = {id(c) for c in given.containers}

    def exists(part: Any) -> bool:
        return id(part) in known or part in outside

    structure = containers.structure_of((value, *contents))
    assert structure is not None
    result = layouts.staged(layouts.describe(value, exists), lambda _: False)
    rest = [layouts.staged(layouts.describe(c, exists), lambda v: id(v) in given.numbers) for c in contents]
    return layouts.Node(structure, (result, *rest))


def hosted_result(layout: layouts.Node, given: Given, arrays: Container[int]) -> layouts.Node:
    """The layout with the caller's own objects as such, and of what objects hold the arrays that were there before."""
    places = {id(c): i for i, c in enumerate(given.containers)}
    result, *contents = layout.children
    kept = [hosted(c, places, given.numbers, arrays) for c in contents]
    whole = layouts.Node(layout.structure.hosted(), (hosted(result, places, given.numbers), *kept), layout.source)
    names = ("the result", *["what an object holds"] * (len(whole.children) - 1))
    for part, where in zip(whole.children, names, strict=True):
        _check_result(part, where)
    return whole


def _check_result(layout: layouts.Layout, where: str) -> None:
    match layout:
        case layouts.Node(structure) if structure.flat:
            return
        case layouts.Node(structure, children):
            for key, child in zip(structure.keys, children, strict=True):
                _check_result(child, f"{where}[{key!r}]")
        case layouts.Choice(options):
            for option in options:
                # Which one it is, is known when the call is done.
                if not (isinstance(option, layouts.Held) and isinstance(option.value, Undefined)):
                    _check_result(option, where)
        case layouts.Held(Undefined() as unset):
            raise unset.error()
        case layouts.Held(value):
            inside = Heap((value,))
            hidden = any(isinstance(p, Traced) for s in inside.slots.values() for p in s.parts())
            made_here = isinstance(value, types.FunctionType) and is_rewritten(value.__code__)
            if hidden or made_here or _yields_traced(value):
                raise UnsupportedValueError(
                    f"{where} is a {_name(value)}, which holds run-time values but is no pytree"
                )


def _yields_traced(value: Any) -> bool:
    """Whether a slice, or something to iterate over that is made of other objects, leads to values of the trace."""
    if isinstance(value, _STAGED):
        return True
    if not isinstance(value, _MADE_OF_OTHERS):
        return False
    pending: list[Any] = [value]
    seen = {id(value)}
    while pending:
        for part in gc.get_referents(pending.pop()):
            if isinstance(part, (Traced, *_STAGED)):
                return True
            if isinstance(part, (tuple, list, dict, *_MADE_OF_OTHERS)) and id(part) not in seen:
                seen.add(id(part))
                pending.append(part)
    return False


def _name(value: Any) -> str:
    """The class that Python's own value is of."""
    if isinstance(value, iteration.Range):
        return "range"
    return "generator" if isinstance(value, _STAGED) else type(value).__name__


@frozen
class Owner:
    """A result is the array of this argument leaf, or a view of it: always, or where `pred` holds at run time."""

    pred: Atom | None
    leaf: int
    path: views.Path
    readonly: bool = False  # whether the view cannot be written to
    starts: tuple[int | Atom, ...] = ()  # from where on, where the result is a part that lies elsewhere in its memory
    is_whole: bool = False  # whether an array of run-time size is the argument's array, rather than a slice of it

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """What must be known at run time."""
        positions = tuple([position for step in self.path for position in step.positions])
        positions += tuple([start for start in self.starts if not isinstance(start, int)])
        return positions if self.pred is None else (self.pred, *positions)

    def view(self, known: Iterator[Any], given: Sequence[Any]) -> NDArray | None:
        """The caller's own memory, or None where the result is not that; `known` gives what `atoms` are."""
        holds = self.pred is None or bool(next(known))
        path = [step.at(known) for step in self.path]
        firsts = [start if isinstance(start, int) else int(next(known)) for start in self.starts]
        if not holds:
            return None
        base: NDArray = functools.reduce(lambda base, step: step.of(base), path, given[self.leaf])
        if path and base.size and not np.may_share_memory(base, given[self.leaf]):
            return None  # rows of memory that only partly follow one another
        if firsts:
            base = base[tuple([slice(first, None) for first in firsts])]
        if path and self.readonly:
            base.flags.writeable = False
        return base


@frozen
class Earlier:
    """A result is the array of an earlier leaf of the result, or a view of all of it."""

    leaf: int
    is_view: bool = False


def identities(
    packed: Sequence[layouts.Packed], handles: Sequence[Array | None], layout: layouts.Layout
) -> tuple[dict[int, tuple[Owner, ...]], dict[int, Earlier]]:
    """Which results are, or may be, an argument's own array, and which are the same memory as an earlier result."""
    returned: dict[int, tuple[Owner, ...]] = {}
    shared: dict[int, Earlier] = {}
    seen: dict[Any, list[tuple[int, Array]]] = {}
    memory: dict[Var, int] = {}
    known: dict[Storage, tuple[Owner, ...]] = {}
    chosen = {k for k, is_chosen in enumerate(_leaves(layout)) if is_chosen}
    leaves = {h.storage: (leaf, h) for leaf, h in reversed(list(enumerate(handles))) if h is not None}
    for k, p in enumerate(packed):
        if p.handle is None:
            # Memory of lists that stands in several of them.
            if isinstance(p.atom, Var) and p.atom.type.shape and (first := memory.setdefault(p.atom, k)) != k:
                shared[k] = Earlier(first)
            continue
        owners = _owners(p.handle, leaves, known)
        if k in chosen:
            owners = tuple([o if o.is_whole or o.starts else _sliced(o, p.handle) for o in owners])
        if owners:
            returned[k] = owners
        if owners and owners[0].pred is None:
            continue
        earlier = seen.setdefault((p.handle.storage, p.handle.path, p.handle.is_readonly), [])
        if owners and id(p.handle) in current().trace.either:
            # It is the argument or a view in each case; only the very same handle is surely the same object.
            if first_one := [leaf for leaf, other in earlier if other is p.handle]:
                shared[k] = Earlier(first_one[0])
                returned.pop(k)
        elif earlier:
            same = [leaf for leaf, other in earlier if not _are_two(p.handle, other)]
            shared[k] = Earlier(same[0]) if same else Earlier(earlier[0][0], is_view=True)
            returned.pop(k, None)
        earlier.append((k, p.handle))
    return returned, shared


def _leaves(layout: layouts.Layout, is_chosen: bool = False) -> Iterator[bool]:
    """For each part that is known only at run time, whether it is the memory of a chosen array of run-time size."""
    match layout:
        case layouts.Leaf():
            yield is_chosen
        case layouts.Node(structure, children):
            of_chosen = isinstance(structure, SizedStructure) and structure.is_chosen
            for i, child in enumerate(children):
                yield from _leaves(child, of_chosen and not i)
        case layouts.Choice(options):
            yield False
            for option in options:
                yield from _leaves(option)


def _sliced(owner: Owner, handle: Array) -> Owner:
    """The owner of an array that is a slice of it, from its front."""
    return dataclasses.replace(owner, starts=(0,) * len(handle.shape))


def _are_two(one: Array, other: Array) -> bool:
    """Return whether two handles on the same part of a memory surely stand for two objects, as `a` and `a[:]` do."""
    unclear = current().trace.ambiguous.keys() | current().trace.merged.keys()
    return one is not other and not {id(one), id(other)} & unclear


def _owners(
    handle: Array,
    leaves: Mapping[Storage, tuple[int, Array]],
    known: dict[Storage, tuple[Owner, ...]],
    always: bool = True,
) -> tuple[Owner, ...]:
    """The arguments that an array may be, by what links it with other memory; `known` has what was asked before."""
    storage = handle.storage
    if isinstance(storage.readonly, OnDevice) and (handle.path or not always):
        return ()  # an anabranch.Array has no views, and it makes no difference whether it is a copy
    if storage in leaves:
        leaf, itself = leaves[storage]
        plain = isinstance(storage.readonly, OnDevice) or handle.path
        some = None if plain or not always else branch_identity.objects_of(current(), handle)
        if some is not None and len(some) > 1:
            return tuple([_owner(pred, leaf, one, _are_two(one, itself)) for pred, one in some])
        return (_owner(None, leaf, handle, not plain and _are_two(handle, itself)),)
    if storage not in known:
        known[storage] = ()  # of links in a circle
        known[storage] = _linked_owners(storage, leaves, known)
    if not handle.path:
        return known[storage]
    return tuple(
        [
            dataclasses.replace(o, path=o.path + handle.path, readonly=o.readonly or handle.readonly)
            for o in known[storage]
            if not o.starts
        ]
    )


def _owner(pred: Atom | None, leaf: int, handle: Array, is_view: bool) -> Owner:
    return Owner(pred, leaf, (views.Reshape(handle.shape),) if is_view else handle.path, handle.readonly)


def _linked_owners(
    storage: Storage, leaves: Mapping[Storage, tuple[int, Array]], known: dict[Storage, tuple[Owner, ...]]
) -> tuple[Owner, ...]:
    found: dict[Any, Owner] = {}
    for link in storage.links:
        starts = () if link.form is None else link.form.starts
        if link.pred is None or starts is None:
            continue
        for owner in _owners(link.handle, leaves, known, always=False):
            if starts and owner.starts:
                continue
            pred = link.pred if owner.pred is None else atoms.logical_and(link.pred, owner.pred)
            is_whole = owner.is_whole and not starts
            if link.form is not None and link.form.is_whole and not owner.path and not owner.starts:
                starts, is_whole = (), True
            one = Owner(pred, owner.leaf, owner.path, owner.readonly, starts or owner.starts, is_whole)
            key = (one.leaf, one.path, one.readonly, one.starts, one.is_whole)
            other = found.get(key)
            if other is not None and other.pred is not None:
                one = dataclasses.replace(one, pred=atoms.logical_or(other.pred, pred))
            found[key] = one
    return tuple(found.values())

"""Results that are an argument's own array, or the same memory as another result."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anabranch.runtime.call.plan import ArgumentAlias, ResultAlias
from anabranch.runtime.ir.program import Var
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.storage import OnDevice, Storage
from anabranch.runtime.values import atoms
from anabranch.runtime.values.arrays.dynamic_array import DynamicArrayStructure
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import memory_layout, views
from anabranch.runtime.values.pytrees import layout as layouts, pack_unpack


def identities(
    packed: Sequence[pack_unpack.Packed], handles: Sequence[TracedArray | None], layout: layouts.Layout
) -> tuple[dict[int, tuple[ArgumentAlias, ...]], dict[int, ResultAlias]]:
    """Return which results are, or may be, an argument's own array, and which are the same memory as another result.

    An alias names a leaf that is none, or an earlier one.
    """
    returned: dict[int, tuple[ArgumentAlias, ...]] = {}
    shared: dict[int, ResultAlias] = {}
    computed: dict[Any, list[tuple[int, TracedArray]]] = {}
    memory: dict[Var, int] = {}
    known: dict[Storage, tuple[ArgumentAlias, ...]] = {}
    chosen = {k for k, is_chosen in enumerate(_leaves(layout)) if is_chosen}
    leaves = {h.storage: (leaf, h) for leaf, h in reversed(list(enumerate(handles))) if h is not None}
    for k, p in enumerate(packed):
        if p.handle is None:
            # Memory of lists that stands in several of them.
            if isinstance(p.atom, Var) and p.atom.type.shape and (first := memory.setdefault(p.atom, k)) != k:
                shared[k] = ResultAlias(first)
            continue
        owners = _owners(p.handle, leaves, known)
        if k in chosen:
            owners = tuple([o if o.is_whole or o.starts else _sliced(o, p.handle) for o in owners])
        if owners:
            returned[k] = owners
        if not owners or owners[0].pred is not None:
            computed.setdefault((p.handle.storage, p.handle.path, p.handle.is_readonly), []).append((k, p.handle))
    for group in computed.values():
        shared |= _aliases(group)
    # The same object as another result is an argument's where the other one is.
    for k, alias in shared.items():
        if not alias.is_view:
            returned.pop(k, None)
    return returned, shared


def _aliases(group: list[tuple[int, TracedArray]]) -> dict[int, ResultAlias]:
    """Return which results of one memory are what others are; the memory itself goes before views of all of it."""
    (first, own), *rest = sorted(group, key=lambda row: _is_view(row[1]))
    found: dict[int, ResultAlias] = {}
    met = [(first, own)]
    for k, handle in rest:
        same = [leaf for leaf, other in met if _is_same(handle, other)]
        found[k] = ResultAlias(same[0]) if same else ResultAlias(first, is_view=True)
        met.append((k, handle))
    return found


def _is_same(one: TracedArray, other: TracedArray) -> bool:
    """Return whether two handles on the same part of a memory stand for one object, as far as it is known."""
    return one is other or not (_is_view(one) or _is_view(other))


def _is_view(handle: TracedArray) -> bool:
    """Return whether a handle is surely an object of its own beside that of the memory, as `a[:]` is."""
    return handle.is_view and handle not in current().trace.identity.merged


def _leaves(layout: layouts.Layout, is_chosen: bool = False) -> Iterator[bool]:
    """For each part that is known only at run time, whether it is the memory of a chosen array of run-time size."""
    match layout:
        case layouts.Leaf():
            yield is_chosen
        case layouts.Node(structure, children):
            of_chosen = isinstance(structure, DynamicArrayStructure) and structure.is_chosen
            for i, child in enumerate(children):
                yield from _leaves(child, of_chosen and not i)
        case layouts.Union(options):
            yield False
            for option in options:
                yield from _leaves(option)


def _sliced(owner: ArgumentAlias, handle: TracedArray) -> ArgumentAlias:
    """The owner of an array that is a slice of it, from its front."""
    return dataclasses.replace(owner, starts=(0,) * len(handle.shape))


def _owners(
    handle: TracedArray,
    leaves: Mapping[Storage, tuple[int, TracedArray]],
    known: dict[Storage, tuple[ArgumentAlias, ...]],
    always: bool = True,
) -> tuple[ArgumentAlias, ...]:
    """The arguments that an array may be, by its edges to other memory; `known` has what was asked before."""
    storage = handle.storage
    if isinstance(storage.readonly, OnDevice) and (handle.path or not always):
        return ()  # an anabranch.Array has no views, and it makes no difference whether it is a copy
    if storage in leaves and (handle.path or isinstance(storage.readonly, OnDevice)):
        return (ArgumentAlias(None, leaves[storage][0], handle.path, handle.readonly),)
    if storage in leaves:
        owners: tuple[ArgumentAlias, ...] = (ArgumentAlias(None, leaves[storage][0], (), handle.readonly),)
    else:
        if storage not in known:
            known[storage] = ()  # of edges in a circle
            known[storage] = _owners_by_edges(storage, leaves, known)
        owners = known[storage]
        if storage.readonly == memory_layout.BY_THE_VIEW:
            # A view that a step of a loop, or a branch, has made.
            owners = tuple([dataclasses.replace(o, readonly=True) if o.path else o for o in owners])
    path = handle.path or ((views.Reshape(handle.shape),) if _is_view(handle) else ())
    if not path:
        return owners
    readonly = handle.readonly
    placed = [o for o in owners if not o.starts and not (o.is_whole and not handle.path)]
    return tuple([dataclasses.replace(o, path=o.path + path, readonly=o.readonly or readonly) for o in placed])


def _owners_by_edges(
    storage: Storage, leaves: Mapping[Storage, tuple[int, TracedArray]], known: dict[Storage, tuple[ArgumentAlias, ...]]
) -> tuple[ArgumentAlias, ...]:
    found: dict[Any, ArgumentAlias] = {}
    for edge in storage.alias_edges:
        starts = () if edge.form is None else edge.form.starts
        if edge.pred is None or starts is None:
            continue
        for owner in _owners(edge.handle, leaves, known, always=False):
            if starts and owner.starts:
                continue
            pred = edge.pred if owner.pred is None else atoms.logical_and(edge.pred, owner.pred)
            is_whole = owner.is_whole and not starts
            if edge.form is not None and edge.form.is_whole and not owner.path and not owner.starts:
                starts, is_whole = (), True
            one = ArgumentAlias(pred, owner.leaf, owner.path, owner.readonly, starts or owner.starts, is_whole)
            key = (one.leaf, one.path, one.readonly, one.starts, one.is_whole)
            other = found.get(key)
            if other is not None and other.pred is not None:
                one = dataclasses.replace(one, pred=atoms.logical_or(other.pred, pred))
            found[key] = one
    return tuple(found.values())

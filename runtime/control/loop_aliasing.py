"""Which memory a carried array is, before, inside and after a loop.

A name that is bound anew in a loop (`u, v = v, u`, `x = x + 1`) is carried by value. Where the body also writes in
place,
the memory that the names stood for before the loop must get those writes, exactly as when Python runs the loop:

- the name keeps its array: that memory gets the value after the loop;
- names trade arrays: after n steps, name k stands for the array of name s**n(k), with the permutation s;
- the name gets a fresh array: the old memory keeps what the first step wrote.

What fits none of these is a conflict: the body is traced again with the array itself in scope, and if the name is bound
anew all the same, the loop is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from anabranch._frozen import frozen
from anabranch.runtime.control.merging import adopt
from anabranch.runtime.errors import AliasError
from anabranch.runtime.ir import Atom, Literal
from anabranch.runtime.trace import Builder, Storage
from anabranch.runtime.values import aliasing, atoms, views, visibility
from anabranch.runtime.values.array import Array
from anabranch.runtime.values.layout import Packed


class TracedBody(Protocol):
    """What is needed of a traced loop body."""

    @property
    def builder(self) -> Builder: ...

    @property
    def entry(self) -> list[Array | None]: ...

    @property
    def packed(self) -> list[Packed]: ...


@frozen
class Report:
    """How each leaf's array relates to those at the start of a step."""

    becomes: dict[int, int]  # leaf -> the leaf whose array it has after a step
    fresh: set[int]
    unknown: dict[int, list[Array]]  # leaf -> arrays of the enclosing code, or views, that it may be after a step
    moving: dict[int, Array]  # those of them that are just this view of the enclosing code's
    twins: list[tuple[int, int]]  # leaves that are one new array after a step
    perhaps_twins: list[tuple[int, int]]  # leaves that may be one new array after a step
    paths: dict[int, views.Path]  # fresh leaf -> the part of its new memory that it is
    written: set[int]
    firsts: list[int]  # fresh ones whose first array is written in place
    conflicts: set[int]


def inspect(outer: Builder, traced: TracedBody, init: Sequence[Packed], loop: Any) -> Report:
    """Compare the arrays at the start and at the end of one step."""
    body = traced.builder
    owner = {a.storage: k for k, a in enumerate(traced.entry) if a is not None}
    report = Report({}, set(), {}, {}, [], [], {}, {k for s, k in owner.items() if s in body.written}, [], set())
    seen: dict[int, int] = {}
    seen_fresh: dict[Storage, int] = {}
    for k, start in enumerate(traced.entry):
        end = traced.packed[k].handle
        if end is None:
            report.fresh.add(k)
            continue
        if end.storage in owner and not end.path and start is not None and not end.storage.links:
            report.becomes[k] = owner[end.storage]
        elif targets := _may_be(outer, owner, init, end):
            report.unknown[k] = targets
            if _is_outside(outer, end.storage) and all(visibility.atom_visible(body, a) for a in positions(end)):
                report.moving[k] = end
        else:
            report.fresh.add(k)
            report.paths[k] = end.path
            if end.storage in seen_fresh:
                report.twins.append((seen_fresh[end.storage], k))
            if end.storage not in seen_fresh or not end.path:
                seen_fresh[end.storage] = k
        twin = seen.setdefault(id(end.storage), k)
        if twin != k and ({twin, k, owner.get(end.storage, k)} & report.written):
            report.conflicts.update((twin, k))
    _find_perhaps_twins(outer, owner, traced, report)
    _find_conflicts(traced, init, report)
    return report


def _find_perhaps_twins(outer: Builder, owner: dict[Storage, int], traced: TracedBody, report: Report) -> None:
    """New arrays of a step that a condition within it has linked."""
    first: dict[Storage, int] = {}
    for k, packed in enumerate(traced.packed):
        if packed.handle is None:
            continue
        for storage in aliasing.memory(packed.handle.storage):
            if storage in owner or _is_outside(outer, storage):
                continue
            other = first.setdefault(storage, k)
            both = traced.packed[other].handle
            if other != k and both is not None and both.storage is not packed.handle.storage:
                report.perhaps_twins.append((other, k))
                report.conflicts.update({other, k} if {other, k} & report.written else ())


def _may_be(outer: Builder, owner: dict[Storage, int], init: Sequence[Packed], end: Array) -> list[Array]:
    """The arrays from before the loop that an array of the body is, is a view of, or may be by its links."""
    found: list[Array] = []
    pending, seen = [end], set[int]()
    while pending:
        array = pending.pop()
        if id(array.storage) in seen:
            continue
        seen.add(id(array.storage))
        if array.storage in owner:
            before = init[owner[array.storage]].handle
            found += [] if before is None else [Array(before.storage)]
        elif _is_outside(outer, array.storage):
            found.append(array)
        pending += [entry.handle for entry in array.storage.links]
    return found


def _is_outside(outer: Builder, storage: Storage) -> bool:
    return outer.outer_has(storage) or storage in outer.env


def positions(array: Array) -> list[Atom]:
    """Where a view lies, as far as it is known only at run time."""
    axes = [axis for step in array.path if isinstance(step, views.Slice) for axis in step.axes]
    return [axis.start for axis in axes if not isinstance(axis.start, int)]


def _moved(array: Array, starts: Iterator[Atom]) -> Array:
    """The view at other positions."""
    path: list[views.Step] = []
    for step in array.path:
        if not isinstance(step, views.Slice):
            path.append(step)
            continue
        axes = [a if isinstance(a.start, int) else dataclasses.replace(a, start=next(starts)) for a in step.axes]
        path.append(views.Slice(tuple(axes)))
    return Array(array.storage, tuple(path), array.readonly)


def _find_conflicts(traced: TracedBody, init: Sequence[Packed], report: Report) -> None:
    body = traced.builder
    users: dict[Storage, list[int]] = {}
    for k, start in enumerate(traced.entry):
        before = init[k].handle
        if start is None or before is None:
            continue
        memory = aliasing.memory(before.storage)
        for storage in memory:
            users.setdefault(storage, []).append(k)
        direct = not memory.isdisjoint(body.storage_inputs) or not memory.isdisjoint(body.written)
        if not memory.isdisjoint(body.written) or (k in report.written and (direct or before.path)):
            report.conflicts.add(k)
    for group in users.values():
        if len(group) > 1 and set(group) & report.written:
            report.conflicts.update(group)
    shared = _sharing(traced, init)
    written = {shared(s) for s in body.written if s in shared.known}
    for k in report.unknown:
        start = traced.entry[k]
        if start is not None and shared(start.storage) in written:
            report.conflicts.add(k)
    cyclic = {k for cycle in _cycles(report.becomes) for k in cycle}
    for k, other in report.becomes.items():
        # Each step writes to another memory where arrays are handed from name to name, and not back.
        if k != other and k not in cyclic:
            report.conflicts.update({k, other} & report.written)
    for k in sorted(report.fresh & report.written):
        if k in report.becomes.values():
            report.conflicts.add(k)
        else:
            report.firsts.append(k)


class _Groups:
    """Memories that names of a loop may stand for, in groups of those that may be one."""

    def __init__(self) -> None:
        self.known: dict[Storage, Storage] = {}

    def __call__(self, storage: Storage) -> Storage:
        """What stands for the group."""
        above = self.known.setdefault(storage, storage)
        return above if above is storage else self(above)

    def unite(self, one: Storage, other: Storage) -> None:
        self.known[self(one)] = self(other)


def _sharing(traced: TracedBody, init: Sequence[Packed]) -> _Groups:
    groups = _Groups()
    for start, before, end in zip(traced.entry, init, traced.packed, strict=False):
        handles = [h for h in (start, before.handle, end.handle) if h is not None]
        seen: set[Storage] = set()
        pending = [h.storage for h in handles]
        while pending:
            storage = pending.pop()
            if storage not in seen:
                seen.add(storage)
                groups.unite(storage, handles[0].storage)
                pending += [entry.handle.storage for entry in storage.links]
    return groups


def refusal(name: str, what: str) -> AliasError:
    """The error for a conflict that holding the array did not resolve."""
    return AliasError(
        f"'{name}' is both written in place and bound to another array in {what}, so that it is not known which memory "
        f"it stands for; write {name} = {name}.copy() before the loop, or bind the name only outside of it"
    )


def after(
    outer: Builder,
    report: Report,
    made: Sequence[Array | None],
    init: Sequence[Packed],
    results: Sequence[Atom],
    count: Atom,
    least: int,
) -> dict[int, Array]:
    """Give old memories their values and link the new arrays; returns the handles that are still the old arrays."""
    kept: dict[int, Array] = {}
    for place, k in enumerate(report.firsts):
        before = init[k].handle
        if before is not None:
            before.overwrite(results[len(init) + place])
    at_once = atoms.ufunc(np.equal, count, atoms.literal(0, np.int64)) if least == 0 else atoms.literal(False)
    starts = iter(results[len(init) + len(report.firsts) :])
    views_after = {k: _moved(end, starts) for k, end in report.moving.items()}
    for k, array in enumerate(made):
        before = init[k].handle
        if array is None:
            continue
        if report.becomes.get(k) == k and before is not None:
            if k in report.written:
                before.set(array.atom)
            kept[k] = before
        elif k in report.fresh or k in views_after:
            if least == 0 and before is not None:
                adopt(outer, array, at_once, before)
            if k in views_after:
                adopt(outer, array, atoms.logical_not(at_once), views_after[k])
        elif k in report.unknown:
            for handle in (before, *report.unknown[k]):
                if handle is not None:
                    adopt(outer, array, None, handle)
    for one, other in report.twins:
        _link_twins(made[one], made[other], report.paths, (one, other), at_once)
    for first, second in report.perhaps_twins:
        whole, part = made[first], made[second]
        if whole is not None and part is not None:
            aliasing.link(part.storage, None, whole)
    cycles = _cycles(report.becomes)
    for cycle in cycles:
        _after_cycle(outer, cycle, report, made, init, count)
    cyclic = {k for cycle in cycles for k in cycle}
    for k in report.becomes.keys() - cyclic - kept.keys():
        _after_chain(outer, k, cyclic, report, made, init, count, views_after)
    return kept


def _after_chain(
    outer: Builder,
    start: int,
    cyclic: set[int],
    report: Report,
    made: Sequence[Array | None],
    init: Sequence[Packed],
    count: Atom,
    views_after: dict[int, Array],
) -> None:
    """An array handed from name to name: after n steps it is what the n-th name of the row stood for before the loop.

    After more steps than that it is what the last name of the row is bound to.
    """
    array, row = made[start], [start]
    while row[-1] in report.becomes and report.becomes[row[-1]] not in row and row[-1] not in cyclic:
        row.append(report.becomes[row[-1]])
    if array is None:
        return
    last, befores = row[-1], [init[k].handle for k in row]
    if last in cyclic or last in report.unknown.keys() - views_after.keys():
        for handle in (*befores, *[init[k].handle for k in cyclic], *report.unknown.get(last, ())):
            if handle is not None:
                adopt(outer, array, None, handle)
        return
    stays = report.becomes.get(last) == last
    for steps, handle in enumerate(befores):
        ufunc = np.greater_equal if stays and steps == len(row) - 1 else np.equal
        pred = atoms.ufunc(ufunc, count, atoms.literal(steps, np.int64))
        if handle is not None and not (isinstance(pred, Literal) and not pred.value):
            adopt(outer, array, pred, handle)
    if last in views_after:
        adopt(outer, array, atoms.ufunc(np.greater, count, atoms.literal(len(row) - 1, np.int64)), views_after[last])


def _link_twins(
    one: Array | None, other: Array | None, paths: dict[int, views.Path], leaves: tuple[int, int], at_once: Atom
) -> None:
    """Two names for one new array, or a view of it, are linked from the first step on."""
    if one is None or other is None:
        return
    some = atoms.logical_not(at_once)
    first, second = (paths[k] for k in leaves)
    whole, part, path = (one, other, second) if not first else (other, one, first)
    static = all(not isinstance(s, views.Slice) or s.static for s in path)
    if (first and second) or not static:
        aliasing.link(part.storage, None, whole)
    else:
        aliasing.link(part.storage, some, Array(whole.storage, path))


def _cycles(becomes: dict[int, int]) -> list[list[int]]:
    """The cycles of length two and more; a chain that ends in a fixed point or a fresh array is none."""
    found, seen = [], set()
    for start in becomes:
        row: list[int] = []
        k: int | None = start
        while k is not None and k not in seen and k not in row:
            row.append(k)
            k = becomes.get(k)
        if k in row and len(row) > 1:
            cycle = row[row.index(k) :]
            if len(cycle) > 1:
                found.append(cycle)
        seen.update(row)
    return found


def _after_cycle(
    outer: Builder, cycle: list[int], report: Report, made: Sequence[Array | None], init: Sequence[Packed], count: Atom
) -> None:
    """After n steps, the array at place i of the cycle is the one that place i + n had before the loop."""
    length = len(cycle)
    remainder = atoms.ufunc(np.remainder, count, atoms.literal(length, np.int64))
    preds = [atoms.ufunc(np.equal, remainder, atoms.literal(m, np.int64)) for m in range(length)]
    arrays = [made[k] for k in cycle]
    handles = [init[k].handle for k in cycle]
    if set(cycle) & report.written:
        values = [a.atom if a is not None else None for a in arrays]
        for place, handle in enumerate(handles):
            if handle is None:
                continue
            now = handle.atom
            for m, pred in enumerate(preds):
                value = values[(place - m) % length]
                if value is not None:
                    now = atoms.select(pred, value, now)
            handle.overwrite(now)
    for place, array in enumerate(arrays):
        for m, pred in enumerate(preds):
            handle = handles[(place + m) % length]
            if array is not None and handle is not None and not (isinstance(pred, Literal) and not pred.value):
                adopt(outer, array, pred, handle)

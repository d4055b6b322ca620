"""Staging loops: the body is traced until the types of what it carries stay, then it becomes one primitive."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from anabranch.base.by_identity import IdentityDict
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.control.aliasing import loop_aliasing, loop_identity, object_numbers, split_containers
from anabranch.runtime.control.aliasing.body_trace import BodyTrace
from anabranch.runtime.control.aliasing.loop_identity import Identities
from anabranch.runtime.control.branches.join import MISSING, decided_by
from anabranch.runtime.control.branches.stage_branches import trace_branch
from anabranch.runtime.control.columnar import array_lists, copied_items
from anabranch.runtime.control.exits import CONTINUE, NEXT, State
from anabranch.runtime.control.loops import growth, learned_types, loop_lengths, loop_numbers, loop_objects
from anabranch.runtime.control.loops.loop_emission import Emission
from anabranch.runtime.control.loops.loop_state import (
    INT64,
    LoopStatement,
    LoopTypes,
    check_growth,
    first_step_error,
    have_tables,
    hint_of,
    initial,
)
from anabranch.runtime.control.staging import run_time_keys
from anabranch.runtime.errors import StructureMismatchError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.tracing.builder import Builder, building, current
from anabranch.runtime.tracing.storage import Part
from anabranch.runtime.values import visibility
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists import grouped_fields, packed_lists
from anabranch.runtime.values.dynamic_lists.growable_list import ListContents
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.heap import try_regions
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.heap.snapshot import reachable
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import layout as layouts, layout_join, pack_unpack, shared_containers
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import UnionValue

_MOST_ATTEMPTS = 24
_TRACES_EQUATIONS = 128  # that take as long as to trace a body and to emit the loop, besides those in it


def stage(loop: LoopStatement) -> State:
    """Run a loop at run time; returns the exit code, the returned value and the carries after it."""
    outer = current()
    array_lists.before_loop((*loop.roots, *loop.init, *outer.trace.heap.roots))
    types = LoopTypes(loop, reachable(outer.trace.heap, (*loop.roots, *loop.init), watch_arrays=True))
    if not learned_types.begin(types):
        types = _taken_up(outer, loop, types)
    unrolled = outer.trace.unrolling.equations
    sizes: list[int] = []
    for attempt in range(_MOST_ATTEMPTS):
        outer.trace.unrolling.equations = unrolled
        outer.trace.unrolling.made += _TRACES_EQUATIONS
        traced = _trace_body(outer, loop, types)
        if traced is None:
            sizes.append(sum(map(layouts.alternatives, types.layouts)))
            if _doubles(sizes):
                break
            continue
        if loop.peels and copied_items.appends_callers_array(traced.builder, traced.entry, traced.init):
            raise first_step_error(f"the first step of {loop.what} appends an array from outside to a list", loop)
        copied_items.check_step(outer, traced.builder, traced.entry, traced.init, traced.packed)
        known = len(types.places.handles)
        identities = Identities(outer, traced, traced.init, types.places, traced.carried)
        report = loop_aliasing.inspect(traced, traced.init, identities)
        if not report.conflicts:
            if not types.alike and (alike := loop_numbers.found(types.layouts, traced)):
                # It was found where it was not known, and so holds where it is.
                types.alike = alike
                continue
            if attempt and outer.parent is not None:
                learned_types.remember(types)
            copied_items.note_lent(outer, traced.builder)
            return _finish(outer, loop, types, traced, report)
        positions = types.entries_of(report.conflicts)
        types.reach = identities.reach().joined(types.reach)
        if not positions <= types.by_identity:
            types.carry_by_identity(sorted(positions))
        elif not positions <= types.aliased:
            types.aliased |= positions
        elif known == len(types.places.handles):
            raise loop_aliasing.refusal(types.described(min(positions)), loop.what)
    raise StructureMismatchError(
        f"the names that {loop.what} changes have other types after each step; give each of them one type before the "
        "loop"
    )


def _doubles(sizes: Sequence[int]) -> bool:
    """Return whether each attempt adds about twice as much to what the state may be, so that there is no end to it."""
    added = [b - a for a, b in itertools.pairwise(sizes)][-_DOUBLINGS:]
    return len(added) == _DOUBLINGS and added[-1] > _MANY and all(2 * b > 3 * a for a, b in itertools.pairwise(added))


_MANY, _DOUBLINGS = 12, 4


def _gets_longer(slot: Slot, changes: IdentityDict[Value, Value]) -> bool:
    """Return whether a step has made a list of static length longer."""
    now = changes[slot.target]
    return isinstance(now, Items) or (isinstance(now, ListContents) and len(now) > len(slot.before))


def _trace_body(outer: Builder, loop: LoopStatement, types: LoopTypes) -> BodyTrace | None:
    """Trace the body once; None when that showed that the state's types must be wider."""
    inner = Builder(outer.trace, outer)
    inner.selector = loop.trip
    outer.trace.loops.traces += 1
    traced = BodyTrace(inner, inner.formal(INT64), [], [], initial(outer, types))
    width = 2 + len(loop.init)
    values = []
    firsts = shared_containers.first_occurrences(tuple(types.init), types.whole)
    unpacking = pack_unpack.Unpacking([], firsts=firsts)
    with building(inner):
        formals = types.groups.formals(inner.formal)
        traced.formals_of = grouped_fields.by_entry(formals, types.layouts)
        seen = grouped_fields.by_entry(loop_numbers.joined(formals, types.alike), types.layouts)
        for layout, atoms_of in zip(loop_lengths.entry_layouts(types), seen, strict=True):
            unpacking.made = []
            traced.entry_of.append(unpacking.made)
            values.append(unpacking.unpack(layout, iter(atoms_of)))
        traced.given = values
        split_containers.note(inner, types.together, unpacking.places, loop.what)
        position = python_scalar(traced.index, Interval(0, max(loop.most - 1, 0)))
        if types.aliased:
            aliased = types.leaves_of(types.aliased)
            traced.carried = loop_identity.enter(inner, traced.entry, aliased, traced.init, types.places, types.reach)
    object_numbers.enter(traced)
    for slot, contents in zip(types.slots, values[width:], strict=True):
        slot.restore(contents)
    entries = loop_objects.Entries(unpacking.containers)
    outcome = trace_branch(inner, types.heap, lambda: loop.body(position, *values[2:width]))
    outcome.copies.check_alone()
    have_tables(loop, types.heap, outcome.changes)
    new = [slot for slot in map(types.heap.__getitem__, outcome.changes) if slot not in types.slots]
    longer: list[Slot] = []
    if new:
        outer.trace.loops.slot_hints.setdefault(loop.site, set()).update(map(hint_of, new))
        types.add_slots(new)
        longer = [s for s in new if isinstance(s.before, ListContents) and _gets_longer(s, outcome.changes)]
        if not longer:
            return None
        # Of the others it is not known yet what a step makes of any contents: it has seen those from before the loop.
        outcome.changes.update((s.target, s.before) for s in new if s not in longer)
        values += [outcome.changes[s.target] for s in new]
    kept = zip(types.slots, values[width:], strict=True)
    held = values[:width] if outcome.value is MISSING else outcome.value
    out = [*held, *(outcome.changes.get(s.target, v) for s, v in kept)]
    before, mixed = list(types.layouts), len(longer) < len(new)
    with decided_by(loop.trip):
        try:
            if mixed and not outer.trace.lists.grow_here:
                # That these lists get longer is all that is looked at: what else a step changes is not known yet.
                _widen(outer, traced, loop, types, out, [i for i, s in enumerate(types.slots, width) if s in longer])
                types.layouts = before
                return None
            # What a first step makes of lists that were not known to be carried is among the types of those, too.
            stays = _widen(outer, traced, loop, types, out, range(len(out)))
        except StructureMismatchError:
            if not mixed or not outer.trace.lists.grow_here:
                if not outer.trace.lists.grow_here:
                    outer.trace.loops.left[loop.site, loop.alternates] = LeftTrace(traced, types, before, out)
                raise
            # A step that sees what it changes as something that changes may do better.
            types.layouts, stays = before, False
        if not stays or new or (types.aliased and before != types.layouts):
            types.together.clear()  # places have other numbers now, and leaves as well
            types.alike = {}
            return None
    if before != types.layouts:
        if types.alike:
            types.alike = {}
            return None
        traced.init = initial(outer, types)
    if not types.exact and _must_be_exact(types, entries, out):
        types.begin_exactly()
        return None
    if _comes_together(types, out):
        return None
    sharing_before, sharing_after = (
        shared_containers.first_occurrences(tuple(v), types.whole) for v in (types.init, out)
    )
    mixed = sharing_before != sharing_after
    if entries.changed and (mixed or loop_objects.shared(_new(out, types))):
        raise loop_objects.refusal(loop.what)
    first = len(inner.copied)
    with building(inner):
        traced.packed = [p for v, t in zip(out, types.layouts, strict=True) for p in pack_unpack.pack(v, t)]
        after = [p.atom if isinstance(p.atom, Part) else inner.resolve(p.atom) for p in traced.packed]
    copied_items.note_packed_by_step(
        outer, inner, first, types.heap, [s.target for s in types.slots], zip(out, types.layouts, strict=True)
    )
    if not loop_lengths.bounds_hold(types, inner.equations, traced.formals_of, after):
        return None
    if outcome.value is not MISSING:
        traced.out = tuple(out)
    return traced


@frozen
class LeftTrace:
    """A trace of a body after which a list had another length, where it was tried to do without that."""

    traced: BodyTrace
    types: LoopTypes
    layouts: list[layouts.Layout]  # those that it was made with
    out: list[Any]  # what it gave


def _taken_up(outer: Builder, loop: LoopStatement, types: LoopTypes) -> LoopTypes:
    """Where lists may grow, the types that a trace without that has come to: another one would, too."""
    if not outer.trace.lists.grow_here:
        return types
    for longer in outer.trace.loops.longer_dicts.pop(loop.site, ()):
        run_time_keys.become_table(longer)
    left = outer.trace.loops.left.pop((loop.site, loop.alternates), None)
    if left is None or not left.types.heap.is_of(types.heap):
        return types
    names = zip(left.types.loop.init, loop.init, strict=True)
    if not all(a is b for a, b in names):
        return types
    found = LoopTypes(loop, types.heap)
    found.set_slots([types.heap[s.target] for s in left.types.slots])
    found.layouts = list(left.layouts)
    found.unread, found.exact = set(left.types.unread), left.types.exact
    try:
        with decided_by(loop.trip):
            _widen(outer, left.traced, loop, found, left.out, range(len(left.out)))
    except StructureMismatchError:  # which lists that grow may spare
        return types
    return found


def _widen(
    outer: Builder,
    traced: BodyTrace,
    loop: LoopStatement,
    types: LoopTypes,
    out: Sequence[object],
    places: Iterable[int],
) -> bool:
    """Widen the layouts at these places to hold what the body gave; whether the trace stays good."""
    stays = visibility.belongs_outside(outer)
    is_fixpoint = True
    starts = IdentityDict(zip(traced.given, types.init, strict=False))
    for i in places:
        value, before = out[i], types.layouts[i]
        if i == 0 and isinstance(value, int) and value in (NEXT, CONTINUE) and isinstance(before, layouts.Constant):
            continue  # fell through or continued: nothing to remember
        given = layouts.describe(value, types.heap.__contains__)
        after = layout_join.join(before, given, unboxing=not types.exact)
        after = layouts.widened(layouts.with_leaves(after, stays))
        if after != before:
            rows = (types.init[i], traced.given[i], value)
            after = loop_numbers.unchanged(after, before, rows, starts, stays)
        after = packed_lists.packed(growth.with_capacity(before, after, i, loop, types))
        if after == before:
            continue
        if types.is_unread(i) and _replaces(before, value):
            types.unread.add(i)
            after = packed_lists.packed(layouts.widened(layouts.with_leaves(given, stays)))
        else:
            check_growth(types, i, after, loop, _replaces(before, value))
        if types.multiplies(i, after):
            raise StructureMismatchError(
                f"{types.described(i)} comes to hold more at every step of {loop.what}; append to a list, or fill an "
                "array; where texts are made of items, keep numbers in the list"
            )
        if types.deepens(i, after):
            raise StructureMismatchError(
                f"{types.described(i)} nests deeper at every step of {loop.what}; keep its items side by side in a list"
            )
        types.layouts[i] = after
        if i >= 2 and i not in types.unread and not _unread(before, value):
            is_fixpoint = False
            continue
        # The body never looks at what it was given here, so the trace is good with formals that it does not use.
        traced.formals_of[i] = [traced.builder.formal(t) for t in layouts.leaf_types(after)]
        traced.entry_of[i] = [None] * len(traced.formals_of[i])
    return is_fixpoint


def _must_be_exact(types: LoopTypes, entries: loop_objects.Entries, out: Sequence[object]) -> bool:
    """Return whether the containers from before the loop matter as such, not just what is in them."""
    if types.unboxes_an_alternative:
        return True
    return bool(types.unboxed) and (
        entries.changed or types.unboxed_is_written or any(entries.are_in(value) for value in out)
    )


def _comes_together(types: LoopTypes, out: Sequence[object]) -> bool:
    """Note which places of the state hold one container before the loop or after a step; whether that is news."""
    before = [((), t) if i in types.unread else ((types.init[i],), t) for i, t in enumerate(types.layouts)]
    after = [((v,), t) for v, t in zip(out, types.layouts, strict=True)]
    found = {*types.together, *split_containers.shared_places((before, after))}
    is_news = len(found) > len(types.together)
    types.together = found
    return is_news


def _new(out: Sequence[object], types: LoopTypes) -> list[Value]:
    """The values that a step returns, but for objects that were there before the loop."""
    return [v for v in out if v not in types.heap]


def _replaces(before: layouts.Layout, value: object) -> bool:
    """Return whether an array or number surely has another type after a step."""
    layout = layouts.outline(value)
    kinds = [layouts.numeric(o) for o in (layout.options if isinstance(layout, layouts.Union) else (layout,))]
    known = before.options if isinstance(before, layouts.Union) else (before,)
    return None not in kinds and not any(layouts.numeric(o) in kinds for o in known)


def _unread(before: layouts.Layout, value: object) -> bool:
    """Return whether an entry starts unset, and the body sets it on every path without reading it."""
    if not (isinstance(before, layouts.Constant) and isinstance(before.value, Undefined)) or before.value.read:
        return False
    options = value.options if isinstance(value, UnionValue) else (value,)
    return not any(isinstance(o, Undefined) for o in options)


def _finish(
    outer: Builder, loop: LoopStatement, types: LoopTypes, traced: BodyTrace, report: loop_aliasing.LoopAliases
) -> State:
    """Emit the primitive and return the values after the loop."""
    init = traced.init
    plan = Emission(outer, loop, types, traced, report)
    emitted = plan.emit([p.atom for p in init])
    results, count = emitted.leaves, emitted.count
    if plan.counts:
        start = [p.atom for p in init]
        results = loop_lengths.after(
            types, traced.builder.equations, traced.formals, plan.outputs, start, results, count
        )
    made: list[TracedArray | None] = []
    whole = growth.without_capacity_request(types.whole, types.requests)
    pack_unpack.unpack(whole, iter(results), made)
    possible = report.identities.sources.possible(*plan.steps)
    kept = loop_aliasing.after(report, made, init, emitted.firsts, emitted.carried, count, possible)
    object_numbers.note(made, {k: emitted.carried[formal] for k, formal in traced.carried.objects.items()})
    arrays = {k: kept.get(k, a) for k, a in enumerate(made) if a is not None}
    copied_items.after_loop(
        outer, traced.builder, traced.entry, init, traced.packed, [arrays.get(k) for k in range(len(made))]
    )
    firsts = shared_containers.first_occurrences(traced.out or tuple(types.init), whole)
    unpacking = pack_unpack.Unpacking([], arrays, firsts)
    values = list(unpacking.unpack(whole, iter(results)))
    split_containers.note(outer, types.together, unpacking.places, loop.what)
    if loop.least == 0:
        rows = zip(values, types.init, types.layouts, strict=True)
        values = [
            loop_objects.old_if_no_step_ran(v, b, t, count, i in types.unread) for i, (v, b, t) in enumerate(rows)
        ]
    width = 2 + len(loop.init)
    for i, (slot, contents) in enumerate(zip(types.slots, values[width:], strict=True), width):
        if traced.out is not None:
            loop_lengths.remember(contents, types.init[i], traced.given[i], traced.out[i])
        # What was changed by the loop elsewhere, but not here, is what it was.
        is_kept = traced.out is not None and slot.same_contents(traced.out[i], traced.given[i])
        slot.restore(slot.before if is_kept else contents)
    if outer.trace.failures.error_code in plan.written:
        try_regions.note(outer)
    del values[width:]
    if loop.least >= 1 and traced.out is not None:
        values = [_surely_set(v, o) for v, o in zip(values, traced.out, strict=False)]
    return tuple(values)


def _surely_set(value: object, out: object) -> Value:
    """After at least one step that sets a name, the name is set."""
    if not isinstance(value, UnionValue) or isinstance(out, Undefined):
        return value
    if isinstance(out, UnionValue) and any(isinstance(o, Undefined) for o in out.options):
        return value
    return value.assuming([o for o in value.options if not isinstance(o, Undefined)])

"""Staging branches: every branch is traced once, and what they return is joined into one value."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentityDict, IdentitySet
from anabranch.base.value import Value
from anabranch.runtime.control.aliasing import branch_aliasing, object_numbers, split_containers
from anabranch.runtime.control.branches.join import MISSING, check_contents, check_sharing, decided_by, join_all
from anabranch.runtime.control.branches.own_errors import is_own
from anabranch.runtime.control.columnar import copied_items, nested_lists, node_access
from anabranch.runtime.errors import (
    AnabranchError,
    StructureMismatchError,
    UnsupportedOperationError,
)
from anabranch.runtime.ir.program import Atom, Literal, Program, Var
from anabranch.runtime.ops.op import NoElementsError
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.tracing.builder import Builder, building, current
from anabranch.runtime.tracing.failures import UnreachableError
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values import atoms, visibility
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.decisions import note, origin
from anabranch.runtime.values.dynamic_lists.grouped_fields import FieldGroups
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure
from anabranch.runtime.values.dynamic_lists.list_results import BranchElements, note_prefix
from anabranch.runtime.values.dynamic_shapes.length_permission import of_known_lengths
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.heap import try_regions
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.heap.snapshot import Heap, first_possible, reachable
from anabranch.runtime.values.pytrees import exceptions, layout as layouts, pack_unpack
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.static_requests import with_static_request
from anabranch.runtime.values.union import UnionValue

# How many branches and loops may stand in one another. A way out of a loop that is unrolled opens one in each step.
_DEEPEST = 100


@dataclasses.dataclass(slots=True)
class TracedBranch:
    """The outcome of tracing one branch."""

    builder: Builder
    value: Any  # MISSING where every path raised
    changes: IdentityDict[Any, Any]  # the contents of objects after the branch
    copies: copied_items.Copies
    packed: list[pack_unpack.Packed] = dataclasses.field(default_factory=list)
    aliases: branch_aliasing.BranchAliases = dataclasses.field(init=False, compare=False)

    def contents(self, slots: Sequence[Slot]) -> tuple[Value, ...]:
        """The contents of these objects after the branch."""
        return tuple(self.changes.get(s.target, s.before) for s in slots)


def stage(selector: Atom, thunks: Sequence[Callable[[], object]], what: str) -> Value:
    """The value of `thunks[selector]()`, with its writes, chosen at run time.

    `selector` is an int32 scalar for any number of thunks, or a bool scalar for two (false first).
    """
    try:
        value = _stage(selector, thunks, what)
        note(
            "staged",
            what,
            lambda: f"traced in each of its {len(thunks)} ways: which is taken hangs on {origin(selector)}",
        )
        return value
    except AnabranchError as error:
        with_static_request(error, selector, f"the condition of {what}")
        raise


def _stage(selector: Atom, thunks: Sequence[Callable[[], object]], what: str) -> Value:
    outer = current()
    heap = reachable(outer.trace.heap, thunks, watch_arrays=True)
    inner = [Builder(outer.trace, outer) for _ in thunks]
    for way, builder in enumerate(inner):
        builder.selector, builder.way = selector, way
    outcomes = [trace_branch(builder, heap, thunk) for builder, thunk in zip(inner, thunks, strict=True)]
    slots = _changed_slots(heap, outcomes)
    storages = list(dict.fromkeys(s for o in outcomes for s in o.builder.outer_writes()))
    values = [o.value for o in outcomes if o.value is not MISSING]
    with of_known_lengths():
        layout = join_all(values, heap, visibility.belongs_outside(outer))
    # What a branch that raises leaves behind is seen by the handlers of a try statement alone.
    seen = [o for o in outcomes if o.value is not MISSING or outer.trace.failures.regions]
    slots = slots if seen else []
    with decided_by(selector):
        contents = join_all([o.contents(slots) for o in seen], heap, visibility.belongs_outside(outer))
    reached = [(o.value, o.contents(slots)) for o in outcomes if o.value is not MISSING]
    elements = BranchElements(outer, {n: o.contents(slots) for n, o in enumerate(outcomes) if o in seen})
    firsts = check_sharing(reached, (layout, contents), what)
    parts = [t for t in (layout, contents) if t is not None]
    rows = [[((v,), t) for v, t in zip(r, parts, strict=False)] for r in reached]
    together = split_containers.shared_places(rows)
    for number, outcome in enumerate(outcomes):
        copied = len(outcome.builder.copied)
        with building(outcome.builder):
            outcome.packed = _pack(outcome.value, layout) + _pack(
                outcome.contents(slots) if outcome in seen else MISSING, contents
            )
            left = _left_apart(outcome, slots, contents)
            copied_items.note_packed(outer, outcome.builder, copied, heap, [s.target for s in slots], left)
            outcome.aliases = branch_aliasing.aliases_of(outer, outcome.packed)
            if outcome in seen:
                outcome.aliases.elements = elements.preds(number)
    unclear = branch_aliasing.all_unclear([o.aliases for o in outcomes])
    for outcome in outcomes if outer.trace.identity.is_tracked else ():
        with building(outcome.builder):
            outcome.aliases.objects = [object_numbers.number_of(outcome.packed[k].handle) for k in unclear]
    grouping = FieldGroups.of([layout] if layout else [], slots, contents.children if contents else [])  # type: ignore[union-attr]
    results = _bind(outer, selector, outcomes, storages, grouping)
    for storage, atom in zip(storages, results[len(results) - len(storages) :], strict=True):
        outer.write(storage, atom)
    arrays: list[TracedArray | None] = []
    same = branch_aliasing.same_arrays([o.packed for o in outcomes])
    leaves, unpacking = iter(results), pack_unpack.Unpacking(arrays, firsts=firsts, same=same)
    value = MISSING if layout is None else unpacking.unpack(layout, leaves)
    held = () if contents is None else unpacking.unpack(contents, leaves)
    split_containers.note(outer, together, unpacking.places, what)
    preds = iter(results[len(outcomes[0].packed) :])
    given: dict[int, Iterator[Atom]] = {}
    for number, outcome in enumerate(outcomes):
        outcome.aliases.follow(arrays, _is_chosen(selector, number), preds)
        given[number] = iter(list(itertools.islice(preds, len(outcome.aliases.elements))))
    outer.trace.identity.merge_all(arrays[k] for k in unclear)
    object_numbers.note(arrays, dict(zip(unclear if outcomes[0].aliases.objects else (), preds, strict=False)))
    branch_aliasing.read_others(outer, arrays, [o.aliases for o in outcomes])
    elements.follow(held, functools.partial(_is_chosen, selector), given)
    copied_items.after_branches(outer, [(o.builder, o.packed) for o in outcomes], arrays)
    for outcome in outcomes:
        if outcome.value is MISSING and outer.trace.failures.regions:
            outcome.copies.check_alone()
    copies = [o.copies for o in outcomes if o.value is not MISSING]
    for i, (slot, after) in enumerate(zip(slots, held, strict=False)):
        if isinstance(after, Items):
            note_prefix(after, [o.contents(slots)[i] for o in seen])
        with decided_by(selector):
            check_contents(slot, after, thunks, what)
        slot.restore(after)
    copied_items.hand_on(outer, list(zip(copies, rows, strict=True)), unpacking.places)
    if outer.trace.failures.error_code in storages:
        try_regions.note(outer)
    if layout is None:
        raise UnreachableError
    return value


def _left_apart(outcome: TracedBranch, slots: Sequence[Slot], contents: layouts.Layout | None) -> list[object]:
    """Return what a branch leaves behind, but for the contents of lists of run-time length, which are copies."""
    joined = contents.children if isinstance(contents, layouts.Node) else ()
    held = zip(outcome.contents(slots), joined, strict=False)
    apart = [c for c, to in held if not (isinstance(to, layouts.Node) and isinstance(to.structure, ItemsStructure))]
    return [outcome.value, *apart]


def _pack(value: object, layout: layouts.Layout | None) -> list[pack_unpack.Packed]:
    if layout is None:
        return []
    return pack_unpack.unspecified(layout) if value is MISSING else pack_unpack.pack(value, layout)


def trace_branch(inner: Builder, heap: Heap, thunk: Callable[[], object]) -> TracedBranch:
    """Run a branch or a body in its builder. An exception it raises is what it does at run time.

    Raises `RecursionError` where it stands in too many others: XLA's own stack would not hold them.
    """
    if inner.depth > _DEEPEST:
        raise RecursionError("maximum recursion depth exceeded")
    # Not an `Attempt`: the branch has a builder of its own, and all branches start with what one heap remembers.
    snapshots = inner.trace.heap.snapshots
    depth = len(snapshots)
    snapshots.append(heap)
    graphs = len(inner.trace.identity.graphs)
    with building(inner):
        try:
            value = thunk()
        except (UnreachableError, NoElementsError):
            value = MISSING
        except BaseException as error:
            if is_own(error):
                heap.restore()
                raise
            exceptions.record(atoms.literal(True), error, run_time_checks.frames_of(error))
            value = MISSING
        finally:
            del snapshots[depth:]
        value = node_access.end(graphs, heap.__contains__, value)
        nested_lists.end(inner, lambda: (value, *(s.contents() for s in heap.changes())))
        if inner.points and inner.trace.failures.regions:
            roll_back(inner.points, inner.trace.failures.regions[-1].roots, finished=True)
    changed = heap.changes()
    changes = IdentityDict((s.target, s.contents()) for s in changed)
    copies = copied_items.Copies.of(inner, heap, value, changes)
    split = split_containers.changed(inner, changes)
    heap.put_back(changed)
    copies.check()
    if split is not None:
        raise split_containers.refusal(split, "changed")
    if heap.written_arrays():
        inner.trace.constants.are_written = True
        raise UnsupportedOperationError(
            "a branch or a loop body writes into an array that was made outside of the function or by code that is "
            "not compiled; pass the array as an argument, or copy it with np.array(...) before the branch or loop"
        )
    return TracedBranch(inner, value, changes, copies)


def as_at_failure(points: Sequence[try_regions.Point], roots: tuple[object, ...], block: Callable[[], object]) -> Value:
    """`block()`, on what Python objects held when something failed first.

    Where that may be one of several things that have no common type, there is a branch for each.
    """
    states = _states(points)

    def at_once() -> Value:
        roll_back(points, roots, finished=False)
        return block()

    def on(restore: Callable[[], None]) -> Callable[[], Any]:
        def run(restore: Callable[[], None] = restore, block: Callable[[], Any] = block) -> Value:
            restore()
            return block()

        return run

    def for_each_state() -> Value:
        return _choose(states, [on(_restoring(s.heap, roots)) for s in states])

    if len(states) == 1:
        return at_once()
    return first_possible((block, *roots), StructureMismatchError, at_once, for_each_state)


def _states(points: Sequence[try_regions.Point]) -> list[try_regions.Point]:
    """The last point of each state."""
    states: list[try_regions.Point] = []
    for point in points:
        if states and states[-1].heap is point.heap:
            states.pop()
        states.append(point)
    return states


def roll_back(points: Sequence[try_regions.Point], roots: tuple[object, ...], finished: bool) -> None:
    """Give Python objects what they held when something failed first.

    Where nothing has failed they keep what they hold; `finished` says that this may be.
    """
    states = _states(points)
    if finished and not states[-1].heap.changed():
        states.pop()
    _choose(states, [_restoring(s.heap, roots) for s in states] + [_restoring(None, roots)] * finished)


def _choose(states: Sequence[try_regions.Point], steps: Sequence[Callable[[], object]]) -> Value:
    """Run the step of the first of these states in which something had failed; the last one is left where none had."""
    codes = [s.code for s in states[: len(steps) - 1]]
    fine = [atoms.ufunc(np.equal, code, atoms.literal(0, np.int32)) for code in codes]
    if len(fine) == 1 and not isinstance(fine[0], Literal):
        return stage(fine[0], steps, "the try statement")
    which: Atom = atoms.literal(0, np.int32)
    for passed in fine:
        which = atoms.ufunc(np.add, which, atoms.convert(passed, np.int32))
    return steps[int(which.value)]() if isinstance(which, Literal) else stage(which, steps, "the try statement")


def _restoring(heap: Heap | None, roots: tuple[object, ...]) -> Callable[[], None]:
    """Puts back what a heap has remembered; the defaults lead to all that this may change."""
    found = () if heap is None else _targets(heap)

    def restore(roots: tuple[object, ...] = (*roots, *found)) -> None:
        if heap is not None:
            heap.restore()

    return restore


def targets(points: Sequence[try_regions.Point]) -> tuple[object, ...]:
    """The objects whose contents are known of some point."""
    return tuple(IdentitySet(target for p in points for target in _targets(p.heap)))


def _targets(heap: Heap) -> tuple[object, ...]:
    return tuple(slot.target for slot in heap.slots)


def _changed_slots(heap: Heap, outcomes: Sequence[TracedBranch]) -> list[Slot]:
    if not any(o.changes for o in outcomes):
        return []
    return [s for s in heap.slots if any(s.target in o.changes for o in outcomes)]


def _bind(
    outer: Builder, selector: Atom, outcomes: Sequence[TracedBranch], storages: Sequence[Storage], groups: FieldGroups
) -> tuple[Atom, ...]:
    """The `cond` or `switch` equation; every branch takes all captures of all of them."""
    finals = []
    for o in outcomes:
        with building(o.builder):
            given = groups.joined([p.atom for p in o.packed])
            for other in outcomes:
                given += [atom if other is o else atoms.literal(0, atom.type.dtype) for atom in other.aliases.given]
            given += o.aliases.objects
            finals.append([*map(o.builder.resolve, given), *(o.builder.read(s) for s in storages)])
    captured = list(dict.fromkeys(v for o in outcomes for v in o.builder.captures))
    memories = list(dict.fromkeys(s for o in outcomes for s in o.builder.storage_inputs))
    operands = [*map(outer.resolve, captured), *map(outer.read, memories)]
    programs = []
    for o, outputs in zip(outcomes, finals, strict=True):
        inputs = [o.builder.captures.get(v) or Var(v.type) for v in captured]
        inputs += [o.builder.storage_inputs.get(s) or Var(s.type) for s in memories]
        programs.append(Program(tuple(inputs), tuple(o.builder.equations), tuple(outputs), "branch"))
    if selector.type.dtype == np.bool_:
        after = outer.bind(OPS["cond"], selector, *operands, on_true=programs[1], on_false=programs[0])
    else:
        after = outer.bind(OPS["switch"], selector, *operands, branches=tuple(programs))
    count = len(groups.rows)
    return (*groups.spread(after[:count]), *after[count:])


def _is_chosen(selector: Atom, number: int) -> Atom:
    if selector.type.dtype == np.bool_:
        return selector if number else atoms.logical_not(selector)
    return atoms.ufunc(np.equal, selector, atoms.literal(number, np.int32))


def decide(choice: UnionValue, operation: Callable[[Any], object]) -> Value:
    """An operation on a value that is one of a few objects, or of the nodes of a structure."""
    if isinstance(choice, Reference):
        found = node_access.read(choice, operation, is_own)
        if found is not NotImplemented:
            return found
        choice = choice.plain_()
    thunks = [functools.partial(_apply, operation, option) for option in choice.options]
    if len(thunks) == 2:
        return stage(choice.chosen(1), thunks, "an operation on one of two objects")
    return stage(choice.tag, thunks, "an operation on one of a few objects")


def _apply(operation: Callable[[Any], object], option: object) -> Value:
    return operation(option)

"""Staging branches: every branch is traced once, and what they give is joined into one value."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.control.merging import MISSING, adopt, check_identity, join_all
from anabranch.runtime.errors import AnabranchError, ShapeMismatchError, UnsupportedOperationError
from anabranch.runtime.ir import Atom, Program, Var
from anabranch.runtime.ops.op import Op
from anabranch.runtime.trace import Builder, Storage, UnreachableError, building, current
from anabranch.runtime.values import atoms, checks, layout as layouts, raising
from anabranch.runtime.values.heap import Heap, Slot


@dataclasses.dataclass(slots=True)
class Outcome:
    """What tracing one branch gave."""

    builder: Builder
    value: Any  # MISSING where every path raised
    changes: dict[int, Any]  # id of a slot's object -> its contents after the branch
    packed: list[layouts.Packed] = dataclasses.field(default_factory=list)


def stage(selector: Atom, thunks: Sequence[Callable[[], Any]], names: Sequence[str], what: str) -> Any:
    """The value of `thunks[selector]()`, with its writes, chosen at run time.

    `selector` is an int32 scalar for any number of thunks, or a bool scalar for two (false first).
    """
    outer = current()
    heap = Heap((*thunks, *outer.trace.roots), watch_arrays=True)
    outcomes = [trace_branch(Builder(outer.trace, outer), heap, thunk) for thunk in thunks]
    slots = _changed_slots(heap, outcomes)
    storages = list(dict.fromkeys(s for o in outcomes for s in o.builder.outer_writes()))
    reached = [o for o in outcomes if o.value is not MISSING]
    values = [(o.value, *(o.changes.get(id(s.target), s.before) for s in slots)) for o in reached]
    layout = join_all(values, heap, layouts.belongs_outside(outer))
    check_identity(values, heap, names, what)
    for outcome in outcomes:
        with building(outcome.builder):
            if outcome.value is MISSING:
                outcome.packed = layouts.unspecified(layout) if layout is not None else []
            else:
                assert layout is not None
                outcome.packed = layouts.pack(values[reached.index(outcome)], layout)
    results = _bind(outer, selector, outcomes, storages)
    for storage, atom in zip(storages, results[len(results) - len(storages) :], strict=True):
        outer.write(storage, atom)
    if layout is None:
        raise UnreachableError
    made: list[Any] = []
    value, *contents = layouts.unpack(layout, iter(results), made)
    for i, array in enumerate(made):
        if array is not None:
            _link(outer, array, selector, outcomes, i)
    for slot, after in zip(slots, contents, strict=True):
        slot.restore(after)
    return value


def trace_branch(inner: Builder, heap: Heap, thunk: Callable[[], Any]) -> Outcome:
    """Run a branch or a body in its builder. An exception it raises is what it does at run time."""
    inner.trace.snapshots.append(heap)
    with building(inner):
        try:
            value = thunk()
        except UnreachableError:
            value = MISSING
        except Exception as error:
            if isinstance(error, AnabranchError) and not isinstance(error, ShapeMismatchError):
                heap.restore()
                raise
            raising.record(atoms.literal(True), error, checks.frames_of(error))
            value = MISSING
        finally:
            inner.trace.snapshots.pop()
    changes = {id(s.target): s.contents() for s in heap.changes()}
    heap.restore()
    if heap.written_arrays():
        raise UnsupportedOperationError(
            "a branch or loop body writes concrete values into an ndarray that was not made by compiled code; pass the "
            "array as an argument, or make a copy with np.array(...) before it"
        )
    return Outcome(inner, value, changes)


def _changed_slots(heap: Heap, outcomes: Sequence[Outcome]) -> list[Slot]:
    return [s for key, s in heap.slots.items() if any(key in o.changes for o in outcomes)]


def _bind(outer: Builder, selector: Atom, outcomes: Sequence[Outcome], storages: Sequence[Storage]) -> tuple[Atom, ...]:
    """The `cond` or `switch` equation; every branch takes all captures of all of them."""
    finals = []
    for o in outcomes:
        with building(o.builder):
            finals.append([o.builder.resolve(p.atom) for p in o.packed] + [o.builder.read(s) for s in storages])
    captured = list(dict.fromkeys(v for o in outcomes for v in o.builder.captures))
    memories = list(dict.fromkeys(s for o in outcomes for s in o.builder.storage_inputs))
    operands = [*map(outer.resolve, captured), *map(outer.read, memories)]
    programs = []
    for o, outputs in zip(outcomes, finals, strict=True):
        inputs = [o.builder.captures.get(v) or Var(v.type) for v in captured]
        inputs += [o.builder.storage_inputs.get(s) or Var(s.type) for s in memories]
        programs.append(Program(tuple(inputs), tuple(o.builder.equations), tuple(outputs), "branch"))
    if selector.type.dtype == np.bool_:
        return outer.bind(Op.table["cond"], selector, *operands, on_true=programs[1], on_false=programs[0])
    return outer.bind(Op.table["switch"], selector, *operands, branches=tuple(programs))


def _link(outer: Builder, array: Any, selector: Atom, outcomes: Sequence[Outcome], index: int) -> None:
    """Where a branch gave an array of the enclosing code, the merged array is that memory when the branch ran."""
    for number, o in enumerate(outcomes):
        handle = o.packed[index].handle if o.value is not MISSING else None
        if handle is None:
            continue
        if selector.type.dtype == np.bool_:
            pred: Atom = selector if number else atoms.logical_not(selector)
        else:
            pred = atoms.ufunc(np.equal, selector, atoms.literal(number, np.int32))
        adopt(outer, array, pred, handle)

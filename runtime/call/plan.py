"""The Plan of a compiled function: what a call does on the host around the Program.

Where the Program writes to parts of arguments' arrays, XLA writes each to memory of its own, from where it is copied
into the array. Machine code that has the array itself writes to the part there.
"""

from __future__ import annotations

import contextvars
import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import EllipsisType
from typing import Any, NoReturn, TypeVar

import numpy as np

from anabranch.base.deep_stack import deep
from anabranch.base.frozen import frozen
from anabranch.runtime.call.raise_failure import eager_raises, is_of_compiled_code, raise_failure
from anabranch.runtime.device import array as device
from anabranch.runtime.errors import AnabranchError, EndedRun
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.host.generator_state import GeneratorKind, kind_of
from anabranch.runtime.ir.program import Atom, Equation, Literal, OutputGroups, Program, Var
from anabranch.runtime.ops.indexing import dynamic_update_slice, strided_update
from anabranch.runtime.signature.flatten_to_key import Leaves
from anabranch.runtime.tracing.approach import Approach
from anabranch.runtime.tracing.capacity import Capacity, OverflowedError
from anabranch.runtime.tracing.failures import Failure
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values import atoms
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.effects import Action
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.host_calls import changing_objects
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.pytrees.host_values import Building, fresh, on_device
from anabranch.runtime.values.static_requests import NamedRequest

T = TypeVar("T")


@frozen
class ArgumentAlias:
    """A result is the array of this argument leaf, or a view of it: always, or where `pred` holds at run time."""

    pred: Atom | None
    leaf: int
    path: views.Path
    readonly: bool = False  # whether the view cannot be written to
    starts: tuple[int | Atom, ...] = ()  # from where on, where the result is a part that lies elsewhere in its memory
    is_whole: bool = False  # whether an array of run-time size is the argument's array, rather than a slice of it

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms that must be known at run time."""
        positions = (*views.positions(self.path), *[start for start in self.starts if not isinstance(start, int)])
        return positions if self.pred is None else (self.pred, *positions)

    def where(self, pred: Atom) -> ArgumentAlias:
        """Return the same under one more condition."""
        return dataclasses.replace(self, pred=pred if self.pred is None else atoms.logical_and(pred, self.pred))

    def view(self, known: Iterator[Any], given: Sequence[Any]) -> np.ndarray | None:
        """The caller's own memory, or None where the result is not that; `known` gives what `atoms` are."""
        holds = self.pred is None or bool(next(known))
        path = views.at(self.path, map(int, known))
        firsts = [start if isinstance(start, int) else int(next(known)) for start in self.starts]
        if not holds:
            return None
        base: np.ndarray = functools.reduce(lambda base, step: step.of(base), path, given[self.leaf])
        if path and base.size and not np.may_share_memory(base, given[self.leaf]):
            return None  # rows of memory that only partly follow one another
        if firsts:
            base = base[tuple([slice(first, None) for first in firsts])]
        if path and self.readonly:
            base.flags.writeable = False
        return base


@frozen
class ResultAlias:
    """A result is the array of another leaf of the result, or a view of all of it.

    Where the same result may be an argument's array (`ArgumentAlias`), this holds where it is none.
    """

    leaf: int
    is_view: bool = False


@frozen
class ArrayWrite:
    """An output is the new contents of the array of an argument leaf, or of a part of it."""

    leaf: int
    part: tuple[tuple[int, int, int], ...] | None = None  # start, stop and step of each axis
    starts: int = 0  # how many outputs after it say where the part starts, on each axis, where only the run knows

    @property
    def index(self) -> tuple[slice, ...] | EllipsisType:
        """The part as NumPy takes it."""
        return ... if self.part is None else tuple([slice(*bounds) for bounds in self.part])

    def put(self, array: np.ndarray, after: np.ndarray, *starts: int) -> None:
        """Write the new contents, which start so that they fit into the array."""
        index = self.index
        if self.starts:
            bounds = zip(starts, after.shape, array.shape, strict=True)
            first = [(min(max(int(start), 0), n - size), size) for start, size, n in bounds]
            index = tuple([slice(start, start + size) for start, size in first])
        np.copyto(array[index], after)


def held_leaves(packs: Sequence[range | tuple[int, ...]], count: int) -> Iterator[int | range | tuple[int, ...]]:
    """The contents of each input: one of so many leaves, or several numbers among them, which `packs` has."""
    first = {pack[0]: pack for pack in packs}
    rest = {k for pack in packs if isinstance(pack, tuple) for k in pack}
    leaf = 0
    while leaf < count:
        pack = first.get(leaf)
        if pack is not None or leaf not in rest:
            yield leaf if pack is None else pack
        leaf = pack.stop if isinstance(pack, range) else leaf + 1


@frozen
class Plan:
    """The work of a call on the host, around the Program."""

    program: Program
    # Of (result, contents of `written`…, contents of `slots`…); None where the function always raises.
    result: layouts.Layout | None
    leaf_count: int
    # Leaf of the result -> the arguments whose array, or a view of it, it is; or may be, the first that is.
    returned_arguments: dict[int, tuple[ArgumentAlias, ...]]
    shared_results: dict[int, ResultAlias]  # leaf of the result -> another leaf of the same memory
    readonly_results: frozenset[int]
    writes: tuple[ArrayWrite, ...]  # to arrays among the arguments, in this order
    draws: tuple[int, ...]  # generators' states among the arguments and from outside that change, by their leaves
    written: tuple[int, ...]  # lists, dicts and objects among the arguments to write back
    slots: tuple[Slot, ...]  # objects from outside to write back
    failures: tuple[Failure, ...]
    details: tuple[Storage, ...]  # what the outputs after the error code are
    guards: Guards
    # Effects that all stand outside of branches and loops wait for the end, with the number of values of each.
    effects: tuple[tuple[Action, int], ...] = ()
    looks_at_callers: bool = False  # whether effects may
    captured: tuple[Any, ...] = ()  # arrays and `OutsideGenerator`s, inputs after the arguments
    known: frozenset[int] = frozenset()  # argument leaves whose values this is for, as `needs` say
    needs: tuple[NamedRequest, ...] = ()
    capacities: tuple[Capacity, ...] = ()  # a run in which one is too small gives nothing
    may_copy_views: bool = False  # whether what eager code returns as a view may be a copy, as its place is computed
    packs: tuple[range | tuple[int, ...], ...] = ()  # arguments' leaves that are one input, by the first of them
    # Those of the results' outputs that hold several of the leaves that are computed, with the places of these.
    stacks: dict[int, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    strides: dict[int, tuple[int, ...]] = dataclasses.field(default_factory=dict)  # of inputs that are not in C order
    # Leaves of the result that lie in memory in another order, with the axes of the outputs that theirs are.
    orders: dict[int, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    on_device: bool = False  # whether an array among the arguments or from outside is an Array, so that results are
    approach: Approach | None = None  # how it was traced in the end, after what may have failed before

    def held(self, count: int) -> Iterator[int | range | tuple[int, ...]]:
        """The contents of each input: one of so many leaves, or several numbers among them."""
        return held_leaves(self.packs, count)

    def whole_writes(self) -> dict[int, int]:
        """The outputs that are the new contents of all of an argument's array, with the inputs that these are."""
        inputs = {leaf: k for k, leaf in enumerate(self.held(max(self.mutated, default=-1) + 1))}
        place, found = self.program.groups.writes.start, dict[int, int]()
        for write in self.writes:
            if write.part is None and not write.starts and write.leaf in inputs:
                found[place] = inputs[write.leaf]
            place += 1 + write.starts
        return found

    def inputs(self, leaves: Sequence[object]) -> Sequence[Any]:
        """The arguments' leaves, and the arrays from outside after them, with numbers that are one input as arrays."""
        if not self.packs:
            return leaves
        made: list[Any] = []
        for held in self.held(len(leaves)):
            if isinstance(held, int):
                made.append(leaves[held])
                continue
            numbers = leaves[held.start : held.stop] if isinstance(held, range) else [leaves[k] for k in held]
            made.append(np.array(numbers, self.program.inputs[len(made)].type.dtype))
        return made

    def unstacked(self, results: Sequence[T], rows: Callable[[int], Iterable[T]]) -> Iterator[T]:
        """The leaves that are computed, each by itself; `rows` gives those that one of the results' outputs holds."""
        if not self.stacks:
            return iter(results)
        held = {p: row for k, places in self.stacks.items() for p, row in zip(places, rows(k), strict=True)}
        single = iter([result for k, result in enumerate(results) if k not in self.stacks])
        return (held[p] if p in held else next(single) for p in range(len(results) - len(self.stacks) + len(held)))

    def _in_order(self, computed: Iterable[Any]) -> Iterator[Any]:
        """The leaves that are computed, each with its axes in their order."""
        places = (k for k in range(self.leaf_count) if k not in self.shared_results and not self.is_returned(k))
        return (
            made.transpose(self.orders[k]) if k in self.orders else made
            for k, made in zip(places, computed, strict=False)
        )

    @property
    def returns_one_array(self) -> bool:
        """Return whether a call on the device does nothing but to compute one array."""
        parts = self.result.children if isinstance(self.result, layouts.Node) else ()
        leaf = parts[0] if len(parts) == 1 else None
        computed = isinstance(leaf, layouts.Leaf) and leaf.abstract.kind is not Kind.PYTHON
        found = self.program.outputs
        alone = len(found) == len(found[self.program.groups.results]) == 1
        return computed and alone and self.on_device and not self.captured

    @property
    def mutated(self) -> tuple[int, ...]:
        """The argument leaves whose arrays are written to."""
        return tuple(dict.fromkeys(write.leaf for write in self.writes))

    def is_returned(self, leaf: int) -> bool:
        """Return whether a leaf of the result is an argument's array, or a view of it, in every case."""
        owners = self.returned_arguments.get(leaf)
        return owners is not None and owners[0].pred is None

    def own(self, known: Iterator[object], given: Sequence[Any]) -> dict[int, tuple[int, Any]]:
        """The leaves of the result that are the caller's arrays, or views of them, with the arguments' leaves."""
        own: dict[int, tuple[int, Any]] = {}
        for k, owners in self.returned_arguments.items():
            found = [(o.leaf, view) for o in owners if (view := o.view(known, given)) is not None]
            if found:
                own[k] = found[0]
        return own

    def fail(self, outputs: Sequence[np.ndarray], finish: Callable[[], object] = int) -> NoReturn:
        """Raise what the outputs say has failed; `finish` does what waits for the end of the run, if it counts."""
        groups = self.program.groups
        code, *details = outputs[groups.failures]
        try:
            raise_failure(self.failures[int(code) - 1], dict(zip(self.details, details, strict=True)))
        except AnabranchError as error:
            if not eager_raises(type(error)):
                error.ended = EndedRun(sum(map(int, outputs[groups.effect_count])), finish)
            if isinstance(error, OverflowedError) and error.needed is None:
                error.alike = tuple([c for c in self.capacities if c.is_like(error.capacity)])
            raise

    def _finish_effects(self, outputs: Sequence[Any], leaves: Leaves) -> None:
        """Leave generators of random numbers in their new states, and do what is to be seen at the end."""
        groups, given = self.program.groups, leaves.values
        for leaf, words in zip(self.draws, outputs[groups.draws], strict=True):
            np.copyto(given[leaf], words)  # of which a generator that shares the state is built
            generator = leaves.generators[leaf]
            _kind(generator).write(generator, given[leaf])
        _perform(self.effects, iter(outputs[groups.effects]))

    def finish(self, outputs: Sequence[Any], leaves: Leaves) -> Any:
        """Raise, write back, and build the result."""
        groups, given = self.program.groups, leaves.values
        code = next(map(int, outputs[groups.failures]), 0)
        if code and is_of_compiled_code(self.failures[code - 1]):
            # What waits for the end is done by the run that counts, another one or eager Python's.
            self.fail(outputs, functools.partial(contextvars.copy_context().run, self._finish_effects, outputs, leaves))
        self._finish_effects(outputs, leaves)
        if code:
            self.fail(outputs)
        assert self.result is not None
        whole = outputs[groups.results]
        computed = self.unstacked(whole, lambda k: map(np.array, whole[k]))
        computed = self._in_order(computed)
        if leaves.returns_arrays and not self.on_device:
            computed = map(device.adopted, computed)
        found = self.own(iter(outputs[groups.conditions]), given)
        own = {k: leaves.callers(*callers) for k, callers in found.items()}
        results: dict[int, Any] = {}
        for k in range(self.leaf_count):
            if k in self.shared_results:
                continue
            made = None if self.is_returned(k) else next(computed)
            if k in self.readonly_results and isinstance(made, np.ndarray):
                made.flags.writeable = False
            result = own.get(k, made)
            assert result is not None
            results[k] = result
        for k, alias in self.shared_results.items():
            array = results[alias.leaf]
            view = array[...] if alias.is_view and isinstance(array, np.ndarray) else array
            results[k] = own.get(k, view)
        contents = iter(outputs[groups.writes])
        for write in self.writes:
            write.put(given[write.leaf], next(contents), *itertools.islice(contents, write.starts))
        objects = leaves.containers
        stays = self.on_device or leaves.returns_arrays
        parts = [results[k] for k in range(self.leaf_count)]
        constant = on_device if stays else fresh
        try:
            result, *contents = Building(objects, given, constant, originals=leaves.originals).build(
                self.result, iter(parts)
            )
        except RecursionError:  # containers within containers; as many as could be traced
            with deep():
                result, *contents = Building(objects, given, constant, originals=leaves.originals).build(
                    self.result, iter(parts)
                )
        targets = [*map(changing_objects.slot_of, [objects[i] for i in self.written]), *self.slots]
        for slot, after in zip(targets, contents, strict=True):
            assert slot is not None
            slot.restore(after)
        return result


def _kind(generator: object) -> GeneratorKind:
    kind = kind_of(generator)
    assert kind is not None
    return kind


def _perform(effects: Sequence[tuple[Action, int]], outputs: Iterator[np.ndarray]) -> None:
    """Do what was left for the end of the run; an error code comes before the values of each effect."""
    for action, width in effects:
        code, *values = itertools.islice(outputs, 1 + width)
        if not code:
            action(*values)


def with_whole_writes(plan: Plan, program: Program) -> tuple[Plan, Program]:
    """The Plan and its Program with all of each array that is written to as an output; the same where they are so."""
    if len(plan.whole_writes()) == len(plan.writes):
        return plan, program
    groups = dict(program.groups.named(program.outputs))
    inputs = {leaf: k for k, leaf in enumerate(plan.held(max(plan.mutated) + 1))}
    outputs, equations, contents = iter(groups["writes"]), list(program.equations), dict[int, Atom]()
    for write in plan.writes:
        if write.leaf not in inputs:
            return plan, program
        after, *starts = (next(outputs) for _ in range(1 + write.starts))
        if write.part is not None or starts:
            before = contents.get(write.leaf, program.inputs[inputs[write.leaf]])
            equations.append(_update(write, before, after, starts))
            (after,) = equations[-1].outputs
        contents[write.leaf] = after
    groups["writes"] = list(contents.values())
    found, joined = OutputGroups.joined(**groups)
    whole = dataclasses.replace(program, equations=tuple(equations), outputs=tuple(joined), groups=found)
    return dataclasses.replace(plan, program=whole, writes=tuple(map(ArrayWrite, contents))), whole


def _update(write: ArrayWrite, before: Atom, part: Atom, starts: Sequence[Atom]) -> Equation:
    """The equation that writes a part."""
    bounds = write.part or ()
    if any(step != 1 for _, _, step in bounds):
        first, limits, strides = zip(*bounds, strict=True)
        params = {"starts": first, "limits": limits, "strides": strides}
        return Equation(strided_update, (before, part), params, (Var(before.type),))
    known = starts or [Literal(np.array(first, np.int64)) for first, *_ in bounds]
    return Equation(dynamic_update_slice, (before, part, *known), {}, (Var(before.type),))

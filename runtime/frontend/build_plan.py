"""The Plan of a traced function: the outputs of its Program, and what they are on the host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.call.plan import ArrayWrite, Plan, held_leaves
from anabranch.runtime.device import array as device
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.frontend.bind_arguments import BoundArguments
from anabranch.runtime.frontend.effects import ObjectChanges
from anabranch.runtime.frontend.result_aliases import identities
from anabranch.runtime.frontend.result_layout import (
    hosted_result,
    may_copy_items,
    result_layout,
    with_elements_packed,
    with_nodes,
)
from anabranch.runtime.frontend.surroundings import CapturedArrays
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.ir.program import Atom, Equation, Literal, OutputGroups, Program, Var
from anabranch.runtime.ops import host_callback as effect_op
from anabranch.runtime.ops.indexing import dynamic_update_slice, strided_update
from anabranch.runtime.passes.value_checks import settle_value_checks
from anabranch.runtime.signature.argument_layouts import Arguments
from anabranch.runtime.tracing.builder import Builder, Trace
from anabranch.runtime.tracing.storage import ConstantStorage, OfLibrary, Part, Storage
from anabranch.runtime.values import atoms
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import item_memory, memory_layout
from anabranch.runtime.values.pytrees import layout as layouts, pack_unpack
from anabranch.runtime.values.pytrees.layout import leaf_kinds


def build_plan(
    trace: Trace,
    guards: Guards,
    captured: CapturedArrays,
    value: object,
    reached: bool,
    given: BoundArguments,
    arguments: Arguments,
    effects: ObjectChanges,
) -> Plan:
    """Return the Plan of a function that has been traced.

    Parameters
    ----------
    guards : Guards
        Of what the function reads from outside.
    captured : CapturedArrays
        The arrays that it reads from outside.
    value : object
        What it returns.
    reached : bool
        Whether it returns at all; it may raise on every path.
    given : Given
        What stands for the arguments.
    effects : Effects
        The objects that it has changed.
    """
    root = trace.root
    if guards.written_arrays():
        raise UnsupportedOperationError(
            "the function writes into an array from outside, which would happen only while it is traced; pass the "
            "array as an argument"
        )
    value = with_nodes(with_elements_packed(value), effects.contents, guards.heap, given)
    layout = result_layout(value, effects.contents, guards.heap, given)
    packed = pack_unpack.pack((value, *effects.contents), layout) if reached else []
    handles = [*given.handles, *captured.handles]
    _check_shapes(handles)
    returned, shared = identities(packed, handles, layout)
    mutated = tuple(
        leaf
        for leaf, h in enumerate(handles)
        if h is not None and h.storage in root.written and arguments.first(leaf) == leaf
    )
    states = given.states | captured.states
    drawn = {k: h for k in mutated if (h := handles[k]) is not None and h.storage in states}
    writes, contents = _writes(root, given, handles, [leaf for leaf in mutated if leaf not in drawn])
    certain = {k for k, owners in returned.items() if owners[0].pred is None}
    waiting = _taken_out(root)
    counted = trace.output.counter in root.written
    failing: list[Storage] = []
    # What was caught may have left details though nothing can fail any more.
    if trace.failures.error_code in root.written:
        failing = [trace.failures.error_code, *(s for s in trace.failures.details.values() if s in root.written)]
    stays = bool(arguments.device) or any(isinstance(a, device.Array) for a in captured.arrays)
    orders = _result_orders(packed, layout) if reached and not stays else {}
    left = [k for k in range(len(packed)) if k not in certain and k not in shared]
    computed = [atoms.transpose(packed[k].atom, orders[k]) if k in orders else packed[k].atom for k in left]
    known = leaf_kinds(layout)
    kinds = [known[k] if packed[k].handle is None else Kind.ARRAY for k in left]
    results, stacks = (computed, {}) if stays else _stacked(computed, kinds)
    groups, outputs = OutputGroups.joined(
        results=results,
        writes=contents,
        draws=[h.atom for h in drawn.values()],
        conditions=[atom for owners in returned.values() for owner in owners for atom in owner.atoms],
        effects=[atom for e in waiting for atom in e.inputs[1:]],
        effect_count=[root.read(trace.output.counter)] if counted and not waiting else [],
        failures=[root.read(s) for s in failing],
    )
    resolved = tuple(map(root.resolve, outputs))  # which may take an equation
    program = Program(tuple(root.formals), tuple(root.equations), resolved, groups=groups)
    if trace.failures.some_of_values:
        program = settle_value_checks(program)
    return Plan(
        program=program,
        result=hosted_result(layout, given, guards.heap.arrays) if reached else None,
        leaf_count=len(packed),
        returned_arguments=returned,
        shared_results=shared,
        readonly_results=frozenset(k for k, p in enumerate(packed) if p.handle is not None and _is_readonly(p.handle)),
        writes=writes,
        draws=tuple(drawn),
        written=effects.written,
        slots=effects.slots,
        failures=tuple(trace.failures.numbered),
        details=tuple(failing[1:]),
        guards=guards,
        effects=tuple((e.params["action"], len(e.inputs) - 2) for e in waiting),
        looks_at_callers=counted,
        captured=tuple(captured.arrays),
        known=arguments.known,
        needs=arguments.words(arguments.needs),
        capacities=tuple(trace.capacities.values()),
        packs=tuple(given.packs),
        stacks=stacks,
        strides=_strides(given, arguments),
        orders={k: tuple(map(order.index, range(len(order)))) for k, order in orders.items()},
        on_device=stays,
        may_copy_views=may_copy_items(layout) or any(map(_may_be_copied, packed)),
    )  # fmt: skip


def _may_be_copied(part: pack_unpack.Packed) -> bool:
    """Return whether a part of the result is an array whose place in another's memory is computed."""
    return part.handle is not None and bool(part.handle.storage.alias_edges)


def _strides(given: BoundArguments, arguments: Arguments) -> dict[int, tuple[int, ...]]:
    """The strides of the inputs that are arguments' arrays, where they are not in C order."""
    if not arguments.strides:
        return {}
    held = held_leaves(given.packs, len(given.handles))
    return {k: arguments.strides[leaf] for k, leaf in enumerate(held) if leaf in arguments.strides}


def _is_readonly(handle: TracedArray) -> bool:
    """Return whether an array of the result cannot be written to by the caller either."""
    if isinstance(handle.storage, ConstantStorage):
        return handle.readonly
    return handle.is_readonly and not isinstance(handle.storage.readonly, OfLibrary)


# So many leaves at least of the result are one output: parts of one array, and other numbers of one kind.
_STACKED, _MANY = 9, 65


def _stacked(leaves: Sequence[Atom], kinds: Sequence[Kind]) -> tuple[list[Atom], dict[int, tuple[int, ...]]]:
    """Outputs for these leaves, many parts of one array as one; and the places of the leaves in those."""

    def group_of(place: int) -> object:
        leaf = leaves[place]
        if isinstance(leaf, Part):
            return leaf.whole
        return None if kinds[place] is Kind.ARRAY or leaf.type.shape else (leaf.type, kinds[place])

    groups: dict[object, list[int]] = {}
    for place in range(len(leaves)):
        groups.setdefault(group_of(place), []).append(place)
    outputs: list[Atom] = []
    stacks: dict[int, tuple[int, ...]] = {}
    for place, leaf in enumerate(leaves):
        group = groups[group_of(place)]
        if group_of(place) is None or len(group) < (_STACKED if isinstance(leaf, Part) else _MANY):
            outputs.append(leaf)
        elif group[0] == place:
            stacks[len(outputs)] = tuple(group)
            outputs.append(item_memory.side_by_side([leaves[k] for k in group], leaf.type))
    return outputs, stacks


def _writes(
    root: Builder, given: BoundArguments, handles: Sequence[TracedArray | None], mutated: Sequence[int]
) -> tuple[tuple[ArrayWrite, ...], list[Atom]]:
    """The parts that are written to these leaves, and the new contents."""
    writes: list[ArrayWrite] = []
    contents: list[Atom] = []
    for leaf in mutated:
        handle = handles[leaf]
        assert handle is not None
        after = root.resolve(handle.atom)
        parts = _written_parts(root, given.atoms[leaf], after) if leaf < len(given.atoms) else None
        for part in [_WrittenPart(after, None)] if parts is None else parts:
            writes.append(ArrayWrite(leaf, part.index, len(part.starts)))
            contents += [part.contents, *part.starts]
    return tuple(writes), contents


def _check_shapes(handles: Sequence[TracedArray | None]) -> None:
    """Refuse another shape for what comes from the caller."""
    for handle in handles:
        if handle is not None and handle.path:
            raise UnsupportedOperationError(
                f"the function sets the shape of an array from outside, from {handle.storage.type.shape} to "
                f"{handle.shape}; make a view instead: b = a.reshape(...)"
            )


def _taken_out(root: Builder) -> list[Equation]:
    """The effects that can wait for the end of the run, taken out of the equations.

    All can when none stands in a branch or loop, and none is seen before the end; otherwise the count of effects keeps
    them all where they are.
    """
    found = list(effect_op.effects(root.equations))
    if not all(outside and e.op is effect_op.host_callback and not e.params["action"].at_once for e, outside in found):
        return []
    root.equations = [e for e in root.equations if e.op is not effect_op.host_callback]
    return [equation for equation, _ in found]


# What holds arrays as they are; of others the host's side makes something else.
_HOLDERS = (tuple, list, dict)


def _result_orders(packed: Sequence[pack_unpack.Packed], layout: layouts.Layout) -> dict[int, tuple[int, ...]]:
    """The axes of those results, the slowest first."""
    found: dict[int, tuple[int, ...]] = {}
    for k, (p, is_plain) in enumerate(zip(packed, _are_plain(layout), strict=True)):
        handle = p.handle
        if not is_plain or handle is None or isinstance(p.atom, Part) or handle.ndim < 2 or not handle.size:
            continue
        if memory_layout.plain(handle) or not memory_layout.known(handle) or memory_layout.of_run_time_size(handle):
            continue
        model = memory_layout.model(handle)
        order = tuple(int(axis) for axis in np.argsort([-step for step in model.strides], kind="stable"))
        if not model.flags.c_contiguous and model.transpose(order).flags.c_contiguous:
            found[k] = order
    return found


def _are_plain(layout: layouts.Layout, around: bool = True) -> Iterator[bool]:
    """For each part that is known only at run time, whether it is an array by itself or in ordinary containers."""
    match layout:
        case layouts.Leaf():
            yield around
        case layouts.Node(structure, children):
            for child in children:
                yield from _are_plain(child, around and structure.cls in _HOLDERS)
        case layouts.Union(options):
            yield False
            for option in options:
                yield from _are_plain(option, around=False)


# With more of them, all of the array is one output.
_MOST_PARTS = 8


@frozen
class _WrittenPart:
    """A part of an array and its new contents."""

    contents: Atom
    # Start, stop and step of each axis, where they are known while tracing.
    index: tuple[tuple[int, int, int], ...] | None
    starts: tuple[Atom, ...] = ()  # where it starts, if they are not


def _written_parts(root: Builder, before: Var, after: Atom) -> list[_WrittenPart] | None:
    """The parts in which an array was written, in this order; None where that is all of it."""
    found: list[_WrittenPart] = []
    while after is not before:
        equation = root.maker(after) if isinstance(after, Var) else None
        part = None if equation is None else _part(equation)
        if part is None or equation is None or len(found) == _MOST_PARTS:
            return None
        found.insert(0, part)
        after = equation.inputs[0]
    return found if sum(part.contents.type.size for part in found) < before.type.size else None


def _part(equation: Equation) -> _WrittenPart | None:
    """The part that an equation writes into its first input; None if it does something else."""
    if equation.op is strided_update:
        params = equation.params
        index = tuple(zip(params["starts"], params["limits"], params["strides"], strict=True))
        return _WrittenPart(equation.inputs[1], index)
    if equation.op is not dynamic_update_slice:
        return None
    x, contents, *starts = equation.inputs
    known = [start.value for start in starts if isinstance(start, Literal)]
    if len(known) < len(starts):
        return _WrittenPart(contents, None, tuple(starts))
    sizes = zip(known, x.type.shape, contents.type.shape, strict=True)
    first = [(int(np.clip(start, 0, n - size)), size) for start, n, size in sizes]
    return _WrittenPart(contents, tuple((start, start + size, 1) for start, size in first))

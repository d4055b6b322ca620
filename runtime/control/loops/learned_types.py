"""The types that the traces of a loop's body have found it to carry, for when the loop is met again.

A loop in the body of another is traced anew with each trace of that. Where it is met in surroundings of the same types,
its types are those that it had: it begins with them, and one trace shows that they stay. So a nest of loops takes as
many traces as it has levels for each trace of the outermost body, and not some times as many with each level.
"""

from __future__ import annotations

import dataclasses
import types as python_types
from collections.abc import Callable

import numpy as np

from anabranch.base.by_identity import IdentityDict
from anabranch.runtime.control.columnar import row_tables
from anabranch.runtime.control.loops.loop_state import LoopTypes
from anabranch.runtime.ir.program import Literal, Var
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.tracing.capacity import Capacity
from anabranch.runtime.tracing.source_frames import place
from anabranch.runtime.values import containers
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.attributes import Bare
from anabranch.runtime.values.dynamic_shapes import length_permission
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.list_buffer import ListBuffer
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import UnionValue

_CONSTANTS = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype, type)
# So many surroundings of one loop are remembered; those of functions that many places call differ.
_MOST = 8


@dataclasses.dataclass(frozen=True, slots=True)
class LearnedTypes:
    """The types of a loop in some surroundings."""

    surroundings: tuple[object, ...]  # the types of all that its body reads
    slots: tuple[int, ...]  # which of the objects that the body reaches it changes
    entries: tuple[layouts.Layout | None, ...]  # what it carries; None for an entry that stayed as assumed at first
    requests: tuple[Capacity, ...]  # the capacities that lists have in the loop
    exact: bool  # containers from before the loop and new ones are told apart
    together: frozenset[tuple[int, ...]]  # the places in what it carries that may hold the same container


def begin(types: LoopTypes) -> bool:
    """Let a loop carry what it has carried in such surroundings, if it has been in any."""
    known = current().trace.loops.types.get(_site(types))
    if not known:
        return False
    here = _surroundings(types)
    found = next((k for k in known if k.surroundings == here), None)
    if found is None:
        return False
    slots, given = list(types.heap.slots), types.slots

    def object_of(value: object) -> object:
        return slots[value.number].target if isinstance(value, _Place) else value

    types.exact = found.exact
    types.set_slots([slots[k] for k in found.slots])
    types.add_slots([s for s in given if s not in types.slots])
    if len(types.layouts) == len(found.entries):
        for i, entry in enumerate(found.entries):
            if entry is not None:
                types.layouts[i] = _with_constants(entry, object_of)
        types.requests = list(found.requests)
        if None not in found.entries:
            types.together = set(found.together)
    return True


def remember(types: LoopTypes) -> None:
    """Note what a loop carries that needed more than one trace."""
    if types.by_identity or types.aliased:
        return
    places = _places(types.heap)
    entries = tuple(None if i in types.unread else _detached(t, places) for i, t in enumerate(types.layouts))
    known = current().trace.loops.types.setdefault(_site(types), [])
    slots = tuple(places[s.target] for s in types.slots)
    together = frozenset(types.together)
    known.insert(0, LearnedTypes(_surroundings(types), slots, entries, tuple(types.requests), types.exact, together))
    del known[_MOST:]


def _site(types: LoopTypes) -> tuple[object, ...]:
    """Return what a loop is found again by: loops of the project's own stand in many places of the user's."""
    return types.loop.site, place()


def _with_constants(layout: layouts.Layout, change: Callable[[object], object]) -> layouts.Layout:
    """Return a layout with other constants."""
    if isinstance(layout, layouts.Constant):
        return layouts.Constant(change(layout.value))
    return layouts.mapped(layout, lambda part: _with_constants(part, change))


@dataclasses.dataclass(frozen=True, slots=True)
class _Place:
    """The number of an object among those that the body reaches."""

    number: int


def _detached(layout: layouts.Layout, places: IdentityDict[object, int]) -> layouts.Layout | None:
    """Return a layout with the places of the objects in it; None where others in it belong to one trace."""
    of_one_trace = False

    def place_of(value: object) -> object:
        nonlocal of_one_trace
        if value in places:
            return _Place(places[value])
        of_one_trace = of_one_trace or not isinstance(value, (*_CONSTANTS, Undefined))
        return value

    found = _with_constants(layout, place_of)
    return None if of_one_trace else found


def _surroundings(types: LoopTypes) -> tuple[object, ...]:
    trace, heap = current().trace, types.heap
    loop = types.loop
    flags = (
        trace.lists.grow_here,
        length_permission.depends_on_arguments_alone(),
        bool(trace.failures.regions),
        loop.most,
        loop.least,
        loop.alternates,
        loop.peels,
    )
    places = _places(heap)
    objects = [(type(s), type(s.target), _type_of(s.before, places)) for s in heap.slots]
    return (flags, tuple(objects), tuple([_type_of(v, places) for v in types.init[2 : 2 + len(loop.init)]]))


def _places(heap: Heap) -> IdentityDict[object, int]:
    return IdentityDict((slot.target, k) for k, slot in enumerate(heap.slots))


def _type_of(value: object, places: IdentityDict[object, int]) -> object:
    """Return what is equal for values of one type; objects that the body reaches are told apart by their order."""
    if value in places:
        return places[value]
    if isinstance(value, UnionValue):
        return (UnionValue, *(_type_of(v, places) for v in value.options))
    if isinstance(value, python_types.FunctionType):
        return (value.__code__, *(places.get(c) for c in value.__closure__ or ()))
    if isinstance(value, (dict, IdentityDict)):
        return (type(value), *(_type_of(v, places) for pair in value.items() for v in pair))
    if isinstance(value, Bare):  # an iterable: a new one in each trace, over the same
        inside = places.copy()
        inside[value] = len(places)
        return (type(value), *(_type_of(v, inside) for v in vars(value).values()))
    if isinstance(value, (Builder, Var)):
        return value.type if isinstance(value, Var) else Builder
    if isinstance(value, row_tables.RowBinding):
        return (row_tables.RowBinding, places.get(value.table), _type_of(value.index, places))
    structure = None if isinstance(value, _CONSTANTS) else containers.structure_of(value)
    if structure is not None:
        return (structure, *(_type_of(v, places) for v in structure.children(value)))
    if isinstance(value, TracedArray):
        return (value.abstract, memory_layout.traits(value), len(value.path), value.is_readonly)
    if isinstance(value, ListBuffer):
        return (value.abstract, value.atom.key if isinstance(value.atom, Literal) else None)
    if isinstance(value, python_types.MethodType):
        return (_type_of(value.__func__, places), _type_of(value.__self__, places))
    if isinstance(value, (PythonScalar, NumPyScalar)):
        atom = value.word_ if value.word_ is not None else value.atom
        constant = atom.value.tobytes() if isinstance(atom, Literal) else None
        known = layouts.Constant(value)
        return (layouts.numeric(known), layouts.interval(known), constant)
    return layouts.Constant(value)

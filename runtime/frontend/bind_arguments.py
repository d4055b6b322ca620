"""Arguments as the function that is traced gets them: fresh containers of traced values."""

from __future__ import annotations

import bisect
import dataclasses
import re
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentityDict, IdentitySet
from anabranch.runtime.control.calls.user_functions import is_capturable
from anabranch.runtime.control.columnar import array_lists
from anabranch.runtime.control.dynamic_lists.growable_deque import growing
from anabranch.runtime.control.hash_tables import table_arguments
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Literal, Var
from anabranch.runtime.numpy.core import frozen
from anabranch.runtime.signature.argument_layouts import Arguments
from anabranch.runtime.signature.flatten_to_key import RepeatedArgument
from anabranch.runtime.signature.object_fields import SetStructure
from anabranch.runtime.signature.static_keys import Static, frozen_copy
from anabranch.runtime.tracing.builder import Trace
from anabranch.runtime.tracing.container_state import ArgumentSite, SharedList, TableSite
from anabranch.runtime.tracing.storage import ConstantStorage, OnDevice, Part, Storage
from anabranch.runtime.values import wrap
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists import item_kinds
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure
from anabranch.runtime.values.list_buffer import ListBuffer
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.random_generators import TracedGenerator
from anabranch.runtime.values.run_time_container import RunTimeContainer


def _root(name: str) -> str:
    """The argument that a part of it is named after."""
    return re.split(r"[.\[]", name, maxsplit=1)[0]


# A list or tuple of so many numbers of one kind, or of such lists, is one array in the computation.
_PACKED = 9
# A list of more has its elements side by side from the beginning.
_SIDE_BY_SIDE = 257
_SEQUENCES = (list, tuple, set)


def fields(arguments: Arguments) -> dict[int, tuple[int, ...]]:
    """The leaves that are numbers of one kind, and one field of many containers: each with all of its field."""
    found: dict[Any, list[int]] = {}
    leaf = 0
    for place, layout in enumerate((*arguments.args, *arguments.kwargs.values())):
        pending: list[tuple[Any, layouts.Layout]] = [(None, layout)]
        while pending:
            field, part = pending.pop()
            if isinstance(part, layouts.Leaf):
                if field is not None and not part.abstract.shape and part.abstract.kind is not Kind.ARRAY:
                    found.setdefault((place, field, part.abstract), []).append(leaf)
                leaf += 1
            elif isinstance(part, layouts.Node):
                count = len(layouts.leaf_types(part)) if part.structure.cls in _SEQUENCES else 0
                if count >= _PACKED and _one_kind(part) is not None:
                    leaf += count
                    continue
                pairs = zip(part.structure.keys, part.children, strict=True)
                pending += reversed([((part.structure.cls, key), child) for key, child in pairs])
    rows = [tuple(k for k in row if k not in arguments.known) for row in found.values()]
    return {k: row for row in rows if len(row) >= _PACKED for k in row}


def _one_kind(layout: layouts.Layout) -> Abstract | None:
    """Return the one type of the leaves of lists and tuples of numbers; None for several types or anything else."""
    if isinstance(layout, layouts.Leaf):
        abstract = layout.abstract
        return abstract if abstract.kind is not Kind.ARRAY and not abstract.shape else None
    if not isinstance(layout, layouts.Node) or layout.structure.cls not in _SEQUENCES or not layout.children:
        return None
    first = _one_kind(layout.children[0])
    return first if first is not None and all(_one_kind(c) == first for c in layout.children[1:]) else None


class BoundArguments:
    """The traced arguments, leaf by leaf and container by container."""

    def __init__(self, trace: Trace, arguments: Arguments) -> None:
        self._builder = trace.root
        self._arguments = arguments
        self.args: tuple[Any, ...] = ()
        self.kwargs: dict[str, Any] = {}
        self.handles: list[TracedArray | None] = []  # for each leaf the array's handle, or None
        self.atoms: list[Var] = []  # for each leaf its formal, or the part of one that it is
        self.containers: list[Any] = []  # the mutable ones, in the order of `Leaves.containers`
        self.numbers: IdentityDict[Any, int] = IdentityDict()  # from a traced number to its leaf
        self.statics: list[Any] = []  # what is plain Python while tracing
        self.copies: list[Any] = []  # those of them that stand for what the caller may change
        # The leaves of each input that holds several: of a list of numbers, or of a field of many nodes of a structure.
        self.packs: list[range | tuple[int, ...]] = []
        self.states: set[Storage] = set()  # the memory of the states of generators of random numbers
        self._pack: Var | None = None
        self._in_arenas = False  # whether the lists of what is made now lie in an arena
        self._depth = 0  # in how many containers that lie in arenas that lies which is made now
        # The leaves of fields, each with the others of its field; and the inputs of these, by the first leaf.
        self._fields = {} if arguments.device else fields(arguments)
        self._columns: dict[int, Var] = {}

    @property
    def shared_memory(self) -> tuple[Any, ...]:
        """The lists in which other lists of the caller's lie."""
        arenas = IdentitySet(c.arena_ for c in self.containers if isinstance(c, RunTimeContainer) and c.arena_)
        return tuple([part for arena in arenas for part in arena.parts])

    def make(self, layout: layouts.Layout) -> Any:
        """The value that stands for an argument or a part of one."""
        match layout:
            case layouts.Constant(value):
                return self._constant(value)
            case layouts.Leaf(abstract):
                return self._leaf(abstract)
            case layouts.Node() if self._pack is None and (kind := self._packed(layout)) is not None:
                count = len(layouts.leaf_types(layout))
                self.packs.append(range(len(self.handles), len(self.handles) + count))
                self._pack = self._builder.formal(ArrayType((count,), kind.dtype))
                made = self.make(layout)
                self._pack = None
                return made
            case layouts.Node(structure) if self._lies_in_arena(layout):
                return self._in_arena(layout)
            case layouts.Node(SetStructure(), children):
                return self._table(table_arguments.set_of([self.make(c) for c in children], len(self.containers)))
            case layouts.Node(structure, children):
                if not structure.mutable:
                    return self._builder.trace.identity.merge(structure.build([self.make(c) for c in children]))
                place = len(self.containers) + 1
                made = structure.empty()
                if self._builder.trace.lists.may_grow:
                    made = growing(made)
                self.containers.append(made)
                around = self._in_arenas
                self._in_arenas = table_arguments.has_items_in_arenas(layout, place - 1)
                first = len(self.handles)
                if self._lies_side_by_side(layout):
                    self._fill_from_pack(made, layout)
                else:
                    structure.fill(made, [self.make(c) for c in children])
                if structure.cls is list:
                    self._builder.trace.requests.items.update(range(first, len(self.handles)))
                self._in_arenas = around
                if isinstance(made, TracedGenerator):
                    self.states.add(made.state_words.storage)
                if isinstance(made, Growable):
                    self._builder.trace.lists.arguments.append(made)
                    array_lists.note_allocation(made, ("argument", place))
                table = table_arguments.dict_of(made, place - 1)
                if table is not made:
                    self.containers[place - 1] = table
                return table
        raise AssertionError("an argument is no choice")

    def _lies_side_by_side(self, layout: layouts.Node) -> bool:
        """Return whether a list is one with so many numbers of one kind that each is no value of its own."""
        trace, count = self._builder.trace, len(layout.children)
        is_input = self._pack is not None and layout.structure.cls is list and len(self.packs[-1]) == count
        may_be = trace.lists.may_grow and trace.lists.array_sites is not None and not trace.requests.items_apart
        return is_input and may_be and count >= _SIDE_BY_SIDE

    def _fill_from_pack(self, made: Any, layout: layouts.Node) -> None:
        kind, pack, count = layout.children[0], self._pack, len(layout.children)
        assert isinstance(kind, layouts.Leaf)
        assert pack is not None
        structure = ItemsStructure(Items, (), None, (item_kinds.general(kind),), count, fixed=True)
        made.become(Items(structure, (count, ListBuffer(pack))))
        self.atoms += [Part(kind.abstract.type, pack, k) for k in range(count)]
        self.handles += [None] * count
        self._builder.trace.lists.in_arrays += count
        self._builder.trace.requests.are_side_by_side = True

    def _lies_in_arena(self, layout: layouts.Node) -> bool:
        if layout.structure.cls is tuple or self._arguments.device:
            return False
        sites, place = self._builder.trace.lists.arena_sites or (), len(self.containers)
        wanted = self._in_arenas or SharedList(("argument", place + 1)) in sites
        wanted = wanted or TableSite(ArgumentSite(place), layout.structure.cls) in sites
        return wanted and table_arguments.can_lie_in_one(layout)

    def _in_arena(self, layout: layouts.Node) -> Any:
        made = table_arguments.begun(layout.structure, self._depth)
        self.containers.append(made)
        around, self._in_arenas, first = self._in_arenas, True, len(self.handles)
        self._depth += 1
        table_arguments.fill(made, layout.structure, [self.make(c) for c in layout.children])
        self._in_arenas = around
        self._depth -= 1
        self._builder.trace.requests.items.update(range(first, len(self.handles)))
        return made

    def _table(self, made: Any) -> Any:
        self.containers.append(made)
        return made

    def _packed(self, layout: layouts.Layout) -> Abstract | None:
        """Return the type of the numbers of a list that is one input; None for any other argument."""
        found = _one_kind(layout)
        count = len(layouts.leaf_types(layout))
        if found is None or count < _PACKED or self._arguments.device:
            return None
        first = len(self.handles)
        return None if any(first <= k < first + count for k in self._arguments.known) else found

    def _constant(self, value: object) -> Any:
        if isinstance(value, RepeatedArgument):
            return self.containers[value.index]
        if not isinstance(value, Static):
            self.statics.append(value)
            return value
        made = frozen_copy(value.value)
        if self._builder.trace.constants.are_traced:
            made = _traced(made, value.value)
        self.statics.append(made)
        if made is not value.value:
            self.copies.append(made)
        return made

    def _leaf(self, abstract: Abstract) -> Any:
        leaf = len(self.handles)
        atom: Var
        if leaf in self._fields:
            field = self._fields[leaf]
            if leaf == field[0]:
                self.packs.append(field)
                self._columns[leaf] = self._builder.formal(ArrayType((len(field),), abstract.dtype))
            atom = Part(abstract.type, self._columns[field[0]], bisect.bisect_left(field, leaf))
        elif self._pack is None:
            atom = self._builder.formal(abstract.type)
        else:
            atom = Part(abstract.type, self._pack, leaf - self.packs[-1][0])
        self.atoms.append(atom)
        if leaf in self._arguments.known:
            self.handles.append(None)
            return self._arguments.numbers[leaf]
        if leaf in self._arguments.numbers:
            self._builder.trace.requests.knowable[atom] = leaf
        first = self._arguments.first(leaf)
        if first < leaf:
            self.handles.append(self.handles[first])
            return self.handles[first]
        value = wrap.from_abstract(abstract, atom)
        self.handles.append(value if isinstance(value, TracedArray) else None)
        if isinstance(value, TracedArray):
            self._builder.trace.identity.callers_memory.add(value.storage)
        else:
            self.numbers[value] = leaf
            if abstract.kind is Kind.SCALAR:  # one scalar passed twice is two here
                self._builder.trace.identity.merge(value)
        return value


def bind_arguments(arguments: Arguments, trace: Trace) -> BoundArguments:
    """Return the arguments as traced values on fresh formals."""
    given = BoundArguments(trace, arguments)
    given.args = tuple(map(given.make, arguments.args))
    given.kwargs = {k: given.make(t) for k, t in arguments.kwargs.items()}
    table_arguments.end()
    trace.identity.callers_objects.update(given.containers)
    if trace.explanation.decisions is not None:
        trace.explanation.names = dict(zip(given.atoms, arguments.leaf_names(), strict=True))
        for pack in given.packs:
            part, name = given.atoms[pack[0]], trace.explanation.names[given.atoms[pack[0]]]
            if isinstance(part, Part) and isinstance(part.whole, Var):
                trace.explanation.names[part.whole] = (
                    name.rpartition("[")[0] if isinstance(pack, range) else _root(name)
                )
    on_device = {leaf: OnDevice(name) for leaf, name in arguments.device.items()}
    readonly = {**dict.fromkeys(arguments.readonly, "argument"), **on_device}
    for leaf, array in enumerate(given.handles):
        if array is not None:
            array.storage.readonly = readonly.get(leaf, array.storage.readonly)
            array.storage.strides = arguments.strides.get(leaf, array.storage.strides)
    return given


def _traced(copy: Any, original: Any) -> Any:
    """The copy of a static argument, with traced arrays; what it has in common with the caller's own stays as it is.

    Static are arrays, tuples, and dataclasses that go by their contents; of these there are copies.
    """
    if type(copy) is tuple:
        return tuple(map(_traced, copy, original))
    if copy is original:
        return copy
    if type(copy) is np.ndarray:
        return _constant(copy) if is_capturable(copy) else copy
    if dataclasses.is_dataclass(copy):
        for field in dataclasses.fields(copy):
            part = getattr(copy, field.name)
            object.__setattr__(copy, field.name, _traced(part, getattr(original, field.name)))
    return copy


def _constant(array: np.ndarray) -> TracedArray:
    storage = ConstantStorage(Literal(frozen(np.array(array, order="C"))))
    storage.strides = memory_layout.traits_of_ndarray(array).strides
    return TracedArray(storage)

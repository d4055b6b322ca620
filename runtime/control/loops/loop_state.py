"""The carries of a loop: the layouts of its state and the slots in it, as they are widened to a fixpoint.

The state of a loop is a row of values: how it was left (exit code, returned value), the carried names, and the
contents of the Python objects that the body changes. Arrays that the body only writes to in place are no part of the
state; their memory is carried by identity.
"""

from __future__ import annotations

import collections
import dis
import types as python_types
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.by_identity import ByIdentity, IdentityDict, IdentitySet
from anabranch.base.frozen import frozen
from anabranch.base.grammar import counted
from anabranch.base.instance_cache import cached_by_identity
from anabranch.base.value import Value
from anabranch.runtime.control.aliasing.body_trace import Places, Reach
from anabranch.runtime.control.branches.join import grow
from anabranch.runtime.control.exits import NEXT, State, no_value
from anabranch.runtime.control.staging import run_time_keys
from anabranch.runtime.errors import StructureMismatchError
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import Builder, building, current
from anabranch.runtime.tracing.capacity import Capacity
from anabranch.runtime.values import arena_classes
from anabranch.runtime.values.arrays.dynamic_array import DynamicArrayStructure
from anabranch.runtime.values.containers import structure_of
from anabranch.runtime.values.dynamic_lists.grouped_fields import FieldGroups
from anabranch.runtime.values.dynamic_shapes.length_permission import may_grow
from anabranch.runtime.values.heap.generator_names import GeneratorNames
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.pytrees import layout as layouts, pack_unpack, shared_containers
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import UnionValue

INT64 = ArrayType((), np.dtype(np.int64))


class ConditionWritesError(Exception):
    """The condition of a loop changes what the loop carries."""


@frozen
class LoopStatement:
    """A loop statement, as it is to be staged.

    `body(index, *carry)` gives the whole state after one step, exit code and returned value first; `test(*carry)` is
    None for a loop that only counts. `trip` is None for a loop that only tests.
    """

    body: Callable[..., State]
    test: Callable[..., Any] | None
    trip: Atom | None
    most: int  # the trip count is at most this
    init: tuple[Any, ...]
    names: tuple[str, ...]
    roots: tuple[object, ...]
    site: Hashable  # the generated body's code object: what earlier traces learned is kept by it
    what: str
    alternates: bool = False  # whether carries may be of one dtype or another, which a tag tells
    peels: bool = False  # its first step may run on its own

    @property
    def least(self) -> int:
        """The loop runs at least so often."""
        return int(self.trip.value) if isinstance(self.trip, Literal) else 0


def first_step_error(message: str, loop: LoopStatement) -> StructureMismatchError:
    """The error of a step that gives a carry another structure; that of the first step may be the one it keeps."""
    error = StructureMismatchError(message)
    error.first_step_of = loop.site
    return error


def hint_of(slot: Slot) -> Hashable:
    """By what a slot that a loop's body changes is found again when the loop is traced again."""
    target = slot.target
    return target.site if isinstance(target, GeneratorNames) else ByIdentity(target)


class LoopTypes:
    """The layouts of a loop's state and the slots in it, as they are widened to a fixpoint."""

    def __init__(self, loop: LoopStatement, heap: Heap) -> None:
        self.loop = loop
        self.heap = heap
        self.slots: list[Slot] = []
        self.by_identity: set[int] = set()
        self.unread: set[int] = set()  # state entries that no step looks at, which are of a step's own type
        self.aliased: set[int] = set()  # state entries whose arrays are linked at the start of a step
        self.places = Places()
        self.reach: Reach | None = None  # of an earlier trace
        self.alike: Mapping[int, int] = {}  # leaves that are always equal to earlier ones
        self.deepened: collections.defaultdict[int, Deepening] = collections.defaultdict(Deepening)  # of state entries
        self.requests: list[Capacity] = []  # that lists got in this loop
        self.together: set[tuple[int, ...]] = set()  # places of containers in the state that may hold the same one
        self.exact = False  # whether containers from before the loop and new ones are told apart
        self.init: list[Any] = [NEXT, Undefined(no_value.name), *map(_fresh_undefined, loop.init)]
        self.layouts: list[layouts.Layout] = self._initial_abstraction()
        known = current().trace.loops.slot_hints.get(loop.site, ())
        self.add_slots([s for s in heap.slots if hint_of(s) in known])

    def deepens(self, i: int, after: layouts.Layout) -> bool:
        """Return whether a state entry nests deeper each time, as `t` does in `t = (t, x)`."""
        return self.deepened[i].goes_on(self.layouts[i], after)

    def multiplies(self, i: int, after: layouts.Layout) -> bool:
        """Return whether a state entry has come to hold far more than before the loop, as `s` does in `s = s + s`."""
        return _size(after) > _LARGEST + 16 * _size(layouts.outline(self.init[i]))

    def _initial_abstraction(self) -> list[layouts.Layout]:
        names = [layouts.initial_abstraction(layouts.outline(v)) for v in self.init[2 : 2 + len(self.loop.init)]]
        return [layouts.Constant(NEXT), layouts.Constant(self.init[1]), *names]

    @property
    def whole(self) -> layouts.Node:
        """The layout of the state."""
        structure = structure_of(tuple(self.init))
        assert structure is not None
        return layouts.Node(structure, tuple(self.layouts))

    def entries_of(self, leaves: set[int]) -> set[int]:
        """The state entries that these leaves belong to."""
        found = {i for i in range(len(self.layouts)) if leaves.intersection(self.leaves_of({i}))}
        if not found:
            raise AssertionError("a conflict in no carry")
        return found

    def leaves_of(self, entries: set[int]) -> list[int]:
        """The leaves of these state entries."""
        owners = [i for i, layout in enumerate(self.layouts) for _ in layouts.leaf_types(layout)]
        return [k for k, i in enumerate(owners) if i in entries]

    @property
    def groups(self) -> FieldGroups:
        """The groups of leaves of the state that lie side by side."""
        width = 2 + len(self.loop.init)
        return FieldGroups.of(self.layouts[:width], self.slots, self.layouts[width:])

    @property
    def unboxed(self) -> list[Value]:
        """The containers from before the loop that are carried by their parts."""
        return shared_containers.new_containers(tuple(self.init), self.whole)

    @property
    def unboxes_an_alternative(self) -> bool:
        """Return whether one of them is carried by its parts as one of several alternatives, told apart by a tag."""
        return any(map(_unboxed_in_a_union, self.init, self.layouts))

    @property
    def unboxed_is_written(self) -> bool:
        """Return whether the body changes one of them under another name."""
        targets = IdentitySet(s.target for s in self.slots)
        return any(c in targets for c in self.unboxed)

    def begin_exactly(self) -> None:
        """Start again, with containers from before the loop and new ones told apart."""
        self.exact = True
        self.layouts = self._initial_abstraction()
        self.layouts += [_abstract_contents(s.before) for s in self.slots]

    def set_slots(self, slots: Sequence[Slot]) -> None:
        """Carry these, and no others."""
        width = 2 + len(self.loop.init)
        self.slots = []
        del self.init[width:], self.layouts[width:]
        self.add_slots(slots)

    def add_slots(self, slots: Sequence[Slot]) -> None:
        for slot in slots:
            self.slots.append(slot)
            self.init.append(slot.before)
            self.layouts.append(_abstract_contents(slot.before))

    def is_unread(self, position: int) -> bool:
        """Return whether a step binds this name before it reads it, and nothing else sees the old value."""
        if (
            self.loop.test is not None
            or not 2 <= position < 2 + len(self.loop.init)
            or current().trace.failures.regions
        ):
            return False
        site = self.loop.site
        return isinstance(site, python_types.CodeType) and binds_first(site, position - 2 - len(self.loop.init))

    def carry_by_identity(self, positions: Sequence[int]) -> None:
        """Let the body see these state entries' own handles instead of fresh ones."""
        for i in positions:
            self.by_identity.add(i)
            described = layouts.outline(self.init[i])
            self.layouts[i] = (
                layouts.by_identity(described)
                if i < 2 + len(self.loop.init)
                else _contents(described, layouts.by_identity)
            )

    def name(self, position: int) -> str:
        names = ("exit code", "returned value", *self.loop.names)
        if position < len(names):
            return names[position]
        target = self.slots[position - len(names)].target
        if isinstance(target, GeneratorNames):
            return " or ".join(f"'{n}'" for n in target.names)
        return f"the contents of a {type(target).__name__}"

    def described(self, position: int) -> str:
        """The entry in the words of a message: a name in quotes."""
        name = self.name(position)
        if position < 2:
            return f"the {name}"
        return f"'{name}'" if position < 2 + len(self.loop.names) else name


def _unboxed_in_a_union(value: object, layout: layouts.Layout) -> bool:
    if isinstance(layout, layouts.Union):
        for option in value.options if isinstance(value, UnionValue) else (value,):
            structure = structure_of(option)
            held = any(isinstance(o, layouts.Constant) and o.value is option for o in layout.options)
            if structure is not None and structure.mutable and not held:
                return True
        return False
    if not isinstance(layout, layouts.Node) or layout.structure.flat or isinstance(value, UnionValue):
        return False
    if isinstance(layout.structure, DynamicArrayStructure):
        # There are no containers in an array, and where no step reads the name, the value before may be another.
        return False
    return any(map(_unboxed_in_a_union, layout.structure.children(value), layout.children))


@cached_by_identity
def binds_first(code: python_types.CodeType, position: int) -> bool:
    """Return whether a body binds the parameter at `position` (from the end) before it reads it, on every path.

    False where that is not certain: after the first jump, and for a name that an inner function shares.
    """
    name = code.co_varnames[: code.co_argcount][position]
    if name in code.co_cellvars:
        return False
    for instruction in dis.get_instructions(code):
        if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            return False
        if name in _names_of(instruction):
            return instruction.opname == "STORE_FAST"
    return False


def _names_of(instruction: dis.Instruction) -> tuple[str, ...]:
    """The names that an instruction is about; newer Pythons have some for two."""
    return instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)


def _fresh_undefined(value: object) -> Value:
    return Undefined(value.name) if isinstance(value, Undefined) else value


def _abstract_contents(contents: object) -> layouts.Layout:
    return _contents(layouts.outline(contents), layouts.initial_abstraction)


def _contents(described: layouts.Layout, taken_for: Callable[[layouts.Layout], layouts.Layout]) -> layouts.Layout:
    """The layout of what is in an object, each part of it taken for something."""
    if isinstance(described, layouts.Node):
        return layouts.Node(described.structure, tuple(map(taken_for, described.children)))
    return described


def initial(outer: Builder, types: LoopTypes) -> list[pack_unpack.Packed]:
    """The state before the loop, as its layouts have it."""
    with building(outer):
        rows = zip(types.init, types.layouts, strict=True)
        return [
            p
            for i, (v, t) in enumerate(rows)
            for p in (pack_unpack.unspecified(t) if i in types.unread else pack_unpack.pack(v, t))
        ]


def _size(layout: layouts.Layout) -> int:
    """Return how many run-time values and characters of static texts a value holds."""
    if isinstance(layout, layouts.Constant):
        return len(layout.value) if isinstance(layout.value, (str, bytes)) else 0
    return (not isinstance(layout, layouts.Node)) + sum(map(_size, layouts.parts(layout)))


# What a state entry may come to hold, beyond some times of what it holds before the loop.
_LARGEST = 512
# So often containers may come to lie in others before a loop is given up.
_DEEPENINGS = 4
_LINKS = 2  # so often until objects that lie in others of their class are taken for a structure of any size


class Deepening:
    """How often a value came to nest deeper, as it was given another type."""

    def __init__(self) -> None:
        self._times = 0

    def goes_on(self, before: layouts.Layout, after: layouts.Layout) -> bool:
        """Note another type, and return whether there will be deeper ones without end.

        Raises `Restart` where objects that lie in others of their class could lie in an arena instead.
        """
        self._times += layouts.depth(after) > layouts.depth(before)
        if self._times >= _LINKS:
            arena_classes.need_of_made(layouts.self_nested(after))
        return self._times > _DEEPENINGS


def have_tables(loop: LoopStatement, heap: Heap, changes: IdentityDict[Value, Value]) -> None:
    """Have dicts be tables that a step makes longer; where the loop is tried without, when lists in it may grow.

    Raises `Restart` where one could have been one since it was made.
    """
    for target, after in changes.items():
        if type(target) is dict and isinstance(after, dict) and len(after) > len(heap[target].before):
            if may_grow():
                run_time_keys.become_table(target)
            current().trace.loops.longer_dicts.setdefault(loop.site, []).append(target)


def check_growth(types: LoopTypes, i: int, after: layouts.Layout, loop: LoopStatement, replaced: bool) -> None:
    """A container that changes its size or keys at each step, or an array that changes its shape, has no type.

    An array of another dtype has one after the first step, if it is `replaced` by that; else it is carried as either.
    So is what is returned where it is a number or an array: no step computes with it.
    """
    width = 2 + len(loop.init)
    target = types.slots[i - width].target if i >= width else None
    if isinstance(target, GeneratorNames) and isinstance(after, layouts.Node):
        for name, child in zip(target.names, after.children, strict=True):
            _check_growth(f"'{name}'", child, loop, None, False)
    else:
        if i == 1 and isinstance(after, layouts.Union):
            after = layouts.Union(tuple([o for o in after.options if getattr(layouts.numeric(o), "shape", None) != ()]))
        _check_growth(types.described(i), after, loop, target, replaced)


def _check_growth(name: str, after: layouts.Layout, loop: LoopStatement, target: object, replaced: bool) -> None:
    if not isinstance(after, layouts.Union):
        return
    nodes = [
        o for o in after.options if isinstance(o, layouts.Node) and issubclass(o.structure.cls, (list, dict, tuple))
    ]
    shapes = {a.shape: o for o in after.options if (a := layouts.numeric(o)) is not None}
    dtypes = [o for o in after.options if layouts.numeric(o) is not None]
    if len(nodes) > 1 and len({n.structure.cls for n in nodes}) < len(nodes):
        named = issubclass(nodes[0].structure.cls, (list, collections.deque))
        grow([] if named else target)
        raise first_step_error(
            f"{name} has {counted(len(nodes[0].children), 'element')} before a step of {loop.what} and "
            f"{len(nodes[-1].children)} after it, and the size of a container must not change in a run-time loop; "
            "append to a list, or fill an array",
            loop,
        )
    if len(shapes) > 1:
        first, *_, last = map(str, map(layouts.numeric, shapes.values()))
        raise first_step_error(
            f"{name} is {first} before a step of {loop.what} and {last} after it, and its shape must not change; join "
            "the parts after the loop, or fill an array that was made before",
            loop,
        )
    if len(dtypes) > 1 and replaced and not loop.alternates:
        first, *_, last = map(str, map(layouts.numeric, dtypes))
        raise first_step_error(
            f"{name} is {first} before a step of {loop.what} and {last} after it, and its dtype must not change; "
            "start with an array of the dtype that is meant",
            loop,
        )

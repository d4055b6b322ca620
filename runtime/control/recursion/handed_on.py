"""Arrays and lists that the calls of a recursive function are given and return: which of them may be one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from anabranch.base.by_identity import IdentitySet
from anabranch.base.value import Value
from anabranch.runtime.control.loops import loop_objects
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import Builder
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.containers import ExceptionStructure, structure_of
from anabranch.runtime.values.heap.slots import slot_of
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.pytrees.pack_unpack import Packed, check_memory
from anabranch.runtime.values.union import UnionValue


class HandedOn:
    """The arrays that calls are given and return, and what follows for writes to them.

    Attributes
    ----------
    is_fresh : bool
        Arrays among the results are surely no memory of others.
    owns_containers : bool
        No list among the results is one that was handed on.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._given: dict[Storage, None] = {}
        self.is_fresh = self.owns_containers = True

    def begin(self) -> None:
        """Begin anew, with another trace of the body."""
        self._given = {}

    def give(self, builder: Builder, packed: Sequence[Packed]) -> None:
        """Note the arrays that a call gets; refuse writes to them where a result may be one of them, or a part."""
        handles = [p.handle for p in packed if p.handle is not None]
        for handle in handles:
            check_memory(handle)
        storages = [handle.storage for handle in handles]
        self._given.update(dict.fromkeys(storages))
        for storage in () if self.is_fresh else storages:
            here = builder
            while here.parent is not None and here.outer_has(storage):
                if storage in here.written:
                    raise self._refusal_of_views()
                here = here.parent
            if storage in here.written or storage.alias_edges or storage.dependents:
                raise self._refusal_of_views()
            here.freeze(storage)

    def give_containers(self, builder: Builder, arguments: Sequence[Value], changing: Iterable[object]) -> None:
        """Refuse changes to lists that are arguments, where these go in as copies."""
        given = [c for v in arguments for c in containers_in(v)]
        changed = IdentitySet(changing)
        if len(IdentitySet(given)) < len(given) or any(c in changed for c in given):
            raise loop_objects.refusal(self._what)
        if not self.owns_containers:
            _note_copies(builder, given)

    def get(self, builder: Builder, arrays: Sequence[TracedArray | None], containers: Sequence[object]) -> None:
        """Refuse writes to what a call has returned, where that may be what it was given."""
        if not self.owns_containers:
            _note_copies(builder, containers)
        for array in () if self.is_fresh else arrays:
            if array is not None:
                builder.freeze(array.storage)

    def check_memory(self, written: Mapping[Storage, None], writes_arrays: bool) -> None:
        """Refuse arrays as arguments, other ones in each call, whose memory some call writes to."""
        for storage in self._given:
            if storage in written or ((storage.alias_edges or storage.dependents) and writes_arrays):
                raise UnsupportedOperationError(
                    f"{self._what} hands on parts of an array that it writes to; hand on the array as it is, and the "
                    "positions of the part"
                )

    def _refusal_of_views(self) -> UnsupportedOperationError:
        return UnsupportedOperationError(
            f"a result of {self._what} may be an array that it was given, or a part of it, and that is written to; "
            "return a copy"
        )


def _note_copies(builder: Builder, containers: Sequence[object]) -> None:
    """Note lists and dicts that must not change any more, as others are copies of them."""
    for container in containers:
        slot = slot_of(container)
        if slot is not None:
            builder.copied.append((container, slot.before))


def abstract(layout: layouts.Layout) -> layouts.Layout:
    """The layout of a result, with numbers as ones known only at run time."""
    match layout:
        case layouts.Constant(value) if not isinstance(value, TracedArray):
            return layouts.initial_abstraction(layout)
        case layouts.Node(ExceptionStructure() as structure, (args, *rest), source):
            return layouts.Node(structure, (abstract(args), *rest), source)
    return layouts.mapped(layout, abstract)


def contents(layout: layouts.Layout) -> layouts.Layout:
    """The layout of what an object holds, with numbers as ones known only at run time."""
    if not isinstance(layout, layouts.Node):
        return layout
    children = [
        layouts.Constant(c.source) if isinstance(c, layouts.Node) and c.structure.mutable else abstract(c)
        for c in layout.children
    ]
    return layouts.Node(layout.structure, tuple(children), layout.source)


def holds_new_objects(layout: layouts.Layout) -> bool:
    """Return whether what an object holds has new arrays, lists, dicts or objects in it."""
    is_container = isinstance(layout, layouts.Node)
    return any((is_container and _is_new_object(part)) or holds_new_objects(part) for part in layouts.parts(layout))


def _is_new_object(layout: layouts.Layout) -> bool:
    match layout:
        case layouts.Leaf(abstract):
            return abstract.kind is Kind.ARRAY
        case layouts.Node(structure):
            return structure.mutable
        case layouts.Union(options):
            return any(map(_is_new_object, options))
    return False


def containers_in(value: object) -> Iterator[object]:
    """The lists, dicts and objects in an argument, itself among them; not those that it has by their numbers."""
    if isinstance(value, Reference):
        return
    if isinstance(value, UnionValue):
        for option in value.options:
            yield from containers_in(option)
        return
    described = structure_of(value)
    if described is None:
        return
    if described.mutable:
        yield value
    if not described.flat:
        for child in described.children(value):
            yield from containers_in(child)

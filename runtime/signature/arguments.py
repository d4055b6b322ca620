"""The arguments of a call, as the function that is traced gets them: fresh containers of traced values."""

from __future__ import annotations

import bisect
import dataclasses
import re
from collections.abc import Sequence
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.runtime.control.containers import array_lists
from anabranch.runtime.control.containers.dynamic_list import growing
from anabranch.runtime.ir.program import ArrayType, Var
from anabranch.runtime.signature.flatten import Repeated, layout_of
from anabranch.runtime.signature.static_keys import Static, kept
from anabranch.runtime.tracing.trace import OnDevice, Part, Trace
from anabranch.runtime.values import wrap
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.arrays.traced_array import Array
from anabranch.runtime.values.dynamic_lists.items import MayGrow
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.pytrees.object_fields import part_name
from anabranch.runtime.values.static_requests import Need, Specialised

# Where so many numbers of an argument must be known, each further one makes as many more known.
_FEW_KNOWN = 4


@frozen
class Arguments:
    """The layouts of a call's arguments, static ones held; which arrays are one and which are read-only.

    `device` names those that are Arrays, by leaf, and `names` are those of the positional parameters. `numbers` are the
    values of the leaves that can be known while tracing, `known` those that must be, for `needs`.
    """

    args: tuple[layouts.Layout, ...]
    kwargs: dict[str, layouts.Layout]
    aliases: tuple[int, ...] = ()
    readonly: frozenset[int] = frozenset()
    strides: dict[int, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    device: dict[int, str] = dataclasses.field(default_factory=dict)
    names: tuple[str, ...] = ()
    numbers: dict[int, Any] = dataclasses.field(default_factory=dict)
    known: frozenset[int] = frozenset()
    needs: tuple[Need, ...] = ()

    def first(self, leaf: int) -> int:
        """The first leaf that is the same array."""
        return self.aliases[leaf] if leaf < len(self.aliases) else leaf

    def words(self, needs: Sequence[Need]) -> tuple[Specialised, ...]:
        """The needs, with the leaves' names."""
        names = self.leaf_names() if needs else []
        return tuple(Specialised(tuple(names[k] for k in sorted(n.leaves)), n.what, n.place) for n in needs)

    def knowing(self, needs: Sequence[Need]) -> Arguments | None:
        """These with more of them known; None where they are known already."""
        known, new = self.known, []
        for need in needs:
            if need.leaves - known:
                found = dataclasses.replace(need, leaves=need.leaves | self._beside(need.leaves - known))
                new.append(found)
                known |= found.leaves
        return dataclasses.replace(self, known=known, needs=(*self.needs, *new)) if new else None

    def _beside(self, leaves: frozenset[int]) -> set[int]:
        """Numbers of the arguments that these are in, as many of each as are known already where these are some.

        What needs one number of a list after another is traced a few times then, and not once for each.
        """
        if len(self.known) < _FEW_KNOWN:
            return set()
        wholes = [name.partition("[")[0] for name in self.leaf_names()]
        found: set[int] = set()
        for whole in {wholes[leaf] for leaf in leaves}:
            known = sum(wholes[leaf] == whole for leaf in self.known)
            others = [k for k in self.numbers if wholes[k] == whole and k not in self.known | leaves]
            found.update(others[:known] if known >= _FEW_KNOWN else ())
        return found

    def leaf_names(self) -> list[str]:
        """What to call each leaf."""
        found: list[str] = []
        names = self.names
        positional = [names[i] if i < len(names) else f"*args[{i - len(names)}]" for i in range(len(self.args))]
        for name, layout in (*zip(positional, self.args, strict=True), *self.kwargs.items()):
            _name_leaves(name, layout, found)
        return found

    def bind(self, trace: Trace) -> Given:
        """The arguments as traced values on fresh formals."""
        given = Given(trace, self)
        given.args = tuple(map(given.make, self.args))
        given.kwargs = {k: given.make(t) for k, t in self.kwargs.items()}
        trace.callers_objects = {id(c): c for c in given.containers}
        if trace.decisions is not None:
            trace.names = dict(zip(given.atoms, self.leaf_names(), strict=True))
            for pack in given.packs:
                part, name = given.atoms[pack[0]], trace.names[given.atoms[pack[0]]]
                if isinstance(part, Part) and isinstance(part.whole, Var):
                    trace.names[part.whole] = name.rpartition("[")[0] if isinstance(pack, range) else _root(name)
        for leaf in self.readonly:
            array = given.handles[leaf]
            if array is not None:
                array.storage.readonly = "argument"
        for leaf, name in self.device.items():
            array = given.handles[leaf]
            if array is not None:
                array.storage.readonly = OnDevice(name)
        for leaf, strides in self.strides.items():
            array = given.handles[leaf]
            if array is not None:
                array.storage.strides = strides
        return given


def _root(name: str) -> str:
    """The argument that a part of it is named after."""
    return re.split(r"[.\[]", name, maxsplit=1)[0]


def _name_leaves(name: str, layout: layouts.Layout, found: list[str]) -> None:
    if isinstance(layout, layouts.Leaf):
        found.append(name)
    elif isinstance(layout, layouts.Node):
        for key, child in zip(layout.structure.keys, layout.children, strict=True):
            _name_leaves(part_name(name, layout.structure, key), child, found)


def arguments_of(
    args: Sequence[Any], kwargs: dict[str, Any], held: frozenset[type] = frozenset(), **known: Any
) -> Arguments:
    """The layouts of these arguments; a container that occurs twice is one."""
    seen: dict[int, int] = {}
    positional = tuple([layout_of(a, seen, held) for a in args])
    # In the order of the key: leaves are numbered as they were taken apart.
    return Arguments(positional, {k: layout_of(v, seen, held) for k, v in sorted(kwargs.items())}, **known)


# A list or tuple of so many numbers of one kind, or of such lists, is one array in the computation.
_PACKED = 9


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
                count = len(layouts.leaf_types(part)) if part.structure.cls in (list, tuple) else 0
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
    if not isinstance(layout, layouts.Node) or layout.structure.cls not in (list, tuple) or not layout.children:
        return None
    first = _one_kind(layout.children[0])
    return first if first is not None and all(_one_kind(c) == first for c in layout.children[1:]) else None


class Given:
    """What stands for the arguments while tracing, leaf by leaf and container by container.

    Attributes
    ----------
    handles : list
        For each leaf the array's handle, or None.
    atoms : list
        For each leaf its formal, or the part of one that it is.
    containers : list
        The mutable ones, in the order of `Leaves.containers`.
    numbers : dict
        From the identity of a traced number to its leaf.
    statics : list
        What is plain Python while tracing.
    copies : list
        Those of them that stand for what the caller may change.
    packs : list of range or tuple of int
        The leaves of each input that holds several: of a list of numbers, or of a field of many nodes of a structure.
    """

    def __init__(self, trace: Trace, arguments: Arguments) -> None:
        self._builder = trace.root
        self._arguments = arguments
        self.args: tuple[Any, ...] = ()
        self.kwargs: dict[str, Any] = {}
        self.handles: list[Array | None] = []
        self.atoms: list[Var] = []
        self.containers: list[Any] = []
        self.numbers: dict[int, int] = {}
        self.statics: list[Any] = []
        self.copies: list[Any] = []
        self.packs: list[range | tuple[int, ...]] = []
        self._pack: Var | None = None
        # The leaves of fields, each with the others of its field; and the inputs of these, by the first leaf.
        self._fields = {} if arguments.device else fields(arguments)
        self._columns: dict[int, Var] = {}

    def make(self, layout: layouts.Layout) -> Any:
        """The value that stands for an argument or a part of one."""
        match layout:
            case layouts.Held(value):
                return self._held(value)
            case layouts.Leaf(abstract):
                return self._leaf(layout, abstract)
            case layouts.Node() if self._pack is None and (kind := self._packed(layout)) is not None:
                count = len(layouts.leaf_types(layout))
                self.packs.append(range(len(self.handles), len(self.handles) + count))
                self._pack = self._builder.formal(ArrayType((count,), kind.dtype))
                made = self.make(layout)
                self._pack = None
                return made
            case layouts.Node(structure, children):
                if not structure.mutable:
                    return self._builder.trace.merge(structure.build([self.make(c) for c in children]))
                made = structure.empty()
                if self._builder.trace.lists:
                    made = growing(made)
                self.containers.append(made)
                place = len(self.containers)
                structure.fill(made, [self.make(c) for c in children])
                if isinstance(made, MayGrow):
                    array_lists.at_birth(made, ("argument", place))
                return made
        raise AssertionError("an argument is no choice")

    def _packed(self, layout: layouts.Layout) -> Abstract | None:
        """Return the type of the numbers of a list that is one input; None for any other argument."""
        found = _one_kind(layout)
        count = len(layouts.leaf_types(layout))
        if found is None or count < _PACKED or self._arguments.device:
            return None
        first = len(self.handles)
        return None if any(first <= k < first + count for k in self._arguments.known) else found

    def _held(self, value: Any) -> Any:
        if isinstance(value, Repeated):
            return self.containers[value.index]
        if not isinstance(value, Static):
            self.statics.append(value)
            return value
        made = kept(value.value)
        self.statics.append(made)
        if made is not value.value:
            self.copies.append(made)
        return made

    def _leaf(self, layout: layouts.Leaf, abstract: Any) -> Any:
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
            self._builder.trace.knowable[atom] = leaf
        first = self._arguments.first(leaf)
        if first < leaf:
            self.handles.append(self.handles[first])
            return self.handles[first]
        value = wrap.from_abstract(abstract, atom)
        self.handles.append(value if isinstance(value, Array) else None)
        if isinstance(value, Array):
            self._builder.trace.callers.add(value.storage)
        else:
            self.numbers[id(value)] = leaf
            if abstract.kind is Kind.SCALAR:  # one scalar passed twice is two here
                self._builder.trace.merge(value)
        return value

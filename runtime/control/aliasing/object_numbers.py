"""Objects that an array may be, each with when it is that, and the numbers that loops carry to tell them apart.

After `y = a if c else b` y is one of two objects, as a condition says. In a loop it may be another one in each step:
where `is` asks for that (`Identity.is_tracked`) a loop carries the number of the object that each array of its state
is. An array that is known while tracing has a number of its own. One that a step makes gets the next number at the
end of the step, if the step leaves it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anabranch.runtime.control.aliasing import branch_identity
from anabranch.runtime.control.aliasing.loop_identity import NUMBER
from anabranch.runtime.control.aliasing.loop_sources import TracedBody
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom, Var
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.tracing.builder import Builder, building, current
from anabranch.runtime.values import atoms, visibility
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.pytrees.pack_unpack import Packed

_UNDEF = OPS["undef"]
# An object, or the number of one.
Object = TracedArray | Atom


def undecided(kind: str) -> UnsupportedOperationError:
    """The error where it is not known whether two things are one; another trace may track them."""
    current().trace.identity.is_wanted = True
    return UnsupportedOperationError(
        f"whether this {kind} is that one is not known: a run-time branch or loop chose between several, and only "
        "their contents are kept; compare with =="
    )


def objects_of(array: TracedArray) -> list[tuple[Atom, Object]]:
    """Return the objects that an array may be, each with when it is that.

    Raises
    ------
    UnsupportedOperationError
        Where that is not known.
    """
    identity = current().trace.identity
    if id(array) in identity.numbers:
        _, number = identity.numbers[id(array)]
        if visibility.atom_visible(current(), number):
            return [(atoms.literal(True), number)]
    if id(array) in identity.merged:
        raise undecided("ndarray")
    if id(array) in identity.either:
        options = branch_identity.objects_of(current(), array)
        if options is None:
            raise undecided("ndarray")
        return [(atoms.logical_and(p, q), other) for p, one in options for q, other in objects_of(one)]
    if id(array) in identity.ambiguous:
        raise undecided("ndarray")
    if id(array) not in identity.chosen:
        return [(atoms.literal(True), array)]
    found: list[tuple[Atom, Object]] = []
    own: Atom = atoms.literal(True)
    for edge in array.storage.alias_edges:
        if edge.pred is None or edge.form is not None:
            raise undecided("ndarray")
        own = atoms.logical_and(own, atoms.logical_not(edge.pred))
        found += [(atoms.logical_and(edge.pred, p), other) for p, other in objects_of(edge.handle)]
    return [*found, (own, array)]


def arrays_of(array: TracedArray) -> list[tuple[Atom, TracedArray]]:
    """Return the same where no loop carries numbers: all of them are known while tracing."""
    return [(holds, one) for holds, one in objects_of(array) if isinstance(one, TracedArray)]


def are_one(a: TracedArray, b: TracedArray) -> Atom:
    """Return whether two arrays are one object, by the conditions and numbers that say which objects they are."""
    identity = current().trace.identity
    result: Atom = atoms.literal(False)
    for chosen, one in objects_of(a):
        for taken, other in objects_of(b):
            both = atoms.logical_and(chosen, taken)
            if isinstance(one, TracedArray) and isinstance(other, TracedArray):
                if one is other:
                    result = atoms.logical_or(result, both)
                elif {id(one), id(other)} & identity.stand_ins.keys() and _are_one_part(one, other):
                    raise undecided("ndarray")
            elif not (_is_other(one, a, b) or _is_other(other, a, b)):
                same = atoms.ufunc(np.equal, _number(one), _number(other))
                result = atoms.logical_or(result, atoms.logical_and(both, same))
    return result


def _is_other(one: Object, *arrays: TracedArray) -> bool:
    """Return whether an object is of another type than these arrays, of one type, so that it is none of them."""
    return isinstance(one, TracedArray) and (one.shape, one.dtype) != (arrays[0].shape, arrays[0].dtype)


def _are_one_part(one: TracedArray, other: TracedArray) -> bool:
    return one.storage is other.storage and views.same(one.path, other.path)


def _number(one: Object) -> Atom:
    """The number of an object."""
    if not isinstance(one, TracedArray):
        return one
    numbered = current().trace.identity.numbered
    numbered.setdefault(id(one), one)
    return atoms.literal(list(numbered).index(id(one)), np.int64)


def enter(body: Builder, entry: Sequence[TracedArray | None]) -> None:
    """Give the arrays at the start of a step numbers, which the loop is to carry."""
    identity = body.trace.identity
    if identity.is_tracked:
        identity.numbers.update({id(a): (a, body.formal(NUMBER)) for a in entry if a is not None})


class LoopObjects:
    """Numbers of the objects that the arrays of a loop's state are, which the loop carries.

    Attributes
    ----------
    formals : dict
        For each leaf that is an array, its number at the start of a step.
    extras : list of tuple
        The extra carries: the value before the loop, the formal, and the value after a step of each.
    """

    def __init__(self, outer: Builder, traced: TracedBody) -> None:
        self.formals: dict[int, Var] = {}
        self.extras: list[tuple[Atom, Var, Atom]] = []
        identity = outer.trace.identity
        if not identity.is_tracked:
            return
        self._body, self._since = traced.builder, traced.since
        self._new: dict[int, Object] = {}
        self._unknown: set[int] = set()
        self._from: dict[int, set[Atom]] = {}
        used = {atom for equation in self._body.equations for atom in equation.inputs}
        for k, (entry, before, after) in enumerate(zip(traced.entry, traced.init, traced.packed, strict=True)):
            if entry is not None:
                self.formals[k] = identity.numbers[id(entry)][1]  # type: ignore[assignment] # a formal of the body
            elif before.handle is not None or after.handle is not None:
                self.formals[k] = self._body.formal(NUMBER)
        with building(outer):
            starts = [self._of(k, traced.init[k], False) for k in self.formals]
        with building(self._body):
            self._made = self._body.read(identity.made)
            ends = [self._of(k, traced.packed[k], True) for k in self.formals]
            if self._new:
                more = atoms.literal(len(self._new), np.int64)
                self._body.write(identity.made, atoms.ufunc(np.add, self._made, more))
            ends = [self._body.resolve(number) for number in ends]
        self._spread_unknown()
        if any(self.formals[k] in used for k in self._unknown):
            raise undecided("ndarray")
        self.extras = list(zip(starts, self.formals.values(), ends, strict=True))

    def _of(self, leaf: int, packed: Packed, in_step: bool) -> Atom:
        """The number of the object that a leaf is before the loop, or after a step."""
        nothing = atoms.literal(-1, np.int64)
        if packed.handle is None:
            maker = current().maker(packed.atom) if isinstance(packed.atom, Var) else None
            if maker is None or maker.op is not _UNDEF:
                self._unknown.add(leaf)
            return nothing
        try:
            objects = objects_of(packed.handle)
        except UnsupportedOperationError:
            self._unknown.add(leaf)
            return nothing
        self._from.setdefault(leaf, set()).update(one for _, one in objects if not isinstance(one, TracedArray))
        number: Atom = nothing
        for holds, one in objects:
            is_new = in_step and isinstance(one, TracedArray) and one.serial > self._since
            own = self._new_number(one) if is_new else _number(one)
            number = atoms.select(holds, own, number)
        return number

    def _new_number(self, one: Object) -> Atom:
        """The number of an array that the step has made."""
        self._new.setdefault(id(one), one)
        return atoms.ufunc(np.add, self._made, atoms.literal(list(self._new).index(id(one)), np.int64))

    def _spread_unknown(self) -> None:
        """Take for unknown what a step may take from what is unknown, or from loops in it that may do so."""
        own = {formal: k for k, formal in self.formals.items()}
        before = -1
        while before < len(self._unknown):
            before = len(self._unknown)
            for k, numbers in self._from.items():
                leaves = {own[a] for a in numbers if a in own}
                inner = any(a not in own and a in self._body.known for a in numbers)
                if leaves & self._unknown or (inner and self._unknown):
                    self._unknown.add(k)

    def note(self, arrays: Sequence[TracedArray | None], numbers: Mapping[Var, Atom]) -> None:
        """Note the numbers of arrays that hold the loop's state; `numbers` has what stands for the formals."""
        identity = current().trace.identity
        for k, formal in self.formals.items():
            array = arrays[k]
            if array is None:
                continue
            if k in self._unknown:
                identity.merge(array)
            else:
                identity.numbers[id(array)] = array, numbers[formal]

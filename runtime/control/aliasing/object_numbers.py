"""Numbers of objects: which object an array is, where conditions and loops have chosen it.

After `y = a if c else b` y is one of two objects, as a condition says: its number is one of two. In a loop it may be
another one in each step: where `is` asks for that (`Identity.is_tracked`) a loop carries the number of the object that
each array of its state is. An array that a step of a loop makes is another object in each step, which its number says.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from anabranch.base.by_identity import IdentitySet
from anabranch.base.frozen import frozen
from anabranch.runtime.control.aliasing.body_trace import NUMBER, BodyTrace
from anabranch.runtime.control.aliasing.points_to import select_last
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom, Var
from anabranch.runtime.tracing.builder import Builder, building, current
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values import atoms, visibility
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.failures import run_time_checks

# What the number of a step counts in: more than there are arrays in a trace.
_STEP = atoms.literal(2**20, np.int64)


@frozen
class Known:
    """Knowledge of the object that an array is: its number, and the arrays that it may be."""

    # Holds the number. The builder that made it forgets it when it goes back to before.
    number: Storage
    arrays: IdentitySet[TracedArray]  # arrays that it may be
    is_carried: bool  # whether it may be one whose number a loop carries, which may be `_UNKNOWN`

    @property
    def atom(self) -> Atom:
        """The number, in the current builder."""
        return current().read(self.number)


def undecided(kind: str) -> UnsupportedOperationError:
    """The error where it is not known whether two things are one; another trace may track them."""
    current().trace.identity.is_wanted = True
    return UnsupportedOperationError(_text(kind))


def _text(kind: str) -> str:
    return (
        f"whether this {kind} is that one is not known: a run-time branch or loop chose between several, and only "
        "their contents are kept; compare with =="
    )


# The number of an object of which it is not known which one it is, and the error where it is compared at run time.
_UNKNOWN = atoms.literal(-1, np.int64)
_UNDECIDED = run_time_checks.IntMessage(UnsupportedOperationError, _text("ndarray"))


def object_of(array: TracedArray) -> Known:
    """Return which object an array is; found once in each builder, however many arrays may be this one.

    Raises `UnsupportedOperationError` where that is not known.
    """
    identity, builder = current().trace.identity, current()
    known: Known | None = identity.known.get(array)
    if known is None or not (known.number in builder.env or builder.outer_has(known.number)):
        known = _find(array)
        identity.known[array] = known
    return known


def _find(array: TracedArray) -> Known:
    identity = current().trace.identity
    number = identity.numbers.get(array)
    if number is not None and visibility.atom_visible(current(), number):
        return Known(current().new_storage(number), IdentitySet(), True)
    if array in identity.merged:
        raise undecided("ndarray")
    if array not in identity.chosen:
        return _itself(array)
    edges = array.storage.alias_edges
    others = [(edge.pred, edge.handle) for edge in edges if edge.pred is not None and edge.form is None]
    if len(others) < len(edges):
        raise undecided("ndarray")
    return _chosen(_itself(array), others)


def _itself(array: TracedArray) -> Known:
    """An array that is known while tracing: of a number of its own, and of the step that makes it."""
    identity = current().trace.identity
    number: Atom = atoms.literal(identity.numbered.setdefault(array, len(identity.numbered)), np.int64)
    for builder in current().outwards():
        if builder in identity.steps and array.serial > identity.steps[builder]:
            number = atoms.ufunc(np.add, number, builder.at_start(identity.step))
            break
    return Known(current().new_storage(number), IdentitySet([array]), False)


def _chosen(one: Known, others: Sequence[tuple[Atom, TracedArray]]) -> Known:
    """One object, or another one where its condition holds."""
    rows = [(holds, object_of(other)) for holds, other in others]
    arrays = IdentitySet(itertools.chain(one.arrays, *(known.arrays for _, known in rows)))
    is_carried = one.is_carried or any(known.is_carried for _, known in rows)
    number = select_last(((holds, known.atom) for holds, known in rows), one.atom)
    return Known(current().new_storage(number), arrays, is_carried)


def are_one(a: TracedArray, b: TracedArray) -> Atom:
    """Return whether two arrays are one object."""
    one, other = object_of(a), object_of(b)
    is_carried = one.is_carried or other.is_carried
    both = [array for array in one.arrays if array in other.arrays]
    if not is_carried and len(both) == len(one.arrays) == len(other.arrays) == 1:
        return atoms.literal(True)
    if not is_carried and not both:
        return atoms.literal(False)
    if is_carried:
        unknown = [atoms.ufunc(np.equal, known.atom, _UNKNOWN) for known in (one, other)]
        run_time_checks.fail_if(atoms.logical_or(*unknown), _UNDECIDED)
    return atoms.ufunc(np.equal, one.atom, other.atom)


def enter(traced: BodyTrace) -> None:
    """Note that which object each array at the start of a step is differs from step to step: the loop carries it."""
    body, identity = traced.builder, traced.builder.trace.identity
    identity.merge_all(traced.entry)
    if identity.is_tracked:
        identity.steps[body] = traced.since
        identity.numbers.update((a, body.formal(NUMBER)) for a in traced.entry if a is not None)


def carried(outer: Builder, traced: BodyTrace) -> list[tuple[Atom, Var, Atom]]:
    """The numbers of the objects that the arrays of a loop's state are: before the loop, formals, and after a step."""
    body, identity, objects = traced.builder, outer.trace.identity, traced.carried.objects
    if not identity.is_tracked:
        return []
    for k, (entry, before, after) in enumerate(zip(traced.entry, traced.init, traced.packed, strict=True)):
        if entry is not None:
            objects[k] = identity.numbers[entry]  # type: ignore[assignment] # a formal of the body
        elif before.handle is not None or after.handle is not None:
            objects[k] = body.formal(NUMBER)
    with building(outer):
        starts = [number_of(traced.init[k].handle) for k in objects]
    with building(body):
        ends = [number_of(traced.packed[k].handle) for k in objects]
        if identity.step in body.storage_inputs:
            body.write(identity.step, atoms.ufunc(np.add, body.read(identity.step), _STEP))
        ends = [body.resolve(number) for number in ends]
    return list(zip(starts, objects.values(), ends, strict=True))


def note(arrays: Sequence[TracedArray | None], numbers: Mapping[int, Atom]) -> None:
    """Note which objects the arrays of a loop's state are, or those that branches return, by their places."""
    known = ((arrays[k], number) for k, number in numbers.items())
    current().trace.identity.numbers.update((array, n) for array, n in known if array is not None)


def number_of(array: TracedArray | None) -> Atom:
    """The number of the object that an array is where it enters or leaves a loop's step or a branch, if it is known."""
    try:
        return _UNKNOWN if array is None else object_of(array).atom
    except UnsupportedOperationError:
        return _UNKNOWN

"""Builders, which collect the equations of a Program while Python runs, and the trace that they belong to.

Builders nest: a branch or a loop body has its own, and what it reads from outside becomes an input of its Program the
moment it is read. The current value of a `Storage` is looked up through the chain of builders, so a write inside a body
is known to that body alone until the construct that owns the body carries it out.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Hashable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentityDict, IdentitySet
from anabranch.base.context_values import having
from anabranch.base.frozen import frozen, mutable
from anabranch.runtime.errors import EscapedTracerError
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.tracing import source_frames
from anabranch.runtime.tracing.approach import NOTHING, Approach
from anabranch.runtime.tracing.call_state import Calls
from anabranch.runtime.tracing.capacity import Capacity, CapacitySite
from anabranch.runtime.tracing.container_state import Lists, Tables
from anabranch.runtime.tracing.folding import folded
from anabranch.runtime.tracing.outside import Outside
from anabranch.runtime.tracing.restarts import check_time
from anabranch.runtime.tracing.state import (
    Constants,
    Explanation,
    Failures,
    HostCalls,
    Identity,
    Loops,
    Output,
    Reachable,
    Requests,
    Text,
)
from anabranch.runtime.tracing.storage import ConstantStorage, ElsewhereStorage, Part, Storage, Watched
from anabranch.runtime.tracing.unrolling import Unrolling
from anabranch.runtime.tracing.upper_layers import Lent

# From how many elements on NumPy is asked whether there is memory for an array.
_LARGE = 2**31


class Trace:
    """One tracing run: its root builder, and its state by concern.

    Parameters
    ----------
    outside : Outside
        The world around the function.
    approach : Approach
        What the trace may do.
    """

    def want_going_on(self, iterator: object) -> None:
        """Have the function be traced once more, with an iterator in the place of one that goes on anywhere."""
        self.wanted_resumable |= self.going_on.get(iterator, frozenset())

    def __init__(self, outside: Outside, approach: Approach = NOTHING) -> None:
        self.outside = outside
        self.calls = Calls.of(approach)
        self.constants = Constants(are_traced=approach.traces_constants)
        self.explanation = Explanation()
        self.failures = Failures()
        self.heap = Reachable()
        self.host_calls = HostCalls()
        self.identity = Identity(is_tracked=approach.tracks_objects)
        self.lists = Lists.of(approach)
        self.loops = Loops()
        self.output = Output()
        self.requests = Requests(knows_items=approach.knows_items, items_apart=approach.items_apart)
        self.tables = Tables(approach.table_sites, approach.keeps_orders)
        self.text = Text(approach.spells_joins)
        self.unrolling = Unrolling(approach.unroll_reason)
        self.resumable = approach.resumable
        self.wanted_resumable: set[Hashable] = set()
        # Iterators by identity, with the places that make them and the code of generators that would go on.
        self.going_on: IdentityDict[object, frozenset[Hashable]] = IdentityDict()
        # Iterators that code which is not compiled has asked, and which may have had no more items.
        self.of_unknown_end: IdentitySet[object] = IdentitySet()
        self.watched: list[Watched] = []
        # The buffer sizes that were asked for, and given.
        self.capacities: dict[CapacitySite, Capacity] = {}
        self.root = Builder(self, None)
        for counter in (self.failures.error_code, self.output.counter):
            self.root.env[counter] = Literal(np.zeros((), np.int32))
        self.root.env[self.identity.step] = Literal(np.zeros((), np.int64))

    def settle(self) -> None:
        """At an edge of a branch or a loop: what is watched and alive stays so, the rest is forgotten."""
        self.watched = [one for one in self.watched if one.settle()]

    def detail(self, type: ArrayType, number: int) -> Storage:
        """Where a failure keeps its value of this number among those of this type; all failures share these."""
        storage = self.failures.details.setdefault((type, number), Storage(type))
        self.root.env.setdefault(storage, Literal(np.broadcast_to(np.zeros((), type.dtype), type.shape)))
        return storage


@frozen
class Checkpoint:
    """The state of a builder at some moment."""

    equations: int
    env: dict[Storage, Atom]
    written: dict[Storage, None]
    captures: dict[Var, Var]
    storage_inputs: dict[Storage, Var]
    points: int
    decisions: int
    unrolled: int
    copied: int
    split: int


@mutable
class Builder:
    """The equations of one Program under construction."""

    trace: Trace
    parent: Builder | None
    depth: int = 0
    equations: list[Equation] = field(default_factory=list)
    formals: list[Var] = field(default_factory=list)
    captures: dict[Var, Var] = field(default_factory=dict)
    storage_inputs: dict[Storage, Var] = field(default_factory=dict)
    env: dict[Storage, Atom] = field(default_factory=dict)
    written: dict[Storage, None] = field(default_factory=dict)
    known: set[Var] = field(default_factory=set)
    # Parts that have been read, with the place of the equation that gives them; and which part a value is.
    parts: dict[Part, tuple[int, Var]] = field(default_factory=dict)
    part_of: dict[Var, Part] = field(default_factory=dict)
    # What the parent knows as what is captured, or read, from there; which equations make what, as far as asked.
    origins: dict[Var, Var] = field(default_factory=dict)
    memories: dict[Var, Storage] = field(default_factory=dict)
    makers: dict[Var, Equation] = field(default_factory=dict)
    indexed: int = 0
    # Memory of which a list of run-time length has a copy for an item: it must not change any more.
    frozen_storages: set[Storage] | None = None
    # Lists and dicts of which a list of run-time length has a copy for an item, with what they held then.
    copied: list[tuple[Any, Any]] = field(default_factory=list)
    # Containers of which others may be the same ones at run time.
    split: list[Any] = field(default_factory=list)
    # What the containers held that stand for items of lists, which a step may read alone.
    lent: list[tuple[Lent, Sequence[Any]]] = field(default_factory=list)
    # Where something may have failed in the body of a try statement.
    points: list[Any] = field(default_factory=list)
    # What decides whether this part of the Program runs: an atom of the parent.
    selector: Atom | None = None
    # Which of its values it has here, if this is a branch.
    way: int | None = None

    def __post_init__(self) -> None:
        if self.parent is not None:
            self.depth = self.parent.depth + 1
            self.trace.settle()

    def outwards(self) -> Iterator[Builder]:
        """The builder and those around it, from the inside out."""
        builder: Builder | None = self
        while builder is not None:
            yield builder
            builder = builder.parent

    def formal(self, type: ArrayType) -> Var:
        """A new formal input."""
        var = Var(type)
        self.formals.append(var)
        self.known.add(var)
        return var

    def resolve(self, atom: Atom) -> Atom:
        """The atom as this builder sees it; what belongs to an outer builder becomes an input here."""
        if isinstance(atom, Literal) or atom in self.known:
            return atom
        if isinstance(atom, Part):
            return self._part(atom)
        inner = self.captures.get(atom)
        if inner is None:
            if self.parent is None:
                raise EscapedTracerError(
                    f"a traced value ({atom.type}) is used outside of the branch, loop body or call that made it"
                )
            self.parent.resolve(atom)
            inner = Var(atom.type)
            self.known.add(inner)
            self.captures[atom] = inner
            self.origins[inner] = atom
        return inner

    def _part(self, part: Part) -> Atom:
        """A part as this builder sees it."""
        place, known = self.parts.get(part, (0, None))
        # After a rollback its equation may be gone.
        if known is not None and place < len(self.equations) and self.equations[place].outputs[0] is known:
            return known
        starts = part.index + (0,) * len(part.type.shape)
        limits = (*[i + 1 for i in part.index], *part.type.shape)
        (cut,) = self.bind(OPS["slice"], part.whole, starts=starts, limits=limits, strides=(1,) * len(starts))
        (made,) = self.bind(OPS["reshape"], cut, shape=part.type.shape)
        if isinstance(made, Var):
            self.parts[part] = (len(self.equations) - 1, made)
            self.part_of[made] = part
        return made

    @property
    def in_loop(self) -> bool:
        """Return whether this is part of a loop's step."""
        return any(b.selector is not None and b.way is None for b in self.outwards())

    def maker(self, var: Var) -> Equation | None:
        """The equation of this builder that computes a value; None for its inputs, and for what others compute."""
        for equation in self.equations[self.indexed :]:
            self.makers.update(dict.fromkeys(equation.outputs, equation))
        self.indexed = len(self.equations)
        return self.makers.get(var)

    def bind(self, op: Op, *inputs: Atom, **params: Any) -> tuple[Atom, ...]:
        """Append `op(inputs)`; returns its outputs. Scalar arithmetic on literals is computed at once."""
        own = self.known
        self.trace.unrolling.made += 1
        check_time()
        atoms = tuple([a if a in own else self.resolve(a) for a in inputs])
        types = op.type(*[a.type for a in atoms], **params)
        values = folded(op, atoms, types, params, self.maker)
        if values is not None:
            return tuple([Literal(np.asarray(v)) for v in values])
        outputs = tuple([Var(t) for t in types])
        self.known.update(outputs)
        source = source_frames.source()
        self.equations.append(Equation(op, atoms, params, outputs, source))
        if self.trace.explanation.times is not None:
            self.trace.explanation.times.tick(source)
        return outputs

    def checkpoint(self) -> Checkpoint:
        """The state to come back to with `rollback`."""
        return Checkpoint(
            len(self.equations),
            dict(self.env),
            dict(self.written),
            dict(self.captures),
            dict(self.storage_inputs),
            len(self.points),
            0 if self.trace.explanation.decisions is None else len(self.trace.explanation.decisions.made),
            self.trace.unrolling.equations,
            len(self.copied),
            len(self.split),
        )

    def rollback(self, to: Checkpoint) -> None:
        """Forget all that was built since the checkpoint, which can be come back to again."""
        self.drop_equations(to.equations)
        del self.points[to.points :]
        del self.copied[to.copied :]
        del self.split[to.split :]
        self.env, self.written = dict(to.env), dict(to.written)
        self.captures, self.storage_inputs = dict(to.captures), dict(to.storage_inputs)
        self.trace.unrolling.equations = to.unrolled
        if self.trace.explanation.decisions is not None:
            del self.trace.explanation.decisions.made[to.decisions :]

    def drop_equations(self, start: int) -> None:
        """Forget the equations from this one on, of which nothing is held, and which have written nothing."""
        del self.equations[start:]
        self.indexed = min(self.indexed, start)

    def move_to_front(self, start: int) -> None:
        """Let the equations from this one on, which use inputs alone, be the first ones."""
        self.equations[:] = [*self.equations[start:], *self.equations[:start]]
        self.indexed = 0

    def freeze(self, storage: Storage) -> None:
        """Refuse writes from here on."""
        self.frozen_storages = {*(self.frozen_storages or ()), storage}
        self.trace.lists.has_copies = True

    def is_frozen(self, storage: Storage) -> bool:
        """Return whether writes are refused."""
        return any(b.frozen_storages is not None and storage in b.frozen_storages for b in self.outwards())

    def outer_has(self, storage: Storage) -> bool:
        """Return whether the storage belongs to a builder outside of this one."""
        return self.parent is not None and any(storage in b.env for b in self.parent.outwards())

    def new_storage(self, value: Atom) -> Storage:
        """Fresh memory that holds `value`."""
        if value.type.size > _LARGE and value not in self.formals:  # an argument is there, or stands for what is not
            # Nobody may ever use it, and XLA makes nothing of that; NumPy raises where there is no such memory.
            np.empty(value.type.shape, value.type.dtype)
        storage = Storage(value.type)
        if isinstance(value, Part):
            self.resolve(value.whole)  # a part is made where it is read
            self.env[storage] = value
        else:
            self.env[storage] = self.resolve(value)
        return storage

    def read(self, storage: Storage) -> Atom:
        """The storage's current value, as an atom of this builder."""
        atom = self.env.get(storage)
        if atom is None and isinstance(storage, ConstantStorage):
            atom = self.env[storage] = storage.value
        elif atom is None and isinstance(storage, ElsewhereStorage):
            return storage.read()
        elif atom is None:
            if self.parent is None:
                raise EscapedTracerError("an array made in a branch, loop body or call is used after that has ended")
            atom = self.env[storage] = self.at_start(storage)
        return atom

    def at_start(self, storage: Storage) -> Var:
        """The contents of a storage of an outer builder when this part of the Program begins, as an input."""
        inner = self.storage_inputs.get(storage)
        if inner is None:
            assert self.parent is not None
            self.parent.read(storage)
            inner = self.storage_inputs[storage] = Var(storage.type)
            self.memories[inner] = storage
            self.known.add(inner)
        return inner

    def write(self, storage: Storage, value: Atom) -> None:
        """Replace the storage's value."""
        if isinstance(storage, ElsewhereStorage):
            storage.write(value)
            return
        if storage not in self.env and self.parent is not None and not self.outer_has(storage):
            raise EscapedTracerError("an array made in a branch, loop body or call is written after that has ended")
        if self.trace.lists.has_copies and self.is_frozen(storage):
            raise self.trace.outside.refusal()
        self.env[storage] = self.resolve(value)
        self.written[storage] = None

    def outer_writes(self) -> list[Storage]:
        """Storages of outer builders that were written here, in order of the first write."""
        return [s for s in self.written if self.outer_has(s)]

    def program(self, inputs: tuple[Var, ...], outputs: tuple[Atom, ...], name: str) -> Program:
        """The finished Program; `inputs` must list every capture, storage input and formal."""
        return Program(inputs, tuple(self.equations), outputs, name)


_current: contextvars.ContextVar[Builder | None] = contextvars.ContextVar("builder", default=None)


builder_or_none = _current.get  # the builder that collects equations now


def current() -> Builder:
    """The builder that collects equations now."""
    builder = _current.get()
    if builder is None:
        raise EscapedTracerError("a traced value is used outside of tracing")
    return builder


def tracing() -> bool:
    """Return whether some function is being traced in this context."""
    return _current.get() is not None


@contextlib.contextmanager
def building(builder: Builder) -> Iterator[None]:
    """Make `builder` the current one."""
    with having(_current, builder):
        yield
        builder.trace.settle()


def tracing_nothing() -> AbstractContextManager[Builder | None]:
    """Run what follows as if no function were being traced."""
    return having(_current, None)


def bind(op: Op, *inputs: Atom, **params: object) -> tuple[Atom, ...]:
    """`current().bind`."""
    return current().bind(op, *inputs, **params)


def bind1(op: Op, *inputs: Atom, **params: object) -> Atom:
    """Bind an op with one output."""
    (output,) = current().bind(op, *inputs, **params)
    return output

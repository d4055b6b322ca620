"""Building a Program while Python runs: builders, storages, and the error state.

A `Builder` collects the equations of one Program. Builders nest: a branch or a loop body has its own, and what it reads
from outside becomes an input of its Program the moment it is read. A `Storage` is the identity of an array's memory;
its
current value is looked up through the chain of builders, so a write inside a body is known to that body alone until the
construct that owns the body carries it out.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.errors import EscapedTracerError
from anabranch.runtime.ir.program import ArrayType, Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.host_callback import effects
from anabranch.runtime.ops.op import Op
from anabranch.runtime.tracing import source_frames
from anabranch.runtime.tracing.capacity import Capacity, Place
from anabranch.runtime.tracing.decision_log import asked

# From how many elements on NumPy is asked whether there is memory for an array.
_LARGE = 2**31
_INT32 = ArrayType((), np.dtype(np.int32))

NDArray = np.ndarray[Any, Any]


class OnDevice(str):
    """What stands for an `anabranch.Array`, by words for messages: nothing can be written into it."""

    __slots__ = ()


UNKNOWN: tuple[int, ...] = (-1,) * 65  # strides that nobody knows; no array has so many


@frozen
class Compact:
    """C order without the places that the storage has beyond the array's size.

    Attributes
    ----------
    extents : tuple of Extent or None, or None
        Those that the array was made with; None where nobody knows them any more.
    """

    extents: tuple[Any, ...] | None


class Storage:
    """The identity of one array's memory. Two handles alias when they have the same storage."""

    __slots__ = ("__weakref__", "dependents", "links", "readonly", "strides", "type")

    def __init__(self, type: ArrayType, readonly: str | None = None) -> None:
        self.type = type
        self.readonly = readonly
        # In bytes, where the array is not in C order: what is a view of it depends on them. `UNKNOWN`: nobody knows.
        self.strides: tuple[int, ...] | Compact | None = None
        # Filled by `values.aliasing`: what this storage may stand for, and which may stand for it, in order.
        self.links: list[Any] = []
        self.dependents: weakref.WeakKeyDictionary[Storage, None] | None = None

    def __reduce__(self) -> Any:
        return Storage, (self.type,)


class Restart(BaseException):
    """Raised while tracing when a function must be rewritten in another way, and the whole be traced again.

    With `lists`, all of them: lists that they make have a length that is known only at run time.
    """

    def __init__(self, lists: bool = False) -> None:
        super().__init__()
        self.lists = lists


class Abandon(Restart):
    """Raised while tracing when an attempt has come to cost more than it may; what had begun it catches it."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit


class UnreachableError(Exception):
    """Raised while tracing when every path from here has raised a run-time exception: no value follows."""


class Failure:
    """One place that can raise at run time: the exception to raise when the error code is its number.

    `make` gets what the failure has said in its storages. `revive` makes the exception that a handler sees of the
    run-time values; without it, what the failure has said is an int that its message names.
    """

    __slots__ = ("details", "frames", "make", "revive")

    def __init__(
        self,
        make: Callable[[list[NDArray]], BaseException],
        revive: Callable[[list[Atom]], BaseException] | None,
        frames: tuple[tuple[str, int, str], ...],
        details: tuple[Storage, ...] = (),
    ) -> None:
        self.make = make
        self.revive = revive
        self.frames = frames
        self.details = details


@frozen(eq=False)
class Part(Var):
    """One of the parts, all of one type, that an atom has along its leading axes: the one at `place`, in C order.

    It becomes an equation in each builder that reads it. So a list may hold the parts of an array one by one, and what
    goes over the list, or makes an array of it, takes the whole.
    """

    whole: Atom
    place: int

    @property
    def index(self) -> tuple[int, ...]:
        """The same place, by axis."""
        shape = self.whole.type.shape
        index: list[int] = []
        place = self.place
        for n in reversed(shape[: len(shape) - len(self.type.shape)]):
            place, here = divmod(place, n)
            index.insert(0, here)
        return tuple(index)


# Where failures keep values for their messages, with the values.
Details: TypeAlias = tuple[tuple[Storage, Atom], ...]


@dataclasses.dataclass(slots=True, eq=False)
class Caught:
    """The exception that a handler sees: the error code that led to it, which failures those may be, what they keep."""

    error: BaseException
    code: Atom
    numbers: tuple[int, ...]
    details: Details = ()
    parts: tuple[Any, ...] = ()

    def note(self) -> None:
        """Remember what the exception is made of."""
        self.parts = self._parts()

    @property
    def changed(self) -> bool:
        """Return whether the handler has given it other arguments, attributes or notes, or another cause."""
        now = self._parts()
        return len(now) != len(self.parts) or any(a is not b for a, b in zip(now, self.parts, strict=True))

    def _parts(self) -> tuple[Any, ...]:
        error, held = self.error, vars(self.error)
        # Not the context, which Python sets where it is raised.
        came_of = (error.__cause__, error.__suppress_context__)
        return (*error.args, self, *held, *held.values(), self, *held.get("__notes__", ()), self, *came_of)


@dataclasses.dataclass(slots=True)
class Active:
    """The calls of one function that are in progress.

    Attributes
    ----------
    depths : list of int
        Of the builders in which it was called.
    inner : int
        How many calls the outermost one has made of it under run-time conditions, ended ones too.
    asked : set
        The places of calls of it of which it is known that no argument alone decides whether they are reached.
    """

    depths: list[int] = dataclasses.field(default_factory=list)
    inner: int = 0
    asked: set[Any] = dataclasses.field(default_factory=set)


class Trace:
    """The state of one tracing run: its root builder, its failures, and hints for repeated traces."""

    def __init__(
        self,
        lists: bool = False,
        array_sites: set[Any] | None = None,
        unroll_reason: str | None = None,
        looped: set[Any] | None = None,
    ) -> None:
        # The places in the user's code whose lists have their elements side by side; None where no list has.
        self.array_sites = array_sites
        self.tables: list[Any] = []  # of rows that are lists
        # The code of functions whose calls of themselves at their end are a loop's steps, None where there are to be
        # none; and such functions in progress, with None for each other function.
        self.looped = looped
        self.tail_calls: list[Any] = []
        # The caller's lists, dicts and objects, by identity.
        self.callers_objects: dict[int, Any] = {}
        self.graphs: list[Any] = []  # of containers of which run-time conditions choose one
        self.in_arrays = 0  # how many elements are in such lists
        # Whether lists that the function makes can have a length known only at run time; whether one may get it here,
        # where a loop tries first to do without; whether one would have needed it, or else that arguments were known,
        # from which what decides its length now is computed; and loops that cannot do without.
        self.lists = lists
        self.lists_grow = True
        self.wants_growth = False
        self.wants_known = False
        self.deciding: Atom | None = None
        self.growing_sites: set[Any] = set()
        # Why a loop cannot be one in which lists keep their lengths, by the body's code and its number of steps.
        self.fixed_failures: dict[tuple[Any, int | None], Exception] = {}
        # Whether a list of run-time length is known to begin with objects from before a branch or a loop.
        self.has_heads = False
        # Whether a list of run-time length holds records by their numbers.
        self.has_records = False
        # By how much a step of a loop makes each list longer at most, as its traces have found; None: nothing is known.
        self.gains: dict[tuple[Any, int, int], int | None] = {}
        # How many equations unrolled loops have added, how many they may have when attempts that are under way have to
        # be cheap, and why loops with lists that grow are unrolled rather than staged; and those that are staged.
        self.unrolled = 0
        self.allowed: list[int] = []
        self.unroll_reason = unroll_reason
        self.staged_growing: set[str] = set()
        # Whether some character of a text is held by its code; which codes a condition is true of.
        self.has_codes = False
        self.codes_of: dict[Atom, tuple[Atom, tuple[bool, ...]]] = {}
        self.too_costly = ""
        # The memory of arrays that the caller has.
        self.callers: set[Storage] = set()
        # The error for a write into an array that such a list has a copy of, once there is one.
        self.keeping: Callable[[], BaseException] | None = None
        self.refusal: Callable[[], BaseException] = EscapedTracerError
        self.union_operations: Any = None  # what unions leave to the layers above their class
        self.failures: list[Failure] = []
        self.refuses_failures = False  # whether what may fail is not to be traced here
        # Where somebody asks what is decided; and the names of the arguments, then.
        self.decisions = asked()
        self.names: dict[Var, str] = {}
        # The room that was asked for, and given.
        self.capacities: dict[Place, Capacity] = {}
        self.error_code = Storage(_INT32)
        self.print_options: dict[str, Any] = dict(np.get_printoptions())
        self.streams = {name: getattr(sys, name) for name in ("stdout", "stderr")}
        self.effects = Storage(_INT32)  # how many came before
        # What the first failure says of itself, by the type and the number of its values.
        self.details: dict[tuple[ArrayType, int], Storage] = {}
        self.root = Builder(self, None)
        for counter in (self.error_code, self.effects):
            self.root.env[counter] = Literal(np.zeros((), np.int32))
        self.loop_traces = 0
        # What earlier traces of a loop body found changed, by the body's code: spares a trace when it is met again.
        self.slot_hints: dict[Any, dict[int, Any]] = {}  # objects by identity, which live on so that it stays theirs
        # The types that loops in others have had, by the body's code, with what they were met in.
        self.loop_types: dict[Any, list[Any]] = {}
        # How often a plain value was needed of a run-time one; library code may raise an error of its own instead.
        self.refusals = 0
        # Called where a plain value is needed of a run-time one: may raise Restart.
        self.needs_plain: Callable[[], None] = lambda: None
        # Called with each function of the user's before it runs: what it reads from outside is guarded.
        self.enter: Callable[[Any], None] = lambda _: None
        # Called with each class of the user's whose instances may take part.
        self.meet: Callable[[type], None] = lambda _: None
        # Gives the handle of an array from outside, which becomes an input.
        self.hoist: Callable[[Any], Any] = lambda array: array
        # What such functions lead to, and the snapshots of it that branches and loops in progress have taken.
        self.roots: list[Any] = []
        self.snapshots: list[Any] = []
        self.is_outside: Callable[[Any], bool] = lambda _: False
        # Bodies of while loops that are left under a run-time condition.
        self.staged_sites: set[Any] = set()
        # Elements of comprehensions that cannot be one loop.
        self.unstacked: set[Any] = set()
        # Operators (their function's code, and their kind) for which this trace is to start again.
        self.restaged: set[tuple[int, str]] = set()
        # The arguments' leaves that may be known while tracing if they must.
        self.knowable: dict[Var, int] = {}
        # Objects that were made by a class while tracing, by identity.
        self.born: dict[int, Any] = {}
        # Tuples, frozen objects and NumPy scalars that stand for one of several, or were put together from the parts of
        # such, and arrays of a loop's state, by identity.
        self.merged: dict[int, Any] = {}
        # Arrays that may be either of two objects of the same memory, by identity.
        self.ambiguous: dict[int, Any] = {}
        # Of those, which object each one is, and when, by identity: the array, and the truths with the objects.
        self.either: dict[int, tuple[Any, tuple[tuple[Atom, Any], ...]]] = {}
        # Arrays that are each one of those that their memory is linked with, by identity.
        self.chosen: dict[int, Any] = {}
        # The calls in progress, by the function's code.
        self.active: dict[Any, Active] = {}
        # The bodies of try statements in progress, and what their handlers have caught, by the exception's id.
        self.regions: list[Any] = []
        self.caught: dict[int, Caught] = {}

    def detail(self, type: ArrayType, number: int) -> Storage:
        """Where a failure keeps its value of this number among those of this type; all failures share these."""
        storage = self.details.setdefault((type, number), Storage(type))
        self.root.env.setdefault(storage, Literal(np.broadcast_to(np.zeros((), type.dtype), type.shape)))
        return storage

    def is_born(self, value: Any) -> bool:
        """Whether an object was made while tracing."""
        return id(value) in self.born

    def bear(self, value: Any) -> None:
        """Note that an object was made while tracing."""
        self.born[id(value)] = value

    def merge(self, value: Any) -> Any:
        """Note that an object stands for another, of which nobody knows which one it is; gives it back."""
        self.merged[id(value)] = value
        return value


@frozen
class Checkpoint:
    """What a builder held at some moment."""

    equations: int
    env: dict[Storage, Atom]
    written: dict[Storage, None]
    captures: dict[Var, Var]
    storage_inputs: dict[Storage, Var]
    points: int
    decisions: int
    unrolled: int
    copied: int


class Builder:
    """The equations of one Program under construction."""

    __slots__ = (
        "__weakref__",
        "captures",
        "copied",
        "depth",
        "env",
        "equations",
        "formals",
        "indexed",
        "kept",
        "known",
        "lent",
        "makers",
        "memories",
        "origins",
        "parent",
        "part_of",
        "parts",
        "points",
        "selector",
        "storage_inputs",
        "trace",
        "way",
        "written",
    )

    def __init__(self, trace: Trace, parent: Builder | None) -> None:
        self.trace = trace
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.equations: list[Equation] = []
        self.formals: list[Var] = []
        self.captures: dict[Var, Var] = {}
        self.storage_inputs: dict[Storage, Var] = {}
        self.env: dict[Storage, Atom] = {}
        self.written: dict[Storage, None] = {}
        self.known: set[Var] = set()
        # Parts that have been read, with the place of the equation that gives them; and which part a value is.
        self.parts: dict[Part, tuple[int, Var]] = {}
        self.part_of: dict[Var, Part] = {}
        # What the parent knows as what is captured, or read, from there; which equations make what, as far as asked.
        self.origins: dict[Var, Var] = {}
        self.memories: dict[Var, Storage] = {}
        self.makers: dict[Var, Equation] = {}
        self.indexed = 0
        # Memory of which a list of run-time length has a copy for an item: it must not change any more.
        self.kept: set[Storage] | None = None
        # Lists and dicts of which a list of run-time length has a copy for an item, with what they held then.
        self.copied: list[tuple[Any, Any]] = []
        # What the containers held that stand for items of lists, which a step may read alone.
        self.lent: list[Any] = []
        # Where something may have failed in the body of a try statement.
        self.points: list[Any] = []
        # What decides whether this part of the Program runs: an atom of the parent.
        self.selector: Atom | None = None
        # Which of its values it has here, if this is a branch.
        self.way: int | None = None

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
        (cut,) = self.bind(Op.table["slice"], part.whole, starts=starts, limits=limits, strides=(1,) * len(starts))
        (made,) = self.bind(Op.table["reshape"], cut, shape=part.type.shape)
        if isinstance(made, Var):
            self.parts[part] = (len(self.equations) - 1, made)
            self.part_of[made] = part
        return made

    def maker(self, var: Var) -> Equation | None:
        """The equation of this builder that computes a value; None for its inputs, and for what others compute."""
        for equation in self.equations[self.indexed :]:
            self.makers.update(dict.fromkeys(equation.outputs, equation))
        self.indexed = len(self.equations)
        return self.makers.get(var)

    def bind(self, op: Op, *inputs: Atom, **params: Any) -> tuple[Atom, ...]:
        """Append `op(inputs)`; returns its outputs. Scalar arithmetic on literals is computed at once."""
        own = self.known
        atoms = tuple([a if a in own else self.resolve(a) for a in inputs])
        types = op.type(*[a.type for a in atoms], **params)
        if _folds(op, atoms, types, params):
            with np.errstate(all="ignore"):
                values = op.evaluate(*[a.value for a in atoms if isinstance(a, Literal)], **params)
            return tuple(Literal(np.asarray(v)) for v in values)
        outputs = tuple([Var(t) for t in types])
        self.known.update(outputs)
        self.equations.append(Equation(op, atoms, params, outputs, source_frames.source()))
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
            0 if self.trace.decisions is None else len(self.trace.decisions.made),
            self.trace.unrolled,
            len(self.copied),
        )

    def rollback(self, to: Checkpoint) -> None:
        """Forget all that was built since the checkpoint."""
        self.drop_equations(to.equations)
        del self.points[to.points :]
        del self.copied[to.copied :]
        self.env, self.written = to.env, to.written
        self.captures, self.storage_inputs = to.captures, to.storage_inputs
        self.trace.unrolled = to.unrolled
        if self.trace.decisions is not None:
            del self.trace.decisions.made[to.decisions :]

    def drop_equations(self, start: int) -> None:
        """Forget the equations from this one on, of which nothing is held, and which have written nothing."""
        del self.equations[start:]
        self.indexed = min(self.indexed, start)

    def keep(self, storage: Storage) -> None:
        """Refuse writes from here on."""
        self.kept = {*(self.kept or ()), storage}
        self.trace.keeping = self.trace.refusal

    def keeps(self, storage: Storage) -> bool:
        """Whether writes are refused."""
        builder: Builder | None = self
        while builder is not None:
            if builder.kept is not None and storage in builder.kept:
                return True
            builder = builder.parent
        return False

    def outer_has(self, storage: Storage) -> bool:
        """Whether the storage belongs to a builder outside of this one."""
        builder = self.parent
        while builder is not None:
            if storage in builder.env:
                return True
            builder = builder.parent
        return False

    def new_storage(self, value: Atom, readonly: str | None = None) -> Storage:
        """Fresh memory that holds `value`."""
        if value.type.size > _LARGE and value not in self.formals:  # an argument is there, or stands for what is not
            # Nobody may ever use it, and XLA makes nothing of that; NumPy raises where there is no such memory.
            np.empty(value.type.shape, value.type.dtype)
        storage = Storage(value.type, readonly)
        if isinstance(value, Part):
            self.resolve(value.whole)  # a part is made where it is read
            self.env[storage] = value
        else:
            self.env[storage] = self.resolve(value)
        return storage

    def read(self, storage: Storage) -> Atom:
        """The storage's current value, as an atom of this builder."""
        atom = self.env.get(storage)
        if atom is None:
            if self.parent is None:
                raise EscapedTracerError("an array made in a branch, loop body or call is used after that has ended")
            self.parent.read(storage)
            inner = Var(storage.type)
            self.memories[inner] = storage
            self.known.add(inner)
            self.storage_inputs[storage] = inner
            atom = self.env[storage] = inner
        return atom

    def write(self, storage: Storage, value: Atom) -> None:
        """Replace the storage's value."""
        if storage not in self.env and self.parent is not None and not self.outer_has(storage):
            raise EscapedTracerError("an array made in a branch, loop body or call is written after that has ended")
        if self.trace.keeping and self.keeps(storage):
            raise self.trace.keeping()
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
    """Whether some function is being traced in this context."""
    return _current.get() is not None


@contextlib.contextmanager
def building(builder: Builder) -> Iterator[Builder]:
    """Make `builder` the current one."""
    token = _current.set(builder)
    try:
        yield builder
    finally:
        _current.reset(token)


def bind(op: Op, *inputs: Atom, **params: Any) -> tuple[Atom, ...]:
    """`current().bind`."""
    return current().bind(op, *inputs, **params)


def bind1(op: Op, *inputs: Atom, **params: Any) -> Atom:
    """Bind an op with one output."""
    (output,) = current().bind(op, *inputs, **params)
    return output


def _folds(op: Op, atoms: Sequence[Atom], types: Sequence[ArrayType], params: Mapping[str, Any]) -> bool:
    """Whether an equation is computed while tracing: of scalars that are known, and without effects inside of it."""
    if not (op.pure and atoms and isinstance(atoms[0], Literal) and all(isinstance(a, Literal) for a in atoms)):
        return False
    return all(t.size == 1 for t in types) and not any(effects((Equation(op, tuple(atoms), params, ()),)))

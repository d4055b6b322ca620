"""The state of one trace beside its builders: a small class for each concern."""

from __future__ import annotations

import sys
import types
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, SourceLocation, Var
from anabranch.runtime.tracing.decision_log import Decisions, asked
from anabranch.runtime.tracing.failures import Caught, Failure
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.tracing.upper_layers import Recording, RowTable, Slot, TailLoop, TryRegion

_INT32 = ArrayType((), np.dtype(np.int32))


class Failures:
    """The places that can raise at run time, and the try statements that may handle what they raise.

    Attributes
    ----------
    numbered : list of Failure
        The failure whose error code is n is the one at n - 1.
    refused : bool
        Whether what may fail is not to be traced here.
    error_code : Storage
        Of an int32: zero as long as nothing has failed.
    details : dict
        What the first failure says of itself, by the type and the number of its values.
    regions : list of TryRegion
        The bodies of try statements in progress.
    caught : dict
        What their handlers have caught, by the exception's id.
    """

    __slots__ = ("caught", "details", "error_code", "numbered", "refused", "regions")

    def __init__(self) -> None:
        self.numbered: list[Failure] = []
        self.refused = False
        self.error_code = Storage(_INT32)
        self.details: dict[tuple[ArrayType, int], Storage] = {}
        self.regions: list[TryRegion] = []
        self.caught: dict[int, Caught] = {}


class Output:
    """Text that is written at run time.

    Attributes
    ----------
    counter : Storage
        Of an int32: how many effects came before.
    print_options : dict
        NumPy's, when the trace began.
    streams : dict
        The standard streams, when the trace began.
    """

    __slots__ = ("counter", "print_options", "streams")

    def __init__(self) -> None:
        self.counter = Storage(_INT32)
        self.print_options: dict[str, Any] = dict(np.get_printoptions())
        self.streams = {name: getattr(sys, name) for name in ("stdout", "stderr")}


class Identity:
    """Which objects are one and the same; all by the objects' identity.

    Attributes
    ----------
    callers_objects : dict
        The caller's lists, dicts and objects.
    callers_memory : set of Storage
        The memory of arrays that the caller has.
    created : dict
        Objects that were made by a class while tracing.
    merged : dict
        Tuples, frozen objects and NumPy scalars that stand for one of several, or were put together from the parts of
        such, and arrays of a loop's state.
    ambiguous : dict
        Arrays that may be either of two objects of the same memory.
    either : dict
        Of those, which object each one is, and when: the array, and the truths with the objects.
    chosen : dict
        Arrays that are each one of those that their memory is linked with.
    graphs : list of Graph
        Graphs of containers of which run-time conditions choose one.
    """

    __slots__ = ("ambiguous", "callers_memory", "callers_objects", "chosen", "created", "either", "graphs", "merged")

    def __init__(self) -> None:
        self.callers_objects: dict[int, Any] = {}
        self.callers_memory: set[Storage] = set()
        self.created: dict[int, Any] = {}
        self.merged: dict[int, Any] = {}
        self.ambiguous: dict[int, Any] = {}
        self.either: dict[int, tuple[Any, tuple[tuple[Atom, Any], ...]]] = {}
        self.chosen: dict[int, Any] = {}
        self.graphs: list[Any] = []

    def is_created(self, value: object) -> bool:
        """Return whether an object was made while tracing."""
        return id(value) in self.created

    def note_created(self, value: object) -> None:
        """Note that an object was made while tracing."""
        self.created[id(value)] = value

    def merge(self, value: object) -> Any:
        """Return an object, noted as one that stands for another, without it being known for which."""
        self.merged[id(value)] = value
        return value


class Lists:
    """Lists as arrays, and lists of a length known only at run time.

    Attributes
    ----------
    array_sites : set, optional
        The places in the user's code whose lists have their elements side by side; None where no list has.
    in_arrays : int
        How many elements are in such lists.
    tables : list of RowTable
        Those of rows that are lists.
    may_grow : bool
        Whether lists that the function makes can have a length known only at run time.
    grow_here : bool
        Whether one may get it here, where a loop tries first to do without.
    wants_growth : bool
        Whether one would have needed it.
    wants_known : bool
        Whether one would have needed arguments to be known, from which what decides its length now is computed.
    deciding : Atom, optional
        What decides lengths now.
    has_heads : bool
        Whether one is known to begin with objects from before a branch or a loop.
    has_copies : bool
        Whether one has a copy of an array, which must not be written to any more.
    """

    __slots__ = (
        "array_sites",
        "deciding",
        "grow_here",
        "has_copies",
        "has_heads",
        "in_arrays",
        "may_grow",
        "tables",
        "wants_growth",
        "wants_known",
    )

    def __init__(self, may_grow: bool, array_sites: set[Hashable] | None) -> None:
        self.array_sites = array_sites
        self.in_arrays = 0
        self.tables: list[RowTable] = []
        self.may_grow = may_grow
        self.grow_here = True
        self.wants_growth = False
        self.wants_known = False
        self.deciding: Atom | None = None
        self.has_heads = False
        self.has_copies = False


class Loops:
    """Findings of earlier traces of loops, mostly by the body's code; they spare traces when a loop is met again.

    Attributes
    ----------
    traces : int
        How many bodies were traced.
    slot_hints : dict
        What was found changed: objects by identity, which live on so that it stays theirs.
    types : dict
        The types that loops in others have had, with what they were met in.
    gains : dict
        By how much a step makes each list longer at most; None where nothing is known.
    fixed_failures : dict
        Why a loop cannot be one in which lists keep their lengths, by the body's code and its number of steps.
    dynamic_list_sites : set
        Loops that cannot do without lists of run-time length.
    staged_with_dynamic_lists : set of str
        Loops that are staged with such lists, in words.
    staged_sites : set
        Bodies of while loops that are left under a run-time condition.
    unstacked : set
        Elements of comprehensions that cannot be one loop.
    """

    __slots__ = (
        "dynamic_list_sites",
        "fixed_failures",
        "gains",
        "slot_hints",
        "staged_sites",
        "staged_with_dynamic_lists",
        "traces",
        "types",
        "unstacked",
    )

    def __init__(self) -> None:
        self.traces = 0
        self.slot_hints: dict[Hashable, dict[int, Any]] = {}
        self.types: dict[Hashable, list[Any]] = {}
        self.gains: dict[tuple[Hashable, int, int], int | None] = {}
        self.fixed_failures: dict[tuple[types.CodeType, int | None], Exception] = {}
        self.dynamic_list_sites: set[types.CodeType] = set()
        self.staged_with_dynamic_lists: set[str] = set()
        self.staged_sites: set[types.CodeType] = set()
        self.unstacked: set[Hashable] = set()


class Unrolling:
    """The equations that unrolled loops have added, and how many they may add.

    Attributes
    ----------
    equations : int
        How many equations they have added.
    limits : list of int
        How many they may have added when attempts that are under way have to be cheap.
    reason : str, optional
        Why loops with lists that grow are unrolled rather than staged.
    too_costly : str
        What an error says of a loop that could not be unrolled; "" where there is none.
    """

    __slots__ = ("equations", "limits", "reason", "too_costly")

    def __init__(self, reason: str | None) -> None:
        self.equations = 0
        self.limits: list[int] = []
        self.reason = reason
        self.too_costly = ""


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
    count : int
        How many calls of it there were in the whole trace.
    recordings : dict, optional
        What was recorded of calls of it, by their signatures; None where another attempt is not worth its while.
    """

    __slots__ = ("asked", "count", "depths", "inner", "recordings")

    def __init__(self) -> None:
        self.depths: list[int] = []
        self.inner = 0
        self.asked: set[SourceLocation | None] = set()
        self.count = 0
        self.recordings: dict[Hashable, Recording] | None = {}


class Calls:
    """Calls in progress.

    Attributes
    ----------
    active : dict
        By the function's code.
    looped : set, optional
        The code of functions whose calls of themselves at their end are a loop's steps; None where there are to be
        none.
    tail_calls : list
        Such functions in progress, with None for each other function.
    host_calls : int
        How many calls there were of functions that are not compiled, and of which nothing is known.
    """

    __slots__ = ("active", "host_calls", "looped", "tail_calls")

    def __init__(self, looped: set[types.CodeType] | None) -> None:
        self.active: dict[types.CodeType, Active] = {}
        self.looped = looped
        self.tail_calls: list[TailLoop | None] = []
        self.host_calls = 0


class Text:
    """Characters of texts as run-time values.

    Attributes
    ----------
    has_codes : bool
        Whether some character is held by its code.
    codes_of : dict
        Which codes a condition is true of.
    """

    __slots__ = ("codes_of", "has_codes")

    def __init__(self) -> None:
        self.has_codes = False
        self.codes_of: dict[Atom, tuple[Atom, tuple[bool, ...]]] = {}


class Requests:
    """Requests for what a trace does not have, and another one might.

    Attributes
    ----------
    refusals : int
        How often a plain value was needed of a run-time one; library code may raise an error of its own instead.
    restaged : set of tuple
        Operators (their function's code, and their kind) for which this trace is to start again.
    knowable : dict
        The arguments' leaves that may be known while tracing if they must.
    """

    __slots__ = ("knowable", "refusals", "restaged")

    def __init__(self) -> None:
        self.refusals = 0
        self.restaged: set[tuple[int, str]] = set()
        self.knowable: dict[Var, int] = {}


class Explanation:
    """The decisions and names that `explain` shows.

    Attributes
    ----------
    decisions : Decisions, optional
        Where it is noted what is decided, if somebody asks.
    names : dict
        The names of the arguments, then.
    """

    __slots__ = ("decisions", "names")

    def __init__(self) -> None:
        self.decisions: Decisions | None = asked()
        self.names: dict[Var, str] = {}


class Snapshot(Protocol):
    """The contents of the objects of the heap at some moment."""

    def extend(self, roots: Iterable[Any]) -> None: ...

    def has_seen(self, value: object) -> bool: ...

    @property
    def slots(self) -> Mapping[int, Slot]: ...


class Reachable:
    """The heap that a function may change.

    Attributes
    ----------
    roots : list
        What functions that were entered lead to.
    snapshots : list of Heap
        Those of it that branches and loops in progress have taken.
    """

    __slots__ = ("roots", "snapshots")

    def __init__(self) -> None:
        self.roots: list[Any] = []
        self.snapshots: list[Snapshot] = []

"""The state of one trace beside its builders: a small class for each concern."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable
from dataclasses import field
from types import CodeType
from typing import Any, Protocol

import numpy as np

from anabranch.base.by_identity import ByIdentity, IdentityDict, IdentitySet
from anabranch.base.frozen import mutable
from anabranch.runtime.errors import AnabranchError
from anabranch.runtime.ir import line_times
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.line_times import LineTimes
from anabranch.runtime.ir.program import Atom, Var
from anabranch.runtime.tracing.decision_log import Decisions, asked
from anabranch.runtime.tracing.failures import Caught, Failure
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.tracing.upper_layers import Slot, TryRegion

_INT32 = ArrayType((), np.dtype(np.int32))
_INT64 = ArrayType((), np.dtype(np.int64))


@mutable
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
    some_of_values : bool
        Whether there are checks that count only where a value is used.
    caught : IdentityDict
        What their handlers have caught.
    """

    numbered: list[Failure] = field(default_factory=list)
    refused: bool = False
    error_code: Storage = field(default_factory=lambda: Storage(_INT32))
    details: dict[tuple[ArrayType, int], Storage] = field(default_factory=dict)
    regions: list[TryRegion] = field(default_factory=list)
    some_of_values: bool = False
    caught: IdentityDict[BaseException, Caught] = field(default_factory=IdentityDict)


@mutable
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

    counter: Storage = field(default_factory=lambda: Storage(_INT32))
    print_options: dict[str, Any] = field(default_factory=lambda: dict(np.get_printoptions()))
    streams: dict[str, Any] = field(default_factory=lambda: {name: getattr(sys, name) for name in ("stdout", "stderr")})


@mutable
class HostCalls:
    """Calls of the host.

    Attributes
    ----------
    values : dict
        What values are in the call that is traced for, as far as was asked.
    """

    values: dict[Var, np.ndarray] = field(default_factory=dict)


@mutable
class SplitContainer:
    """A list, dict or object of which others are, or may be, the same one at run time.

    Attributes
    ----------
    container : object
    contents : object
        What it held when that was noted.
    group : hashable
        The same one for all that may be one.
    what : str
        The statement that it comes from, in the words of a message.
    """

    container: Any
    contents: Any
    group: Hashable
    what: str


@mutable
class Identity:
    """Which objects are one and the same; all by the objects' identity.

    Attributes
    ----------
    callers_objects : IdentitySet
        The caller's lists, dicts and objects.
    callers_memory : set of Storage
        The memory of arrays that the caller has.
    created : IdentitySet
        Objects that were made by a class while tracing.
    merged : IdentitySet
        Tuples, frozen objects and NumPy scalars that stand for one of several, or were put together from the parts of
        such, and arrays of a loop's state.
    chosen : IdentitySet
        Arrays that are each one of those that their memory is linked with.
    is_tracked : bool
        Whether loops carry numbers that say which object each array of their state is.
    is_wanted : bool
        Whether this would have told what is refused.
    numbers : IdentityDict
        Arrays of loops' states, each with the number of the object that it is.
    numbered : IdentityDict
        Other arrays, each with a number of its own.
    known : IdentityDict
        Arrays with what is known of the objects that they are.
    steps : dict
        Builders of loops' steps, each with the serial number of arrays that all arrays made in the step are above.
    step : Storage
        Of an int64: how many steps of loops came before, of those that it matters for.
    graphs : list of Graph
        Graphs of containers of which run-time conditions choose one.
    split : IdentityDict
        The containers of which others may be the same ones at run time.
    goes_on : bool
        The function is a step of a generator, behind which the arrays of its result are still needed.
    """

    callers_objects: IdentitySet[Any] = field(default_factory=IdentitySet)
    callers_memory: set[Storage] = field(default_factory=set)
    created: IdentitySet[Any] = field(default_factory=IdentitySet)
    merged: IdentitySet[Any] = field(default_factory=IdentitySet)
    chosen: IdentitySet[Any] = field(default_factory=IdentitySet)
    is_tracked: bool = False
    is_wanted: bool = False
    numbers: IdentityDict[Any, Atom] = field(default_factory=IdentityDict)
    numbered: IdentityDict[Any, int] = field(default_factory=IdentityDict)
    known: IdentityDict[Any, Any] = field(default_factory=IdentityDict)
    steps: dict[Any, int] = field(default_factory=dict)
    step: Storage = field(default_factory=lambda: Storage(_INT64))
    graphs: list[Any] = field(default_factory=list)
    split: IdentityDict[Any, SplitContainer] = field(default_factory=IdentityDict)
    goes_on: bool = False

    def merge(self, value: object) -> Any:
        """Return an object, noted as one that stands for another, without it being known for which."""
        self.merged.add(value)
        return value

    def merge_all(self, values: Iterable[Any]) -> None:
        """Note the same of all of these but None."""
        self.merged.update(value for value in values if value is not None)


@mutable
class Loops:
    """Findings of earlier traces of loops, mostly by the body's code; they spare traces when a loop is met again.

    Attributes
    ----------
    traces : int
        How many bodies were traced.
    slot_hints : dict
        The objects that were found changed.
    types : dict
        The types that loops in others have had, with what they were met in.
    gains : dict
        By how much a step makes each list longer at most; None where nothing is known.
    fixed_failures : dict
        Why a loop cannot be one in which lists keep their lengths, by the body's code and its number of steps.
    cheap_unrolls : dict
        Why a loop was unrolled, which was cheap, by the body's code and its number of steps.
    costly_steps : set
        Loops over few items that add too much to be unrolled.
    dynamic_list_sites : set
        Loops that cannot do without lists of run-time length.
    staged_with_dynamic_lists : set of str
        Loops that are staged with such lists, in words.
    staged_sites : set
        Bodies of while loops that are left under a run-time condition.
    unstacked : set
        Elements of comprehensions that cannot be one loop.
    left : dict
        Traces of loops whose lists were to keep their lengths, which ended with another length: by the body's code,
        and whether the first step had been run on its own.
    """

    traces: int = 0
    slot_hints: dict[Hashable, set[Hashable]] = field(default_factory=dict)
    types: dict[Hashable, list[Any]] = field(default_factory=dict)
    gains: dict[tuple[Hashable, int, int], int | None] = field(default_factory=dict)
    fixed_failures: dict[tuple[CodeType, int | None], AnabranchError] = field(default_factory=dict)
    cheap_unrolls: dict[tuple[CodeType, int], str] = field(default_factory=dict)
    costly_steps: set[CodeType] = field(default_factory=set)
    dynamic_list_sites: set[CodeType] = field(default_factory=set)
    staged_with_dynamic_lists: set[str] = field(default_factory=set)
    staged_sites: set[CodeType] = field(default_factory=set)
    unstacked: set[Hashable] = field(default_factory=set)
    left: dict[Hashable, Any] = field(default_factory=dict)


@mutable
class Text:
    """Characters of texts as run-time values.

    Attributes
    ----------
    spells_joins : bool
        Whether the characters of texts that `str.join` makes of lists of run-time length lie in memory.
    wants_joins : bool
        Whether characters of such a text were asked for where they do not.
    has_codes : bool
        Whether some character is held by its code.
    codes_of : dict
        Which codes a condition is true of.
    """

    spells_joins: bool = False
    wants_joins: bool = False
    has_codes: bool = False
    codes_of: dict[Atom, tuple[Atom, tuple[bool, ...]]] = field(default_factory=dict)

    def ask_for_joins(self) -> None:
        """Have the characters of such texts lie in memory; nothing where they do.

        Raises
        ------
        Restart
            Where they do not yet.
        """
        if not self.spells_joins:
            self.wants_joins = True
            raise Restart


@mutable
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
    items : set of int
        Those of them that are items of the caller's lists: data, of which another call has others.
    ints : set of int
        Those that are no bools.
    knows_items : bool
        Whether these may be known where lengths hang on them.
    hang_on_items : bool
        Whether lengths are known only at run time since they hang on these, or on ints.
    items_apart : bool
        Whether each item of the caller's lists is to be a value of its own.
    are_side_by_side : bool
        Whether there are items of the caller's lists that are no values of their own.
    """

    refusals: int = 0
    restaged: set[tuple[ByIdentity, str]] = field(default_factory=set)
    knowable: dict[Var, int] = field(default_factory=dict)
    items: set[int] = field(default_factory=set)
    ints: set[int] = field(default_factory=set)
    knows_items: bool = False
    hang_on_items: bool = False
    items_apart: bool = False
    are_side_by_side: bool = False


@mutable
class Constants:
    """Arrays that are known while tracing: those of static arguments, and those that objects from outside hold.

    Attributes
    ----------
    are_traced : bool
        Whether the arrays of static arguments are traced ones, and so is what methods make of the others.
    are_written : bool
        Whether a plain array that was made of such was to be written to in a way that traced ones alone allow.
    """

    are_traced: bool = False
    are_written: bool = False


@mutable
class Explanation:
    """The decisions and names that `explain` shows.

    Attributes
    ----------
    decisions : Decisions, optional
        Where it is noted what is decided, if somebody asks.
    times : LineTimes, optional
        The clock that is told of each equation, if somebody asks.
    names : dict
        The names of the arguments, then.
    """

    decisions: Decisions | None = field(default_factory=asked)
    times: LineTimes | None = field(default_factory=line_times.asked)
    names: dict[Var, str] = field(default_factory=dict)


class Snapshot(Protocol):
    """The contents of the objects of the heap at some moment."""

    def extend(self, roots: Iterable[Any]) -> None: ...

    def has_seen(self, value: object) -> bool: ...

    def __contains__(self, value: object) -> bool: ...

    @property
    def slots(self) -> Iterable[Slot]: ...


@mutable
class Reachable:
    """The heap that a function may change.

    Attributes
    ----------
    roots : list
        What functions that were entered lead to.
    snapshots : list of Heap
        Those of it that branches and loops in progress have taken.
    known : Heap, optional
        What the roots led to when it was last looked at.
    """

    roots: list[Any] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    known: Snapshot | None = None

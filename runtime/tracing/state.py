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
from anabranch.runtime.tracing.upper_layers import Body, Slot, TryRegion

_INT32 = ArrayType((), np.dtype(np.int32))
_INT64 = ArrayType((), np.dtype(np.int64))


@mutable
class Failures:
    """The places that can raise at run time, and the try statements that may handle what they raise."""

    numbered: list[Failure] = field(default_factory=list)  # the failure whose error code is n is the one at n - 1
    refused: bool = False  # whether what may fail is not to be traced here
    # Of an int32: zero as long as nothing has failed.
    error_code: Storage = field(default_factory=lambda: Storage(_INT32))
    # What the first failure says of itself, by the type and the number of its values.
    details: dict[tuple[ArrayType, int], Storage] = field(default_factory=dict)
    regions: list[TryRegion] = field(default_factory=list)  # the bodies of try statements in progress
    body: Body | None = None  # the innermost generator of which code is traced now
    some_of_values: bool = False  # whether there are checks that count only where a value is used
    caught: IdentityDict[BaseException, Caught] = field(default_factory=IdentityDict)  # what their handlers have caught


@mutable
class Output:
    """Text that is written at run time."""

    counter: Storage = field(default_factory=lambda: Storage(_INT32))  # of an int32: how many effects came before
    # NumPy's, when the trace began.
    print_options: dict[str, Any] = field(default_factory=lambda: dict(np.get_printoptions()))
    # The standard streams, when the trace began.
    streams: dict[str, Any] = field(default_factory=lambda: {name: getattr(sys, name) for name in ("stdout", "stderr")})


@mutable
class HostCalls:
    """Calls of the host."""

    # What values are in the call that is traced for, as far as was asked.
    values: dict[Var, np.ndarray] = field(default_factory=dict)


@mutable
class SplitContainer:
    """A list, dict or object of which others are, or may be, the same one at run time."""

    container: Any
    contents: Any  # what it held when that was noted
    group: Hashable  # the same one for all that may be one
    what: str  # the statement that it comes from, in the words of a message


@mutable
class Identity:
    """Which objects are one and the same; all by the objects' identity."""

    callers_objects: IdentitySet[Any] = field(default_factory=IdentitySet)  # the caller's lists, dicts and objects
    callers_memory: set[Storage] = field(default_factory=set)  # the memory of arrays that the caller has
    created: IdentitySet[Any] = field(default_factory=IdentitySet)  # objects that were made by a class while tracing
    # Tuples, frozen objects and NumPy scalars that stand for one of several, or were put together from the parts of
    # such, and arrays of a loop's state.
    merged: IdentitySet[Any] = field(default_factory=IdentitySet)
    # Arrays that are each one of those that their memory is linked with.
    chosen: IdentitySet[Any] = field(default_factory=IdentitySet)
    is_tracked: bool = False  # whether loops carry numbers that say which object each array of their state is
    is_wanted: bool = False  # whether this would have told what is refused
    # Arrays of loops' states, each with the number of the object that it is.
    numbers: IdentityDict[Any, Atom] = field(default_factory=IdentityDict)
    # Other arrays, each with a number of its own.
    numbered: IdentityDict[Any, int] = field(default_factory=IdentityDict)
    # Arrays with what is known of the objects that they are.
    known: IdentityDict[Any, Any] = field(default_factory=IdentityDict)
    # Builders of loops' steps, each with the serial number of arrays that all arrays made in the step are above.
    steps: dict[Any, int] = field(default_factory=dict)
    # Of an int64: how many steps of loops came before, of those that it matters for.
    step: Storage = field(default_factory=lambda: Storage(_INT64))
    graphs: list[Any] = field(default_factory=list)  # graphs of containers of which run-time conditions choose one
    # The containers of which others may be the same ones at run time.
    split: IdentityDict[Any, SplitContainer] = field(default_factory=IdentityDict)
    # The function is a step of a generator, behind which the arrays of its result are still needed.
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
    """Findings of earlier traces of loops, mostly by the body's code; they spare traces when a loop is met again."""

    traces: int = 0  # how many bodies were traced
    slot_hints: dict[Hashable, set[Hashable]] = field(default_factory=dict)  # the objects that were found changed
    # The types that loops in others have had, with what they were met in.
    types: dict[Hashable, list[Any]] = field(default_factory=dict)
    # By how much a step makes each list longer at most; None where nothing is known.
    gains: dict[tuple[Hashable, int, int], int | None] = field(default_factory=dict)
    # Why a loop cannot be one in which lists keep their lengths, by the body's code and its number of steps.
    fixed_failures: dict[tuple[Hashable, int | None], AnabranchError] = field(default_factory=dict)
    # Dicts that a step makes longer, by the body's code, where the loop is tried first with fixed lengths.
    longer_dicts: dict[Hashable, list[object]] = field(default_factory=dict)
    # Why a loop was unrolled, which was cheap, by the body's code and its number of steps.
    cheap_unrolls: dict[tuple[CodeType, int], str] = field(default_factory=dict)
    costly_steps: set[CodeType] = field(default_factory=set)  # loops over few items that add too much to be unrolled
    # Loops that cannot do without lists of run-time length.
    dynamic_list_sites: set[CodeType] = field(default_factory=set)
    staged_with_dynamic_lists: set[str] = field(default_factory=set)  # loops that are staged with such lists, in words
    # Bodies of while loops that are left under a run-time condition.
    staged_sites: set[CodeType] = field(default_factory=set)
    unstacked: set[Hashable] = field(default_factory=set)  # elements of comprehensions that cannot be one loop
    # Traces of loops whose lists were to keep their lengths, which ended with another length: by the body's code, and
    # whether the first step had been run on its own.
    left: dict[Hashable, Any] = field(default_factory=dict)


@mutable
class Text:
    """Characters of texts as run-time values."""

    # Whether the characters of texts that `str.join` makes of lists of run-time length lie in memory.
    spells_joins: bool = False
    wants_joins: bool = False  # whether characters of such a text were asked for where they do not
    has_codes: bool = False  # whether some character is held by its code
    # Which codes a condition is true of.
    codes_of: dict[Atom, tuple[Atom, tuple[bool, ...]]] = field(default_factory=dict)

    def ask_for_joins(self) -> None:
        """Have the characters of such texts lie in memory; nothing where they do.

        Raises `Restart` where they do not yet.
        """
        if not self.spells_joins:
            self.wants_joins = True
            raise Restart


@mutable
class Requests:
    """Requests for what a trace does not have, and another one might."""

    # How often a plain value was needed of a run-time one; library code may raise an error of its own instead.
    refusals: int = 0
    # Operators (their function's code, and their kind) for which this trace is to start again.
    restaged: set[tuple[ByIdentity, str]] = field(default_factory=set)
    # The arguments' leaves that may be known while tracing if they must.
    knowable: dict[Var, int] = field(default_factory=dict)
    # Those of them that are items of the caller's lists: data, of which another call has others.
    items: set[int] = field(default_factory=set)
    knows_items: bool = False  # whether these may be known where lengths hang on them
    hang_on_items: bool = False  # whether lengths are known only at run time since they hang on these
    items_apart: bool = False  # whether each item of the caller's lists is to be a value of its own
    are_side_by_side: bool = False  # whether there are items of the caller's lists that are no values of their own


@mutable
class Constants:
    """Arrays that are known while tracing: those of static arguments, and those that objects from outside hold."""

    # Whether the arrays of static arguments are traced ones, and so is what methods make of the others.
    are_traced: bool = False
    # Whether a plain array that was made of such was to be written to in a way that traced ones alone allow.
    are_written: bool = False


@mutable
class Explanation:
    """The decisions and names that `explain` shows."""

    decisions: Decisions | None = field(default_factory=asked)  # where it is noted what is decided, if somebody asks
    # The clock that is told of each equation, if somebody asks.
    times: LineTimes | None = field(default_factory=line_times.asked)
    names: dict[Var, str] = field(default_factory=dict)  # the names of the arguments, then


class Snapshot(Protocol):
    """The contents of the objects of the heap at some moment."""

    def extend(self, roots: Iterable[Any]) -> None: ...

    def has_seen(self, value: object) -> bool: ...

    def __contains__(self, value: object) -> bool: ...

    @property
    def slots(self) -> Iterable[Slot]: ...


@mutable
class Reachable:
    """The heap that a function may change."""

    roots: list[Any] = field(default_factory=list)  # what functions that were entered lead to
    # Those of it that branches and loops in progress have taken.
    snapshots: list[Snapshot] = field(default_factory=list)
    known: Snapshot | None = None  # what the roots led to when it was last looked at
    # Graphs all of whose nodes were there before a branch or a loop, with what that has taken.
    outside: IdentityDict[Any, Snapshot] = field(default_factory=IdentityDict)

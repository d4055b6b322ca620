"""The state of one trace for calls: those in progress, and functions that call themselves."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field
from types import CodeType
from typing import Any

from anabranch.base.frozen import mutable
from anabranch.runtime.ir.program import SourceLocation
from anabranch.runtime.tracing.approach import Approach
from anabranch.runtime.tracing.upper_layers import Recording, Recursion, TailLoop


@mutable
class Active:
    """The calls of one function that are in progress."""

    depths: list[int] = field(default_factory=list)  # of the builders in which it was called
    inner: int = 0  # how many calls the outermost one has made of it under run-time conditions, ended ones too
    # The places of calls of it of which it is known that no argument alone decides whether they are reached.
    asked: set[SourceLocation | None] = field(default_factory=set)
    count: int = 0  # how many calls of it there were in the whole trace
    # What was recorded of calls of it, by their signatures; None where another attempt is not worth its while.
    recordings: dict[Hashable, Recording] | None = field(default_factory=dict)
    # While its body is traced by itself, with the calls that it makes of itself as equations.
    recursion: Recursion | None = None


@mutable
class Calls:
    """Calls in progress."""

    # The code of functions whose calls of themselves at their end are a loop's steps; None where there are to be none.
    looped: set[CodeType] | None
    # The code of functions that call themselves under run-time conditions, and have a body of their own, each after
    # that of those in whose bodies it is; None where there are to be none.
    recursive: set[tuple[CodeType, ...]] | None
    inlined: dict[CodeType, str] = field(default_factory=dict)  # why others of that kind have none
    bodies: list[CodeType] = field(default_factory=list)  # the code of those whose bodies are being traced
    body_depth: int = 0  # the depth of the builder of the innermost of these bodies
    active: dict[CodeType, Active] = field(default_factory=dict)  # by the function's code
    # Such functions in progress, with None for each other function.
    tail_calls: list[TailLoop | None] = field(default_factory=list)
    host_calls: int = 0  # how many calls there were of functions that are not compiled, and of which nothing is known
    # The results of the user's own functions under `functools.cache`, and where they were computed, by the wrapper and
    # the arguments.
    cached: dict[tuple[object, Hashable], tuple[Any, Any]] = field(default_factory=dict)
    # Those, by run-time arguments, of functions under `functools.cache` that are in progress and call themselves; None
    # where there can be none.
    remembered: dict[object, Any] = field(default_factory=dict)

    @staticmethod
    def of(approach: Approach) -> Calls:
        """Those at the start of a trace."""
        looped = None if approach.looped is None else set(approach.looped)
        recursive = None if approach.recursive is None else set(approach.recursive)
        return Calls(looped, recursive, dict(approach.inlined))

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
    recursion : Recursion, optional
        While its body is traced by itself, with the calls that it makes of itself as equations.
    """

    depths: list[int] = field(default_factory=list)
    inner: int = 0
    asked: set[SourceLocation | None] = field(default_factory=set)
    count: int = 0
    recordings: dict[Hashable, Recording] | None = field(default_factory=dict)
    recursion: Recursion | None = None


@mutable
class Calls:
    """Calls in progress.

    Attributes
    ----------
    active : dict
        By the function's code.
    looped : set, optional
        The code of functions whose calls of themselves at their end are a loop's steps; None where there are to be
        none.
    recursive : set, optional
        The code of functions that call themselves under run-time conditions, and have a body of their own, each after
        that of those in whose bodies it is; None where there are to be none.
    inlined : dict
        Why others of that kind have none.
    bodies : list
        The code of those whose bodies are being traced.
    body_depth : int
        The depth of the builder of the innermost of these bodies.
    tail_calls : list
        Such functions in progress, with None for each other function.
    host_calls : int
        How many calls there were of functions that are not compiled, and of which nothing is known.
    cached : dict
        The results of the user's own functions under `functools.cache`, and where they were computed, by the wrapper
        and the arguments.
    remembered : dict
        Those, by run-time arguments, of functions under `functools.cache` that are in progress and call themselves;
        None where there can be none.
    """

    looped: set[CodeType] | None
    recursive: set[tuple[CodeType, ...]] | None
    inlined: dict[CodeType, str] = field(default_factory=dict)
    bodies: list[CodeType] = field(default_factory=list)
    body_depth: int = 0
    active: dict[CodeType, Active] = field(default_factory=dict)
    tail_calls: list[TailLoop | None] = field(default_factory=list)
    host_calls: int = 0
    cached: dict[tuple[object, Hashable], tuple[Any, Any]] = field(default_factory=dict)
    remembered: dict[object, Any] = field(default_factory=dict)

    @staticmethod
    def of(approach: Approach) -> Calls:
        """Those at the start of a trace."""
        looped = None if approach.looped is None else set(approach.looped)
        recursive = None if approach.recursive is None else set(approach.recursive)
        return Calls(looped, recursive, dict(approach.inlined))

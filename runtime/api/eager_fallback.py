"""Calls that cannot be compiled, or whose values lead to what compiled code does not do: they run as plain Python."""

from __future__ import annotations

import dataclasses
import sys
import warnings
from typing import Any

import numpy as np

from anabranch.base.by_identity import reached
from anabranch.runtime.api.explain import Explanation
from anabranch.runtime.api.options import JitOptions
from anabranch.runtime.device import array as device, foreign
from anabranch.runtime.errors import (
    AliasError,
    AnabranchError,
    ConcretizationError,
    EagerFallbackWarning,
    EndedRun,
    EscapedTracerError,
    ShapeMismatchError,
    SourceError,
    StructureMismatchError,
    UnsupportedOperationError,
    UnsupportedValueError,
)
from anabranch.runtime.tracing.decision_log import Decision
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.values import containers

# Errors of calls that cannot be compiled, and that plain Python may well make.
_REFUSALS = (
    SourceError,
    ConcretizationError,
    UnsupportedValueError,
    UnsupportedOperationError,
    StructureMismatchError,
    ShapeMismatchError,
    AliasError,
    EscapedTracerError,
)


class RefusedBeforeError(UnsupportedOperationError):
    """A call of a signature that could not be compiled for an earlier call."""


def is_refusal(error: AnabranchError) -> bool:
    """Return whether an error says of a call that it cannot be compiled."""
    return isinstance(error, _REFUSALS)


def can_run_plainly(options: JitOptions, arguments: object) -> bool:
    """Return whether a call of which nothing has run can be made in Python, with the results of the plain function.

    One that is given Arrays cannot, which are no ndarrays in plain code, nor one that donates its arguments.
    """
    return not options.donated and not _holds_arrays(arguments)


def may_run_again(options: JitOptions, ended: EndedRun, arguments: object) -> bool:
    """Return the same for a call that has ended so, where it may be made.

    What the run has changed is not written back. It may have printed in a loop, and then is not made again.
    """
    may_be = not ended.effects and options.in_force().eager_fallback
    return may_be and can_run_plainly(options, arguments)


def _holds_arrays(arguments: object) -> bool:
    """Return whether Arrays, or arrays of other libraries, are among arguments."""
    return any(
        isinstance(part, device.Array) or (foreign.is_foreign(type(part)) and not isinstance(part, np.ndarray))
        for part in reached([arguments], containers.parts_of)
    )


def run_again(function: Any, error: AnabranchError, *args: Any, **kwargs: Any) -> Any:
    """Call the plain function of a jitted one, whose run has ended in an error, and say so once."""
    why = str(error).partition("\n")[0]
    if not _count(function, why):
        _warn(function, f"since {why}. With eager_fallback=False that is an error")
    return function.__anabranch_function__(*args, **kwargs)


def run_refused(function: Any, error: AnabranchError, *args: Any, **kwargs: Any) -> Any:
    """Call the plain function of a jitted one that refuses the call."""
    tell_of_refusal(function, error)
    return function.__anabranch_function__(*args, **kwargs)


def tell_of_refusal(function: Any, error: AnabranchError) -> None:
    """Count a call that is refused and made in Python, and say so once of each signature."""
    _count(function, f"it cannot be compiled: {str(error).partition(chr(10))[0]}")
    if not isinstance(error, RefusedBeforeError):
        _warn(function, f"since it cannot be compiled: {error}")


def _count(function: Any, why: str) -> int:
    """Count a call that is made in Python; return how many there were before."""
    count, first = function.__dict__.get("_plain_calls", (0, why))
    function.__dict__["_plain_calls"] = count + 1, first
    return int(count)


def _warn(function: Any, why: str) -> None:
    """Warn of such a call, at the user's line."""
    level, frame = 2, sys._getframe(1)
    while internal(frame.f_code.co_filename) and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    name = getattr(function, "__qualname__", "a jitted function")
    warnings.warn(f"a call of {name} was run as plain Python, {why}", EagerFallbackWarning, stacklevel=level)


def explained(function: Any, explanation: Explanation) -> Explanation:
    """The explanation of a function, with how many of its calls were run as plain Python."""
    count, why = vars(function).get("_plain_calls", (0, ""))
    if not count:
        return explanation
    decisions = (
        *explanation.decisions,
        Decision("executable", "calls run as plain Python", f"{count} so far, the first since {why}"),
    )
    return dataclasses.replace(explanation, decisions=decisions)

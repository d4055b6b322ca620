"""Calls whose values lead to what compiled code does not do: they are run as plain Python."""

from __future__ import annotations

import dataclasses
import sys
import warnings
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentitySet
from anabranch.runtime.api.explain import Explanation
from anabranch.runtime.api.options import JitOptions
from anabranch.runtime.device import array as device, foreign
from anabranch.runtime.errors import AnabranchError, EagerFallbackWarning, EndedRun
from anabranch.runtime.tracing.decision_log import Decision
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.values import containers


def may_run_plainly(options: JitOptions, ended: EndedRun, arguments: object) -> bool:
    """Return whether a call that has ended so can be made again in Python, with the results of the plain function.

    What the run has changed is not written back. It may have printed in a loop, and then is not made again; nor is one
    whose buffers are gone, or that is given Arrays, which are no ndarrays in plain code.
    """
    may_be = not ended.effects and not options.donated and options.in_force().eager_fallback
    return may_be and not _holds_arrays(arguments)


def _holds_arrays(arguments: object) -> bool:
    """Return whether Arrays, or arrays of other libraries, are among arguments."""
    pending, seen = [arguments], IdentitySet[object]()
    while pending:
        part = pending.pop()
        if isinstance(part, (np.ndarray, np.generic)):
            continue
        if isinstance(part, device.Array) or foreign.is_foreign(type(part)):
            return True
        structure = containers.structure_of(part) if seen.admit(part) else None
        if structure is not None:
            pending += structure.children(part)
    return False


def reason(error: AnabranchError) -> str:
    """Why a call is made again, as the error says it."""
    return str(error).partition("\n")[0]


def run(function: Any, why: str, *args: Any, **kwargs: Any) -> Any:
    """Call the plain function of a jitted one, and say so once."""
    _warn(function, why)
    return function.__anabranch_function__(*args, **kwargs)


def _warn(function: Any, why: str) -> None:
    """Warn of the first such call of a jitted function, at the user's line; the others are counted."""
    count, first = function.__dict__.get("_plain_calls", (0, why))
    function.__dict__["_plain_calls"] = count + 1, first
    if count:
        return
    level, frame = 2, sys._getframe(1)
    while internal(frame.f_code.co_filename) and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(
        f"a call of {getattr(function, '__qualname__', 'a jitted function')} was run as plain Python, since {why}. "
        "With eager_fallback=False that is an error",
        EagerFallbackWarning,
        stacklevel=level,
    )


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

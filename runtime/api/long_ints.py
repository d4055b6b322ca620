"""Calls in which a Python int leaves the 64 bits that compiled code has for one: they are run as plain Python."""

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
from anabranch.runtime.errors import IntegerRangeError, LongIntegerWarning
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.tracing.decision_log import Decision
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.values import containers


def may_run_plainly(options: JitOptions, error: IntegerRangeError, arguments: object) -> bool:
    """Return whether a call that has ended so can be made again in Python, with the results of the plain function.

    What the run has changed is not written back. It may have printed in a loop, and then is not made again; nor is one
    whose buffers are gone, or that is given Arrays, which are no ndarrays in plain code.
    """
    if tracing() or error.effects or options.donated or not options.in_force().long_ints:
        return False
    return not _holds_arrays(arguments)


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


def warn(function: Any) -> None:
    """Warn of the first such call of a jitted function, at the user's line; the others are counted."""
    function.__dict__["_long_calls"] = count = function.__dict__.get("_long_calls", 0) + 1
    if count > 1:
        return
    level, frame = 2, sys._getframe(1)
    while internal(frame.f_code.co_filename) and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(
        f"a Python int of {getattr(function, '__qualname__', 'a jitted function')} went beyond 64 bits, so that the "
        "call was run as plain Python; long_ints=False makes that an error",
        LongIntegerWarning,
        stacklevel=level,
    )


def explained(function: Any, explanation: Explanation) -> Explanation:
    """The explanation of a function, with how many of its calls were run as plain Python."""
    count = vars(function).get("_long_calls", 0)
    if not count:
        return explanation
    why = f"{count} so far, in which a Python int went beyond 64 bits"
    decisions = (*explanation.decisions, Decision("executable", "calls run as plain Python", why))
    return dataclasses.replace(explanation, decisions=decisions)

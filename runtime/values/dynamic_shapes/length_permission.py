"""The permission for lists and arrays to get a length known only at run time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from anabranch.runtime.config import settings
from anabranch.runtime.tracing.trace import current
from anabranch.runtime.values import static_requests


def may_grow() -> bool:
    """Return whether a list or an array may get a length known only at run time here.

    What decides it must not be computed from arguments alone that can be known while tracing, and it must not be tried
    to do without.
    """
    trace = current().trace
    if hangs_on_arguments():
        trace.wants_known = True
        return False
    trace.wants_growth |= not trace.lists_grow
    return trace.lists_grow


def hangs_on_arguments() -> bool:
    """Return whether what decides lengths here is computed from arguments alone that can be known while tracing."""
    deciding = current().trace.deciding
    return deciding is not None and settings().auto_static and bool(static_requests.leaves_behind(deciding))


@contextlib.contextmanager
def of_known_lengths() -> Iterator[None]:
    """Lists of several lengths stay several."""
    trace = current().trace
    before = (trace.lists_grow, trace.wants_growth, trace.wants_known)
    trace.lists_grow = False
    try:
        yield
    finally:
        trace.lists_grow, trace.wants_growth, trace.wants_known = before

"""The permission for lists and arrays to get a length known only at run time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from anabranch.runtime.config import settings
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import static_requests


def may_grow() -> bool:
    """Return whether a list or an array may get a length known only at run time here.

    What decides it must not be computed from arguments alone that can be known while tracing, and it must not be tried
    to do without.
    """
    trace = current().trace
    if depends_on_arguments_alone():
        trace.lists.wants_known = True
        return False
    trace.lists.wants_growth |= not trace.lists.grow_here
    return trace.lists.grow_here


def may_be_given() -> bool:
    """Return whether what failed needed it, and a loop around tries first to do without: it tries again."""
    lists = current().trace.lists
    return lists.wants_growth and not lists.grow_here


def depends_on_arguments_alone() -> bool:
    """Return whether what decides lengths here is computed from arguments alone that can be known while tracing.

    Where dicts and sets have run-time keys it is taken for no such thing: their lengths come of their keys, which are
    data, and with them known there would be a compilation for each. So are the items of the caller's lists.
    """
    trace = current().trace
    if trace.tables.sites or trace.lists.deciding is None or not settings().auto_static:
        return False
    leaves, requests = static_requests.source_leaves(trace.lists.deciding), trace.requests
    if not leaves or requests.knows_items or requests.items.isdisjoint(leaves):
        return bool(leaves)
    requests.hang_on_items = True
    return False


@contextlib.contextmanager
def of_known_lengths() -> Iterator[None]:
    """Lists of several lengths stay several."""
    trace = current().trace
    before = (trace.lists.grow_here, trace.lists.wants_growth, trace.lists.wants_known)
    trace.lists.grow_here = False
    try:
        yield
    finally:
        trace.lists.grow_here, trace.lists.wants_growth, trace.lists.wants_known = before

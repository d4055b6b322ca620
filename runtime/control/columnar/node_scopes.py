"""Graphs of nodes that a branch or a step of a loop has made: they end with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anabranch.base.by_identity import IdentitySet
from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values.pytrees.node_graphs import NodeGraph
from anabranch.runtime.values.pytrees.node_reference import Reference


def end(first: int, exists: Callable[[Any], bool], value: Value) -> Value:
    """Forget the graphs since the first one of a branch or loop body that have nodes made in it.

    Parameters
    ----------
    first
        How many graphs there were before.
    exists
        Whether a node was there before.
    value
        What the branch or body gives.

    Returns
    -------
    object
        The same, with one of a few alternatives in place of a reference to a node of such a graph.

    Raises
    ------
    UnsupportedOperationError
        Where the alternatives are many.
    """
    graphs: list[NodeGraph] = current().trace.identity.graphs
    ended = IdentitySet(g for g in graphs[first:] if not all(m is None or exists(m) for m in g.members))
    if not ended:
        return value
    graphs[first:] = [g for g in graphs[first:] if g not in ended]

    def outlived(part: Value) -> Value:
        return part.plain_() if isinstance(part, Reference) and part.graph_ in ended else part

    return type(value)(map(outlived, value)) if type(value) in (list, tuple) else outlived(value)

"""What branches and loops share: joining values, keeping identities honest, linking arrays that may be one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

from anabranch.runtime.errors import AliasError
from anabranch.runtime.ir import Atom
from anabranch.runtime.trace import Builder
from anabranch.runtime.values import aliasing, containers, layout as layouts
from anabranch.runtime.values.array import Array
from anabranch.runtime.values.heap import Heap


class _Missing:
    """The value of a branch that never ends normally."""

    def __repr__(self) -> str:
        return "<no value>"


MISSING: Final = _Missing()


def join_all(values: Sequence[Any], heap: Heap, stays: Callable[[Any], bool]) -> layouts.Layout | None:
    """The layout that holds each of the values; None where there are none. Objects of the heap are held."""
    if not values:
        return None
    joined = functools.reduce(layouts.join, (layouts.describe(v, heap.__contains__) for v in values))
    return layouts.staged(joined, stays)


def check_identity(values: Sequence[Any], heap: Heap, names: Sequence[str], what: str) -> None:
    """Refuse a name that is an existing list, dict or object in one branch and another one elsewhere.

    Arrays are linked instead, so writes to them go where they should; other containers cannot be.
    """
    if len(values) < 2:
        return
    rows = list(zip(*values, strict=True)) if len(names) > 1 else [tuple(values)]
    for name, row in zip(names or ("the returned value",), rows, strict=False):
        first = row[0]
        for other in row[1:]:
            if other is first:
                continue
            for value in (first, other):
                structure = containers.structure_of(value)
                if structure is not None and structure.mutable and value in heap:
                    raise AliasError(
                        f"'{name}' is one {type(value).__name__} or another, depending on a run-time condition of "
                        f"{what}; copy it ({name} = {type(value).__name__}({name})) or change it in place"
                    )


def adopt(outer: Builder, array: Array, pred: Atom | None, handle: Array) -> None:
    """Link `array`, just made by a branch or a loop, with a memory of the enclosing code that it may be."""
    if layouts.storage_visible(outer, handle):
        aliasing.link(array.storage, pred, handle)
    elif outer.outer_has(handle.storage) or handle.storage in outer.env:
        # A view whose position is not known out here: any write that could matter is refused.
        aliasing.link(array.storage, None, Array(handle.storage))

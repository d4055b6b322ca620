"""Arrays that are items of a list of run-time length: the list has a copy, so that nothing may be written into them.

A builder knows which memory that is (`Builder.keep`). What a branch or a loop keeps is kept after it, and so is what
may be that memory; in a loop the step after it must not write there, either.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anabranch.runtime.errors import AliasError
from anabranch.runtime.trace import Builder, Storage
from anabranch.runtime.values.array import Array
from anabranch.runtime.values.layout import Packed


def after_branches(outer: Builder, branches: Sequence[tuple[Builder, Sequence[Packed]]], made: Sequence[Any]) -> None:
    """What branches keep, and arrays put together of such."""
    for inner, packed in branches:
        _hand_out(outer, inner)
        for part, array in zip(packed, made, strict=False):
            if array is not None and part.handle is not None and inner.keeps(part.handle.storage):
                outer.keep(array.storage)


def check_step(
    outer: Builder, body: Builder, entry: Sequence[Array | None], init: Sequence[Packed], packed: Sequence[Packed]
) -> None:
    """Refuse a step that writes where it, or the step before, keeps."""
    if not body.trace.keeping:
        return
    own = {array.storage: k for k, array in enumerate(entry) if array is not None}
    for storage in body.written:
        k = own.get(storage)
        if (k is not None or outer.outer_has(storage) or storage in outer.env) and body.keeps(storage):
            raise refusal()
        if k is not None and (_keeps(outer, init[k]) or _keeps(body, packed[k])):
            raise refusal()


def after_loop(
    outer: Builder,
    body: Builder,
    entry: Sequence[Array | None],
    init: Sequence[Packed],
    packed: Sequence[Packed],
    made: Sequence[Any],
) -> None:
    """What a loop keeps, and the arrays that its names are after it."""
    if not body.trace.keeping:
        return
    _hand_out(outer, body)
    for start, before, after, array in zip(entry, init, packed, made, strict=False):
        kept = _keeps(outer, before) or _keeps(body, after) or (start is not None and body.keeps(start.storage))
        if kept and array is not None:
            outer.keep(array.storage)


def _keeps(builder: Builder, part: Packed) -> bool:
    return part.handle is not None and builder.keeps(part.handle.storage)


def _hand_out(outer: Builder, inner: Builder) -> None:
    kept: set[Storage] = inner.kept or set()
    for storage in kept:
        if storage in outer.env or outer.outer_has(storage):
            outer.keep(storage)


def refusal() -> AliasError:
    """The error for a write into an item."""
    return AliasError(
        "an array that is an item of a list whose length is known only at run time is written to: the list would have "
        "to change with it; append a copy (items.append(x.copy())), write to a copy of what is read from the list, or "
        "keep the values in an array"
    )

"""Results whose elements lie in memory in another order than C's, as NumPy's do: what is made of a transpose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from anabranch.runtime.tracing.storage import Part
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.pytrees import layout as layouts, pack_unpack

# What holds arrays as they are; of others the host's side makes something else.
_HOLDERS = (tuple, list, dict)


def result_orders(packed: Sequence[pack_unpack.Packed], layout: layouts.Layout) -> dict[int, tuple[int, ...]]:
    """The axes of those results, the slowest first."""
    found: dict[int, tuple[int, ...]] = {}
    for k, (p, is_plain) in enumerate(zip(packed, _are_plain(layout), strict=True)):
        handle = p.handle
        if not is_plain or handle is None or isinstance(p.atom, Part) or handle.ndim < 2 or not handle.size:
            continue
        if memory_layout.plain(handle) or not memory_layout.known(handle) or memory_layout.of_run_time_size(handle):
            continue
        model = memory_layout.model(handle)
        order = tuple(int(axis) for axis in np.argsort([-step for step in model.strides], kind="stable"))
        if not model.flags.c_contiguous and model.transpose(order).flags.c_contiguous:
            found[k] = order
    return found


def _are_plain(layout: layouts.Layout, around: bool = True) -> Iterator[bool]:
    """For each part that is known only at run time, whether it is an array by itself or in ordinary containers."""
    match layout:
        case layouts.Leaf():
            yield around
        case layouts.Node(structure, children):
            for child in children:
                yield from _are_plain(child, around and structure.cls in _HOLDERS)
        case layouts.Union(options):
            yield False
            for option in options:
                yield from _are_plain(option, around=False)

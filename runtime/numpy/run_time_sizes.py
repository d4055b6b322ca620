"""Sizes among a function's arguments: those known only at run time become a capacity and an extent.

A size computed from int arguments alone becomes static instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.errors import CapacityError
from anabranch.runtime.numpy.core import shape_argument, traced_inside
from anabranch.runtime.tracing.capacity import Capacity
from anabranch.runtime.values import atoms, static_requests
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import broadcasting, capacity_requests, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import ValidRegion, Window
from anabranch.runtime.values.tracer import Tracer

Extents: TypeAlias = "tuple[ValidRegion | None, ...]"

NEGATIVE = "negative dimensions are not allowed"
# A bound of a size that is so many times less than `capacity_limit` is the capacity from the start.
_SPARE = 64


def is_open(n: object, what: str = "a shape") -> bool:
    """Return whether a size is an int known only at run time.

    Raises `Specialise` where it is computed from arguments alone, which become static.
    """
    if not isinstance(n, Tracer) or n.abstract.shape or n.abstract.dtype.kind not in "iu":
        return False
    static_requests.request_static(n, f"a plain int ({what})")
    # Of known arguments alone a loop or a sum may make a size that is known only at run time.
    return not static_requests.source_leaves(n)


def shape_with_capacity(shape: object) -> tuple[tuple[int, ...], Extents]:
    """A shape argument as capacities, and their extents: none where all sizes are static."""
    sizes = _sizes(shape) if traced_inside(shape) else ()
    if not any(map(is_open, sizes)):
        return shape_argument(shape), ()
    return with_capacity(sizes, NEGATIVE)


def _sizes(shape: object) -> Sequence[Value]:
    if isinstance(shape, TracedArray) and shape.ndim == 1:
        return [shape[i] for i in range(shape.shape[0])]
    if isinstance(shape, Tracer):
        return (shape,)
    return tuple(shape) if isinstance(shape, Iterable) else (shape,)


def with_capacity(sizes: Sequence[object], negative: str | None = None) -> tuple[tuple[int, ...], Extents]:
    """Capacities for these sizes, each a plain int or known only at run time, and their extents.

    Parameters
    ----------
    sizes : sequence
    negative : str, optional
        What the `ValueError` for one below 0 says; without it they are known to be none.

    Raises
    ------
    CapacityError
        Where all of them together may be more elements than `capacity_limit` allows.
    """
    wanted = [size_arithmetic.bound_of(n) if isinstance(n, Tracer) else shape_argument(n)[0] for n in sizes]
    if negative is not None:
        for n in wanted:
            _refuse_negative(n, negative)
    limit = settings().capacity_limit
    most = [max(0, size_arithmetic.interval_of(n).high) for n in wanted]
    if math.prod(most) * _SPARE > limit:
        most = [n if isinstance(n, int) else _asked(n, axis).size for axis, n in enumerate(wanted)]
    if math.prod(most) > limit:
        place = capacity_requests.place_of("an array")
        raise CapacityError(
            f"{place} may have {' x '.join(map(str, most))} elements; the setting capacity_limit allows no more than "
            f"{limit}"
        )
    return tuple(most), tuple(map(_extent, wanted, most))


def _extent(size: Value, capacity: int) -> ValidRegion | None:
    return None if isinstance(size, int) else Window(0, size_arithmetic.limited(size, 0, capacity))


def _refuse_negative(n: Value, text: str) -> None:
    if isinstance(n, int):
        if n < 0:
            raise ValueError(text)
    elif size_arithmetic.interval_of(n).low < 0:
        below = atoms.ufunc(np.less, n.atom, atoms.literal(0, np.int64))
        broadcasting.refuse(below, ValueError, text, *[n] * text.count("{}"))


def _asked(n: Value, axis: int) -> Capacity:
    request = capacity_requests.at(f"axis {axis} of an array")
    too_many = atoms.ufunc(np.greater, n.atom, atoms.literal(request.size, np.int64))
    capacity_requests.exceeded(too_many, request, n.atom)
    return request

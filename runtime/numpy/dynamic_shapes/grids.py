"""Grids over axes whose sizes are known only at run time."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy.core import fresh, handle, plain
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import apply_ufunc, atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting
from anabranch.runtime.values.registry import FUNCTIONS

rules = Rules()


@rules.dynamic_shape(np.meshgrid)
def meshgrid(*xi: object, copy: object = True, sparse: object = False, indexing: object = "xy") -> tuple[Value, ...]:
    """As `numpy.meshgrid`; the arrays are copies."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    plain("meshgrid", copy=(copy, True))
    places = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        places[:2] = [1, 0]
    lines = [_along_axis(x, place, len(xi)) for x, place in zip(xi, places, strict=True)]
    if sparse:
        return tuple(line.__copy__() for line in lines)
    aligned = broadcasting.broadcast(lines)
    shape = apply_ufunc.broadcast_shapes(*(x.shape for x in aligned.operands))
    return tuple(aligned.made(fresh(atoms.broadcast_to(x.atom, shape))) for x in aligned.operands)


def _along_axis(x: object, axis: int, ndim: int) -> Value:
    flat = FUNCTIONS[np.ravel](x if wrap.is_dynamic_array(x) else handle(x))
    return flat[(None,) * axis + (slice(None),) + (None,) * (ndim - axis - 1)]

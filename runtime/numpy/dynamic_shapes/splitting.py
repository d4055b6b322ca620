"""Splitting arrays where the places, or the size, are known only at run time: views."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy.core import one_axis
from anabranch.runtime.numpy.dynamic_shapes.joining import array_of
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting

rules = Rules()


def _parts(array: Value, places: Sequence[Value], at: int) -> list[Value]:
    before = (slice(None),) * at
    return [array[(*before, slice(low, high))] for low, high in itertools.pairwise(places)]


def split_at(array: Value, indices: Sequence[object], at: int) -> list[Value]:
    """The parts between these places."""
    return _parts(array, [0, *indices, None], at)


def _is_list(x: object) -> bool:
    return isinstance(x, (list, tuple)) or len(wrap.shape_of(x)) > 0


@rules.dynamic_shape(np.array_split)
def array_split(ary: Value, indices_or_sections: Value, axis: Value = 0) -> list[Value]:
    """As `numpy.array_split`."""
    array = array_of(ary)
    at = one_axis(axis, array.ndim)
    if _is_list(indices_or_sections):
        return split_at(array, list(indices_or_sections), at)
    sections = operator.index(indices_or_sections)
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    each, extras = divmod(array.shape[at], sections)
    return _parts(array, [i * each + _lesser(i, extras) for i in range(sections + 1)], at)


def _lesser(i: int, extras: Value) -> Value:
    """`min(i, extras)`."""
    return extras + (i - extras) * (i < extras)


@rules.dynamic_shape(np.split)
def split(ary: Value, indices_or_sections: Value, axis: Value = 0) -> list[Value]:
    """As `numpy.split`."""
    array = array_of(ary)
    if not _is_list(indices_or_sections):
        rest = array.shape[one_axis(axis, array.ndim)] % operator.index(indices_or_sections)
        broadcasting.refuse(
            broadcasting.differ(rest, 0), ValueError, "array split does not result in an equal division"
        )
    return array_split(array, indices_or_sections, axis)

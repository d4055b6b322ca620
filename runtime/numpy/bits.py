"""Bits of bytes as elements of their own, and back."""

from __future__ import annotations

import functools
import operator

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy.core import dtype_of, handle, one_axis
from anabranch.runtime.numpy.namespace import namespace as xp
from anabranch.runtime.numpy.rules import Rules

rules = Rules()


def _places(bitorder: object) -> np.ndarray:
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    return np.arange(8, dtype=np.uint8)[:: -1 if bitorder == "big" else 1].copy()


def _axis_last(a: object, axis: object) -> tuple[Value, int | None]:
    """The array with the axis last; flat where there is none."""
    array = handle(a)
    if axis is None:
        return array.ravel(), None
    if not array.ndim:
        array = array.ravel()
    at = one_axis(axis, array.ndim)
    return xp.moveaxis(array, at, -1), at


@rules.implements(np.packbits)
def packbits(a: object, /, axis: object = None, bitorder: object = "big") -> Value:
    """As `numpy.packbits`."""
    if dtype_of(a).kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    places = _places(bitorder)
    array, at = _axis_last(a, axis)
    bits = (array != 0).astype(np.uint8)
    # Elements at the same place of their bytes are a part of each of them.
    whole = bits.shape[-1] // 8 * 8
    parts = []
    if whole or bits.shape[-1] == 0:
        parts.append([bits[..., k:whole:8] << place for k, place in enumerate(places)])
    if whole < bits.shape[-1]:
        parts.append(
            [bits[..., k : k + 1] << place for k, place in zip(range(whole, bits.shape[-1]), places, strict=False)]
        )
    packed = xp.concatenate([functools.reduce(operator.or_, part) for part in parts], axis=-1)
    return packed if at is None else xp.copy(xp.moveaxis(packed, -1, at))


@rules.implements(np.unpackbits)
def unpackbits(a: object, /, axis: object = None, count: Value = None, bitorder: object = "big") -> Value:
    """As `numpy.unpackbits`."""
    if dtype_of(a) != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    places = _places(bitorder)
    array, at = _axis_last(a, axis)
    *outer, n = array.shape
    bits = ((array[..., None] >> places) & np.uint8(1)).reshape((*outer, n * 8))
    bits = bits if count is None else _counted(bits, operator.index(count))
    return bits if at is None else xp.copy(xp.moveaxis(bits, -1, at))


def _counted(bits: Value, count: int) -> Value:
    """The first `count` bits, with zeros where there are no more; a negative count leaves bits out."""
    size = bits.shape[-1]
    if count < -size:
        raise ValueError(f"-ve count({-count}) provided for the axis ({size})")
    wanted = count if count >= 0 else size + count
    return xp.pad(bits[..., :wanted], [(0, 0)] * (bits.ndim - 1) + [(0, max(wanted - size, 0))])

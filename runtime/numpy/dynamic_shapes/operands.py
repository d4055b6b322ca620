"""Accessors of operands, be these of run-time or of static size, as the rules of several families need them."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import handle, iota, zeros_atom
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import Masked, ValidRegion, Window
from anabranch.runtime.values.registry import FUNCTIONS


def array(x: object) -> Value:
    """The operand as an array: one of run-time size as it is."""
    return x if wrap.is_dynamic_array(x) else handle(x)


def flat(x: object) -> Value:
    """The operand as an array of one axis, in C order."""
    made = array(x)
    return made if made.ndim == 1 else FUNCTIONS[np.ravel](made)


def capacity(x: Value) -> tuple[int, ...]:
    """The static shape of an array's buffer."""
    shape: tuple[int, ...] = x.capacity if wrap.is_dynamic_array(x) else x.shape
    return shape


def extents(x: Value) -> list[ValidRegion | None]:
    """The extent of each axis, which says which elements are valid; None for a static one."""
    return list(x.extents) if wrap.is_dynamic_array(x) else [None] * x.ndim


def origin(*xs: Value) -> Value:
    """The origin of the run-time size of one of the arrays."""
    return next((x.origin for x in xs if wrap.is_dynamic_array(x)), None)


def memory(x: Value) -> Value:
    """The buffer, an array of static shape."""
    return x.memory if wrap.is_dynamic_array(x) else x


def valid(x: Value) -> Atom:
    """The mask of the valid elements, of the capacity's shape."""
    mask = x.valid() if wrap.is_dynamic_array(x) else None
    return zeros_atom(capacity(x), np.bool_, value=True) if mask is None else mask


def padded(x: Value, fill: Value) -> Atom:
    """The value with `fill` outside of the valid region."""
    made: Atom = x.padded(fill).atom if wrap.is_dynamic_array(x) else x.atom
    return made


def left_packed(x: Value, *axes: int) -> Value:
    """The array compacted to the front of these axes, of all by default."""
    return x.left_packed(*axes) if wrap.is_dynamic_array(x) else x


def window(stop: Value) -> ValidRegion:
    """The elements of an axis, compacted to its front."""
    return Window(0, stop)


def with_axis(x: object, view: object, axis: int, extent: ValidRegion | None) -> Value:
    """An array of x's extents but for one axis."""
    kept = extents(x)
    kept[axis] = extent
    return wrap.with_extents(view, kept, origin(x))


def front(count: Value, size: int) -> Atom:
    """The mask of the first `count` of `size` positions."""
    line = atoms.broadcast_to(size_arithmetic.atom_of(count), (size,))
    return atoms.ufunc(np.less, iota((size,)), line)


def behind(dtype: np.dtype) -> Value:
    """Return the value of a dtype that no other is sorted behind."""
    if dtype.kind == "c":
        return complex(np.nan, np.nan)
    if dtype.kind in "fV":
        return np.nan
    return True if dtype.kind == "b" else np.iinfo(dtype).max


def places(x: object, axis: int) -> Atom:
    """For each position of an axis in the buffer, the index of the element that lies there."""
    (n, extent) = (capacity(x)[axis], extents(x)[axis])
    if isinstance(extent, Masked):
        return compaction.ranks(extent.mask.atom)
    line = iota((n,))
    if not isinstance(extent, Window):
        return line
    return atoms.ufunc(np.subtract, line, atoms.broadcast_to(size_arithmetic.atom_of(extent.start), (n,)))


def spread(line: Atom, axis: int, shape: tuple[int, ...]) -> Atom:
    """A vector along an axis, the same for all positions of the others."""
    ones = [1] * len(shape)
    ones[axis] = line.type.shape[0]
    return atoms.broadcast_to(atoms.reshape(line, ones), shape)

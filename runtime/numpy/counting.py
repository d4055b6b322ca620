"""Counts of integers in arrays whose size is known only at run time."""

from __future__ import annotations

import operator

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import run_time_sizes
from anabranch.runtime.numpy.core import atom_of, fresh, handle, zeros_atom
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.registry import FUNCTIONS
from anabranch.runtime.values.tracer import Tracer

rules = Rules()

_INT = np.dtype(np.int64)


@rules.any_shape(np.bincount)
def bincount(x: Value, /, weights: Value = None, minlength: Value = 0) -> Value:
    """As `numpy.bincount`: as long as the greatest number says."""
    if weights is not None and wrap.is_dynamic_array(x):
        none = atoms.ufunc(np.equal, size_arithmetic.atom_of(x.extents[0].size), atoms.literal(0, np.int64))
        broadcasting.refuse(none, UnsupportedOperationError, _NONE)
    return counted(x, weights, minlength)


_NONE = (
    "np.bincount with weights of an array that is empty, of which NumPy makes an array of ints; ask before whether it "
    "has elements"
)


def counted(x: Value, weights: Value, minlength: Value) -> Value:
    """As `numpy.bincount`, but for weights of nothing, which are floats here."""
    numbers = x if wrap.is_dynamic_array(x) else handle(x)
    if numbers.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if numbers.ndim else "object of too small depth for desired array"
        )
    np.bincount(np.zeros(1, numbers.dtype))  # raises for types that it does not count
    least = _least(minlength)
    line, there = _left_packed(numbers, _INT)
    if not line.type.size:
        return FUNCTIONS[np.zeros](least, np.int64)
    below = atoms.ufunc(np.less, line, zeros_atom(line.type.shape, _INT))
    broadcasting.refuse(
        atoms.op("reduce_any", below, axes=(0,)), ValueError, "'list' argument must have no negative elements"
    )
    size = size_arithmetic.maximum(_size(line, there, numbers.dtype), least)
    (capacity,), extents = run_time_sizes.with_capacity((size,))
    if not capacity:
        return FUNCTIONS[np.zeros](least, np.int64)
    amounts = _amounts(numbers, weights, line)
    if there is not None:
        amounts = atoms.select(there, amounts, zeros_atom(line.type.shape, amounts.type.dtype))
    counts = zeros_atom((capacity,), amounts.type.dtype)
    places = atoms.reshape(line, (line.type.size, 1))
    return wrap.with_extents(fresh(atoms.op("scatter", counts, places, amounts, combine="add")), extents)


def _left_packed(x: Value, dtype: np.dtype) -> tuple[Atom, Atom | None]:
    """The elements from the front on, then zeros; and which are elements, where not all are."""
    if not wrap.is_dynamic_array(x):
        return atom_of(x, dtype), None
    front = x.left_packed()
    return atoms.convert(front.padded(0).atom, dtype), front.valid()


def _least(minlength: Value) -> Value:
    """The length that is asked for at least, as a bound."""
    least = size_arithmetic.bound_of(minlength) if isinstance(minlength, Tracer) else operator.index(minlength)
    below = size_arithmetic.interval_of(least).low < 0
    if below:
        wrong = atoms.ufunc(np.less, size_arithmetic.atom_of(least), atoms.literal(0, np.int64))
        broadcasting.refuse(wrong, ValueError, "'minlength' must not be negative")
    return size_arithmetic.maximum(least, 0) if below else least


def _size(line: Atom, there: Atom | None, dtype: np.dtype) -> Value:
    """One more than the greatest number; 0 without any."""
    if there is not None:
        line = atoms.select(there, line, zeros_atom(line.type.shape, _INT, -1))
    most = 2 if dtype.kind == "b" else int(np.iinfo(dtype).max) + 1
    return size_arithmetic.limited(
        size_arithmetic.add(size_arithmetic.bound_of(fresh(atoms.op("reduce_max", line, axes=(0,)))), 1),
        0,
        min(most, 2**62),
    )


def _amounts(numbers: Value, weights: Value, line: Atom) -> Atom:
    """Return the weight that each number counts with."""
    if weights is None:
        return zeros_atom(line.type.shape, _INT, 1)
    given = weights if wrap.is_dynamic_array(weights) else handle(weights)
    if not np.can_cast(given.dtype, np.float64):
        raise TypeError(f"Cannot cast array data from {given.dtype!r} to dtype('float64') according to the rule 'safe'")
    wrong = atoms.logical_and(
        broadcasting.differ(given.shape[0], numbers.shape[0]), broadcasting.differ(numbers.shape[0], 0)
    )
    broadcasting.refuse(wrong, ValueError, "The weights and list don't have the same length.")
    made, _ = _left_packed(given, np.dtype(np.float64))
    return compaction.resized(made, 0, line.type.size)

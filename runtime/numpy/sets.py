"""Set functions: the distinct elements of arrays, whose number is known only at run time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands, sorted_search
from anabranch.runtime.numpy.core import atom_of, fresh, iota, one_axis, promoted, refused, zeros_atom
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, control_of_atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import Masked, masked
from anabranch.runtime.values.registry import FUNCTIONS

# So many elements are compared one after the other in less time than one is searched for.
_FEW = 64
# From so many integers on it takes less time to leave out those that occur twice.
_MANY = 2048
# How many integers, for each one there is, a table may be for.
_ROOM = 4
rules = Rules()


@frozen
class _Runs:
    """The elements of an array in order, and which of them are the first of those that are equal."""

    ordered: Atom  # the valid elements, then the invalid ones
    count: Any  # int or PythonScalar; how many there are
    order: Atom | None  # where each of them was among all, where that is asked for
    first: Masked  # the first of each run

    def chosen(self, line: Atom, origin: Value) -> Value:
        """The elements of a line that belong to the first of each run."""
        return wrap.with_extents(fresh(line), (self.first,), origin)

    def counts(self) -> Atom:
        """How many elements there are in the run that begins at a place."""
        size = self.ordered.type.shape[0]
        if not size:
            return zeros_atom((0,), np.int64)
        end = atoms.broadcast_to(size_arithmetic.atom_of(self.count), (size,))
        starts = atoms.select(self.first.mask.atom, iota((size,)), end)
        # The place where the next run begins: the least start behind.
        backwards = atoms.op("cummin", atoms.op("reverse", starts, axes=(0,)), axis=0)
        least = atoms.op("reverse", backwards, axes=(0,))
        one_on = atoms.cut(least, 1, size)
        last = atoms.reshape(size_arithmetic.atom_of(self.count), (1,))
        following = atoms.op("concatenate", one_on, last, axis=0)
        return atoms.ufunc(np.subtract, following, iota((size,)))

    def places(self) -> Atom:
        """For each element, as it stood in the array, which of the runs it belongs to."""
        assert self.order is not None
        size = self.ordered.type.shape[0]
        numbers = atoms.op("cumsum", atoms.convert(self.first.mask.atom, np.int64), axis=0)
        numbers = atoms.ufunc(np.subtract, numbers, zeros_atom((size,), np.int64, 1))
        where = atoms.reshape(self.order, (size, 1))
        return atoms.op("scatter", zeros_atom((size,), np.int64), where, numbers, combine="set")


def _runs(x: Value, ordered: bool, equal_nan: bool) -> _Runs:
    """The runs of an array of one axis; with `ordered`, where they were."""
    size = operands.capacity(x)[0]
    order = None
    if ordered:
        x = operands.left_packed(x)
        order = operands.memory(FUNCTIONS[np.argsort](x, kind="stable")).atom
        line = operands.padded(x, operands.behind(x.dtype))
        line = atoms.op("gather", line, atoms.reshape(order, (size, 1))) if size else line
    else:
        line = operands.memory(FUNCTIONS[np.sort](x)).atom
        (size,) = line.type.shape
    there = operands.front(x.shape[0], size)
    if size:
        there = atoms.logical_and(there, _differs(line, equal_nan))
    return _Runs(line, x.shape[0], order, masked(there))


def _differs(line: Atom, equal_nan: bool) -> Atom:
    """Where an element of a sorted line is another than the one before it."""
    here, before = _neighbours(line)
    other = atoms.ufunc(np.not_equal, here, before)
    if equal_nan and line.type.dtype.kind in "fcV":
        both = atoms.logical_and(atoms.ufunc(np.isnan, here), atoms.ufunc(np.isnan, before))
        other = atoms.logical_and(other, atoms.logical_not(both))
    return atoms.op("concatenate", zeros_atom((1,), np.bool_, value=True), other, axis=0)


def _neighbours(line: Atom) -> tuple[Atom, Atom]:
    (size,) = line.type.shape
    return atoms.cut(line, 1, size), atoms.cut(line, 0, size - 1)


@rules.any_shape(np.unique)
def unique(
    ar: object,
    return_index: object = False,
    return_inverse: object = False,
    return_counts: object = False,
    axis: object = None,
    *,
    equal_nan: object = True,
    sorted: object = True,
) -> Value:
    """As `numpy.unique`; the elements are sorted whatever `sorted` says."""
    array = operands.array(ar)
    if axis is not None and array.ndim != 1:
        return _along(array, axis, bool(return_index), bool(return_inverse), bool(return_counts))
    x = operands.flat(array)
    runs = _runs(x, bool(return_index or return_inverse), bool(equal_nan))
    origin = operands.origin(array)
    made = [runs.chosen(runs.ordered, origin)]
    if return_index:
        assert runs.order is not None
        made.append(runs.chosen(runs.order, origin))
    if return_inverse:
        made.append(_inverse(runs, array, x))
    if return_counts:
        made.append(runs.chosen(runs.counts(), origin))
    return made[0] if len(made) == 1 else tuple(made)


def _along(array: Value, axis: Value, index: bool, inverse: bool, counts: bool) -> Value:
    """As `numpy.unique` along an axis: by the ranks of the parts among all of them, in their order."""
    if wrap.is_dynamic_array(array) or not array.size or array.dtype.kind not in "biuf":
        raise refused("unique", "along an axis of an array of run-time size, without elements, or of complex numbers")
    parts = FUNCTIONS[np.moveaxis](array, one_axis(axis, array.ndim), 0)
    rows = FUNCTIONS[np.reshape](parts, (parts.shape[0], -1))
    order = FUNCTIONS[np.lexsort](rows.T[::-1])
    placed = rows[order]
    differ = FUNCTIONS[np.any](placed != FUNCTIONS[np.roll](placed, 1, axis=0), axis=1)
    steps = FUNCTIONS[np.where](np.arange(rows.shape[0]) > 0, differ, False)
    ranks = FUNCTIONS[np.cumsum](steps)[FUNCTIONS[np.argsort](order, kind="stable")]
    _, first, *rest = unique(ranks, True, inverse, counts)
    found = FUNCTIONS[np.moveaxis](parts[first], 0, one_axis(axis, array.ndim))
    made = [found, *([first] if index else ()), *rest]
    return made[0] if len(made) == 1 else tuple(made)


def _inverse(runs: _Runs, array: Value, x: Value) -> Value:
    """Which of the runs each element belongs to, in the shape of the array."""
    line = fresh(runs.places())
    if not wrap.is_dynamic_array(array):
        return FUNCTIONS[np.reshape](line, array.shape)
    if array.ndim != 1:
        return array._needs_size("an array of one axis (for the inverse of unique(), which has its shape)")
    return operands.with_axis(
        operands.left_packed(x), line, 0, operands.window(size_arithmetic.limited(x.shape[0], 0, line.size))
    )


def _register(original: Callable[..., object], named: Value, **asked: bool) -> None:
    def function(x: Value) -> Value:
        made = unique(x, equal_nan=False, **asked)
        return named(*made) if named is not None else made

    rules.any_shape(original)(function)


def _result(name: str) -> Value:
    return getattr(np.lib._arraysetops_impl, name)


_register(np.unique_values, None)
_register(np.unique_counts, _result("UniqueCountsResult"), return_counts=True)
_register(np.unique_inverse, _result("UniqueInverseResult"), return_inverse=True)
_register(np.unique_all, _result("UniqueAllResult"), return_index=True, return_inverse=True, return_counts=True)


# ---- membership ------------------------------------------------------------------------------------------------------


@rules.any_shape(np.isin)
def isin(
    element: object,
    test_elements: object,
    assume_unique: object = False,
    invert: object = False,
    *,
    kind: object = None,
) -> Value:
    """As `numpy.isin`: a search in the sorted test elements, or comparisons with a few; NaN is in nothing."""
    del assume_unique, kind  # both only choose NumPy's method
    x, others = operands.array(element), operands.flat(test_elements)
    dtype = np.result_type(x.dtype, others.dtype)
    if dtype.kind == "b":
        dtype = np.dtype(np.uint8)
    is_known = not (wrap.is_dynamic_array(x) or wrap.is_dynamic_array(others))
    if is_known and dtype.kind in "iu" and x.size and others.size > _FEW:
        found = _among_integers(atoms.convert(x.atom, dtype), atoms.convert(others.atom, dtype))
        return fresh(atoms.logical_not(found) if invert else found)
    if not _are_few(others.shape[0]):
        # Many integers are likely to be of few values, among which there is less to search.
        is_long = others.dtype.kind in "iu" and operands.capacity(others)[0] >= _MANY
        others = operands.left_packed(unique(others)) if is_long else FUNCTIONS[np.sort](others)
    line = atoms.convert(operands.memory(others).atom, dtype)

    def search(wanted: object) -> Value:
        found = _among(atoms.convert(operands.array(wanted).atom, dtype), line, others.shape[0])
        return fresh(atoms.logical_not(found) if invert else found)

    return broadcasting.elementwise(search, (x,)) if wrap.is_dynamic_array(x) else search(x)


def _are_few(count: size_arithmetic.Bound) -> bool:
    return isinstance(count, int) and count <= _FEW


def _among(wanted: Atom, line: Atom, count: size_arithmetic.Bound) -> Atom:
    """Which elements are among the first `count` of a line, sorted unless they are few."""
    size, shape = line.type.shape[0], wanted.type.shape
    if not size:
        return zeros_atom(shape, np.bool_)
    if _are_few(count):
        some = (atoms.broadcast_to(atoms.reshape(atoms.cut(line, k, k + 1), ()), shape) for k in range(size))
        return functools.reduce(atoms.logical_or, [atoms.ufunc(np.equal, wanted, one) for one in some])
    place = sorted_search.bisect(line, wanted, right=False, count=count)
    last = atoms.ufunc(np.minimum, place, zeros_atom(shape, np.int64, size - 1))
    found = atoms.ufunc(np.equal, atoms.op("gather", line, atoms.reshape(last, (*shape, 1))), wanted)
    if isinstance(count, int):
        return found
    end = atoms.broadcast_to(size_arithmetic.atom_of(count), shape)
    return atoms.logical_and(found, atoms.ufunc(np.less, place, end))


def _among_integers(wanted: Atom, line: Atom) -> Atom:
    """Which integers are among those of a line: by a table of those between its ends, where these are not far apart."""
    low, high = (atom_of(FUNCTIONS[end](fresh(line))) for end in (np.min, np.max))
    room = _ROOM * (line.type.size + wanted.type.size)

    def above(x: Atom, low: Atom) -> Atom:
        # Differences of int64 may be as large as uint64 can hold.
        bits = atoms.convert(x, np.uint64)
        return atoms.ufunc(np.subtract, bits, atoms.broadcast_to(atoms.convert(low, np.uint64), x.type.shape))

    def below(x: Atom) -> Atom:
        return atoms.ufunc(np.less, x, zeros_atom(x.type.shape, np.uint64, room))

    def by_table(given: control_of_atoms.State) -> control_of_atoms.State:
        wanted, line, low = given
        places = atoms.reshape(atoms.convert(above(line, low), np.int64), (line.type.size, 1))
        there = zeros_atom(line.type.shape, np.bool_, value=True)
        table = atoms.op("scatter", zeros_atom((room,), np.bool_), places, there, combine="set")
        shape, place = wanted.type.shape, above(wanted, low)
        is_inside = atoms.ufunc(np.less_equal, atoms.broadcast_to(low, shape), wanted)
        is_inside = atoms.logical_and(is_inside, below(place))
        place = atoms.select(is_inside, atoms.convert(place, np.int64), zeros_atom(shape, np.int64))
        found = atoms.op("gather", table, atoms.reshape(place, (*shape, 1)))
        return (atoms.logical_and(found, is_inside),)

    def by_search(given: control_of_atoms.State) -> control_of_atoms.State:
        wanted, line, _ = given
        ordered = atom_of(FUNCTIONS[np.sort](fresh(line)))
        return (_among(wanted, ordered, line.type.size),)

    (found,) = control_of_atoms.cond(below(above(high, low)), by_table, by_search, (wanted, line, low))
    return found


# ---- two sets --------------------------------------------------------------------------------------------------------


def _together(*xs: Value) -> Value:
    """The elements of arrays of one axis, one after the other, where they are."""
    dtype = np.result_type(*(x.dtype for x in xs))
    value = [atoms.convert(operands.memory(x).atom, dtype) for x in xs]
    there = [operands.valid(x) for x in xs]
    line, mask = (atoms.op("concatenate", *parts, axis=0) for parts in (value, there))
    return wrap.with_extents(fresh(line), (masked(mask),), operands.origin(*xs))


def _flat_operands(*xs: object) -> list[Value]:
    dtype = np.result_type(promoted(*(operands.memory(operands.array(x)) for x in xs)))
    lines = [operands.flat(x) for x in xs]
    return [x if x.dtype == dtype else FUNCTIONS[np.asarray](x, dtype) for x in lines]


def _once(x: object, assume_unique: object) -> Value:
    return x if assume_unique else unique(x)


@rules.any_shape(np.setdiff1d)
def setdiff1d(ar1: object, ar2: object, assume_unique: object = False) -> Value:
    """As `numpy.setdiff1d`."""
    x, other = operands.flat(ar1), operands.flat(ar2)
    x, other = _once(x, assume_unique), _once(other, assume_unique)
    return x[FUNCTIONS[np.isin](x, other, invert=True)]


@rules.any_shape(np.setxor1d)
def setxor1d(ar1: object, ar2: object, assume_unique: object = False) -> Value:
    """As `numpy.setxor1d`."""
    a, b = (_once(x, assume_unique) for x in _flat_operands(ar1, ar2))
    alone = [x[FUNCTIONS[np.isin](x, other, invert=True)] for x, other in ((a, b), (b, a))]
    return FUNCTIONS[np.sort](_together(*alone))

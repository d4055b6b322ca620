"""Sorting, partitioning and searching."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.runtime.ir import Atom
from anabranch.runtime.numpy.core import (
    NoValue,
    atom_of,
    fresh,
    handle,
    implements,
    one_axis,
    plain,
    promoted,
    refused,
    result,
    shape_of,
    zeros_atom,
)
from anabranch.runtime.values import atoms, dispatch
from anabranch.runtime.values.array import Array
from anabranch.runtime.values.dispatch import method

_F = dispatch.FUNCTIONS
_STABLE = ("stable", "mergesort", "s", "m")
_KINDS = (None, "quicksort", "heapsort", "q", "h", *_STABLE)


def _stable(name: str, kind: Any, order: Any, stable: Any) -> bool:
    plain(name, order=(order, None))
    if kind not in _KINDS:
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")
    if kind is not None and stable not in (None, NoValue):
        raise ValueError("`kind` and `stable` parameters can't be provided at the same time. Use only one of them.")
    return kind in _STABLE or (stable is not NoValue and bool(stable))


def _line(a: Any, axis: Any) -> tuple[Atom, int]:
    value = atom_of(a)
    if axis is None:
        return atoms.reshape(value, (value.type.size,)), 0
    return value, one_axis(axis, len(value.type.shape))


@implements(np.sort)
def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """As `numpy.sort`."""
    in_order = _stable("sort", kind, order, stable)
    value, at = _line(a, axis)
    return fresh(atoms.op("sort", value, axis=at, stable=in_order))


@method("argsort")
@implements(np.argsort)
def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """As `numpy.argsort`; ties stay in order for every kind."""
    _stable("argsort", kind, order, stable)
    if not shape_of(a):
        a = fresh(atoms.reshape(atom_of(a), (1,)))
    value, at = _line(a, axis)
    return fresh(atoms.op("argsort", value, axis=at, stable=True))


@method("sort")
def sort_in_place(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
    """As `ndarray.sort`: in place."""
    _writable(a, "sort").set(atom_of(sort(a, axis, kind, order, stable=stable)))


def _writable(a: Any, name: str) -> Array:
    if not isinstance(a, Array):
        raise refused(f"generic.{name}", "a NumPy scalar cannot be written")
    return a


def _check_kth(kth: Any, n: int) -> None:
    wanted, n = np.asarray(kth), max(n, 1)
    if wanted.size and (wanted.max() >= n or wanted.min() < -n):
        bad = int(wanted.max()) if wanted.max() >= n else int(wanted.min())
        raise ValueError(f"kth(={bad}) out of bounds ({n})")


@implements(np.partition)
def partition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Any:
    """As `numpy.partition`: fully sorted, which is one of the partitions."""
    plain("partition", kind=(kind, "introselect"), order=(order, None))
    value, at = _line(a, axis)
    _check_kth(kth, value.type.shape[at])
    return fresh(atoms.op("sort", value, axis=at, stable=False))


@method("argpartition")
@implements(np.argpartition)
def argpartition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Any:
    """As `numpy.argpartition`: the positions that sort."""
    plain("argpartition", kind=(kind, "introselect"), order=(order, None))
    value, at = _line(a, axis)
    _check_kth(kth, value.type.shape[at])
    return fresh(atoms.op("argsort", value, axis=at, stable=True))


@method("partition")
def partition_in_place(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> None:
    """As `ndarray.partition`: in place."""
    _writable(a, "partition").set(atom_of(partition(a, kth, axis, kind, order)))


@implements(np.lexsort)
def lexsort(keys: Any, axis: Any = -1) -> Any:
    """As `numpy.lexsort`: stable sorts from the least significant key to the most."""
    items = [handle(keys[i]) for i in range(len(keys))]
    if not items:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    order: Any = None
    for key in items:
        ranked = key if order is None else _F[np.take_along_axis](key, order, axis)
        step = argsort(ranked, axis)
        order = step if order is None else _F[np.take_along_axis](order, step, axis)
    return order


@method("searchsorted")
@implements(np.searchsorted)
def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """As `numpy.searchsorted`: a binary search of a static number of steps."""
    if side not in ("left", "right", "l", "r", "L", "R"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    base = a if sorter is None else _F[np.take](handle(a), sorter)
    chosen = np.result_type(promoted(base, v))
    line, wanted = atom_of(base, chosen), atom_of(v, chosen)
    if len(line.type.shape) != 1:
        raise ValueError(
            "object too deep for desired array" if line.type.shape else "object of too small depth for desired array"
        )
    return result(bisect(line, wanted, right=side in ("right", "r", "R")))


def bisect(line: Atom, wanted: Atom, right: bool) -> Atom:
    """How many elements of a sorted line come before each wanted one; NaN is greater than every number."""
    n, shape = line.type.shape[0], wanted.type.shape
    low = zeros_atom(shape, np.int64)
    if n == 0:
        return low
    # Steps of falling powers of two: `low` elements are known to come before.
    for bit in reversed(range(n.bit_length())):
        probe = atoms.ufunc(np.add, low, zeros_atom(shape, np.int64, 1 << bit))
        within = atoms.ufunc(np.less_equal, probe, zeros_atom(shape, np.int64, n))
        last = atoms.ufunc(np.subtract, probe, zeros_atom(shape, np.int64, 1))
        last = atoms.ufunc(np.minimum, last, zeros_atom(shape, np.int64, n - 1))
        element = atoms.op("gather", line, atoms.reshape(last, (*shape, 1)))
        before = atoms.logical_not(_less(wanted, element)) if right else _less(element, wanted)
        low = atoms.select(atoms.logical_and(within, before), probe, low)
    return low


def _less(x: Atom, y: Atom) -> Atom:
    """`x < y` in the order of sorting: NaN last."""
    less = atoms.ufunc(np.less, x, y)
    if x.type.dtype.kind == "c":
        raise refused("searchsorted", "of complex numbers")
    if x.type.dtype.kind != "f":
        return less
    only_y = atoms.logical_and(atoms.ufunc(np.isnan, y), atoms.logical_not(atoms.ufunc(np.isnan, x)))
    return atoms.logical_or(less, only_y)


@implements(np.digitize)
def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    """As `numpy.digitize`; run-time bins are taken to increase."""
    side = "left" if right else "right"
    if isinstance(bins, (list, tuple, np.ndarray)):
        static = np.asarray(bins)
        steps = np.diff(static)
        if (steps < 0).any() and (steps > 0).any():
            raise ValueError("bins must be monotonically increasing or decreasing")
        if (steps < 0).any():
            found = searchsorted(np.ascontiguousarray(static[::-1]), x, side)
            return _F[np.subtract](len(static), found)
        return searchsorted(static, x, side)
    raise refused("digitize", "run-time bins may increase or decrease; use np.searchsorted")

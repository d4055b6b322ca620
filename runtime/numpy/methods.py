"""Attributes and methods of ndarrays that are no function of the namespace."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import memory_order, operands
from anabranch.runtime.numpy.core import (
    atom_of,
    dtype_of,
    fresh,
    handle,
    plain,
    refused,
    spec_of,
    supported,
    zeros_atom,
)
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.selection import positions
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays import indexing
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.memory import memory_layout, views
from anabranch.runtime.values.python_numbers.python_conversions import of_numpy

rules = Rules()

_F = registry.FUNCTIONS


# ---- attributes ------------------------------------------------------------------------------------------------------


def _part(name: str) -> Callable[[Value], Value]:
    def part(a: Value) -> Value:
        if a.dtype.kind == "c":
            if isinstance(a, NumPyScalar):
                return wrap.numpy_result(atoms.op(name, a.atom))
            return a.viewed(views.ComplexPart(name))
        if name == "real":
            return a
        if isinstance(a, NumPyScalar):
            return wrap.numpy_result(atoms.literal(0, a.dtype))
        whole = operands.memory(a)
        zeros = memory_layout.keep_order(fresh(zeros_atom(whole.shape, a.dtype)), (whole,)).viewed(readonly=True)
        return wrap.part_of(zeros, operands.extents(a), operands.origin(a))

    return part


for _name in ("real", "imag"):
    rules.properties[_name] = rules.dynamic_shape_properties[_name] = _part(_name)


def _no_attribute(name: str, reason: str) -> None:
    def refuse(_: Value) -> Value:
        raise refused(f"ndarray.{name}", reason)

    rules.properties[name] = refuse
    rules.refused[f"numpy.ndarray.{name}"] = reason


for _name in ("flat", "strides", "data", "ctypes", "base", "flags"):
    _no_attribute(_name, "compiled code gives no access to memory")


rules.properties["device"] = lambda _: "cpu"


@rules.any_shape(np.real)
def real(val: Value) -> Value:
    """As `numpy.real`: a view of an array."""
    return val.real if hasattr(val, "real") else handle(val).real


@rules.any_shape(np.imag)
def imag(val: Value) -> Value:
    """As `numpy.imag`."""
    return val.imag if hasattr(val, "imag") else handle(val).imag


@rules.method("conj", "conjugate")
def conjugate(a: Value, out: Value = None) -> Value:
    """As `ndarray.conjugate`: an array of real numbers is returned itself."""
    if out is None and a.dtype.kind != "c":
        return a
    return _F[np.conjugate](a, out=out)


# ---- conversions -----------------------------------------------------------------------------------------------------


@rules.dynamic_shape_method("astype")
@rules.method("astype")
def astype(
    a: Value, dtype: Value, order: Value = "K", casting: Value = "unsafe", subok: Value = True, copy: Value = True
) -> Value:
    """As `ndarray.astype`."""
    del subok  # there is one class of traced arrays
    chosen = supported(dtype)
    if not np.can_cast(a.dtype, chosen, casting):
        raise TypeError(f"Cannot cast array data from {a.dtype!r} to {chosen!r} according to the rule '{casting}'")
    if isinstance(a, NumPyScalar):
        return wrap.numpy_result(atoms.convert(a.atom, chosen))
    if wrap.is_dynamic_array(a):
        made = astype(a.memory, chosen, order, casting, copy=copy)
        return a if made is a.memory else a.with_memory(made)
    if copy or a.dtype != chosen:
        return memory_order.laid(atoms.convert(a.atom, chosen), order)
    return memory_order.ordered(a, order)


if hasattr(np, "astype"):

    @rules.any_shape(np.astype)
    def astype_function(x: object, dtype: object, /, *, copy: object = True, device: object = None) -> Value:
        """As `numpy.astype`."""
        if device != "cpu":
            plain("astype", device=(device, None))
        return astype(x, dtype, copy=copy)


@rules.dynamic_shape_method("view")
@rules.method("view")
def view(a: Value, dtype: Value = None, type: Value = None) -> Value:
    """As `ndarray.view()`; another dtype is not staged."""
    plain("ndarray.view", type=(type, None))
    if dtype is None or np.dtype(dtype) == a.dtype:
        return a if isinstance(a, NumPyScalar) else a.viewed()
    raise refused("ndarray.view", f"{a.dtype} viewed as {np.dtype(dtype)}; convert the values by astype")


@rules.method("item")
def item(a: Value, *args: Value) -> Value:
    """As `ndarray.item`: a Python scalar."""
    if not args:
        if a.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return of_numpy(atoms.reshape(a.atom, ()))
    key = args[0] if len(args) == 1 else args
    if isinstance(key, tuple):
        if len(key) != a.ndim:
            raise ValueError("incorrect number of indices for array")
        return of_numpy(atom_of(a[key]))
    place = positions(key, a.size, "raise", None if a.ndim > 1 else 0)
    flat = atoms.reshape(a.atom, (a.size,))
    return of_numpy(atoms.op("gather", flat, atoms.reshape(place, (1,))))


@rules.method("tolist")
def tolist(a: Value) -> Value:
    """As `ndarray.tolist`: nested lists of Python scalars."""
    if a.ndim == 0:
        return item(a)
    return [tolist(a[i]) for i in range(a.shape[0])]


rules.refuses_method(
    "a run-time value has no bytes while tracing; return it, and take them outside",
    "tobytes",
    "tofile",
    "dump",
    "dumps",
)


# ---- writing ---------------------------------------------------------------------------------------------------------


def _target(a: object, name: str) -> Value:
    if not isinstance(a, TracedArray) and not wrap.is_dynamic_array(a):
        raise refused(name, "its target is not a traced array")
    return a


@rules.dynamic_shape_method("fill")
@rules.method("fill")
def fill(a: object, value: object) -> None:
    """As `ndarray.fill`."""
    _target(a, "ndarray.fill")[...] = value


@rules.any_shape(np.copyto)
def copyto(dst: object, src: Value, casting: object = "same_kind", where: object = True) -> None:
    """As `numpy.copyto`."""
    target = _target(dst, "copyto")
    if _is_same(target, src):
        return
    if not _castable(src, target.dtype, casting):
        raise TypeError(f"Cannot cast array data to {target.dtype!r} according to the rule '{casting}'")
    if type(src) is complex:
        src = np.complex128(src)
    value = src.astype(target.dtype) if wrap.is_dynamic_array(src) else fresh(atom_of(src, target.dtype))
    if where is not True:
        value = _F[np.where](where, value, target)
    target.assign(value)


def _castable(value: Value, dtype: np.dtype, casting: Value) -> bool:
    """Return whether the rule allows it; Python numbers are weak: of them only the kind matters."""
    kind = type(spec_of(value))
    if kind in (int, float, complex):
        least = {int: np.int8, float: np.float16, complex: np.complex64}[kind]
        if casting in ("unsafe", "equiv"):
            return bool(casting == "unsafe")
        return np.can_cast(least, dtype, "same_kind") or (kind is int and dtype.kind == "u")
    return np.can_cast(dtype_of(value), dtype, casting)


def _is_same(a: Value, b: object) -> bool:
    """Return whether both are the very same part of one array."""
    if wrap.is_dynamic_array(a):
        return a is b
    return isinstance(b, TracedArray) and a.storage is b.storage and a.path == b.path


@rules.implements(np.putmask)
def putmask(a: object, mask: object, values: object) -> None:
    """As `numpy.putmask`: the values are repeated to the array's size."""
    target = _target(a, "putmask")
    chosen = atom_of(mask, np.bool_)
    if chosen.type.size != target.size:
        raise ValueError("putmask: mask and data must be the same size")
    _check_safe(values, target)
    new = _repeated(atom_of(indexing.assigned(values, target.dtype), target.dtype), target.size)
    if new is None:
        return
    shape = target.shape
    target.set(atoms.select(atoms.reshape(chosen, shape), atoms.reshape(new, shape), target.atom))


def _repeated(values: Atom, size: int) -> Atom | None:
    n = values.type.size
    if n == 0:
        return None
    times = -(-size // n)
    rows = atoms.broadcast_to(atoms.reshape(values, (1, n)), (times, n))
    flat = atoms.reshape(rows, (times * n,))
    return atoms.op("slice", flat, starts=(0,), limits=(size,), strides=(1,))


def _check_apart(name: str, values: object, target: TracedArray) -> None:
    """NumPy reads these values one by one while it writes."""
    if isinstance(values, TracedArray) and values.storage is target.storage:
        raise refused(name, "the values are a part of the array that is written; pass a copy of them")


def _check_safe(values: object, target: TracedArray) -> None:
    """An array is cast by the rule "safe", any other value as it can be."""
    if isinstance(values, (np.ndarray, TracedArray)) and not np.can_cast(values.dtype, target.dtype, "safe"):
        raise TypeError(
            f"Cannot cast array data from {values.dtype!r} to {target.dtype!r} according to the rule 'safe'"
        )


@rules.implements(np.place)
def place(arr: Value, mask: Value, vals: Value) -> None:
    """As `numpy.place`: the n-th chosen element takes the n-th value, values repeating."""
    target = _target(arr, "place")
    chosen = atom_of(mask, np.bool_)
    if chosen.type.size != target.size:
        raise ValueError("place: mask and data must be the same size")
    _check_apart("place", vals, target)
    _check_safe(vals, target)
    values = atom_of(indexing.assigned(vals, target.dtype), target.dtype)
    n = values.type.size
    if n == 0:
        some = atoms.op("reduce_any", chosen, axes=tuple(range(len(chosen.type.shape))))
        run_time_checks.fail_if(some, lambda _: ValueError("Cannot insert from an empty array!"))
        return
    flat = atoms.reshape(chosen, (target.size,))
    rank = atoms.op("cumsum", atoms.convert(flat, np.int64), axis=0)
    one, count = (atoms.broadcast_to(atoms.literal(k, np.int64), (target.size,)) for k in (1, n))
    index = atoms.ufunc(np.remainder, atoms.ufunc(np.subtract, rank, one), count)
    new = atoms.op("gather", atoms.reshape(values, (n,)), atoms.reshape(index, (target.size, 1)))
    value = atoms.select(flat, new, atoms.reshape(target.atom, (target.size,)))
    target.set(atoms.reshape(value, target.shape))


@rules.method("put")
@rules.implements(np.put)
def put(a: object, ind: object, v: object, mode: object = "raise") -> None:
    """As `numpy.put`: writes at positions of the flat array."""
    target = _target(a, "put")
    if not atom_of(v).type.size:
        return
    index = positions(ind, target.size, mode, 0)
    count = index.type.size
    new = _repeated(atom_of(indexing.assigned(v, target.dtype), target.dtype), count)
    if new is None or not count:
        return
    flat = atoms.reshape(target.atom, (target.size,))
    done = atoms.op("scatter", flat, atoms.reshape(index, (count, 1)), new, combine="set")
    target.set(atoms.reshape(done, target.shape))


@rules.implements(np.fill_diagonal)
def fill_diagonal(a: object, val: object, wrap: object = False) -> None:
    """As `numpy.fill_diagonal`."""
    target = _target(a, "fill_diagonal")
    if target.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if target.ndim > 2 and len(set(target.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    _check_apart("fill_diagonal", val, target)
    stop = None if wrap or target.ndim > 2 else target.shape[1] * target.shape[1]
    step = target.shape[1] + 1 if target.ndim == 2 else 1 + sum(target.shape[0] ** k for k in range(1, target.ndim))
    where = np.arange(target.size)[:stop:step]
    new = _repeated(atom_of(indexing.assigned(val, target.dtype), target.dtype), where.size)
    if new is None or not where.size:
        return
    flat = atoms.reshape(target.atom, (target.size,))
    done = atoms.op("scatter", flat, atoms.literal(where.reshape(-1, 1), np.int64), new, combine="set")
    target.set(atoms.reshape(done, target.shape))


rules.refuses_method(
    "an array has no memory of its own while tracing; do it outside of compiled code",
    "setflags",
    "byteswap",
    "getfield",
    "setfield",
    "to_device",
)

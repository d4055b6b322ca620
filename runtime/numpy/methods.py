"""Attributes and methods of ndarrays that are no function of the namespace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import memory_access, operands
from anabranch.runtime.numpy.core import (
    ExtendedPrecisionError,
    atom_of,
    fresh,
    handle,
    on_host,
    plain,
    refused,
    supported,
    zeros_atom,
)
from anabranch.runtime.numpy.positions import positions
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.memory import memory_layout, views
from anabranch.runtime.values.python_numbers.python_conversions import of_numpy

rules = Rules()

_F = registry.FUNCTIONS
_NOT_ONE = "can only convert an array of size 1 to a Python scalar"


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
    rules.properties[_name] = _part(_name)


def _no_attribute(name: str, reason: str) -> None:
    def refuse(_: Value) -> Value:
        raise refused(f"ndarray.{name}", reason)

    rules.properties[name] = refuse
    rules.refused[f"numpy.ndarray.{name}"] = reason


for _name in ("data", "ctypes", "base"):
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
def conjugate(a: Value, out: Value = None, /) -> Value:
    """As `ndarray.conjugate`: an array of real numbers is returned itself."""
    if out is None and a.dtype.kind != "c":
        return a
    return _F[np.conjugate](a, out=out)


# ---- conversions -----------------------------------------------------------------------------------------------------


@rules.method("astype")
def astype(
    a: Value, dtype: Value, order: Value = "K", casting: Value = "unsafe", subok: Value = True, copy: Value = True
) -> Value:
    """As `ndarray.astype`."""
    del subok  # there is one class of traced arrays
    try:
        chosen = supported(dtype)
    except ExtendedPrecisionError:
        owner: Any = np.generic if isinstance(a, NumPyScalar) else np.ndarray
        return on_host(owner.astype, a, dtype, order, casting)
    if not np.can_cast(a.dtype, chosen, casting):
        raise TypeError(f"Cannot cast array data from {a.dtype!r} to {chosen!r} according to the rule '{casting}'")
    if isinstance(a, NumPyScalar):
        return wrap.numpy_result(atoms.convert(a.atom, chosen))
    if wrap.is_dynamic_array(a):
        made = astype(a.memory, chosen, order, casting, copy=copy)
        return a if made is a.memory else a.with_memory(made)
    if copy or a.dtype != chosen:
        return memory_access.laid(atoms.convert(a.atom, chosen), order)
    return memory_access.ordered(a, order)


@rules.any_shape(np.astype)
def astype_function(x: object, dtype: object, /, *, copy: object = True, device: object = None) -> Value:
    """As `numpy.astype`."""
    if device != "cpu":
        plain("astype", device=(device, None))
    return astype(x, dtype, copy=copy)


def _truth(a: Value) -> Atom:
    """The truth of the only element; raises as NumPy does for other sizes."""
    size = size_arithmetic.bound_of(a.size)
    broadcasting.refuse(
        broadcasting.differ(size_arithmetic.minimum(size, 1), 1), ValueError, apply_ufunc.NO_TRUTH_OF_NONE
    )
    broadcasting.refuse(
        broadcasting.differ(size_arithmetic.maximum(size, 1), 1), ValueError, apply_ufunc.NO_TRUTH_OF_MANY
    )
    return atoms.any_of(atoms.convert(a.padded(0).atom, np.bool_))


registry.DYNAMIC_SHAPE_OPERATIONS[bool] = _truth


@rules.method("item")
def item(a: Value, *args: Value) -> Value:
    """As `ndarray.item`: a Python scalar."""
    if wrap.is_dynamic_array(a):
        return _item_of_run_time_size(a, *args)
    if not args:
        if a.size != 1:
            raise ValueError(_NOT_ONE)
        return of_numpy(atoms.reshape(a.atom, ()))
    key = args[0] if len(args) == 1 else args
    if isinstance(key, tuple):
        if len(key) != a.ndim:
            raise ValueError("incorrect number of indices for array")
        return of_numpy(atom_of(a[key]))
    place = positions(key, a.size, "raise", None if a.ndim > 1 else 0)
    flat = atoms.reshape(a.atom, (a.size,))
    return of_numpy(atoms.op("gather", flat, atoms.reshape(place, (1,))))


def _item_of_run_time_size(a: Value, *args: Value) -> Value:
    if args:
        return item(a[args if len(args) > 1 else args[0]])
    broadcasting.refuse(broadcasting.differ(a.size, 1), ValueError, _NOT_ONE)
    return item(a[(0,) * a.ndim])


@rules.method("tolist")
def tolist(a: Value) -> Value:
    """As `ndarray.tolist`: nested lists of Python scalars."""
    if a.ndim == 0:
        return of_numpy(atom_of(a))  # an element of an array that is known while tracing is NumPy's own
    return [tolist(a[i]) for i in range(a.shape[0])]


@rules.method("byteswap")
def byteswap(a: Value, inplace: Value = False) -> Value:
    """As `ndarray.byteswap`; the bytes of the two parts of a complex number stay apart."""
    size = a.dtype.itemsize // (2 if a.dtype.kind == "c" else 1)
    swapped = a.flatten().view(np.uint8).reshape(-1, size)[:, ::-1].flatten().view(a.dtype).reshape(a.shape)
    if not inplace:
        return swapped
    a[...] = swapped
    return a


rules.refuses_method(
    "a run-time value has no bytes while tracing; return it, and take them outside",
    "tofile",
    "dump",
    "dumps",
)


rules.refuses_method(
    "an array has no memory of its own while tracing; do it outside of compiled code",
    "setflags",
    "getfield",
    "setfield",
    "to_device",
)

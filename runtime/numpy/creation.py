"""Functions that make arrays: always a handle on fresh memory, from one literal or from positions."""

from __future__ import annotations

import itertools
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.device import foreign
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.numpy import memory_access, nested_sequences, reshaping
from anabranch.runtime.numpy.core import (
    atom_of,
    diagonal_mask,
    dtype_of,
    fresh,
    frozen,
    operand,
    plain,
    shape_of,
    supported,
    zeros_atom,
)
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.run_time_sizes import Extents, shape_with_capacity
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.host_calls.library_objects import LibraryObject
from anabranch.runtime.values.host_types import structures
from anabranch.runtime.values.union import UnionValue

rules = Rules()

_ORDERS = ("C", "F", "K", "A", None)
_REQUIREMENTS = {
    **dict.fromkeys(("C", "C_CONTIGUOUS", "CONTIGUOUS"), "C"),
    **dict.fromkeys(("F", "F_CONTIGUOUS", "FORTRAN"), "F"),
    **dict.fromkeys(("A", "ALIGNED", "W", "WRITEABLE", "O", "OWNDATA", "E", "ENSUREARRAY")),
}


def _check(name: str, order: object = "C", device: object = None, like: object = None, subok: object = False) -> None:
    if order not in _ORDERS:
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    if device != "cpu":
        plain(name, device=(device, None))
    plain(name, like=(like, None))
    del subok  # there is one class of traced arrays


def _only_c_or_f(order: object) -> None:
    if order not in ("C", "F", None):
        raise ValueError("only 'C' or 'F' order is permitted")


def _constant(name: str, value: int) -> Callable[..., Any]:
    def function(
        shape: Value, dtype: Value = float, order: Value = "C", *, device: Value = None, like: Value = None
    ) -> Value:
        _check(name, order, device, like)
        _only_c_or_f(order)
        if not value and not isinstance(dtype, (UnionValue, type(None))) and np.dtype(dtype).kind in "mMVUS":
            made = structures.zeros(shape, np.dtype(dtype))
            if made is not None:
                return made
        chosen = supported(float if dtype is None else dtype)
        sizes, extents = shape_with_capacity(shape)
        return wrap.with_extents(memory_access.laid(zeros_atom(sizes, chosen, value), order), extents)

    return function


def _shape_like(a: Value, shape: Value) -> tuple[tuple[int, ...], Extents]:
    """A shape as capacities and extents; where none is given, those of an array."""
    if shape is not None:
        return shape_with_capacity(shape)
    return (a.capacity, a.extents) if wrap.is_dynamic_array(a) else (shape_of(a), ())


def _constant_like(name: str, value: int) -> Callable[..., Any]:
    def function(
        a: Value,
        dtype: Value = None,
        order: Value = "K",
        subok: Value = True,
        shape: Value = None,
        *,
        device: Value = None,
    ) -> Value:
        _check(name, order, device, None, subok)
        sizes, extents = _shape_like(a, shape)
        made = memory_access.laid(zeros_atom(sizes, supported(dtype_of(a) if dtype is None else dtype), value), order)
        return wrap.with_extents(made, extents)

    return function


for _name, _value in (("zeros", 0), ("ones", 1), ("empty", 0)):
    rules.creates(getattr(np, _name))(_constant(_name, _value))
    if _name != "empty":
        rules.creates(getattr(np, f"{_name}_like"))(_constant_like(f"{_name}_like", _value))


@rules.creates(np.ndarray)
def ndarray(
    shape: Value,
    dtype: Value = float,
    buffer: Value = None,
    offset: Value = 0,
    strides: Value = None,
    order: Value = None,
) -> Value:
    """As `numpy.ndarray`: without memory to lie in as `numpy.empty`."""
    if buffer is not None or strides is not None:
        return np.ndarray(shape, dtype, buffer, offset, strides, order)
    return registry.FUNCTIONS[np.empty](shape, dtype, "C" if order is None else order)


@rules.creates(np.empty_like)
def empty_like(
    prototype: object,
    dtype: object = None,
    order: object = "K",
    subok: object = True,
    shape: object = None,
    *,
    device: object = None,
) -> Value:
    """As `numpy.empty_like`: zeros."""
    return registry.FUNCTIONS[np.zeros_like](prototype, dtype, order, subok, shape, device=device)


def _cast(x: object, dtype: np.dtype) -> Atom:
    """A value cast as `numpy.copyto` casts it without regard to what is lost; a Python int has to fit."""
    if type(x) is int:
        return Literal(frozen(np.array(x, dtype=dtype)))
    if type(x) in (float, complex):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # that a part is dropped
            return Literal(frozen(np.array(x).astype(dtype)))
    return wrap.as_atom(x, dtype)


def _filled(shape: tuple[int, ...], extents: Extents, fill_value: object, dtype: object, order: object) -> Value:
    value = operand(fill_value)
    chosen = supported(dtype_of(value) if dtype is None else dtype)
    if not any(extents):
        return memory_access.laid(atoms.broadcast_to(_cast(value, chosen), shape), order)
    made = wrap.with_extents(memory_access.laid(zeros_atom(shape, chosen), order), extents)
    made.assign(fresh(_cast(value, chosen)))
    return made


@rules.creates(np.full)
def full(
    shape: object,
    fill_value: object,
    dtype: object = None,
    order: object = "C",
    *,
    device: object = None,
    like: object = None,
) -> Value:
    """As `numpy.full`; the value may be traced."""
    _check("full", order, device, like)
    _only_c_or_f(order)
    return _filled(*shape_with_capacity(shape), fill_value, dtype, order)


@rules.creates(np.full_like)
def full_like(
    a: object,
    fill_value: object,
    dtype: object = None,
    order: object = "K",
    subok: object = True,
    shape: object = None,
    *,
    device: object = None,
) -> Value:
    """As `numpy.full_like`."""
    _check("full_like", order, device, None, subok)
    sizes, extents = _shape_like(a, shape)
    return _filled(sizes, extents, fill_value, dtype_of(a) if dtype is None else dtype, order)


# ---- from values -----------------------------------------------------------------------------------------------------


@rules.creates(np.array)
def array(
    object: Value,
    dtype: Value = None,
    *,
    copy: Value = True,
    order: Value = "K",
    subok: Value = False,
    ndmin: Value = 0,
    like: Value = None,
    ndmax: Value = None,
) -> Value:
    """As `numpy.array`: a new array, also from nested lists that hold traced values."""
    object = object if subok else foreign.plain(object)
    _check("array", order, None, like, subok)
    plain("array", ndmax=(ndmax, None))
    made = _ordered(nested_sequences.converted(object, dtype, copy), order, copy)
    if operator.index(ndmin) > made.ndim:
        return registry.FUNCTIONS[np.expand_dims](made, tuple(range(ndmin - made.ndim)))
    return made


@rules.creates(np.fromiter)
def fromiter(iter: Value, dtype: Value, count: int = -1, *, like: Value = None) -> Value:
    """As `numpy.fromiter`; how many items there are may be known only at run time."""
    plain("fromiter", like=(like, None))
    called = current().trace.outside.called
    if count < 0:
        items = iter
    elif isinstance(iter, TracedArray) and iter.ndim:
        items = iter[:count]
    else:
        items = called(itertools.islice)(iter, count)
    made = registry.FUNCTIONS[np.array](called(list)(items), dtype)
    if made.ndim != 1:
        raise ValueError("setting an array element with a sequence.")
    length = made.shape[0]
    text = f"iterator too short: Expected {count} but iterator had only {{}} items."
    if not isinstance(length, int):
        fewer = wrap.as_atom(length < count, np.bool_)
        run_time_checks.fail_if(fewer, run_time_checks.IntMessage(ValueError, text), wrap.as_atom(length))
    elif length < count:
        raise ValueError(text.format(length))
    return made


def _ordered(made: Value, order: object, copy: object) -> Value:
    if wrap.is_dynamic_array(made):
        if order == "F" and made.ndim > 1:
            made._needs_size("the order in memory, for order='F',")
        return made
    done = memory_access.ordered(made, order)
    if copy is False and done is not made:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return done


@rules.creates(np.asanyarray)
def asanyarray(
    a: object,
    dtype: object = None,
    order: object = None,
    *,
    device: object = None,
    copy: object = None,
    like: object = None,
) -> Value:
    """As `numpy.asanyarray`: an array of a class of its own is returned itself, of use where nothing else is traced."""
    if isinstance(a, LibraryObject) and dtype is None:
        a = a.as_array(keep_class=True)
    if isinstance(a, LibraryObject) or (isinstance(a, np.ndarray) and foreign.plain(a) is not a):
        return a
    return asarray(a, dtype, order, like=like)


@rules.creates(np.asarray)
def asarray(
    a: object,
    dtype: object = None,
    order: object = None,
    *,
    device: object = None,
    copy: object = None,
    like: object = None,
) -> Value:
    """As `numpy.asarray`: an array of the dtype and the order asked for is returned itself."""
    _check("asarray", order, device, like)
    a = foreign.plain(a)
    if order == "C" and wrap.is_dynamic_array(a):
        return reshaping.contiguous(asarray(a, dtype, like=like))
    if isinstance(a, np.ndarray) and not copy and (dtype is None or a.dtype == dtype) and order not in ("C", "F"):
        return a
    return _ordered(nested_sequences.converted(a, dtype, copy), order, copy)


@rules.creates(np.ascontiguousarray)
def ascontiguousarray(a: object, dtype: object = None, *, like: object = None) -> Value:
    """As `numpy.ascontiguousarray`: an array in C order, of at least one dimension."""
    return registry.FUNCTIONS[np.atleast_1d](asarray(a, dtype, "C", like=like))


@rules.creates(np.asfortranarray)
def asfortranarray(a: object, dtype: object = None, *, like: object = None) -> Value:
    """As `numpy.asfortranarray`: an array in Fortran order, of at least one dimension."""
    return registry.FUNCTIONS[np.atleast_1d](asarray(a, dtype, "F", like=like))


@rules.creates(np.asarray_chkfinite)
def asarray_chkfinite(a: object, dtype: object = None, order: object = None) -> Value:
    """As `numpy.asarray_chkfinite`."""
    made = asarray(a, dtype, order)
    if made.dtype.kind in "fc":
        finite = atom_of(registry.FUNCTIONS[np.all](registry.FUNCTIONS[np.isfinite](made)))
        run_time_checks.fail_if(atoms.logical_not(finite), lambda _: ValueError("array must not contain infs or NaNs"))
    return made


@rules.creates(np.copy)
def copy(a: Value, order: Value = "K", subok: Value = False) -> Value:
    """As `numpy.copy`."""
    return array(a, order=order, subok=subok)


@rules.method("copy")
def copy_method(a: object, order: object = "C") -> Value:
    """As `ndarray.copy`."""
    _check("ndarray.copy", order)
    return a if isinstance(a, NumPyScalar) else array(a, order=order)


@rules.creates(np.require)
def require(a: object, dtype: object = None, requirements: Value = None, *, like: object = None) -> Value:
    """As `numpy.require`: of what may be required only the order of the elements makes a difference here."""
    wanted = {str(r).upper() for r in requirements or ()}
    unknown = wanted - _REQUIREMENTS.keys()
    if unknown:
        raise KeyError(unknown.pop())
    orders = {_REQUIREMENTS[r] for r in wanted} - {None}
    if len(orders) > 1:
        raise ValueError("Cannot specify both 'C' and 'F' order")
    return asarray(a, dtype, orders.pop() if orders else None, like=like)


# ---- matrices --------------------------------------------------------------------------------------------------------


@rules.creates(np.eye)
def eye(
    N: object,  # noqa: N803
    M: object = None,  # noqa: N803
    k: Value = 0,
    dtype: Value = float,
    order: object = "C",
    *,
    device: object = None,
    like: object = None,
) -> Value:
    """As `numpy.eye`."""
    _check("eye", order, device, like)
    shape, extents = shape_with_capacity((N, N if M is None else M))
    ones = atoms.convert(diagonal_mask(shape[0], shape[1], operator.index(k)), supported(dtype))
    return wrap.with_extents(memory_access.laid(ones, order), extents)


@rules.creates(np.identity)
def identity(n: object, dtype: object = None, *, like: object = None) -> Value:
    """As `numpy.identity`."""
    return eye(n, dtype=float if dtype is None else dtype, like=like)

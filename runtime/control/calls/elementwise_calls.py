"""NumPy's functions that call the user's own on elements, on some of them, or on lines.

`np.vectorize`, `np.piecewise` and `np.apply_along_axis`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import if_
from anabranch.runtime.control.calls.broadcast_loops import Operand, dtype_of, each_index, mapped
from anabranch.runtime.numpy import namespace as xp
from anabranch.runtime.numpy.core import handle, one_axis, refused, supported
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import passed_functions, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

rules = Rules()


# ---- numpy.vectorize -------------------------------------------------------------------------------------------------


def counterpart(function: object) -> Callable[..., Any] | None:
    """Return what runs instead of a `numpy.vectorize` object; None for anything else."""
    if type(function) is not np.vectorize or not tracing():
        return None
    return functools.partial(_vectorized, function)


def _vectorized(vectorize: Any, *args: Value, **kwargs: Value) -> Value:
    """A call of a `numpy.vectorize` object: a loop over the broadcast elements."""
    if vectorize.pyfunc is np._NoValue:
        return vectorize(*args, **kwargs)
    if vectorize.signature is not None or vectorize.excluded:
        raise refused("vectorize", "with signature or excluded; write the loop")
    function = passed_functions.called(vectorize.pyfunc)
    given = [Operand.of(x) for x in (*args, *kwargs.values())]
    if not given:
        return function() if vectorize.otypes is not None else vectorize()

    def each(*elements: Value) -> Value:
        return function(*elements[: len(args)], **dict(zip(kwargs, elements[len(args) :], strict=True)))

    first = None
    if vectorize.otypes is None:
        for x in given:
            x.refuse_empty()
        first = each(*(x.first() for x in given))
        if isinstance(first, UnionValue) and len(set(map(dtype_of, first.options))) > 1:
            return first.through(lambda one: mapped(each, given, [dtype_of(one)], False))
        dtypes = [dtype_of(part) for part in (first if isinstance(first, tuple) else (first,))]
    else:
        dtypes = [supported(np.dtype(t)) for t in vectorize.otypes]
    if vectorize.cache:
        raise refused("vectorize", "with cache=True; the function is pure, or write the loop")
    is_tuple = isinstance(first, tuple) if vectorize.otypes is None else len(dtypes) > 1
    return mapped(each, given, dtypes, is_tuple)


# ---- numpy.piecewise -------------------------------------------------------------------------------------------------


@rules.any_shape(np.piecewise)
def piecewise(x: Value, condlist: Value, funclist: Value, *args: Value, **kw: Value) -> Value:
    """As `numpy.piecewise`: each function sees the elements for which its condition holds, if there are any."""
    x = xp.asarray(x)
    if isinstance(condlist, (bool, np.bool_)) or (isinstance(condlist, Tracer) and not wrap.shape_of(condlist)):
        conditions: list[Value] = [condlist]
    elif isinstance(condlist, (list, tuple)):
        is_list = isinstance(condlist[0], (list, np.ndarray, TracedArray)) or wrap.is_dynamic_array(condlist[0])
        conditions = list(condlist) if is_list or not x.ndim else [condlist]
    else:
        several = condlist.ndim > 1 or not x.ndim
        conditions = [condlist[i] for i in range(condlist.shape[0])] if several else [condlist]
    masks = [xp.asarray(c).astype(bool) for c in conditions]
    count = len(masks)
    if count == len(funclist) - 1:
        rest = masks[0]
        for mask in masks[1:]:
            rest = xp.logical_or(rest, mask)
        masks.append(xp.logical_not(rest))
    elif count != len(funclist):
        raise ValueError(f"with {count} condition(s), either {count} or {count + 1} functions are expected")
    y = xp.zeros_like(x)
    for mask, function in zip(masks, funclist, strict=True):
        if callable(function):
            _apply(y, x, xp.asarray(mask), passed_functions.called(function), args, kw)
        else:
            y[mask] = function
    return y


def _apply(
    y: Value, x: Value, mask: Value, function: Callable[..., Value], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> None:
    """Write the function of some elements to their places, where there are any."""
    chosen = x[mask]

    def then() -> tuple[()]:
        y[mask] = function(chosen, *args, **kwargs)
        return ()

    if_.if_(chosen.size > 0, then, lambda: ())


# ---- numpy.apply_along_axis ------------------------------------------------------------------------------------------


@rules.implements(np.apply_along_axis)
def apply_along_axis(func1d: Value, axis: object, arr: object, *args: Value, **kwargs: Value) -> Value:
    """As `numpy.apply_along_axis`: a loop, in which the function is called for each line.

    What it gives for the first one says of which shape and dtype the result is.
    """
    array, function = handle(arr), passed_functions.called(func1d)
    at = one_axis(axis, array.ndim)
    lines = xp.moveaxis(array, at, -1)
    outer = lines.shape[:-1]
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")

    def of_line(place: tuple[Value, ...]) -> Value:
        return function(lines[place], *args, **kwargs)

    def filled(first: Value) -> Value:
        first = xp.asanyarray(first)
        made = xp.zeros((*outer, *first.shape), first.dtype)
        made[(0,) * len(outer)] = first

        def write(number: Value) -> None:
            place = tuple(number // math.prod(outer[k + 1 :]) % outer[k] for k in range(len(outer)))
            made[place] = of_line(place)

        each_index(range(1, math.prod(outer)), write, "apply_along_axis")
        order = [*range(at), *range(len(outer), made.ndim), *range(at, len(outer))]
        return xp.transpose(made, order)

    first = of_line((0,) * len(outer))
    return first.through(filled) if isinstance(first, UnionValue) else filled(first)


rules.install()

"""NumPy's functions that call the user's own on elements, or on some of them: `np.vectorize` and `np.piecewise`."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import for_, if_
from anabranch.runtime.control.loops.steps import StateForm
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy import namespace as xp
from anabranch.runtime.numpy.core import refused, supported
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import passed_functions, wrap
from anabranch.runtime.values.abstract import PYTHON_DTYPES, Kind
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
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
    given = [_Operand.of(x) for x in (*args, *kwargs.values())]
    if not given:
        return function() if vectorize.otypes is not None else vectorize()

    def each(*elements: Value) -> Value:
        return function(*elements[: len(args)], **dict(zip(kwargs, elements[len(args) :], strict=True)))

    first = None
    if vectorize.otypes is None:
        for x in given:
            x.refuse_empty()
        first = each(*(x.first() for x in given))
        if isinstance(first, UnionValue) and len(set(map(_dtype_of, first.options))) > 1:
            return first.through(lambda one: _mapped(each, given, [_dtype_of(one)], False))
        dtypes = [_dtype_of(part) for part in (first if isinstance(first, tuple) else (first,))]
    else:
        dtypes = [supported(np.dtype(t)) for t in vectorize.otypes]
    if vectorize.cache:
        raise refused("vectorize", "with cache=True; the function is pure, or write the loop")
    is_tuple = isinstance(first, tuple) if vectorize.otypes is None else len(dtypes) > 1
    return _mapped(each, given, dtypes, is_tuple)


def _mapped(each: Callable[..., Value], given: Sequence[_Operand], dtypes: Sequence[np.dtype], is_tuple: bool) -> Value:
    """The function of each element, as arrays of these dtypes."""
    shape, size, lines = _lines(given)
    results = [xp.empty(size, dtype=t) for t in dtypes]

    def body(index: Value) -> tuple[()]:
        made = each(*(line(index) for line in lines))
        parts = made if is_tuple else (made,)
        if not isinstance(parts, tuple) or len(parts) != len(results):
            raise refused("vectorize", "the function returns tuples of several lengths, or no tuple each time")
        for result, part in zip(results, parts, strict=True):
            result[index] = part
        return ()

    positions = Range(0, size, 1) if isinstance(size, Tracer) else range(size)
    for_.run(positions, body, (), StateForm((), ()), "the loop of np.vectorize")
    made = tuple(result if shape is None else xp.reshape(result, shape) for result in results)
    return made if is_tuple else made[0]


class _Operand:
    """An argument of the function: its shape, and its elements as the function sees them.

    The elements of an array are Python's numbers; a NumPy scalar is itself.
    """

    def __init__(self, value: Value, shape: tuple[Value, ...], is_python: bool) -> None:
        self.value, self.shape, self.is_python = value, shape, is_python

    @classmethod
    def of(cls, value: Value) -> _Operand:
        """The operand for an argument."""
        if isinstance(value, UnionValue):
            value = value.resolve()
        if isinstance(value, (list, tuple)):
            kinds = {type(v) if type(v) in PYTHON_DTYPES else None for v in _leaves(value)}
            if len(kinds) != 1 or None in kinds:
                raise refused("vectorize", "of a list, unless it is one of numbers of one type; pass an array")
            value = xp.array(value)
        is_array = isinstance(value, (np.ndarray, TracedArray)) or wrap.is_dynamic_array(value)
        is_number = type(value) in PYTHON_DTYPES or isinstance(value, np.generic)
        if not (is_array or is_number or (isinstance(value, Tracer) and value.abstract.kind is not Kind.ARRAY)):
            raise refused("vectorize", f"of a {type(value).__name__}; pass arrays and numbers")
        return cls(value, tuple(value.shape) if is_array else (), is_array)

    def refuse_empty(self) -> None:
        """Raise what NumPy does where there is no first element."""
        for n in self.shape:
            size = size_arithmetic.bound_of(n)
            empty = broadcasting.differ(size_arithmetic.minimum(size, 1), 1)
            broadcasting.refuse(empty, ValueError, "cannot call `vectorize` on size 0 inputs unless `otypes` is set")

    def first(self) -> Value:
        """The first element as an array's, with which the function is called to find the dtypes of its results."""
        return xp.ravel(xp.asarray(self.value))[0]

    def element(self, line: Value, index: Value) -> Value:
        """An element of the operand, which `line` has all of."""
        if line is None:
            return self.value
        found = line[index]
        return python_scalar(wrap.as_atom(found)) if isinstance(found, Tracer) else found.item()


def _leaves(value: Value) -> list[Value]:
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in _leaves(part)]
    return [value]


def _lines(given: Sequence[_Operand]) -> tuple[tuple[int, ...] | None, Value, list[Callable[[Value], Value]]]:
    """The common shape, how many elements it has, and the elements of each operand by position.

    The shape is None for what has one dimension, and a size known only at run time.
    """
    arrays = [x for x in given if x.is_python]
    dynamic = [x for x in arrays if wrap.is_dynamic_array(x.value)]
    shape: tuple[int, ...] | None = None
    if dynamic:
        if len(arrays) > 1 or dynamic[0].value.ndim != 1:
            raise UnsupportedOperationError(
                "numpy.vectorize of arrays whose sizes are known only at run time takes one of them, of one dimension, "
                "and numbers; write the loop"
            )
        size: Value = dynamic[0].shape[0]
    else:
        try:
            shape = np.broadcast_shapes(*(x.shape for x in arrays))
        except ValueError:
            shown = " ".join(str(x.shape).replace(", ", ",") for x in given)
            raise ValueError(f"operands could not be broadcast together with shapes {shown} ") from None
        size = math.prod(shape)
    lines: list[Callable[[Value], Value]] = []
    for x in given:
        line = None
        if x.is_python:
            line = x.value if shape is None else xp.ravel(xp.broadcast_to(xp.asarray(x.value), shape))
        lines.append(functools.partial(x.element, line))
    return shape, size, lines


def _dtype_of(output: Value) -> np.dtype:
    """The dtype of an array of such results, which the function of the first element decides."""
    if not isinstance(output, UnionValue):
        return supported(xp.asarray(output).dtype)
    dtypes = set(map(_dtype_of, output.options))
    if len(dtypes) > 1:
        raise refused("vectorize", "a run-time condition decides the dtype of one of several results; say otypes")
    return dtypes.pop()


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


rules.install()

"""A function of the user's on the elements of broadcast operands: the loop of `np.vectorize` and of ufuncs."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import for_, if_
from anabranch.runtime.control.loops.steps import StateForm
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy import namespace as xp
from anabranch.runtime.numpy.core import refused, supported
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import wrap
from anabranch.runtime.values.abstract import PYTHON_DTYPES, Kind
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


def mapped(
    each: Callable[..., Value],
    given: Sequence[Operand],
    dtypes: Sequence[np.dtype],
    is_tuple: bool,
    what: str = "vectorize",
    where: Masked | None = None,
) -> Value:
    """The function of each element, as arrays of these dtypes; with a mask, of the elements where it holds."""
    shape, size, lines = _lines(given if where is None else [*given, where.mask])
    results = [xp.empty(size, dtype=t) for t in dtypes]
    if where is not None and where.before is not None:
        results = [xp.ravel(xp.array(where.before))]

    def write(index: Value) -> tuple[()]:
        made = each(*(line(index) for line in lines[: len(given)]))
        parts = made if is_tuple else (made,)
        if not isinstance(parts, tuple) or len(parts) != len(results):
            raise refused(what, "the function returns tuples of several lengths, or no tuple each time")
        for result, part in zip(results, parts, strict=True):
            result[index] = part
        return ()

    def write_where(index: Value) -> None:
        if_.if_(lines[-1](index), lambda: write(index), lambda: ())

    positions = Range(0, size, 1) if isinstance(size, Tracer) else range(size)
    each_index(positions, write if where is None else write_where, what)
    made = tuple(result if shape is None else xp.reshape(result, shape) for result in results)
    return made if is_tuple else made[0]


def each_index(positions: Iterable[Value], body: Callable[[Value], object], what: str) -> None:
    """Run the body, which writes into arrays, for each of some positions."""

    def step(index: Value) -> tuple[()]:
        body(index)
        return ()

    if tracing():
        for_.run(positions, step, (), StateForm((), ()), f"the loop of {what}")
        return
    for index in positions:
        body(index)


class Operand:
    """An argument of the function: its shape, and its elements as the function sees them.

    The elements of an array are Python's numbers; a NumPy scalar is itself.
    """

    def __init__(self, value: Value, shape: tuple[Value, ...], is_python: bool) -> None:
        self.value, self.shape, self.is_python = value, shape, is_python

    @classmethod
    def of(cls, value: Value) -> Operand:
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


class NumPyOperand(Operand):
    """An argument of a ufunc: the function sees NumPy's scalars, and those of Python's numbers that are none."""

    def element(self, line: Value, index: Value) -> Value:
        """An element of the operand, which `line` has all of."""
        return self.value if line is None else line[index]


class Masked:
    """The elements that a function is called with, and what stands in the places of all others, if that is known."""

    def __init__(self, mask: Operand, before: Value) -> None:
        self.mask, self.before = mask, before


def _leaves(value: Value) -> list[Value]:
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in _leaves(part)]
    return [value]


def _lines(given: Sequence[Operand]) -> tuple[tuple[int, ...] | None, Value, list[Callable[[Value], Value]]]:
    """The common shape, how many elements it has, and the elements of each operand by position.

    The shape is None for what has one dimension, and a size known only at run time.
    """
    arrays = [x for x in given if x.is_python]
    dynamic = [x for x in arrays if wrap.is_dynamic_array(x.value)]
    shape: tuple[int, ...] | None = None
    fitted: dict[Operand, Value] = {}
    if dynamic:
        if any(len(x.shape) > 1 for x in arrays):
            raise UnsupportedOperationError(
                "a function of elements, as of numpy.vectorize, takes arrays of one dimension where a size is known "
                "only at run time; write the loop"
            )
        if len(arrays) > 1:
            aligned = broadcasting.broadcast([x.value for x in arrays])
            common = np.broadcast_shapes(*(x.shape for x in aligned.operands))
            made = (aligned.made(xp.broadcast_to(x, common)) for x in aligned.operands)
            fitted = dict(zip(arrays, made, strict=True))
        size: Value = fitted[dynamic[0]].shape[0] if fitted else dynamic[0].shape[0]
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
            line = fitted.get(x, x.value)
            line = line if shape is None else xp.ravel(xp.broadcast_to(xp.asarray(line), shape))
        lines.append(functools.partial(x.element, line))
    return shape, size, lines


def dtype_of(output: Value) -> np.dtype:
    """The dtype of an array of such results, which the function of the first element decides."""
    if not isinstance(output, UnionValue):
        return supported(xp.asarray(output).dtype)
    dtypes = set(map(dtype_of, output.options))
    if len(dtypes) > 1:
        raise refused("vectorize", "a run-time condition decides the dtype of one of several results; say otypes")
    return dtypes.pop()

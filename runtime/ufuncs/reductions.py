"""A ufunc's methods while a function is traced: `reduce`, `accumulate`, `reduceat`, `outer` and `at`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.control import if_
from anabranch.runtime.control.calls.broadcast_loops import each_index
from anabranch.runtime.control.stdlib.builtin_iterators import range_
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy import namespace as xp
from anabranch.runtime.numpy.core import axes_tuple, dtype_of, one_axis, shape_of, supported
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.ufuncs import elementwise, loops
from anabranch.runtime.values import passed_functions, wrap
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.failures.run_time_checks import IntMessage


@frozen
class Step:
    """A step of a reduction."""

    function: Any  # callable; of the accumulator and an element
    total: np.dtype  # the accumulator's
    first: np.dtype | None  # what the accumulator is cast to for a step, if that is another one
    element: np.dtype

    def __call__(self, total: Value, element: Value) -> Value:
        return self.function(total if self.first is None else elementwise.converted(total, self.first), element)


def only_binary(ufunc: Any, name: str) -> None:
    """Raise as NumPy does for a function that is not one of two numbers."""
    if ufunc.nin != 2:
        raise ValueError(f"{name} only supported for binary functions")


def step_of(ufunc: Any, x: Value, dtype: Value) -> Step:
    """The step of a reduction of an array; the accumulator's dtype is one that a step does not change."""
    wanted = None if dtype is None else supported(dtype)
    total, element = dtype_of(x), dtype_of(x)
    function = passed_functions.called(ufunc.function)
    if ufunc.loops:
        loop = loops.chosen(ufunc, ufunc.loops, (x, x), wanted, "unsafe")
        assert loop.output is not None
        first, second = loop.inputs
        assert second is not None
        return Step(function, loop.output, None if first == loop.output else first, second)
    if wanted is not None:
        return Step(function, wanted, None, wanted)
    for _ in range(4):
        after = loops.output_dtype(ufunc.function, loops.Loop((total, element), None), (x, x), ufunc.__name__)
        if after == total:
            return Step(function, total, None, element)
        total = after
    raise UnsupportedOperationError(
        f"a reduction by ufunc '{ufunc.__name__}' is not supported in compiled code: what it returns has another dtype "
        "at each step; say dtype="
    )


def _array(x: Value) -> Value:
    if wrap.is_dynamic_array(x):
        raise UnsupportedOperationError(
            "a method of a ufunc of your own, of an array whose size is known only at run time, is not supported in "
            "compiled code; write the loop"
        )
    return xp.asarray(x)


def _stored(made: Value, out: Value) -> Value:
    if isinstance(out, tuple):
        (out,) = out
    made = xp.asarray(made)
    if out is None:
        return made if len(shape_of(made)) else made[()]
    if shape_of(out) != shape_of(made):
        raise ValueError(elementwise.misfit(shape_of(out), shape_of(made)))
    out[...] = made.astype(out.dtype)
    return out


def reduced(
    ufunc: Any, x: Value, axis: Value, dtype: Value, out: Value, keepdims: bool, initial: Value, where: Value
) -> Value:
    """`ufunc.reduce(x, axis, dtype, out, keepdims, initial, where)`; `initial` is () where none is given."""
    only_binary(ufunc, "reduce")
    x = _array(x)
    # As in NumPy a number has an axis 0 for reductions.
    axes = axes_tuple(axis, x.ndim) if x.ndim or axis not in (0, -1) else ()
    name = ufunc.__name__
    if len(axes) > 1 and ufunc.identity is None and not ufunc.is_reorderable:
        raise ValueError(f"reduction operation '{name}' is not reorderable, so at most one axis may be specified")
    # A masked or empty reduction begins with the identity.
    begins = initial[0] if initial else ufunc.identity if initial == () else None
    count = math.prod(x.shape[a] for a in axes)
    if where is not None and begins is None:
        raise ValueError(
            f"reduction operation '{name}' does not have an identity, so to use a where mask one has to specify "
            "'initial'"
        )
    kept = [a for a in range(x.ndim) if a not in axes]
    shape = tuple(x.shape[a] for a in kept)
    if not count and begins is None and math.prod(shape):
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    step = step_of(ufunc, x, dtype)
    rows = math.prod(shape)

    def lines(a: Value) -> Value:
        return xp.reshape(xp.transpose(a, (*kept, *axes)), (rows, count))

    elements = lines(x.astype(step.element))
    mask = None if where is None else lines(xp.broadcast_to(xp.asarray(where), x.shape))
    has_first = begins is None
    results = elements[:, 0].astype(step.total) if has_first else xp.full((rows,), begins, dtype=step.total)

    def row(i: Value) -> None:
        def add(k: Value) -> tuple[()]:
            results[i] = step(results[i], elements[i, k])
            return ()

        def one(k: Value) -> None:
            if mask is None:
                add(k)
            else:
                if_.if_(mask[i, k], lambda: add(k), lambda: ())

        each_index(range_(1 if has_first else 0, count), one, f"{name}.reduce")

    each_index(range(rows), row, f"{name}.reduce")
    if keepdims:
        shape = tuple(1 if a in axes else n for a, n in enumerate(x.shape))
    return _stored(xp.reshape(results, shape), out)


def accumulated(ufunc: Any, x: Value, axis: Value, dtype: Value, out: Value) -> Value:
    """`ufunc.accumulate(x, axis, dtype, out)`."""
    only_binary(ufunc, "accumulate")
    x = _array(x)
    if not x.ndim:
        raise TypeError("cannot accumulate on a scalar")
    axis = one_axis(axis, x.ndim)
    step = step_of(ufunc, x, dtype)
    moved = xp.moveaxis(x, axis, -1)
    count = moved.shape[-1]
    rows = math.prod(moved.shape[:-1])
    elements = xp.reshape(moved, (rows, count)).astype(step.element)
    results = xp.array(elements.astype(step.total))

    def row(i: Value) -> None:
        def one(k: Value) -> None:
            results[i, k] = step(results[i, k - 1], elements[i, k])

        each_index(range_(1, count), one, f"{ufunc.__name__}.accumulate")

    each_index(range(rows), row, f"{ufunc.__name__}.accumulate")
    return _stored(xp.moveaxis(xp.reshape(results, moved.shape), -1, axis), out)


def reduced_at(ufunc: Any, x: Value, indices: Value, axis: Value, dtype: Value, out: Value) -> Value:
    """`ufunc.reduceat(x, indices, axis, dtype, out)`."""
    only_binary(ufunc, "reduceat")
    x, starts = _array(x), _array(indices)
    if not x.ndim:
        raise TypeError("cannot reduceat on a scalar")
    axis = one_axis(axis, x.ndim)
    step = step_of(ufunc, x, dtype)
    name = ufunc.__name__
    moved = xp.moveaxis(x, axis, -1)
    count, parts = moved.shape[-1], starts.shape[0]
    rows = math.prod(moved.shape[:-1])

    wrong = (starts < 0) | (starts >= count)
    if parts and not tracing():
        for found in starts[wrong][:1]:
            raise IndexError(f"index {found} out-of-bounds in {name}.reduceat [0, {count})")
    elif parts:
        first = starts[xp.argmax(wrong)]
        message = IntMessage(IndexError, f"index {{}} out-of-bounds in {name}.reduceat [0, {count})")
        run_time_checks.fail_if(wrap.as_atom(xp.any(wrong)), message, wrap.as_atom(first))
    elements = xp.reshape(moved, (rows, count)).astype(step.element)
    results = xp.reshape(moved[..., starts], (rows, parts)).astype(step.total)
    ends = xp.concatenate([starts[1:], xp.asarray([count])]) if parts else starts

    def row(i: Value) -> None:
        def part(k: Value) -> None:
            def one(j: Value) -> None:
                results[i, k] = step(results[i, k], elements[i, j])

            each_index(range_(starts[k] + 1, ends[k]), one, f"{name}.reduceat")

        each_index(range(parts), part, f"{name}.reduceat")

    each_index(range(rows), row, f"{name}.reduceat")
    return _stored(xp.moveaxis(xp.reshape(results, (*moved.shape[:-1], parts)), -1, axis), out)


def outer(ufunc: Any, a: Value, b: Value, out: Value, where: Value, dtype: Value, casting: str) -> Value:
    """`ufunc.outer(a, b, out=out, where=where, dtype=dtype, casting=casting)`."""
    if ufunc.nin != 2:
        raise ValueError("outer product only supported for binary functions")
    if len(shape_of(a)) and len(shape_of(b)):
        a = xp.reshape(xp.asarray(a), shape_of(a) + (1,) * len(shape_of(b)))
    return elementwise.called(ufunc, (a, b), out, where, dtype, casting)


def at(ufunc: Any, a: Value, indices: Value, b: Value) -> None:
    """`ufunc.at(a, indices, b)`: one element after the other, as often as the indices name it; `b` may be ()."""
    if not hasattr(a, "shape") or isinstance(a, np.generic):
        raise TypeError("first operand must be array")
    if ufunc.nin != 1 + len(b):
        raise ValueError(
            "second operand needed for ufunc" if ufunc.nin == 2 else "second operand provided when ufunc is unary"
        )
    places = xp.reshape(xp.arange(a.size), a.shape)[indices]
    if not wrap.is_dynamic_array(places):
        b = tuple(xp.ravel(xp.broadcast_to(xp.asarray(v), shape_of(places))) for v in b)
    elif any(map(wrap.is_dynamic_array, b)) or any(map(shape_of, b)):
        raise UnsupportedOperationError(
            f"{ufunc.__name__}.at with a mask and an array is not supported in compiled code; write the loop"
        )
    given = tuple(map(xp.asarray, b))
    places = xp.ravel(places)
    flat = xp.ravel(xp.array(a))
    loop = loops.chosen(ufunc, ufunc.loops, (flat, *given), None, "unsafe")
    function = passed_functions.called(ufunc.function)
    result = loops.output_dtype(ufunc.function, loop, (flat, *given), ufunc.__name__)
    loops.check_output(ufunc, result, a.dtype, "same_kind")
    given = tuple(v.astype(d) for v, d in zip(given, loop.inputs[1:], strict=True))

    def one(k: Value) -> None:
        place = places[k]
        first = flat[place]
        if loop.inputs[0] != a.dtype:
            first = elementwise.converted(first, loop.inputs[0])
        flat[place] = function(first, *(v[k] if v.ndim else v[()] for v in given))

    each_index(range_(places.size), one, f"{ufunc.__name__}.at")
    a[...] = xp.reshape(flat, a.shape)

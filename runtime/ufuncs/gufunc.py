"""`GUFunc`: a function of arrays that writes its results, over the loop dimensions of its operands."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.api.options import JitOptions
from anabranch.runtime.control.calls.broadcast_loops import each_index
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy import namespace as xp
from anabranch.runtime.numpy.core import shape_of
from anabranch.runtime.ufuncs import loops
from anabranch.runtime.ufuncs.core_dimensions import CoreAxes, Layout, Shapes, check_dimensions, matched
from anabranch.runtime.ufuncs.number_types import ArrayType, Written, parsed
from anabranch.runtime.ufuncs.ufunc import UserFunction
from anabranch.runtime.values import passed_functions, wrap


@frozen
class CoreLoop:
    """A loop of a generalised ufunc."""

    inputs: tuple[np.dtype, ...]
    outputs: tuple[np.dtype, ...]
    # Whether an input of no core dimensions is an array of one element for the function, rather than a number.
    as_arrays: tuple[bool, ...]


class GUFunc(UserFunction):
    """A generalised ufunc of a function of arrays, as Numba's `guvectorize` makes; `anabranch.guvectorize` returns it.

    Attributes
    ----------
    nin, nout, nargs : int
        How many operands it takes, returns, and both.
    signature : str
        The layout of its core dimensions.
    """

    identity = None
    loops: tuple[CoreLoop, ...] = ()

    def __init__(self, function: Callable[..., Any], layout: str, options: JitOptions) -> None:
        super().__init__(function, options)
        self.layout = Layout.of(layout)
        self.signature = self.layout.text
        self.nin, self.nout = len(self.layout.inputs), len(self.layout.outputs)

    def __repr__(self) -> str:
        return f"<gufunc '{self.__name__}' with signature '{self.signature}'>"

    def add(self, signature: Written) -> None:
        """Add a loop for a signature; calls take the first whose dtypes fit."""
        types = parsed(signature).args
        dims = (*self.layout.inputs, *self.layout.outputs)
        if len(types) != len(dims):
            raise TypeError(f"{self.__name__}() has {len(dims)} operands by {self.signature}, and {len(types)} types")
        for place, (type_, names) in enumerate(zip(types, dims, strict=True)):
            ndim = type_.ndim if isinstance(type_, ArrayType) else 0
            least = max(len(names), 1) if place >= self.nin else len(names)
            if not hasattr(type_, "element") or (ndim != least and (names or ndim > 1 or place >= self.nin)):
                raise TypeError(f"type {type_} of operand {place} of {self.__name__}() does not fit {self.signature}")
        dtypes = tuple(t.element for t in types)  # type: ignore[attr-defined]
        as_arrays = tuple(isinstance(t, ArrayType) for t in types[: self.nin])
        self.loops = (*self.loops, CoreLoop(dtypes[: self.nin], dtypes[self.nin :], as_arrays))
        self._compiled.clear()

    def __call__(
        self,
        /,
        *args: Any,
        out: Any = None,
        casting: str = "same_kind",
        axes: Any = np._NoValue,
        axis: Any = np._NoValue,
        keepdims: Any = False,
    ) -> Any:
        """Return what the function writes for each of the loop dimensions of the operands, or write it to `out`."""
        core_axes = CoreAxes.of(self.__name__, self.layout, axes, axis, keepdims)
        return self._run(_called, (args,), args[self.nin :], out=out, casting=casting, core_axes=core_axes)

    def reduce(self, *args: Any, **kwargs: Any) -> Any:
        """Refused as by NumPy."""
        raise RuntimeError("Reduction not defined on ufunc with signature")


def _called(gufunc: GUFunc, args: tuple[Value, ...], out: Value, casting: str, core_axes: CoreAxes) -> Value:
    """`gufunc(*args, out=out, casting=casting)` while a function is traced."""
    inputs, outs = gufunc.operands(args, out)
    if not gufunc.loops and any(o is None for o in outs):
        raise TypeError(
            f"Too few arguments for function '{gufunc.__name__}'. Note that the pattern `out = gufunc(Arg1, Arg2, ..., "
            "ArgN)` is not allowed. Use `gufunc(Arg1, Arg2, ..., ArgN, out) instead."
        )
    if any(map(wrap.is_dynamic_array, (*inputs, *outs))):
        raise UnsupportedOperationError(
            f"gufunc '{gufunc.__name__}' of arrays whose size is known only at run time is not supported in compiled "
            "code; write the loop"
        )
    layout, name = gufunc.layout, gufunc.__name__
    kept = core_axes.kept_in(layout)
    given = [None if x is None else shape_of(x) for x in (*inputs, *outs)]
    check_dimensions(name, kept, given)
    operands = tuple(None if x is None else core_axes.moved(k, x) for k, x in enumerate((*inputs, *outs)))
    inputs, moved = operands[: gufunc.nin], operands[gufunc.nin :]
    shapes = matched(
        name,
        kept,
        [shape_of(x) for x in inputs],
        [None if o is None else shape_of(o) for o in moved],
        [shape for shape in given if shape is not None],
    )
    loop = _chosen(gufunc, inputs, outs)
    for place, (o, d) in enumerate(zip(outs, loop.outputs, strict=True)):
        if o is not None:
            loops.check_output(gufunc, d, o.dtype, casting, gufunc.nin + place)
    rows = _rows if outs else _views
    rows_of = [
        rows(x, d, shapes, names, as_array)
        for x, d, names, as_array in zip(inputs, loop.inputs, layout.inputs, loop.as_arrays, strict=True)
    ]
    results = [_results(o, d, shapes, names) for o, d, names in zip(moved, loop.outputs, layout.outputs, strict=True)]
    function = passed_functions.called(gufunc.function)

    def one(index: Value) -> None:
        # Arrays of their own: what is written to them element by element is not written through views.
        written = [xp.array(r[index]) for r in results]
        function(*(x(index) for x in rows_of), *written)
        for result, row in zip(results, written, strict=True):
            result[index] = row

    each_index(range(shapes.count), one, f"gufunc '{name}'")
    made = []
    for place, (r, o, names) in enumerate(zip(results, outs, kept.outputs, strict=True), gufunc.nin):
        result = core_axes.placed(place, xp.reshape(r, (*shapes.loop, *shapes.core(names))))
        if o is not None:
            o[...] = result.astype(o.dtype)
        made.append(o if o is not None else result if len(shape_of(result)) else result[()])
    return made[0] if len(made) == 1 else tuple(made)


def _chosen(gufunc: GUFunc, inputs: Sequence[Value], outs: Sequence[Value]) -> CoreLoop:
    """The first loop that the inputs fit; without signatures, one of the operands' dtypes."""
    if not gufunc.loops:
        found = [xp.asarray(x).dtype for x in inputs]
        return CoreLoop(tuple(found), tuple(o.dtype for o in outs), (False,) * len(found))
    plain = [loops.Loop(loop.inputs, None) for loop in gufunc.loops]
    chosen = loops.chosen(gufunc, plain, inputs, None, "safe")
    return gufunc.loops[plain.index(chosen)]


def _rows(x: Value, dtype: np.dtype, shapes: Shapes, names: Sequence[str], as_array: bool) -> Callable[[Value], Value]:
    """An input by the position in the loop: what is broadcast is not repeated in memory."""
    core = shapes.core(names)
    array = xp.asarray(x)
    array = array if array.dtype == dtype else array.astype(dtype)
    own = shape_of(array)[: len(shape_of(array)) - len(core)]
    count = math.prod(own)
    rows = xp.reshape(array, (count, *(core or ((1,) if as_array else ()))))
    if own == shapes.loop:
        return lambda index: rows[index]
    if count == 1:
        return lambda index: rows[0]
    places = xp.array(np.broadcast_to(np.arange(count).reshape(own), shapes.loop).ravel())
    return lambda index: rows[places[index]]


def _views(x: Value, dtype: np.dtype, shapes: Shapes, names: Sequence[str], as_array: bool) -> Callable[[Value], Value]:
    """An input by the position in the loop, where what is written goes into it if it has the loop's dtype."""
    array = xp.asarray(x)
    array = array if array.dtype == dtype else array.astype(dtype)
    own = shape_of(array)[: len(shape_of(array)) - len(names)]
    if as_array and not names:
        array = array[..., None]
    return lambda index: array[shapes.place(index, own)] if own else array if shape_of(array) else array[()]


def _results(out: Value, dtype: np.dtype, shapes: Shapes, names: Sequence[str]) -> Value:
    """An output by the position in the loop; an array of one element without core dimensions."""
    core = shapes.core(names)
    shape = (shapes.count, *(core or (1,)))
    return xp.zeros(shape, dtype=dtype) if out is None else xp.reshape(xp.array(out).astype(dtype), shape)

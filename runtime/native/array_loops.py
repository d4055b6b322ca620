"""Loops over positions in NumPy's order: updates at places, windowed reductions, accumulations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation, Program
from anabranch.runtime.native.affine import Affine, Span, flat
from anabranch.runtime.native.element_loops import ElementLoops, check_size
from anabranch.runtime.native.lazy_array import Axis, LazyArray, Update
from anabranch.runtime.native.llvm_types import NotNativeError, constant, is_lazy, is_memory, packed, value_type
from anabranch.runtime.native.scalar_ops import rule_of
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.ops.cumulative import STARTS, Cumulative, is_scanned
from anabranch.runtime.ops.indexing import COMBINES, scatter
from anabranch.runtime.ops.op import scalar
from anabranch.runtime.ops.reducers import MAXIMUM, MINIMUM
from anabranch.runtime.ops.vector_lanes import split
from anabranch.runtime.ops.windowed_reduce import REDUCERS, windowed_reduce
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

# From so many bytes on an array does not stay in a cache with another such one.
_LARGE = 2**18


def is_scatter(equation: Equation) -> bool:
    """Return whether an equation writes to more than one place of an array."""
    return equation.op is scatter and len(equation.inputs[1].type.shape) > 1


def scattered(emitter: ValueEmitter, equation: Equation, names: Sequence[str], kept: Collection[int]) -> str:
    """The array with the updates, in its own memory unless that is needed as it is.

    Parameters
    ----------
    names
        Of the inputs.
    kept
        The places of the arrays that are needed afterwards as they are.
    """
    memory, arrays, stores, positions = emitter.memory, emitter.arrays, emitter.stores, emitter.positions
    loops = ElementLoops(arrays)
    x_type, index_type, update_type = types = [atom.type for atom in equation.inputs]
    combine, outer = COMBINES[equation.params["combine"]], index_type.shape[:-1]
    x, *others = stores.unshared(equation, names, kept)
    if is_lazy(x):  # a constant, which is no variable that is written to
        (x,) = stores.settled([x], [x_type], kept)
    is_small = not is_memory(x)
    place = memory.place_of(memory.spilled(x, x_type) if is_small else x)
    # All updates are computed before the first one is written; so are those that may read from all over a large array,
    # where what is added up is large, too: both would not stay in the processor's caches.
    is_large = combine is not None and x_type.nbytes >= _LARGE
    others = [
        stores.settled([name], [type], memory.all_places())[0]
        if place in arrays.reads(name) or (is_large and is_lazy(name) and type.dtype == x_type.dtype)
        else name
        for name, type in zip(others, types[1:], strict=True)
    ]
    indices, updates = (arrays.of(name, type) for name, type in zip(others, types[1:], strict=True))
    for array in (indices, updates):
        check_size(memory, array, {})
    with loops.over(outer, {}) as at:
        rows = [
            positions.within(positions.of(arrays.element(indices, [*at, Affine(axis)])), n)
            for axis, n in enumerate(x_type.shape[: index_type.shape[-1]])
        ]
        with loops.over(update_type.shape[len(outer) :], {}) as within:
            value = arrays.element(updates, [*at, *within])
            number = positions.value(flat([*rows, *within], x_type.shape))
            if combine is not None:
                before = memory.load(memory.name(place), x_type.dtype, number)
                value = combine.emit(emitter, before, value, scalar(x_type.dtype))
            memory.put(place, x_type.dtype, number, value)
    made = memory.written(place)
    return packed(memory.whole(made, x_type)) if is_small else made


def is_window(equation: Equation) -> bool:
    """Return whether an equation reduces a window by a body that looks nothing up in tables."""
    if equation.op is not windowed_reduce:
        return False
    _, others = split(equation.inputs[2:], equation.params["strips"])
    return all(atom.type.size == 1 for atom in others)


def reduced(
    writer: ValueEmitter,
    equation: Equation,
    names: Sequence[str],
    program: Callable[[Program, Sequence[str]], Sequence[str]],
) -> str:
    """The reduction of a window.

    Parameters
    ----------
    names
        Of the inputs.
    program
        Writes a Program; returns the names of its outputs.
    """
    params, positions, arrays = equation.params, writer.positions, writer.arrays
    length, body, element = params["length"], params["body"], params["body"].out_types[0]
    reducer, initial = REDUCERS[params["combine"]]
    type = ArrayType((length,), element.dtype)
    low, high = (positions.limited(positions.of(name), 0, length) for name in names[:2])
    strips, others = split(list(zip(names[2:], equation.inputs[2:], strict=True)), params["strips"])
    elements: list[LazyArray] = []
    highs = [high]
    for strip, ((name, atom), starts) in zip(params["strips"], strips, strict=True):
        sizes = atom.type.shape
        places = [positions.limited(positions.of(s), 0, n - 1) for (s, _), n in zip(starts, sizes, strict=True)]
        # No position lies outside of an array.
        highs.append(Affine(sizes[strip.axis]) - places[strip.axis])
        axes = [Axis(place, 1, 0 if axis == strip.axis else None) for axis, place in enumerate(places)]
        part = ArrayType((length,), atom.type.dtype)
        elements.append(arrays.part(arrays.of(name, atom.type), part, axes))

    def made(row: Sequence[str]) -> str:
        first, *rest = program(body, [*row, *(name for name, _ in others)])
        return rule_of("multiply")(writer.code, [first, *rest], element.dtype, element.dtype) if rest else first

    at = arrays.iota(ArrayType((length,), np.dtype(np.int64)), 0)
    neutral = constant(np.asarray(initial(element.dtype), element.dtype))
    value = arrays.combined([at, *elements], type, made)
    region = {0: Span((low,), tuple(dict.fromkeys(highs)))}
    masked = arrays.updated(Update(arrays.all_equal(type, neutral), (Axis(Affine(0), 1, 0),), value, region))

    def joined(pair: Sequence[str]) -> list[str]:
        return [reducer.emit(writer, pair[0], pair[1], scalar(element.dtype))]

    return writer.reductions.reduced([masked], [neutral], [0], joined)[0]


def is_accumulation(equation: Equation) -> bool:
    """Return whether an equation accumulates an array that is too large for registers."""
    return isinstance(equation.op, Cumulative) and equation.outputs[0].type.size > MOST_ELEMENTS


def _combined(emitter: ValueEmitter, op: Cumulative, total: str, x: str, dtype: np.dtype) -> str:
    """A total after one element more; an extreme of floats in as few steps from one total to the next as there can be.

    Of zeros of two signs the last one stays, as in NumPy on x86-64.
    """
    if dtype.char not in "fd" or op.reducer not in (MAXIMUM, MINIMUM):
        return op.reducer.emit(emitter, total, x, scalar(dtype))
    code, kind = emitter.code, value_type(dtype)
    is_beyond = code.add("fcmp oge" if op.reducer is MAXIMUM else "fcmp ole", kind, x, total)
    extreme = code.emit(f"select i1 {is_beyond}, {kind} {x}, {kind} {total}")
    is_nan = code.add("fcmp uno", kind, x, x)
    return code.emit(f"select i1 {is_nan}, {kind} {x}, {kind} {extreme}")


def accumulated(emitter: ValueEmitter, equation: Equation, name: str) -> str:
    """The accumulation of an array, in memory of its own."""
    op, type, memory = equation.op, equation.outputs[0].type, emitter.memory
    if not isinstance(op, Cumulative) or not is_scanned(op.reducer, type.dtype):
        raise NotNativeError(f"{op.name} of {type}")
    array, loops, along = emitter.arrays.of(name, type), ElementLoops(emitter.arrays), equation.params["axis"]
    check_size(memory, array, {})
    # What changes no number, not even the sign of a zero.
    first = constant(np.asarray(STARTS[op.reducer](type.dtype), type.dtype))
    made = memory.place_of(memory.allocate(type))

    def step(index: Sequence[Affine], before: str) -> str:
        value = _combined(emitter, op, before, emitter.arrays.element(array, index), type.dtype)
        memory.put(made, type.dtype, emitter.positions.value(flat(index, type.shape)), value)
        return value

    if all(n == 1 for n in type.shape[along + 1 :]):
        with loops.over(type.shape[:along], {}, work=loops.work([array]) * type.shape[along]) as outer:
            total = memory.place_of(memory.add(emitter.code.reserve(f"[{type.dtype.itemsize} x i8]")))
            memory.put(total, type.dtype, "0", first)
            with loops.each(type.shape[along]) as position:
                index = [*outer, position, *[Affine(0)] * (len(type.shape) - along - 1)]
                value = step(index, memory.load(memory.name(total), type.dtype, "0"))
                memory.put(total, type.dtype, "0", value)
        return memory.written(made)
    # The totals stand side by side in what is made.
    with loops.over(type.shape, {along: Span((Affine(0),), (Affine(1),))}) as index:
        step(index, first)
    with loops.over(type.shape, {along: Span((Affine(1),), (Affine(type.shape[along]),))}) as index:
        before = [i.shifted(-1) if axis == along else i for axis, i in enumerate(index)]
        number = emitter.positions.value(flat(before, type.shape))
        step(index, memory.load(memory.name(made), type.dtype, number))
    return memory.written(made)

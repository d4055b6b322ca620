"""Updates at places that an array says: a loop over them in C order, one after the other."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine, flat
from anabranch.runtime.native.element_loops import ElementLoops, check_size
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.native.values import is_lazy, is_memory, packed
from anabranch.runtime.ops.indexing import COMBINES, scatter
from anabranch.runtime.ops.op import scalar

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

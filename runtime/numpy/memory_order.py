"""The choice between view and copy, by the memory layout that NumPy's array would have."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import aliasing, memory_layout, views


def contiguous(array: TracedArray) -> bool:
    """Return whether the handle's elements lie in C order without gaps; False where that is not known."""
    return memory_layout.plain(array) or (
        memory_layout.known(array) and bool(memory_layout.model(array).flags.c_contiguous)
    )


def fortran(array: TracedArray) -> bool:
    """Return whether the elements lie in Fortran order and not in C order."""
    _check_known(array)
    flags = memory_layout.model(array).flags
    return bool(flags.f_contiguous and not flags.c_contiguous)


def axes_kept(array: TracedArray) -> tuple[int, ...]:
    """The axes in the order in which NumPy goes through the elements with order="K", the slowest first."""
    if memory_layout.plain(array):
        return tuple(range(array.ndim))
    _check_known(array)
    steps = memory_layout.elementwise_strides([memory_layout.model(array)])
    return tuple(sorted(range(array.ndim), key=lambda axis: -abs(steps[axis])))


def _check_known(array: TracedArray) -> None:
    if not memory_layout.known(array):
        raise UnsupportedOperationError(
            "the memory order of this array is unknown while tracing (a run-time condition or a NumPy function decides "
            "it); make a copy in C order: a.copy()"
        )


def reshaped(array: TracedArray, shape: tuple[int, ...], copy: bool | None) -> TracedArray | None:
    """`array.reshape(shape)`: a view or a copy as in NumPy; None where a copy must be avoided and cannot be."""
    if copy is True:
        copied: TracedArray = wrap.array_of(atoms.reshape(array.atom, shape))
        return copied
    if copy is False and not _is_view(array, shape):
        return None
    return _in_shape(array, shape, lambda one: _is_view(one, shape))


def raveled(array: TracedArray) -> TracedArray:
    """`array.ravel()`: a view of what is contiguous, else a copy."""
    return _in_shape(array, (array.size,), contiguous)


def _in_shape(array: TracedArray, shape: tuple[int, ...], is_view: Callable[[TracedArray], bool]) -> TracedArray:
    """The elements in another shape: a view of an array for which `is_view` is True, a copy of others.

    Where a condition decides which, it may share memory with what is a view. Where it is not known which, it is a copy,
    and a later write to either is refused.
    """
    if is_view(array):
        return array.viewed(views.Reshape(shape)) if shape != array.shape else array.viewed()
    made: TracedArray = wrap.array_of(atoms.reshape(array.atom, shape))
    if not memory_layout.known(array):
        _add_edges(made, array, is_view)
    return made


def _add_edges(made: TracedArray, array: TracedArray, is_view: Callable[[TracedArray], bool]) -> None:
    """Link new memory, which may be a view of an array in another shape, with what it is a view of."""
    options = _options(array)
    if options is None:
        aliasing.add_edge(made.storage, None, array)
        return
    traits = memory_layout.PLAIN
    seen = [(pred, option.viewed(views.Reshape(made.shape))) for pred, option in options if is_view(option)]
    for n, (pred, view) in enumerate(seen):
        aliasing.add_edge(made.storage, pred, view)
        own = memory_layout.traits(view)
        traits = own if n == 0 and len(seen) == len(options) else traits | own
    made.storage.is_another = len(seen) == len(options)
    memory_layout.set_traits(made, traits)


def _options(array: TracedArray) -> list[tuple[Atom, TracedArray]] | None:
    """The arrays of a known layout of which this is one, each with when it is that; None where they are not known."""
    if memory_layout.known(array):
        return [(atoms.literal(True), array)]
    if not array.storage.is_another:
        return None
    found: list[tuple[Atom, TracedArray]] = []
    for edge in array.storage.alias_edges:
        inner = None if edge.form is not None else _options(edge.handle.viewed(*array.path))
        if inner is None or edge.pred is None:
            return None
        found += [(atoms.logical_and(edge.pred, pred), option) for pred, option in inner]
    return found


def laid(atom: Atom, order: object) -> TracedArray:
    """A new array that holds the value, in Fortran order where that is asked for."""
    made: TracedArray = wrap.array_of(atom)
    if order == "F":
        made.storage.strides = memory_layout.contiguous_model(atom.type.shape, atom.type.dtype, "F").strides
    return made


def ordered(array: TracedArray, order: object) -> TracedArray:
    """The array itself where its elements lie in the order asked for, else a copy that does.

    Where it is not known how they lie, it is a copy, and a later write to either is refused.
    """
    if order not in ("C", "F"):
        return array
    if not memory_layout.known(array):
        made = laid(array.atom, order)
        aliasing.add_edge(made.storage, None, array)
        return made
    flags = memory_layout.model(array).flags
    return array if (flags.c_contiguous if order == "C" else flags.f_contiguous) else laid(array.atom, order)


def _is_view(array: TracedArray, shape: tuple[int, ...]) -> bool:
    if [n for n in array.shape if n != 1] == [n for n in shape if n != 1]:
        return True
    return memory_layout.plain(array) or (
        memory_layout.known(array) and memory_layout.reshape(memory_layout.model(array), shape) is not None
    )

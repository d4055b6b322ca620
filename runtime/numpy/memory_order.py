"""The choice between view and copy, by the memory layout that NumPy's array would have."""

from __future__ import annotations

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
    """`array.reshape(shape)`: a view or a copy as in NumPy; None where a copy must be avoided and cannot be.

    Where it is not known which, it is a copy, and a later write to either is refused.
    """
    made = wrap.array_of(atoms.reshape(array.atom, shape)) if copy is True else None
    if made is None and _is_view(array, shape):
        made = array.viewed(views.Reshape(shape)) if shape != array.shape else array.viewed()
    if made is None and copy is None:
        made = wrap.array_of(atoms.reshape(array.atom, shape))
        if not memory_layout.known(array):
            aliasing.add_edge(made.storage, None, array)
    return made


def laid(atom: Atom, order: object) -> TracedArray:
    """A new array that holds the value, in Fortran order where that is asked for."""
    made: TracedArray = wrap.array_of(atom)
    if order == "F":
        made.storage.strides = memory_layout.contiguous_model(atom.type.shape, atom.type.dtype, "F").strides
    return made


def ordered(array: TracedArray, order: object) -> TracedArray:
    """The array itself where its elements lie in the order asked for, else a copy that does."""
    if order not in ("C", "F"):
        return array
    _check_known(array)
    flags = memory_layout.model(array).flags
    return array if (flags.c_contiguous if order == "C" else flags.f_contiguous) else laid(array.atom, order)


def _is_view(array: TracedArray, shape: tuple[int, ...]) -> bool:
    if [n for n in array.shape if n != 1] == [n for n in shape if n != 1]:
        return True
    return memory_layout.plain(array) or (
        memory_layout.known(array) and memory_layout.reshape(memory_layout.model(array), shape) is not None
    )

"""Functions on atoms: one short name for each op that the values layer binds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from anabranch.runtime.errors import ShapeMismatchError
from anabranch.runtime.host import library_ufuncs
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.ops.library_ufuncs import library_ufunc

# imported so that the table is full
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.tracing.builder import bind, bind1

# A dtype, or the class of NumPy or Python that stands for one.
DType: TypeAlias = np.dtype | type[np.generic] | type[complex]
_NUMPYS = vars(np)
BOOL, INT32, INT64, FLOAT64 = (np.dtype(t) for t in (np.bool_, np.int32, np.int64, np.float64))


def literal(value: object, dtype: DType | None = None) -> Literal:
    """A constant; raises `OverflowError` where NumPy does for a Python int that does not fit."""
    array = np.array(value, dtype=dtype)
    array.flags.writeable = False
    return Literal(array)


def ufunc(function: np.ufunc, *atoms: Atom) -> Atom:
    """A ufunc with one output, on atoms of the same shape whose dtypes are a loop of it."""
    (result,) = ufunc_all(function, *atoms)
    return result


def ufunc_all(function: np.ufunc, *atoms: Atom) -> tuple[Atom, ...]:
    """All outputs of a ufunc."""
    name = function.__name__
    if _NUMPYS.get(name) is function:
        return bind(OPS[name], *atoms)
    return bind(library_ufunc, *atoms, ufunc=library_ufuncs.named(function))


def held_by(value: object) -> Atom | None:
    """The atom of a traced number or array of static size; None for anything else."""
    word: Atom | None = getattr(value, "word_", None)
    return getattr(value, "atom", None) if word is None else word


def convert(atom: Atom, dtype: DType) -> Atom:
    """NumPy's unsafe cast."""
    dtype = np.dtype(dtype)
    return atom if atom.type.dtype == dtype else bind1(OPS["convert"], atom, dtype=dtype)


def select(pred: Atom, on_true: Atom, on_false: Atom) -> Atom:
    """Elementwise choice; the predicate is broadcast."""
    if isinstance(pred, Literal) and pred.type.shape == ():
        return on_true if pred.value else on_false
    if on_true is on_false:
        return on_true
    return bind1(OPS["select"], broadcast_to(pred, on_true.type.shape), on_true, on_false)


def check(code: Atom, pred: Atom, number: Atom, details: Iterable[Atom], kept: Iterable[Atom]) -> tuple[Atom, ...]:
    """The error code and the details of failures after a place that fails where the predicate holds."""
    return bind(OPS["check"], code, pred, number, *details, *kept)


def unspecified(type: ArrayType) -> Atom:
    """A value of this type that is never looked at."""
    return bind1(OPS["undef"], shape=type.shape, dtype=type.dtype)


def broadcast_to(atom: Atom, shape: Sequence[int]) -> Atom:
    """NumPy's broadcasting, made explicit; raises `ValueError` where the shapes do not broadcast."""
    shape, source = tuple(shape), atom.type.shape
    if source == shape:
        return atom
    offset = len(shape) - len(source)
    if offset < 0 or any(n not in (1, shape[offset + i]) for i, n in enumerate(source)):
        raise ShapeMismatchError(
            f"could not broadcast input array from shape {shape_text(source)} into shape {shape_text(shape)}"
        )
    # XLA stretches no axis of size 1, so those axes are dropped first.
    keep = [i for i, n in enumerate(source) if n == shape[offset + i]]
    dims = tuple(offset + i for i in keep)
    return bind1(OPS["broadcast_in_dim"], reshape(atom, [source[i] for i in keep]), shape=shape, dims=dims)


def shape_text(shape: Sequence[int]) -> str:
    """A shape as NumPy's messages write it."""
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def reshape(atom: Atom, shape: Sequence[int]) -> Atom:
    """C order; the shape is complete (no -1)."""
    shape = tuple(shape)
    return atom if atom.type.shape == shape else bind1(OPS["reshape"], atom, shape=shape)


def transpose(atom: Atom, axes: Sequence[int]) -> Atom:
    """Axis i of the result is axis axes[i]."""
    axes = tuple(axes)
    return atom if axes == tuple(range(len(axes))) else bind1(OPS["transpose"], atom, axes=axes)


def taken(index: Atom, line: np.ndarray | Atom) -> Atom:
    """The element of a vector at a place that is in range."""
    place, whole = convert(index, np.int64), literal(line) if isinstance(line, np.ndarray) else line
    return reshape(bind1(OPS["dynamic_slice"], whole, place, sizes=(1,)), ())


def cut(atom: Atom, start: int, stop: int, axis: int = 0) -> Atom:
    """`atom[start:stop]` along an axis, of positions that are there."""
    starts, limits = [0] * len(atom.type.shape), list(atom.type.shape)
    if (start, stop) == (0, limits[axis]):
        return atom
    starts[axis], limits[axis] = start, stop
    return bind1(OPS["slice"], atom, starts=tuple(starts), limits=tuple(limits), strides=(1,) * len(starts))


def coded(index: Atom, codes: Sequence[int]) -> Atom:
    """The code at a place: one of a few small ints, as an int32."""
    same = all(place == code for place, code in enumerate(codes))
    return convert(index, INT32) if same else taken(index, np.array(codes, INT32))


def op(name: str, *inputs: Atom, **params: object) -> Atom:
    """Any op with one output, by name."""
    return bind1(OPS[name], *inputs, **params)


def logical_and(a: Atom, b: Atom) -> Atom:
    """`a & b` of bools; a literal scalar is folded."""
    return _fold(a, b, False) or ufunc(np.logical_and, a, b)


def logical_or(a: Atom, b: Atom) -> Atom:
    """`a | b` of bools; a literal scalar is folded."""
    return _fold(a, b, True) or ufunc(np.logical_or, a, b)


def _fold(a: Atom, b: Atom, absorbing: bool) -> Atom | None:
    for this, other in ((a, b), (b, a)):
        if isinstance(this, Literal) and this.type.shape == ():
            return this if bool(this.value) is absorbing else other
    return None


def any_of(bools: Atom) -> Atom:
    """Return whether any of some bools is true."""
    axes = tuple(range(len(bools.type.shape)))
    return bind1(OPS["reduce_any"], bools, axes=axes) if axes else bools


def logical_not(a: Atom) -> Atom:
    """Not, of bools."""
    return ufunc(np.logical_not, a)

"""Products of vectors and matrices, on the general dot product."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import (
    atom_of,
    axes_tuple,
    fresh,
    handle,
    has_dynamic_array,
    one_axis,
    plain,
    result,
    spec_of,
    supported,
)
from anabranch.runtime.numpy.einsum import added_up, dot_general
from anabranch.runtime.numpy.operands import Operand
from anabranch.runtime.numpy.outputs import over_output, written
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.atoms import shape_text
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import ValidRegion

rules = Rules()

_F = registry.FUNCTIONS


def common(a: object, b: object, dtype: object = None) -> tuple[Atom, Atom]:
    """Both operands, of static size, in the dtype of their product."""
    chosen = _common_dtype(a, b, dtype)
    return atom_of(a, chosen), atom_of(b, chosen)


def _common_dtype(a: object, b: object, dtype: object) -> np.dtype:
    specs = (np.asarray(s).dtype if not isinstance(s, np.dtype) else s for s in map(spec_of, (a, b)))
    return np.result_type(*specs) if dtype is None else supported(dtype)


def _factors(a: object, b: object, dtype: object = None) -> tuple[Operand, Operand]:
    """Both operands, of static or of run-time size, in the dtype of their product."""
    chosen = _common_dtype(a, b, dtype)
    x, y = Operand.of(a), Operand.of(b)
    x.value, y.value = atoms.convert(x.value, chosen), atoms.convert(y.value, chosen)
    return x, y


def _agree(x: Operand, i: int, y: Operand, j: int, message: Callable[..., str]) -> None:
    """Align an axis of each, over which both are summed: what is no element is 0, as it could be anything."""
    if operands.are_same(x.shape[i], y.shape[j]):
        return
    broadcasting.refuse(
        broadcasting.differ(x.shape[i], y.shape[j]), ValueError, message, tuple(x.shape), tuple(y.shape)
    )
    operands.align([(x, i), (y, j)])
    x.value, y.value = x.padded(0, (i,)), y.padded(0, (j,))


def _made(value: Atom, extents: Sequence[ValidRegion | None], given: tuple[object, object]) -> Value:
    """The product with the extents of its axes."""
    return wrap.with_extents(fresh(value), extents, operands.origin(*given))


@rules.any_shape(np.matmul, np.linalg.matmul)
def matmul(
    x1: object,
    x2: object,
    /,
    out: object = None,
    *,
    casting: object = "same_kind",
    order: object = "K",
    dtype: object = None,
    **others: object,
) -> Value:
    """As `numpy.matmul`, with its messages where shapes do not fit."""
    for name, value in others.items():
        plain("matmul", **{name: (value, NotImplemented)})
    x, y = _factors(x1, x2, dtype)
    x.value, y.value = _wide(x.value, y.value)
    for position, side in enumerate((x, y)):
        if not side.ndim:
            raise ValueError(
                f"matmul: Input operand {position} does not have enough dimensions "
                "(has 0, gufunc core with signature (n?,k),(k,m?)->(n?,m?) requires 1)"
            )
    i, j = x.ndim - 1, max(y.ndim - 2, 0)
    _agree(
        x,
        i,
        y,
        j,
        lambda left, right: (
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(n?,k),(k,m?)->(n?,m?) (size {right[j]} is different from {left[i]})"
        ),
    )
    stacked = _stacked(x, y, (x1, x2))
    extents = [*stacked, *x.extents[-2:-1], *(y.extents[-1:] if y.ndim > 1 else [])]
    product = _matmul(x.value, y.value)
    if not any(extents):
        product = over_output(product, out, (x.ndim > 1) + (y.ndim > 1))
    return written(out, _made(product, extents, (x1, x2)), casting)


def _stacked(x: Operand, y: Operand, given: tuple[object, object]) -> list[ValidRegion | None]:
    """The extents of the axes before the last two; beside one of run-time size only its equal or size 1 may stand."""
    extents: list[ValidRegion | None] = []
    for back in range(max(x.ndim, y.ndim), 2, -1):
        places = [(side, side.ndim - back) for side in (x, y) if side.ndim >= back]
        sized = [(side, at) for side, at in places if side.extents[at] is not None]
        if sized and any(not operands.are_same(side.shape[at], 1) for side, at in places if side.extents[at] is None):
            _refuse_sizes(given)
        if len(sized) == 2:
            if size_arithmetic.distance(*(side.shape[at] for side, at in sized)) != 0:
                _refuse_sizes(given)
            operands.align(sized)
        extents.append(sized[0][0].extents[sized[0][1]] if sized else None)
    return extents


def _refuse_sizes(given: tuple[Value, Value]) -> None:
    next(filter(wrap.is_dynamic_array, given))._needs_size("a stack of matrices of static size")


def _wide(x: Atom, y: Atom) -> tuple[Atom, Atom]:
    """Operands as `matmul` and `vecdot` take them: bfloat16 and the like as float32, which other products are not."""
    dtype = x.type.dtype
    if dtype.isbuiltin != 2:  # not one that NumPy was given by others
        return x, y
    loop = np.matmul.resolve_dtypes((dtype, dtype, None))
    return atoms.convert(x, loop[2]), atoms.convert(y, loop[2])


def _matmul(x: Atom, y: Atom) -> Atom:
    left, right = x.type.shape, y.type.shape
    if len(right) == 1:
        return dot_general(x, y, ([len(left) - 1], [0]))
    if len(left) == 1:
        batch = right[:-2]
        product = dot_general(x, y, ([0], [len(right) - 2]))
        return atoms.reshape(product, (*batch, right[-1]))
    return _stacks(x, y, _batch_shape(left, right))


def _stacks(x: Atom, y: Atom, batch: tuple[int, ...]) -> Atom:
    """Products of stacks of matrices; right-hand sides that are repeated along an axis are read in place.

    There is one for each matrix of a stack of right-hand sides, whose rows would not lie side by side in the result.
    """
    n = len(batch)
    left, right = ((1,) * (n + 2 - len(v.type.shape)) + v.type.shape for v in (x, y))
    of_x = [i for i in range(n) if right[i] == 1 != left[i]]
    common = [i for i in range(n) if i not in of_x]
    x = atoms.broadcast_to(x, [*(left[i] if i in of_x else batch[i] for i in range(n)), *left[n:]])
    y = atoms.reshape(y, [*(right[i] for i in common), *right[n:]])
    pairs = common, list(range(len(common)))
    product = dot_general(x, y, ([n + 1], [len(common)]), pairs)
    made = [*common, *of_x, n, n + 1]
    return atoms.transpose(product, [made.index(i) for i in range(n + 2)])


def _batch_shape(left: Sequence[int], right: Sequence[int]) -> tuple[int, ...]:
    try:
        return apply_ufunc.broadcast_shapes(tuple(left[:-2]), tuple(right[:-2]))
    except ValueError:
        raise ValueError(
            f"operands could not be broadcast together with remapped shapes [original->remapped]: {shape_text(left)}"
            f"->{_remapped(left)} {shape_text(right)}->{_remapped(right)}  and requested shape ({left[-2]},{right[-1]})"
        ) from None


def _remapped(shape: Sequence[int]) -> str:
    return "(" + ",".join([*map(str, shape[:-2]), "newaxis", "newaxis"]) + ")"


def _register_gufunc(name: str, subscripts: str) -> None:
    def function(x1: Value, x2: Value, /, out: Value = None, **others: Value) -> Value:
        plain(name, **{k: (v, NotImplemented) for k, v in others.items()})
        x, y = common(x1, x2)
        if name != "matvec" and x.type.dtype.kind == "c":
            x = atoms.ufunc(np.conjugate, x)
        return result(over_output(atom_of(_F[np.einsum](subscripts, fresh(x), fresh(y))), out, 1), out)

    rules.implements(getattr(np, name))(function)


_register_gufunc("matvec", "...mn,...n->...m")
_register_gufunc("vecmat", "...n,...nm->...m")


@rules.implements(np.vecdot)
def vecdot(x1: object, x2: object, /, *, axis: object = -1, out: object = None, **others: object) -> Value:
    """As `numpy.vecdot`."""
    plain("vecdot", **{k: (v, NotImplemented) for k, v in others.items()})
    x, y = (_F[np.moveaxis](handle(fresh(v)), axis, -1) for v in _wide(*common(x1, x2)))
    x = apply_ufunc.apply(np.conjugate, (x,)) if x.dtype.kind == "c" else x
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(
            "vecdot: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n),(n)->() "
            f"(size {y.shape[-1]} is different from {x.shape[-1]})"
        )
    return result(over_output(atom_of(_F[np.einsum]("...n,...n->...", x, y)), out, 0), out)


@rules.method("dot")
@rules.any_shape(np.dot)
def dot(a: object, b: object, out: object = None) -> Value:
    """As `numpy.dot`."""
    x, y = _factors(a, b)
    if not x.ndim or not y.ndim:
        shape = (x if x.ndim else y).value.type.shape
        value = atoms.ufunc(np.multiply, *(atoms.broadcast_to(side.value, shape) for side in (x, y)))
        extents = x.extents or y.extents
    else:
        i, j = x.ndim - 1, max(y.ndim - 2, 0)
        _agree(x, i, y, j, lambda left, right: _misaligned(left, right, right[j], j))
        value = added_up(x.value, y.value, ([i], [j]))
        extents = x.extents[:-1] + y.extents[:j] + y.extents[j + 1 :]
    if out is not None and getattr(out, "dtype", None) != value.type.dtype:
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)"
        )
    return written(out, _made(value, extents, (a, b)), "same_kind")


def _misaligned(left: Sequence[int], right: Sequence[int], size: int, at: int) -> str:
    """NumPy's words for sizes that cannot be summed over."""
    shapes = f"shapes {shape_text(left)} and {shape_text(right)} not aligned"
    return f"{shapes}: {left[-1]} (dim {len(left) - 1}) != {size} (dim {at})"


@rules.any_shape(np.vdot)
def vdot(a: object, b: object, /) -> Value:
    """As `numpy.vdot`."""
    x, y = _factors(operands.flat(a), operands.flat(b))
    _agree(x, 0, y, 0, lambda left, right: f"cannot reshape array of size {right[0]} into shape {shape_text(left)}")
    if x.value.type.dtype.kind == "c":
        x.value = atoms.ufunc(np.conjugate, x.value)
    return result(dot_general(x.value, y.value, ([0], [0])))


@rules.any_shape(np.inner)
def inner(a: object, b: object, /) -> Value:
    """As `numpy.inner`."""
    x, y = _factors(a, b)
    if not x.ndim or not y.ndim:
        return dot(a, b)

    def misaligned(left: Sequence[int], right: Sequence[int]) -> str:
        turned = (*right[:-2], right[-1], right[-2]) if len(right) > 1 else right
        return _misaligned(left, turned, right[-1], max(len(right) - 2, 0))

    i, j = x.ndim - 1, y.ndim - 1
    _agree(x, i, y, j, misaligned)
    return written(None, _made(added_up(x.value, y.value, ([i], [j])), x.extents[:-1] + y.extents[:-1], (a, b)))


@rules.any_shape(np.outer)
def outer(a: Value, b: Value, out: Value = None) -> Value:
    """As `numpy.outer`."""
    flat = operands.flat(a), operands.flat(b)
    x, y = _factors(*flat)
    (rows,), (columns,) = x.value.type.shape, y.value.type.shape
    left = atoms.broadcast_to(atoms.reshape(x.value, (rows, 1)), (rows, columns))
    right = atoms.broadcast_to(atoms.reshape(y.value, (1, columns)), (rows, columns))
    return written(out, _made(atoms.ufunc(np.multiply, left, right), x.extents + y.extents, flat), "same_kind")


@rules.any_shape(np.linalg.outer)
def linalg_outer(x1: object, x2: object, /) -> Value:
    """As `numpy.linalg.outer`: of vectors only."""
    x, y = operands.array(x1), operands.array(x2)
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are x1.ndim={x.ndim} and x2.ndim={y.ndim}.")
    return outer(x, y)


@rules.any_shape(np.tensordot)
def tensordot(a: object, b: object, axes: Value = 2) -> Value:
    """As `numpy.tensordot`."""
    x, y = _factors(a, b)
    if isinstance(axes, (tuple, list)):
        left, right = ([operator.index(s)] if isinstance(s, (int, np.integer)) else list(s) for s in axes)
    else:
        n = operator.index(axes)
        left, right = list(range(-n, 0)), list(range(n))
    if len(left) != len(right):
        raise ValueError("shape-mismatch for sum")
    left = [one_axis(i, x.ndim) for i in left]
    right = [one_axis(j, y.ndim) for j in right]
    for i, j in zip(left, right, strict=True):
        _agree(x, i, y, j, lambda *_: "shape-mismatch for sum")
    extents = _without(x.extents, left) + _without(y.extents, right)
    return _made(added_up(x.value, y.value, (left, right)), extents, (a, b))


def _without(extents: Sequence[ValidRegion | None], axes: Collection[int]) -> list[ValidRegion | None]:
    return [e for i, e in enumerate(extents) if i not in axes]


@rules.any_shape(np.kron)
def kron(a: object, b: object) -> Value:
    """As `numpy.kron`; of arrays of run-time size, of vectors."""
    if has_dynamic_array((a, b)) and all(operands.array(v).ndim == 1 for v in (a, b)):
        return operands.flat(outer(a, b))
    x, y = common(a, b)
    ndim = max(len(x.type.shape), len(y.type.shape))
    left = (1,) * (ndim - len(x.type.shape)) + x.type.shape
    right = (1,) * (ndim - len(y.type.shape)) + y.type.shape
    wide = [n for pair in zip(left, right, strict=True) for n in pair]
    x = atoms.reshape(x, [n for i in left for n in (i, 1)])
    y = atoms.reshape(y, [n for j in right for n in (1, j)])
    product = atoms.ufunc(np.multiply, atoms.broadcast_to(x, wide), atoms.broadcast_to(y, wide))
    return result(atoms.reshape(product, [i * j for i, j in zip(left, right, strict=True)]))


@rules.method("trace")
@rules.any_shape(np.trace)
def trace(
    a: object, offset: object = 0, axis1: object = 0, axis2: object = 1, dtype: object = None, out: object = None
) -> Value:
    """As `numpy.trace`."""
    array = operands.array(a)
    if not wrap.is_dynamic_array(array):
        return _F[np.sum](_F[np.diagonal](array, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)
    axes = axes_tuple((axis1, axis2), array.ndim)
    front = array.left_packed(*axes)
    made = trace(front.padded(0), offset, axes[0], axes[1], dtype)
    return written(
        out, made if front.ndim == 2 else wrap.with_extents(made, _without(front.extents, axes), array.origin)
    )


@rules.any_shape(np.cross)
def cross(
    a: object,
    b: object,
    axisa: object = -1,
    axisb: object = -1,
    axisc: object = -1,
    axis: object = None,
) -> Value:
    """As `numpy.cross`, of vectors of three elements."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = map(operands.array, (a, b))
    if x.ndim < 1 or y.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    x = _F[np.moveaxis](x, one_axis(axisa, x.ndim), -1)
    y = _F[np.moveaxis](y, one_axis(axisb, y.ndim), -1)
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        if x.shape[-1] in (2, 3) and y.shape[-1] in (2, 3):
            plain("cross", vectors=("vectors of two elements", None))
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    (x0, x1, x2), (y0, y1, y2) = ([v[..., i] for i in range(3)] for v in (x, y))
    parts = [x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0]
    made = _F[np.stack](parts, axis=-1)
    return _F[np.moveaxis](made, -1, axisc)


@rules.implements(np.linalg.cross)
def linalg_cross(x1: object, x2: object, /, *, axis: Value = -1) -> Value:
    """As `numpy.linalg.cross`."""
    x, y = handle(x1), handle(x2)
    if x.shape[axis] != 3 or y.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{x.shape[axis]} and {y.shape[axis]} dimensional instead."
        )
    return cross(x, y, axis=axis)

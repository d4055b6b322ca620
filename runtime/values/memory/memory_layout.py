"""How NumPy would have laid out an array, which decides what is a view of it: asked of NumPy, on arrays without memory.

A storage's `strides` are those of the caller's array, or of what NumPy makes of arrays that are not in C order; None
stands for C order, `Compact` for that of an array whose size is known only at run time, `UNKNOWN` for an order that is
not known here or that a run-time condition decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.tracing.storage import UNKNOWN, Compact
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.memory.handle import Handle

_as_strided = np.lib.stride_tricks.as_strided
# How many possible elements NumPy looks at, of which two arrays may have one in common.
_MOST_WORK: Any = 1000


def plain(array: Handle) -> bool:
    """Return whether the array is the whole of its memory, in C order."""
    return not array.path and _in_c_order(array.storage.strides)


def _in_c_order(strides: tuple[int, ...] | Compact | None) -> bool:
    return strides is None or isinstance(strides, Compact)


def known(array: Handle) -> bool:
    """Return whether the layout is known."""
    return array.storage.strides is not UNKNOWN


def of_run_time_size(array: Handle) -> bool:
    """Return whether the memory is that of an array whose size is known only at run time."""
    return isinstance(array.storage.strides, Compact)


def model(array: Handle) -> np.ndarray:
    """An ndarray with the strides of the view that the handle stands for. Its elements must not be touched."""
    shape = array.storage.type.shape
    dummy = contiguous_model(shape, array.storage.type.dtype)
    if isinstance(array.storage.strides, tuple):
        dummy = _as_strided(dummy, shape, array.storage.strides)
    for step in array.path:
        dummy = _apply(dummy, step)
    return dummy


def of_a_part(array: Handle) -> Compact | None:
    """The layout of a part of an array, from its front on, as far as it is known."""
    steps = model(array).strides if known(array) else ()
    return None if steps == (array.dtype.itemsize,) else LOST


def contiguous_model(shape: Sequence[int], dtype: np.dtype, order: str = "C") -> np.ndarray:
    """An ndarray of this shape without memory of its own; of kinds that are not NumPy's own only the size counts."""
    if dtype.isbuiltin == 2:  # one that NumPy was given by others
        dtype = np.dtype(f"u{dtype.itemsize}")
    sizes = [max(n, 1) for n in shape]
    inner = (sizes[i + 1 :] if order == "C" else sizes[:i] for i in range(len(shape)))
    return _as_strided(np.zeros(1, dtype), tuple(shape), tuple(dtype.itemsize * math.prod(part) for part in inner))


def _apply(dummy: np.ndarray, step: views.ViewStep) -> np.ndarray:
    match step:
        case views.Slice(axes):
            strides = tuple(s * a.stride for s, a in zip(dummy.strides, axes, strict=True))
            return _as_strided(dummy, tuple(a.size for a in axes), strides)
        case views.Reshape(to):
            reshaped = reshape(dummy, to)
            return contiguous_model(to, dummy.dtype) if reshaped is None else reshaped
    return step.of(dummy)


def reshape(dummy: np.ndarray, shape: Sequence[int]) -> np.ndarray | None:
    """The model reshaped, where NumPy does that without a copy; else None."""
    try:
        return dummy.reshape(tuple(shape), copy=False)
    except ValueError:
        return None


# ---- which part a view is -------------------------------------------------------------------------------------------


def simplified(shape: Sequence[int], path: views.Path) -> views.Path:
    """The path; () where it leads to all elements of an array of this shape, in their order."""
    return () if is_same_part(shape, path, ()) else path


def is_same_part(shape: Sequence[int], one: views.Path, other: views.Path) -> bool:
    """Return whether two paths surely lead to the same elements of an array of this shape."""
    if views.same(one, other):
        return True
    parts = [_part(shape, path) for path in (one, other)]
    return None not in parts and parts[0] == parts[1]


def are_apart(one: Handle, other: Handle) -> bool:
    """Return whether two arrays surely have no element in common, of which nothing but their paths is known."""
    if one.storage is not other.storage:
        return True
    base = contiguous_model(one.storage.type.shape, np.dtype(np.int8))
    first, second = (_part_of(base, array.path) for array in (one, other))
    return first is not None and second is not None and not np.may_share_memory(first, second, max_work=_MOST_WORK)


def first_element(array: Handle) -> int | None:
    """The position of an array's first element in memory that lies in C order; None where it cannot be told."""
    part = _part(array.storage.type.shape, array.path)
    return None if part is None else part[0]


def _part(shape: Sequence[int], path: views.Path) -> tuple[int, tuple[int, ...], tuple[int, ...]] | None:
    """Where the elements of a view begin and how they lie, as if the array were in C order; None: it cannot be told."""
    base = contiguous_model(shape, np.dtype(np.int8))
    part = _part_of(base, path)
    return None if part is None else (part.ctypes.data - base.ctypes.data, part.shape, part.strides)


def _part_of(base: np.ndarray, path: views.Path) -> np.ndarray | None:
    """The elements of a view of an array; None where they cannot be told."""
    part: np.ndarray | None = base
    for step in path:
        match step:
            case views.Reshape(to) if part is not None:
                part = reshape(part, to)
            case views.Slice() | views.Permute() if part is not None and step.static:
                part = step.of(part)
            case _:
                return None
    return part


# ---- what NumPy makes ------------------------------------------------------------------------------------------------


def elementwise_strides(models: Sequence[np.ndarray]) -> tuple[int, ...]:
    """The strides, for elements of one byte, of what NumPy makes elementwise of these arrays with order="K"."""
    small = [_as_strided(np.zeros(1, np.int8), m.shape, m.strides) for m in models]
    flags: Any = [["readonly"]] * len(small) + [["writeonly", "allocate"]]
    strides: tuple[int, ...] = np.nditer([*small, None], ["zerosize_ok"], flags, order="K").operands[-1].strides
    return strides


def keep_order(made: object, operands: Iterable[object]) -> Value:
    """Note the layout of the result of an elementwise function with order="K"; return the result."""
    handles: list[Handle] = [x for x in operands if isinstance(x, Handle)]
    if not _is_new(made, handles) or all(map(plain, handles)):
        return made
    if not all(map(known, handles)):
        made.storage.strides = UNKNOWN
        return made
    models = [model(x) for x in handles] + [x for x in operands if isinstance(x, np.ndarray)]
    strides = tuple(s * made.storage.type.dtype.itemsize for s in elementwise_strides(models))
    if strides != contiguous_model(made.shape, made.storage.type.dtype).strides:
        made.storage.strides = strides
    return made


def forget_order(made: object, operands: Iterable[object]) -> Value:
    """Note that the layout of a result is not known where its operands are not all in C order; return the result."""
    handles = _handles(operands)
    if _is_new(made, handles) and not all(map(plain, handles)):
        made.storage.strides = UNKNOWN
    return made


def _handles(operands: Iterable[object]) -> list[Handle]:
    """The array handles among operands, also those in lists."""
    found: list[Handle] = []
    for x in operands:
        if isinstance(x, (list, tuple)):
            found += _handles(x)
        elif isinstance(x, Handle):
            found.append(x)
    return found


def _is_new(made: object, operands: Sequence[Handle]) -> TypeGuard[Handle]:
    """Return whether a result is new memory of unknown layout, and can be laid out in more than one way."""
    if not isinstance(made, Handle) or made.path or made.storage.strides is not None or not _may_differ(made):
        return False
    return all(x.storage is not made.storage for x in operands)


# Functions and methods whose results, where new, have an order of their own whatever that of the operands is.
_IN_OWN_ORDER = frozenset(
    [
        "reshape",
        "ravel",
        "flatten",
        "matmul",
        "dot",
        "take",
        "repeat",
        "outer",
        "kron",
        "ascontiguousarray",
        "asfortranarray",
        "require",
    ]
)
_ELEMENTWISE = frozenset(
    [
        "astype",
        "clip",
        "where",
        "conj",
        "conjugate",
        "array",
        "asarray",
        "asanyarray",
        "copy",
        "empty_like",
        "zeros_like",
        "ones_like",
        "full_like",
    ]
)


def noted(
    made: object, operands: Sequence[object], name: str, options: Mapping[str, object], order: object = None
) -> Value:
    """Note the layout of the result of a function or a method of this name, for this `order=`; return the result.

    What is written to `out=` lies where it did, and numbers of Python's lie nowhere.
    """
    if options.get("out") is not None or name == "tolist":
        return made
    if isinstance(made, (list, tuple)):
        for part in made:
            noted(part, operands, name, options, order)
        return made
    if name in _IN_OWN_ORDER or order in ("C", "F"):
        return made
    return keep_order(made, operands) if name in _ELEMENTWISE and order != "A" else forget_order(made, operands)


def _may_differ(made: Handle) -> bool:
    """Return whether there is more than one way to lay out new memory of this shape."""
    return sum(n > 1 for n in made.shape) > 1


# ---- arrays that cross the edges of branches and loops ---------------------------------------------------------------


@frozen
class Traits:
    """The traits of an array beside its value; `readonly` is why it cannot be written, None where it can."""

    strides: tuple[int, ...] | Compact | None = None
    readonly: str | None = None

    def __or__(self, other: Traits) -> Traits:
        """The traits that hold of either."""
        strides = self.strides
        if strides != other.strides:
            strides = LOST if _in_c_order(strides) and _in_c_order(other.strides) else UNKNOWN
        same = (self.readonly is None) == (other.readonly is None)
        return Traits(strides, self.readonly if same else UNDECIDED)


PLAIN = Traits()
LOST = Compact(None)


def traits(value: object) -> Traits:
    """The traits of a value; those of what is no array are plain."""
    if not isinstance(value, Handle):
        return PLAIN
    if value.storage.strides is None and not value.path and not value.is_readonly:
        return PLAIN
    readonly = value.storage.readonly or (BY_THE_VIEW if value.readonly else None)
    if not known(value):
        return Traits(UNKNOWN, readonly)
    if isinstance(value.storage.strides, Compact):
        return Traits(UNKNOWN if value.path else LOST, readonly)
    strides = model(value).strides
    same = not value.shape or strides == contiguous_model(value.shape, value.dtype).strides
    return Traits(None if same else strides, readonly)


def traits_of_ndarray(array: np.ndarray) -> Traits:
    """The traits of an ndarray that is known."""
    return Traits(None if array.flags.c_contiguous else array.strides, None if array.flags.writeable else BY_THE_VIEW)


UNDECIDED = "decided by a run-time condition"
BY_THE_VIEW = "the view is"


def set_traits(made: Handle, what: Traits) -> None:
    """Give new memory these traits."""
    made.storage.strides = what.strides
    made.readonly = what.readonly == BY_THE_VIEW
    made.storage.readonly = what.readonly

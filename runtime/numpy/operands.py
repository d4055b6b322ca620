"""Accessors of operands, be these of run-time or of static size, and rules that serve both."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import NoValue, atom_of, fresh, handle, has_dynamic_array, iota, one_axis, zeros_atom
from anabranch.runtime.numpy.outputs import stored
from anabranch.runtime.ops.sorting import greatest
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import Masked, ValidRegion, Window, valid_elements
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.registry import FUNCTIONS


def array(x: object) -> Value:
    """The operand as an array: one of run-time size as it is."""
    return x if wrap.is_dynamic_array(x) else handle(x)


def flat(x: object) -> Value:
    """The operand as an array of one axis, in C order, to be read."""
    made = array(x)
    if made.ndim == 1:
        return made
    return FUNCTIONS[np.ravel](made) if wrap.is_dynamic_array(made) else fresh(atoms.reshape(made.atom, (made.size,)))


def refuse_where(bad: object, message: str) -> None:
    """Raise a `ValueError` where one of these bools is true."""
    run_time_checks.fail_if(wrap.as_atom(FUNCTIONS[np.any](bad)), lambda _: ValueError(message))


def flat_unless_axis(a: object, axis: Value) -> tuple[Value, int]:
    """The array, flat where no axis is given, and the axis."""
    x = array(a)
    return (flat(x), 0) if axis is None else (x, one_axis(axis, x.ndim))


def capacity(x: Value) -> tuple[int, ...]:
    """The static shape of an array's buffer."""
    shape: tuple[int, ...] = x.capacity if wrap.is_dynamic_array(x) else x.shape
    return shape


def extents(x: Value) -> list[ValidRegion | None]:
    """The extent of each axis, which says which elements are valid; None for a static one."""
    return list(x.extents) if wrap.is_dynamic_array(x) else [None] * x.ndim


@dataclasses.dataclass(slots=True)
class Operand:
    """An operand on its way into a result: its buffer, the size of each axis and the elements that are valid."""

    value: Atom
    shape: list[Any]
    extents: list[ValidRegion | None]

    @staticmethod
    def of(x: object) -> Operand:
        """That of a value of static or of run-time size."""
        if wrap.is_dynamic_array(x):
            return Operand(x.memory.atom, list(x.shape), list(x.extents))  # type: ignore[attr-defined]
        value = atom_of(x)
        return Operand(value, list(value.type.shape), [None] * len(value.type.shape))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def valid(self) -> Atom | None:
        """Which elements of the buffer are there, as bools; None for all."""
        return valid_elements(self.extents, self.value.type.shape)

    def widen(self, axis: int) -> None:
        """Put in an axis of one element."""
        shape = self.value.type.shape
        self.value = atoms.reshape(self.value, (*shape[:axis], 1, *shape[axis:]))
        self.shape.insert(axis, 1)
        self.extents.insert(axis, None)

    def drop(self, axis: int) -> None:
        """Leave out an axis of one element."""
        shape = self.value.type.shape
        self.value = atoms.reshape(self.value, (*shape[:axis], *shape[axis + 1 :]))
        del self.shape[axis], self.extents[axis]

    def front(self, axis: int) -> None:
        """Move the elements to the front of an axis."""
        extent = self.extents[axis]
        if extent is None or (isinstance(extent, Window) and isinstance(extent.start, int) and extent.start == 0):
            return
        moved = left_packed(wrap.with_extents(fresh(self.value), self.extents), axis)
        self.value, self.extents[axis] = moved.memory.atom, moved.extents[axis]

    def padded(self, fill: Value, axes: Iterable[int]) -> Atom:
        """The buffer with `fill` where no element is along some of the axes."""
        chosen = [self.extents[i] if i in axes else None for i in range(self.ndim)]
        return padded(wrap.part_of(fresh(self.value), chosen), fill) if any(chosen) else self.value


def are_same(n: object, m: object) -> bool:
    """Return whether two sizes are known to be the same, without a look at how they were computed."""
    return isinstance(n, int) and isinstance(m, int) and n == m


def align(places: Sequence[tuple[Operand, int]]) -> None:
    """Bring operands to the same places along axes, one of each, whose sizes are the same."""
    first, at = places[0]
    extent, size = first.extents[at], first.shape[at]
    capacities = [x.value.type.shape[d] for x, d in places]
    alike = all(x.extents[d] is None if extent is None else extent.same(x.extents[d]) for x, d in places)
    if alike and len(set(capacities)) == 1:
        return
    fixed = [n for n, (x, d) in zip(capacities, places, strict=True) if x.extents[d] is None]
    least = min(fixed or capacities)
    for x, d in places:
        x.front(d)
        x.value = compaction.resized(x.value, d, least)
        x.extents[d] = None if fixed else Window(0, size_arithmetic.limited(size, 0, least))


def origin(*xs: Value) -> Value:
    """The origin of the run-time size of one of the arrays."""
    return next((x.origin for x in xs if wrap.is_dynamic_array(x)), None)


def memory(x: Value) -> Value:
    """The buffer, an array of static shape."""
    return x.memory if wrap.is_dynamic_array(x) else x


def valid(x: Value) -> Atom:
    """The mask of the valid elements, of the capacity's shape."""
    mask = x.valid() if wrap.is_dynamic_array(x) else None
    return zeros_atom(capacity(x), np.bool_, value=True) if mask is None else mask


def padded(x: Value, fill: Value) -> Atom:
    """The value with `fill` outside of the valid region."""
    made: Atom = x.padded(fill).atom if wrap.is_dynamic_array(x) else x.atom
    return made


def left_packed(x: Value, *axes: int) -> Value:
    """The array compacted to the front of these axes, of all by default."""
    return x.left_packed(*axes) if wrap.is_dynamic_array(x) else x


def permuted(x: Value, axes: Iterable[int]) -> Value:
    """The view with its axes in this order."""
    order = tuple(axes)
    steps = (views.Permute(order),) if order != tuple(range(len(order))) else ()
    return (
        x.viewed(*steps, extents=tuple(x.extents[i] for i in order)) if wrap.is_dynamic_array(x) else x.viewed(*steps)
    )


def transposed(x: Value) -> Value:
    """The view with its axes reversed."""
    return permuted(x, range(x.ndim)[::-1])


def window(stop: Value) -> ValidRegion:
    """The elements of an axis, compacted to its front."""
    return Window(0, stop)


def with_axis(x: object, view: object, axis: int, extent: ValidRegion | None) -> Value:
    """An array of x's extents but for one axis."""
    kept = extents(x)
    kept[axis] = extent
    return wrap.with_extents(view, kept, origin(x))


def front(count: Value, size: int) -> Atom:
    """The mask of the first `count` of `size` positions."""
    return size_arithmetic.window((size,), 0, 0, count)


def behind(dtype: np.dtype) -> Value:
    """Return the value of a dtype that no other is sorted behind."""
    return np.nan if dtype.kind == "V" else greatest(dtype)[()]


def places(x: object, axis: int) -> Atom:
    """For each position of an axis in the buffer, the index of the element that lies there."""
    (n, extent) = (capacity(x)[axis], extents(x)[axis])
    if isinstance(extent, Masked):
        return extent.ranks()
    line = iota((n,))
    if not isinstance(extent, Window):
        return line
    return atoms.ufunc(np.subtract, line, atoms.broadcast_to(size_arithmetic.atom_of(extent.start), (n,)))


def spread(line: Atom, axis: int, shape: tuple[int, ...]) -> Atom:
    """A vector along an axis, the same for all positions of the others."""
    ones = [1] * len(shape)
    ones[axis] = line.type.shape[0]
    return atoms.broadcast_to(atoms.reshape(line, ones), shape)


Function = TypeVar("Function", bound=Callable[..., Any])


def elementwise(*names: str, lists: Collection[str] = (), fill: object = None) -> Callable[[Function], Function]:
    """A decorator of a rule for arrays of static size, which takes those of run-time size, too: aligned.

    Parameters
    ----------
    names
        The arguments that are operands.
    lists
        The arguments that are sequences of operands.
    fill
        The value where no element is, for a function that refuses some values.
    """

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def rule(*args: object, **kwargs: object) -> Value:
            if not (any(map(has_dynamic_array, args)) or any(map(has_dynamic_array, kwargs.values()))):
                return function(*args, **kwargs)
            given = signature.bind(*args, **kwargs)
            arguments = given.arguments
            holders: list[tuple[Any, Any]] = [(arguments, n) for n in names if _is_given(arguments.get(n))]
            for name in lists:
                arguments[name] = list(arguments[name])
                holders += [(arguments[name], i) for i in range(len(arguments[name]))]
            out, where = arguments.get("out"), arguments.pop("where", True)
            if out is not None:
                arguments["out"] = None
            aligned = broadcasting.broadcast([holder[key] for holder, key in holders], fill)
            for (holder, key), value in zip(holders, aligned.operands, strict=True):
                holder[key] = value
            return stored(out, aligned.made(function(*given.args, **given.kwargs)), where)

        return rule  # type: ignore[return-value]

    return decorate


def _is_given(argument: object) -> bool:
    return argument is not None and argument is not NoValue

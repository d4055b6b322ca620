"""NumPy's functions of lists whose length is known only at run time: such a list is an array of run-time size."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.attributes import ContainerStandIn
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import Window
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.memory.item_memory import iota
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.pytrees.node_reference import Reference

_FLOAT = np.dtype(np.float64)
_ALL, _INTS = "biufc", "biu"

# Functions whose results may say nothing of the dtype of an empty list that is an argument: the places of such
# arguments, and the kinds of the dtypes that come to the same as float64, which it has.
_OF_ANY_DTYPE: dict[Callable[..., object], tuple[frozenset[int], str]] = {
    **dict.fromkeys((np.array_split, np.searchsorted, np.setdiff1d, np.split, np.take), (frozenset({1}), _ALL)),
    np.delete: (frozenset({1}), "iu"),  # one of bools is a mask
    **dict.fromkeys(
        (np.all, np.any, np.argsort, np.count_nonzero, np.flatnonzero, np.nonzero, np.shape, np.size),
        (frozenset({0}), _ALL),
    ),
    **dict.fromkeys((np.mean, np.median, np.std, np.var), (frozenset({0}), _INTS)),
    np.isin: (frozenset({0, 1}), _ALL),
}


def as_array(items: Items, dtype: Value = None, of_nothing: np.dtype | str | None = _FLOAT) -> Value:
    """`np.array(items, dtype)`; `of_nothing` is the dtype of an array of an empty list, None for that of any other.

    It may be the kinds of dtypes that come to the same as float64.

    Raises `UnsupportedOperationError` where the elements have no common shape, or their types are several, so that the
    dtype is that of the elements which there are.
    """
    if type(items.length) is int:
        items = items.resized(items.length, None)
    if items.structure.is_circular:
        items = items.taken(iota(items.structure.capacity), items.length)
    kinds = items.structure.variants
    numbers = [k for k, kind in enumerate(kinds) if isinstance(kind, layouts.Leaf) and not kind.abstract.shape]
    beside = numbers if len(numbers) < len(kinds) else []  # arrays, which alone make an array with axes
    # A row has the dtype of all its parts, each item by itself.
    types = [None if k in beside else functools.reduce(np.promote_types, _dtypes(row)) for k, row in enumerate(kinds)]
    found = list(dict.fromkeys(t for t in types if t is not None))
    target = np.dtype(dtype) if dtype is not None else _common(found)
    memory = iter(items.buffers)
    values = [_side_by_side(kind, memory, target) for kind in kinds]
    fitting = [v for k, v in enumerate(values) if k not in beside]
    if len({v.type.shape for v in fitting}) > 1:
        raise UnsupportedOperationError(
            "a list of arrays of several shapes whose length is known only at run time cannot become an array; give "
            "its items one shape"
        )
    if beside:
        _refuse(beside, items)
        values = [fitting[0] if k in beside else v for k, v in enumerate(values)]
    whole = chosen(items, values) if values else atoms.broadcast_to(atoms.literal(0, target), (0,))
    if dtype is None and len(found) > 1:
        _refuse_others([k for k, t in enumerate(types) if t != target], target, items)
    if items.structure.fixed:
        return wrap.array_of(whole)
    same = of_nothing if isinstance(of_nothing, str) else ""
    fits = target.kind in same or target == (_FLOAT if same else of_nothing)
    if of_nothing is not None and (len(whole.type.shape) > 1 or (dtype is None and not fits)):
        _refuse_none(items, whole)
    axes = len(whole.type.shape)
    return wrap.with_extents(wrap.array_of(whole), (Window(0, items.length), *[None] * (axes - 1)))


def _common(dtypes: Sequence[np.dtype]) -> np.dtype:
    """The dtype of an array of items of several, which is that of some of them.

    Raises `UnsupportedOperationError` where it is that of none, and hangs on which of them there are.
    """
    common = functools.reduce(np.promote_types, dtypes) if dtypes else _FLOAT
    if dtypes and common not in dtypes:
        raise UnsupportedOperationError(
            f"a list of {' or '.join(map(str, dtypes))} whose length is known only at run time becomes an array, whose "
            "dtype would depend on the items that there are; give items one type, or give the dtype (np.array(items, "
            "dtype=float))"
        )
    return common


def _dtypes(kind: layouts.Layout) -> Iterator[np.dtype]:
    match kind:
        case layouts.Leaf(abstract):
            yield abstract.dtype
        case layouts.Node(structure) if structure.array_arena is not None:
            yield structure.array_arena.type.dtype
        case layouts.Node(structure, children) if issubclass(structure.cls, (tuple, list)) and children:
            for child in children:
                yield from _dtypes(child)
        case layouts.Node(ItemsStructure(variants=(one,), capacity=capacity), (layouts.Constant(length), *_)) if (
            length == capacity
        ):
            yield from _dtypes(one)
        case _:
            raise UnsupportedOperationError(
                "a list whose length is known only at run time cannot become an array, since its items are not "
                "numbers, arrays or tuples of these; make an array of a part of each item"
            )


def _side_by_side(kind: layouts.Layout, memory: Iterator[Atom], dtype: np.dtype) -> Atom:
    """The elements of one kind as an array, from the memory of its leaves."""
    if not isinstance(kind, layouts.Node):
        return atoms.convert(next(memory), dtype)
    if kind.structure.array_arena is not None:
        return atoms.convert(kind.structure.array_arena.rows(next(memory)), dtype)
    if kind.structure.is_dynamic_list:
        return _side_by_side(kind.children[0], memory, dtype)
    if isinstance(kind.structure, ItemsStructure):
        return _of_rows(kind.structure.variants[0], memory, dtype)
    parts = [_side_by_side(child, memory, dtype) for child in kind.children]
    shapes = {p.type.shape for p in parts}
    if len(shapes) > 1:
        raise UnsupportedOperationError(
            "a list of tuples whose parts have several shapes cannot become an array; give them one shape"
        )
    lines = [atoms.reshape(p, (p.type.shape[0], 1, *p.type.shape[1:])) for p in parts]
    return lines[0] if len(lines) == 1 else atoms.op("concatenate", *lines, axis=1)


def _of_rows(kind: layouts.Layout, memory: Iterator[Atom], dtype: np.dtype) -> Atom:
    """Elements that are lists of elements of a kind, of known lengths, as an array."""
    if isinstance(kind, layouts.Leaf):
        return atoms.convert(next(memory), dtype)
    raise UnsupportedOperationError(
        "a list of lists whose items are not numbers or arrays cannot become an array; keep numbers in it, or use a "
        "loop"
    )


def _refuse(kinds: Sequence[int], items: Items) -> None:
    """Raise at run time where an element is of one of some kinds."""
    assert items.tags is not None
    valid = size_arithmetic.window(items.tags.type.shape, 0, 0, items.length)
    for k in kinds:
        found = atoms.any_of(atoms.logical_and(_is_of_kind(items.tags, k), valid))
        run_time_checks.fail_if(found, lambda _: UnsupportedOperationError(_MIXED))


def _refuse_none(items: Items, whole: Atom) -> None:
    """Raise at run time where there is no item: NumPy then makes an array of float64 with one axis."""
    none = atoms.ufunc(np.equal, wrap.as_atom(items.length, np.int64), atoms.literal(0, np.int64))
    text = (
        f"an empty list was to become an array of {whole.type.dtype} with {len(whole.type.shape)} axes, and NumPy "
        "makes one of float64 with one axis of it; give the dtype, or ask before whether there are items"
    )
    run_time_checks.fail_if(none, lambda _: UnsupportedOperationError(text))


def _refuse_others(others: Sequence[int], dtype: np.dtype, items: Items) -> None:
    """Raise at run time where all items are of some kinds, and there are some: the array is of their dtype then."""
    assert items.tags is not None
    valid = size_arithmetic.window(items.tags.type.shape, 0, 0, items.length)
    other = functools.reduce(atoms.logical_or, (_is_of_kind(items.tags, k) for k in others))
    none = atoms.logical_not(atoms.any_of(atoms.logical_and(atoms.logical_not(other), valid)))
    text = (
        f"a list that may hold {dtype} was to become an array of these, and holds none, so that NumPy makes an array "
        "of another dtype; give items one type, or give the dtype (np.array(items, dtype=float))"
    )
    some = atoms.ufunc(np.greater, wrap.as_atom(items.length, np.int64), atoms.literal(0, np.int64))
    run_time_checks.fail_if(atoms.logical_and(none, some), lambda _: UnsupportedOperationError(text))


def _is_of_kind(tags: Atom, kind: int) -> Atom:
    """For each item, whether it is of a kind."""
    return atoms.ufunc(np.equal, tags, atoms.broadcast_to(atoms.literal(kind, np.int32), tags.type.shape))


_MIXED = (
    "a list that becomes an array has numbers where most of its items are arrays; give its items one shape, such as by "
    "the start of a sum (sum(parts, np.zeros(n)))"
)


def chosen(items: Items, values: Sequence[Atom]) -> Atom:
    """Each element of the kind that it has."""
    made = values[-1]
    for k, value in reversed(list(enumerate(values[:-1]))):
        assert items.tags is not None
        here = _is_of_kind(items.tags, k)
        line = atoms.reshape(here, (here.type.shape[0], *[1] * (len(value.type.shape) - 1)))
        made = atoms.select(atoms.broadcast_to(line, value.type.shape), value, made)
    return made


def is_made_of_one(value: object) -> bool:
    """Return whether a value is a list that lies in an arena, with others, or a tuple of run-time length."""
    return isinstance(value, ContainerStandIn) and value.native in (list, tuple) and not isinstance(value, Growable)


def of_lists(value: Value, dtype: Value = None, of_nothing: np.dtype | str = _FLOAT) -> Value:
    """An argument of a function of NumPy, with lists of run-time length as arrays, and nodes as what they hold."""
    if isinstance(value, Reference):
        held = value.copied_()
        return [of_lists(v) for v in held] if isinstance(held, list) else value
    value = value.grown_() if is_made_of_one(value) else value
    if isinstance(value, Growable):
        if value.items is None:
            return [of_lists(v) for v in value.native.__iter__(value)]
        return as_array(value.items, dtype, of_nothing)
    if type(value) in (list, tuple) and any(isinstance(v, (Growable, Reference)) or is_made_of_one(v) for v in value):
        return type(value)(of_lists(v) for v in value)
    return value


def with_lists(
    function: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, Value]
) -> tuple[tuple[Value, ...], dict[str, Value]]:
    """Arguments of a function of NumPy, with lists of run-time length as arrays."""
    free, kinds = _OF_ANY_DTYPE.get(function, ((), ""))
    dtype = kwargs.get("dtype", args[1] if len(args) > 1 and isinstance(args[1], (type, np.dtype)) else None)
    given = [of_lists(a, dtype, kinds if place in free else _FLOAT) for place, a in enumerate(args)]
    return tuple(given), {k: of_lists(v) for k, v in kwargs.items()}

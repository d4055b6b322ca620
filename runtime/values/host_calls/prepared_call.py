"""A function and its arguments as a host call makes them: plain objects, of which it sees whether they change."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.host.object_layout import address
from anabranch.runtime.ops.host_call import MisfitError, RefusedError, ViewError
from anabranch.runtime.values.host_calls import functions, results
from anabranch.runtime.values.host_calls.deferred import held_arrays
from anabranch.runtime.values.pytrees import host_values, layout as layouts

_NO_SIZES = np.array([], np.int64)


@frozen(eq=False)
class PreparedCall:
    """A function, and how its arguments and its result lie in arrays."""

    name: str
    given: layouts.Layout  # of the function, its arguments, and those by name
    result: layouts.Layout | None  # None in a trial
    # For each array of the result its shape, and which of its axes have a size known only at run time.
    room: tuple[tuple[tuple[int, ...], tuple[bool, ...]], ...]
    classes: tuple[type[BaseException], ...]
    is_ordered: bool
    leaves: tuple[layouts.Leaf | None, ...]  # of the arguments
    is_flat: bool  # no containers and no functions are among the arguments
    # The arrays of the result that share memory with others of it, by their places.
    shared: frozenset[int] = frozenset()
    may_view: bool = False  # the result may be a view of arguments, which are not written to any more
    # The arrays of the result, by their places, that are arguments, by the places of these among the leaves.
    aliased: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        return self.name

    def tried(self, arrays: Sequence[np.ndarray]) -> Trial:
        """A call while tracing."""
        made, found, copies = self._called(arrays)
        aliased = _aliased(found, copies[: len(self.leaves)])
        views = _views(found, copies, aliased)
        if views and not self.may_view:
            raise self._returns_view()
        held = [] if found else list(held_arrays(made))
        return Trial(made, tuple(aliased.items()), views, bool(_views(held, copies, ())))

    def _returns_view(self) -> ViewError:
        return ViewError(
            f"{self.name} returns an argument, or a view of one, which compiled code would take for a new array; "
            "return a copy, in a function with @anabranch.host"
        )

    def _called(self, arrays: Sequence[np.ndarray]) -> tuple[Any, list[np.ndarray], list[np.ndarray]]:
        """The function's own result, the arrays of it, and those of the arguments: of the leaves first."""
        copies = list(map(_laid_out, arrays, self.leaves))
        function, args, kwargs = self._given(iter(copies))
        held = [] if self.is_flat else functions.state((args, kwargs))
        try:
            made = function(*args, **kwargs)
        finally:
            if not all(map(_is_same, copies, arrays)) or not functions.is_unchanged(held):
                raise RefusedError(
                    f"{self.name} changes an argument, or what a function among its arguments holds, which compiled "
                    "code would not see; pass a copy and return what changes, in a function with @anabranch.host"
                )
        result = results.structure_of(made) if self.result is None else self.result
        found = results.flattened(self.name, result, made)
        return made, found, copies if self.is_flat else [*copies, *_memory_of((*args, *kwargs.values()))]

    def _given(self, arrays: Iterator[np.ndarray]) -> tuple[Any, Sequence[Value], Mapping[str, Value]]:
        """The function, its arguments, and those by name."""
        assert isinstance(self.given, layouts.Node)
        function, args, kwargs = self.given.children
        if not (self.is_flat and isinstance(args, layouts.Node) and isinstance(kwargs, layouts.Node)):
            made: tuple[Any, Sequence[Value], Mapping[str, Value]] = host_values.build(self.given, arrays)
            return made
        building = host_values.Building()
        called = function.value if isinstance(function, layouts.Constant) else building.build(function, arrays)
        values = [building.build(part, arrays) for part in args.children]
        if not kwargs.children:
            return called, values, {}
        named = [building.build(part, arrays) for part in kwargs.children]
        return called, values, dict(zip(kwargs.structure.keys, named, strict=True))

    def run(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The arrays of the result, of any sizes."""
        _, found, copies = self._called(arrays)
        if len(found) == 1 and not self.aliased and _is_of_its_own(found[0], copies):
            return found
        aliased = _aliased(found, copies[: len(self.leaves)])
        if tuple(aliased.items()) != self.aliased or (not self.may_view and _views(found, copies, aliased)):
            raise self._returns_view()
        if not sharing(found) <= self.shared:
            raise RefusedError(
                f"{self.name} returns arrays that share memory, which it did not while the function was traced; return "
                "copies, in a function with @anabranch.host"
            )
        return found

    def fitted(self, found: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The arrays of a result in their rooms, and the sizes of the axes whose sizes are not known."""
        padded: list[np.ndarray] = []
        sizes: list[int] = []
        axis = 0
        for array, (shape, dynamic) in zip(found, self.room, strict=True):
            if array.shape == shape and True not in dynamic:
                axis += len(shape)
                padded.append(array)
                continue
            for size, most, may_differ in zip(array.shape, shape, dynamic, strict=True):
                if size > most or (size != most and not may_differ):
                    raise MisfitError(axis, size)
                axis += 1
                if may_differ:
                    sizes.append(size)
            room = np.zeros(shape, array.dtype)
            room[tuple(map(slice, array.shape))] = array
            padded.append(room)
        return [*padded, np.array(sizes, np.int64) if sizes else _NO_SIZES]


@frozen(eq=False)
class Trial:
    """A call while tracing: the function's own result, and which of its arrays are arguments, or views of some."""

    made: Any
    aliased: tuple[tuple[int, int], ...]  # as of the `PreparedCall`
    views: frozenset[int]  # the places of the arrays that are other views of arguments
    holds: bool  # the result is an object that holds arguments, or views of some


def _is_of_its_own(array: np.ndarray, others: Sequence[np.ndarray]) -> bool:
    """Return whether an array has memory of its own, so that it shares none with others."""
    return array.base is None and array.flags.owndata and not any(array is x or array is x.base for x in others)


def _aliased(found: Sequence[np.ndarray], copies: Sequence[np.ndarray]) -> dict[int, int]:
    """The arrays of a result that are an argument, element for element, each by its place."""
    memory = {_memory(x): place for place, x in enumerate(copies) if x.ndim and x.size}
    return {place: memory[key] for place, part in enumerate(found) if part.ndim and (key := _memory(part)) in memory}


def _memory(array: np.ndarray) -> tuple[object, ...]:
    return address(array), array.shape, array.strides, array.dtype


def _memory_of(arguments: Sequence[object]) -> list[np.ndarray]:
    """The memory of records and of byte sequences, which are made of copies of their parts."""
    return [
        x if isinstance(x, np.ndarray) else np.frombuffer(x, np.uint8)
        for x in arguments
        if (isinstance(x, np.ndarray) and x.dtype.names) or isinstance(x, bytearray)
    ]


def _views(found: Sequence[np.ndarray], copies: Sequence[np.ndarray], aliased: Collection[int]) -> frozenset[int]:
    """The places of the arrays of a result that share memory with arguments in another way."""
    return frozenset(
        place
        for place, part in enumerate(found)
        if place not in aliased and any(np.may_share_memory(part, x) for x in copies if x.ndim)
    )


def sharing(found: Sequence[np.ndarray]) -> frozenset[int]:
    """The places of the arrays that can be written to and share memory with others."""
    return frozenset(
        place
        for place, part in enumerate(found)
        if part.flags.writeable and any(_share(part, x) for k, x in enumerate(found) if k != place)
    )


def _share(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether two arrays share memory; fields of one array of records do not."""
    try:
        return np.shares_memory(a, b, max_work=_MOST_WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


_MOST_WORK = 1000


def prepared_call(
    name: str,
    given: layouts.Layout,
    result: layouts.Layout | None,
    room: tuple[tuple[tuple[int, ...], tuple[bool, ...]], ...],
    classes: tuple[type[BaseException], ...],
    is_ordered: bool,
    shared: frozenset[int] = frozenset(),
    may_view: bool = False,
    aliased: tuple[tuple[int, int], ...] = (),
) -> PreparedCall:
    """A call on arguments of this layout."""
    assert isinstance(given, layouts.Node)
    _, *parts = given.children
    each = [child for part in parts for child in (part.children if isinstance(part, layouts.Node) else (part,))]
    is_flat = all(
        isinstance(p, layouts.Leaf) or (isinstance(p, layouts.Constant) and _is_simple(p.value)) for p in each
    )
    return PreparedCall(
        name, given, result, room, classes, is_ordered, tuple(layouts.leaves(given)), is_flat, shared, may_view, aliased
    )


def _is_simple(value: object) -> bool:
    return value is None or isinstance(value, (str, bool, int, float, complex, np.generic))


def _is_same(copy: np.ndarray, array: np.ndarray) -> bool:
    return copy.tobytes() == array.tobytes()


def values_of_leaves(value: Value, layout: layouts.Layout) -> Iterator[Value]:
    """The value of each of the leaves, in the order of `layouts.leaves`; None for those of alternatives."""
    match layout:
        case layouts.Leaf():
            yield value
        case layouts.Node(structure, children):
            for part, child in zip(structure.children(value), children, strict=True):
                yield from values_of_leaves(part, child)
        case layouts.Union():
            yield from (None for _ in layouts.leaves(layout))


def _laid_out(array: np.ndarray, leaf: layouts.Leaf | None) -> np.ndarray:
    """A copy of an array, in the order in which eager code would have it."""
    if leaf is None or array.ndim < 2:
        return np.array(array)
    strides = leaf.traits.strides
    is_fortran = isinstance(strides, tuple) and len(strides) == array.ndim > 1 and list(strides) == sorted(strides)
    return np.array(array, order="F" if is_fortran else "C")

"""Lazy arrays brought to memory: loops over the elements of what differs from what is there."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.affine import Affine, Region, Span, flat
from anabranch.runtime.native.lazy_arrays import Axis, LazyArray, LazyArrays, Update
from anabranch.runtime.native.llvm_types import NotNativeError
from anabranch.runtime.native.values import is_lazy, is_memory

# The most elements of an array that is computed as a whole; XLA has more than one thread for more.
MOST_WHOLE = 2**14


@frozen(eq=False)
class _Store:
    """A part of an array that is still to be written.

    Attributes
    ----------
    update : Update
    scratch : int or None
        The place of the array that it has been computed to, at the same positions.
    """

    update: Update
    scratch: int | None


class ArrayStores:
    """Writes lazy arrays to memory."""

    def __init__(self, arrays: LazyArrays) -> None:
        self._arrays = arrays
        self._code, self._memory, self._positions = arrays.code, arrays.memory, arrays.positions
        self._scratch: dict[ArrayType, list[int]] = {}

    def settled(self, names: Sequence[str], types: Sequence[ArrayType], kept: Collection[int]) -> list[str]:
        """The names with those of lazy arrays brought to memory: to that of what they are updates of, where it is free.

        Parameters
        ----------
        names, types
        kept
            The places of the arrays that are needed afterwards as they are.
        """
        taken = {*kept, *(self._memory.number(name) for name in names if is_memory(name))}
        targets: dict[str, int] = {}
        lazy = {name: type for name, type in zip(names, types, strict=True) if is_lazy(name)}
        for name, type in lazy.items():
            root = self._root(name, type)
            place = self._memory.number(root.memory) if root.memory else -1
            if not root.memory or place in taken or self._memory.is_fixed(place) or root.type != type:
                place = self._memory.place_of(self._memory.allocate(type))
            taken.add(place)
            targets[name] = place
        made = self.written([(name, lazy[name], place) for name, place in targets.items()])
        found = dict(zip(targets, made, strict=True))
        return [found.get(name, name) for name in names]

    def written(self, changes: Sequence[tuple[str, ArrayType, int]]) -> list[str]:
        """Write lazy arrays to the memories of these places, all at once; returns the names that these have then."""
        places = {place for _, _, place in changes}
        rows = [self._prepared(self._arrays.of(name, type), place, places) for name, type, place in changes]
        for stores, (_, type, place) in zip(rows, changes, strict=True):
            for store in stores:
                self._commit(store, type, place)
        return [self._memory.written(place) for _, _, place in changes]

    def _root(self, name: str, type: ArrayType) -> LazyArray:
        array = self._arrays.of(name, type)
        while array.update is not None:
            array = array.update.base
        return array

    def _prepared(self, array: LazyArray, place: int, places: set[int]) -> list[_Store]:
        """What is to be written to a place; what reads arrays that are written before is computed now."""
        updates: list[Update] = []
        while array.update is not None:
            updates.append(array.update)
            array = array.update.base
        is_there = array.memory and self._memory.number(array.memory) == place
        if not (is_there or array.is_undefined):
            axes = tuple(Axis(Affine(0), 1, axis) for axis in range(len(array.type.shape)))
            updates.append(Update(array, axes, array, {}))
        stores = []
        for number, update in enumerate(reversed(updates)):
            _check_size(update)
            own = {place} if number == 0 else set[int]()
            is_early = not places.isdisjoint(update.value.reads - own)
            stores.append(_Store(update, self._computed(update) if is_early else None))
        return stores

    def _computed(self, update: Update) -> int:
        """Compute the value of an update in other memory; returns the place."""
        type = update.value.type
        scratch = self._free(type)
        with self._loops(update) as index:
            value = self._arrays.element(update.value, index)
            self._memory.put(scratch, type.dtype, self._positions.value(flat(index, type.shape)), value)
        return scratch

    def _commit(self, store: _Store, type: ArrayType, place: int) -> None:
        """Write a part; one that reads what is written for elements before it is computed in other memory first."""
        update, scratch = store.update, store.scratch
        if scratch is None:
            part, shape, target = update.value.type, type.shape, place
            with self._loops(update) as index:
                number = flat([axis.at(index) for axis in update.axes], shape)
                value = self._arrays.element(update.value, index)
                if not self._reads_ahead(update, place, number):
                    target = scratch = self._free(part)
                    number = flat(index, part.shape)
                self._memory.put(target, type.dtype, self._positions.value(number), value)
        if scratch is not None:
            self._moved(update, type, scratch, place)

    def _reads_ahead(self, update: Update, place: int, number: Affine) -> bool:
        """Return whether the element that has just been computed needs none that has been written before it."""
        away = [at - number for read, at in self._arrays.loads if read == place]
        if all(distance == Affine(0) for distance in away):
            return True
        order = [axis.of for axis in update.axes if axis.of is not None]
        is_forward = order == sorted(order) and all(axis.stride > 0 for axis in update.axes)
        return is_forward and all(self._positions.is_at_least(distance, 0) for distance in away)

    def _moved(self, update: Update, type: ArrayType, scratch: int, place: int) -> None:
        """Write a part that has been computed in other memory, which is free then."""
        part = update.value.type
        with self._loops(update) as index:
            source = self._positions.value(flat(index, part.shape))
            value = self._memory.load(self._memory.name(scratch), part.dtype, source)
            number = self._positions.value(flat([axis.at(index) for axis in update.axes], type.shape))
            self._memory.put(place, type.dtype, number, value)
        self._scratch[part].append(scratch)

    def _free(self, type: ArrayType) -> int:
        """The place of memory that is used for a moment."""
        free = self._scratch.setdefault(type, [])
        return free.pop() if free else self._memory.place_of(self._memory.allocate(type))

    @contextlib.contextmanager
    def _loops(self, update: Update) -> Iterator[list[Affine]]:
        """Write loops over the positions of an update's value; what is written meanwhile is their body."""
        with contextlib.ExitStack() as stack:
            yield [
                stack.enter_context(self._loop(_span(update.region, axis, n)))
                for axis, n in enumerate(update.value.type.shape)
            ]

    @contextlib.contextmanager
    def _loop(self, span: Span) -> Iterator[Affine]:
        code, positions = self._code, self._positions
        if len(span.lows) == 1 and span.highs == (span.lows[0].shifted(1),):
            yield span.lows[0]
            return
        first, end = positions.first(span), positions.end(span)
        step = "1" if span.step is None else positions.value(span.step)
        before, head, body, after = code.block, code.label("each"), code.label("element"), code.label("done")
        code.jump(head)
        code.begin(head)
        place, counter = code.hold(), code.fresh()
        code.branch(code.add("icmp slt", "i64", counter, end), body, after)
        code.begin(body)
        positions.runs(counter, span)
        yield Affine(0, ((counter, 1),))
        following = code.add("add nsw", "i64", counter, step)
        code.fill(place, f"{counter} = phi i64 [ {first}, %{before} ], [ {following}, %{code.block} ]")
        code.jump(head)
        code.begin(after)


def _span(region: Region, axis: int, size: int) -> Span:
    """The span of an axis, within the axis."""
    span = region.get(axis, Span((), ()))
    lows = span.lows if span.step is not None else (*span.lows, Affine(0))
    return Span(tuple(dict.fromkeys(lows)), tuple(dict.fromkeys((*span.highs, Affine(size)))), span.step)


def _check_size(update: Update) -> None:
    """Refuse to compute large arrays as a whole."""
    if update.value.uniform or update.value.memory or update.region:
        return
    if update.value.type.size > MOST_WHOLE:
        raise NotNativeError(f"an array of {update.value.type.size} elements as a whole")

"""Lazy arrays brought to memory: loops over the elements of what differs from what is there."""

from __future__ import annotations

import contextlib
import enum
import types
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine, Span, flat
from anabranch.runtime.native.element_loops import ElementLoops, check_size, spans_of
from anabranch.runtime.native.lazy_array import Axis, LazyArray, Update, are_beside
from anabranch.runtime.native.lazy_arrays import LazyArrays
from anabranch.runtime.native.llvm_types import is_lazy, is_memory
from anabranch.runtime.native.ordering import written_inputs

# How many elements are computed before they are written, where they are written to what they are computed from.
_CHUNK = 256
# How many operations take as long as to move an element.
_MOVES_WORK = 16
_NONE: Mapping[str, int] = types.MappingProxyType({})
# Why an array is copied.
_NEEDED = "it is written to, and what it held before is needed afterwards"


class _Order(enum.Enum):
    """In which order the elements of a part are written."""

    ANY = enum.auto()
    AHEAD = enum.auto()  # forward, from places that are so far ahead as the code says: LLVM sees how many go at once
    FORWARD = enum.auto()
    BEHIND = enum.auto()  # as ahead
    BACKWARD = enum.auto()


@frozen(eq=False)
class _Store:
    """A part of an array that is still to be written."""

    update: Update
    scratch: int | None  # the place of the array that it has been computed to, at the same positions


class ArrayStores:
    """Writes lazy arrays to memory."""

    def __init__(self, arrays: LazyArrays) -> None:
        self._arrays = arrays
        self._loops = ElementLoops(arrays)
        self._code, self._memory, self._positions = arrays.code, arrays.memory, arrays.positions
        self._scratch: dict[ArrayType, list[int]] = {}
        self._chunk_memory: dict[np.dtype, int] = {}

    @contextlib.contextmanager
    def of_each_thread(self, shared: Collection[int]) -> Iterator[None]:
        """While a function for several threads is written: it has other memory for a moment's use.

        The threads write to parts of the arrays at the places `shared`.
        """
        before = self._scratch, self._chunk_memory
        self._scratch, self._chunk_memory = {}, {}
        with self._memory.of_each_thread(shared):
            yield
        self._scratch, self._chunk_memory = before

    def settled(
        self,
        names: Sequence[str],
        types: Sequence[ArrayType],
        kept: Collection[int],
        within: Collection[int] | None = None,
        wanted: Mapping[str, int] = _NONE,
    ) -> list[str]:
        """The names with those of lazy arrays brought to memory: to that of what they are updates of, where it is free.

        Parameters
        ----------
        kept
            The places of the arrays that are needed afterwards as they are.
        within
            The places that arrays are brought to, if not to any: the others stay lazy.
        wanted
            The places, by their names, that arrays are brought to where that takes no other memory.
        """
        taken = {*kept, *(self._memory.number(name) for name in names if is_memory(name))}
        targets: dict[str, int] = {}
        lazy = {name: type for name, type in zip(names, types, strict=True) if is_lazy(name)}
        arrays = {name: self._arrays.of(name, type) for name, type in lazy.items()}
        for name, array in arrays.items():
            others = [other.reads for key, other in arrays.items() if key != name]
            place = self._free_place(array, taken, frozenset[int]().union(*others))
            if place is None and name in wanted and self._may_take(array, wanted[name], taken):
                place = wanted[name]
            if within is not None and place not in within:
                continue
            targets[name] = self._memory.place_of(self._memory.allocate(array.type)) if place is None else place
            taken.add(targets[name])
        targets = self._in_order(targets, arrays)
        made = self.written([(name, lazy[name], place) for name, place in targets.items()])
        found = dict(zip(targets, made, strict=True))
        return [found.get(name, name) for name in names]

    def _may_take(self, array: LazyArray, place: int, taken: Collection[int]) -> bool:
        """Return whether an array can be written to a place at once, of which it reads no element too late."""
        if place in taken or self._memory.is_fixed(place) or array.update is not None:
            return False
        every = tuple(Axis(Affine(0), 1, axis) for axis in range(len(array.type.shape)))
        return self._order(Update(array, every, array, {}), array.type, place) is _Order.ANY

    def _in_order(self, targets: Mapping[str, int], arrays: Mapping[str, LazyArray]) -> dict[str, int]:
        """The places with what is read elsewhere last; new ones in place of those for which there is no order."""
        left, found = dict(targets), dict[str, int]()
        while left:
            for name, place in left.items():
                if not any(place in arrays[other].reads for other in left if other != name):
                    break
            else:
                name, place = next(iter(left.items()))
                if arrays[name].update is None:
                    place = self._memory.place_of(self._memory.allocate(arrays[name].type))
            found[name] = place
            del left[name]
        return found

    def _free_place(self, array: LazyArray, taken: Collection[int], read: Collection[int]) -> int | None:
        """The place that an array can be written to: of what it is an update of, or a continuation.

        Or that of an array which is not needed any more, of which each element is read for the one at its position.
        """
        root = _root(array)
        place = self._memory.number(root.memory) if root.memory else -1
        if root.memory and root.type == array.type and not (place in taken or self._memory.is_fixed(place)):
            return place
        start = _continued(array) or _shortened(array)
        place = self._memory.number(start.memory) if start is not None else -1
        if start is not None and place not in taken and self._memory.enlarged(place, array.type):
            return place
        free = [p for p in sorted(array.reads.difference(taken, read)) if self._memory.is_own(p, array.type)]
        if free and array.update is None:
            every = tuple(Axis(Affine(0), 1, axis) for axis in range(len(array.type.shape)))
            for place in free:
                if self._order(Update(array, every, array, {}), array.type, place) is _Order.ANY:
                    return place
        return None

    def whole(self, name: str, type: ArrayType) -> LazyArray | None:
        """The array with a name, where it is one in memory, or a condition says which one."""
        array = self._arrays.of(name, type) if is_lazy(name) or is_memory(name) else None
        return array if array is not None and (array.memory or array.choice) else None

    def unshared(self, equation: Equation, names: Sequence[str], needed: Collection[int]) -> list[str]:
        """The names of an equation's inputs, with copies of arrays that it writes to and that are needed afterwards."""
        written = written_inputs(equation)
        names = list(names)
        for place, (atom, name) in enumerate(zip(equation.inputs, names, strict=True)):
            if not any(atom is var for var in written):
                continue
            if is_lazy(name):
                (name,) = names[place : place + 1] = self.settled([name], [atom.type], needed)
            if not is_memory(name):
                continue
            number = self._memory.number(name)
            if number in needed or names.count(name) > 1 or self._memory.is_fixed(number):
                names[place] = self._memory.copied(name, atom.type, _NEEDED)
        return names

    def at_once(self, name: str, type: ArrayType, kept: Collection[int]) -> str:
        """The name of an update that is written where its base is, unless that is needed as it is."""
        root = _root(self._arrays.of(name, type))
        if root.memory in ("", name) or self._memory.number(root.memory) in kept:
            return name
        return self.settled([name], [type], kept)[0]

    def written(self, changes: Sequence[tuple[str, ArrayType, int]]) -> list[str]:
        """Write lazy arrays to the memories of these places, all at once; returns the names that these have then."""
        rows, places = [], set[int]()
        for name, type, place in changes:
            rows.append(self._prepared(self._arrays.of(name, type), place, places | {place}))
            places.add(place)
        for stores, (_, whole, place) in zip(rows, changes, strict=True):
            # All of an array may have been taken as one of one axis.
            is_flat = len(stores) == 1 and len(stores[0].update.axes) < len(whole.shape)
            type = stores[0].update.base.type if is_flat else whole
            for group in self._grouped(stores, type, place):
                if len(group) == 1:
                    self._commit(group[0], type, place)
                else:
                    self._in_one_loop([store.update for store in group], type, place)
        return [self._memory.written(place) for _, _, place in changes]

    def _prepared(self, array: LazyArray, place: int, places: set[int]) -> list[_Store]:
        """The parts to be written to a place; what reads arrays that are written before is computed now."""
        updates: list[Update] = []
        start = _continued(array) or _shortened(array)
        if start is not None and self._memory.number(start.memory) == place:
            return []
        while array.update is not None:
            updates.append(array.update)
            array = array.update.base
        is_there = array.memory and self._memory.number(array.memory) == place
        if not (is_there or array.is_undefined):
            flat = None if updates else self._arrays.flat_forms([array])
            (value,) = flat or [array]
            axes = tuple(Axis(Affine(0), 1, axis) for axis in range(len(value.type.shape)))
            updates.append(Update(value, axes, value, {}))
        stores = []
        for number, update in enumerate(reversed(updates)):
            check_size(self._memory, update.value, update.region)
            own = {place} if number == 0 else set[int]()
            is_early = not places.isdisjoint(update.value.reads - own)
            stores.append(_Store(update, self._computed(update) if is_early else None))
        return stores

    def _computed(self, update: Update) -> int:
        """Compute the value of an update in other memory; returns the place."""
        scratch = self._free(update.value.type)
        self._loops.in_versions([update.value], update.region, lambda: self._into(scratch, update))
        return scratch

    def _into(self, scratch: int, update: Update) -> None:
        """Write the value of an update to other memory."""
        type = update.value.type
        with self._loops.over(type.shape, update.region, work=self._loops.work([update.value])) as index:
            value = self._arrays.element(update.value, index)
            self._memory.put(scratch, type.dtype, self._positions.value(flat(index, type.shape)), value)

    def _grouped(self, stores: Sequence[_Store], type: ArrayType, place: int) -> list[list[_Store]]:
        """The parts, those together that one loop may write: of one size, beside each other, in any order."""
        groups: list[list[_Store]] = []
        for store in stores:
            last = groups[-1] if groups else []
            is_like = bool(last) and all(are_beside(store.update, other.update) for other in last)
            if is_like and all(
                s.scratch is None and self._order(s.update, type, place) is _Order.ANY for s in (last[0], store)
            ):
                last.append(store)
            else:
                groups.append([store])
        return groups

    def _in_one_loop(self, updates: Sequence[Update], type: ArrayType, place: int) -> None:
        """Write parts of one size, an element of each at a time."""
        values = [update.value for update in updates]

        def write() -> None:
            with self._loops.over(values[0].type.shape, {}, work=self._loops.work(values)) as index:
                for update in updates:
                    value = self._arrays.element(update.value, index)
                    self._memory.put(place, type.dtype, self._number(update, type, index), value)

        self._loops.in_versions(values, {}, write)

    def _commit(self, store: _Store, type: ArrayType, place: int) -> None:
        """Write a part, in an order in which no element is read after it has been written."""
        update, scratch = store.update, store.scratch
        if scratch is not None:
            self._moved(update, type, scratch, place)
        else:
            # What is read may be ahead for certain only where all positions lie in their axes.
            self._loops.in_versions([update.value], update.region, lambda: self._in_safe_order(update, type, place))

    def _in_safe_order(self, update: Update, type: ArrayType, place: int) -> None:
        order = self._order(update, type, place)
        if order in (_Order.ANY, _Order.AHEAD):
            work = self._loops.work([update.value]) if order is _Order.ANY else 0
            self._in_place(update, type, place, work)
        elif order is _Order.BEHIND:
            self._from_the_end(update, type, place)
        elif order is not None:
            self._in_chunks(update, type, place, order)
        else:
            scratch = self._free(update.value.type)
            self._into(scratch, update)
            self._moved(update, type, scratch, place)

    def _in_place(self, update: Update, type: ArrayType, place: int, work: float) -> None:
        with self._loops.over(update.value.type.shape, update.region, work=work) as index:
            value = self._arrays.element(update.value, index)
            self._memory.put(place, type.dtype, self._number(update, type, index), value)

    def _from_the_end(self, update: Update, type: ArrayType, place: int) -> None:
        """Write a part of one row, the last element first."""
        shape, positions = update.value.type.shape, self._positions
        span = spans_of(shape, update.region)[-1]
        with contextlib.ExitStack() as stack:
            outer = stack.enter_context(self._loops.over(shape, update.region, len(shape) - 1))
            ends = positions.first(span), positions.end(span)
            last = stack.enter_context(self._loops.counted(*ends, span, is_forward=False))
            value = self._arrays.element(update.value, [*outer, last])
            self._memory.put(place, type.dtype, self._number(update, type, [*outer, last]), value)

    def _number(self, update: Update, type: ArrayType, index: Sequence[Affine]) -> str:
        """The number of the element that an element of the value is written to."""
        return self._positions.value(_target(update, type, index))

    def _order(self, update: Update, type: ArrayType, place: int) -> _Order | None:
        """The order in which the elements of a part may be written one after the other; None where there is none."""
        if place not in update.value.reads:
            return _Order.ANY
        with self._code.discarded(), self._loops.over(update.value.type.shape, update.region) as index:
            self._arrays.element(update.value, index)
            number = _target(update, type, index)
            away = [at - number for read, at in self._arrays.loads if read == place]
        if all(distance == Affine(0) for distance in away):
            return _Order.ANY
        rows = [axis for axis in update.axes if axis.of is not None]
        numbers = [axis.of for axis in update.axes if axis.of is not None]
        spans = spans_of(update.value.type.shape, update.region)
        if (
            numbers != sorted(numbers)
            or any(axis.stride < 0 for axis in rows)
            or not spans
            or spans[-1].step is not None
        ):
            return None
        if all(self._positions.is_at_least(distance, 0) for distance in away):
            return _Order.FORWARD if any(distance.terms for distance in away) else _Order.AHEAD
        if any(span.is_longer for span in spans[:-1]) or not all(self._positions.is_below(d, 1) for d in away):
            return None
        return _Order.BACKWARD if any(distance.terms for distance in away) else _Order.BEHIND

    def _in_chunks(self, update: Update, type: ArrayType, place: int, order: _Order) -> None:
        """Write a part by chunks, each of which is computed as a whole before it is written."""
        code, positions, memory = self._code, self._positions, self._memory
        shape = update.value.type.shape
        span = spans_of(shape, update.region)[-1]
        chunk = self._chunk(type)
        with contextlib.ExitStack() as stack:
            outer = stack.enter_context(self._loops.over(shape, update.region, len(shape) - 1))
            first, end = positions.first(span), positions.end(span)
            begin, stop = stack.enter_context(
                self._loops.chunks(first, end, _CHUNK, is_forward=order is _Order.FORWARD)
            )
            inner = Span((positions.of(begin), *span.lows), (positions.of(stop), *span.highs))
            with self._loops.counted(begin, stop, inner) as last:
                value = self._arrays.element(update.value, [*outer, last])
                memory.put(chunk, type.dtype, code.add("sub", "i64", positions.value(last), begin), value)
            with self._loops.counted(begin, stop, inner) as last:
                at = code.add("sub", "i64", positions.value(last), begin)
                value = memory.load(memory.name(chunk), type.dtype, at)
                memory.put(place, type.dtype, self._number(update, type, [*outer, last]), value)

    def _chunk(self, type: ArrayType) -> int:
        """The place of the memory of a chunk."""
        if type.dtype not in self._chunk_memory:
            pointer = self._code.reserve(f"[{_CHUNK * type.dtype.itemsize} x i8]")
            self._chunk_memory[type.dtype] = self._memory.place_of(self._memory.add(pointer))
        return self._chunk_memory[type.dtype]

    def _moved(self, update: Update, type: ArrayType, scratch: int, place: int) -> None:
        """Write a part that has been computed in other memory, which is free then."""
        part = update.value.type
        with self._loops.over(part.shape, update.region, work=_MOVES_WORK) as index:
            source = self._positions.value(flat(index, part.shape))
            value = self._memory.load(self._memory.name(scratch), part.dtype, source)
            self._memory.put(place, type.dtype, self._number(update, type, index), value)
        self._scratch[part].append(scratch)

    def _free(self, type: ArrayType) -> int:
        """The place of memory that is used for a moment."""
        free = self._scratch.setdefault(type, [])
        return free.pop() if free else self._memory.place_of(self._memory.allocate(type))


def _root(array: LazyArray) -> LazyArray:
    while array.update is not None:
        array = array.update.base
    return array


def _continued(array: LazyArray) -> LazyArray | None:
    """The array in memory that one begins with, and that nothing is known to follow; None where there is none."""
    update = array.update
    if update is None or not update.base.is_undefined or not update.value.memory or update.region:
        return None
    every = tuple(Axis(Affine(0), 1, axis) for axis in range(len(array.type.shape)))
    return update.value if update.axes == every and update.value.type.shape[1:] == array.type.shape[1:] else None


def _shortened(array: LazyArray) -> LazyArray | None:
    """The array in memory of which one is the beginning; None where there is none."""
    whole = array.whole
    every = tuple(Axis(Affine(0), 1, axis) for axis in range(len(array.type.shape)))
    if whole is None or not whole.memory or array.axes != every or whole.type.shape[1:] != array.type.shape[1:]:
        return None
    return whole if whole.type.shape[0] >= array.type.shape[0] else None


def _target(update: Update, type: ArrayType, index: Sequence[Affine]) -> Affine:
    return flat([axis.at(index) for axis in update.axes], type.shape)

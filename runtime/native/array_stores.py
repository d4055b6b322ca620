"""Lazy arrays brought to memory: loops over the elements of what differs from what is there."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine, Region, Span, flat
from anabranch.runtime.native.lazy_arrays import Axis, LazyArray, LazyArrays, Update
from anabranch.runtime.native.llvm_types import NotNativeError
from anabranch.runtime.native.ordering import written_inputs
from anabranch.runtime.native.values import is_lazy, is_memory

# The most elements of an array that is computed as a whole; XLA has more than one thread for more.
MOST_WHOLE = 2**14


# How many elements are computed before they are written, where they are written to what they are computed from.
_CHUNK = 256


class _Order(enum.Enum):
    """In which order the elements of a part are written."""

    ANY = enum.auto()
    FORWARD = enum.auto()
    BACKWARD = enum.auto()


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
        self._chunk_memory: dict[np.dtype, int] = {}

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
                names[place] = self._memory.copied(name, atom.type)
        return names

    def at_once(self, name: str, type: ArrayType, kept: Collection[int]) -> str:
        """The name of an update that is written where its base is, unless that is needed as it is."""
        root = self._root(name, type)
        if root.memory in ("", name) or self._memory.number(root.memory) in kept:
            return name
        return self.settled([name], [type], kept)[0]

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

        def write() -> None:
            with self._loops(update) as index:
                value = self._arrays.element(update.value, index)
                self._memory.put(scratch, type.dtype, self._positions.value(flat(index, type.shape)), value)

        self._in_versions(update, write)
        return scratch

    def _commit(self, store: _Store, type: ArrayType, place: int) -> None:
        """Write a part, in an order in which no element is read after it has been written."""
        update, scratch = store.update, store.scratch
        order = None if scratch is not None else self._order(update, type, place)
        if order is _Order.ANY:
            self._in_versions(update, lambda: self._in_place(update, type, place))
        elif order is not None:
            self._in_versions(update, lambda: self._in_chunks(update, type, place, order))
        else:
            self._moved(update, type, self._computed(update) if scratch is None else scratch, place)

    def _in_place(self, update: Update, type: ArrayType, place: int) -> None:
        with self._loops(update) as index:
            value = self._arrays.element(update.value, index)
            self._memory.put(place, type.dtype, self._number(update, type, index), value)

    def _in_versions(self, update: Update, write: Callable[[], None]) -> None:
        """Write loops, where it helps twice: once for the case that all positions lie in their axes."""
        code, positions, arrays = self._code, self._positions, self._arrays
        spans = [_span(update.region, axis, n) for axis, n in enumerate(update.value.type.shape)]
        is_older = code.older()
        positions.moves, arrays.flags = [], []
        with code.discarded(), self._loops(update) as index:
            arrays.element(update.value, index)
        counters = {name: span for position, span in zip(index, spans, strict=True) for name, _ in position.terms}
        known = [
            move for move in positions.moves if all(name in counters or is_older(name) for name, _ in move[0].terms)
        ]
        flags = [flag for flag in dict.fromkeys(arrays.flags) if is_older(flag)]
        if not known and not flags:
            write()
            return
        bounds = {
            name: (positions.of(positions.first(span)), positions.of(positions.end(span)).shifted(-1))
            for name, span in counters.items()
        }
        fast, slow, done = (code.label(prefix) for prefix in ("fast", "slow", "written"))
        code.branch(self._is_fast(dict.fromkeys(known), bounds, flags), fast, slow)
        code.begin(fast)
        arrays.without_flags = True
        with positions.inside(is_older):
            write()
        arrays.without_flags = False
        code.jump(done)
        code.begin(slow)
        write()
        code.jump(done)
        code.begin(done)

    def _is_fast(
        self, moves: Iterable[tuple[Affine, int]], bounds: Mapping[str, tuple[Affine, Affine]], flags: Sequence[str]
    ) -> str:
        """The bool that all positions lie in their axes, and no flag is set."""
        code, tests = self._code, [self._code.add("xor", "i1", flag, "true") for flag in flags]
        for index, size in moves:
            low, high = map(self._positions.value, self._positions.ends(index, bounds))
            tests += [code.add("icmp sge", "i64", low, "0"), code.add("icmp slt", "i64", high, str(size))]
        return self._arrays.all_of(tests)

    def _number(self, update: Update, type: ArrayType, index: Sequence[Affine]) -> str:
        """The number of the element that an element of the value is written to."""
        return self._positions.value(_target(update, type, index))

    def _order(self, update: Update, type: ArrayType, place: int) -> _Order | None:
        """The order in which the elements of a part may be written one after the other; None where there is none."""
        if place not in update.value.reads:
            return _Order.ANY
        with self._code.discarded(), self._loops(update) as index:
            self._arrays.element(update.value, index)
            number = _target(update, type, index)
            away = [at - number for read, at in self._arrays.loads if read == place]
        if all(distance == Affine(0) for distance in away):
            return _Order.ANY
        rows = [axis for axis in update.axes if axis.of is not None]
        numbers = [axis.of for axis in update.axes if axis.of is not None]
        spans = [_span(update.region, axis, n) for axis, n in enumerate(update.value.type.shape)]
        if (
            numbers != sorted(numbers)
            or any(axis.stride < 0 for axis in rows)
            or not spans
            or spans[-1].step is not None
        ):
            return None
        if all(self._positions.is_at_least(distance, 0) for distance in away):
            return _Order.FORWARD
        is_row = not any(span.is_longer for span in spans[:-1])
        return _Order.BACKWARD if is_row and all(self._positions.is_below(d, 1) for d in away) else None

    def _in_chunks(self, update: Update, type: ArrayType, place: int, order: _Order) -> None:
        """Write a part by chunks, each of which is computed as a whole before it is written."""
        code, positions, memory = self._code, self._positions, self._memory
        span = _span(update.region, len(update.value.type.shape) - 1, update.value.type.shape[-1])
        chunk = self._chunk(type)
        with contextlib.ExitStack() as stack:
            outer = self._outer_loops(update, stack)
            first, end = positions.first(span), positions.end(span)
            begin, stop = stack.enter_context(self._chunks(first, end, order))
            inner = Span((positions.of(begin), *span.lows), (positions.of(stop), *span.highs))
            with self._counted(begin, stop, inner) as last:
                value = self._arrays.element(update.value, [*outer, last])
                memory.put(chunk, type.dtype, code.add("sub", "i64", positions.value(last), begin), value)
            with self._counted(begin, stop, inner) as last:
                at = code.add("sub", "i64", positions.value(last), begin)
                value = memory.load(memory.name(chunk), type.dtype, at)
                memory.put(place, type.dtype, self._number(update, type, [*outer, last]), value)

    @contextlib.contextmanager
    def _chunks(self, first: str, end: str, order: _Order) -> Iterator[tuple[str, str]]:
        """Write a loop over the chunks of a span; yields the bounds of each."""
        code, forward = self._code, order is _Order.FORWARD
        before, head, body, after = code.block, code.label("chunks"), code.label("chunk"), code.label("done")
        code.jump(head)
        code.begin(head)
        place, at = code.hold(), code.fresh()
        left = code.add("icmp slt", "i64", *((at, end) if forward else (first, at)))
        code.branch(left, body, after)
        code.begin(body)
        moved = code.add("add" if forward else "sub", "i64", at, str(_CHUNK))
        extreme, bound = ("smin", end) if forward else ("smax", first)
        limit = code.call(f"llvm.{extreme}.i64", "i64", "i64", moved, bound)
        yield (at, limit) if forward else (limit, at)
        code.fill(place, f"{at} = phi i64 [ {first if forward else end}, %{before} ], [ {limit}, %{code.block} ]")
        code.jump(head)
        code.begin(after)

    def _chunk(self, type: ArrayType) -> int:
        """The place of the memory of a chunk."""
        if type.dtype not in self._chunk_memory:
            pointer = self._code.reserve(f"[{_CHUNK * type.dtype.itemsize} x i8]")
            self._chunk_memory[type.dtype] = self._memory.place_of(self._memory.add(pointer))
        return self._chunk_memory[type.dtype]

    def _moved(self, update: Update, type: ArrayType, scratch: int, place: int) -> None:
        """Write a part that has been computed in other memory, which is free then."""
        part = update.value.type
        with self._loops(update) as index:
            source = self._positions.value(flat(index, part.shape))
            value = self._memory.load(self._memory.name(scratch), part.dtype, source)
            self._memory.put(place, type.dtype, self._number(update, type, index), value)
        self._scratch[part].append(scratch)

    def _free(self, type: ArrayType) -> int:
        """The place of memory that is used for a moment."""
        free = self._scratch.setdefault(type, [])
        return free.pop() if free else self._memory.place_of(self._memory.allocate(type))

    @contextlib.contextmanager
    def _loops(self, update: Update) -> Iterator[list[Affine]]:
        """Write loops over the positions of an update's value; what is written meanwhile is their body."""
        shape = update.value.type.shape
        with contextlib.ExitStack() as stack:
            outer = self._outer_loops(update, stack)
            if shape:
                outer.append(stack.enter_context(self._loop(_span(update.region, len(shape) - 1, shape[-1]))))
            yield outer

    def _outer_loops(self, update: Update, stack: contextlib.ExitStack) -> list[Affine]:
        """Begin the loops over all axes but the last."""
        rows = enumerate(update.value.type.shape[:-1])
        return [stack.enter_context(self._loop(_span(update.region, axis, n))) for axis, n in rows]

    def each(self, size: int) -> contextlib.AbstractContextManager[Affine]:
        """Write a loop over all positions of an axis; what is written meanwhile is its body."""
        return self._loop(Span((Affine(0),), (Affine(size),)))

    @contextlib.contextmanager
    def _loop(self, span: Span) -> Iterator[Affine]:
        if not span.is_longer:
            yield span.lows[0]
            return
        with self._counted(self._positions.first(span), self._positions.end(span), span) as index:
            yield index

    @contextlib.contextmanager
    def _counted(self, first: str, end: str, span: Span) -> Iterator[Affine]:
        """Write a loop over the positions of a span, whose bounds have these names."""
        code, positions = self._code, self._positions
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


def _target(update: Update, type: ArrayType, index: Sequence[Affine]) -> Affine:
    return flat([axis.at(index) for axis in update.axes], type.shape)


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

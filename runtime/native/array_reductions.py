"""Reductions of arrays that are too large for registers: loops over their elements.

What is added may be added in any order, as elsewhere: LLVM then adds several elements at once.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.affine import Affine, Region, Span, flat
from anabranch.runtime.native.element_loops import ElementLoops, check_size
from anabranch.runtime.native.lazy_array import Axis, LazyArray
from anabranch.runtime.native.lazy_arrays import LazyArrays
from anabranch.runtime.ops.op import scalar, without
from anabranch.runtime.ops.stablehlo_text import Body

# Of how many parts of a large array the elements are combined at first, whatever the number of threads.
_PARTS = 64
# How many rows are combined at a time, so that what is found is read and written once for these, where an element takes
# no more operations than that; and the most bytes of what is found of each part of the rows.
_ROWS, _MOST_OF_ROWS, _MOST_BYTES = 4, 64, 2**10
# Rows of so many elements are long enough for a thread.
_LONG = 512


class _Task(NamedTuple):
    """A reduction."""

    arrays: Sequence[LazyArray]  # of one shape
    places: Sequence[int]  # those of the results in memory
    outs: Sequence[ArrayType]  # their types
    inits: Sequence[str]
    kept: Sequence[int]  # the axes that are left
    body: Body


class ArrayReductions:
    """Writes reductions."""

    def __init__(self, arrays: LazyArrays) -> None:
        self._arrays, self._loops = arrays, ElementLoops(arrays)
        self._code, self._memory, self._positions = arrays.code, arrays.memory, arrays.positions

    def reduced(self, arrays: Sequence[LazyArray], inits: Sequence[str], axes: Sequence[int], body: Body) -> list[str]:
        """The elements of arrays of one shape combined along axes.

        Parameters
        ----------
        inits
            What each starts with.
        body
            Gets what was found so far and the elements, and writes what is found then.
        """
        shape = arrays[0].type.shape
        if len(axes) == len(shape):
            return self._to_values(arrays, inits, body)
        self._memory.expect_whole(math.prod(shape))
        outs = [ArrayType(without(shape, axes), array.type.dtype) for array in arrays]
        kept = [axis for axis in range(len(shape)) if axis not in axes]
        if outs[0].size == 1:
            places = [self._cell(array.type.dtype) for array in arrays]
        else:
            places = [self._memory.place_of(self._memory.allocate(out)) for out in outs]
        if kept and kept[-1] == len(shape) - 1 and outs[0].size > 1:
            self._side_by_side(_Task(arrays, places, outs, inits, kept, body))
        else:
            self._one_by_one(_Task(arrays, places, outs, inits, kept, body))
        if outs[0].size == 1:
            rows = zip(places, arrays, strict=True)
            return [self._memory.load(self._memory.name(place), array.type.dtype, "0") for place, array in rows]
        return [self._memory.written(place) for place in places]

    def _to_values(self, arrays: Sequence[LazyArray], inits: Sequence[str], body: Body) -> list[str]:
        """All elements of arrays combined to one value each; of a single one, those in the part that is not neutral."""
        shape = arrays[0].type.shape
        region: Region = {}
        if len(arrays) == 1:
            array, region = within_region(arrays[0], inits[0])
            arrays = [array]
        if not region:
            arrays = self._arrays.flat_forms(arrays) or arrays
            shape = arrays[0].type.shape
        for array in arrays:
            check_size(self._memory, array, region)
        cells = [self._begun(array, init) for array, init in zip(arrays, inits, strict=True)]
        task = _Task(arrays, cells, [scalar(array.type.dtype) for array in arrays], inits, (), body)
        if not region and self._loops.is_large(shape[0], self._work(arrays) * math.prod(shape[1:])):
            self._in_parts(task)
        else:
            self._loops.in_versions(arrays, region, lambda: self._together(task, region))
        return self._found(cells, arrays)

    def _begun(self, array: LazyArray, init: str) -> int:
        """The place of memory for one element, which LLVM puts into a register, with what a reduction starts with."""
        dtype = array.type.dtype
        cell = self._cell(dtype)
        self._memory.put(cell, dtype, "0", init)
        return cell

    def _found(self, cells: Sequence[int], arrays: Sequence[LazyArray]) -> list[str]:
        rows = zip(cells, arrays, strict=True)
        return [self._memory.load(self._memory.name(cell), array.type.dtype, "0") for cell, array in rows]

    def _together(self, task: _Task, region: Region) -> None:
        """Combine all elements of a region in one cell."""
        with self._loops.over(task.arrays[0].type.shape, region) as index:
            self._step(task.arrays, [index], task.places, ["0"] * len(task.places), task.body)

    def _in_parts(self, task: _Task) -> None:
        """Combine those of parts of the first axis, then what was found of each; the parts are always the same."""
        arrays, memory, shape = task.arrays, self._memory, task.arrays[0].type.shape
        count = min(shape[0], _PARTS)
        length = -(-shape[0] // count)
        partial = [memory.place_of(memory.add(self._code.reserve(f"[{count * t.nbytes} x i8]"))) for t in task.outs]
        rows = list(zip(arrays, task.inits, partial, strict=True))
        work = self._work(arrays) * length * math.prod(shape[1:])

        def write() -> None:
            with self._loops.over((count,), {}, work=work) as (part,):
                cells = [self._begun(array, init) for array, init, _ in rows]
                first, end = part.times(length), part.times(length).shifted(length)
                self._together(task._replace(places=cells), {0: Span((first,), (end,))})
                for value, (array, _, place) in zip(self._found(cells, arrays), rows, strict=True):
                    memory.put(place, array.type.dtype, self._positions.value(part), value)

        self._loops.in_versions(arrays, {}, write)
        with self._loops.each(count) as part:
            number = self._positions.value(part)
            found = [memory.load(memory.name(place), array.type.dtype, number) for array, _, place in rows]
            self._combined(arrays, [found], task.places, ["0"] * len(partial), task.body)

    def _one_by_one(self, task: _Task) -> None:
        """Find each result in registers before the next one."""
        arrays, places, outs, inits, kept, body = task
        shape = arrays[0].type.shape
        sizes = [shape[axis] for axis in kept]
        work = self._work(arrays) * math.prod(shape) / math.prod(sizes)
        with self._loops.over(sizes, {}, work=work) as outer:
            index = dict(zip(kept, outer, strict=True))
            cells = places if outs[0].size == 1 else [self._cell(out.dtype) for out in outs]
            for cell, init, out in zip(cells, inits, outs, strict=True):
                self._memory.put(cell, out.dtype, "0", init)
            with contextlib.ExitStack() as inner:
                for axis, size in enumerate(shape):
                    if axis not in index:
                        index[axis] = inner.enter_context(self._loops.each(size))
                self._step(arrays, [[index[axis] for axis in range(len(shape))]], cells, ["0"] * len(cells), body)
            if cells is not places:
                number = self._positions.value(flat([index[axis] for axis in kept], outs[0].shape))
                for cell, place, out in zip(cells, places, outs, strict=True):
                    value = self._memory.load(self._memory.name(cell), out.dtype, "0")
                    self._memory.put(place, out.dtype, number, value)

    def _side_by_side(self, task: _Task) -> None:
        """Find the results together, in the order of the elements in memory."""
        arrays, places, outs, inits, kept, _ = task
        shape, size = arrays[0].type.shape, outs[0].size
        for place, init, out in zip(places, inits, outs, strict=True):
            with self._loops.each(out.size) as each:
                self._memory.put(place, out.dtype, self._positions.value(each), init)
        works = self._work(arrays)
        work = works * math.prod(shape)
        *_, last = (axis for axis in range(len(shape)) if axis not in kept)
        count = _ROWS if works <= _MOST_OF_ROWS and shape[last] >= 2 * _ROWS else 1
        blocks = shape[last] // count
        whole = {last: Span((Affine(0),), (Affine(blocks),))}
        if last == 0 and size * outs[0].dtype.itemsize <= _MOST_BYTES and self._loops.is_large(blocks, work / blocks):
            self._rows_in_parts(task, blocks, count, work)
        else:
            # Each thread has rows that are long enough.
            enough = [axis for axis in kept if math.prod(shape[axis:]) >= _LONG * shape[axis] or shape[axis] >= _LONG]
            shared = next((axis for axis in enough if self._loops.is_shared(shape[axis], work / shape[axis])), None)
            with contextlib.ExitStack() as stack:
                if shared is not None:
                    whole[shared] = stack.enter_context(self._loops.shared(shape[shared], work // shape[shared]))
                self._rows(task, last, whole, count, Affine(0))
                self._rest(task, last, {a: s for a, s in whole.items() if a != last}, blocks * count)
            return
        self._rest(task, last, {}, blocks * count)

    def _rest(self, task: _Task, axis: int, region: Region, first: int) -> None:
        """Combine the elements from a position of an axis on."""
        size = task.arrays[0].type.shape[axis]
        if first < size:
            self._rows(task, axis, {**region, axis: Span((Affine(first),), (Affine(size),))}, 1, Affine(0))

    def _rows_in_parts(self, task: _Task, blocks: int, count: int, work: float) -> None:
        """Combine blocks of rows in parts, then what was found of each; the parts are always the same."""
        memory, positions, size = self._memory, self._positions, task.outs[0].size
        parts = min(blocks, _PARTS)
        length = -(-blocks // parts)
        partial = [memory.place_of(memory.add(self._code.reserve(f"[{parts * t.nbytes} x i8]"))) for t in task.outs]
        with self._loops.over((parts,), {}, work=work / parts) as (part,):
            start = part.times(size)
            for place, init, out in zip(partial, task.inits, task.outs, strict=True):
                with self._loops.each(size) as each:
                    memory.put(place, out.dtype, positions.value(start + each), init)
            first, end = part.times(length), part.times(length).shifted(length)
            whole = {0: Span((first,), (end, Affine(blocks)))}
            self._rows(task._replace(places=partial), 0, whole, count, start)
        with self._loops.each(parts) as part, self._loops.each(size) as each:
            number, own = positions.value(part.times(size) + each), positions.value(each)
            found = [memory.load(memory.name(x), out.dtype, number) for x, out in zip(partial, task.outs, strict=True)]
            self._combined(task.arrays, [found], task.places, [own] * len(partial), task.body)

    def _rows(self, task: _Task, axis: int, region: Region, count: int, start: Affine) -> None:
        """Combine rows in blocks of so many, which are read and written once for all of a block.

        Parameters
        ----------
        axis
            Of the rows, the last one that is reduced.
        region
            Which blocks, and which of the other positions.
        start
            The number of the first result in memory.
        """
        arrays, shape = task.arrays, task.arrays[0].type.shape
        with self._loops.over(shape, region) as index:
            rows = [[*index[:axis], index[axis].times(count).shifted(k), *index[axis + 1 :]] for k in range(count)]
            number = self._positions.value(start + flat([index[a] for a in task.kept], task.outs[0].shape))
            self._step(arrays, rows, task.places, [number] * len(task.places), task.body)

    def _step(
        self,
        arrays: Sequence[LazyArray],
        rows: Sequence[Sequence[Affine]],
        places: Sequence[int],
        numbers: Sequence[str],
        body: Body,
    ) -> None:
        """Write how the elements at positions, one after the other, change what was found before."""
        first, *others = arrays
        elements = [
            [self._arrays.element(first, index), *(self._arrays.part_of_element(x, index) for x in others)]
            for index in rows
        ]
        self._combined(arrays, elements, places, numbers, body)

    def _combined(
        self,
        arrays: Sequence[LazyArray],
        elements: Sequence[Sequence[str]],
        places: Sequence[int],
        numbers: Sequence[str],
        body: Body,
    ) -> None:
        """Write how rows of values that are elements of arrays, or were made of some, change what was found before."""
        memory = self._memory
        rows = list(zip(places, numbers, arrays, strict=True))
        found = [memory.load(memory.name(place), array.type.dtype, number) for place, number, array in rows]
        with self._code.combining_in_any_order():
            for row in elements:
                found = list(body([*found, *row]))
        for (place, number, array), value in zip(rows, found, strict=True):
            memory.put(place, array.type.dtype, number, value)

    def _work(self, arrays: Sequence[LazyArray]) -> float:
        """The number of operations that it takes to compute an element of each."""
        return self._loops.work(arrays, writes=False)

    def _cell(self, dtype: np.dtype) -> int:
        """The place of memory for one element, which LLVM puts into a register."""
        return self._memory.place_of(self._memory.add(self._code.reserve(f"[{dtype.itemsize} x i8]")))


def within_region(array: LazyArray, neutral: str) -> tuple[LazyArray, Region]:
    """The array that one is in a region; elsewhere it is neutral."""
    update = array.update
    every = tuple(Axis(Affine(0), 1, axis) for axis in range(len(array.type.shape)))
    if update is None or update.base.uniform != neutral or update.axes != every:
        return array, {}
    return update.value, update.region

"""Arrays that are too large for registers and in no memory yet: how each element is computed where it is needed.

An array that differs from another one in a part is an `Update` of it; written to the other one's memory, it costs what
the part costs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.affine import Affine, Positions, Span, flat
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.lazy_array import (
    Axis,
    Choice,
    LazyArray,
    PartTests,
    Update,
    is_all,
    is_part,
    is_rearrangement,
    parts_of,
    pieces_of,
    placed_part,
    region_of_part,
)
from anabranch.runtime.native.llvm_types import NotNativeError, constant, is_lazy, is_memory, value_type
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.native.scalar_ops import convert, select
from anabranch.runtime.ops.stablehlo_text import Rule, Types

# The most operations that an element may take.
_MOST_COST = 500
_INFINITIES = tuple(constant(np.float64(x)) for x in (np.inf, -np.inf))
_BOOL, _INT64 = np.dtype(bool), np.dtype(np.int64)


class LazyArrays:
    """The lazy arrays of a nest, by their names."""

    def __init__(self, code: Instructions, memory: Memory, positions: Positions) -> None:
        self.code = code
        self.memory = memory
        self.positions = positions
        self.tests = PartTests(code, positions)
        # The places and the numbers of elements that were read since this was emptied.
        self.loads: list[tuple[int, Affine]] = []
        # The bools by which one value is chosen for all elements, as where an array of one element is stretched.
        self.flags: list[str] = []
        self.without_flags = False  # None of these bools is true
        self.sizes: dict[int, int] = {}  # the bytes of an element of the arrays in memory, by their places
        self._made: list[LazyArray] = []
        self._elements: dict[tuple[LazyArray, tuple[Affine, ...]], str] = {}
        self._flat: dict[LazyArray, LazyArray] = {}
        self._operations: dict[object, int] = {}

    # ---- names -----------------------------------------------------------------------------------------------------

    def name(self, array: LazyArray) -> str:
        """A name for a lazy array; of one in memory, the one that it has."""
        if array.memory:
            return array.memory
        self._made.append(array)
        return f"~{len(self._made) - 1}"

    def of(self, name: str, type: ArrayType) -> LazyArray:
        """The array with a name, in memory, in registers, or lazy."""
        if is_lazy(name):
            return self._made[int(name[1:])]
        if is_memory(name):
            return self._in_memory(name, type)
        if type.size == 1:
            return self.all_equal(type, name)
        return self._in_memory(self.memory.spilled(name, type), type)

    def reads(self, name: str) -> frozenset[int]:
        """The places of the arrays in memory that an array needs."""
        if is_lazy(name):
            return self._made[int(name[1:])].reads
        return frozenset([self.memory.number(name)] if is_memory(name) else ())

    def _in_memory(self, name: str, type: ArrayType) -> LazyArray:
        place = self.memory.number(name)
        self.sizes[place] = type.dtype.itemsize

        def make(index: Sequence[Affine]) -> str:
            number = flat(index, type.shape)
            self.loads.append((place, number))
            return self.memory.load(name, type.dtype, self.positions.value(number))

        return LazyArray(type, make, frozenset([place]), self.operations([], name), memory=name)

    # ---- elements --------------------------------------------------------------------------------------------------

    def element(self, array: LazyArray, index: Sequence[Affine]) -> str:
        """Write what computes an element that is needed by itself; returns its name."""
        self._elements = {}
        self.loads = []
        return self.part_of_element(array, index)

    def part_of_element(self, array: LazyArray, index: Sequence[Affine]) -> str:
        """Write what computes an element that another one is computed from."""
        if array.uniform:
            return array.uniform
        key = array, tuple(index)
        if key not in self._elements:
            self._elements[key] = array.make(index)
        return self._elements[key]

    def elements(self, name: str, type: ArrayType) -> list[str]:
        """All elements, of a small array."""
        array = self.of(name, type)
        return [self.element(array, [Affine(int(i)) for i in index]) for index in np.ndindex(*type.shape)]

    # ---- what makes them -------------------------------------------------------------------------------------------

    def all_equal(self, type: ArrayType, value: str) -> LazyArray:
        """An array of equal elements."""
        return LazyArray(type, lambda _: value, uniform=value)

    def undefined(self, type: ArrayType) -> LazyArray:
        """An array whose elements are never asked for."""
        zero = constant(np.zeros((), type.dtype))
        return LazyArray(type, lambda _: zero, is_undefined=True)

    def iota(self, type: ArrayType, axis: int) -> LazyArray:
        """The positions along an axis."""

        def make(index: Sequence[Affine]) -> str:
            return convert(self.code, self.positions.value(index[axis]), _INT64, type.dtype)

        return LazyArray(type, make, operations=self.operations([], ("iota", axis, type.dtype)))

    def elementwise(self, names: Sequence[str], types: Types, out: ArrayType, rule: Rule) -> LazyArray:
        """The array that a rule makes of the elements at the same position."""
        return self.combined(list(map(self.of, names, types)), out, rule)

    def combined(self, arrays: Sequence[LazyArray], out: ArrayType, rule: Rule) -> LazyArray:
        """The same of arrays that have no names."""
        if all(array.uniform for array in arrays):
            return self.all_equal(out, rule([array.uniform for array in arrays]))
        pieces = next((found for array in arrays if (found := pieces_of(array))), None)
        # Of one piece that is all of it, the same would be asked again.
        if pieces and pieces[0].value.type.shape != out.shape and all(a.type.shape == out.shape for a in arrays):
            return self._by_pieces(arrays, out, rule, pieces)

        def element(operands: Sequence[LazyArray], index: Sequence[Affine]) -> str:
            return rule([self.part_of_element(array, index) for array in operands])

        return self._pointwise(arrays, out, element)

    def _pointwise(
        self,
        arrays: Sequence[LazyArray],
        out: ArrayType,
        element: Callable[[Sequence[LazyArray], Sequence[Affine]], str],
    ) -> LazyArray:
        """The array of which an element is computed from those of arrays at the same position."""

        def of_pair(given: tuple[Sequence[LazyArray], Sequence[Affine]]) -> str:
            return element(*given)

        placed = self.code.placed(of_pair)

        def of(operands: Sequence[LazyArray], type: ArrayType) -> LazyArray:
            return LazyArray(type, lambda index: placed((operands, index)), *self._together(operands))

        made = of(arrays, out)
        if len(out.shape) < 2 or not all(a.type.shape == out.shape and _has_flat_form(a) for a in arrays):
            return made
        flat_type = ArrayType((out.size,), out.dtype)
        return dataclasses.replace(made, flattened=lambda: of(list(map(self.flat, arrays)), flat_type))

    def flat(self, array: LazyArray) -> LazyArray:
        """The array of one axis with the same elements in C order, of one that has such a form."""
        type = ArrayType((array.type.size,), array.type.dtype)
        if len(array.type.shape) == 1:
            return array
        if array not in self._flat:
            if array.uniform or array.is_undefined:
                self._flat[array] = dataclasses.replace(array, type=type)
            elif array.memory:
                self._flat[array] = self._in_memory(array.memory, type)
            else:
                assert array.flattened is not None
                self._flat[array] = array.flattened()
        return self._flat[array]

    def flat_forms(self, arrays: Sequence[LazyArray]) -> list[LazyArray] | None:
        """Those of all these arrays, of several axes; None where one has none."""
        is_deep = len(arrays[0].type.shape) > 1
        return list(map(self.flat, arrays)) if is_deep and all(map(_has_flat_form, arrays)) else None

    def _by_pieces(
        self, arrays: Sequence[LazyArray], out: ArrayType, rule: Rule, pieces: Sequence[Update]
    ) -> LazyArray:
        """The same, in the pieces that one of the arrays is made of: which one an element lies in need not be asked."""
        made = self.undefined(out)
        for piece in pieces:
            shape = piece.value.type.shape
            row = [self.part(array, ArrayType(shape, array.type.dtype), piece.axes) for array in arrays]
            value = self.combined(row, ArrayType(shape, out.dtype), rule)
            made = self.updated(Update(made, piece.axes, value, {}))
        return made

    def gathered(self, array: LazyArray, places: LazyArray, out: ArrayType) -> LazyArray:
        """The parts of an array at the places along its first axes that stand in the last axis of another one."""
        outer, count = len(places.type.shape) - 1, places.type.shape[-1]
        shape = array.type.shape

        def make(index: Sequence[Affine]) -> str:
            rows = [self.part_of_element(places, [*index[:outer], Affine(k)]) for k in range(count)]
            at = [self.positions.within(self.positions.of(row), n) for row, n in zip(rows, shape, strict=False)]
            return self.part_of_element(array, [*at, *index[outer:]])

        return LazyArray(out, make, *self._together([array, places]))

    def window(self, type: ArrayType, axis: int, span: Span) -> LazyArray:
        """Bools that are true in a span of an axis."""

        def make(index: Sequence[Affine]) -> str:
            return self.tests.inside({axis: span}, index)

        return LazyArray(type, make, operations=self.operations([]), region={axis: span})

    def both(self, x: LazyArray, y: LazyArray) -> LazyArray:
        """Bools that are true where those of two arrays are."""
        if x.region is None:
            x, y = y, x
        made = self._both(x, y)
        region, rest = x.region, y
        if region is not None and y.region is not None and x.rest is None:
            met = {a: region[a].met(y.region[a]) for a in region.keys() & y.region.keys()}
            if None not in met.values():
                joined = {**region, **y.region, **{a: span for a, span in met.items() if span is not None}}
                return dataclasses.replace(made, region=joined, rest=y.rest)
        if region is None:
            return made
        return dataclasses.replace(made, region=region, rest=rest if x.rest is None else self._both(x.rest, rest))

    def _both(self, x: LazyArray, y: LazyArray) -> LazyArray:
        def element(operands: Sequence[LazyArray], index: Sequence[Affine]) -> str:
            return self.tests.all_of([self.part_of_element(array, index) for array in operands])

        return self._pointwise([x, y], x.type, element)

    def choice(self, pred: LazyArray, x: LazyArray, y: LazyArray) -> LazyArray:
        """The elements of the first array where the predicate is true, else those of the second."""
        if pred.region is not None:
            axes = tuple(Axis(Affine(0), 1, axis) for axis in range(len(x.type.shape)))
            value = x if pred.rest is None else self.choice(dataclasses.replace(pred.rest, region=None), x, y)
            return self.updated(Update(y, axes, value, pred.region))

        is_stretch = bool(pred.uniform and x.uniform)

        def element(operands: Sequence[LazyArray], index: Sequence[Affine]) -> str:
            pred, x, y = operands
            chosen = self.part_of_element(pred, index)
            if is_stretch:
                self.flags.append(chosen)
                chosen = "false" if self.without_flags else chosen
            if chosen in ("true", "false"):
                return self.part_of_element(x if chosen == "true" else y, index)
            first, second = (self._hidden(self.part_of_element(array, index), x.type.dtype) for array in (x, y))
            return select(self.code, chosen, first, second, x.type.dtype)

        made = self._pointwise([pred, x, y], x.type, element)
        is_whole = bool(pred.uniform) and all(array.memory or array.choice for array in (x, y))
        return dataclasses.replace(made, choice=Choice(pred.uniform, x, y)) if is_whole else made

    def _hidden(self, value: str, dtype: np.dtype) -> str:
        """A value; an infinite constant as one that LLVM can't know.

        A maximum that minus infinity changes nothing of it makes a condition of, which it has no vectors for.
        """
        return self.code.hidden(value_type(dtype), value) if dtype.kind == "f" and value in _INFINITIES else value

    def part(self, array: LazyArray, type: ArrayType, axes: Sequence[Axis]) -> LazyArray:
        """A part of an array, or all of it in another order."""
        if array.uniform or array.is_undefined:
            return dataclasses.replace(array, type=type)
        if array.whole is not None:
            axes = [axis.within(axes) for axis in array.axes]
            array = array.whole
        if is_all(axes, array.type, type):
            return array
        if array.update is not None:
            found = placed_part(array, type, axes)
            if found is not None:
                return self.part(found.array, type, found.axes)
            moved = self._moved(array.update, array.type, type, axes)
            if moved is not None:
                return moved
        whole, fixed = array, tuple(axes)

        def make(index: Sequence[Affine]) -> str:
            return self.part_of_element(whole, [axis.at(index) for axis in fixed])

        region = region_of_part(array.region, fixed) if array.rest is None else None
        # At other places the operations are others.
        moved_there = frozenset(self._numbered((fixed, number)) for number in array.operations)
        return LazyArray(type, make, array.reads, moved_there, whole=whole, axes=fixed, region=region)

    def _moved(self, update: Update, old: ArrayType, type: ArrayType, axes: Sequence[Axis]) -> LazyArray | None:
        """An update with its elements in another order, as an update of the base in that order."""
        if not is_rearrangement(axes, old, type):
            return None
        moved: list[Axis | None] = [None] * len(type.shape)
        for axis, place in zip(axes, update.axes, strict=True):
            if axis.of is not None:
                start = (place.start - axis.start).times(axis.stride)
                moved[axis.of] = Axis(start, axis.stride * place.stride, place.of)
            elif place.of is not None and update.value.type.shape[place.of] != 1:
                return None
        found = tuple(Axis(Affine(0)) if axis is None else axis for axis in moved)
        return self.updated(dataclasses.replace(update, base=self.part(update.base, type, axes), axes=found))

    def updated(self, update: Update) -> LazyArray:
        """An array with other elements in a part."""
        value, base = update.value, update.base

        def make(index: Sequence[Affine]) -> str:
            inside, at = self.tests.value_at(update, index)
            if inside in ("true", "false") or base.is_undefined:
                return self.part_of_element(base, index) if inside == "false" else self.part_of_element(value, at)
            first, second = self.part_of_element(value, at), self.part_of_element(base, index)
            return select(self.code, inside, first, second, base.type.dtype)

        return LazyArray(base.type, make, *self._together([base, value]), update=update)

    def with_block(self, base: LazyArray, block: LazyArray, axes: tuple[Axis, ...]) -> LazyArray:
        """An array with a block written to it, of which only what differs from that part of the array is written.

        What a block consists of is written part by part: which part an element is of need not be asked then.
        """
        inner = block.update
        if inner is not None and is_part(inner.base, base, axes):
            moved = tuple(axis.within(inner.axes) for axis in axes)
            return self.updated(dataclasses.replace(inner, base=base, axes=moved))
        every = tuple(Axis(Affine(0), 1, axis) for axis in range(len(block.type.shape)))
        for part in parts_of(block) or [Update(block, every, block, {})]:
            base = self.updated(Update(base, tuple(axis.within(part.axes) for axis in axes), part.value, {}))
        return base

    # ---- operations ------------------------------------------------------------------------------------------------

    def operations(self, arrays: Sequence[LazyArray], key: object = None) -> frozenset[int]:
        """The operations that an element takes that is computed from those of arrays, by one that a key says."""
        own = self._numbered(object() if key is None else key)
        return frozenset([own]).union(*(array.operations for array in arrays))

    def costing(self, name: str, count: int) -> str:
        """The name of a lazy array of which the last operation on an element counts as so many more."""
        array = self._made[int(name[1:])]
        more = array.operations.union(self._numbered(object()) for _ in range(count))
        return self.name(dataclasses.replace(array, operations=more))

    def _numbered(self, key: object) -> int:
        return self._operations.setdefault(key, len(self._operations))

    def _together(self, arrays: Sequence[LazyArray]) -> tuple[frozenset[int], frozenset[int]]:
        """The arrays that an element computed from those of others reads, and the operations that it takes."""
        operations = self.operations(arrays)
        if len(operations) > _MOST_COST:
            raise NotNativeError(f"an array of which an element takes {len(operations)} operations")
        return frozenset[int]().union(*(array.reads for array in arrays)), operations


def _has_flat_form(array: LazyArray) -> bool:
    """Return whether an array has a form of one axis, an element of which takes no more."""
    is_simple = array.uniform or array.is_undefined or array.memory or len(array.type.shape) == 1
    return bool(is_simple) or array.flattened is not None

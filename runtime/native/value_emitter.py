"""Values as LLVM instructions: an emitter that ops write to as they write StableHLO.

Nothing of the lowering of ops is written twice: the StableHLO ops that it asks for become instructions. A name of this
emitter is that of a value in a register, the names of the elements of a small array (`[%v1;%v2]`), the name of an
array in memory at one point of its history (`@2.5`: memory 2 after the fifth write), or that of a lazy array (`~3`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.affine import Positions
from anabranch.runtime.native.array_ops import array_op, reshaped
from anabranch.runtime.native.array_reductions import ArrayReductions
from anabranch.runtime.native.array_stores import ArrayStores
from anabranch.runtime.native.element_moves import MOVES, bounds, numbers, reduced
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.lazy_array import LazyArray
from anabranch.runtime.native.lazy_arrays import LazyArrays
from anabranch.runtime.native.llvm_types import NotNativeError, constant, elements, is_lazy, is_memory, packed
from anabranch.runtime.native.memory import Memory, expect_small
from anabranch.runtime.native.scalar_ops import compare, convert, multiply_add, rule_of, select
from anabranch.runtime.ops.stablehlo_text import Body, Rule, Types
from anabranch.runtime.ops.stablehlo_writer import Emitter
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

# From so many bytes on a vector of multiples of a number is computed: as text of the module each byte takes three.
_MOST_TABLE = 2**12
_STEPPED = tuple(map(np.dtype, ("f4", "f8", "i4", "i8")))
_SUMS = ("add", "subtract", "negate")
_IN_MEMORY = ("slice", "dynamic_slice", "dynamic_update_slice")


class ValueEmitter(Emitter):
    """Writes LLVM instructions in place of StableHLO, without control flow.

    Parameters
    ----------
    code
        The function under construction.
    memory
        The arrays in memory.
    """

    def __init__(self, code: Instructions, memory: Memory) -> None:
        super().__init__(calls_host=False)
        self.code = code
        self.memory = memory
        self.positions = Positions(code, memory.ranges)
        self.arrays = LazyArrays(code, memory, self.positions)
        self.stores = ArrayStores(self.arrays)
        self.reductions = ArrayReductions(self.arrays)
        self._outlined = True
        self.unlikely: set[str] = set()  # the names of bools that hardly ever hold

    def op(
        self, name: str, operands: Sequence[str], in_types: Sequence[ArrayType], out: ArrayType, attributes: str = ""
    ) -> str:
        """The result of a StableHLO op."""
        part = in_types[1] if name == "dynamic_update_slice" else out
        if (
            part.size > MOST_ELEMENTS
            or name == "gather"
            or any(map(is_lazy, operands))
            or (name not in _IN_MEMORY and _any_large(in_types))
        ):
            return self._result(array_op(self.arrays, name, operands, in_types, out, attributes), out)
        if name in _IN_MEMORY and is_memory(operands[0]):
            return self._part(name, operands, in_types, out, attributes)
        if name in MOVES:
            grids = [self._grid(x, type) for x, type in zip(operands, in_types, strict=True)]
            return packed(list(MOVES[name](grids, out, attributes).reshape(-1)))
        if name in _IN_MEMORY:
            spilled = self.memory.spilled(operands[0], in_types[0])
            return self._part(name, [spilled, *operands[1:]], in_types, out, attributes)
        if name == "iota":
            return self._iota(out, attributes)
        rule, dtype = rule_of(name), in_types[0].dtype
        columns = [self.elements(x, type) for x, type in zip(operands, in_types, strict=True)]
        made = packed([rule(self.code, list(row), dtype, out.dtype) for row in zip(*columns, strict=True)])
        if name in _SUMS and out.size == 1 and out.dtype == np.int64:
            self.positions.note(name, [column[0] for column in columns], made)
        return made

    def _result(self, array: LazyArray, out: ArrayType) -> str:
        """The name of an array, of a small one those of its elements."""
        name = self.arrays.name(array)
        return name if out.size > MOST_ELEMENTS else packed(self.arrays.elements(name, out))

    def elements(self, name: str, type: ArrayType) -> list[str]:
        """The names of the elements of a value, which are read where it is in memory."""
        expect_small(type)
        return self.memory.whole(name, type) if is_memory(name) else elements(name)

    def _part(
        self, name: str, operands: Sequence[str], in_types: Sequence[ArrayType], out: ArrayType, attributes: str
    ) -> str:
        """A part of an array in memory, or the array with another part."""
        (x, *rest), (type, *types) = operands, in_types
        if name == "slice":
            numbers = np.arange(type.size).reshape(type.shape)[bounds(attributes)]
            return packed([self.memory.load(x, type.dtype, str(k)) for k in numbers.reshape(-1)])
        if name == "dynamic_slice":
            places = self.memory.places(rest, types, type.shape, out.shape)
            return packed([self.memory.load(x, type.dtype, place) for place in places])
        values = self.elements(rest[0], types[0])
        places = self.memory.places(rest[1:], types[1:], type.shape, types[0].shape)
        return self.memory.store(x, type.dtype, list(zip(places, values, strict=True)))

    def each(self, names: Sequence[str], types: Types, out: ArrayType, rule: Rule) -> str:
        """The array that a rule makes of the elements at the same positions."""
        if out.size > MOST_ELEMENTS or any(map(is_lazy, names)):
            return self._result(self.arrays.elementwise(names, types, out, rule), out)
        columns = [self.elements(name, type) for name, type in zip(names, types, strict=True)]
        return packed([rule(list(row)) for row in zip(*columns, strict=True)])

    def _iota(self, out: ArrayType, attributes: str) -> str:
        (axis,) = numbers(attributes, "iota_dimension")
        shape = [out.shape[axis] if k == axis else 1 for k in range(len(out.shape))]
        return self.constant(np.arange(out.shape[axis]).reshape(shape).astype(out.dtype), out)

    def multiply_add(self, names: Sequence[str], type: ArrayType) -> str:
        """The sum of a product and a value, fused on the machines that can."""
        return self.each(names, [type] * 3, type, lambda row: multiply_add(self.code, row, type.dtype))

    def compare(self, x: str, y: str, direction: str, type: ArrayType, total: bool = False) -> str:
        """The comparison of two values."""
        if total and type.dtype.kind in "fc":
            raise NotNativeError("a comparison in the total order of floats")
        out = ArrayType(type.shape, np.dtype(bool))
        return self.each([x, y], [type] * 2, out, lambda row: compare(self.code, row[0], row[1], direction, type.dtype))

    def select(self, pred: str, on_true: str, on_false: str, type: ArrayType) -> str:
        """One of two values."""
        if on_true == on_false:
            return on_true
        types = [ArrayType(type.shape, np.dtype(bool)), type, type]
        if type.size > MOST_ELEMENTS:
            operands = map(self.arrays.of, (pred, on_true, on_false), types)
            return self.arrays.name(self.arrays.choice(*operands))
        return self.each(
            [pred, on_true, on_false],
            types,
            type,
            lambda row: select(self.code, row[0], row[1], row[2], type.dtype, unlikely=row[0] in self.unlikely),
        )

    def convert(self, x: str, source: ArrayType, dtype: np.dtype) -> str:
        """XLA's conversion."""
        if source.dtype == dtype:
            return x
        out = ArrayType(source.shape, dtype)
        return self.each([x], [source], out, lambda row: convert(self.code, row[0], source.dtype, dtype))

    def fence(self, operand: str, type: ArrayType) -> str:
        """The operand: LLVM keeps to the arithmetic of floats."""
        return operand

    fence_source = fence

    def rounded(self, x: str, type: ArrayType) -> str:
        """The operand: LLVM joins no product with a sum that it is not told to."""
        return x

    def constant(self, value: object, type: ArrayType) -> str:
        """A constant in the instructions, or in memory."""
        array = np.broadcast_to(np.asarray(value, dtype=type.dtype), type.shape)
        if type.size > MOST_ELEMENTS:
            first = array.reshape(-1)[:1]
            is_uniform = array.tobytes() == np.broadcast_to(first, array.shape).tobytes()
            if is_uniform:
                return self.arrays.name(self.arrays.all_equal(type, constant(first)))
            stepped = self._stepped(array, type) if array.nbytes > _MOST_TABLE else None
            return self.memory.constant(array) if stepped is None else stepped
        return packed([constant(x) for x in array.reshape(-1)])

    def _stepped(self, array: np.ndarray, type: ArrayType) -> str | None:
        """A long vector of multiples of a number, as `np.fft.rfftfreq` and `fftfreq` give; None for others."""
        if array.ndim != 1 or array.dtype not in _STEPPED:
            return None
        (n,), step = array.shape, array[1]
        # From here on they are those of negative numbers.
        turn = n if not array[-1] * step < 0 else (n + 1) // 2
        places = np.arange(n)
        places[turn:] -= n
        with np.errstate(all="ignore"):
            if (places.astype(type.dtype) * step).tobytes() != array.tobytes():
                return None
        ints = ArrayType(type.shape, np.dtype(np.int64))
        numbers = self.arrays.name(self.arrays.iota(ints, 0))
        if turn < n:
            behind = self.compare(numbers, self.constant(turn, ints), "GE", ints)
            numbers = self.select(behind, self.binary("subtract", numbers, self.constant(n, ints), ints), numbers, ints)
        return self.binary("multiply", self.convert(numbers, ints, type.dtype), self.constant(step, type), type)

    def undefined(self, type: ArrayType) -> str:
        """An array of which no element is asked for."""
        if type.size <= MOST_ELEMENTS:
            return self.constant(0, type)
        return self.arrays.name(self.arrays.undefined(type))

    def blank(self, type: ArrayType) -> str:
        """An array of any contents."""
        return self.memory.allocate(type)

    def reshape(self, x: str, source: ArrayType, shape: Sequence[int]) -> str:
        """The same elements, in registers or in memory."""
        out = ArrayType(tuple(shape), source.dtype)
        if not is_lazy(x):
            return x
        made = reshaped(self.arrays, x, source, out)
        if made is not None:
            return self.arrays.name(made)
        return self.stores.settled([x], [source], self.memory.all_places())[0]

    def reduce(
        self, xs: Sequence[str], types: Types, inits: Sequence[str], axes: Sequence[int], body: Body
    ) -> list[str]:
        """The elements of arrays combined along axes."""
        if any(map(is_lazy, xs)) or _any_large(types):
            arrays = [self.arrays.of(x, type) for x, type in zip(xs, types, strict=True)]
            return self.reductions.reduced(arrays, inits, axes, body)
        return reduced([self._grid(x, type) for x, type in zip(xs, types, strict=True)], inits, axes, body)

    def _grid(self, name: str, type: ArrayType) -> np.ndarray:
        """The names of the elements of a value, in its shape."""
        names = np.empty(type.size, object)
        names[:] = self.elements(name, type)
        return names.reshape(type.shape)

    # ---- what has no native form -----------------------------------------------------------------------------------

    def multi(self, name: str, *_: object, **__: object) -> list[str]:
        """Refuse an op with regions."""
        raise NotNativeError(name)

    def outlined(self, operands: Sequence[str], in_types: Types, outs: Types, body: Body) -> list[str]:
        """The body in place."""
        return list(body(list(operands)))

    called = outlined


def _any_large(types: Sequence[ArrayType]) -> bool:
    return any(type.size > MOST_ELEMENTS for type in types)

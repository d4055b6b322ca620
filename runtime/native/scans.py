"""Positions of extremes, and truths of all elements: an array is looked at in blocks, and no further than needed.

Within a block there is no choice, so that LLVM makes vectors of its elements; between blocks there is one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine, Span, flat
from anabranch.runtime.native.element_loops import LONG_INSIDE, ElementLoops, check_size
from anabranch.runtime.native.lazy_array import LazyArray
from anabranch.runtime.native.llvm_types import constant, is_native, packed, value_type
from anabranch.runtime.native.scalar_ops import compare
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.ops.op import BOOL, INT64, scalar
from anabranch.runtime.ops.reducers import MAXIMUM, OR, Reducer
from anabranch.runtime.ops.reduction import ArgExtreme, Extreme, Truth
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

# How many bytes of elements a block has where the position of an extreme is asked for, and a part of the block in which
# it lies, that is then looked for; and how many truths are tested at a time.
_BYTES, _BYTES_OF_PART, _TRUTHS = 2**12, 2**9, 2**13
# Of so few parts, to look at all takes less time than to guess which one it is.
_FEW_PARTS = 4
# How many bytes of an array LLVM's code for the widest vectors reads in a step of a loop.
_BYTES_OF_STEP = 2**8
# Rows of fewer elements are short.
_SHORT = 64
# Of how many parts of a long row the extremes are found at first, whatever the number of threads.
_PARTS = 64
_INT32 = np.dtype(np.int32)


def is_scan(equation: Equation) -> bool:
    """Return whether an equation looks for elements in long rows of an array, or in all of it."""
    op = equation.op
    if not isinstance(op, ArgExtreme | Extreme | Truth):
        return False
    type = equation.inputs[0].type
    if type.size <= MOST_ELEMENTS or not is_native(type.dtype) or (len(type.shape) > 1 and type.shape[-1] < _SHORT):
        return False
    if isinstance(op, ArgExtreme):
        return bool(equation.params["axis"] == len(type.shape) - 1 and type.dtype.kind != "c")
    return (isinstance(op, Truth) or type.dtype == BOOL) and len(equation.params["axes"]) == len(type.shape)


def scanned(emitter: ValueEmitter, equation: Equation, name: str) -> str:
    """The result of an equation that is a scan."""
    scan = _Positions if isinstance(equation.op, ArgExtreme) else _Truth
    return scan(emitter).of(equation, name)


class _Cell:
    """A value in memory, which LLVM puts into a register."""

    def __init__(self, emitter: ValueEmitter, dtype: np.dtype) -> None:
        self._memory, self._dtype = emitter.memory, dtype
        pointer = emitter.code.reserve(f"[{dtype.itemsize} x i8]")
        self._place = self._memory.place_of(self._memory.add(pointer))

    def get(self) -> str:
        return self._memory.load(self._memory.name(self._place), self._dtype, "0")

    def put(self, value: str) -> None:
        self._memory.put(self._place, self._dtype, "0", value)


class _Scan:
    """Writes loops over the blocks of rows."""

    def __init__(self, emitter: ValueEmitter) -> None:
        self._emitter, self._loops = emitter, ElementLoops(emitter.arrays)
        self._code, self._memory, self._positions = emitter.code, emitter.memory, emitter.positions

    @contextlib.contextmanager
    def _blocks(self, span: Span, length: int, size: int) -> Iterator[tuple[Span, str]]:
        """Write a loop over the blocks of a span of at most so many positions.

        Those of a span of just so many are all of one length, for which the last one begins in the one before.
        Yields the span of a block, and the label at which the code goes on that leaves the loop early.
        """
        code, out = self._code, self._code.label("scanned")
        if length <= size:
            yield span, out
        else:
            with self._loops.each(-(-length // size)) as number:
                first = number.times(size)
                if len(span.highs) > 1:
                    first += span.lows[0]
                    yield Span((first,), (first.shifted(size), *span.highs)), out
                else:
                    first = self._positions.limited(first, 0, length - size) + span.lows[0]
                    yield Span((first,), (first.shifted(size),)), out
        code.jump(out)
        code.begin(out)

    def _combined(self, array: LazyArray, outer: Sequence[Affine], span: Span, reducer: Reducer, initial: str) -> str:
        """The elements of a part of a row, combined in any order, and maybe twice."""
        code, dtype, kind = self._code, array.type.dtype, value_type(array.type.dtype)
        found, has_nan = _Cell(self._emitter, dtype), _Cell(self._emitter, BOOL)
        found.put(initial)
        has_nan.put("false")
        for part, inside in self._even(array, span):
            first, end = self._positions.first(part), self._positions.end(part)
            with self._loops.counted(first, end, part, inside) as at:
                x = self._emitter.arrays.element(array, [*outer, at])
                if dtype.kind == "f":
                    # From one extreme to the next there is less to wait for than where a NaN stays one.
                    name = f"llvm.{'max' if reducer is MAXIMUM else 'min'}num.f{8 * dtype.itemsize}"
                    call = f"call nnan nsz {kind} @{name}({kind} {found.get()}, {kind} {x})"
                    found.put(code.emit(call, name, kind, f"{kind}, {kind}"))
                    has_nan.put(code.add("or", "i1", has_nan.get(), code.add("fcmp uno", kind, x, x)))
                else:
                    found.put(reducer.emit(self._emitter, found.get(), x, scalar(dtype)))
        if dtype.kind != "f":
            return found.get()
        return code.emit(f"select i1 {has_nan.get()}, {kind} {constant(np.array(np.nan, dtype))}, {kind} {found.get()}")

    def _even(self, array: LazyArray, span: Span) -> list[tuple[Span, int]]:
        """Spans that have the positions of one, of lengths of which LLVM makes vectors without a rest.

        The last elements of a row may lie in two of them. LLVM makes no vectors of the steps of a short loop that it
        writes out, so that those of the last one are said to be long.
        """
        length = span.highs[0] - span.lows[0]
        sizes = [self._emitter.arrays.sizes[place] for place in array.reads]
        width = _BYTES_OF_STEP // max(array.type.dtype.itemsize, *sizes, 1)
        if len(span.highs) > 1 or length.terms or length.constant < width or length.constant % width == 0:
            return [(span, 1)]
        low, high = span.lows[0], span.highs[0]
        whole = length.constant - length.constant % width
        return [(Span((low,), (low.shifted(whole),)), 1), (Span((high.shifted(-width),), (high,)), LONG_INSIDE)]

    def _parts(self, length: int) -> tuple[int, int]:
        """Into how many parts a long row is split, and how long they are."""
        count = min(length, _PARTS)
        return count, -(-length // count)

    def _part(self, number: Affine, size: int, length: int) -> Span:
        """The span of a part."""
        first = number.times(size)
        return Span((first,), (first.shifted(size), Affine(length)))


class _Truth(_Scan):
    """Writes the search for an element that is true, or for one that is not."""

    def of(self, equation: Equation, name: str) -> str:
        """The result, a bool."""
        emitter, code, op, source = self._emitter, self._code, equation.op, equation.inputs[0].type
        assert isinstance(op, Truth | Extreme)
        type, is_any = ArrayType(source.shape, BOOL), op.reducer in (OR, MAXIMUM)
        if source.dtype != BOOL:
            name = emitter.compare(name, emitter.constant(0, source), "NE" if is_any else "EQ", source)
        elif not is_any:
            name = emitter.op("not", [name], [type], type)
        array = emitter.arrays.of(name, type)
        (array,) = emitter.arrays.flat_forms([array]) or [array]
        check_size(self._memory, array, {})
        found = code.reserve("[1 x i8]")
        code.act(f"store i8 0, ptr {found}")
        self._loops.in_versions([array], {}, lambda: self._write(array, found))
        value = code.add("icmp ne", "i8", code.emit(f"load i8, ptr {found}"), "0")
        return value if is_any else code.add("xor", "i1", value, "true")

    def _write(self, array: LazyArray, found: str) -> None:
        *sizes, length = array.type.shape
        work = self._loops.work([array], writes=False)
        if sizes:
            with self._loops.over(sizes, {}, work=work * length) as outer:
                self._row(array, outer, Span((Affine(0),), (Affine(length),)), length, found)
        elif self._loops.is_large(length, work):
            count, size = self._parts(length)
            with self._loops.over((count,), {}, work=work * size) as (number,):
                self._row(array, [], self._part(number, size, length), size, found)
        else:
            self._row(array, [], Span((Affine(0),), (Affine(length),)), length, found)

    def _row(self, array: LazyArray, outer: Sequence[Affine], span: Span, length: int, found: str) -> None:
        """Write the search in a row, unless another one, maybe of another thread, has had a true element."""
        code = self._code
        look, hit, done = (code.label(prefix) for prefix in ("look", "hit", "decided"))
        known = code.emit(f"load atomic i8, ptr {found} monotonic, align 1")
        code.branch(code.add("icmp ne", "i8", known, "0"), done, look)
        code.begin(look)
        with self._blocks(span, length, _TRUTHS) as (block, out):
            go = code.label("go")
            code.branch(self._combined(array, outer, block, OR, "false"), hit, go)
            code.begin(hit)
            code.act(f"store atomic i8 1, ptr {found} monotonic, align 1")
            code.jump(out)
            code.begin(go)
        code.jump(done)
        code.begin(done)


class _Positions(_Scan):
    """Writes searches for the first extreme of a row: it lies in the first block whose own extreme is that of all."""

    def of(self, equation: Equation, name: str) -> str:
        """The result."""
        op, type, out = equation.op, equation.inputs[0].type, equation.outputs[0].type
        assert isinstance(op, ArgExtreme)
        emitter, memory = self._emitter, self._memory
        self._reducer, self._dtype = op.reducer, type.dtype
        self._neutral = constant(np.asarray(op.initial(type.dtype), type.dtype))
        array = emitter.arrays.of(name, type)
        check_size(memory, array, {})
        work = self._loops.work([array], writes=False)
        *sizes, length = type.shape
        if not sizes:
            result = _Cell(emitter, INT64)
            is_large = self._loops.is_large(length, work)
            write = self._in_parts if is_large else self._in_all
            self._loops.in_versions([array], {}, lambda: write(array, work, result))
            return result.get()
        made = memory.place_of(memory.allocate(out))

        def rows() -> None:
            with self._loops.over(sizes, {}, work=work * length) as outer:
                _, at = self._found(array, outer, Span((Affine(0),), (Affine(length),)), length)
                memory.put(made, INT64, self._positions.value(flat(outer, out.shape)), at)

        self._loops.in_versions([array], {}, rows)
        found = memory.written(made)
        return found if out.size > MOST_ELEMENTS else packed(memory.whole(found, out))

    def _in_all(self, array: LazyArray, work: float, result: _Cell) -> None:
        (length,) = array.type.shape
        result.put(self._found(array, [], Span((Affine(0),), (Affine(length),)), length)[1])

    def _in_parts(self, array: LazyArray, work: float, result: _Cell) -> None:
        """Write the search in parts of a row, which are always the same, then among their extremes."""
        emitter, memory, code, (length,) = self._emitter, self._memory, self._code, array.type.shape
        count, size = self._parts(length)
        dtypes = self._dtype, INT64
        places = [memory.place_of(memory.add(code.reserve(f"[{count * d.itemsize} x i8]"))) for d in dtypes]
        with self._loops.over((count,), {}, work=work * size) as (number,):
            row = self._found(array, [], self._part(number, size, length), size)
            for place, dtype, value in zip(places, dtypes, row, strict=True):
                memory.put(place, dtype, self._positions.value(number), value)
        best = _Cell(emitter, self._dtype)
        best.put(self._neutral)
        result.put("0")
        out = code.label("found")
        with self._loops.each(count) as number:
            at = self._positions.value(number)
            value, position = (memory.load(memory.name(p), d, at) for p, d in zip(places, dtypes, strict=True))
            with self._if_better(value, best, out):
                result.put(position)
        code.jump(out)
        code.begin(out)

    def _found(self, array: LazyArray, outer: Sequence[Affine], span: Span, length: int) -> tuple[str, str]:
        """The extreme between two positions of a row, and where it first occurs."""
        size = max(_BYTES // self._dtype.itemsize, 1)
        if length <= size:
            extreme = self._combined(array, outer, span, self._reducer, self._neutral)
            return extreme, self._place(array, outer, span, length, extreme)
        best, begin = _Cell(self._emitter, self._dtype), _Cell(self._emitter, INT64)
        best.put(self._neutral)
        begin.put(self._positions.value(span.lows[0]))
        with self._blocks(span, length, size) as (block, out):
            value = self._combined(array, outer, block, self._reducer, self._neutral)
            with self._if_better(value, best, out):
                begin.put(self._positions.value(block.lows[0]))
        extreme, part = best.get(), self._from(begin, span, size)
        return extreme, self._place(array, outer, part, size, extreme)

    def _from(self, begin: _Cell, span: Span, size: int) -> Span:
        """The block of a span that begins at one of its positions."""
        name, positions = begin.get(), self._positions
        low, high = positions.bound(span.lows[0], upward=False), positions.bound(span.highs[-1], upward=True)
        assert low is not None
        assert high is not None
        is_whole = len(span.highs) == 1
        self._memory.ranges.learn(name, Interval(low, high - size if is_whole else high))
        first = positions.of(name)
        return Span((first,), (first.shifted(size), *(() if is_whole else span.highs)))

    @contextlib.contextmanager
    def _if_better(self, value: str, best: _Cell, out: str) -> Iterator[None]:
        """Write what is done where an extreme is beyond the best one so far, which it takes the place of.

        Nothing is beyond a NaN, nor beyond the extreme of bools: then the code goes on at the label `out`.
        """
        code, kind, is_max = self._code, value_type(self._dtype), self._reducer is MAXIMUM
        if self._dtype.kind == "f":
            is_better = code.add("fcmp ugt" if is_max else "fcmp ult", kind, value, best.get())
        else:
            is_better = compare(code, value, best.get(), "GT" if is_max else "LT", self._dtype)
        take, go = code.label("better"), code.label("go")
        code.branch(is_better, take, go)
        code.begin(take)
        best.put(value)
        yield
        if self._dtype.kind == "f":
            code.branch(code.add("fcmp uno", kind, value, value), out, go)
        else:
            code.jump(out if self._dtype == BOOL else go)
        code.begin(go)

    def _place(self, array: LazyArray, outer: Sequence[Affine], span: Span, length: int, extreme: str) -> str:
        """The position of the first of so many elements of a row, at most, that is the extreme, or NaN."""
        code, kind = self._code, value_type(self._dtype)
        if self._dtype.kind != "f":
            return self._first_equal(array, outer, span, length, extreme)
        found = _Cell(self._emitter, INT64)
        odd, even, done = (code.label(prefix) for prefix in ("nan", "number", "placed"))
        code.branch(code.add("fcmp uno", kind, extreme, extreme), odd, even, unlikely=True)
        code.begin(odd)
        with self._blocks(span, length, 1) as (block, out):
            (at,), go = block.lows, code.label("go")
            found.put(self._positions.value(at))
            x = self._emitter.arrays.element(array, [*outer, at])
            code.branch(code.add("fcmp uno", kind, x, x), out, go)
            code.begin(go)
        code.jump(done)
        code.begin(even)
        found.put(self._first_equal(array, outer, span, length, extreme))
        code.jump(done)
        code.begin(done)
        return found.get()

    def _first_equal(self, array: LazyArray, outer: Sequence[Affine], span: Span, length: int, extreme: str) -> str:
        """The position of the first that is equal."""
        code, positions, arrays, dtype = self._code, self._positions, self._emitter.arrays, self._dtype
        type = ArrayType(array.type.shape, BOOL)
        hits = arrays.combined([array], type, lambda row: compare(code, row[0], extreme, "EQ", dtype))
        size = max(_BYTES_OF_PART // dtype.itemsize, 1)
        if length > _FEW_PARTS * size:
            begin = _Cell(self._emitter, INT64)
            with self._blocks(span, length, size) as (block, out):
                begin.put(positions.value(block.lows[0]))
                go = code.label("go")
                code.branch(self._combined(hits, outer, block, OR, "false"), out, go)
                code.begin(go)
            span = self._from(begin, span, size)
        least, first, most = _Cell(self._emitter, _INT32), span.lows[0], str(2**31 - 1)
        least.put(most)
        with self._loops.counted(positions.value(first), positions.end(span), span) as at:
            is_hit = arrays.element(hits, [*outer, at])
            away = code.emit(f"trunc i64 {positions.value(at - first)} to i32")
            away = code.emit(f"select i1 {is_hit}, i32 {away}, i32 {most}")
            least.put(code.call("llvm.smin.i32", "i32", "i32", away, least.get()))
        return code.add("add", "i64", positions.value(first), code.emit(f"zext i32 {least.get()} to i64"))

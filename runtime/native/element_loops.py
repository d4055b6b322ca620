"""Loops over the elements of a region of an array, in machine code."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from anabranch.runtime.native.affine import Affine, Region, Span
from anabranch.runtime.native.instructions import ONE_BY_ONE, TWO_AT_A_TIME
from anabranch.runtime.native.lazy_array import LazyArray
from anabranch.runtime.native.lazy_arrays import LazyArrays
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.native.shares import is_enough

# How many positions of an axis threads share at least, so that each has some.
_LEAST_SHARED = 8
# A loop around one of so many steps is not written out by LLVM for each step, which takes it long and helps little.
LONG_INSIDE = 64
# How many operations take as long as to read or write eight bytes of a large array; and how much more work one
# operation is than the simplest, up to a bound. Of narrower elements a vector has more.
_MEMORYS_WORK, _WORK_OF_ONE, _MOST_WORK = 8, 1.5, 48
_BYTES = 8


class ElementLoops:
    """Writes loops over elements."""

    def __init__(self, arrays: LazyArrays) -> None:
        self._arrays = arrays
        self._code, self._positions = arrays.code, arrays.positions

    @contextlib.contextmanager
    def over(
        self, shape: Sequence[int], region: Region, axes: int | None = None, work: float = 0
    ) -> Iterator[list[Affine]]:
        """Write loops over the positions of a region, or its first axes; what is written meanwhile is their body.

        `work`: how many operations are done at each position, where that may be in any order and by several threads:
        what is done at one reads nothing that another one writes. 0 where it is not so.
        """
        spans = spans_of(shape, region)[:axes]
        sizes = list(map(_most, spans))
        shared = next((k for k in range(len(spans)) if self._is_shared(spans[k], sizes[k:], work)), None)
        with contextlib.ExitStack() as stack:
            yield [
                stack.enter_context(
                    self._shared(span, work * math.prod(sizes[axis + 1 :]))
                    if axis == shared
                    else self._loop(span, math.prod(sizes[axis + 1 :]))
                )
                for axis, span in enumerate(spans)
            ]

    def _is_shared(self, span: Span, sizes: Sequence[int], work: float) -> bool:
        """Return whether threads share the positions of a span, around loops of the other sizes."""
        size, *inner = sizes
        return span.step is None and self.is_shared(size, work * math.prod(inner))

    def is_shared(self, size: int, work: float) -> bool:
        """Return whether threads share so many positions, of so many operations each."""
        return self.is_large(size, work) and not self._code.shares.is_open

    @staticmethod
    def is_large(size: int, work: float) -> bool:
        """Return whether so many positions, of so many operations each, are enough for several threads."""
        return size >= _LEAST_SHARED and is_enough(size * work)

    @contextlib.contextmanager
    def shared(self, size: int, work: float) -> Iterator[Span]:
        """Write what is done for each part of an axis that a thread takes; yields the span of the part."""
        with self._code.shares.over("0", str(size), work) as (begin, stop):
            of = self._positions.of
            yield Span((of(begin), Affine(0)), (of(stop), Affine(size)))

    @contextlib.contextmanager
    def _shared(self, span: Span, work: float) -> Iterator[Affine]:
        """Write a loop over the positions of a span that threads share."""
        positions = self._positions
        with self._code.shares.over(positions.first(span), positions.end(span), work) as (begin, stop):
            part = Span((positions.of(begin), *span.lows), (positions.of(stop), *span.highs))
            with self.counted(begin, stop, part) as index:
                yield index

    @contextlib.contextmanager
    def parts(self, size: int, work: float) -> Iterator[tuple[str, str]]:
        """Write what is done for each part of an axis that a thread takes; yields its first position and its length."""
        if not self.is_shared(size, work):
            yield "0", str(size)
            return
        with self._code.shares.over("0", str(size), work) as (begin, stop):
            yield begin, self._code.add("sub", "i64", stop, begin)

    def work(self, values: Sequence[LazyArray], *, writes: bool = True) -> float:
        """The number of operations on eight bytes that it takes to compute an element of each, and to write it.

        The cost counts what several elements have in common more than once.
        """
        total = 0.0
        for value in values:
            read, own = [self._arrays.sizes[place] for place in value.reads], value.type.dtype.itemsize
            total += min(_WORK_OF_ONE * value.cost, _MOST_WORK) * max(own, *read, 0)
            total += _MEMORYS_WORK * (sum(read) + own * writes)
        return total / _BYTES

    def each(self, size: int) -> contextlib.AbstractContextManager[Affine]:
        """Write a loop over all positions of an axis; what is written meanwhile is its body."""
        return self._loop(Span((Affine(0),), (Affine(size),)))

    @contextlib.contextmanager
    def _loop(self, span: Span, inside: int = 1) -> Iterator[Affine]:
        if not span.is_longer:
            yield span.lows[0]
            return
        with self.counted(self._positions.first(span), self._positions.end(span), span, inside) as index:
            yield index

    @contextlib.contextmanager
    def counted(
        self, first: str, end: str, span: Span, inside: int = 1, *, is_forward: bool = True
    ) -> Iterator[Affine]:
        """Write a loop over the positions of a span, whose bounds have these names, around one of so many steps.

        One that does not go forward takes each position.
        """
        code, positions = self._code, self._positions
        step = "1" if span.step is None else positions.value(span.step)
        before, head, body, after = code.block, code.label("each"), code.label("element"), code.label("done")
        code.jump(head)
        code.begin(head)
        place, counter = code.hold(), code.fresh()
        code.branch(code.add("icmp slt", "i64", counter, end), body, after)
        code.begin(body)
        at = counter
        if not is_forward:
            last = code.add("sub nsw", "i64", end, "1")
            at = code.add("sub nsw", "i64", code.add("add nsw", "i64", last, first), counter)
        positions.runs(at, span)
        yield Affine(0, ((at, 1),))
        following = code.add("add nsw", "i64", counter, step)
        code.fill(place, f"{counter} = phi i64 [ {first}, %{before} ], [ {following}, %{code.block} ]")
        if step != "1":
            # LLVM does not know how many steps it are, and makes use of more than one store at a time in no other way.
            code.repeat(head, TWO_AT_A_TIME)
        elif inside >= LONG_INSIDE:
            code.repeat(head, ONE_BY_ONE)
        else:
            code.jump(head)
        code.begin(after)

    @contextlib.contextmanager
    def chunks(self, first: str, end: str, length: int, *, is_forward: bool = True) -> Iterator[tuple[str, str]]:
        """Write a loop over the chunks of the positions between two bounds; yields the bounds of each."""
        code = self._code
        before, head, body, after = code.block, code.label("chunks"), code.label("chunk"), code.label("done")
        code.jump(head)
        code.begin(head)
        place, at = code.hold(), code.fresh()
        left = code.add("icmp slt", "i64", *((at, end) if is_forward else (first, at)))
        code.branch(left, body, after)
        code.begin(body)
        moved = code.add("add" if is_forward else "sub", "i64", at, str(length))
        extreme, bound = ("smin", end) if is_forward else ("smax", first)
        limit = code.call(f"llvm.{extreme}.i64", "i64", "i64", moved, bound)
        yield (at, limit) if is_forward else (limit, at)
        code.fill(place, f"{at} = phi i64 [ {first if is_forward else end}, %{before} ], [ {limit}, %{code.block} ]")
        code.repeat(head, ONE_BY_ONE)
        code.begin(after)

    def in_versions(self, values: Sequence[LazyArray], region: Region, write: Callable[[], None]) -> None:
        """Write loops, where it helps twice: once for the case that all positions lie in their axes."""
        code, positions, arrays = self._code, self._positions, self._arrays
        spans = spans_of(values[0].type.shape, region)
        is_older = code.older()
        positions.moves, arrays.flags = [], []
        with code.discarded(), self.over(values[0].type.shape, region) as index:
            for value in values:
                arrays.element(value, index)
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
        return self._arrays.tests.all_of(tests)


def spans_of(shape: Sequence[int], region: Region) -> list[Span]:
    """The spans of the axes of a region."""
    return [_span(region, axis, n) for axis, n in enumerate(shape)]


def _span(region: Region, axis: int, size: int) -> Span:
    """The span of an axis, within the axis."""
    span = region.get(axis, Span((), ()))
    lows = span.lows if span.step is not None else (*span.lows, Affine(0))
    return Span(tuple(dict.fromkeys(lows)), tuple(dict.fromkeys((*span.highs, Affine(size)))), span.step)


def _most(span: Span) -> int:
    """How many positions a span has at most."""
    lows, highs = ([b.constant for b in bounds if not b.terms] for bounds in (span.lows, span.highs))
    return max(min(highs) - max(lows, default=0), 0)


def check_size(memory: Memory, value: LazyArray, region: Region) -> None:
    """Refuse to compute large arrays as a whole."""
    if not (value.uniform or value.memory or region):
        memory.expect_whole(value.type.size)

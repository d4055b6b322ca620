"""Positions in arrays as affine forms: what is known of a position by the loops around it and by the ranges of ints."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.known_values import KnownValues

# Ints of which this is known do not overflow in sums of a few.
_EXACT = 2**61
_MOST = 2**63 - 1


@frozen
class Affine:
    """A constant and a sum of int64 values by their names, each times a factor."""

    constant: int
    terms: tuple[tuple[str, int], ...] = ()

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        """The sum with a multiple of another one."""
        terms = dict(self.terms)
        for name, times in other.terms:
            terms[name] = terms.get(name, 0) + factor * times
        rest = tuple(sorted((name, times) for name, times in terms.items() if times))
        return Affine(self.constant + factor * other.constant, rest)

    def __add__(self, other: Affine) -> Affine:
        return self.plus(other)

    def __sub__(self, other: Affine) -> Affine:
        return self.plus(other, -1)

    def times(self, factor: int) -> Affine:
        """A multiple."""
        return Affine(0).plus(self, factor)

    def shifted(self, by: int) -> Affine:
        """The sum with a constant."""
        return Affine(self.constant + by, self.terms)


@frozen
class Span:
    """The positions of an axis from the largest of `lows` up to before the least of `highs`."""

    lows: tuple[Affine, ...]
    highs: tuple[Affine, ...]
    # Where not each position counts, how far it is from one to the next; the first one is the single one of `lows`.
    step: Affine | None = None

    @property
    def is_longer(self) -> bool:
        """Return whether it may have more than one position."""
        return len(self.lows) != 1 or self.highs != (self.lows[0].shifted(1),)

    def met(self, other: Span) -> Span | None:
        """The positions of both; None where one goes in steps."""
        if self.step is not None or other.step is not None:
            return None
        return Span(tuple(dict.fromkeys(self.lows + other.lows)), tuple(dict.fromkeys(self.highs + other.highs)))


class Positions:
    """The forms of the int64 values in registers, and the spans of the loops that are being written."""

    def __init__(self, code: Instructions, ranges: KnownValues) -> None:
        self._code = code
        self._ranges = ranges
        self._forms: dict[str, Affine] = {}
        self._spans: dict[str, Span] = {}
        # The moves into an axis that may be needed, and the test of names for what may be relied upon instead.
        self.moves: list[tuple[Affine, int]] = []
        self._is_inside: Callable[[str], bool] | None = None

    def of(self, name: str) -> Affine:
        """The form of a value."""
        if name.lstrip("-").isdigit():
            return Affine(int(name))
        return self._forms.get(name, Affine(0, ((name, 1),)))

    def note(self, op: str, operands: Sequence[str], result: str) -> None:
        """Take note of a sum or a difference, which is exact where what is known of its operands shows it."""
        x, *rest = map(self.of, operands)
        form = {"add": lambda: x + rest[0], "subtract": lambda: x - rest[0], "negate": lambda: x.times(-1)}[op]()
        low, high = self.bound(form, upward=False), self.bound(form, upward=True)
        if low is not None and high is not None and low >= -_EXACT and high <= _EXACT and len(form.terms) < 5:
            self._forms[result] = form

    def runs(self, name: str, span: Span) -> None:
        """Take note of the counter of a loop."""
        self._spans[name] = span

    def bound(self, index: Affine, *, upward: bool) -> int | None:
        """The most that a position is, or the least; None where nothing is known."""
        for name, factor in index.terms:
            if name in self._spans:
                span, above = self._spans[name], (factor > 0) == upward
                rest = index.plus(Affine(0, ((name, factor),)), -1)
                ends = [end.shifted(-1) for end in span.highs] if above else span.lows
                found = [self.bound(rest.plus(end, factor), upward=upward) for end in ends]
                known = [b for b in found if b is not None]
                return (min if upward else max)(known) if known else None
        total = index.constant
        for name, factor in index.terms:
            known_range = self._ranges.of(name)
            if known_range is None:
                return None
            total += factor * (known_range.high if (factor > 0) == upward else known_range.low)
        return total

    def is_at_least(self, index: Affine, least: int) -> bool:
        """Return whether a position is known to be no less than an int."""
        low = self.bound(index, upward=False)
        return low is not None and low >= least

    def is_below(self, index: Affine, end: int) -> bool:
        """Return whether a position is known to be less than an int."""
        high = self.bound(index, upward=True)
        return high is not None and high < end

    def value(self, index: Affine) -> str:
        """The name of a position, what does not change in a loop first."""
        code, total = self._code, ""
        for name, factor in sorted(index.terms, key=lambda term: term[0] in self._spans):
            if not total and factor == 1:
                total = name
                continue
            op = "sub" if factor < 0 else "add"
            size = abs(factor)
            term = name if size == 1 else code.emit(f"mul nsw i64 {name}, {size}")
            total = code.emit(f"{op} nsw i64 {total or 0}, {term}")
        if not total:
            return str(index.constant)
        return code.emit(f"add nsw i64 {total}, {index.constant}") if index.constant else total

    def within(self, index: Affine, size: int) -> Affine:
        """A position moved into an axis, where it is not known to lie there."""
        if size == 1:
            return Affine(0)
        if self.is_at_least(index, 0) and self.is_below(index, size):
            return index
        self.moves.append((index, size))
        if self._is_inside is not None and all(map(self._is_inside, dict(index.terms))):
            return index
        return self.limited(index, 0, size - 1)

    def limited(self, index: Affine, low: int, high: int | None) -> Affine:
        """A position that is no less than an int, and no greater than another one."""
        if not self.is_at_least(index, low):
            index = self._extreme("smax", index, Interval(low, _MOST))
        if high is not None and not self.is_below(index, high + 1):
            index = self._extreme("smin", index, Interval(low, high))
        return index

    def _extreme(self, name: str, index: Affine, known: Interval) -> Affine:
        bound = known.low if name == "smax" else known.high
        made = self._code.call(f"llvm.{name}.i64", "i64", "i64", self.value(index), str(bound))
        self._ranges.learn(made, known)
        return self.of(made)

    @contextlib.contextmanager
    def inside(self, is_known: Callable[[str], bool]) -> Iterator[None]:
        """Rely on it that positions lie in their axes that are made of certain values, and of counters."""
        self._is_inside = lambda name: name in self._spans or is_known(name)
        yield
        self._is_inside = None

    def ends(self, index: Affine, bounds: Mapping[str, tuple[Affine, Affine]]) -> tuple[Affine, Affine]:
        """The least and the greatest of a position, of counters that go from one bound to the other."""
        low = high = Affine(index.constant)
        for name, factor in index.terms:
            term = Affine(0, ((name, 1),))
            first, last = bounds.get(name, (term, term))
            if factor < 0:
                first, last = last, first
            low, high = low.plus(first, factor), high.plus(last, factor)
        return low, high

    def first(self, span: Span) -> str:
        """The name of the first position of a span."""
        known = [b for b in span.lows if b.terms]
        return self._joined("smax", known + _needed(span.lows, lambda c: any(self.is_at_least(b, c) for b in known)))

    def end(self, span: Span) -> str:
        """The name of the position after the last one."""
        known = [b for b in span.highs if b.terms]
        return self._joined("smin", known + _needed(span.highs, lambda c: any(self.is_below(b, c + 1) for b in known)))

    def _joined(self, name: str, bounds: Sequence[Affine]) -> str:
        found = self.value(bounds[0])
        for bound in bounds[1:]:
            found = self._code.call(f"llvm.{name}.i64", "i64", "i64", found, self.value(bound))
        return found


def _needed(bounds: Sequence[Affine], excluded: Callable[[int], bool]) -> list[Affine]:
    """The constants among bounds, but for those that the others keep to."""
    return [b for b in bounds if not b.terms and not excluded(b.constant)]


def flat(index: Sequence[Affine], shape: Sequence[int]) -> Affine:
    """The number of an element in C order."""
    total = Affine(0)
    for position, n in zip(index, shape, strict=True):
        total = total.times(n) + position
    return total


Region = Mapping[int, Span]
"""The spans of some axes; of the others all positions."""

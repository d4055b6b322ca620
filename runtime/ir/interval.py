"""Integer intervals: exact arithmetic on what is known of ints."""

from __future__ import annotations

from anabranch.base.frozen import frozen

_MIN, _MAX = -(2**63), 2**63 - 1


@frozen
class Interval:
    """All integers from `low` to `high`; exact arithmetic, so a result may lie beyond int64."""

    low: int
    high: int

    @property
    def fits(self) -> bool:
        """Return whether every value is an int64."""
        return self.low >= _MIN and self.high <= _MAX

    def clipped(self) -> Interval:
        """The interval that is left after overflow has raised."""
        return Interval(max(self.low, _MIN), min(self.high, _MAX))

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other: Interval) -> Interval:
        products = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(products), max(products))

    def __floordiv__(self, other: Interval) -> Interval:
        if other.low <= 0 <= other.high:
            bound = max(abs(self.low), abs(self.high))
            return Interval(-bound, bound)
        quotients = [a // b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(quotients), max(quotients))

    def __mod__(self, other: Interval) -> Interval:
        if other.low > 0:
            if self.low >= 0 and self.high < other.low:
                return self
            return Interval(0, other.high - 1)
        if other.high < 0:
            return Interval(other.low + 1, 0)
        bound = max(abs(other.low), abs(other.high))
        return Interval(-bound, bound)

    def __or__(self, other: Interval) -> Interval:
        """The hull of both."""
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def min(self, other: Interval) -> Interval:
        return Interval(min(self.low, other.low), min(self.high, other.high))

    def max(self, other: Interval) -> Interval:
        return Interval(max(self.low, other.low), max(self.high, other.high))


FULL = Interval(_MIN, _MAX)


def exactly(value: int) -> Interval:
    """One integer."""
    return Interval(value, value)

"""Numbers and times as people read them."""

from __future__ import annotations


def shown_seconds(seconds: float) -> str:
    """Seconds with three digits, in the unit that they are read best in."""
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= 0.9995 * unit:
            return f"{shown_number(seconds / unit)} {name}"
    return f"{shown_number(seconds * 1e9)} ns"


def shown_bytes(count: int) -> str:
    """Bytes with three digits, in the unit that they are read best in."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"


def shown_number(number: float) -> str:
    """A number with three digits, or more before the point; never with an exponent."""
    return f"{number:,.0f}" if number >= 999.5 else f"{number:.3g}"

"""The measurements of the science programs as two tables in Markdown: a summary, and a row for each program."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable

from benchmarks.outcome import Measured, NotMeasured, Results, Row
from benchmarks.table import MARGIN, SHORTEST_MS, best_ms, geometric_mean, number, ratio

PLAIN = "python"
PEERS = ("anabranch", "numba")
SIZE = "first arguments"
"""A program is measured on the first of its arguments; results have rows by size."""


def render(results: Results) -> tuple[str, str]:
    """The summary, and the table of all programs."""
    rows = {name: sizes[SIZE] for name, sizes in results.items()}
    lines = [[name, *_cells(row)] for name, row in sorted(rows.items())]
    headings = ["first call, s", "Numba's", "Python, µs", "anabranch", "Numba", "Python/anabranch", "Numba/anabranch"]
    return markdown(["", "anabranch", "Numba"], _summary(list(rows.values()))), markdown(["program", *headings], lines)


def markdown(headings: list[str], lines: Iterable[list[str]]) -> str:
    """A table."""
    return "\n".join("| " + " | ".join(line) + " |" for line in (headings, ["---"] * len(headings), *lines))


def _cells(row: Row) -> list[str]:
    times = [_first(row, peer) for peer in PEERS]
    ratios = [ratio(row, peer) for peer in (PLAIN, "numba")]
    return [*map(number, times), *(_time(row, peer) for peer in (PLAIN, *PEERS)), *map(number, ratios)]


def _time(row: Row, peer: str) -> str:
    outcome = row[peer]
    return number(1e3 * outcome.best_ms) if isinstance(outcome, Measured) else outcome.status


def _first(row: Row, peer: str) -> float | None:
    """The seconds of a first call."""
    outcome = row[peer]
    return outcome.first_ms / 1e3 if isinstance(outcome, Measured) and outcome.first_ms is not None else None


def _summary(rows: list[Row]) -> list[list[str]]:
    """How many programs each compiler takes, and how they compare on all that it takes and on those that both take."""
    both = [row for row in rows if best_ms(row, "anabranch") and best_ms(row, "numba")]
    statuses = sorted({outcome.status for row in rows for outcome in row.values() if isinstance(outcome, NotMeasured)})
    counts = [[status, *(str(_count(rows, peer, status)) for peer in PEERS)] for status in statuses]
    lines = [["runs", *(str(_count(rows, peer, None)) for peer in PEERS)], *counts]
    for those, of in ((rows, ""), (both, f", of the {len(both)} that both take")):
        lines += [[f"{name}{of}", *(value(those, peer) for peer in PEERS)] for name, value in _FIGURES.items()]
    return lines


def _count(rows: list[Row], peer: str, status: str | None) -> int:
    """The programs for which the outcome of a peer is of that kind; None stands for times."""
    return sum(getattr(row[peer], "status", None) == status for row in rows)


def _gain(row: Row, peer: str) -> float | None:
    """How many times as long plain Python takes."""
    plain, own = best_ms(row, PLAIN), best_ms(row, peer)
    return plain / own if plain and own else None


def _gains(rows: list[Row], peer: str) -> list[float]:
    return [gain for row in rows if (gain := _gain(row, peer))]


def _slower(rows: list[Row], peer: str, shortest: float = 0.0) -> str:
    """How many take longer than plain Python, of those that take it so many milliseconds."""
    long = [row for row in rows if (best_ms(row, PLAIN) or 0.0) > shortest]
    return str(sum(gain * MARGIN < 1 for gain in _gains(long, peer)))


def _first_calls(rows: list[Row], peer: str) -> str:
    times = [time for row in rows if (time := _first(row, peer)) is not None]
    return f"{statistics.median(times):.2f} ({max(times):.1f})" if times else "-"


_FIGURES: dict[str, Callable[[list[Row], str], str]] = {
    "Python's time over its own, geometric mean": lambda rows, peer: number(geometric_mean(_gains(rows, peer))),
    "slower than plain Python": _slower,
    "slower where that takes 20 µs": lambda rows, peer: _slower(rows, peer, SHORTEST_MS),
    "first call, s of the processor, median (longest)": _first_calls,
}

"""The results as tables of text: every kernel, the means of groups, and notes on what a table cannot show."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from benchmarks.kernels import all_kernels
from benchmarks.outcome import Measured, NotMeasured, Outcome, Results, Row
from benchmarks.peers import PEERS

SUBJECT = "anabranch"
SHORTEST_MS = 0.02
"""NumPy's time from which on a kernel must not be slower than NumPy: below, the call itself is what takes time."""
MARGIN = 1.05
"""How many times as long may be chance."""


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, what stands beneath it in a kernel's row, and what in a group's row."""

    heading: str
    value: Callable[[Row], float | None]
    show: Callable[[float | None], str]
    mean: Callable[[Iterable[float | None]], float | None] | None = None

    def cell(self, row: Row) -> str:
        """The text of a kernel's row."""
        return self.show(self.value(row))

    def mean_cell(self, rows: Iterable[Row]) -> str:
        """The text of a group's row."""
        return self.show(self.mean(map(self.value, rows))) if self.mean else ""


def best_ms(row: Row, peer: str) -> float | None:
    """The best time of a peer, if it was measured."""
    outcome = row.get(peer)
    return outcome.best_ms if isinstance(outcome, Measured) else None


def ratio(row: Row, peer: str) -> float | None:
    """How many times as long a peer takes as anabranch; None unless both were measured."""
    theirs, ours = best_ms(row, peer), best_ms(row, SUBJECT)
    return theirs / ours if theirs and ours else None


def best_ratio(row: Row) -> float | None:
    """How many times as long the best of the others takes as anabranch."""
    ratios = [r for peer in PEERS if peer != SUBJECT and (r := ratio(row, peer))]
    return min(ratios, default=None)


def geometric_mean(values: Iterable[float | None]) -> float | None:
    """The geometric mean of the values there are; None if there are none."""
    present = [value for value in values if value]
    return statistics.geometric_mean(present) if present else None


def slower_than_numpy(results: Results) -> list[tuple[str, str, float]]:
    """The kernels and sizes that take anabranch longer than NumPy, and how many times as long, worst first."""
    found = [
        (kernel, size, 1.0 / r)
        for kernel, size, row in flat(results)
        if (r := ratio(row, "numpy")) and r * MARGIN < 1.0 and (best_ms(row, "numpy") or 0.0) > SHORTEST_MS
    ]
    return sorted(found, key=lambda entry: -entry[2])


def flat(results: Results) -> Iterator[tuple[str, str, Row]]:
    """Each row with its kernel and size."""
    for kernel, sizes in results.items():
        for size, row in sizes.items():
            yield kernel, size, row


def render(results: Results) -> str:
    """The tables and the notes."""
    peers = [name for name in PEERS if any(name in row for _, _, row in flat(results))]
    columns = list(_columns(peers))
    parts = [_kernel_table(results, columns), _group_table(results, [c for c in columns if c.mean])]
    return "\n\n".join(["\n".join(part) for part in (*parts, _notes(results, peers)) if part])


def _columns(peers: list[str]) -> Iterator[Column]:
    """Times, ratios, first calls and the largest error."""
    for peer in peers:
        yield Column(f"{peer} ms", lambda row, p=peer: best_ms(row, p), number)  # type: ignore[misc]
    if SUBJECT in peers:
        others = [peer for peer in peers if peer != SUBJECT]
        for peer in others:
            heading = f"{peer}/{SUBJECT}"
            yield Column(heading, lambda row, p=peer: ratio(row, p), number, geometric_mean)  # type: ignore[misc]
        yield Column("best/anabranch", best_ratio, number, geometric_mean)
    for peer in peers:
        if peer != "numpy":
            heading = f"{peer} first ms"
            yield Column(heading, lambda row, p=peer: _first_ms(row, p), _rounded, geometric_mean)  # type: ignore[misc]
    yield Column("error", _largest_error, lambda error: "-" if error is None else f"{error:.0e}", _largest)


def _first_ms(row: Row, peer: str) -> float | None:
    outcome = row.get(peer)
    return outcome.first_ms if isinstance(outcome, Measured) else None


def _largest_error(row: Row) -> float | None:
    return _largest(o.error for peer, o in row.items() if peer != "numpy" and isinstance(o, Measured))


def _largest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _kernel_table(results: Results, columns: list[Column]) -> list[str]:
    kernels = all_kernels()
    lines = [["kernel", "group", "size", *(column.heading for column in columns)]]
    for kernel, size, row in flat(results):
        cells = [_status(row, column) or column.cell(row) for column in columns]
        lines.append([kernel, kernels[kernel].group, size, *cells])
    return aligned(lines)


def _status(row: Row, column: Column) -> str | None:
    """The entry in the place of a time where something went wrong."""
    outcome = row.get(column.heading.removesuffix(" ms"))
    return outcome.status if isinstance(outcome, NotMeasured) and not outcome.is_absence else None


def _group_table(results: Results, columns: list[Column]) -> list[str]:
    """Geometric means by group, by the style of the source, and of everything; the largest of the errors."""
    kernels = all_kernels()
    of: dict[tuple[str, str], list[Row]] = {}
    rows = [(kernels[kernel], size, row) for kernel, size, row in flat(results)]
    for names in (lambda k: k.group, lambda k: f"style: {k.style}", lambda k: "all"):
        for kernel, size, row in rows:
            of.setdefault((names(kernel), size), []).append(row)
    lines = [["geometric means", "size", "kernels", *(column.heading for column in columns)]]
    for (name, size), members in of.items():
        lines.append([name, size, str(len(members)), *(column.mean_cell(members) for column in columns)])
    everything = [row for _, _, row in rows]
    lines.append(["all", "", str(len(rows)), *(column.mean_cell(everything) for column in columns)])
    return aligned(lines)


def number(value: float | None) -> str:
    """Three significant digits without an exponent."""
    if value is None:
        return "-"
    if value <= 0:
        return "0"
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}"


def _rounded(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


def aligned(lines: list[list[str]]) -> list[str]:
    """The first column to the left, the others to the right, a rule beneath the headings."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = [
        "  ".join([line[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(line[1:], widths[1:], strict=True))])
        for line in lines
    ]
    return [text[0], "-" * len(text[0]), *text[1:]]


def _notes(results: Results, peers: list[str]) -> list[str]:
    """Notes on the times: the kernels slower than NumPy, and those not measured, with the reason."""
    notes = [
        "ms: the best call; first ms: the first one, compilation included; error: relative to the largest element."
    ]
    notes += [
        f"slower than NumPy: {kernel} {size}, {times:.2f} times" for kernel, size, times in slower_than_numpy(results)
    ]
    for peer in peers:
        kernels: dict[tuple[str, str], list[str]] = {}
        for kernel, size, row in flat(results):
            outcome: Outcome | None = row.get(peer)
            if isinstance(outcome, NotMeasured) and outcome.status != "no form":
                kernels.setdefault((outcome.status, outcome.reason), []).append(f"{kernel} {size}")
        for (status, reason), names in kernels.items():
            notes.append(f"{peer} {status}: {reason}" + (f" ({', '.join(names)})" if status != "not installed" else ""))
    return notes

"""The results as one table of text, with notes beneath on what it cannot show."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from benchmarks.harness import Results
from benchmarks.outcome import Measured, NotMeasured, Outcome
from benchmarks.peers import PEERS

SUBJECT = "anabranch"

Row = dict[str, Outcome]


@dataclass(frozen=True, slots=True)
class Column:
    """A heading and what stands beneath it in a kernel's row."""

    heading: str
    cell: Callable[[Row], str]


def ratio(row: Row, numerator: str, denominator: str) -> float | None:
    """How many times as long `numerator` takes as `denominator`; None unless both were measured."""
    above, below = row.get(numerator), row.get(denominator)
    if isinstance(above, Measured) and isinstance(below, Measured):
        return above.median_ms / below.median_ms
    return None


def geometric_mean(values: Iterable[float | None]) -> float | None:
    """The geometric mean of the values there are; None if there are none."""
    present = [value for value in values if value is not None]
    return statistics.geometric_mean(present) if present else None


def render(results: Results, statistic: str = "median") -> str:
    """The table, the geometric means of its ratios, and the notes, which say what the times are."""
    peers = [name for name in PEERS if any(name in row for row in results.values())]
    pairs = [(name, SUBJECT) for name in peers if name != SUBJECT] if SUBJECT in peers else []
    columns = [*_time_columns(peers), *(_ratio_column(*pair) for pair in pairs), Column("max rel error", _error_cell)]
    lines = [["kernel", *(column.heading for column in columns)]]
    lines += [[kernel, *(column.cell(row) for column in columns)] for kernel, row in results.items()]
    if pairs:
        means = [_number(geometric_mean(ratio(row, *pair) for row in results.values())) for pair in pairs]
        lines.append(["geometric mean", *[""] * (len(columns) - len(means) - 1), *means, ""])
    return "\n".join([*aligned(lines), "", *_notes(results, peers, statistic)])


def _time_columns(peers: list[str]) -> list[Column]:
    """First call and median of each peer; NumPy's first call is a call like any other."""
    columns = []
    for peer in peers:
        if peer != "numpy":
            columns.append(Column(f"{peer} first s", _cell_of(peer, lambda m: f"{m.first_call_seconds:.3f}")))
        columns.append(Column(f"{peer} ms", _cell_of(peer, lambda m: _number(m.median_ms))))
    return columns


def _cell_of(peer: str, show: Callable[[Measured], str]) -> Callable[[Row], str]:
    """Return the text that `show` makes of the peer's times, or why there are none."""

    def cell(row: Row) -> str:
        match row.get(peer):
            case Measured() as measured:
                return show(measured)
            case NotMeasured(status=status):
                return "-" if status == "not installed" else status
            case None:
                return "-"

    return cell


def _ratio_column(numerator: str, denominator: str) -> Column:
    """One column of ratios."""
    return Column(f"{numerator}/{denominator}", lambda row: _number(ratio(row, numerator, denominator)))


def _error_cell(row: Row) -> str:
    """The largest error of any peer."""
    errors = [m.relative_error for name, m in row.items() if name != "numpy" and isinstance(m, Measured)]
    return f"{max(errors):.1e}" if errors else "-"


def _number(value: float | None) -> str:
    """Three significant digits without an exponent."""
    if value is None:
        return "-"
    if value <= 0:
        return "0"
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}"


def aligned(lines: list[list[str]]) -> list[str]:
    """The first column to the left, the others to the right, a rule beneath the headings."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = [
        "  ".join([line[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(line[1:], widths[1:], strict=True))])
        for line in lines
    ]
    return [text[0], "-" * len(text[0]), *text[1:]]


def _notes(results: Results, peers: list[str], statistic: str) -> list[str]:
    """Import times, errors by peer, what is not installed, what failed."""
    first = "first s: the first call, compilation included, the import of the peer left out"
    notes = [f"{first}; ms: {statistic} of the rest."]
    for peer in peers:
        outcomes = {kernel: row[peer] for kernel, row in results.items() if peer in row}
        measured = {kernel: m for kernel, m in outcomes.items() if isinstance(m, Measured)}
        if measured and peer != "numpy":
            worst = max(measured, key=lambda kernel: measured[kernel].relative_error)
            seconds = statistics.median(m.import_seconds for m in measured.values())
            error = measured[worst].relative_error
            notes.append(f"{peer}: import {seconds:.2f} s; largest relative error {error:.1e} ({worst})")
        notes += _failures(peer, {k: o for k, o in outcomes.items() if isinstance(o, NotMeasured)})
    return notes


def _failures(peer: str, outcomes: dict[str, NotMeasured]) -> list[str]:
    """One line for a peer that is not installed, else one for each reason it did not finish."""
    if any(outcome.status == "not installed" for outcome in outcomes.values()):
        return [f"{peer}: not installed; its columns are empty"]
    kernels: dict[tuple[str, str], list[str]] = {}
    for kernel, outcome in outcomes.items():
        kernels.setdefault((outcome.status, outcome.reason), []).append(kernel)
    return [f"{peer} {status} on {', '.join(names)}: {reason}" for (status, reason), names in kernels.items()]

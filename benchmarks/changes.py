"""The changes between two runs: `python -m benchmarks --compare OLD.json`."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.outcome import Measured, NotMeasured, Results, Row
from benchmarks.table import SUBJECT, aligned, best_ms, flat, geometric_mean, number

NOTABLE = 1.1
"""How many times as long or as short is shown."""


def render_changes(before: Results, now: Results) -> str:
    """A table of what changed, and the mean over all that both have.

    Machines differ, and one differs from hour to hour: a time is held to those of the other peers in the same run.
    """
    lines = [["kernel", "size", "ms before", "ms now", "times", "beside the others", "equations"]]
    changes: list[float] = []
    notes = []
    for kernel, size, row in flat(now):
        earlier = before.get(kernel, {}).get(size)
        if earlier is None:
            notes.append(f"new: {kernel} {size}")
            continue
        notes += [f"{kernel} {size}: {note}" for note in _changed_outcome(earlier, row)]
        change = relative_change(earlier, row)
        counts = _equations(earlier), _equations(row)
        if change is not None:
            changes.append(change)
        if counts[0] != counts[1] or (change is not None and not 1.0 / NOTABLE < change < NOTABLE):
            times = best_ms(earlier, SUBJECT), best_ms(row, SUBJECT)
            plain = times[1] / times[0] if times[0] and times[1] else None
            count = str(counts[1]) if counts[0] == counts[1] else f"{counts[0]} → {counts[1]}"
            lines.append([kernel, size, *map(number, (*times, plain, change)), count])
    notes += [f"gone: {kernel} {size}" for kernel, size, _ in flat(before) if size not in now.get(kernel, {})]
    mean = f"geometric mean of {len(changes)}, beside the others: {number(geometric_mean(changes))}"
    return "\n".join([*aligned(lines), "", mean, *notes])


def relative_change(before: Row, now: Row) -> float | None:
    """How many times as long anabranch takes, in terms of the times of the peers that both runs have."""
    changes = {peer: _times(before, now, peer) for peer in now}
    ours = changes.pop(SUBJECT, None)
    others = geometric_mean(changes.values())
    return ours / (others or 1.0) if ours else None


def _times(before: Row, now: Row, peer: str) -> float | None:
    earlier, later = best_ms(before, peer), best_ms(now, peer)
    return later / earlier if earlier and later else None


def _equations(row: Row) -> int | None:
    outcome = row.get(SUBJECT)
    return outcome.equations if isinstance(outcome, Measured) else None


def _changed_outcome(before: Row, now: Row) -> Iterator[str]:
    """Peers that take a kernel now and did not, or the other way round."""
    for peer in now:
        states = [_state(row, peer) for row in (before, now)]
        if states[0] != states[1]:
            yield f"{peer} {states[0]} before, now {states[1]}"


def _state(row: Row, peer: str) -> str:
    outcome = row.get(peer)
    if outcome is None:
        return "not run"
    return outcome.status if isinstance(outcome, NotMeasured) else "measured"

"""The outcome of one kernel under one peer, as values that go to JSON and come back."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Measured:
    """Times of one kernel at one size under one peer, in milliseconds.

    `first_ms` is the first call, compilation included; None where the peer had compiled the function for another size.
    `error` is the largest against NumPy's result, `equations` the number in the compiled Program.
    """

    best_ms: float
    median_ms: float
    calls: int
    first_ms: float | None = None
    error: float = 0.0
    equations: int | None = None


@dataclass(frozen=True, slots=True)
class NotMeasured:
    """Why there are no times; `detail` is the traceback."""

    status: Literal["refused", "wrong", "failed", "timed out", "not installed", "no form"]
    reason: str
    detail: str = ""

    @property
    def is_absence(self) -> bool:
        """Nothing went wrong: there was nothing to measure."""
        return self.status in ("not installed", "no form")


Outcome: TypeAlias = Measured | NotMeasured
Row: TypeAlias = dict[str, Outcome]
"""Outcomes by peer."""
Results: TypeAlias = dict[str, dict[str, Row]]
"""Rows by kernel and then by size."""


def to_json(outcome: Outcome) -> dict[str, Any]:
    """The fields of `outcome`, with a ``status`` of ``"measured"`` where there are times."""
    return {"status": "measured"} | asdict(outcome)


def from_json(fields: dict[str, Any]) -> Outcome:
    """The inverse of `to_json`."""
    if fields["status"] == "measured":
        return Measured(**{name: value for name, value in fields.items() if name != "status"})
    return NotMeasured(**fields)

"""The outcome of one kernel under one peer, as values that go to JSON and come back."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Measured:
    """Times of one kernel under one peer.

    `import_seconds` is the import of the peer's module, which `first_call_seconds` leaves out; the first call includes
    whatever preparation and compilation the peer does. `relative_error` is the largest against NumPy's result.
    """

    import_seconds: float
    first_call_seconds: float
    milliseconds: list[float]
    median_ms: float
    relative_error: float


@dataclass(frozen=True, slots=True)
class NotMeasured:
    """Why there are no times; `detail` is the traceback or the process's last words."""

    status: Literal["failed", "timed out", "not installed"]
    reason: str
    detail: str = ""


Outcome: TypeAlias = Measured | NotMeasured


def to_json(outcome: Outcome) -> dict[str, Any]:
    """The fields of `outcome`, with a ``status`` of ``"measured"`` where there are times."""
    return {"status": "measured"} | asdict(outcome)


def from_json(fields: dict[str, Any]) -> Outcome:
    """The inverse of `to_json`."""
    if fields["status"] == "measured":
        return Measured(**{name: value for name, value in fields.items() if name != "status"})
    return NotMeasured(**fields)

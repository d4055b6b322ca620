"""How long each stage took, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from anabranch.runtime.api.inspection.part import Part, Row, Table


class StageTime(NamedTuple):
    """How long a stage took, and what there is to say of it; None where it was not done now."""

    stage: str
    seconds: float | None
    note: str


def times_part(times: Sequence[StageTime]) -> Part:
    """The stages as a table."""
    return Part("Times", (Table(tuple(Row((t.stage, _shown(t.seconds), t.note)) for t in times)),))


def _shown(seconds: float | None) -> str:
    return "not now" if seconds is None else f"{seconds * 1e3:.1f} ms"

"""The decisions of `explain` as tables, with links to their lines."""

from __future__ import annotations

from anabranch.runtime.api.explain import Explanation
from anabranch.runtime.api.inspection.part import Part, Row, Table


def decisions_part(explained: Explanation) -> Part:
    """The decisions, a table for each kind."""
    titled = explained.titled()
    tables = tuple(
        Table(tuple(Row((d.place, d.what, d.why), (d.file, d.line)) for d in rows), title=title)
        for title, rows in titled.items()
    )
    return Part(f"Decisions: {sum(map(len, titled.values()))}", tables, is_open=False)

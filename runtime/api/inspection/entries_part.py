"""The compiled forms of a function in memory, with the reason for each, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.runtime.api.inspection.part import Part, Row, Table
from anabranch.runtime.api.memory_cache import Entry


def entries_part(entries: Sequence[Entry]) -> Part:
    """The executables as a table."""
    rows = tuple(Row(("this" if e.is_this else "", e.signature, e.compiler, e.why)) for e in entries)
    tables = (Table(rows, ("", "signature", "by", "compiled because")),) if rows else ()
    return Part(f"Compiled: {len(rows)}", tables, "" if rows else "nothing is compiled of it yet")

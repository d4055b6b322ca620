"""A part of an inspection as tables, which the page and the text for terminals are made of."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from anabranch.base.frozen import frozen
from anabranch.runtime.api.inspection.columns import Place

# Rows of a table in a terminal, and how wide one is there at most.
_MOST, _WIDE = 12, 140


# Before the name of a file with a line.
_FOLDERS = re.compile(r"(?<!\S)/(?:[^\s/:]+/)+(?=[^\s/:]+:\d)")


class Row(NamedTuple):
    """A row of a table; where it is of a line of the user's, the first cell names that."""

    cells: tuple[str, ...]
    place: Place | None = None


class Table(NamedTuple):
    """Rows under a head, where there is one, with a title, where there are several."""

    rows: tuple[Row, ...]
    head: tuple[str, ...] = ()
    title: str = ""


@frozen
class Part:
    """A part of an inspection."""

    title: str
    tables: tuple[Table, ...]
    note: str = ""  # what the reader should know of it
    is_open: bool = True  # whether the page shows it at first

    def text(self) -> Iterator[str]:
        """The lines of the part for a terminal."""
        yield ""
        yield self.title
        for table in self.tables:
            yield from _aligned(table)
        if self.note:
            yield f"  ({self.note})"


def _aligned(table: Table) -> Iterator[str]:
    rows = [row.cells for row in table.rows[:_MOST]]
    shown = [table.head, *rows] if table.head else rows
    widths = [max(len(row[k]) for row in shown) for k in range(len(shown[0]))] if shown else []
    if table.head and sum(widths) + 2 * len(widths) > _WIDE:
        for row in rows:
            yield from _stacked(table.head, row)
    else:
        for row in shown:
            yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    if len(table.rows) > _MOST:
        yield f"  … {len(table.rows) - _MOST} more on the page"


def _stacked(head: tuple[str, ...], row: tuple[str, ...]) -> Iterator[str]:
    """A row whose cells stand below one another."""
    first, second, *others = row
    yield f"  {first}{': ' if first and second else ''}{second}"
    for name, cell in zip(head[2:], others, strict=True):
        if cell:
            yield f"      {name}{': ' if name else ''}{cell}"


def shortened(text: str) -> str:
    """A text whose files have their names alone."""
    return _FOLDERS.sub("", text)


def named(place: Place) -> str:
    """The file's name and the line."""
    return f"{os.path.basename(place[0])}:{place[1]}"

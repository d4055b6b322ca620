"""The page of an inspection: one HTML document, which needs no other files and, but for scrolling, no script."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from anabranch.base.html_text import element, table, text
from anabranch.runtime.api.inspection.columns import Column, InspectedLine, Place
from anabranch.runtime.api.inspection.page_style import SCRIPT, STYLE
from anabranch.runtime.tracing.decision_log import Decision

if TYPE_CHECKING:
    from anabranch.runtime.api.inspection.inspection import Inspection

_MOST_LINES = 4000  # of a column


def page(found: Inspection) -> str:
    """The whole document."""
    title = f"{found.explanation.function}({found.explanation.signature})"
    places = _numbered(found.columns)
    head = element(
        "head",
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
        element("title", text(title)),
        element("style", STYLE + "".join(_rules(len(places)))),
    )
    about = "Point at a line to see what became of it; click it to bring that into sight."
    body = element(
        "body",
        element("header", element("h1", text(title)), element("p", about)),
        element("section", *_facts(found, places), class_="facts"),
        element("main", *[_column(column, found.columns, places) for column in found.columns]),
        element("script", SCRIPT),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _rules(count: int) -> Iterator[str]:
    """Lines of one place light up together."""
    yield ".pinned { background: var(--pin); }\n"
    for k in range(count):
        yield f"body:has(.l{k}:hover) .l{k} {{ background: var(--mark); }}\n"
        yield f"body:has(#source-{k}:target) .l{k} {{ background: var(--pin); }}\n"


def _numbered(columns: tuple[Column, ...]) -> dict[Place, int]:
    """The user's lines of which something became, by their places."""
    source, *others = columns
    used = {line.place for column in others for line in column.lines}
    shown = [line.place for line in source.lines if line.place is not None and line.place in used]
    return {place: k for k, place in enumerate(dict.fromkeys(shown))}


def _facts(found: Inspection, places: dict[Place, int]) -> Iterator[str]:
    times = [(row.stage, "" if row.seconds is None else f"{row.seconds * 1e3:.1f} ms", row.note) for row in found.times]
    yield _fact("Times", table(times), is_open=True)
    yield _fact("Costs", table([(name, f"{value:,.0f}") for name, value in found.costs.items()]), is_open=True)
    entries = [("this" if e.is_this else "", e.signature, e.compiler, e.why) for e in found.entries]
    head = ("", "signature", "by", "compiled because")
    shown = table(entries, head) if entries else text("nothing is compiled of it yet")
    yield _fact(f"Compiled: {len(entries)}", shown, is_open=True)
    decided = found.explanation.titled()
    tables = [
        element("table", element("caption", text(title)), *[_decision(row, places) for row in rows])
        for title, rows in decided.items()
    ]
    yield _fact(f"Decisions: {sum(map(len, decided.values()))}", *tables, is_open=False)


def _decision(decision: Decision, places: dict[Place, int]) -> str:
    place = places.get((decision.file, decision.line))
    shown = text(decision.place)
    where = shown if place is None else element("a", shown, href=f"#source-{place}", class_=f"l{place}")
    return element("tr", *[element("td", cell) for cell in (where, text(decision.what), text(decision.why))])


def _fact(title: str, *children: str, is_open: bool) -> str:
    return element("details", element("summary", text(title)), *children, open="" if is_open else None)


def _column(column: Column, columns: tuple[Column, ...], places: dict[Place, int]) -> str:
    seen: set[int] = set()
    rows = []
    for number, line in enumerate(column.lines[:_MOST_LINES], 1):
        rows.append(_line(column, columns, line, number, places, seen))
    if len(column.lines) > _MOST_LINES:
        rows.append(element("span", f"… {len(column.lines) - _MOST_LINES} more lines", class_="line none"))
    note = f" {column.note}" if column.note else f" {_files(column)}"
    summary = element("summary", text(column.title), element("small", text(note)))
    return element("details", summary, element("pre", *rows), open="", id=f"column-{column.name}")


def _files(column: Column) -> str:
    return ", ".join(dict.fromkeys(os.path.basename(line.place[0]) for line in column.lines if line.place))


def _line(
    column: Column,
    columns: tuple[Column, ...],
    line: InspectedLine,
    number: int,
    places: dict[Place, int],
    seen: set[int],
) -> str:
    place = None if line.place is None else places.get(line.place)
    shown = str(line.number or number) if line.text or line.number else ""
    if place is None:
        return element("span", element("span", shown, class_="number"), text(line.text), class_="line none")
    # The first line of each place has an id, to which others lead.
    own = f"{column.name}-{place}" if place not in seen else None
    seen.add(place)
    is_source = column is columns[0]
    leads = element("a", shown, class_="number", href=f"#source-{place}")
    jumps = _jumps(columns[1:], place, line.place) if is_source else ""
    return element("span", leads, text(line.text), jumps, class_=f"line linked l{place}", id=own)


def _jumps(columns: tuple[Column, ...], place: int, where: Place | None) -> str:
    links = [
        element("a", str(count), href=f"#{column.name}-{place}", title=f"{count} in {column.title}")
        for column, count in _counts(columns, where)
    ]
    return element("span", *links, class_="jumps")


def _counts(columns: tuple[Column, ...], where: Place | None) -> Iterator[tuple[Column, int]]:
    for column in columns:
        count = 0 if where is None else _by_place(column).get(where, 0)
        if count:
            yield column, count


@functools.lru_cache(maxsize=16)
def _by_place(column: Column) -> dict[Place, int]:
    found: dict[Place, int] = {}
    for line in column.lines[:_MOST_LINES]:
        if line.place is not None:
            found[line.place] = found.get(line.place, 0) + 1
    return found

"""The page of an inspection: one HTML document, which needs no other files and, but for scrolling, no script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from anabranch.base.html_text import element, table, text
from anabranch.runtime.api.inspection.columns import Column, Place
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
        element("main", *_Columns(found.columns, places).elements()),
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


class _Columns:
    """The columns as HTML.

    Parameters
    ----------
    columns : tuple of Column
        The source first.
    places : dict
        The numbers of the user's lines of which something became.
    """

    def __init__(self, columns: tuple[Column, ...], places: dict[Place, int]) -> None:
        self._columns = [column.cut(_MOST_LINES) for column in columns]
        self._left_out = [len(column.lines) - _MOST_LINES for column in columns]
        self._places = places
        self._counts = [(column, column.counts()) for column in self._columns[1:]]

    def elements(self) -> Iterator[str]:
        """One element for each column."""
        for column, left_out in zip(self._columns, self._left_out, strict=True):
            rows = list(self._lines(column))
            if left_out > 0:
                rows.append(element("span", f"… {left_out} more lines", class_="line none"))
            summary = element("summary", text(column.title), element("small", text(f" {column.note}")))
            yield element("details", summary, element("pre", *rows), open="", id=f"column-{column.name}")

    def _lines(self, column: Column) -> Iterator[str]:
        # The first line of each place has an id, to which others lead.
        seen: set[int] = set()
        for position, line in enumerate(column.lines, 1):
            number = str(line.number or position) if line.text or line.number else ""
            place = None if line.place is None else self._places.get(line.place)
            if place is None or line.place is None:
                parts = element("span", number, class_="number"), text(line.text)
                yield element("span", *parts, class_="line none")
                continue
            own = f"{column.name}-{place}" if place not in seen else None
            seen.add(place)
            leads = element("a", number, class_="number", href=f"#source-{place}")
            jumps = self._jumps(line.place, place) if column is self._columns[0] else ""
            yield element("span", leads, text(line.text), jumps, class_=f"line linked l{place}", id=own)

    def _jumps(self, place: Place, number: int) -> str:
        """How many lines of each column came from a line of the source, with links to the first."""
        links = [
            element(
                "a", str(counts[place]), href=f"#{column.name}-{number}", title=f"{counts[place]} in {column.title}"
            )
            for column, counts in self._counts
            if counts[place]
        ]
        return element("span", *links, class_="jumps")

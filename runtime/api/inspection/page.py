"""The page of an inspection: one HTML document, which needs no other files and, but for scrolling, no script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anabranch.base.html_text import element, text
from anabranch.runtime.api.inspection.columns import Column, Place
from anabranch.runtime.api.inspection.part import Part, Row, Table

_MOST_LINES = 4000  # of a column


def page(title: str, columns: tuple[Column, ...], parts: Sequence[Part]) -> str:
    """The whole document: the parts, and below them the columns, the source first."""
    places = _numbered(columns)
    head = element(
        "head",
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
        element("title", text(title)),
        element("style", _STYLE + "".join(_rules(len(places)))),
    )
    about = "Point at a line to see what became of it; click it to bring that into sight."
    body = element(
        "body",
        element("header", element("h1", text(title)), element("p", about)),
        element("section", *[_part(part, places) for part in parts], class_="facts"),
        element("main", *_Columns(columns, places).elements()),
        element("script", _SCRIPT),
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


def _part(part: Part, places: Mapping[Place, int]) -> str:
    note = [element("p", text(part.note))] if part.note else []
    tables = [_table(table, places) for table in part.tables]
    return element("details", element("summary", text(part.title)), *tables, *note, open="" if part.is_open else None)


def _table(table: Table, places: Mapping[Place, int]) -> str:
    title = [element("caption", text(table.title))] if table.title else []
    head = [element("tr", *[element("th", text(cell)) for cell in table.head])] if table.head else []
    return element("table", *title, *head, *[_row(row, places) for row in table.rows])


def _row(row: Row, places: Mapping[Place, int]) -> str:
    first, *others = row.cells
    place = None if row.place is None else places.get(row.place)
    shown = text(first)
    where = shown if place is None else element("a", shown, href=f"#source-{place}", class_=f"l{place}")
    return element("tr", element("td", where), *[element("td", text(cell)) for cell in others])


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


_STYLE = """
:root { color-scheme: light dark; --edge: #8883; --soft: #8882; --mark: #ffd54a66; --pin: #ffb30099; }
* { box-sizing: border-box; }
body { margin: 0; font: 14px/1.45 system-ui, sans-serif; }
header { padding: 1rem 1.25rem .5rem; }
h1 { font: 600 1.15rem ui-monospace, monospace; margin: 0; overflow-wrap: anywhere; }
header p { margin: .3rem 0 0; opacity: .75; }
.facts { display: flex; flex-wrap: wrap; gap: .75rem; padding: .5rem 1.25rem; align-items: flex-start; }
.facts > details { border: 1px solid var(--edge); border-radius: 6px; padding: .35rem .7rem; max-width: 100%;
  overflow-x: auto; }
summary { cursor: pointer; font-weight: 600; }
summary small { font-weight: 400; opacity: .7; }
table { border-collapse: collapse; margin: .35rem 0; }
td, th { padding: .1rem .9rem .1rem 0; vertical-align: top; font-size: 13px; overflow-wrap: break-word; }
th { text-align: left; font-weight: 500; opacity: .65; }
th, td:first-child { white-space: nowrap; }
.facts p { margin: .2rem 0 .35rem; font-size: 13px; opacity: .7; }
caption { padding-top: .4rem; text-align: left; font-weight: 600; }
td a { color: inherit; }
main { display: flex; gap: .5rem; padding: .5rem 1.25rem 1rem; align-items: flex-start; overflow-x: auto; }
main > details { border: 1px solid var(--edge); border-radius: 6px; flex: none; overflow: hidden; }
main > details[open] { flex: 1 0 24rem; max-width: 60rem; }
main summary { padding: .35rem .7rem; background: var(--soft); white-space: nowrap; }
pre { margin: 0; max-height: 78vh; min-height: 12rem; overflow: auto; padding: .3rem 0;
  font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace; }
.line { display: block; width: max-content; min-width: 100%; padding: 0 .7rem 0 0; min-height: 1.5em;
  scroll-margin: 30vh; }
.number { display: inline-block; width: 3.2em; padding-right: .9em; text-align: right; opacity: .5; color: inherit;
  text-decoration: none; user-select: none; }
a.number:hover { opacity: 1; text-decoration: underline; }
.linked { cursor: pointer; }
.none { opacity: .6; }
.jumps { float: right; padding-left: 1.5rem; user-select: none; visibility: hidden; }
.jumps a { color: inherit; opacity: .7; text-decoration: none; padding-left: .5em; }
.line:hover .jumps { visibility: visible; }
"""
# Without it all is there; with it a click brings what became of a line into sight.
_SCRIPT = """
document.querySelectorAll("main .linked").forEach(line => line.addEventListener("click", event => {
  if (event.target.closest("a")) return;
  const name = [...line.classList].find(c => /^l[0-9]+$/.test(c));
  document.querySelectorAll("main pre").forEach(column => {
    const first = column.querySelector("." + name);
    if (first && column !== line.parentElement) column.scrollTop += first.getBoundingClientRect().top
      - column.getBoundingClientRect().top - column.clientHeight / 3;
  });
  history.replaceState(null, "", location.href.split("#")[0] + "#" + name.replace("l", "source-"));
  document.querySelectorAll(".pinned").forEach(old => old.classList.remove("pinned"));
  document.querySelectorAll("." + name).forEach(one => one.classList.add("pinned"));
}));
"""

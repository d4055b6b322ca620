"""Small pieces of HTML, with everything escaped: what notebooks show, and what pages are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def _escaped(value: str) -> str:
    import html  # noqa: PLC0415 - it takes long to load, and most processes show nothing

    return html.escape(value)


def element(name: str, *children: str, **attributes: str | None) -> str:
    """An element with children that are HTML already; an attribute that is None is left out, `class_` is `class`."""
    written = "".join(
        f' {key.rstrip("_")}="{_escaped(value)}"' for key, value in attributes.items() if value is not None
    )
    return f"<{name}{written}>{''.join(children)}</{name}>"


def text(value: object) -> str:
    """Anything as text."""
    return _escaped(str(value))


def table(rows: Iterable[Sequence[object]], head: Sequence[object] = (), title: object = "") -> str:
    """A table of values as text, aligned to the left."""
    left = "text-align:left"
    parts = [element("caption", text(title), style=f"{left};font-weight:bold")] if title else []
    if head:
        parts.append(element("tr", *[element("th", text(cell), style=left) for cell in head]))
    parts += [element("tr", *[element("td", text(cell), style=left) for cell in row]) for row in rows]
    return element("table", *parts)


def code(value: object) -> str:
    """Program text."""
    return element("pre", text(value), style="text-align:left")


def folded(title: object, *children: str) -> str:
    """A title that opens what is below it."""
    return element("details", element("summary", text(title)), *children)


def framed(page: str) -> str:
    """A page of its own within another one: nothing of either's styles and scripts reaches the other."""
    return element(
        "iframe", srcdoc=page, style="width:100%;height:42rem;border:1px solid #8884", sandbox="allow-scripts"
    )

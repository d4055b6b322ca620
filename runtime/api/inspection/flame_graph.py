"""Times as nested bars: a page that needs no script, and events that Chrome's and Perfetto's viewers read."""

from __future__ import annotations

import abc
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.base.html_text import element, text
from anabranch.base.shown_numbers import shown_seconds

_WIDTH, _ROW, _CHARACTER = 1200.0, 22, 7.0  # of the picture, in its own units
_LEAST = 0.4  # what is narrower is left out
_COLOURS = ("#f4a259", "#f6bd60", "#f28482", "#e9c46a", "#f7b267", "#e5989b")
_STYLE = """\
body { font: 15px system-ui, sans-serif; margin: 1.5rem; background: #fff; color: #222; }
svg { width: 100%; height: auto; } svg text { font: 12px ui-monospace, monospace; pointer-events: none; fill: #222; }
rect { stroke: #fff; stroke-width: 1; }
"""


@frozen
class Frame:
    """A bar: what takes the time, and what is within it."""

    name: str
    seconds: float  # with those of what is within
    children: tuple[Frame, ...] = ()


@frozen
class Event:
    """Something that takes time, as a viewer of traces shows it; seconds from the beginning on."""

    name: str
    begin: float
    seconds: float
    thread: int = 0
    details: tuple[tuple[str, Any], ...] = ()


class TimeReport(abc.ABC):
    """Times that can be shown as bars, and as a trace."""

    @abc.abstractmethod
    def frames(self) -> Frame:
        """The bars."""

    def events(self) -> Sequence[Event]:
        """The events that a viewer of traces shows: the bars, one after the other, where nothing else is known."""
        return list(_in_a_row(self.frames(), 0.0))

    def flame_graph(self, path: str | os.PathLike[str] | None = None) -> str:
        """A page with nested bars, as wide as the time that each takes; without scripts, and all in one file.

        Parameters
        ----------
        path : path, optional
            The page is written into this file, too.

        Returns
        -------
        str
            HTML.
        """
        root = self.frames()
        written = "<!doctype html>\n" + element(
            "html",
            element("head", '<meta charset="utf-8">', element("title", text(root.name)), element("style", _STYLE)),
            element("body", _picture(root), element("pre", text(self))),
            lang="en",
        )
        return _kept(written, path)

    def chrome_trace(self, path: str | os.PathLike[str] | None = None) -> str:
        """The times as JSON in the format of Chrome's traces, which chrome://tracing, Perfetto and speedscope open.

        Parameters
        ----------
        path : path, optional
            The text is written into this file, too.

        Returns
        -------
        str
            JSON.
        """
        process = {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": self.frames().name}}
        events = [
            {
                "ph": "X", "name": event.name, "cat": "anabranch", "pid": 1, "tid": event.thread,
                "ts": round(event.begin * 1e6, 3), "dur": round(event.seconds * 1e6, 3), "args": dict(event.details),
            }
            for event in self.events()
        ]  # fmt: skip
        return _kept(json.dumps({"traceEvents": [process, *events], "displayTimeUnit": "ms"}), path)


def _kept(written: str, path: str | os.PathLike[str] | None) -> str:
    if path is not None:
        Path(path).write_text(written, encoding="utf-8")
    return written


def _in_a_row(frame: Frame, begin: float) -> Iterator[Event]:
    yield Event(frame.name, begin, frame.seconds)
    for child in frame.children:
        yield from _in_a_row(child, begin)
        begin += child.seconds


def _picture(root: Frame) -> str:
    scale = _WIDTH / root.seconds if root.seconds else 0.0
    bars = list(_bars(root, 0.0, 0, scale, root.seconds))
    height = _ROW * (1 + max((depth for depth, _ in bars), default=0))
    return element(
        "svg", *(bar for _, bar in bars), xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {_WIDTH:g} {height}",
        role="img",
    )  # fmt: skip


def _bars(frame: Frame, left: float, depth: int, scale: float, whole: float) -> Iterator[tuple[int, str]]:
    """Each bar with how deep it lies; the widest lies on top."""
    width = frame.seconds * scale
    if width < _LEAST:
        return
    share = f"{100 * frame.seconds / whole:.1f} %, {shown_seconds(frame.seconds)}"
    shown = f"{frame.name}  {share}"
    room = int((width - 6) / _CHARACTER)
    label = shown if len(shown) <= room else frame.name[: max(room - 1, 0)] + "…" if room > 2 else ""
    top = depth * _ROW
    yield (
        depth,
        element(
            "g",
            element("title", text(f"{frame.name}\n{share}")),
            element(
                "rect", x=f"{left:.2f}", y=str(top), width=f"{width:.2f}", height=str(_ROW - 1), rx="2",
                fill=_COLOURS[sum(map(ord, frame.name)) % len(_COLOURS)],
            ),
            element("text", text(label), x=f"{left + 4:.2f}", y=str(top + 15)) if label else "",
        ),
    )  # fmt: skip
    for child in frame.children:
        yield from _bars(child, left, depth + 1, scale, whole)
        left += child.seconds * scale

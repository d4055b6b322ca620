"""The bars of tqdm and of rich, as compiled code moves them. Neither is imported here: the user has done so."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any


class TqdmBar:
    """A bar of tqdm.

    Parameters
    ----------
    cls
        The class: one for terminals, for notebooks, or the user's.
    options
        What it is made with.
    """

    def __init__(self, cls: Any, options: Mapping[str, Any]) -> None:
        self._bar = cls(**options)
        self._first = self._bar.n

    def advance(self, steps: int) -> None:
        """Show the steps, if it is time to."""
        self._bar.update(steps)

    def finish(self, count: int) -> None:
        """Close the bar with its last count."""
        self._bar.n = self._first + count
        self._bar.close()

    def call(self, method: str, args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
        """Call a method."""
        getattr(self._bar, method)(*args, **options)


class RichTrack:
    """The bar of `rich.progress.track`, made as that makes it.

    Parameters
    ----------
    options
        The arguments of `track` but for the sequence.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        rich: Any = sys.modules["rich.progress"]
        bound = inspect.signature(rich.track).bind((), **options)
        bound.apply_defaults()
        given = bound.arguments
        styles = ("style", "complete_style", "finished_style", "pulse_style")
        description = given["description"]
        columns = [rich.TextColumn("[progress.description]{task.description}")] if description else []
        columns += [
            rich.BarColumn(**{name: given[name] for name in styles}),
            rich.TaskProgressColumn(show_speed=given["show_speed"]),
            rich.TimeRemainingColumn(elapsed_when_finished=True),
        ]
        passed = ("auto_refresh", "console", "transient", "get_time", "disable")
        self._progress = rich.Progress(
            *columns,
            refresh_per_second=given["refresh_per_second"] or 10,
            **{name: given[name] for name in passed},
        )
        self._first = given["completed"]
        self._progress.start()
        self._task = self._progress.add_task(description, total=given["total"], completed=self._first)

    def advance(self, steps: int) -> None:
        """Show the steps."""
        self._progress.advance(self._task, steps)
        if not self._progress.live.auto_refresh:
            self._progress.refresh()

    def finish(self, count: int) -> None:
        """Show the last count."""
        self._progress.update(self._task, completed=self._first + count)
        self._progress.stop()

    def call(self, method: str, args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
        """Refuse: `track` gives nobody its bar."""
        raise NotImplementedError(method)

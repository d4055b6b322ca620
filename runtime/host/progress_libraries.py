"""The bars of tqdm and of rich, as compiled code moves them. Neither is imported here: the user has done so."""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Mapping
from typing import Any


def is_display(value: object) -> bool:
    """Return whether a value is a `rich.progress.Progress`."""
    rich = sys.modules.get("rich.progress")
    return rich is not None and isinstance(value, rich.Progress)


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

    def includes(self, other: object) -> bool:
        """Return whether another bar is shown by this one."""
        return False

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


class RichDisplay:
    """A `rich.progress.Progress`, which shows the bars of its tasks."""

    def __init__(self, progress: Any) -> None:
        self.progress = progress

    @classmethod
    def made(cls, kind: Any, options: Mapping[str, Any]) -> RichDisplay:
        """A new one of a class; its columns, which remember what they have shown, are its own."""
        given = dict(options)
        return cls(kind(*copy.deepcopy(given.pop("columns")), **given))

    def includes(self, other: object) -> bool:
        """Return whether another bar is shown by this one."""
        return isinstance(other, RichTask) and other.progress is self.progress

    def advance(self, steps: int) -> None:
        """Do nothing: its tasks advance."""

    def finish(self, count: int) -> None:
        """Show what is left, and end."""
        self.progress.stop()

    def call(self, method: str, args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
        """Call a method."""
        getattr(self.progress, method)(*args, **options)


class RichTask:
    """A task of a `rich.progress.Progress`.

    `options`: the arguments of `add_task`.
    """

    def __init__(self, progress: Any, options: Mapping[str, Any]) -> None:
        self.progress = progress
        self._first = options.get("completed", 0)
        self._seen = 0
        self._task = progress.add_task(**options)

    def includes(self, other: object) -> bool:
        """Return whether another bar is shown by this one."""
        return False

    def advance(self, steps: int) -> None:
        """Show the steps."""
        self._seen += steps
        # Only the first of these tells rich how fast it goes, and it counts no steps back.
        if steps > 0:
            self.progress.advance(self._task, steps)
        else:
            self.progress.update(self._task, advance=steps)

    def finish(self, count: int) -> None:
        """Show the last count."""
        if count != self._seen:
            self.advance(count - self._seen)

    def call(self, method: str, args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
        """Call a method of the display for the task."""
        if method == "reset":
            self._seen = 0
            options = {**options, "completed": self._first}
        getattr(self.progress, "remove_task" if method == "close" else method)(self._task, *args, **options)


class RichTracked(RichTask):
    """A task that counts the steps of a loop."""

    def __init__(self, progress: Any, options: Mapping[str, Any]) -> None:
        # rich takes a length of 0 for one that is not known.
        super().__init__(progress, {**options, "total": float(options["total"] or 0) or None})

    def advance(self, steps: int) -> None:
        """Show the steps."""
        super().advance(steps)
        if not self.progress.live.auto_refresh:
            self.progress.refresh()


class RichTrack(RichTracked):
    """The bar of `rich.progress.track`, made as that makes it.

    `options`: the arguments of `track` but for the sequence.
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
        progress = rich.Progress(
            *columns,
            refresh_per_second=given["refresh_per_second"] or 10,
            **{name: given[name] for name in passed},
        )
        progress.start()
        super().__init__(progress, {name: given[name] for name in ("description", "total", "completed")})

    def finish(self, count: int) -> None:
        """Show the last count, and end."""
        super().finish(count)
        self.progress.stop()

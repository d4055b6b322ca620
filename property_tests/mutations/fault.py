"""Deliberate faults, and how they are planted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Fault:
    """A mistake that somebody could make, in one place of the code.

    `shows` is a program that the fault makes go wrong: functions, `f` among them, and calls of `f` below them.
    """

    name: str
    file: str
    before: str
    after: str
    shows: str

    def plant(self, root: Path) -> None:
        """Make the mistake in a copy of the code."""
        path = root / self.file
        path.write_text(self.changed(path.read_text()))

    def changed(self, text: str) -> str:
        """The file's text with the mistake in it."""
        count = text.count(self.before)
        if count != 1:
            raise ValueError(f"{self.name}: {self.file} has the text before the change {count} times, not once")
        return text.replace(self.before, self.after)

"""The texts that a function goes through on its way to XLA, as files in the folder that `dump_dir` names."""

from __future__ import annotations

import inspect
import itertools
import logging
import os
import re
from collections.abc import Callable
from pathlib import Path

from anabranch.runtime.config import settings

_log = logging.getLogger("anabranch.dumps")
_numbers = itertools.count(1)


class Dump:
    """The files of one compilation. What can't be written is told in the log, and stops nothing."""

    def __init__(self, function: str, folder: Path) -> None:
        name = re.sub(r"[^\w.-]+", "_", function)[:80]
        self._start = folder / f"{name}.{next(_numbers)}.{os.getpid()}"

    def write(self, ending: str, text: Callable[[], str]) -> None:
        """Write a text, which is only made here, into a file of its own."""
        path = self._start.with_name(f"{self._start.name}.{ending}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(), encoding="utf-8", errors="backslashreplace")
        except Exception as error:
            _log.info("%s was not written: %s", path, error)


class NoDump(Dump):
    """Where nothing is asked for."""

    def __init__(self) -> None:
        pass

    def write(self, ending: str, text: Callable[[], str]) -> None:
        """Do nothing."""


def dump_of(function: str) -> Dump:
    """Where a compilation's texts go."""
    folder = settings().dump_dir
    return NoDump() if folder is None else Dump(function, folder)


def source_of(function: Callable[..., object]) -> str:
    """The text of what was jitted."""
    return inspect.getsource(inspect.unwrap(getattr(function, "func", function)))

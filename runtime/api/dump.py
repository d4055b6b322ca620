"""The texts that a function goes through on its way to XLA, as files in the folder that `dump_dir` names."""

from __future__ import annotations

import inspect
import itertools
import logging
import os
import re
from collections.abc import Callable

from anabranch.runtime.config import settings

_log = logging.getLogger("anabranch.dumps")
_numbers = itertools.count(1)


class Dump:
    """The files of one compilation, if they are asked for; one that can't be written is told in the log alone."""

    def __init__(self, function: str) -> None:
        self._folder = settings().dump_dir
        name = re.sub(r"[^\w.-]+", "_", function)[:80]
        self._name = f"{name}.{next(_numbers)}.{os.getpid()}" if self._folder is not None else ""

    def write(self, ending: str, text: Callable[[], str]) -> None:
        """Write a text, which is only made here, into a file of its own."""
        if self._folder is None:
            return
        path = self._folder / f"{self._name}.{ending}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(), encoding="utf-8", errors="backslashreplace")
        except Exception as error:
            _log.info("%s was not written: %s", path, error)


def source_of(function: Callable[..., object]) -> str:
    """The text of what was jitted."""
    return inspect.getsource(inspect.unwrap(getattr(function, "func", function)))

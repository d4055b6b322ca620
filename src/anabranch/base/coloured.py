"""Text in colours for rich, which asks for it by `__rich__`, and so is there."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any


def coloured(text: object, styles: Mapping[str, str]) -> Any:
    """The text as rich shows it: what matches a regular expression, or each group of it with a name, in a style."""
    made = importlib.import_module("rich.text").Text(str(text), no_wrap=False)
    for pattern, style in styles.items():
        made.highlight_regex(pattern, style)
    return made

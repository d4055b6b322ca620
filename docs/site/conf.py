"""The settings of Sphinx."""

from __future__ import annotations

import re
from typing import Any

from anabranch import __version__

project = "anabranch"
author = "The anabranch authors"
copyright = author
version = release = __version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# The anchors of headings are GitHub's, so that a link is good in both places.
myst_heading_anchors = 4
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_inherit_docstrings = False
# The types of parameters are words, which need not be the name of one thing.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = f"anabranch {version}"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
# The pages are to be read from a disk, too: nothing is loaded from elsewhere.
html_theme_options: dict[str, object] = {"top_of_page_buttons": []}
pygments_style = "friendly"
pygments_dark_style = "monokai"


def setup(app: Any) -> None:
    """Let Sphinx read docstrings as they are written: a word between backticks is code."""
    app.connect("autodoc-process-docstring", _code_between_backticks, priority=100)


def _code_between_backticks(_app: Any, _what: str, _name: str, _value: Any, _options: Any, lines: list[str]) -> None:
    text = re.sub(r"(?<!`)`([^`]+)`(?!`)(?=(\w?))", _literal, "\n".join(lines))
    lines[:] = text.split("\n")


def _literal(found: re.Match[str]) -> str:
    """Reads `x`s as code and a letter, which have to be told apart."""
    return f"``{found[1]}``" + ("\\ " if found[2] else "")

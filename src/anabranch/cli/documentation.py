"""`python -m anabranch docs`: the site, if it was built or came with the package."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import anabranch
from anabranch.cli.show import TargetError

FOLDER = Path(anabranch.__file__).parent / "_site"
_BUILD = (
    "the site is not part of this installation; in a checkout "
    '`pip install ".[docs]"` and `python -m docs.site` build it; the pages are in docs/, as text'
)


def show() -> str:
    """Open the site's first page in a browser, if there is one; returns where it is.

    Raises
    ------
    TargetError
        Where there is no site.
    """
    page = FOLDER / "index.html"
    if not page.exists():
        raise TargetError(_BUILD)
    webbrowser.open(page.as_uri())
    return str(page)

"""`python -m docs.site`: build the site where `python -m anabranch docs` finds it; a warning is an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from docs.site.navigation import ROOT
from docs.site.staging import stage

PLACE = ROOT / "src" / "anabranch" / "_site"
SOURCE = ROOT / "build" / "docs"


def main() -> int:
    """Write the pages down, and let Sphinx make the site of them; the status is Sphinx's."""
    stage(SOURCE / "pages")
    settings = Path(__file__).parent
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-b",
        "html",
        "-c",
        settings,
    ]
    done = subprocess.run([*command, "-d", SOURCE / "doctrees", SOURCE / "pages", PLACE], cwd=ROOT, check=False)
    if done.returncode == 0:
        print(f"{PLACE / 'index.html'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

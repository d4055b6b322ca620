"""`python -m docs.site.pictures [NAME...]`: draw the gallery's pictures anew; needs matplotlib."""

from __future__ import annotations

import subprocess
import sys

from docs.site.navigation import DOCS, examples

FOLDER = DOCS / "gallery"


def main() -> int:
    """Run each program, or those that are named, with the picture's file."""
    programs = [file for file in examples() if file.parent.name == "gallery"]
    wanted = sys.argv[1:] or [file.stem for file in programs]
    FOLDER.mkdir(exist_ok=True)
    failed = 0
    for file in programs:
        if file.stem in wanted:
            print(f"== {file.stem}", flush=True)
            command = [sys.executable, str(file), "--picture", str(FOLDER / f"{file.stem}.png")]
            failed |= subprocess.run(command, check=False).returncode
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

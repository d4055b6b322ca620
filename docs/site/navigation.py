"""The order of the pages on the site, and which pages come from outside of `docs/`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent

# Pages of the repository that are pages of the site, too.
FROM_OUTSIDE = {
    "README.md": "overview",
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changelog",
    "examples/README.md": "gallery",
    "benchmarks/README.md": "benchmarks",
    "tests/README.md": "tests",
}


@dataclass(frozen=True)
class Group:
    """Pages under one caption: their paths without `.md`."""

    caption: str
    pages: tuple[str, ...]


GROUPS = (
    Group("Start", ("overview", "install", "features", "command-line")),
    Group(
        "Tutorial",
        ("tutorial/slow-loop", "tutorial/data", "tutorial/looking", "tutorial/testing", "tutorial/package"),
    ),
    Group(
        "Guides",
        (
            "numba",
            "jax",
            "performance",
            "sizes",
            "arrays",
            "random",
            "interop",
            "debugging",
            "explain",
            "inspect",
            "profile",
            "progress",
            "clusters",
            "testing",
            "export",
            "cache",
            "rewriting",
        ),
    ),
    Group("Gallery", ("gallery",)),
    Group(
        "Reference",
        (
            "reference",
            "support",
            "numpy-support",
            "scipy-support",
            "differences",
            "settings",
            "errors/README",
            "parity",
            "benchmarks",
        ),
    ),
    Group("House", ("architecture", "mechanisms", "contributing", "tests", "site")),
    Group("Words and changes", ("glossary", "changelog")),
)


def examples() -> list[Path]:
    """The programs that have a page of their own: those of the gallery first."""
    gallery = [file for file in (ROOT / "examples" / "gallery").glob("*.py") if file.stem != "picture"]
    return [*sorted(gallery), *sorted((ROOT / "examples").glob("*.py"))]


def children() -> dict[str, list[str]]:
    """The pages below a page."""
    codes = sorted(page.stem for page in (DOCS / "errors").glob("AB*.md"))
    mechanisms = sorted(page.stem for page in (DOCS / "mechanisms").glob("*.md"))
    return {
        "errors/README": [*(f"errors/{code}" for code in codes), "errors/runtime"],
        "mechanisms": [f"mechanisms/{name}" for name in mechanisms],
        "gallery": [f"gallery/{file.stem}" for file in examples()],
    }


def title_of(program: Path) -> str:
    """The first sentence of a program's docstring."""
    return re.split(r"[.:]", program.read_text().removeprefix('"""'), maxsplit=1)[0]

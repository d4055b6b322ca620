"""The pages as the generator reads them: all in one folder, with links that lead to pages."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from docs.site import navigation, reference
from docs.site.navigation import DOCS, ROOT

_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
_FILE_NAME = re.compile(r"[\w./-]+(?:\.md|/)")
_TARGET = re.compile(r"\]\(([^)\s#:]+)(#[^)\s]*)?\)")
_FENCED = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
_MECHANISMS = "# Mechanisms\n\nOne page for each; their paths are relative to `runtime/`.\n"
_PICTURES = (".png", ".svg")


def stage(folder: Path) -> None:
    """Write all pages and pictures into a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    for page, text in all_pages():
        target = folder / f"{page}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    for picture in DOCS.rglob("*"):
        if picture.suffix in _PICTURES:
            target = folder / picture.relative_to(DOCS)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(picture, target)


def all_pages() -> Iterator[tuple[str, str]]:
    """Each page of the site: its path without `.md`, and its text."""
    homes = _homes()
    below = navigation.children()
    for source, page in homes.items():
        if source.suffix == ".md":
            text = _linked(source.read_text(), source, page, homes)
            if page == "index":
                text += "".join(_toctree(group.pages, group.caption) for group in navigation.GROUPS)
            yield page, text + (_toctree(below[page]) if page in below else "")
        else:
            yield page, _program_page(source)
    yield "mechanisms", _MECHANISMS + _toctree(below["mechanisms"], hidden=False)
    yield from reference.pages().items()


def _homes() -> dict[Path, str]:
    """The page that stands for each file."""
    homes = {page: page.relative_to(DOCS).with_suffix("").as_posix() for page in sorted(DOCS.rglob("*.md"))}
    homes |= {ROOT / source: page for source, page in navigation.FROM_OUTSIDE.items()}
    return homes | {program: f"gallery/{program.stem}" for program in navigation.examples()}


def _linked(text: str, source: Path, page: str, homes: dict[Path, str]) -> str:
    """The text with links that lead to pages; a link to a file that is no page is its words alone."""

    def home(target: str) -> str | None:
        there = _file(source, target)
        if there in homes:
            return os.path.relpath(f"{homes[there]}.md", Path(page).parent)
        return os.path.relpath(there.relative_to(DOCS), Path(page).parent) if there.suffix in _PICTURES else None

    def link(found: re.Match[str]) -> str:
        words, target, anchor = found.groups()
        if home(target) is None:
            return words
        there = _file(source, target)
        # The name of a file says where a page lies; who reads the site wants to know what it is about.
        named = _FILE_NAME.fullmatch(words) is not None and there.suffix == ".md"
        return f"[{_heading(there) if named else words}]({target}{anchor or ''})"

    def target(found: re.Match[str]) -> str:
        return f"]({home(found[1])}{found[2] or ''})"

    parts = _FENCED.split(text)
    parts[::2] = [_TARGET.sub(target, _LINK.sub(link, prose)) for prose in parts[::2]]
    return "".join(parts)


def _file(source: Path, target: str) -> Path:
    """The file that a link leads to; a folder stands for its README."""
    there = Path(os.path.normpath(source.parent / target))
    return there / "README.md" if there.is_dir() else there


def _heading(page: Path) -> str:
    found = re.search(r"^# (.*)$", page.read_text(), re.MULTILINE)
    return found[1] if found else page.stem


def _program_page(program: Path) -> str:
    """A program of the gallery: what it is, its picture, its text, and how to run it."""
    docstring, code = program.read_text().removeprefix('"""').split('"""', 1)
    title = navigation.title_of(program)
    about = docstring.removeprefix(title).lstrip(".: \n")
    about = f"{about[:1].upper()}{about[1:]}".strip()
    picture = f"![{title}]({program.stem}.png)\n\n" if (DOCS / "gallery" / f"{program.stem}.png").exists() else ""
    where = program.relative_to(ROOT).as_posix()
    drawn = f"python {where} --picture {program.stem}.png" if picture else f"python {where}"
    command = f"```console\n$ {drawn}\n```\n"
    return f"# {title}\n\n{about}\n\n{picture}{command}\n```python\n{code.strip()}\n```\n"


def _toctree(pages: tuple[str, ...] | list[str], caption: str = "", hidden: bool = True) -> str:
    options = [":hidden:"] if hidden else []
    options += [f":caption: {caption}"] if caption else []
    entries = [f"/{page}" if page != "overview" else "Overview </overview>" for page in pages]
    return "\n" + "\n".join(["```{toctree}", *options, "", *entries, "```"]) + "\n"

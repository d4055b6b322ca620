"""The pages on the inside name what is there: packages, layers, modules, passes."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from anabranch.runtime.passes import PASSES

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
PAGES = [
    DOCS / "architecture.md",
    DOCS / "glossary.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((DOCS / "mechanisms").glob("*.md")),
]


def test_the_layers_are_those_of_the_linter():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (found,) = (c["layers"] for c in contracts if c.get("containers") == ["anabranch.runtime"])
    layers = [set(layer.split(" | ")) for layer in reversed(found)]
    table = (DOCS / "architecture.md").read_text().split("from the bottom up")[1].split("###")[0]
    named = re.findall(r"^\| `(\w+)(?:/|\.py)`", table, re.MULTILINE)
    for layer in layers:
        assert set(named[: len(layer)]) == layer
        named = named[len(layer) :]
    assert not named


@pytest.mark.parametrize("package", ["values", "control"])
def test_every_room_is_named(package):
    rooms = {p.parent.name for p in (ROOT / "runtime" / package).glob("*/__init__.py")}
    text = (DOCS / "architecture.md").read_text()
    assert set(re.findall(rf"^\| `{package}/(\w+)/`", text, re.MULTILINE)) == rooms


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_paths_are_there(page):
    named = re.findall(r"`([\w./]+(?:\.py|/))`", page.read_text())
    assert [p for p in named if not (ROOT / p).exists() and not (ROOT / "runtime" / p).exists()] == []


def test_where_to_change_what_names_modules():
    """Each by its whole path and once in its task, so many of them; those to understand are linked by imports."""
    section = (DOCS / "architecture.md").read_text().split("## Where to change what")[1].split("\n## ")[0]
    tasks = section.split("\n### ")[1:]
    assert len(tasks) == 6
    counted = re.findall(r"^\| (.*) \| (\d+) \| (\d+) \|$", section, re.MULTILINE)
    for task, (title, count, more) in zip(tasks, counted, strict=True):
        named = re.findall(r"`([\w./]+\.py)`", task)
        assert len(set(named)) == len(named) == int(count) + int(more)
        assert task.startswith(f"{title}\n")
        assert len(re.findall(r"\.py`", task.partition("\nBesides")[0])) == int(count)
        assert [path for path in named if not (ROOT / path).is_file()] == []
        needed = [p for p in re.findall(r"`((?:runtime|transpile)/[\w./]+\.py)`", task.partition("\nBesides")[0])]
        assert [p for p in needed if not any(_are_linked(p, other) for other in needed if other != p)] == []


def _are_linked(one: str, other: str) -> bool:
    """Return whether one of two modules imports the other, or they are the two sides of a construct."""
    return Path(one).name == Path(other).name or _imports(one, other) or _imports(other, one)


def _imports(one: str, other: str) -> bool:
    package, _, name = other.removesuffix(".py").removesuffix("/__init__").replace("/", ".").rpartition(".")
    text = (ROOT / one).read_text()
    whole = rf"^\s*from (?:anabranch\.)?{re.escape(package)}\.{name} import"
    part = rf"^\s*from (?:anabranch\.)?{re.escape(package)} import (?:\([^)]*|.*)\b{name}\b"
    is_found = rf'families\("anabranch\.{re.escape(package)}",'  # by being there
    return re.search(f"{whole}|{part}|{is_found}", text, re.MULTILINE) is not None


def test_the_passes_are_listed_in_their_order():
    listed = re.findall(
        r"^\| `(\w+)` \| `passes/(\w+)\.py`", (DOCS / "mechanisms" / "programs.md").read_text(), re.MULTILINE
    )
    assert listed == [(one.run.__name__, one.name) for one in PASSES]

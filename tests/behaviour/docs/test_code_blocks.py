"""The tutorial runs, part after part, and prints what it shows; the programs of other pages run, too."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
import types

import numpy as np
import pytest

import anabranch
from anabranch import jit
from anabranch.cli.parser import parse
from docs.site.navigation import DOCS, GROUPS
from tests.internals.transpile.eager_rewriting import run_text

PARTS = next(group.pages for group in GROUPS if group.caption == "Tutorial")
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


def blocks(page):
    """The language and the text of each block."""
    return [(found[2], textwrap.dedent(found[3])) for found in BLOCK.finditer((DOCS / f"{page}.md").read_text())]


def file_of(block):
    """The file that a block is, where its first line names one."""
    found = re.match(r"# (\w+/\S+)\n", block)
    return found and found[1]


@pytest.fixture
def module(monkeypatch):
    made = types.ModuleType("quakes_tutorial")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def test_the_parts_run_and_print_what_they_show(module):
    shown = 0
    for part in PARTS:
        printed = None
        for number, (language, text) in enumerate(blocks(part)):
            if language == "python" and file_of(text) is None:
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    run_text(text, f"docs/{part}-{number}.py", vars(module))
                printed = out.getvalue()
            elif language == "text":
                assert printed.rstrip() == text.rstrip(), f"{part}, block {number}"
                shown += 1
                printed = None
            else:
                assert language in ("python", "toml", "console")
    assert shown >= 8


def test_the_package_of_the_tutorial(tmp_path):
    """The files lie where they say; its tests run against them."""
    for language, text in blocks("tutorial/package"):
        if (name := file_of(text)) is not None:
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            if language == "toml":
                assert "anabranch" in tomllib.loads(text)["project"]["dependencies"]
    program = (
        "import runpy, sys; sys.path.insert(0, 'quakes/src');"
        "runpy.run_path('quakes/tests/test_quakes.py')['test_compiled_is_as_plain']()"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", [*PARTS, "performance", "install", "site", "command-line"])
def test_commands_are_there(page):
    for language, text in blocks(page):
        for line in text.splitlines() if language == "console" else ():
            words = shlex.split(line.removeprefix("$ "))
            if line.startswith("$ ") and words[:3] == ["python", "-m", "anabranch"]:
                assert parse(words[3:]).command == words[3]


# Pages whose programs have tests of their own: each block by itself, or beside what it prints.
ELSEWHERE = {"arrays", "explain", "export", "rewriting", *PARTS}
PAGES = sorted(
    name
    for page in DOCS.rglob("*.md")
    if (name := page.relative_to(DOCS).with_suffix("").as_posix()) not in ELSEWHERE
    if not name.startswith(("errors/", "mechanisms/")) and any(language == "python" for language, _ in blocks(name))
)
# What a page takes for granted besides `np`, `jit` and `anabranch`.
GIVEN = {"features": {"newton": jit(lambda x, tol: x + tol)}, "settings": {"x": 1.0}}


# A page whose programs take long to compile, and have tests of their own: here they run as they are written.
PLAIN = {"random"}


@pytest.mark.parametrize("page", PAGES)
def test_programs_of_a_page_run(page, module, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    vars(module).update({"np": np, "jit": jit, "anabranch": anabranch, **GIVEN.get(page, {})})
    for number, (language, text) in enumerate(blocks(page)):
        imported = re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)
        if language == "python" and all(importlib.util.find_spec(name) is not None for name in imported):
            with anabranch.configure(disable_jit=page in PLAIN):
                run_text(text, f"docs/{page}-{number}.py", vars(module))

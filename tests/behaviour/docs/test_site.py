"""The site's pages: each is in the navigation once, and links and pictures are there. The generator is not needed."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import webbrowser
from pathlib import Path, PurePosixPath

import pytest

import anabranch
from anabranch.__main__ import main
from anabranch.cli import documentation
from docs.site import navigation, staging
from docs.site.navigation import DOCS, FROM_OUTSIDE, GROUPS, ROOT

STAGED = dict(staging.all_pages())
MADE = {"mechanisms", "reference", *(page for page in STAGED if page.startswith("reference/"))}


def test_every_page_is_in_the_navigation_once():
    pages = [page for group in GROUPS for page in group.pages]
    below = [page for pages in navigation.children().values() for page in pages]
    reference = [page for page in STAGED if page.startswith("reference/")]
    assert sorted(["index", *pages, *below, *reference]) == sorted(STAGED)


def test_every_page_of_docs_is_on_the_site():
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in DOCS.rglob("*.md")}
    assert pages <= set(STAGED)
    assert set(FROM_OUTSIDE.values()) <= set(STAGED)


def prose_of(page):
    return re.sub(r"^ *```.*?^ *```$", "", STAGED[page], flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", sorted(set(STAGED) - MADE))
def test_links_lead_to_pages_and_pictures(page):
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", prose_of(page)):
        there = PurePosixPath(_normal(PurePosixPath(page).parent / target))
        if there.suffix == ".md":
            assert there.with_suffix("").as_posix() in STAGED, target
        else:
            assert (DOCS / there).is_file(), target


def _normal(path):
    parts = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def test_the_examples_page_shows_the_gallery():
    text = (ROOT / "examples" / "README.md").read_text()
    for file in navigation.examples():
        if file.parent.name == "gallery":
            assert f"[![{navigation.title_of(file)}](../docs/gallery/{file.stem}.png)](gallery/{file.stem}.py)" in text


def test_docs_says_how_to_build(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(documentation, "FOLDER", tmp_path / "absent")
    assert main(["docs"]) == 2
    assert "python -m docs.site" in capsys.readouterr().err


def test_docs_opens_the_first_page(monkeypatch, tmp_path, capsys):
    (tmp_path / "index.html").write_text("<title>pages</title>")
    opened = []
    monkeypatch.setattr(documentation, "FOLDER", tmp_path)
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert main(["docs"]) == 0
    assert opened == [(tmp_path / "index.html").as_uri()]
    assert capsys.readouterr().out.strip() == str(tmp_path / "index.html")


@pytest.mark.slow
@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("sphinx", "myst_parser", "furo")),
    reason="the generator is not installed",
)
def test_the_generator_has_nothing_to_warn_of(tmp_path):
    staging.stage(tmp_path / "pages")
    settings = Path(staging.__file__).parent
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-c", settings]
    folders = ["-d", tmp_path / "doctrees", tmp_path / "pages", tmp_path / "site"]
    done = subprocess.run([*command, *folders], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site" / "reference" / "compiling.html").read_text()
    assert 'id="anabranch.jit"' in page
    assert (tmp_path / "site" / "searchindex.js").exists()


def test_the_citation_is_of_this_version():
    assert f"\nversion: {anabranch.__version__}\n" in (DOCS / "CITATION.cff").read_text()


def test_reports_of_faults_ask_for_the_doctor():
    assert "python -m anabranch doctor" in (ROOT / ".github" / "ISSUE_TEMPLATE" / "bug.yml").read_text()

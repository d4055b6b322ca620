"""The pages under docs/errors: one for each code, one section for each class, and every example does what it says."""

from __future__ import annotations

import inspect
import re
import sys
import types
from pathlib import Path

import pytest

from anabranch.runtime import errors
from anabranch.transpile import CODES, UnsupportedConstructError
from tests.internals.transpile.eager_rewriting import run_text

FOLDER = Path(__file__).parents[3] / "docs" / "errors"
PAGES = {page.stem: page for page in FOLDER.glob("AB*.md")}
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", (FOLDER / "runtime.md").read_text(), re.M | re.S))


def blocks(text):
    found = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(found) == 2, "one example that fails, and one that works"
    return found


def run(block, name):
    module = types.ModuleType("example")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "example", module)  # what other processes find functions by
        run_text(block, f"docs/errors/{name}.py", vars(module))


def test_every_code_has_a_page_and_every_page_a_code():
    assert sorted(PAGES) == sorted(CODES)
    for code, page in PAGES.items():
        assert page.read_text().startswith(f"# {code}: {CODES[code][0]}\n")
    listed = re.findall(r"\[(\w+)\]\(\w+\.md\)", (FOLDER / "README.md").read_text())
    assert listed == [*sorted(CODES), "runtime"]


@pytest.mark.parametrize("code", sorted(PAGES))
def test_page(code):
    fails, works = blocks(PAGES[code].read_text())
    with pytest.raises(UnsupportedConstructError) as caught:
        run(fails, code)
    assert {finding.code for finding in caught.value.findings} == {code}
    run(works, f"{code}-instead")


def test_every_class_has_a_section():
    listed = {
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, errors.AnabranchError) and value.__bases__[1:]
    }
    assert set(SECTIONS) == listed - {"UnsupportedConstructError"}


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("name", SECTIONS)
def test_section(name):
    fails, works = blocks(SECTIONS[name])
    with pytest.raises(getattr(errors, name)) as caught:
        run(fails, name)
    base = re.search(r"Also an? `(\w+)`", SECTIONS[name])
    assert base is not None
    assert base[1] in {cls.__name__ for cls in type(caught.value).__mro__}
    run(works, f"{name}-instead")

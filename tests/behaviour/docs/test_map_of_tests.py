"""The map of the tests names each folder that holds some, and no other; the list of quick tests names what there is."""

from __future__ import annotations

import os
import re
from pathlib import Path

TESTS = Path(__file__).parents[2]


def test_every_folder_has_one_line():
    listed = re.findall(r"^\| `(\S+)/` \|", (TESTS / "README.md").read_text(), re.MULTILINE)
    folders = {path.parent for root in (TESTS, TESTS.parent / "property_tests") for path in root.rglob("*.py")} - {
        TESTS
    }
    assert sorted(listed) == sorted(os.path.relpath(folder, TESTS) for folder in folders)


def test_the_quick_tests_are_there():
    quick = (TESTS / "quick.txt").read_text().split()
    assert "tests/behaviour/programs" in quick  # among them the tour through every package
    assert quick == sorted(quick)
    assert [path for path in quick if not (TESTS.parent / path).exists()] == []

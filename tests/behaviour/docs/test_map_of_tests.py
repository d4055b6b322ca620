"""The map of the tests names each folder that holds some, and no other; the list of quick tests names what there is."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests import slow_tests

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


def test_the_slow_tests_are_there():
    lines = slow_tests.FILE.read_text().splitlines()[1:]
    assert lines == sorted(set(lines))
    sources = {path: (TESTS.parent / path).read_text() for path in {line.partition("::")[0] for line in lines}}
    for line in lines:
        path, _, test = line.partition("::")
        assert f"def {test.partition('[')[0]}(" in sources[path], line


def test_a_function_keeps_the_quickest_of_its_tests():
    long = 2 * slow_tests.SECONDS
    seconds = {"a.py::f[1]": 3 * long, "a.py::f[2]": long, "a.py::f[3]": 2 * long, "a.py::g[1]": 0.1, "a.py::h": long}
    assert slow_tests.slow_ones(seconds) == {"a.py::f[1]", "a.py::f[3]"}


def test_a_function_of_many_tests_keeps_as_many_as_take_little_together():
    each = slow_tests.SECONDS / 2
    seconds = {f"a.py::f[{k:02}]": each + k * 1e-9 for k in range(20)}
    kept = int(slow_tests.TOGETHER / each) - 1
    assert sorted(seconds.keys() - slow_tests.slow_ones(seconds)) == sorted(seconds)[:kept]

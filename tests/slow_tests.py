"""The tests that take long: marked `slow`, or listed in `tests/slow.txt`; `--slow` runs them with the others.

The list is of sets of parameters. Each test function keeps the quickest of its own, as many as take four seconds
together and none that takes half a second: what it tests always runs, and a table of programs may grow without
making the run as much longer. It is measured: `pytest --slow --write-slow` writes it anew, and `pytest --write-slow`
adds to it what has become slow.
"""

from __future__ import annotations

import collections
import os
import zlib
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("slow.txt")
HEAD = "# Tests that only --slow runs, since others of their kind take less. Written by `pytest --slow --write-slow`.\n"
SECONDS = 0.5  # of one set of parameters
TOGETHER = 4.0  # of those of one test function
# Workers of xdist get the environment of the process that reads the command line.
_VARIABLE = "ANABRANCH_SLOW_TESTS"


def run_with_others() -> None:
    os.environ[_VARIABLE] = "1"


def run_too() -> bool:
    """Return whether slow tests are run with the others."""
    return _VARIABLE in os.environ


def sampled(name: str, n: int) -> bool:
    """Return whether a check that costs much is made on something of this name: on an n-th part, or with `--slow`."""
    return run_too() or zlib.crc32(name.encode()) % n == 0


def listed() -> set[str]:
    """The tests of the list, as pytest names them."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


class SlowTests:
    """Marks the listed tests, takes slow ones out of a run, and writes the list."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._seconds: dict[str, float] = collections.defaultdict(float)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave slow tests out, unless the command line says what is slow, or names single tests."""
        found = listed()
        for item in items:
            if item.nodeid in found:
                item.add_marker("slow")
        if run_too() or self._config.option.markexpr or any("::" in argument for argument in self._config.args):
            return
        slow = {item for item in items if item.get_closest_marker("slow")}
        self._config.hook.pytest_deselected(items=[item for item in items if item in slow])
        items[:] = [item for item in items if item not in slow]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.passed:
            self._seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.config.option.write_slow and not hasattr(session.config, "workerinput"):
            lines = sorted((listed() - self._seconds.keys()) | slow_ones(self._seconds))
            FILE.write_text(HEAD + "".join(f"{line}\n" for line in lines), encoding="utf-8")


def slow_ones(seconds: dict[str, float]) -> set[str]:
    """Return which tests are slow, by their seconds; the quickest set of parameters of a function is not."""
    functions: dict[str, list[str]] = collections.defaultdict(list)
    for name in sorted(seconds, key=seconds.__getitem__):
        functions[name.partition("[")[0]].append(name)
    found: set[str] = set()
    for first, *others in functions.values():
        together = seconds[first]
        for name in others:
            together += seconds[name]
            if seconds[name] > SECONDS or together > TOGETHER:
                found.add(name)
    return found

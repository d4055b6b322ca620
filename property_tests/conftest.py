"""Hypothesis profiles: `default` while working, `ci` bounded and repeatable, `deep` for a long search.

`pytest property_tests --hypothesis-profile=deep` picks one by name; otherwise the variable CI decides.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from scipy.stats import binom

from property_tests.statistics import Statistics

# The user's own cache is not for tests; it is set before anabranch is imported, which reads it.
os.environ["ANABRANCH_CACHE"] = "0"

# A first example compiles, which takes longer than any deadline meant for the others.
COMPILES = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# How many blocks of generated programs, and programs in each, for each profile. A change is tried with as many as take
# a few minutes; the deep profile begins with the same and goes on.
BLOCKS = {"default": (2, 25), "ci": (4, 16), "deep": (500, 200)}
# A refusal is clear, and still none of what is written as ordinary Python should meet many.
MOST_REFUSED = 0.05
_UNLIKELY = 0.01

settings.register_profile("default", max_examples=25, **COMPILES)
settings.register_profile("ci", max_examples=8, derandomize=True, database=None, print_blob=True, **COMPILES)
settings.register_profile("deep", max_examples=2000, print_blob=True, **COMPILES)
settings.load_profile("ci" if os.environ.get("CI") else "default")

_STATISTICS = pytest.StashKey[Statistics]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--blocks",
        metavar="FIRST:LAST",
        help="which blocks of generated programs to try, without LAST; each is the same in every run",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_STATISTICS] = Statistics()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "block" in metafunc.fixturenames:
        count, _ = BLOCKS[_profile(metafunc.config)]
        first, last = map(int, (metafunc.config.getoption("--blocks") or f"0:{count}").split(":"))
        metafunc.parametrize("block", range(first, last))


def _profile(config: pytest.Config) -> str:
    return str(config.getoption("--hypothesis-profile") or ("ci" if os.environ.get("CI") else "default"))


@pytest.fixture
def programs_in_a_block(request: pytest.FixtureRequest) -> int:
    return BLOCKS[_profile(request.config)][1]


@pytest.fixture
def statistics(request: pytest.FixtureRequest) -> Statistics:
    return request.config.stash[_STATISTICS]


def _too_many_refused(statistics: Statistics) -> bool:
    """Return whether more programs were refused than a share of that size makes likely: of a few, some say nothing."""
    refused = statistics.counts["verdicts"]["refused"]
    return bool(binom.sf(refused - 1, statistics.programs, MOST_REFUSED) < _UNLIKELY)


# ---- the end of a run; with xdist, each worker hands over what it has counted ----------------------------------------


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    counted = getattr(node, "workeroutput", {}).get("generated programs")
    if counted is not None:
        node.config.stash[_STATISTICS].merge(counted)


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    yield
    statistics = session.config.stash[_STATISTICS]
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["generated programs"] = statistics.as_dict()
    elif _too_many_refused(statistics) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    statistics = config.stash[_STATISTICS]
    if not statistics.programs:
        return
    terminalreporter.section("generated programs")
    for line in statistics.report():
        terminalreporter.write_line(line)
    if _too_many_refused(statistics):
        terminalreporter.write_line(f"surely more than {MOST_REFUSED:.0%} of such programs are refused", red=True)

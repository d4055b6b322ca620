"""Fixtures that every group of tests may ask for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests import slow_tests

# The user's own cache is not for tests; it is set before anabranch is imported, which reads it.
os.environ["ANABRANCH_CACHE"] = "0"
# Tests look at what compiled code does; those of calls that are run plainly instead ask for it.
os.environ["ANABRANCH_EAGER_FALLBACK"] = "0"
# A shell starts what runs in its background with SIGINT ignored; tests of interrupts, and their processes, need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


DISABLED_PASSES = frozenset(os.environ.get("ANABRANCH_DISABLE_PASSES", "").split(","))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run slow tests with the others (tests/slow_tests.py)")
    parser.addoption("--write-slow", action="store_true", help="write anew which tests are slow: tests/slow.txt")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.slow:
        slow_tests.run_with_others()
    config.pluginmanager.register(slow_tests.SlowTests(config))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test about passes that the environment disables: it says by `needs_pass` which these are."""
    needed = {name for mark in item.iter_markers("needs_pass") for name in mark.args}
    if missing := needed & DISABLED_PASSES:
        pytest.skip(f"{', '.join(sorted(missing))}: disabled by ANABRANCH_DISABLE_PASSES")


@pytest.fixture
def rng() -> np.random.Generator:
    """Give a generator with a fixed seed: a failing test fails again."""
    return np.random.default_rng(20240607)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often XLA or LLVM has compiled, by the length of what this gives."""

    from anabranch.runtime.xla import disk_cache

    count: list[int] = []
    for name in ("compile_text", "compile_llvm"):
        plain = getattr(disk_cache, name)
        monkeypatch.setattr(disk_cache, name, lambda *a, plain=plain: count.append(1) or plain(*a))
    return count


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[[str], str]:
    """Run a program in a fresh interpreter, outside the checkout, and give what it printed."""

    def run(program: str) -> str:
        command = [sys.executable, "-I", "-c", program]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run

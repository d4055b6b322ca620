"""For each construct a few functions and what becomes of them, to the letter; see `golden/`."""

from __future__ import annotations

from pathlib import Path

import pytest

from anabranch.transpile import passes
from tests.internals.transpile.golden.__main__ import CONSTRUCTS, FOLDER, rewritten

# What these modules hold is no construct.
HELPERS = {"__init__", "base", "loop_parts", "native", "patterns"}


def test_every_construct_has_its_functions():
    found = {f.stem for f in Path(passes.__file__).parent.glob("*.py")} - HELPERS
    assert sorted(found) == CONSTRUCTS, (
        "add tests/internals/transpile/golden/<construct>.py, then python -m tests.internals.transpile.golden"
    )


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_golden(construct):
    want = (FOLDER / f"{construct}.txt").read_text()
    assert rewritten(construct) == want, "where it reads well, python -m tests.internals.transpile.golden accepts it"

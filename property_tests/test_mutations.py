"""The deliberate faults can still be planted, and their programs go wrong by nothing but the fault."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from property_tests.mutations.faults import FAULTS
from property_tests.mutations.showing import PLAIN, difference

ROOT = Path(__file__).parents[1]
EACH = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)


def test_names_differ():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 20


@EACH
def test_a_fault_changes_one_place(fault):
    text = (ROOT / fault.file).read_text()
    changed = fault.changed(text)
    assert changed != text
    ast.parse(changed)


@EACH
def test_the_program_of_a_fault_is_right_without_it(fault):
    assert difference(fault.shows) is None


def test_the_plain_program_is_right():
    assert difference(PLAIN) is None

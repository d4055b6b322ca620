"""docs/explain.md shows what `explain` says of a function that works."""

from __future__ import annotations

import inspect

import numpy as np

import anabranch
from tests.behaviour.docs.explain_page import PAGE, march, page
from tests.equivalence import check


def test_the_page_is_up_to_date():
    with anabranch.configure(disable_passes=()):
        shown = page()
    assert PAGE.read_text() == shown, "python -m tests.behaviour.docs.explain_page writes it anew"


def test_the_function():
    check(inspect.unwrap(march), np.ones(5), 3)

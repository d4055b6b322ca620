"""The page on SciPy is made of programs: each does what it does in eager Python, or is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from anabranch.runtime.testing.compare_outcomes import Tolerance
from tests.behaviour.docs.scipy_page import PAGE, VERSION, page
from tests.behaviour.docs.scipy_programs import PROGRAMS, REFUSED
from tests.equivalence import Outcome, alike


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_program(function):
    alike(Outcome(function, PROGRAMS[function], {}), Outcome(jit(function), PROGRAMS[function], {}), Tolerance(4.0))


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    with pytest.raises(UnsupportedOperationError):
        jit(REFUSED[what][0])(np.array([1.0, 2.0]))


def test_the_page_is_up_to_date():
    shown = re.search(r"as of SciPy (\S+)\. With", PAGE.read_text().replace("\n", " "))
    if shown is None or shown[1] == VERSION:
        assert PAGE.read_text() == page(), "python -m tests.behaviour.docs.scipy_page"

"""docs/rewriting.md shows functions that are as it says, and that do what they did."""

from __future__ import annotations

import pytest

from tests.docs.rewriting_page import EXAMPLES, PAGE, page
from tests.equivalence import check


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == page(), "python -m tests.docs.rewriting_page writes it anew"


@pytest.mark.parametrize(("function", "args"), [pytest.param(f, a, id=f.__name__) for _, _, f, a in EXAMPLES])
def test_function(function, args):
    check(function, *args)

"""docs/rewriting.md shows functions that are as it says, and that do what they did."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.control import vocabulary
from anabranch.runtime.control.calls.counterparts import counterpart
from anabranch.transpile import rewrite_for
from tests.behaviour.docs.rewriting_page import EXAMPLES, PAGE, page, polynomial
from tests.equivalence import check


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == page(), "python -m tests.behaviour.docs.rewriting_page writes it anew"


@pytest.mark.parametrize(("function", "args"), [pytest.param(f, a, id=f.__name__) for _, _, f, a in EXAMPLES])
def test_function(function, args):
    check(function, *args)


def test_the_function_with_static_values():
    check(polynomial, np.linspace(-1.0, 1.0, 5), np.array([1.0, 2.0, 3.0]), static=("degree",), degree=2)
    shown = rewrite_for(polynomial, counterpart, {"degree": 2, "kind": "power"}).bind(polynomial, vocabulary)
    arguments = np.linspace(-1.0, 1.0, 5), np.array([1.0, 2.0, 3.0]), 2
    np.testing.assert_array_equal(jit(shown, static_argnums=2)(*arguments), polynomial(*arguments))

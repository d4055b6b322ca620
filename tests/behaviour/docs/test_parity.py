"""The page of names beside Nabla's and JAX's is up to date, and complete."""

from __future__ import annotations

import inspect

import pytest

import anabranch
from tests.behaviour.docs.jax_names import names
from tests.behaviour.docs.parity_page import ABSENT, HERE, NABLA, PAGE, jax_names, page, shown


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == page(), "python -m tests.behaviour.docs.parity_page"


def test_each_name_is_shown_or_has_a_reason():
    listed, tests = {*NABLA, *jax_names()}, shown()
    assert set(tests) <= listed
    assert set(ABSENT) <= listed
    assert set(HERE) <= listed
    assert listed - set(tests) - set(ABSENT) == set()
    assert set(tests) & set(ABSENT) == set()


def test_every_name_of_jax_is_listed():
    jax = pytest.importorskip("jax")
    found = set(names())
    assert found - set(jax_names()) == set()
    if jax.__version__.startswith("0.10."):
        assert set(jax_names()) == found


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        (anabranch.jit, ["func", "static", "show_graph", "auto_device"]),
        (anabranch.djit, ["func", "show_graph", "auto_device"]),
    ],
)
def test_the_form_is_nablas(function, parameters):
    given = inspect.signature(function).parameters
    assert list(given)[: len(parameters)] == parameters
    assert all(given[p].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for p in parameters)
    defaults = {"func": None, "static": True, "show_graph": False, "auto_device": True}
    assert all(given[p].default is defaults[p] for p in parameters)

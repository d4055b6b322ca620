"""The API as the site shows it: every public name is on a page, and the example in its docstring does what it says."""

from __future__ import annotations

import doctest
import importlib
import inspect
import sys

import pytest

import anabranch
import anabranch.random
import anabranch.testing
from anabranch.compat import numba
from docs.site.reference import PAGES

NAMES = [(module, name) for _, module, names in PAGES.values() for name in names]
FLAGS = doctest.IGNORE_EXCEPTION_DETAIL | doctest.ELLIPSIS
# Hypothesis's own, and the two modules, which have pages to themselves.
ELSEWHERE = {"booleans", "floats", "integers", "__version__", "export", "numpy"}


def listed(module):
    return [name for home, name in NAMES if home == module]


def test_every_name_of_the_package_is_on_one_page():
    assert sorted(listed("anabranch")) == sorted(set(anabranch.__all__) - ELSEWHERE)


def test_every_name_of_testing_is_on_one_page():
    own = {
        name
        for name, value in vars(anabranch.testing).items()
        if getattr(value, "__module__", "").startswith("anabranch")
    }
    functions = {name for name in own if not name.startswith("_")} | set(anabranch.testing._WITH_HYPOTHESIS)
    assert sorted(listed("anabranch.testing")) == sorted(functions - ELSEWHERE)


def test_every_name_of_random_is_on_one_page():
    functions = {name for name, value in vars(anabranch.random).items() if inspect.isfunction(value)}
    assert sorted(listed("anabranch.random")) == sorted(name for name in functions if not name.startswith("_"))


def test_every_name_of_export_is_on_one_page():
    assert sorted(listed("anabranch.export")) == sorted(anabranch.export.__all__)


def test_every_function_of_numba_is_on_one_page():
    functions = {name for name, value in vars(numba).items() if inspect.isfunction(value) and not name.startswith("_")}
    # Another name of `literally`, and a type.
    assert sorted(listed("anabranch.compat.numba")) == sorted(functions - {"literal_unroll", "optional"})


@pytest.fixture
def _numba_as_it_was():
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "numba"}
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "numba"]:
        del sys.modules[name]
    sys.modules.update(before)


@pytest.mark.usefixtures("_numba_as_it_was")
@pytest.mark.parametrize(("module", "name"), NAMES, ids=lambda part: part)
def test_the_example(module, name):
    if module == "anabranch.testing":
        pytest.importorskip("hypothesis")
    value = getattr(importlib.import_module(module), name)
    text = inspect.getdoc(value)
    example = doctest.DocTestParser().get_doctest(text, {"__name__": "example"}, name, None, 0)
    assert example.examples, "its docstring has no example"
    told = []
    failed, tried = doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(example, out=told.append)
    assert failed == 0, "".join(told)
    assert tried > 0

"""Every function in the registry is called somewhere in these tests."""

from __future__ import annotations

import importlib
import pathlib
from collections import Counter

import numpy as np

from anabranch.runtime import numpy as surface
from anabranch.runtime.numpy.core import full_name
from anabranch.runtime.values import registry

_HERE = pathlib.Path(__file__).parent


def test_every_function_has_a_case() -> None:
    called = set()
    text = ""
    for path in sorted(_HERE.glob("test_*.py")):
        text += path.read_text()
        table = getattr(importlib.import_module(f"tests.behaviour.numpy.{path.stem}"), "case", None)
        called |= {id(case.function) for case in table.cases} if table is not None else set()
    # Functions whose results have run-time sizes.
    text += "".join(path.read_text() for path in sorted(_HERE.parent.glob("dynamic_*/test_*.py")))
    without = [
        function.__name__
        for function in registry.FUNCTIONS
        if full_name(function) not in registry.REFUSED | registry.STATIC
        and not full_name(function).startswith("tests.")  # which tests of overloads have put there
        and id(function) not in called
        and function.__name__ != "trapz"  # the older name of trapezoid
        and f"np.{function.__name__}(" not in text
        and f"stride_tricks.{function.__name__}(" not in text
    ]
    assert not without


def test_every_method_of_ndarray_is_known() -> None:
    # What NumPy 2.0 took away was still named there, to say so; `tostring`, which was deprecated, is refused.
    names = {n for n in dir(np.ndarray) if not n.startswith("_") and hasattr(np.zeros((1, 1)), n)} - {"tostring"}
    own = {"shape", "dtype", "size", "ndim", "nbytes", "itemsize", "real", "imag"}
    assert names <= set(registry.METHODS) | set(registry.PROPERTIES) | own


def test_every_family_is_listed_once_and_no_two_bring_the_same_rule() -> None:
    folder = pathlib.Path(surface.__file__).parent
    with_rules = {
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in folder.rglob("*.py")
        if "\nrules = Rules()\n" in path.read_text()
    }
    listed = [family.__name__.removeprefix(f"{surface.__name__}.") for family in surface.FAMILIES]
    assert sorted(listed) == sorted(with_rules)
    for table in ("functions", "methods", "properties"):
        found = Counter(name for family in surface.FAMILIES for name in getattr(family.rules, table))
        assert [name for name, times in found.items() if times > 1] == []

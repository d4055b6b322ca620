"""The page on what of NumPy is supported names every function; what it says is refused is, for that reason."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from anabranch.runtime.values import registry
from tests.behaviour.docs import numpy_page
from tests.behaviour.numpy.cases import Static, staged_call

FUNCTIONS = [
    pytest.param(module, name, function, id=f"{module.__name__}.{name}")
    for module in numpy_page.MODULES
    for name, function in numpy_page.functions(module)
]
VALUES = np.arange(3.0)
_TABLES = dict.fromkeys(("sctypeDict", "typecodes", "ScalarType"))
VERSION = numpy_page.VERSION


def _has_brackets(name: str) -> bool:
    value = getattr(np, name)
    plain = name.startswith("_") or callable(value) or isinstance(value, (np.generic, types.ModuleType))
    return hasattr(value, "__getitem__") and not plain


@pytest.mark.skipif(VERSION == "2.0", reason="that one has functions which are gone since")
def test_nothing_is_missing() -> None:
    missing = [
        f"{module.__name__}.{name}"
        for module in numpy_page.MODULES
        for name, function in numpy_page.functions(module)
        if numpy_page.function_status(module, name, function)[0] == "missing"
    ]
    missing += [name for name in numpy_page.members() if numpy_page.member_status(name)[0] == "missing"]
    missing += [name for name in numpy_page.classes() if numpy_page.class_status(name)[0] == "missing"]
    missing += [n for n in dir(np) if _has_brackets(n) and n not in numpy_page.BRACKETS | _TABLES]
    assert not missing


@pytest.mark.parametrize(("module", "name", "function"), FUNCTIONS)
def test_refused_with_the_reason(module: Any, name: str, function: Any) -> None:
    kind, reason = numpy_page.function_status(module, name, function)
    if kind == "run time":
        return
    with pytest.raises(UnsupportedOperationError) as caught:
        staged_call(function, VALUES)
    assert reason in str(caught.value)
    assert name in str(caught.value)
    # Where an argument is traced inside of a list, too.
    with pytest.raises(UnsupportedOperationError):
        staged_call(function, Static(3), [VALUES])


@pytest.mark.parametrize("name", [n for n in numpy_page.members() if numpy_page.member_status(n)[0] == "refused"])
def test_members_are_refused_with_the_reason(name: str) -> None:
    def use(a):
        found = getattr(a, name)
        return found() if callable(found) else found

    with pytest.raises(UnsupportedOperationError) as caught:
        jit(use)(VALUES)
    assert registry.REFUSED[f"numpy.ndarray.{name}"] in str(caught.value)


CLASSES = [n for n in numpy_page.classes() if n not in numpy_page.CLASSES]


@pytest.mark.parametrize("name", CLASSES)
def test_classes_are_refused(name: str) -> None:
    made_by = getattr(np, name)

    def make(a):
        return made_by(a)

    with pytest.raises(UnsupportedOperationError) as caught:
        jit(make)(VALUES)
    assert numpy_page.class_status(name)[1] in str(caught.value)


def known_while_tracing(a):
    with np.errstate(all="ignore"):
        rows, columns = np.tril_indices(a.shape[0])
        kept = [i for i in np.ndindex(a.shape)]
        floating = np.issubdtype(a.dtype, np.floating) and np.promote_types(a.dtype, np.float32) == np.dtype(a.dtype)
        scale = np.finfo(a.dtype).eps if floating else 1
        shape = np.broadcast_shapes(a.shape, (1, a.shape[0]))
        return a[rows] * a[columns] * scale, len(kept), shape


def test_known_while_tracing() -> None:
    got, wanted = jit(known_while_tracing)(VALUES), known_while_tracing(VALUES)
    np.testing.assert_array_equal(got[0], wanted[0])
    assert got[1:] == wanted[1:]


@pytest.mark.skipif(f"NumPy {VERSION}" not in numpy_page.PAGE.read_text(), reason="the page is of another NumPy")
def test_the_page_is_up_to_date() -> None:
    assert numpy_page.PAGE.read_text() == numpy_page.page(), "python -m tests.behaviour.docs.numpy_page"

"""NumPy's functions on Arrays: a case of each function in the tables of this folder, outside of compiled functions."""

from __future__ import annotations

import importlib
import pathlib
import warnings
from typing import Any

import numpy as np
import pytest

from anabranch import AnabranchError, Array, ImmutableArrayError, asarray
from tests.behaviour.numpy.cases import Case, Static, compare, eager_call, outcome

# These give ndarrays, or look at nothing but a shape, and NumPy asks no array for them. Functions of
# numpy.polynomial make ndarrays of what they are given.
ON_THE_HOST = {"array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "asarray_chkfinite",
    "isfortran", "tril_indices_from", "triu_indices_from", "diag_indices_from", "lexsort", "require"}  # fmt: skip
WRITE = {"copyto", "put", "put_along_axis", "place", "putmask", "fill_diagonal"}
FAMILIES = sorted(path.stem for path in pathlib.Path(__file__).parent.glob("test_*.py"))


def first_cases(family: str) -> list[Case]:
    """The first case of each function that has an array among its arguments."""
    table = getattr(importlib.import_module(f"tests.behaviour.numpy.{family}"), "case", None)
    found: dict[Any, Case] = {}
    for case in table.cases if table is not None else ():
        if case.refused is None and (holds(case.args, np.ndarray) or holds([*case.kwargs.values()], np.ndarray)):
            found.setdefault(case.function, case)
    return list(found.values())


def holds(value: Any, kind: type) -> bool:
    return isinstance(value, kind) or (isinstance(value, (list, tuple)) and any(holds(v, kind) for v in value))


def entered(x: Any) -> Any:
    if isinstance(x, Static):
        return x.value
    if isinstance(x, np.ndarray):
        return asarray(x)
    return type(x)(map(entered, x)) if type(x) in (list, tuple) else x


def left(x: Any, wanted: Any) -> Any:
    """Return what an ndarray or a NumPy scalar in the wanted result is to be compared with."""
    if isinstance(x, Array):
        return np.asarray(x)[()] if isinstance(wanted, np.generic) else np.asarray(x)
    if isinstance(x, (list, tuple)) and isinstance(wanted, (list, tuple)):
        return [left(g, w) for g, w in zip(x, wanted, strict=True)]
    return np.bool_(x) if isinstance(wanted, np.bool_) and type(x) is bool else x


@pytest.mark.parametrize("family", FAMILIES)
def test_as_numpy(family: str) -> None:
    failures = []
    for case in first_cases(family):
        if case.function.__name__ in ON_THE_HOST or str(case.function.__module__).startswith("numpy.polynomial."):
            continue
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            kwargs = {k: entered(v) for k, v in case.kwargs.items()}
            got = outcome(case.function, *map(entered, case.args), **kwargs)
        if case.function.__name__ in WRITE or isinstance(kwargs.get("out"), Array):
            assert isinstance(got, ImmutableArrayError)
            continue
        wanted = outcome(eager_call, case.function, *case.args, **case.kwargs)
        try:
            assert not holds(got, np.ndarray)
            compare(left(got, wanted), wanted)
        except (AssertionError, AnabranchError) as error:
            failures.append(f"{case}: {error}")
    assert not failures, "\n".join(failures)

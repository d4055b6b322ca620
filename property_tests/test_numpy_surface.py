"""Every staged function of NumPy against NumPy itself, on random arguments; the functions are those of the registry."""

from __future__ import annotations

import operator
import random
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, settings, strategies as st

from anabranch.runtime.numpy import texts
from anabranch.runtime.numpy.core import full_name
from anabranch.runtime.values import registry
from property_tests.numpy_arguments import VIEWS, Arguments, Given
from property_tests.numpy_calls import CALLS, Call
from tests.behaviour.numpy import cases
from tests.behaviour.numpy.cases import compare, outcomes

# Texts, and what the host makes.
_NO_ARRAYS = {np.poly1d, *registry.ON_HOST, *texts.rules.functions}
FUNCTIONS = {
    full_name(f): f
    for f in registry.FUNCTIONS
    # Tests of overloads put functions of theirs there.
    if full_name(f) not in registry.REFUSED | registry.STATIC and not full_name(f).startswith("tests.")
    and f not in _NO_ARRAYS
}  # fmt: skip
# Of partitions several are right; bytes are built when a call ends.
METHODS = sorted(
    n
    for n in registry.METHODS
    if f"numpy.ndarray.{n}" not in registry.REFUSED
    and hasattr(np.ndarray, n)
    and not n.endswith("partition")
    and n != "tobytes"
)
# The keywords of methods, which have no signature that could be asked.
_SUMS, _SPREADS = "axis dtype keepdims initial where", "axis dtype ddof keepdims where"
KEYWORDS = {
    "all": "axis keepdims where", "any": "axis keepdims where", "argmax": "axis keepdims", "argmin": "axis keepdims",
    "argsort": "axis kind stable", "sort": "axis kind stable", "cumsum": "axis dtype", "cumprod": "axis dtype",
    "diagonal": "offset axis1 axis2", "trace": "offset axis1 axis2 dtype", "max": "axis keepdims initial where",
    "min": "axis keepdims initial where", "mean": "axis dtype keepdims where", "std": _SPREADS, "var": _SPREADS,
    "sum": _SUMS, "prod": _SUMS, "ravel": "order", "flatten": "order", "copy": "order", "repeat": "axis",
    "round": "decimals", "squeeze": "axis", "take": "axis mode", "choose": "mode", "reshape": "order",
    "searchsorted": "side",
}  # fmt: skip
METHOD_CALLS: dict[str, Any] = {
    "byteswap": lambda make, f: ([make.array("iu")], {}),
    "fill": lambda make, f: ([make.array("iuf", low=1), make.number("i")], {}),
    "flatten": lambda make, f: ([make.array()], {"order": make.one("C", "F", "A", "K")}),
    "item": lambda make, f: ([make.array("bifc", shape=(2, 3)), make.one(0, -1, 5, (1, 2), 7)], {}),
    "tolist": lambda make, f: ([make.array("bifc")], {}),
    "view": lambda make, f: ([make.array()], {}),
    "compress": lambda make, f: ([make.array(shape=(3,)), [True, False, True]], {}),
    "choose": lambda make, f: ([make.positions(2, (3,)), list(make.operands(2))], {"mode": make.one("clip", "wrap")}),
    "conj": CALLS["numpy.real"],
    "conjugate": CALLS["numpy.real"],
    "astype": CALLS["numpy.astype"],
}
# What results are compared by, where several are right.
INVARIANTS: dict[str, Any] = {
    "numpy.empty": np.shape,
    "numpy.ndarray": np.shape,
    "numpy.empty_like": np.shape,
    "numpy.partition": lambda made: np.shape(made),
    "numpy.argpartition": lambda made: np.shape(made),
    "numpy.linalg.eig": lambda made: np.sort_complex(made[0]),
    "numpy.linalg.eigvals": np.sort_complex,
    "numpy.linalg.eigh": lambda made: made[0],
    "numpy.linalg.svd": lambda made: made[1],
    "numpy.linalg.qr": lambda made: np.abs(made[1]),
    "numpy.roots": np.sort_complex,
}
# Rounding: linear algebra goes its own ways.
LOOSE = 4096


def name_of(function: Any) -> str:
    return full_name(function).removeprefix("numpy.")


def _flat(value: Any, found: list[Given]) -> Any:
    """The structure with its run-time arguments numbered."""
    if isinstance(value, Given):
        found.append(value)
        return Slot(len(found) - 1)
    if type(value) in (list, tuple):
        return type(value)(_flat(v, found) for v in value)
    if type(value) is dict:
        return {k: _flat(v, found) for k, v in value.items()}
    return value


class Slot:
    """The place of a run-time argument."""

    def __init__(self, index: int) -> None:
        self.index = index


def _filled(value: Any, arguments: list[Any]) -> Any:
    if isinstance(value, Slot):
        return arguments[value.index]
    if type(value) in (list, tuple):
        return type(value)(_filled(v, arguments) for v in value)
    if type(value) is dict:
        return {k: _filled(v, arguments) for k, v in value.items()}
    return value


def check(name: str, call: Call, as_method: bool = False) -> None:
    found: list[Given] = []
    positional, keywords = _flat(call[0], found), _flat(call[1], found)

    def program(module: Any, *values: Any) -> Any:
        seen = [VIEWS[g.view](v) if g.view else v for g, v in zip(found, values, strict=True)]
        arguments = _filled(positional, seen)
        owner = arguments.pop(0) if as_method else module
        return operator.attrgetter(name.removeprefix("numpy."))(owner)(*arguments, **_filled(keywords, seen))

    got, wanted, mine, theirs = outcomes(program, *(g.value for g in found))
    invariant = INVARIANTS.get(name)
    if invariant is not None and not isinstance(got, Exception) and not isinstance(wanted, Exception):
        got, wanted = invariant(got), invariant(wanted)
    compare(got, wanted, LOOSE if "linalg" in name or "fft" in name or "poly" in name else 64)
    if not isinstance(wanted, Exception):
        compare(mine, theirs)


def _ufunc_call(make: Arguments, ufunc: Any) -> Call:
    special = ufunc.nin == 1 or ufunc.__name__ not in ("power", "float_power")
    operands = make.operands(ufunc.nin, "biuf" if make.chance(0.8) else "biufc", special)
    keywords: dict[str, Any] = {}
    if make.chance(0.15):
        keywords["dtype"] = make.one("f4", "f8")
    return list(operands), keywords


def test_every_function_has_a_call() -> None:
    assert not [n for n, f in FUNCTIONS.items() if n not in CALLS and not isinstance(f, np.ufunc)]


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
@given(source=st.randoms(use_true_random=False))
def test_as_numpy(name: str, source: Any) -> None:
    function = FUNCTIONS[name]
    make = Arguments(source)
    call = CALLS[name](make, function) if name in CALLS else _ufunc_call(make, function)
    note(f"{name} {call}")
    check(name, call)


def _sampled(name: str) -> bool:
    """Every eighth function, or all where time is no matter."""
    return zlib.crc32(name.encode()) % 8 == 0 or settings.default.max_examples > 1000


@pytest.mark.parametrize("name", [n for n in sorted(FUNCTIONS) if _sampled(n)])
def test_in_xla(name: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(cases, "BACKEND", "xla")
    function, make = FUNCTIONS[name], Arguments(random.Random(name))
    for _ in range(2):
        check(name, CALLS[name](make, function) if name in CALLS else _ufunc_call(make, function))


def test_every_method_has_a_call() -> None:
    assert not [n for n in METHODS if f"numpy.{n}" not in CALLS and n not in METHOD_CALLS]


@pytest.mark.parametrize("name", METHODS)
@given(source=st.randoms(use_true_random=False))
def test_method_as_numpy(name: str, source: Any) -> None:
    make = Arguments(source)
    maker = METHOD_CALLS.get(name) or CALLS[f"numpy.{name}"]
    (owner, *others), keywords = maker(make, getattr(np, name, None))
    kept = {k: v for k, v in keywords.items() if k in KEYWORDS.get(name, ())}
    note(f"{owner}.{name} {others} {kept}")
    check(name, ([owner, *others], kept), as_method=True)

"""Which results of NumPy's functions are an argument itself, or share its memory: every staged function and method."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from anabranch import AnabranchError, jit
from anabranch.runtime.testing.outcomes import Outcome
from anabranch.runtime.testing.stage_bisection import stages
from property_tests.numpy_arguments import VIEWS, Arguments, Given
from property_tests.numpy_calls import CALLS, Call
from property_tests.test_numpy_surface import FUNCTIONS, KEYWORDS, METHOD_CALLS, METHODS, _filled, _flat, _ufunc_call

LINE, MATRIX, NARROW = Given(np.arange(4.0)), Given(np.arange(9.0).reshape(3, 3)), Given(np.ones((1, 3), np.float32))
ONE, COMPLEX, INTS, BOOLS = (
    Given(np.array(3.0)),
    Given(np.array([1j, 2])),
    Given(np.array([2, 0])),
    Given(np.eye(2) > 0),
)
SAMPLES = (
    LINE,
    MATRIX,
    NARROW,
    ONE,
    COMPLEX,
    INTS,
    BOOLS,
    Given(LINE.value, "reversed"),
    Given(MATRIX.value, "transposed"),
)


def _each(*others: Any, **keywords: Any) -> list[Call]:
    return [([sample, *others], keywords) for sample in SAMPLES]


# Beside random calls: those that leave an array as it is.
UNCHANGING: dict[str, list[Call]] = {
    "rot90": [*_each(4), *_each(0), *_each(-4)],
    "rollaxis": [*_each(0), *_each(1, 2), *_each(-1, 2), *_each(0, 1)],
    "swapaxes": [*_each(0, 0), *_each(1, 1), *_each(0, -1)],
    "moveaxis": [*_each(0, 0), *_each(-1, -1), *_each((0, 1), (0, 1)), *_each((), ())],
    "transpose": [*_each(), *_each((0, 1)), *_each((0,)), *_each(())],
    "flip": _each(()),
    "squeeze": [*_each(), *_each(())],
    "expand_dims": _each(()),
    "reshape": [*_each(-1), *_each((3, 3)), *_each((4,)), *_each((3, 3), copy=False)],
    "broadcast_to": [*_each((3, 3)), *_each((4,)), *_each(())],
    "broadcast_arrays": [*_each(MATRIX), *_each(LINE), *_each(ONE), *_each()],
    "atleast_1d": [*_each(), *_each(LINE)],
    "atleast_2d": [*_each(), *_each(LINE)],
    "atleast_3d": _each(),
    "array": [*_each(copy=False), *_each(copy=None), *_each(ndmin=2, copy=None), *_each(dtype="f8", copy=None)],
    "asarray": [*_each(), *_each("f8"), *_each(order="F"), *_each(copy=False)],
    "asanyarray": [*_each(), *_each("f8"), *_each(order="C")],
    "ascontiguousarray": _each(),
    "asfortranarray": _each(),
    "require": [*_each(), *_each("f8", "F"), *_each(None, "C")],
    "astype": [*_each("f8", copy=False), *_each("f4", copy=False), *_each("f8", copy=True)],
    "nan_to_num": [*_each(copy=False), *_each(copy=True)],
    "diff": [*_each(n=0)],
    "linalg.matrix_power": [([MATRIX, 1], {}), ([MATRIX, 2], {}), ([MATRIX, 0], {})],
    "ravel": [*_each(), *_each("F"), *_each("K"), *_each("A")],
    "roll": _each(0),
    "tile": [*_each(1), *_each(())],
    "repeat": _each(1),
    "resize": [*_each((4,)), *_each((3, 3))],
    "pad": _each(0),
    "clip": [*_each(-100, 100), *_each(None, 100)],
    "round": [*_each(), *_each(2)],
    "real_if_close": _each(),
    "polyder": [([LINE, 0], {})],
    "polyint": [([LINE, 0], {})],
    "einsum": [
        *[([text, MATRIX], {}) for text in ("ij", "ij->ij", "ij->ji", "ii->i", "ii", "ji", "...->...", "ij->i")],
        *[([text, LINE], {}) for text in ("i->i", "i->")], (["->", ONE], {}), ([MATRIX, [0, 1], [1, 0]], {}),
        (["i->i", LINE], {"dtype": "f4"}), (["i->i", LINE], {"dtype": "f8"}), (["ij->ij", MATRIX], {"optimize": True}),
        (["iji->ji", Given(np.ones((2, 3, 2)))], {}),
    ],
    "concatenate": [([[LINE]], {}), ([[MATRIX]], {"axis": 0})],
    "vstack": [([[MATRIX]], {})],
    "block": [([MATRIX], {}), ([[MATRIX]], {}), ([LINE], {})],
    "meshgrid": [([LINE], {}), ([LINE, LINE], {}), ([LINE], {"sparse": True}), ([LINE], {"copy": False})],
    "ix_": [([INTS], {}), ([INTS, INTS], {})],
    "split": [([LINE, 1], {}), ([MATRIX, 1], {}), ([MATRIX, [0]], {})],
    "unstack": _each(),
    "diagonal": [([MATRIX], {}), ([MATRIX, 1], {})],
    "diag": [([MATRIX], {}), ([LINE], {})],
    "trim_zeros": [([Given(np.ones(3))], {}), ([LINE], {})],
    "delete": [([LINE, []], {}), ([MATRIX, [], 0], {})],
    "insert": [([LINE, [], []], {})],
    "append": [([LINE, []], {})],
    "select": [([[BOOLS], [BOOLS]], {})],
    "sum": _each(axis=()),
    "max": _each(axis=()),
    "mean": _each(axis=()),
    "median": _each(axis=()),
    "take": [([LINE, [0, 1, 2, 3]], {})],
    "multi_dot": [([[MATRIX, MATRIX]], {})],
    "view": [*_each(), *_each("f8")],
    "copy": _each(),
    "flatten": _each(),
    "conj": _each(),
    "conjugate": _each(),
    "apply_over_axes": [([np.sum, MATRIX, ()], {})],
    "unwrap": [([LINE], {})],
    "fix": _each(),
    "positive": _each(),
    "trunc": _each(),
    "floor": _each(),
    "ceil": _each(),
    "rint": _each(),
}  # fmt: skip
TYPES = ("bool", "int64", "float32", "float64", "complex128")


def _arrays(value: Any) -> Iterator[Any]:
    """The arrays in a result, those in containers too."""
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _arrays(part)
    elif isinstance(value, np.ndarray):
        yield value


def relations(outcome: Outcome) -> Any:
    """Return how each array of the result is related to each argument."""
    if outcome.error is not None:
        return type(outcome.error)
    made, inside = outcome.value
    found = []
    for array in _arrays(made):
        shared = [
            (array is given, bool(np.shares_memory(array, given)))
            for given in outcome.args
            if isinstance(given, np.ndarray)
        ]
        # The interface counts what NumPy is about to make read-only as such, where the flag would warn.
        readonly = array.__array_interface__["data"][1] if any(any(s) for s in shared) else None
        found.append((shared, readonly))
    return found, inside


def check(function: Callable[..., Any], call: Call) -> str | None:
    """Return how the traced program, which NumPy evaluates, differs from NumPy; None where it does not."""
    given: list[Given] = []
    positional, keywords = _flat(call[0], given), _flat(call[1], given)
    views = [VIEWS.get(g.view) if g.view else None for g in given]

    def program(*values):
        seen = [view(value) if view else value for view, value in zip(views, values, strict=True)]
        made = function(*_filled(positional, seen), **_filled(keywords, seen))
        return made, [made is value for value in seen]

    values = [g.value for g in given]
    want = Outcome(program, values, {})
    if want.error is not None:
        return None
    (way,) = [way for name, way in stages(jit(program)) if name == "optimising"]
    got = Outcome(way, values, {})
    if isinstance(got.error, AnabranchError):
        return None
    plain, compiled = relations(want), relations(got)
    return None if plain == compiled else f"{call}: {plain} in NumPy, {compiled} compiled {got.error!r}"


def _report(function: Callable[..., Any], calls: list[Call]) -> None:
    found = [text for call in calls if (text := check(function, call)) is not None]
    assert not found, "\n".join(found[:10])


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_function(name: str) -> None:
    function, make = FUNCTIONS[name], Arguments(random.Random(name))
    calls = [CALLS[name](make, function) if name in CALLS else _ufunc_call(make, function) for _ in range(4)]
    _report(function, calls + UNCHANGING.get(name.removeprefix("numpy."), []))


@pytest.mark.parametrize("name", METHODS)
def test_method(name: str) -> None:
    make = Arguments(random.Random(name))
    calls = []
    for _ in range(4):
        owner_and_others, keywords = (METHOD_CALLS.get(name) or CALLS[f"numpy.{name}"])(make, getattr(np, name, None))
        calls.append((owner_and_others, {k: v for k, v in keywords.items() if k in KEYWORDS.get(name, ())}))
    _report(
        lambda owner, *others, **keywords: getattr(owner, name)(*others, **keywords), calls + UNCHANGING.get(name, [])
    )


@pytest.mark.parametrize("name", TYPES)
def test_type(name: str) -> None:
    _report(getattr(np, name), _each())


INDICES = {
    "[:]": slice(None),
    "[...]": ...,
    "[:, :]": (slice(None), slice(None)),
    "[()]": (),
    "[::1]": slice(None, None, 1),
    "[0:]": slice(0, None),
    "[0:9]": slice(0, 9),
    "[:, ...]": (slice(None), ...),
}


@pytest.mark.parametrize("index", INDICES)
def test_whole_slice(index: str) -> None:
    key = INDICES[index]
    _report(lambda array: array[key], _each())


@pytest.mark.parametrize("name", ["T", "mT", "real", "imag"])
def test_attribute(name: str) -> None:
    _report(lambda array: getattr(array, name), _each())

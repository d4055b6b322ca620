"""The namespace that stands for NumPy: what it stages, what it leaves to NumPy, what it refuses."""

from __future__ import annotations

import inspect
from typing import Any

import numpy
import pytest

from anabranch.runtime.numpy import namespace, staged
from anabranch.runtime.values import registry
from tests.behaviour.numpy.cases import check_program
from tests.behaviour.numpy.samples import FLOATS


def made(np: Any, a: Any) -> Any:
    return (
        [np.zeros(3), np.ones((2, 2), int), np.empty(0), np.full(2, 7), np.eye(3), np.eye(2, 3, 1, dtype=int)],
        [np.identity(2), np.tri(3), np.tri(2, 4, -1, dtype=bool), np.arange(5), np.arange(2, 10, 3), np.arange(-3)],
        [np.arange(0, 1, 0.1), np.arange(5.0), np.arange(5, 0, -2), np.arange(3, dtype="f4"), np.arange(True)],
        [
            np.arange(1, 2, 0.3, dtype="f4"),
            np.arange(np.float32(3)),
            np.linspace(0, 1),
            np.linspace(0, 1, 5, dtype=int),
        ],
        [np.linspace(-3, 3, 7, dtype=int), np.linspace([0, 1], [1, 5], 3), np.linspace([0, 1], [1, 5], 3, axis=1)],
        [np.linspace(0, 1, 1), np.linspace(0, 1, 0), np.linspace(0, 1, 5, retstep=True), np.linspace(2, 2, 3)],
        [np.linspace(0, 1, 4, endpoint=False), np.linspace(0, 1j, 3), np.logspace(0, 2, 3), np.geomspace(1, 1000, 4)],
        [np.geomspace(-1, -8, 4), np.geomspace(1, 256, 9, dtype=int), np.zeros_like(a), np.ones_like(a, dtype="i4")],
        [np.full_like(a, 3), np.zeros_like(3), np.zeros_like([1, 2]), np.array([[1, 2], [3, 4.0]]), np.array(3)],
        [np.array([1, 2], ndmin=2), np.array([True]), np.indices((2, 3)), np.indices((2, 2), sparse=True)],
        [np.meshgrid([1, 2], [3, 4, 5]), np.meshgrid([1, 2], [3, 4, 5], indexing="ij")],
        [np.meshgrid([1, 2], a[0], sparse=True), np.fromfunction(lambda i, j: i + j, (2, 3)), np.mgrid[0:3]],
        [np.mgrid[0:2, 0:3:0.5], np.mgrid[0:1:3j], np.ogrid[0:2, 0:3], np.hanning(4), np.ascontiguousarray([1, 2])],
        [np.full(2, [1, 2]), np.full((2, 2), np.float32(1)), np.zeros((2, 0)), np.zeros(()), np.copy([1, 2])],
        [np.fromiter(a[0], int), np.fromiter((v + 1 for v in a[1]), float, count=2), np.fromiter([], "f4")],
        [np.array(np.float32(2)), np.array(a[0, 0]), np.asarray(a[0, 0]), np.array(a, ndmin=3), np.require(a)],
    )


def test_made() -> None:
    check_program(made, FLOATS)


def stacked(np: Any, i: Any, x: Any) -> Any:
    return (
        [
            np.array([i, x]),
            np.array([i, 1]),
            np.array([[i, 2], [3, i]]),
            np.asarray(i),
            np.array(x),
            np.array([i, True]),
        ],
        [np.zeros(2) + i, np.full(3, i), np.full((2, 2), x), np.full(2, i, dtype="f4"), np.array([x, i], dtype="i4")],
        [np.add(i, 1), np.add(i, x), np.sin(x), np.sqrt(i), np.abs(i), np.sum(x), np.array((i, (1.5)))],
        [np.linspace(0, x, 5), np.linspace(0, i, 4, endpoint=False), np.linspace(x, x, 3), np.logspace(0, x, 3)],
    )


def test_arrays_of_run_time_scalars() -> None:
    check_program(stacked, 3, 2.5)


@pytest.mark.parametrize(
    "build", [lambda np, a: [a, a], lambda np, a: [a[0], [1, 2, 3, 4]], lambda np, a: [a[0, 0], 1]]
)
def test_arrays_of_arrays(build: Any) -> None:
    check_program(lambda np, a: np.array(build(np, a)), FLOATS)


def test_ragged() -> None:
    check_program(lambda np, a: np.array([a[0], a[1, :3]]), FLOATS)
    check_program(lambda np, a: np.array([a[0, 0], a[0]]), FLOATS)


def test_a_python_int_that_does_not_fit() -> None:
    check_program(lambda np, i: np.array([i], dtype="u1"), 300)
    check_program(lambda np, a, i: a.astype("u1") + i, FLOATS, 300)
    check_program(lambda np, a, i: a.astype("u1") < i, FLOATS, 300)


def test_static_values_stay_numpys() -> None:
    def program(np, a):
        shape = np.prod(a.shape), np.sum([1, 2])
        return (
            [np.zeros(shape[0]), np.zeros(shape), a.reshape(np.prod(a.shape)), np.pi * a, a[np.newaxis]],
            [
                np.float64(3),
                np.int64(np.float32(2)),
                np.dtype("f4"),
                np.finfo(np.float32).eps,
                np.issubdtype(int, np.integer),
            ],
        )

    check_program(program, FLOATS)


def test_arrays_of_static_lists_can_be_written() -> None:
    def program(np, a):
        parts = [np.diag([1.0, 2, 3]), np.tile(0.0, 3), *np.split([1.0, 2, 3, 4], 2), np.add([1.0, 2], 1)]
        for part in parts:
            part[0] = a[0, 0]
        return parts

    check_program(program, FLOATS)


def test_what_is_known_while_tracing_is_static() -> None:
    def program(np, a):
        shape = np.array(a.shape)
        mask = np.array([True, False, True])
        a[mask, 1] = [7, 8]
        return (
            [np.zeros(shape[0]), np.zeros(np.prod(shape)), np.zeros((shape[1], 2)), np.cumsum([2, 3])[1]],
            [a[mask], a[np.tril_indices(3)], a[:, np.flatnonzero([0, 1, 1, 0])], np.full(2, np.sum([1, 2]))],
        )

    check_program(program, FLOATS)


@pytest.mark.parametrize("make", [lambda np, i: np.zeros(i), lambda np, i: np.arange(i), lambda np, i: np.eye(i)])
def test_a_run_time_shape(make: Any) -> None:
    check_program(make, 3)


def test_staged() -> None:
    assert staged(numpy) is namespace
    assert staged(numpy.linalg) is namespace.linalg
    assert staged(numpy.sum) is registry.FUNCTIONS[numpy.sum]
    assert staged(numpy.add).nin == 2
    assert staged(len) is len
    assert staged([]) == []
    assert namespace.float64 is numpy.float64
    assert namespace.pi is numpy.pi
    assert namespace.ndarray is numpy.ndarray


def test_scalar_types_cast() -> None:
    def program(np, a, i):
        cast = (staged(np.float32), staged(np.int64)) if np is namespace else (np.float32, np.int64)
        return [cast[0](i), cast[1](a[0, 0]), cast[0](a), cast[0](2)]

    check_program(program, FLOATS, 3)


# Those whose signature NumPy does not tell, or that are one with several names.
_UNTOLD = {"concatenate", "arange", "clip"}
# Arguments that NumPy had deprecated before it dropped them: refused on the releases that have them.
_DROPPED = {
    "corrcoef": ("bias", "ddof"),
    **dict.fromkeys(("quantile", "percentile", "nanquantile", "nanpercentile"), ("interpolation",)),
}


def _signatures() -> list[tuple[Any, Any]]:
    pairs = []
    for original, function in registry.FUNCTIONS.items():
        inner = inspect.getclosurevars(function).nonlocals.get("function") if inspect.isfunction(function) else None
        if inner is None or original.__name__ in _UNTOLD:
            continue
        try:
            pairs.append((original, inspect.signature(original), inspect.signature(inner)))
        except ValueError:
            continue
    return pairs


@pytest.mark.parametrize(("original", "wanted", "got"), _signatures(), ids=lambda x: getattr(x, "__name__", ""))
def test_signatures(original: Any, wanted: inspect.Signature, got: inspect.Signature) -> None:
    """Every argument of NumPy's is one of the staged function's, and none has another order."""
    dropped = _DROPPED.get(original.__name__, ())
    wanted = wanted.replace(parameters=[p for n, p in wanted.parameters.items() if n not in dropped])
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    if any(p.kind in kinds for p in got.parameters.values()):
        return
    positional = [[p for p, v in s.parameters.items() if v.kind.name.startswith("POSITIONAL")] for s in (wanted, got)]
    assert positional[1][: len(positional[0])] == positional[0]
    assert set(wanted.parameters) <= set(got.parameters)


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.sort(a, descending=True),
        lambda np, a: a.argsort(descending=True),
        lambda np, a: np.sort(a[a > 0], descending=True),
        lambda np, a: np.reshape(a, shape=(4, 3)),
        lambda np, a: np.reshape(a, newshape=(4, 3)),
        lambda np, a: a.reshape(4, 3, copy=True),
        lambda np, a: np.unique(a, sorted=True),
        lambda np, a: np.trim_zeros(a[0], "fb", 0),
        lambda np, a: np.astype(a, int, device="cpu"),
        lambda np, a: np.cumsum(a, axis=0, keepdims=True),
    ],
)
def test_arguments_that_only_some_releases_of_numpy_have(call: Any) -> None:
    check_program(call, FLOATS)

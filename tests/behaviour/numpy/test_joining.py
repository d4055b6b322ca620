"""Joining, splitting and repeating."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table, check_program
from tests.behaviour.numpy.samples import FLOATS, INTS, SCALAR, TALL, VECTOR
from tests.equivalence import check

case = Table()

case(np.concatenate, [FLOATS, FLOATS])
case(np.concatenate, [FLOATS, INTS], axis=1)
case(np.concatenate, [FLOATS, VECTOR])
case(np.concatenate, [FLOATS, TALL])
case(np.concatenate, [FLOATS, VECTOR], axis=None)
case(np.concatenate, [SCALAR, SCALAR])
case(np.concatenate, [FLOATS, INTS], dtype="f4")
case(np.concatenate, [FLOATS, INTS], dtype="i4")
case(np.concatenate, FLOATS)
for f in (np.stack, np.vstack, np.hstack, np.dstack, np.column_stack):
    case(f, [FLOATS, INTS])
    case(f, [VECTOR, VECTOR])
    case(f, [FLOATS, VECTOR])
    case(f, [SCALAR, 2, VECTOR[0]])
    case(f, Static([]))
case(np.stack, [FLOATS, FLOATS], axis=-1)
case(np.stack, [FLOATS, FLOATS], axis=5)
case(np.block, [[FLOATS, FLOATS], [INTS, INTS]])
case(np.block, [FLOATS, FLOATS])
case(np.append, FLOATS, VECTOR)
case(np.append, FLOATS, FLOATS, axis=0)
for f in (np.split, np.array_split):
    case(f, FLOATS, Static(3))
    case(f, FLOATS, Static(2))
    case(f, FLOATS, Static([1, 2]))
    case(f, FLOATS, Static(2), axis=1)
    case(f, FLOATS, Static(0))
    case(f, FLOATS, Static([2, 1, 9]))
case(np.vsplit, FLOATS, Static(3))
case(np.hsplit, FLOATS, Static(2))
case(np.dsplit, FLOATS, Static(2))
case(np.unstack, FLOATS)
case(np.unstack, FLOATS, axis=1)
case(np.tile, FLOATS, Static(2))
case(np.tile, VECTOR, Static((2, 3)))
case(np.tile, FLOATS, Static((2, 1, 3)))
case(np.repeat, FLOATS, Static(2))
case(np.repeat, FLOATS, Static(2), axis=1)
case(np.repeat, FLOATS, Static([1, 0, 2]), axis=0)
case(np.repeat, FLOATS, Static([1, 0]), axis=0)
case(np.roll, FLOATS, Static(1))
case(np.roll, FLOATS, Static(-5))
case(np.roll, FLOATS, 2, axis=1)
case(np.roll, FLOATS, -7, axis=0)
case(np.roll, FLOATS, Static((1, 2)), axis=(0, 1))
case(np.roll, FLOATS, 7)
case(np.roll, np.array(2.0), Static(()), axis=())
if "row_stack" in vars(np):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case(vars(np)["row_stack"], [VECTOR, VECTOR])


BRACKETS = [
    lambda np, a, m: np.r_[a, 1, a.astype("i1")],
    lambda np, a, m: np.r_[a[::-1], a[1], 1:4, 0:1:3j],
    lambda np, a, m: np.r_[a],
    lambda np, a, m: np.r_[a.astype("f4"), 2.5],
    lambda np, a, m: np.r_[a, m],
    lambda np, a, m: np.r_["0,2", a, a * 2],
    lambda np, a, m: np.r_["1,2,0", a, a * 2],
    lambda np, a, m: np.r_["0,2,0", 1:4, a[:3]],
    lambda np, a, m: np.r_["0,3,0", a, a],
    lambda np, a, m: np.r_["0,3,1", a, a],
    lambda np, a, m: np.r_["0,3,2", a, a],
    lambda np, a, m: np.r_["0,3,-2", a, a],
    lambda np, a, m: np.r_["-1", m, m],
    lambda np, a, m: np.r_["unheard of", a],
    lambda np, a, m: np.c_[a, a, a],
    lambda np, a, m: np.c_[m, a[:3]],
    lambda np, a, m: np.c_[a[0], 1],
]


@pytest.mark.parametrize("program", BRACKETS)
def test_brackets(program) -> None:
    check_program(program, VECTOR, FLOATS)


def test_bracketed_matrices_are_refused() -> None:
    with pytest.raises(AssertionError) as caught:
        check_program(lambda np, a: np.r_["r", a], VECTOR)
    assert "a matrix is an array" in str(caught.value.__cause__)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)


def test_joined_parts_are_written_where_they_are_read() -> None:
    def nested(a, b):
        rows = [np.concatenate([a, b], axis=1), np.concatenate([b, a[::-1]], axis=1)]
        made = np.concatenate(rows, axis=0)
        return made, made[3:, 5:70].sum(), np.block([[a, b], [b, a]]).T

    def in_place(x):
        x[:] = np.concatenate([x[5:], x[:5]])
        for k in range(3):
            x[k + 2 : k + 42] = np.concatenate([x[k + 20 : k + 40], x[k : k + 20][::-1]])
        return np.concatenate([np.concatenate([x[1:40], x[:1]]), x])

    grid = np.arange(800.0).reshape(20, 40)
    check(nested, grid, grid * 2 + 1)
    check(nested, grid > 300, grid % 3 > 1)
    check(in_place, np.arange(100.0))

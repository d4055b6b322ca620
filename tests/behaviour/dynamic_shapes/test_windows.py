"""Windows that are surely the same, and what is beside them: no masks, moves or checks but those that are needed."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equations import ops
from tests.equivalence import check


def rows(indptr, values, weights):
    total = np.zeros(len(indptr) - 1)
    for i in range(total.shape[0]):
        total[i] = values[indptr[i] : indptr[i + 1]] @ weights[indptr[i] : indptr[i + 1]]
    return total


def beside_infinities(q, a):
    r = np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        a[:, :k] = np.inf
        r[k, k:] = q @ a[:, k:]
    return r


def of_infinities(a, b):
    total = np.zeros(a.shape[0])
    for k in range(a.shape[0]):
        total[k] = a[k, :k] @ b[:k, k]
        a[:, k] = np.inf
    return total


INDPTR = np.array([0, 3, 3, 10, 150])


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (rows, (INDPTR, np.arange(150.0), np.arange(150.0)[::-1].copy())),
        (rows, (-INDPTR[::-1], np.arange(150.0), np.ones(150))),
        (beside_infinities, (np.arange(5.0), np.ones((5, 7)))),
        (of_infinities, (np.ones((9, 9)), np.ones((9, 9)))),
        (of_infinities, (np.ones((150, 150)), np.ones((150, 150)))),
    ],
)
def test_as_numpy(function, args):
    check(function, *args)


def test_bounds_that_are_read_twice_are_the_same():
    names = ops(jit(rows).trace(INDPTR, np.ones(150), np.ones(150)).program)
    assert not {"concatenate", "pad", "gather", "not_equal"} & set(names)


def test_products_clear_only_what_they_sum_over():
    def product(q, a, k):
        return np.sum(q @ a[:, k:])

    program = jit(product).trace(np.ones(5), np.ones((5, 7)), np.int64(2)).program
    assert "dot_general" in ops(program)
    assert not [e for e in program.equations if e.op.name == "select" and e.outputs[0].type.shape == (5, 7)]


def test_the_window_of_a_slice_is_that_of_a_fold():
    program = jit(of_infinities).trace(np.ones((150, 150)), np.ones((150, 150))).lower().program
    (loop,) = [e for e in program.equations if e.op.name == "for"]
    (body,) = loop.programs()
    (fold,) = [e for e in body.equations if e.op.name == "windowed_reduce"]
    assert not fold.params["body"].equations
    assert fold.inputs[1] in body.inputs

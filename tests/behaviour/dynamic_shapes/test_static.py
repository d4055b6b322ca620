"""Arrays of static size pay nothing for those that are not: no mask, no size and no other operation in its Program."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import make_xpr

a = np.arange(8.0)
A = np.arange(16.0).reshape(4, 4)


def part(a):
    return a[1:5] + a[3:7]


def written(a):
    a[2:6] = a[:4][::-1]
    return a


def moving_window(a):
    s = np.float64(0.0)
    for i in range(6):
        s += a[i : i + 2].sum()
    return s


def rows(A, x):
    s = np.float64(0.0)
    for i in range(4):
        s += A[i, 1:3] @ x[:2]
    return s


def augmented(A):
    for i in range(4):
        A[i, :2] += 1.0
    return A


def mask_of_scalars(a):
    a[a > 3] = 0.0
    return a.max()


def collected(a):
    out = []
    for i in range(3):
        out.append(a[i])
    return np.array(out)


def operations(program):
    """The names of all operations, those of inner Programs after their own."""
    found = []
    for equation in program.equations:
        found.append(equation.op.name)
        for inner in equation.programs():
            found += operations(inner)
    return found


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (part, (a,), "slice slice add"),
        (written, (a,), "slice slice reverse slice dynamic_update_slice"),
        (moving_window, (a,), "for add dynamic_slice reduce_sum add"),
        (rows, (A, a), "for dynamic_slice reshape slice dot_general add"),
        (
            augmented,
            (A,),
            "for dynamic_slice reshape broadcast_in_dim add dynamic_slice reshape reshape dynamic_update_slice",
        ),
        (mask_of_scalars, (a,), "broadcast_in_dim greater broadcast_in_dim select reduce_max"),
        (collected, (a,), "slice reshape slice reshape slice reshape reshape reshape reshape concatenate"),
    ],
    ids=lambda v: getattr(v, "__name__", None),
)
def test_the_operations_of_static_sizes(function, args, expected):
    assert " ".join(operations(make_xpr(function)(*args))) == expected

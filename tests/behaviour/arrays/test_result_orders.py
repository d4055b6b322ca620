"""Results lie in memory in the order of axes that NumPy's have."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit


def added(a):
    return a.T + 1


def of_a_result(a):
    return (a * 2).T


def several(a):
    b = a.T * 2
    return [b, {"same": b, "other": b + a.T}, a.sum()]


def chosen(a):
    return np.where(a.T > 3, a.T, 0)


def turned(a):
    return np.rot90(a) * 2


def flattened(a):
    return (a.T + 1).reshape(-1)


def converted(a):
    return a.T.astype(np.float32), np.copy(a.T), a.T.copy()


def in_fortran_order(a):
    return np.asfortranarray(a * 2)


def mixed(a):
    return a + a[0], a.T + np.ones(a.T.shape)


def of_three_axes(a):
    b = np.stack((a, a + 1, a + 2))
    return np.transpose(b, (1, 0, 2)) * 2, np.transpose(b, (2, 0, 1)) * 2


def under_a_condition(a):
    b = a.T + 1
    if a[0, 0] > 0:
        b = b * 2
    return b


FUNCTIONS = [
    added, of_a_result, several, chosen, turned, flattened, converted, in_fortran_order, mixed, of_three_axes,
    under_a_condition,
]  # fmt: skip
# Their results are in C order.
NOT_ELEMENTWISE = [of_three_axes, under_a_condition]
LAYOUTS = {
    "c": lambda n: np.arange(n * (n + 2.0)).reshape(n, n + 2),
    "f": lambda n: np.asfortranarray(np.arange(n * (n + 2.0)).reshape(n, n + 2)),
    "part": lambda n: np.arange(4 * n * (n + 2.0)).reshape(2 * n, 2 * n + 4)[::2, ::2],
}


def _leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for part in value for leaf in _leaves(part)] if isinstance(value, (list, tuple)) else [value]


@pytest.mark.parametrize("make", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("n", [3, 40])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_same_as_eager(function, n, make):
    compiled = jit(function)
    wanted = _leaves(function(make(n)))
    for _ in range(4):
        for one, other in zip(_leaves(compiled(make(n))), wanted, strict=True):
            np.testing.assert_array_equal(one, other)
            if isinstance(other, np.ndarray) and function not in NOT_ELEMENTWISE:
                assert one.strides == other.strides


def test_one_result_in_two_places_is_one_array():
    compiled = jit(several)
    for _ in range(4):
        first, rest, _ = compiled(np.ones((3, 4)))
        assert rest["same"] is first


def test_results_on_the_device():
    a = np.arange(12.0).reshape(3, 4)
    jnp = pytest.importorskip("jax.numpy")
    for _ in range(3):
        np.testing.assert_array_equal(np.asarray(jit(added)(jnp.asarray(a))), added(a))

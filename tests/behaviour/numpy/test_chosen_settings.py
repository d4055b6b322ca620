"""Settings of NumPy's functions that are None, a text or a type by a condition known only at run time."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit

X = np.linspace(0.0, 3.0, 7)


def interp(x, whole):
    ends = (None, None) if whole else (0.0, 9.0)
    return np.interp(x + 2, x, x * 2, left=ends[0], right=ends[1])


def clip(x, whole):
    return np.clip(x, 1.0, None if whole else 2.0)


def sum_over(x, whole):
    return np.sum(x, axis=None if whole else 0)


def sum_method(x, whole):
    return x.sum(axis=None if whole else 0)


def sum_of_a_part(x, whole):
    return x[x > 1].sum(axis=None if whole else 0)


def sort(x, whole):
    return np.sort(x[::-1], axis=None if whole else 0)


def average(x, whole):
    return np.average(x, weights=None if whole else x)


def nansum(x, whole):
    return np.nansum(x, axis=None if whole else -1)


def norm(x, whole):
    return np.linalg.norm(x, ord=None if whole else 1)


def trapezoid(x, whole):
    return np.trapezoid(x, None if whole else x)


def bincount(x, whole):
    return np.bincount(x.astype(int), weights=None if whole else x)


def astype(x, whole):
    return x.astype(np.float32 if whole else np.int64)


def zeros(x, whole):
    return np.zeros(3, dtype=np.int32 if whole else None)


def searchsorted(x, whole):
    return np.searchsorted(x, 1.5, side="left" if whole else "right")


def pad(x, whole):
    return np.pad(x, 1, mode="edge" if whole else "constant")


def percentile(x, whole):
    return np.percentile(x, 40, method="linear" if whole else "lower")


FUNCTIONS = [
    interp, clip, sum_over, sum_method, sum_of_a_part, sort, average, nansum, norm, trapezoid, bincount, astype, zeros,
    searchsorted, pad, percentile,
]  # fmt: skip


def of_the_sign(function):
    """The function with a setting that the sign of a sum chooses."""
    return lambda x, y: function(x, y.sum() > 0)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_setting_that_a_condition_chose(function):
    plain = of_the_sign(function)
    compiled = jit(plain)
    for y in (np.ones(2), -np.ones(2)):
        expected, result = plain(X, y), compiled(X, y)
        assert type(result) is type(expected)
        assert np.asarray(result).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(result, expected, rtol=1e-15)


def test_a_setting_that_is_no_such_setting():
    def pad(x, whole):
        return np.pad(x, 1, mode="edge" if whole else "beyond")

    compiled = jit(of_the_sign(pad))
    np.testing.assert_array_equal(compiled(X, np.ones(2)), np.pad(X, 1, mode="edge"))
    with pytest.raises(ValueError, match="mode 'beyond' is not supported"):
        compiled(X, -np.ones(2))

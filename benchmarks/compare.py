"""How far a result is from NumPy's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


class ResultMismatch(ValueError):
    """A result that is not NumPy's."""


def leaves(tree: Any) -> Iterator[np.ndarray[Any, Any]]:
    """The arrays of nested tuples and lists, in order; scalars become 0-d arrays."""
    if isinstance(tree, tuple | list):
        for item in tree:
            yield from leaves(item)
    else:
        yield np.asarray(tree)


def largest_error(actual: Sequence[np.ndarray[Any, Any]], expected: Sequence[np.ndarray[Any, Any]]) -> float:
    """The largest error over pairs of arrays, relative to the largest element of each array.

    Raises
    ------
    ResultMismatch
        If the numbers of arrays, or the shapes or dtypes within a pair, differ, or an error is larger than rounding
        explains: half of the digits are to be right, and all of those of integers.
    """
    if len(actual) != len(expected):
        raise ResultMismatch(f"result has {len(actual)} arrays, NumPy's has {len(expected)}")
    return max((_error(a, e) for a, e in zip(actual, expected, strict=True)), default=0.0)


def _error(actual: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> float:
    """The largest error within one array; elements that are equal, or both NaN, have none."""
    if (actual.shape, actual.dtype) != (expected.shape, expected.dtype):
        raise ResultMismatch(
            f"result has shape {actual.shape} and dtype {actual.dtype}, NumPy's {expected.shape} and {expected.dtype}"
        )
    differs = ~((actual == expected) | ((actual != actual) & (expected != expected)))
    if not differs.any():
        return 0.0
    size = np.max(np.abs(expected), where=np.isfinite(expected), initial=0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = float(np.max(np.abs(actual[differs].astype(float) - expected[differs].astype(float))) / size)
    exact = expected.dtype.kind not in "fc"
    if exact or not error <= np.sqrt(np.finfo(expected.dtype).eps):
        raise ResultMismatch(f"result differs from NumPy's in {differs.sum()} elements of {differs.size}: {error:.1e}")
    return error

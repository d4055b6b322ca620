"""How far a result is from NumPy's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


class ResultMismatch(ValueError):
    """A result that differs from NumPy's in structure, shape or dtype, so that no error can be computed."""


def leaves(tree: Any) -> Iterator[np.ndarray[Any, Any]]:
    """The arrays of nested tuples and lists, in order; scalars become 0-d arrays."""
    if isinstance(tree, tuple | list):
        for item in tree:
            yield from leaves(item)
    else:
        yield np.asarray(tree)


def largest_error(actual: Sequence[np.ndarray[Any, Any]], expected: Sequence[np.ndarray[Any, Any]]) -> float:
    """The largest elementwise relative error over pairs of arrays.

    Raises
    ------
    ResultMismatch
        If the numbers of arrays, or the shapes or dtypes within a pair, differ.
    """
    if len(actual) != len(expected):
        raise ResultMismatch(f"result has {len(actual)} arrays, NumPy's has {len(expected)}")
    return max((_relative_error(a, e) for a, e in zip(actual, expected, strict=True)), default=0.0)


def _relative_error(actual: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> float:
    """The largest error within one array; elements that are equal, or both NaN, have none."""
    if (actual.shape, actual.dtype) != (expected.shape, expected.dtype):
        raise ResultMismatch(
            f"result has shape {actual.shape} and dtype {actual.dtype}, NumPy's {expected.shape} and {expected.dtype}"
        )
    differs = ~((actual == expected) | ((actual != actual) & (expected != expected)))
    if not differs.any():
        return 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(actual[differs] - expected[differs]) / np.abs(expected[differs])
    # NaN here means a NaN or an infinity where NumPy has another value.
    return float(np.max(np.where(np.isnan(ratio), np.inf, ratio)))

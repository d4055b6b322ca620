"""Hypothesis strategies for the arguments of NumPy functions: arrays in any layout, scalars, pytrees of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

Strategy = st.SearchStrategy[Any]

DTYPES = tuple(
    np.dtype(name) for name in ("bool", "int8", "uint8", "int32", "int64", "float32", "float64", "complex128")
)
LAYOUTS = ("C", "F", "strided", "reversed", "read-only")


def elements(dtype: Any) -> Strategy:
    """Elements of a dtype, with those at which functions break: 0, -0.0, NaN, infinities, the ends of integers.

    Subnormal numbers are left out: XLA on CPU takes them for zero.

    Parameters
    ----------
    dtype : dtype
        Of bools, integers, floating-point or complex numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from hypothesis import find
    >>> from anabranch.testing import elements
    >>> bool(np.isnan(find(elements(np.float64), lambda x: x != x)))
    True
    """
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return st.booleans()
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        ends = st.sampled_from([info.min, info.max, 0, 1])
        return st.one_of(st.integers(max(info.min, -100), min(info.max, 100)), ends)
    if dtype.kind == "c":
        part = _floats(np.dtype(np.float32 if dtype.itemsize == 8 else np.float64))
        return st.builds(complex, part, part)
    return _floats(dtype)


def _floats(dtype: np.dtype) -> Strategy:
    width: Any = 8 * dtype.itemsize
    usual = st.floats(-1e3, 1e3, width=width, allow_subnormal=False)
    special = st.sampled_from([0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), float("-inf")])
    return st.one_of(usual, usual, special)


@st.composite
def arrays(
    draw: st.DrawFn,
    dtype: object = None,
    shape: object = None,
    *,
    elements: Strategy | None = None,
    layouts: Sequence[str] = ("C",),
) -> np.ndarray:
    """Arrays.

    Parameters
    ----------
    dtype : dtype or strategy, optional
        One of `DTYPES` by default.
    shape : int, tuple or strategy, optional
        A tuple may have strategies among its sizes. Up to three axes of up to six elements by default, or none.
    elements : strategy, optional
        `elements(dtype)` by default.
    layouts : sequence of str
        Of which one is drawn: "C" and "F" order, "strided" (every second element of a larger array), "reversed" (along
        all axes), "read-only".

    Raises
    ------
    ValueError
        For another layout.

    Examples
    --------
    >>> from hypothesis import find
    >>> from anabranch.testing import arrays
    >>> find(arrays(int, (2, 2)), lambda a: True)
    array([[0, 0],
           [0, 0]])
    """
    for layout in layouts:
        if layout not in LAYOUTS:
            raise ValueError(f"{layout!r} is none of the layouts {', '.join(LAYOUTS)}")
    chosen = np.dtype(_drawn(draw, st.sampled_from(DTYPES) if dtype is None else dtype))
    sizes = _drawn(draw, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6) if shape is None else shape)
    dims = tuple(_drawn(draw, n) for n in sizes) if isinstance(sizes, tuple) else (int(sizes),)
    values = draw(hnp.arrays(chosen, dims, elements=_elements(chosen) if elements is None else elements))
    return _laid(values, draw(st.sampled_from(list(layouts))))


_elements = elements


def _drawn(draw: st.DrawFn, value: object) -> Any:
    return draw(value) if isinstance(value, st.SearchStrategy) else value


def _laid(values: np.ndarray, layout: str) -> np.ndarray:
    """The same values in memory laid out in this way."""
    if layout == "F":
        return np.asfortranarray(values) if values.ndim else values
    if layout == "strided" and values.ndim:
        wide = np.zeros((*values.shape[:-1], 2 * values.shape[-1]), values.dtype)
        wide[..., ::2] = values
        return wide[..., ::2]
    if layout == "reversed":
        back = (slice(None, None, -1),) * values.ndim
        return values[back].copy()[back]
    if layout == "read-only":
        values.flags.writeable = False
    return values


def scalars(*kinds: type) -> Strategy:
    """Numbers.

    Parameters
    ----------
    *kinds : type
        Of `bool`, `int`, `float`, `complex` and NumPy's scalar types; Python's four by default. Ints are within 64
        bits.

    Examples
    --------
    >>> from hypothesis import find
    >>> from anabranch.testing import scalars
    >>> find(scalars(int), lambda n: n >= 0)
    0
    """
    return st.one_of([_scalar(kind) for kind in kinds or (bool, int, float, complex)])


_OF_PYTHON: dict[type, Any] = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}


def _scalar(kind: type) -> Strategy:
    if kind in _OF_PYTHON:
        return elements(_OF_PYTHON[kind]).map(kind)
    scalar: Any = kind
    return elements(kind).map(scalar)


def pytrees(leaves: Strategy | None = None, *, max_leaves: int = 6) -> Strategy:
    """Tuples, lists and dicts of leaves and of one another.

    Parameters
    ----------
    leaves : strategy, optional
        Arrays and numbers by default.
    max_leaves : int

    Examples
    --------
    >>> from hypothesis import find
    >>> from anabranch.testing import pytrees, scalars
    >>> find(pytrees(scalars(int)), lambda tree: isinstance(tree, list) and len(tree) > 1)
    [0, 0]
    """
    return st.recursive(
        st.one_of(scalars(), arrays()) if leaves is None else leaves,
        lambda parts: st.one_of(
            st.tuples(parts),
            st.tuples(parts, parts),
            st.lists(parts, max_size=3),
            st.dictionaries(st.sampled_from(["x", "y", "weight"]), parts, max_size=3),
        ),
        max_leaves=max_leaves,
    )

"""numpy.linalg and numpy.fft on run-time arrays against NumPy: stacks, dtypes, strides, axes, empty axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from tests.behaviour.numpy.cases import Case, Static

DTYPES = st.sampled_from(["f4", "f8", "c8", "c16", "i8", "i2", "?"])
ONE_AXIS = (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.hfft, np.fft.ihfft)
AXES = (np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn, np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2)
NORMS = st.sampled_from([None, "backward", "ortho", "forward"])
SQUARE = (np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.eigvalsh, np.linalg.cond, np.linalg.pinv)
ANY = (np.linalg.svdvals, np.linalg.qr, np.linalg.matrix_rank, np.linalg.pinv)


@st.composite
def arrays(draw: Any, shape: tuple[int, ...]) -> Any:
    """An array of this shape, of any layout."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rng.normal(size=shape) * 4 + 1j * rng.normal(size=shape)
    dtype = np.dtype(draw(DTYPES))
    array = (values if dtype.kind == "c" else values.real).astype(dtype)
    if draw(st.booleans()):
        array = np.asfortranarray(array)
    if array.ndim and draw(st.booleans()):
        array = np.repeat(array, 2, axis=-1)[..., ::-2]
    return array


@st.composite
def matrices(draw: Any, square: bool) -> Any:
    """A stack of matrices; square ones are far from singular."""
    m, n = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    array = draw(
        arrays((*draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3)), m, m if square else n))
    )
    return (
        array if not square or array.dtype.kind == "b" else array + array.dtype.type(40) * np.eye(m, dtype=array.dtype)
    )


@given(matrices(square=True), st.sampled_from(SQUARE))
def test_square(a: Any, function: Any) -> None:
    if a.dtype.kind != "b":
        Case(function, (a,), {}).check()


@given(matrices(square=False), st.sampled_from(ANY))
def test_rectangular(a: Any, function: Any) -> None:
    if a.dtype.kind not in "bi" or function is not np.linalg.pinv:
        Case(function, (a,), {}).check()


@given(st.data())
def test_solve(data: Any) -> None:
    a = data.draw(matrices(square=True).filter(lambda a: a.dtype.kind != "b"))
    n = a.shape[-1]
    shapes = [(n,), (n, 2), (2, n, 1), (n + 1, 2), a.shape, (*a.shape[:-1], 3)]
    b = data.draw(arrays(data.draw(st.sampled_from(shapes))))
    Case(np.linalg.solve, (a, b), {}).check()


@given(st.data())
def test_transform_of_one_axis(data: Any) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6))
    a = data.draw(arrays(shape))
    n = data.draw(st.none() | st.integers(0, 8))
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    options = {"axis": Static(axis), "norm": Static(data.draw(NORMS))}
    Case(data.draw(st.sampled_from(ONE_AXIS)), (a, Static(n)), options).check()


@given(st.data())
def test_transform_of_axes(data: Any) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5))
    a = data.draw(arrays(shape))
    axes = data.draw(st.lists(st.integers(-len(shape), len(shape) - 1), min_size=1, max_size=3))
    s = data.draw(st.none() | st.lists(st.integers(-1, 6), min_size=len(axes), max_size=len(axes)))
    options = {"s": Static(s), "axes": Static(axes), "norm": Static(data.draw(NORMS))}
    Case(data.draw(st.sampled_from(AXES)), (a,), options).check()


@given(st.data())
def test_shifts(data: Any) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5))
    axes = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    function = data.draw(st.sampled_from([np.fft.fftshift, np.fft.ifftshift]))
    Case(function, (data.draw(arrays(shape)),), {"axes": Static(axes)}).check()

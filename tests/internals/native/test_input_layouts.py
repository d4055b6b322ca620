"""Arguments that are not in C order are read where they are."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.caller_arrays import input_layout

X = np.arange(48.0 * 48).reshape(48, 48)
Y = np.arange(6 * 7 * 8.0).reshape(6, 7, 8)
WINDOWS = np.lib.stride_tricks.sliding_window_view(X[0], 3)
PARTS = {
    "every other": X[0][::2],
    "backwards": X[0][::-1],
    "backwards by three": X[0][::-3],
    "column": X[:, 5],
    "diagonal": X.diagonal(),
    "every other row": X[::2],
    "every other column": X[:, ::2],
    "inner": X[1:-1, 1:-1],
    "transpose": X.T,
    "transpose of a part": X[3:, ::2].T,
    "both backwards": X[::-1, ::-2],
    "three axes": Y[:, ::2, 1:7:2],
    "three axes in another order": Y.transpose(2, 0, 1)[:, ::-1],
    "an axis of one element": Y[:, :1].T,
    "ints": X.astype(int)[::2, ::-1],
    "bools": (X % 3 == 0).T,
}
COPIED = {
    "windows": WINDOWS,
    "repeated": np.broadcast_to(X[0], (3, 48)),
    "axes whose steps are no multiples": Y[:, ::2, ::3],
    "half an element": np.zeros(20, np.dtype([("a", "i4"), ("b", "f8")]))["b"],
}


def _layout(x):
    return input_layout(ArrayType(x.shape, x.dtype), x.strides)


@pytest.mark.parametrize("x", PARTS.values(), ids=PARTS)
def test_parts_have_layouts(x):
    layout = _layout(x)
    assert layout is not None
    copy = layout.copied(x)
    assert copy.strides == x.strides
    assert np.array_equal(copy, x)


@pytest.mark.parametrize("x", [COPIED["windows"], COPIED["repeated"], COPIED["half an element"]])
def test_what_is_no_part_of_an_array_has_none(x):
    assert _layout(x) is None


def elementwise(x):
    return x + 1


def reduced(x):
    return x.sum(axis=0), x.max()


def moved(x):
    return np.concatenate((x[::-1], x)), np.sort(x, axis=0), x.reshape(-1)


def returned(x):
    return x, x[1:], x.copy()


def looped(x):
    total = 0.0
    for row in x:
        for item in np.ravel(row):
            total += item * 0.5
    return total


@pytest.mark.parametrize("function", [elementwise, reduced, moved, returned, looped])
@pytest.mark.parametrize("x", [*PARTS.values(), *COPIED.values()], ids=[*PARTS, *COPIED])
def test_same_as_eager(function, x):
    compiled = jit(function)
    wanted = function(x)
    others = [x.copy(), np.asfortranarray(x)]  # other signatures in between
    for given in (x, x, *others, x, x, x):
        got = compiled(given)
        pairs = zip(got, wanted, strict=True) if isinstance(wanted, tuple) else [(got, wanted)]
        for one, other in pairs:
            assert np.shape(one) == np.shape(other)
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other)


def test_no_copy_is_made():
    x = np.zeros(2000)[::2]
    program = jit(elementwise).lower(x).native_program()
    assert program.inputs[0].shape == (1000,)
    assert program.layouts[0].nbytes == 8 * 1999


def test_an_argument_that_shares_memory_with_a_written_one_is_read_before():
    def shifted(a, b):
        a[1:] = b + 1
        return b * 2

    eager, ours = np.arange(9.0), np.arange(9.0)
    compiled = jit(shifted)
    compiled(np.arange(9.0), np.arange(9.0)[::-1][:8])
    for _ in range(4):
        try:
            got = compiled(ours, ours[::-1][:8])
        except ValueError:  # refused: they share memory
            return
        np.testing.assert_array_equal(got, shifted(eager, eager[::-1][:8]))
        np.testing.assert_array_equal(ours, eager)


def test_misaligned_arrays_of_the_same_strides():
    memory = np.zeros(8 * 40 + 1, np.uint8)
    x = memory[1:].view(np.float64)[::2]
    x[:] = np.arange(20)
    assert not x.flags.aligned
    compiled = jit(elementwise)
    for given in (np.arange(40.0)[::2], np.arange(40.0)[::2], x, x, np.arange(40.0)[::2]):
        np.testing.assert_array_equal(compiled(given), given + 1)


def test_nothing_is_read_behind_the_last_element():
    # The last row of the array of which it would be a part ends behind the page.
    import mmap

    size = 4 * mmap.PAGESIZE
    memory = np.frombuffer(mmap.mmap(-1, size), np.float64)
    x = memory.reshape(-1, 64)[:, ::2]
    np.testing.assert_array_equal(jit(elementwise)(x), x + 1)

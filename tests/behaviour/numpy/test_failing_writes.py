"""Writes that NumPy refuses, in its own words: into read-only arrays, and of single items through `flat`."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check


def _outcome(function, args):
    args = tuple(a.copy() if isinstance(a, np.ndarray) and a.flags.writeable else a for a in args)
    try:
        made = function(*args)
    except Exception as error:
        return type(error), str(error).splitlines()[0], repr(args[0])
    return repr(made), repr(args[0])


def _same_words(function, *argsets):
    for compiled in (jit(function), jit(function, native_loops=False)):
        for args in argsets * 3:
            assert _outcome(compiled, args) == _outcome(function, args)


def _read_only(*numbers):
    made = np.array(numbers)
    made.flags.writeable = False
    return made


def in_place(a, i):
    a[i : i + 2] *= 2
    return a


def part_in_place(a, i):
    b = a[i:]
    b += i
    return a


def product(a, i):
    b = a[:i]
    b @= np.eye(2, dtype=np.int64)


def item(a, i):
    a[i] = 1


def item_of_part(a, i):
    b = a[i:]
    b[0] = 1


def assigned(a, i):
    a[i:] = 1


def sorted_part(a, i):
    a[i:].sort()


def through_flat(a, i):
    a.flat[i] = 2**40


def masked(a, i):
    a[a > i] += 1


def output_of_run_time_size(a, i):
    np.add(np.arange(5)[i:4], 0.5, out=a, where=a > 0)


def sums_of_run_time_size(a, i):
    np.cumsum(np.arange(5)[i:4], out=a)


@pytest.mark.parametrize(
    "write",
    [
        in_place,
        part_in_place,
        product,
        item,
        item_of_part,
        assigned,
        sorted_part,
        through_flat,
        masked,
        output_of_run_time_size,
        sums_of_run_time_size,
    ],
)
def test_read_only(write) -> None:
    _same_words(write, (_read_only(3, 1, 2), 1), (_read_only(3, 1, 2), 9))


def single(a, i, x):
    a.flat[i] = x
    return a


def several(a, i, x):
    a.flat[i:] = x
    a.flat[[0, 1]] = x
    return a


VALUES = [300, -5, 2.5, np.nan, np.inf, np.int64(300), np.float64(np.nan), 2**40, 1j, np.uint8(200)]


@pytest.mark.parametrize("x", VALUES, ids=repr)
def test_items_through_flat(x) -> None:
    for dtype in (np.int8, np.uint8):
        for write in (single, several):
            compiled, args = jit(write), (np.arange(4, dtype=dtype), 1, x)
            for _ in range(3):
                assert _outcome(compiled, args) == _outcome(write, args)


def test_a_place_out_of_range_comes_first() -> None:
    _same_words(single, (np.arange(4, dtype=np.int8), 9, 300), (np.arange(4, dtype=np.int8), 1, 300))


def clipped(a, i):
    y = a if i > 0 else a[1:]
    y.clip(1, 2, out=y)
    return a


def clipped_by_place(a, i):
    y = a if i > 0 else a[1:]
    y.clip(1, 2, y)
    return a


def cumulated(a, i):
    y = a if i > 0 else a[1:]
    y.cumsum(out=y)
    return a


@pytest.mark.parametrize("write", [clipped, clipped_by_place, cumulated])
def test_output_of_one_shape_or_another(write) -> None:
    for i in (0, 1):
        check(write, np.arange(4.0), i)


def masked_output(a, c, m, i):
    np.add(a[i:], 1.0, out=c, where=m)
    return c


@pytest.mark.parametrize("sizes", [(4, 4), (1, 4), (4, 5), (5, 5)])
def test_output_and_mask_of_other_sizes(sizes) -> None:
    n, m = sizes
    check(masked_output, np.arange(6.0), np.zeros(n), np.ones(m, bool), 2)


def product_in_place(a, b):
    a @= b
    return a


def product_of_some(a, b):
    c = a[a > 0]
    c @= b
    return c


def imaginary_part(a, b):
    a.imag = b
    return a


def test_products_in_place_with_a_vector():
    vector, matrix, number = np.array([1.0, 2.0]), np.array([[1.0, 2.0], [3.0, 4.0]]), np.array(2.0)
    pairs = [(a, b) for a in (vector, matrix, number) for b in (vector, matrix, number)]
    _same_words(product_in_place, *pairs)
    _same_words(product_of_some, (vector, vector), (vector, matrix), (matrix, vector))


def test_imaginary_part_of_reals():
    _same_words(imaginary_part, (np.ones(2), np.ones(2)), (np.ones(2, np.complex64), np.ones(2)))

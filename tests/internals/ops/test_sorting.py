from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops import sorting
from anabranch.runtime.ops.stable_positions import write_stable_positions
from tests import equivalence
from tests.internals.ops.op_cases import Case, run
from tests.internals.ops.structural_cases import (
    COMPLEX,
    DTYPES,
    FLOATS,
    check,
    check_in_loop,
    of,
    sample,
    with_specials,
)


def checks_of(x, axis, stables=(False, True)):
    kinds = {False: "quicksort", True: "stable"}
    sorts = [of(sorting.sort, x, axis=axis, stable=s, expected=np.sort(x, axis, kind=kinds[s])) for s in stables]
    return [*sorts, of(sorting.argsort, x, axis=axis, stable=True, expected=np.argsort(x, axis, kind="stable"))]


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_every_dtype(rng, axis):
    some = DTYPES if axis == 1 else DTYPES[::5]
    checks = [c for dtype in some for c in checks_of(sample(rng, dtype, 3, 7, 4), axis)]
    check(checks, zero_signs=False)


def test_nans_are_last_and_tie(rng):
    checks = [c for dtype in FLOATS for c in checks_of(with_specials(rng, sample(rng, dtype, 4, 40)), 1)]
    quiet = np.array([np.nan, 1.0, -np.nan, np.inf, np.nan, -np.inf])
    check([*checks, *checks_of(quiet, 0)], zero_signs=False)


def test_complex_numbers_are_ordered_by_parts(rng):
    check(
        [c for dtype in COMPLEX for c in checks_of(with_specials(rng, sample(rng, dtype, 2, 90)), 1)], zero_signs=False
    )


def test_zeros_of_both_signs_keep_their_order_in_a_stable_sort():
    x = np.array([0.0, -0.0, 1.0, -0.0, 0.0, -1.0])
    check([c for dtype in FLOATS for c in checks_of(x.astype(dtype), 0, stables=(True,))])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_subnormal_numbers_differ_from_zero(dtype):
    tiny = np.finfo(dtype).smallest_subnormal
    x = np.array([tiny, 0.0, -tiny, 3 * tiny, -0.0, 2 * tiny], dtype)
    permutation = of(sorting.argsort, x, axis=0, stable=False, expected=np.array([2, 1, 4, 0, 5, 3]))
    check([permutation, *checks_of(x, 0)], zero_signs=False)


def test_extremes_of_integers():
    checks = []
    for dtype in (np.int32, np.int64, np.uint32, np.uint64):
        info = np.iinfo(dtype)
        x = np.array([info.max, 0, info.min, 5, info.max - 1, info.min + 1, 2**31 - 1], dtype)
        checks += checks_of(x, 0)
    check(checks)


def test_large(rng):
    x, few = rng.normal(size=50_000), rng.integers(0, 50, (3, 20_000))
    checks = [*checks_of(x, 0), *checks_of(few, 1), *checks_of(rng.integers(-(2**62), 2**62, 20_000), 0)]
    check(checks)


def test_empty_arrays_and_axes_of_one():
    checks = [c for dtype in (float, complex) for c in checks_of(np.zeros((0, 3), dtype), 0)]
    check([*checks, *checks_of(np.zeros((0, 3)), 1), *checks_of(np.ones((2, 1)), 1)])


def test_in_loop(rng):
    x = rng.random((3, 20))
    check_in_loop([Case(op, (x,), {"axis": 1, "stable": True}) for op in (sorting.sort, sorting.argsort)])


@pytest.mark.parametrize("op", [sorting.sort, sorting.argsort], ids=str)
@pytest.mark.parametrize(
    ("shape", "params"),
    [
        ((), {"axis": 0, "stable": True}),
        ((3,), {"axis": -1, "stable": True}),
        ((3,), {"axis": 0}),
        ((3,), {"axis": 0, "stable": "quicksort"}),
        ((2**32,), {"axis": 0, "stable": True}),
    ],
)
def test_misuse_is_refused(op, shape, params):
    with pytest.raises(TypeError, match=rf"^({op.name}: |_\w+\.type\(\) )"):
        op.type(ArrayType(shape, np.dtype(float)), **params)


@pytest.mark.parametrize("shape", [(40,), (1000,), (30, 40)])
@pytest.mark.parametrize("dtype", [np.int32, np.float64, np.complex64])
def test_partition(rng, shape, dtype):
    x, axis = (rng.normal(size=shape) * 9).astype(dtype), len(shape) - 1
    for outcome in run([Case(sorting.partition, (x,), {"axis": axis, "kth": (3, 17)})]):
        (got,), ordered = outcome.got, np.sort(x, axis)
        for place in (3, 17):
            before, at, after = np.split(got, [place, place + 1], axis)
            np.testing.assert_array_equal(at, ordered[..., place : place + 1])
            assert (np.max(before, axis) <= at[..., 0]).all()
            assert (np.min(after, axis) >= at[..., 0]).all()


def test_positions_of_a_partition_are_in_range():
    with pytest.raises(TypeError, match="partition"):
        sorting.partition.type(ArrayType((5,), np.dtype(float)), axis=0, kth=(5,))


@pytest.mark.parametrize("shape", [(40, 20), (700, 33), (9, 300), (3, 2000)])
def test_rows_with_equal_elements_keep_their_order(rng, shape):
    few, one = rng.integers(0, 9, shape), rng.standard_normal(shape)
    one[1, 5], one[-1, :3] = one[1, 9], np.nan
    for x in (few, few / 2.0, one, np.where(one > 2, np.nan, few)):
        out = np.empty(shape, np.int64)
        write_stable_positions(out, x, 1)
        assert np.array_equal(out, np.argsort(x, axis=1, kind="stable"))


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32, np.uint32])
def test_many_integers_that_are_not_far_apart(dtype):
    def ordered(x):
        return np.sort(x), np.unique(x), np.sort(x.reshape(1, -1))

    ends, small = np.iinfo(dtype), np.arange(5000) * 7919 % 300
    for x in (
        small.astype(dtype),
        ends.max - small.astype(dtype),
        ends.min + small.astype(dtype),
        small.astype(dtype) * 3,
    ):
        equivalence.check(ordered, x)

"""Functions with one rule for arrays of static and of run-time size, where two rules had told different things."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.behaviour.dynamic_shapes.argument_sets import B, C, M, N, S, T, V, W, Worded, each, ints
from tests.program_table import Table

case = Table(Worded)


# ---- elementwise -----------------------------------------------------------------------------------------------------


@case(*ints(np.array([1.0, np.nan, np.inf, 2.0, np.nan, -np.inf]), at=(0, 2, 6)))
def numbers_made_finite_in_place(a, k):
    made = np.nan_to_num(a[:k], copy=False, nan=7.0)
    return made, a


@case(*ints(C))
def parts_of_complex_numbers_are_views(a, k):
    a[:k].real[...] = 5
    np.imag(a[k:])[:1] = 3
    return a, a[:k].imag, np.real(a[a.real > 0])


@case(*ints(V, np.zeros(8)))
def clipped_into_an_output_by_position(a, out, k):
    made = np.clip(a[:k], 0, 3, out[:k])
    return made, out, np.round(a[:k] / 3, 1), a[:k].round(1)


@case(*ints(V, W, B))
def choices_of_run_time_size(a, b, m, k):
    chosen = np.select([a[:k] > 3, m[:k]], [b[:k], 1.5], default=-1)
    return chosen, np.where(m[:k], 1, b[:k]), np.choose(m[:k].astype(int), [a[:k], 0.5])


@case(*ints(N, V))
def copied_by_a_rule_of_casting(a, b, k):
    np.copyto(a[:k], b[:k], casting="unsafe", where=b[:k] > 2)
    try:
        np.copyto(a[:k], b[:k])
    except TypeError:
        return a, "refused"
    return a


# ---- at positions and in segments ------------------------------------------------------------------------------------


@case(*ints(M, at=(1, 3, 5)))
def put_into_rows_of_run_time_number(a, k):
    np.put(a[:k], [0, -1, 3], [50.0, 60.0])
    a[1:k].T.put(np.flatnonzero(a[:k] > 10), -1, mode="wrap") if k > 1 else None
    return a


@case(*ints(V, np.zeros(3), at=(0, 2)))
def put_of_as_many_values_as_there_are(a, b, k):
    np.put(b, [1, 2], a[:k])
    np.put(b, [0, 7], a[:0])
    return b


@case((np.zeros(0), V), (V, V))
def put_into_nothing(a, b):
    np.put(a, [0], b)
    return a


@case(*ints(V, at=(0, 1, 3)))
def put_into_nothing_at_run_time(a, k):
    np.put(a[:k], [0], 7, mode="clip")
    return a


@case(*ints(V, np.zeros(2, np.float32), at=(2, 8)))
def taken_into_an_output_that_cannot_hold_it(a, out, k):
    try:
        return np.take(a[:k], [0, 1], out=out)
    except TypeError:
        return "refused"


@case(*ints(V, at=(3, 5, 8)))
def segments_without_a_neutral_element(a, k):
    return np.subtract.reduceat(a[:k], [0, 2, 1]), np.divide.reduceat(a, np.flatnonzero(a[:k] > 2))


@case(*ints(M, np.zeros((2, 6), np.int64), at=(2, 5)))
def segments_into_an_output_that_cannot_hold_them(a, out, k):
    try:
        return np.add.reduceat(a[:k], [0, 1], out=out)
    except TypeError:
        return "refused"


# ---- joining and repeating -------------------------------------------------------------------------------------------


@case(*ints(V, np.zeros(16, np.int64)))
def joined_into_an_output_that_cannot_hold_it(a, out, k):
    try:
        return np.concatenate([a[:k], a[:k]], out=out[: 2 * k])
    except TypeError:
        return "refused"


@case(*ints(M, at=(0, 1, 5)))
def rolled_along_several_axes(a, k):
    return np.roll(a[:k], (1, 2), (0, 1)), np.roll(a[:k], np.array([1, 2]), axis=1), np.roll(a[:k].T, -1, axis=1)


@case((M,), (T,), (V,))
def rolled_by_several_shifts(a):
    return np.roll(a, (1, 2)), np.roll(a, np.array([2, -1]), 0), np.roll(a, 3)


@case(*ints(M, at=(0, 2, 5)))
def repeated_along_a_static_axis(a, k):
    return np.repeat(a[:k], [1, 0, 2, 1, 1, 3], axis=1), np.repeat(a[:k], 2, axis=1), np.tile(a[:k], (2, 1, 3))


@case(*ints(V))
def repeated_as_often_as_a_truth_value(a, k):
    return np.repeat(a[:k], True), np.repeat(a, np.array([2])), np.tile(a[:k], ())


@case(*each(V, last=((0, 2), (3, 0), (8, 3))))
def repeated_as_often_as_an_argument(a, k, n):
    some = a[a > 2]
    return np.repeat(a[:k], n), np.tile(a[:k], (2, n)), np.repeat(a, [n]), np.repeat(some, some > 3)


@case(*each(V, last=((2,), (0,), (3,))))
def a_static_array_repeated_as_often_as_an_argument(a, n):
    return np.tile(a, n), np.repeat(a, n), np.tile(a, (n, 2))


@pytest.mark.parametrize("repeats", [-1, [-1], [-1, 1, 1]])
def test_repeated_less_than_never(repeats) -> None:
    def program(a):
        return np.repeat(a, repeats)

    with pytest.raises(ValueError, match=r".") as eager:
        program(np.arange(3))
    with pytest.raises(ValueError, match=r".") as jitted:
        jit(program)(np.arange(3))
    assert str(jitted.value) == str(eager.value)


@case(*ints(V, at=(0, 5, 8)))
def split_at_places_from_the_end(a, k):
    return np.split(a[:k], [2, -1]), np.array_split(a, [1, k]), np.array_split(a[:k], 3), np.split(a, np.array([3]))


@case(*ints(V, W, at=(0, 3, 8)))
def arrays_made_of_arrays(a, b, k):
    return np.array([a[:k], b[:k]], dtype=np.float32), np.stack([a[:k], b[:k]], axis=1), np.zeros_like(a[:k], shape=3)


# ---- products --------------------------------------------------------------------------------------------------------


@case(*ints(V.astype(np.float32)))
def dot_products_with_a_python_float(a, k):
    return np.dot(a[:k], 2.0), np.dot(2.0, a[:k]), np.inner(a[:k], 0.5)


@case(*each(V, W, last=((3, 3), (0, 0), (8, 8), (3, 4))))
def contracted_over_a_run_time_size(a, b, i, j):
    return np.tensordot(a[:i], b[:j], 1), np.vdot(a[:i], b[:j]), np.einsum("i,i->i", a[:i], b[:j])


@case(*each(V, W, last=((3, 3), (3, 4), (8, 0))))
def inner_products_of_rows(a, b, i, j):
    return np.inner(a.reshape(2, 4)[:, : min(i, 4)], b.reshape(2, 4)[:, : min(j, 4)])


@case(*ints(T, np.arange(48.0).reshape(4, 3, 4), at=(0, 1, 2)))
def stacks_of_matrices(a, b, k):
    return a[:k] @ np.swapaxes(a[:k], 1, 2), b[:k] @ np.ones((1, 4, 2))


@case(*ints(S, at=(0, 2, 4)))
def einsum_of_one_operand_is_a_view(a, k):
    np.einsum("ij->ji", a[:k])[...] *= 2
    return a, np.einsum("...j->j...", a[:, :k]), np.einsum("ij->i", a[:, :k]), np.trace(a[:k, :k])


# ---- convolution, interpolation, grids -------------------------------------------------------------------------------


@case(*ints(V, np.array([np.inf, 1.0, np.nan]), at=(1, 2, 8)))
def convolved_with_what_is_not_finite(a, v, k):
    return np.convolve(a[:k], v), np.convolve(a[:k], v[:2], "same"), np.convolve(a[:k], v[:k][:3], "valid")


@case(*ints(V, C, at=(0, 1, 5, 8)))
def interpolated_between_run_time_samples(a, c, k):
    points = np.cumsum(np.ones(8))[:k]
    made = np.interp(a[a > 0], points, a[:k]) if k else np.zeros(2)
    return made, np.interp(a, np.arange(8.0), c)


@case(*ints(V, W))
def grids_of_one_run_time_axis(a, b, k):
    x, y = np.meshgrid(a[:k], b.reshape(2, 4))
    return x, y, np.meshgrid(a, b[:k], indexing="ij", sparse=True), np.array_equal(a[:k], b[:k])


@case(*ints(M, B[:5], at=(0, 2, 5)))
def compressed(a, m, k):
    return np.compress(m, a, axis=0), np.compress([True, False], a[:k], axis=1), np.extract([True, False, True], a)


# ---- padding, inserting, deleting ------------------------------------------------------------------------------------


@case(*ints(M, at=(0, 2, 5)))
def padded_with_several_constants(a, k):
    made = np.pad(a[:k], ((1, 2), (3, 0)), constant_values=((1, 2), (3, 4))), np.pad(a[:k], 1, mode="constant")
    return made, np.pad(a[a[:, 0] > 0], ((0, 0), (1, 1))), np.pad(a[:k], 0)


@case(*ints(M, at=(1, 2, 5)))
def padded_with_own_elements(a, k):
    return [np.pad(a[:k], ((2, 3), (1, 0)), mode=m) for m in ("edge", "wrap", "symmetric", "reflect")]


@case(*ints(M, at=(0, 2, 5)))
def changed_along_a_static_axis(a, k):
    return np.delete(a[:k], [1, -1], axis=1), np.delete(a[:k], 2, 1), np.insert(a[:k], 1, 5.5, axis=1)


@pytest.mark.parametrize("program", case.programs)
def test_rules(program: Worded) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs)
def test_rules_with_no_argument_static(program: Worded) -> None:
    program.check_run_time()

"""Sizes and shapes known only at run time, arrays joined and split, results in containers and text."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.behaviour.dynamic_shapes.argument_sets import Hoped, M, N, V, W, Worded, each, ints
from tests.program_table import Program, Table

case = Table(Worded)
# Those that may be refused.
hoped = Table(Hoped)


# ---- sizes and shapes ------------------------------------------------------------------------------------------------


@case(*ints(V, at=(0, 3, 8, -3)))
def lengths(a, k):
    v = a[k:]
    return len(v), v.size, v.shape, v.shape[0], v.ndim, np.size(v), np.shape(v), np.ndim(v)


@case(*each(M, last=((2, 3), (0, 6), (5, 0))))
def shapes(a, i, j):
    b = a[:i, :j]
    m, n = b.shape
    return b.shape, b.size, len(b), m * n + 1, b.T.shape, b.ndim, n / (m + 1)


@case(*ints(V, at=(0, 3, 8)))
def lengths_in_arithmetic(a, k):
    v = a[:k]
    n = len(v)
    total = v.sum() / max(n, 1)
    if n % 2 == 0:
        total += n // 2
    return total, n > 3, -n, float(n), a[n // 2], v.size**2


@case(*ints(V, at=(0, 3, 8)))
def truth_of_lengths(a, k):
    v = a[:k]
    if not len(v):
        return -1.0
    if v.size == 8:
        return v.max()
    return v[0] + v[-1]


@case((V, 1), (-V, 1))
def the_truth_of_one_element(a, k):
    if a[:k] > 0:
        return 1
    return 2


@case((V, 0), (V, 2))
def the_truth_of_many_elements(a, k):
    if a[:k]:
        return 1
    return 2


@case(*ints(V, at=(0, 3, 8)))
def told_of(a, k):
    part, found = a[:k], {}
    if isinstance(part, np.ndarray) and type(part) is np.ndarray:
        found.update(zip(part, part, strict=True))
    return str(part), repr(part), f"{part}", f"{part!r:>60}", found


@case(*ints(V, at=(0, 3, 8)))
def iterated(a, k):
    total = 0.0
    for x in a[:k]:
        total = total * 0.5 + x
    return total


@case(*ints(V, at=(0, 3, 8)))
def iterated_by_positions(a, k):
    v = a[k:]
    out = np.zeros(8)
    for i in range(len(v)):
        out[i] = v[i] * i
    return out


@case(*ints(V, W, at=(0, 3, 8)))
def enumerated_zipped_reversed(a, b, k):
    total = 0.0
    for i, x in enumerate(a[:k]):
        total += i * x
    for x, y in zip(a[:k], b[k:], strict=False):
        total += x * y
    for x in reversed(a[:k]):
        total = x - total
    return total


@case(*each(M, last=((0,), (2,), (5,))))
def rows_iterated(a, k):
    total = np.zeros(6)
    for row in a[:k]:
        total += row
        total[:k] *= 2
    return total


@case(*ints(N, at=(0, 3, 8)))
def membership(a, k):
    return 2 in a[:k], -3 in a[k:], 100 in a


@case(*each(V, last=((0,), (1,), (8,))))
def one_element_as_a_number(a, k):
    if k == 1:
        return float(a[:k].sum()), a[:1].item()
    return 0.0, 0.0


@case(*ints(V, at=(0, 3, 8)))
def casts_and_copies(a, k):
    v = a[:k]
    return (
        v.astype(np.int64),
        v.astype(np.float32),
        v.copy(),
        np.array(v),
        np.asarray(v),
        v.astype(bool),
        v.astype(complex),
    )


@case(*ints(V, at=(0, 3, 8)))
def flat_forms(a, k):
    v = a[:k]
    return v.ravel(), v.reshape(-1), v.flatten(), v.T, v.reshape(-1, 1), v.reshape(1, -1), np.atleast_2d(v), v[None].T


@case(*each(M, last=((2, 3), (0, 6), (5, 0), (5, 6))), copies=True)
def blocks_flattened(a, i, j):
    b = a[:i, :j]
    return b.ravel(), b.reshape(-1), b.T.flatten(), b.T.copy()


@case(*ints(V, at=(0, 2, 6, 8)))
def reshaped_to_pairs(a, k):
    return a[:k].reshape(-1, 2)


@case(*ints(V, at=(3, 8)))
def reshaped_to_pairs_that_may_not_fit(a, k):
    return a[:k].reshape(-1, 2).sum(axis=1)


@case(*ints(V, at=(0, 3, 8)))
def like_a_window(a, k):
    v = a[:k]
    out = np.zeros_like(v)
    out[:] = v * 2
    return out, np.ones_like(v), np.full_like(v, 2.5), np.empty_like(v).shape, np.zeros_like(v, dtype=int)


@case(*ints(V, at=(0, 3, 8)))
def made_with_the_length_of_a_window(a, k):
    v = a[:k]
    return np.zeros(len(v)), np.arange(v.size), np.ones(v.shape), np.full(len(v), 2)


@case(*ints(V, at=(0, 1, 3, 8)))
def flipped_and_rolled(a, k):
    v = a[:k]
    return np.flip(v), v[::-1], np.roll(v, 1), np.roll(v, -2)


@case(*ints(V, at=(0, 1, 3, 8)))
def repeated_and_tiled(a, k):
    return np.repeat(a[:k], 2), np.tile(a[:k], 2)


@case(*ints(V, W, at=(0, 1, 3, 8)))
def equality_of_arrays(a, b, k):
    return (
        np.array_equal(a[:k], a[:k]),
        np.array_equal(a[:k], b[:k]),
        np.allclose(a[k:], a[k:]),
        np.array_equal(a[:k], a),
    )


# ---- joined ----------------------------------------------------------------------------------------------------------


@case(*each(V, W, last=((0, 0), (3, 2), (8, 8), (0, 8))))
def concatenated(a, b, i, j):
    return np.concatenate([a[:i], b[j:]]), np.concatenate((a[i:], b)), np.concatenate([a[:i], [1.0, 2.0]]).sum()


@case(*each(V, last=((0,), (3,), (8,))))
def appended(a, k):
    return np.append(a[:k], 5.0), np.append(a[:k], a[k:]), np.append(a, a[k:]).size


@case(*each(V, W, last=((0,), (3,), (8,))))
def stacked(a, b, k):
    v, w = a[:k], b[:k]
    return np.stack([v, w]), np.stack([v, w], axis=1), np.vstack([v, w]), np.hstack([v, w]), np.column_stack([v, w])


@case(*each(V, W, last=((3, 3), (3, 2), (0, 1))))
def stacked_lengths_that_may_differ(a, b, i, j):
    return np.stack([a[:i], b[:j]])


@case(*each(V, W, last=((3, 3), (0, 8))))
def rotated_by_concatenation(a, b, i, j):
    return np.concatenate([a[i:], a[:i]]), np.r_[a[:i], b[:j]], np.concatenate([a[:i], a[i + 1 :]])


@case(*each(M, last=((2, 3), (0, 0), (5, 6))))
def blocks_joined(a, i, j):
    return np.vstack([a[:i], a[i:]]), np.concatenate([a[:, j:], a[:, :j]], axis=1), np.hstack([a[:i, :j], a[:i, j:]])


@case(*ints(V, at=(0, 3, 7)))
def deleted_and_inserted(a, k):
    return np.delete(a, k), np.insert(a, k, 100.0)


@case(*ints(V, at=(0, 3, 8)))
def split_at_a_run_time_place(a, k):
    left, right = np.split(a, [k])
    return left, right, left.sum() - right.sum()


@case(*ints(V, at=(0, 3, 8)))
def padded_by_a_static_amount(a, k):
    return np.pad(a[:k], 1), np.concatenate([[0.0], np.cumsum(a[:k])])


# ---- results ---------------------------------------------------------------------------------------------------------


@case(*ints(V, at=(0, 3, 8)))
def in_tuples_lists_and_dicts(a, k):
    return {"head": a[:k], "tail": (a[k:], [a[:k] * 2, k])}, [a[:k]]


@case(*ints(V, at=(0, 3, 8)))
def read_out_of_tuples_and_dicts(a, k):
    d = {"head": a[:k], "tail": a[k:]}
    parts = (d["head"], d["tail"])
    return parts[0].sum() + d["tail"].size, len(parts), [len(p) for p in parts]


@case(*ints(V, at=(0, 3, 8)))
def a_dict_changed_in_a_branch(a, k):
    d = {"v": a[:k]}
    if k > 2:
        d["v"] = a[k:]
        d["v"] += 1
    return d, a


@case(*ints(V, at=(0, 3, 8)))
def into_a_list_of_the_caller(a, k):
    out = []
    out.append(a[:k])
    out.append(a[k:] * 2)
    return out


@case(([], V, 3), ([], V, 0))
def appended_to_a_list_of_the_caller(out, a, k):
    out.append(a[:k] + 1)
    return len(out)


@case(*ints(V, at=(0, 3, 8)))
def unpacked(a, k):
    first, *rest = a[:4]
    v = a[:k]
    return first, rest[0], [*v[:0]], v


@case((V, 3), (V, 2))
def unpacked_from_a_run_time_size(a, k):
    x, y, z = a[:k]
    return x + y * z


@case(*ints(V, at=(0, 3, 8)))
def printed(a, k):
    print("n =", len(a[:k]), a[:k].sum())
    return k


@case(*ints(V, at=(0, 3, 8)))
def shown_as_text(a, k):
    print(a[:k])
    return f"{len(a[k:])}"


@case(*ints(V, at=(0, 3, 8)))
def raised_with_a_length(a, k):
    v = a[:k]
    if len(v) < 3:
        raise ValueError(f"{len(v)} is too short")
    return v.mean()


@case(*ints(V, at=(0, 3, 8)))
def asserted_lengths(a, k):
    assert a[:k].size > 0, "empty"
    return a[:k].max()


def test_selected_elements_of_many_are_the_callers_own():
    def chosen(x, m):
        found = np.nonzero(m)
        return x[m], found[0], x.reshape(20, 50)[m[:20]], found[0]

    x, compiled = np.arange(1000.0), jit(chosen)
    for count in (3, 990, 0, 1000):
        m = np.arange(1000)[::-1] < count
        for _ in range(3):
            result = compiled(x, m)
            for found, expected in zip(result, chosen(x, m), strict=True):
                np.testing.assert_array_equal(found, expected, strict=True)
                assert found.flags.writeable
                assert not np.shares_memory(found, x)
                # Little memory is held by what is small.
                assert found.base is None or found.base.nbytes <= 2 * found.nbytes


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_uses(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_uses_with_no_argument_static(program: Worded) -> None:
    program.check_run_time()

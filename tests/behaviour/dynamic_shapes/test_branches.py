"""Results of different sizes: in branches, in early returns, in loops that shrink and grow arrays and lists."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.dynamic_shapes.argument_sets import NOTHING, Hoped, M, N, S, V, W, Worded, each, ints
from tests.program_table import Program, Table

case = Table(Worded)
# Those that may be refused.
hoped = Table(Hoped)


# ---- branches --------------------------------------------------------------------------------------------------------


@case((V, 1.0), (V, 5.0))
def different_lengths(a, x):
    if a[0] > x:
        b = np.zeros(3)
    else:
        b = np.ones(5)
    return b, len(b), b.sum()


@case((V, 1.0), (V, 5.0))
def different_lengths_of_new_arrays(a, x):
    b = a[:3] * 2 if a[0] > x else a[2:] + 1
    c = b + 1
    c[0] = 9
    return b, c


@case((V, 1.0), (V, 5.0))
def views_of_different_lengths(a, x):
    b = a[:3] if a[0] > x else a[2:]
    b += 100
    return a, b


@case((V, 1), (V, 2), (V, 3), (V, -1))
def more_than_two_lengths(a, k):
    if k == 1:
        b = a[:1]
    elif k == 2:
        b = a[::2]
    elif k == 3:
        b = np.concatenate([a, a])
    else:
        b = np.array([7.0])
    return b, b.size


@case((V, 1.0), (V, 5.0))
def different_dtypes_and_lengths(a, x):
    if a[0] > x:
        b = np.arange(3)
    else:
        b = np.arange(4)
    return b * 2, b.max()


@case((M, 1.0), (M, -50.0))
def different_shapes_of_matrices(a, x):
    if a[0, 0] > x:
        b = a[:2]
    else:
        b = a[1:, :3]
    return b, b.shape, b.sum(axis=0)


@case((M, 1.0), (M, -50.0))
def an_array_or_its_transpose(a, x):
    if a[0, 0] < x:
        a = a.T
    return a.shape, a.sum(axis=1), a


@case((V, 1), (V, 2), (V, 5))
def one_branch_only(a, k):
    if k > 1:
        a = a[1:]
    if k > 3:
        a = np.append(a, [1.0, 2.0])
    return a


@case((V, 0), (V, 1), (V, 5), (V, 8), (V, 9))
def the_argument_or_a_slice_and_a_slice_of_that(a, k):
    b = a
    if a[0] < k:
        b = a[:k]
    return b, b[:], b[1:], [b]


@case((V, 0), (V, 1), (V, 5), (V, 8), (V, 9))
def the_argument_or_a_slice_written_through_a_slice_of_all(a, k):
    b = a
    if a[0] < k:
        b = a[:k]
    if a[2] < k:
        b = b[:]
    b += 1
    return a, b.sum(), len(b)


@case((V, 0), (V, 1), (V, 5), (V, 8))
def a_slice_of_what_a_branch_chose_goes_through_a_loop(a, k):
    b = a if a[0] > k else a[:k]
    for i in range(3):
        if i < k:
            b = b[:]
        b[0] += i
    return a, b.sum(), len(b)


@case((V, 0), (V, 1), (V, 5), (V, 8))
def a_slice_of_all_of_what_a_branch_chose(a, k):
    b = np.append(a, 1.0) if a[0] < k else a
    b = b[:]
    b -= 1
    return b, a


@case((V, 1.0), (V, 5.0))
def early_returns_of_different_lengths(a, x):
    if a[0] > x:
        return a[:3]
    b = a * 2
    return b[b > 0]


@case((V, 1.0), (V, 5.0), (V, 50.0))
def early_returns_in_a_loop(a, x):
    for i in range(8):
        if a[i] > x:
            return a[i:]
    return np.zeros(2)


def trimmed(v):
    if len(v) > 4:
        return v[1:-1]
    return v


@case((V,), (W,))
def a_helper_with_different_lengths(a):
    b = trimmed(a)
    c = trimmed(b[: 4 if a[0] > 2 else 5])
    return trimmed(trimmed(b)), c


@case((V, 1), (V, 2), (V, 3))
def matched_lengths(a, k):
    match k:
        case 1:
            b = a[:2]
        case 2:
            b = a[:5]
        case _:
            b = a
    return b, b.mean()


@case((V, 1.0), (V, 5.0))
def in_containers_of_branches(a, x):
    if a[0] > x:
        d = {"v": a[:2], "n": 2}
    else:
        d = {"v": a[:6], "n": 6}
    return d, d["v"].sum() / d["n"]


@case((V, 1.0), (V, 5.0))
def a_try_with_different_lengths(a, x):
    try:
        if a[0] < x:
            raise ValueError("short")
        b = a[:6]
    except ValueError:
        b = a[:2]
    return b


@case((V, 3), (V, 0), (V, 8))
def a_window_or_a_static_length(a, k):
    b = a[:k]
    if b.sum() > 5:
        b = np.zeros(2)
    return b, len(b)


@case((V, 3), (V, 0), (V, 8))
def none_or_an_array(a, k):
    b = None
    if k > 2:
        b = a[:k]
    if b is None:
        return -1.0
    return b.sum()


# ---- memory that is one of a few ------------------------------------------------------------------------------------


@case((V, 1.0), (V, 5.0))
def an_array_or_a_part_of_it_written(a, x):
    b = a if a[0] > x else a[1:]
    b[0] = 9
    a[1] += 1
    return b


@hoped((V, 1.0), (V, 5.0))
def a_shorter_array_of_the_caller_written(a, x):
    if a[0] > x:
        a = a[:-2]
    a[1] = 5
    a[a > 4] += 1
    return a


@case((V, 1.0), (V, 5.0))
def an_array_or_a_new_one_written(a, x):
    b = a if a[0] > x else np.zeros(2)
    b += 1
    return b


@hoped((V, 3), (V, 0))
def a_part_found_by_a_loop_written(a, n):
    while n > 0:
        a = a[1:]
        n -= 1
    a[0] = 7
    return a


@case((V, 3.0), (V, 20.0))
def a_grown_array_written(a, x):
    out = a[:1].copy()
    while out.sum() < x:
        out = np.append(out, 2.0)
        out[0] += 1
        a[0] += 1
    out *= 2
    return out


@case((V, W, S[0], 1, 0), (V, W, S[0], 1, 1))
def one_of_three_written(a, b, c, p, q):
    if p > 0:
        if q > 0:
            d = a
        else:
            d = b
    else:
        d = c
    d[0] = 9
    return d


# ---- loops that shrink -----------------------------------------------------------------------------------------------


@case((V,), (W,), (NOTHING,))
def pairs_summed_until_one_is_left(a):
    while len(a) > 1:
        a = a[::2] + a[1::2]
    return a


@case((V[:7].copy(),), (W[:7].copy(),))
def adjacent_differences_until_one_is_left(a):
    first = []
    while a.size > 1:
        first.append(a[0])
        a = np.diff(a)
    return a, len(first)


@case((V,), (W,), (NOTHING,), copies=True)
def both_ends_dropped(a):
    n = 0
    while len(a) >= 2 and a[0] != a[-1]:
        a = a[1:-1]
        n += 1
    return a, n


@case((N,), (np.array([0, 0, 3, 0, 1, 0, 0, 0]),), (N * 0,), copies=True)
def zeros_trimmed(a):
    while a.size and a[0] == 0:
        a = a[1:]
    while a.size and a[-1] == 0:
        a = a[:-1]
    return a


@case((N, 3), (N, 1), (N, 8))
def survivors_of_a_circle(a, step):
    people = np.arange(8)
    at = 0
    while len(people) > 1:
        at = (at + step - 1) % len(people)
        people = np.delete(people, at)
    return people, a[people[0]]


@case((N, 3), (N, 1), (N, 8))
def survivors_of_a_circle_by_joining(a, step):
    people = np.arange(8)
    at = 0
    while len(people) > 1:
        at = (at + step - 1) % len(people)
        people = np.concatenate([people[:at], people[at + 1 :]])
    return people, a[people[0]]


@case((V,), (W,), (NOTHING,))
def the_least_taken_again_and_again(a):
    total = 0.0
    weight = 1.0
    while a.size:
        i = a.argmin()
        total += weight * a[i]
        weight *= 0.5
        a = np.concatenate((a[:i], a[i + 1 :]))
    return total


@case((31,), (2,), (20,))
def a_sieve_that_filters(n):
    left = np.arange(2, 32)
    left = left[left <= n]
    out = np.zeros(12, dtype=np.int64)
    k = 0
    while left.size > 0:
        p = left[0]
        out[k] = p
        k += 1
        left = left[left % p != 0]
    return out[:k]


@case((V, 4.0), (V, 100.0), (np.sort(V), -1.0))
def the_kth_smallest_by_partition(a, x):
    k = 3
    while a.size > 1:
        p = a[a.size // 2]
        low, same, high = a[a < p], a[a == p], a[a > p]
        if k < low.size:
            a = low
        elif k < low.size + same.size:
            return p + x * 0
        else:
            k -= low.size + same.size
            a = high
    return a[0]


# ---- loops that grow -------------------------------------------------------------------------------------------------


@case((3,), (0,), (10,))
def grown_by_append(n):
    out = np.zeros(0)
    for i in range(n):
        out = np.append(out, i * 0.5)
    return out, out.size


@case((3,), (0,), (9,))
def grown_by_concatenate(n):
    out = np.array([1.0])
    for i in range(n):
        out = np.concatenate([out, [out[-1] * 2 + i]])
    return out


@case((V, 3.0), (V, 100.0), (W, 0.0))
def grown_under_a_condition(a, x):
    out = np.zeros(0)
    for v in a:
        if v > x:
            out = np.append(out, v)
    return out, len(out)


@case((1.0,), (20.0,), (1000.0,))
def grown_while(x):
    out = np.array([1.0, 1.0])
    while out[-1] < x:
        out = np.append(out, out[-1] + out[-2])
    return out


@case((6,), (7,), (27,), (1,))
def steps_of_collatz(n):
    path = np.array([n])
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        path = np.append(path, n)
    return path, len(path), path.max()


@case((0,), (7,), (1024,), (12345,))
def digits_of_an_int(n):
    digits = []
    while n > 0:
        digits.append(n % 10)
        n //= 10
    return digits[::-1], sum(digits)


@case((0,), (7,), (1024,), (12345,))
def digits_as_an_array(n):
    digits = np.zeros(0, dtype=np.int64)
    while n > 0:
        digits = np.concatenate([[n % 10], digits])
        n //= 10
    return digits


@case((3,), (1,), (5,))
def doubled_in_a_loop(n):
    a = np.array([1, 2])
    for _ in range(n):
        a = np.concatenate([a, a[::-1] + 1])
    return a, a.sum()


@case((3,), (0,), (5,))
def look_and_say(n):
    a = np.array([1])
    for _ in range(n):
        edges = np.flatnonzero(np.diff(a)) + 1
        starts = np.concatenate([[0], edges])
        stops = np.concatenate([edges, [len(a)]])
        a = np.column_stack([stops - starts, a[starts]]).ravel()
    return a


@case((3,), (0,), (5,))
def rows_grown_by_vstack(n):
    rows = np.zeros((1, 3))
    for i in range(n):
        rows = np.vstack([rows, rows[-1] + i])
    return rows, rows.shape


@case((V, 3.0), (V, 100.0), (W, 0.0))
def a_list_grown_under_a_condition(a, x):
    out = []
    for v in a:
        if v > x:
            out.append(v)
    return np.array(out), len(out)


@case((V, 3.0), (V, 100.0), (W, 0.0))
def a_list_of_positions(a, x):
    out = []
    for i in range(len(a)):
        if a[i] > x:
            out.append(i)
    return out


@case((V, 3.0), (V, 100.0), (W, 0.0))
def a_comprehension_with_a_condition(a, x):
    return [v * 2 for v in a if v > x], sum(1 for v in a if v > x)


@case((V, 3.0), (V, 100.0), (W, 0.0))
def filtered(a, x):
    return list(filter(lambda v: v > x, a))


@case((V, 3.0), (V, -100.0), (W, 0.0))
def a_stack_with_pop(a, x):
    stack = []
    for v in a:
        while stack and stack[-1] > v:
            stack.pop()
        stack.append(v)
    return stack, len(stack), stack[-1] + x


@case((V,), (W,), (np.arange(8.0)[::-1].copy(),))
def next_greater_elements(a):
    out = np.full(len(a), -1.0)
    stack = []
    for i in range(len(a)):
        while stack and a[stack[-1]] < a[i]:
            out[stack.pop()] = a[i]
        stack.append(i)
    return out


@case((V,), (W,), (np.arange(8.0),))
def the_longest_increasing_subsequence(a):
    tails = []
    for x in a:
        i = 0
        while i < len(tails) and tails[i] < x:
            i += 1
        if i == len(tails):
            tails.append(x)
        else:
            tails[i] = x
    return len(tails), tails


@case((V,), (W,), (np.array([1.0, 1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 1.0]),))
def runs_encoded(a):
    values, counts = [], []
    for x in a:
        if values and values[-1] == x:
            counts[-1] += 1
        else:
            values.append(x)
            counts.append(1)
    return np.array(values), np.array(counts)


@case((np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]), 0), (np.ones((4, 4), dtype=int), 2))
def breadth_first_with_a_queue(graph, start):
    n = len(graph)
    seen = np.zeros(n, dtype=bool)
    seen[start] = True
    queue = [start]
    order = []
    while queue:
        node = queue.pop(0)
        order.append(node)
        for other in range(n):
            if graph[node, other] and not seen[other]:
                seen[other] = True
                queue.append(other)
    return order, seen


@case((np.array([[1, 1, 0, 0], [0, 1, 0, 1], [1, 0, 0, 1], [0, 0, 1, 1]]),), (np.zeros((4, 4), dtype=int),))
def connected_components(image):
    h, w = image.shape
    labels = np.zeros((h, w), dtype=np.int64)
    current = 0
    for y in range(h):
        for x in range(w):
            if image[y, x] and labels[y, x] == 0:
                current += 1
                stack = [(y, x)]
                labels[y, x] = current
                while stack:
                    i, j = stack.pop()
                    for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                        p, q = i + di, j + dj
                        if 0 <= p < h and 0 <= q < w and image[p, q] and labels[p, q] == 0:
                            labels[p, q] = current
                            stack.append((p, q))
    return labels, current


@case((np.array([1.0, 4.0, 6.0, 0.0]), np.array([2.0, 3.0, 5.0, 9.0])))
def merged_in_order(a, b):
    a = np.sort(a)
    out = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    return np.concatenate([np.array(out), a[i:], b[j:]])


@case((0.1, 1.0), (0.3, 2.0), (5.0, 1.0))
def times_of_an_adaptive_integration(step, end):
    times, values = [0.0], [1.0]
    while times[-1] < end:
        h = min(step, end - times[-1])
        values.append(values[-1] * (1 - h))
        times.append(times[-1] + h)
    return np.array(times), np.array(values)


@hoped((V, 100.0), (W, 3.0))
def rows_of_lists_into_a_matrix(a, x):
    rows = []
    for i in range(len(a)):
        if a[i] < x:
            rows.append([a[i], i * 1.0])
    return np.array(rows).shape[0], len(rows)


@case((V, 3.0), (V, 100.0), (W, 0.0))
def arrays_in_a_grown_list(a, x):
    parts = [np.zeros(2)]
    for i in range(6):
        if a[i] > x:
            parts.append(a[i : i + 2])
    return np.concatenate(parts), np.stack(parts).sum(axis=0)


@case((V, 3.0), (V, 100.0))
def extended_lists(a, x):
    out = [0.0]
    for v in a:
        if v > x:
            out.extend([v, -v])
        else:
            out += [v]
    return out, len(out)


@case((V, 3.0), (V, 100.0), (NOTHING, 0.0))
def an_empty_list_popped(a, x):
    out = []
    for v in a:
        if v > x:
            out.append(v)
    return out.pop()


@case((V, 3.0, 0), (V, 3.0, 3), (V, 3.0, 4), (V, 3.0, -4), (V, 3.0, -5))
def an_item_of_a_grown_list(a, x, i):
    out = []
    for v in a:
        if v > x:
            out.append(v)
    return out[i]


@case((V, 3.0), (V, 100.0))
def a_grown_list_sliced_and_iterated(a, x):
    out = []
    for v in a:
        if v > x:
            out.append(v)
    total = 0.0
    for v in out:
        total += v
    return out[1:], out[::-1], total, [v + 1 for v in out], max(out, default=0.0)


# ---- sizes made of numbers -------------------------------------------------------------------------------------------


@case(*ints(V, at=(0, 1, 5)))
def made_by_run_time_sizes(a, k):
    n = (a[:k] > 0).sum()
    return np.zeros(n), np.ones((n, 2)), np.full(n, 2.5), np.arange(n), np.arange(1, n + 1) * 0.5, np.eye(n)


@case((V,), (NOTHING,))
def linspace_of_a_run_time_size(a):
    n = int((a > 0).sum())
    return np.linspace(0, 1, n + 1), np.linspace(0.0, 1.0, n + 2)[1:-1]


@case((V,), (NOTHING,))
def ranges_of_a_run_time_size(a):
    n = int((a > 0).sum())
    return np.arange(n, 2 * n), np.arange(0, n, 2), np.arange(n)[::-1], np.arange(n).sum(), np.arange(n * 1.0)


@case((N, V), (N * 0, V))
def repeated_by_counts(counts, values):
    return np.repeat(values, np.maximum(counts, 0))


@case((V,), (NOTHING,))
def tiled_by_a_run_time_number(a):
    n = int((a > 6).sum())
    return np.tile(a[:2], n), np.repeat(a[:3], n), np.tile(a[:2], n + 1).shape


@case((V,), (NOTHING,))
def filled_in_a_loop(a):
    n = int((a > 0).sum())
    out = np.empty(n)
    for i in range(n):
        out[i] = i * a[i]
    return out


@case((V,), (NOTHING,))
def a_matrix_of_a_run_time_size(a):
    n = int((a > 0).sum())
    m = np.zeros((n, n))
    for i in range(n):
        m[i, i] = a[i]
        m[i, :i] = 1
    return m, m.sum(axis=1)


@case((V, -1), (-V, -2))
def a_negative_size(a, k):
    n = int((a > 0).sum()) * 0 + k
    return np.zeros(n)


@hoped((S, 3.0), (S, 100.0))
def a_submatrix_of_found_rows(a, x):
    keep = np.flatnonzero(np.diag(a) > x)
    return a[np.ix_(keep, keep)], a[keep][:, keep].sum()


@case(*each(V, last=((2,), (3,), (8,))))
def chunks_in_a_list(a, size):
    total = []
    for start in range(0, len(a), size):
        total.append(a[start : start + size].sum())
    return np.array(total)


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_branches(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_branches_with_no_argument_static(program: Worded) -> None:
    program.check_run_time()

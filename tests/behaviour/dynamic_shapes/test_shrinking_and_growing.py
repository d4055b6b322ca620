"""Arrays and lists that get shorter or longer in each step of a loop."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.dynamic_shapes.argument_sets import NOTHING, Hoped, N, V, W, Worded
from tests.program_table import Program, Table

case = Table(Worded)
# Those that may be refused.
hoped = Table(Hoped)


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


@case((V, N, 5), (W, N, 1), (V, N[:8] * 0, 0), (NOTHING, N, 4))
def several_shortened_by_one_mask(a, b, n):
    z, out, alias = np.zeros(a.shape), np.zeros(8), a
    k = np.arange(8)
    for i in range(n):
        if not len(z):
            break
        np.multiply(z, z, z)
        z += a
        kept = z < 40
        out[k[~kept]] = z[~kept]
        z, k, a, b = z[kept], k[kept], a[kept], b[kept]
    return z, k, a, b, out, alias


@case((V, 1), (V, 0), (V, 3), (W, 8))
def a_mask_of_another_size_than_the_shortened(a, n):
    b = a[a > 1]
    k = (a > 1)[a > -2]
    if n == 1:
        return a[k]
    if n == 3:
        return b[k[:3]]
    return b[b > 3][: 1 + n], b[(b > 3)[: len(b)]]


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


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_branches(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_branches_with_no_argument_static(program: Worded) -> None:
    program.check_run_time()

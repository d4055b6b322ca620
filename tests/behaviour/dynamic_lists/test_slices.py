"""Slices of lists with bounds known only at run time: read, assigned, deleted."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import ConcretizationError, StructureMismatchError, jit
from tests.program_table import Program, Table

case = Table()
BOUNDS = np.array([1, -2])
EMPTY = np.array([9, -9])


@case(([1, 2, 5], [7, 8], 3), ([4, 5], [1], 2))
def whole_lists_set_to_parts(head, tail, n):
    for i in range(n - 1, -1, -1):
        if head[i] < 3:
            break
    else:
        return None
    i += 1
    head[i:], tail[:] = tail[: n - i], tail[n - i :]
    return head, tail


@case(([1.0, 2.0, 3.0, 4.0], BOUNDS), ([1.0], EMPTY))
def of_an_argument(items, bounds):
    i, j = int(bounds[0]), int(bounds[1])
    return items[:i], items[j:], items[i:j], items[bounds[0] :], sum(items[j:])


@case(([1.0, 2.0, 3.0, 4.0], BOUNDS), ([1.0], EMPTY))
def with_a_step(items, bounds):
    i, j = bounds
    return items[i::2], items[:i:3], items[j::2], items[::2][:i]


STEPS = [*range(-3, 4), 100, -100, 2**62, -(2**63)]


@case(*[([1, -2, 3, 4, 5, -1, 6], 1, 5, k) for k in STEPS], *[([1, 2, 3], p, q, -1) for p, q in ((9, -9), (-9, 9))])
def with_a_step_known_only_at_run_time(items, i, j, k):
    kept = [x for x in items if x > 0]
    return kept[i:j:k], kept[::k], kept[j::k], kept[:i:k], kept[-2:j:k], kept[3::-1], kept[:i:-2]


@case(([1, 2, 3], BOUNDS), ([], EMPTY))
def with_a_step_back(items, bounds):
    return items[: bounds[0] : -1], items[bounds[1] :: -1]


@case((["a", "b", "c", "d"], BOUNDS))
def spliced_texts(names, bounds):
    i = int(bounds[0])
    return [*names[:i], names[i] + names[i + 1], *names[i + 2 :]], names


@case(([{"a": 1}, {"a": 2}], BOUNDS))
def of_records_that_change(rows, bounds):
    for row in rows[: bounds[0]]:
        row["a"] += 5
    return rows


@case(([1, 2, 3], BOUNDS), ([], EMPTY))
def assigned(items, bounds):
    items[bounds[0] : bounds[1]] = (x for x in (7, 8, 9))
    items[: bounds[0]] = bounds * 0.5
    items[bounds[0] : bounds[0]] = items
    return items


@case(([1, 2, 3], BOUNDS), ([1], BOUNDS))
def merged_in_a_loop(items, bounds):
    other = items
    while len(items) > 1:
        items[:2] = [items[0] + items[1]]
        items[bounds[0] : bounds[0]] = []
    return other


@case(([1, 2, 3], BOUNDS))
def no_iterable(items, bounds):
    items[bounds[0] :] = 5


@case(([1, 2, 3], BOUNDS), ([], EMPTY))
def deleted(items, bounds):
    del items[bounds[1] :]
    return items, len(items)


@case((np.array([3, 1, 2]), BOUNDS), (np.array([1.5]), EMPTY))
def of_what_a_method_made(array, bounds):
    items = array.tolist()
    return items[: bounds[0]], items[bounds[1] :]


@case((np.array([3, 1, 2, 9, 3]),), (np.array([1]),))
def merge_sort(array):
    def merged(items):
        if len(items) < 2:
            return items
        middle = len(items) // 2
        left, right = merged(items[:middle]), merged(items[middle:])
        made, i, j = [], 0, 0
        while i < len(left) and j < len(right):
            if left[i] <= right[j]:
                made.append(left[i])
                i += 1
            else:
                made.append(right[j])
                j += 1
        return made + left[i:] + right[j:]

    return merged(array.tolist())


@case(([1, 2, 3], np.array([0.5])))
def no_index(items, bounds):
    return items[: bounds[0]]


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


@pytest.mark.parametrize(
    ("items", "told"),
    [((1, 2), r"list\(items\)\[start:stop\]"), ([np.zeros(2), np.ones(2)], "range"), ([[1], [2]], "np.array")],
)
def test_what_is_refused_says_what_to_write(items, told):
    with pytest.raises(ConcretizationError, match=told):
        jit(lambda items, bounds: items[: bounds[0]])(items, BOUNDS)


def backwards(n, i, j):
    items = [1.5 * k for k in range(n)]
    return items[i:j:-1], items[i:j:-2], items[i::-1], items[:j:-3], items[::-2], items[:-2:-1], len(items[i:j:-1])


def test_steps_that_go_back():
    compiled = jit(backwards, auto_static=False)
    for n in (0, 1, 5):
        for i in (0, 2, 9, -1, -4, -9):
            for j in (0, 1, 9, -1, -3, -9):
                assert compiled(n, i, j) == backwards(n, i, j)


def test_texts_of_items_that_a_loop_makes_are_refused():
    def joined(names, bounds):
        i = int(bounds[0])
        while len(names) > 2:
            names = [*names[:i], f"({names[i]},{names[i + 1]})", *names[i + 2 :]]
        return names

    with pytest.raises(StructureMismatchError, match="keep numbers in the list"):
        jit(joined)(["a", "b", "c", "d"], BOUNDS)

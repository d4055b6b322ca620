"""Iterators of the user's classes, and the standard library's, asked for values known only at run time."""

from __future__ import annotations

import itertools
from collections import deque
from unittest import mock

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.program_table import Program, Table

case = Table()


class Up:
    """Counts up to a number that may be known only at run time."""

    def __init__(self, n):
        self.n = n
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


class Each:
    """Goes over an array."""

    def __init__(self, a):
        self.a = a
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.i += 1
        if self.i > len(self.a):
            raise StopIteration
        return self.a[self.i - 1]


class Makes:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return Up(self.n)


@case((4,), (0,), (100,))
def summed_in_a_loop(n):
    total = 0
    for i in Up(n):
        total += i
    return total


@case((4,), (0,), (9,), (20,))
def left_in_three_ways(n):
    total = 0
    for i in Up(n):
        if i == 3:
            continue
        if i > 12:
            return -total
        if total > 30:
            break
        total += i
    else:
        total = total * 10
    return total


@case((4,), (0,))
def gone_on_with(n):
    up = Up(n)
    for i in up:
        if i == 2:
            break
    return sum(up), up.i


@case((4,), (0,))
def as_a_list_and_a_sum(n):
    return list(Up(n)), sum(Up(n)), max(Up(n + 1)), [i * 2 for i in Up(n)]


@case((4,), (0,))
def made_by_an_iterable(n):
    made = Makes(n)
    return list(made), sum(made), [i * 2 for i in made]


@case((2.0,))
def of_a_known_length(x):
    up = Up(3)
    return next(up) * x + sum(i * x for i in up), [i * x for i in Up(3)], next(Up(0), x)


@case((np.arange(4.0),))
def over_an_array(a):
    total = 0.0
    for v in Each(a):
        total += v
    return total


@case((0, 10, 3), (10, 0, -3), (3, 1, 1))
def reversed_ranges(begin, end, step):
    return list(reversed(range(begin, end, step))), sum(reversed(range(begin, end, step)))


@case((4,), (0,))
def listed(n):
    items = list(reversed(range(n)))
    items.append(7)
    return items, tuple(reversed(range(n))), list(enumerate(range(n))), np.array(list(reversed(range(n + 1))))


@case((2.0, 3), (2.0, 0), (2.0, -1), (np.ones(2), 2))
def repeated(x, n):
    return list(itertools.repeat(x, n))


@case((2.0, 2), (2.0, 0), (2.0, 7), (2.0, -1))
def a_queue_of_some_length(x, n):
    queue = deque([x, x + 1], maxlen=n)
    for i in range(5):
        queue.append(x * i)
    return queue, deque([x], n)


class A:
    def __init__(self, v):
        self.v = v


class B(A):
    pass


@case((0.5,), (2.0,))
def the_name_of_a_class(x):
    o = A(x) if x > 1 else B(x)
    return type(o).__name__, type(o).__qualname__, f"{o.__class__.__name__}: {o.v}", type(o).__name__ == "A"


@case(([5, 2, 8, 2, 9, 1], 3), ([5, 2, 8, 2, 9, 1], 0), ([5, 2], 2))
def asked_in_a_loop(items, n):
    one, both, numbered = iter(items), zip(items, items[::-1], strict=False), enumerate(itertools.chain(items, (7,)))
    found = []
    for _ in range(n):
        found.append((next(one), next(both), next(numbered)))
    return found, next(one, None), list(both), list(numbered)


@case((np.uint8(254), np.arange(3.0)), (True, np.arange(2)), (-1, np.arange(2)))
def numbered_from(n, a):
    return [i for i, _ in enumerate(a, n)], [(i, x) for i, x in enumerate(range(2), start=n)]


@case((3,), (1,))
def asked_by_an_inner_function(n):
    items = iter((1, 2, 3))

    def following():
        return next(items, 0)

    total = 0
    for i in range(n):
        total = total * 10 + following()
        again = reversed([i, i + 1, i + 2])
        for _ in range(i):
            total += next(again)
    return total, following()


@case((np.array([3, 1, 2, 1, 3, 3]),), (np.array([1, 2]),))
def asked_under_conditions(a):
    numbers, labels = itertools.count(1), {}
    signs, names = itertools.cycle([1, -1]), itertools.cycle("ab")
    rest, queue = iter(a), [1]
    waiting = iter(queue)
    total, found = 0, []
    for x in rest:
        if int(x) not in labels:
            labels[int(x)] = next(numbers)
        if x > 1:
            queue.append(int(x))
            total += next(signs) * next(rest, 0)
            found.append((next(names), next(waiting, -1)))
    return labels, total, found, next(waiting, None), next(numbers), queue


@case((np.array([3, 1, 2, 1, 3, 3]),))
def asked_in_the_loops_over_them(a):
    numbered, pairs, last, known = enumerate(a, 1), zip(a, 2 * a, strict=False), reversed(a.tolist()), [1, 2]
    squares, large, doubled = map(lambda x: x * x, a), filter(lambda x: x > 1, a), (2 * x for x in a if x > 1)
    found, again = [], itertools.cycle(known)
    for i, x in numbered:
        if x == 1:
            found.append((i, next(numbered, None), next(last, 0), next(large)))
    for x, y in pairs:
        if x > y:
            found.append(next(pairs, None))
            found.append(next(squares) + next(doubled) + next(again))
    return found, list(pairs), next(last), sum(large), next(doubled), next(again), known


@case(([5, 2, 8, 2, 9, 1],))
def until_there_is_none(items):
    values, found = iter(items), []
    try:
        while True:
            x = next(values)
            if x > 4:
                found.append(next(values) * x)
    except StopIteration:
        found.append(-1)
    return found


@case((2,), (0,))
def held_by_a_dict(n):
    held = {"items": iter([1, 2, 3])}
    total = 0
    for _ in range(n):
        total += next(held["items"])
    return total, next(held["items"])


def above(a, least):
    for x in a:
        if x > least:
            yield x


class Above:
    """The values above a number, by a generator, each time."""

    def __init__(self, a, least):
        self.a, self.least = a, least

    def __iter__(self):
        return above(self.a, self.least)


class Found:
    """The values above a number, once."""

    def __init__(self, a, least):
        self.a, self.least, self.i = a, least, 0

    def __iter__(self):
        return self

    def __next__(self):
        while self.i < len(self.a):
            x = self.a[self.i]
            self.i += 1
            if x > self.least:
                return x
        raise StopIteration


A = np.array([1.0, 3, 2, 4])


@case((A, 2), (A, 1), (A, 3))
def unpacked(a, least):
    x, y = Above(a, least)
    (z, w), one = Found(a, least), 1
    return x + y * z - w * one


@case((A, 2), (A, 1), (A, 3))
def unpacked_under_way(a, least):
    items = above(a, least)
    first = next(items, 0.0)
    (last,) = items
    return first, last


@case((A, 2), (A, 5))
def by_itertools(a, least):
    some = Above(a, least)
    return (
        list(itertools.chain(some, Found(a, least), some)), list(itertools.chain.from_iterable([some, a])),
        list(itertools.accumulate(some)), list(itertools.islice(some, 1, None)), list(itertools.pairwise(some)),
        list(itertools.product(some, above(a, least))), list(itertools.product(above(a, least), repeat=2)),
        list(itertools.combinations(some, 2)), list(itertools.dropwhile(lambda x: x < 4, some)),
    )  # fmt: skip


@case((A, 2), (A, 5))
def moved_by_itertools(a, least):
    items = Found(a, least)
    return list(itertools.islice(items, 1)), items.i, list(items), items.i


@case((A, 2), (A, 3), (A, 5))
def of_a_list(a, least):
    some = [x for x in a if x > least]
    items = iter(some)
    first = next(items, 0.0)
    return first, list(items), next(iter(some))


@case((A, 2), (A, 1), (A, 3))
def from_iterators(a, least):
    return (
        np.fromiter(Above(a, least), float), np.fromiter((x * 2 for x in a), np.float32), np.fromiter([a[0], 2], int),
        np.fromiter((x > least for x in a), bool, count=2), np.fromiter(above(a, least), float, count=2),
    )  # fmt: skip


FOUND = [(np.array([1, 3, 4]), 3), (np.array([], int), 1), (np.array([1]), 9)]


@case(*FOUND)
def searched_and_gone_over(a, k):
    it = iter(a.tolist())
    return k in it, list(it)


@case(*FOUND)
def pairs_searched_and_gone_over(a, k):
    it = enumerate(a.tolist())
    return (1, k) in it, list(it)


@case(*FOUND)
def subsequence(a, k):
    it, again = iter(a), iter(range(k))
    return all(item in it for item in [1, k]), all(item in again for item in a.tolist())


@pytest.mark.parametrize("program", case.programs)
def test_as_eager(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_as_eager_with_static_arguments(program: Program) -> None:
    program.check_static()


def test_a_count_of_floats_adds_its_step() -> None:
    def f(a, h):
        times = [t * x for t, x in zip(itertools.count(0.0, h), a, strict=False)]
        for t in itertools.count(h, h):
            if t * a[3] > 5:
                break
        return times, t

    assert jit(f)(np.arange(12.0), 0.1) == f(np.arange(12.0), 0.1)


def test_a_list_that_changes_while_it_is_cycled_is_refused() -> None:
    def f(x):
        held = [1, 2, 3]
        again, found = itertools.cycle(held), []
        for v in x:
            if v > 1:
                held[2] = int(v)
                found.append(next(again))
        return found

    with pytest.raises(UnsupportedOperationError, match=r"go over tuple\(the list\)"):
        jit(f)(np.array([3, 1, 2]))


def helper(x):
    return x + 1


def calls_the_helper(x):
    return helper(x)


def test_a_helper_patched_by_a_function() -> None:
    f = jit(calls_the_helper)
    assert f(2.0) == 3.0
    with mock.patch(f"{__name__}.helper", lambda x: x * 100):
        assert f(2.0) == 200.0
    assert f(2.0) == 3.0


@pytest.mark.parametrize("how", [{"return_value": 5}, {"side_effect": lambda x: x}, {"autospec": True}])
def test_a_helper_patched_by_a_mock(how) -> None:
    f = jit(calls_the_helper)
    with mock.patch(f"{__name__}.helper", **how), pytest.raises(UnsupportedOperationError, match="mock"):
        f(2.0)
    assert f(2.0) == 3.0


@pytest.mark.parametrize(
    "program", [lambda n: list(reversed(enumerate(range(n)))), lambda n: list(reversed(zip(range(n))))]
)
def test_an_iterator_is_not_reversed_in_the_words_of_python(program) -> None:
    with pytest.raises(TypeError) as eager:
        program(3)
    with pytest.raises(TypeError) as jitted:
        jit(program)(3)
    assert str(jitted.value) == str(eager.value)


def chosen_in_a_loop(a):
    total = 0
    for k in a:
        down = reversed(range(k)) if k > 1 else reversed(range(2, 5))
        for i in down:
            total = total * 3 + i
        if k > 2:
            both, numbered = zip(range(k), range(4), strict=False), enumerate(range(k), k)
        else:
            both, numbered = zip(range(2, 5), range(k), strict=False), enumerate(range(3))
        for i, j in both:
            total += i * j
        for i, j in numbered:
            total += i * j
    return total


@pytest.mark.parametrize("native_loops", [True, False])
def test_iterators_over_ranges_are_chosen_at_run_time(native_loops) -> None:
    wrapped = jit(chosen_in_a_loop, native_loops=native_loops)
    for a in (np.array([3, 1, 2]), np.array([0, 5, 4]), np.array([1, 1, 1])):
        assert wrapped(a) == chosen_in_a_loop(a)


def test_two_iterators_of_one_form_are_chosen_at_run_time() -> None:
    def f(n):
        r = zip(range(n), range(n, 9), strict=False) if n > 3 else zip(range(3), range(2), strict=False)
        total = 0
        for i, j in r:
            total = total * 5 + i - j
        return total

    for n in (1, 4, 12, 0):
        assert jit(f)(n) == f(n)


@case((np.array([3, 2]),), (np.array([0, 4]),))
def an_iterator_that_steps_of_a_loop_share(a):
    pairs, total = enumerate(range(a[0])), 0
    for _ in range(a[1]):
        for i, _ in pairs:
            total = total * 3 + i
    return total


def down(n):
    while n > 0:
        yield n
        n -= 1


@case((2,), (0,))
def an_iterator_of_a_dict_that_a_dict_holds(n):
    held, total = {"items": iter({1: 2, 3: 4, 5: 6})}, 0
    for _ in range(n):
        total += next(held["items"])
    return total, next(held["items"])


@case((np.array([5, 3, 5]),), (np.array([1, 2, 4]),))
def iterators_of_dicts_asked_under_conditions(a):
    known, counts = {"x": int(a[0]), "y": 2, "z": 3}, {int(v): 1 for v in a}
    items, keys = iter(known.items()), iter(counts)
    pair, key = next(items), next(keys)
    if pair[1] > 4:
        pair = next(items)
        key += next(keys)
    return pair, key, list(items), [a + b for a, b in itertools.pairwise(known.values())]


@case((np.array([5, 3]),), (np.array([1, 2]),))
def a_dict_that_changes_between_two_items(a):
    known = {"x": 1, "y": 2}
    keys = iter(known)
    first = next(keys)
    if a[0] > 4:
        known["z"] = 3
    if a[1] > 2:
        first += next(keys)
    return first


SIZES = (np.array([5]),), (np.array([2]),), (np.array([0]),)


@case(*SIZES)
def iterators_that_end_at_run_time_side_by_side(a):
    n, up = int(a[0]), Up(int(a[0]))
    total = sum(x * y for x, y in zip(Up(n), itertools.count(1)))
    return (
        list(zip(Up(n), Up(3), strict=False)),
        list(zip(up, up, strict=False)),
        up.i,
        total,
        list(map(max, Up(n), [1, 9, 2])),
    )


@case((5,), (0,))
def side_by_side_where_lists_may_grow(n):
    items, rows = iter(range(n)), []
    try:
        while True:
            rows.append([next(items) for _ in range(2)])
    except StopIteration:
        rows.append([n])
    return list(zip(Up(n), Up(3), strict=False)), list(zip(Up(n), "abcd", strict=False)), rows


@case(*SIZES[:1])
def generators_that_end_at_run_time_side_by_side(a):
    n, pairs = int(a[0]), zip(down(int(a[0])), down(3), strict=False)
    first = next(pairs, None)
    return first, list(pairs), dict(zip((x for x in range(n) if x % 2), down(n + 1), strict=False))


@case(*SIZES)
def a_generator_that_is_asked_before_it_is_enumerated(a):
    items, first = down(int(a[0])), 0
    if a[0] > 2:
        first = next(items)
    numbered = enumerate(items, 5)
    return first, next(numbered, None), [i * v for i, v in numbered], list(map(abs, items))


@case(*SIZES)
def cycles_of_iterators(a):
    kept = [x for _, x in zip(range(6), itertools.cycle(filter(lambda x: x < a[0], [1, 2, 3])))]
    return kept, list(itertools.islice(itertools.cycle(Up(int(a[0]))), 7))


@case(*SIZES)
def items_of_a_known_list_by_conditions_of_run_time(a):
    xs = [int(a[0]), 3, 4]
    return (
        list(itertools.dropwhile(lambda x: x > 4, xs)),
        list(itertools.filterfalse(lambda x: x > 3, xs)),
        list(itertools.compress(xs, [x > 3 for x in xs])),
    )


@case(*SIZES[:2])
def first_items_of_known_ones(a):
    n, items = int(a[0]), iter([4, 5, 6])
    first = list(itertools.islice(items, n))
    return first, list(items), list(itertools.islice([1, 2, 3], n)), list(itertools.islice({"a": 1, "b": 2}, n - 1))


@case((np.array([5, 1, 4]),), (np.array([0]),))
def cycles_of_lists_of_run_time_length(a):
    kept = [int(v) for v in a if v > 1]
    return list(itertools.islice(itertools.cycle(kept), 5))


@case(*SIZES)
def first_items_of_an_endless_generator(a):
    def evens():
        n = 0
        while True:
            yield n
            n += 2

    return list(itertools.islice(evens(), int(a[0])))


def test_an_iterator_chosen_at_run_time_is_used_once() -> None:
    def f(n):
        r = reversed(range(n)) if n > 3 else reversed(range(5))
        return [sum(i for i in r), sum(i for i in r)]

    with pytest.raises(UnsupportedOperationError, match="a second time"):
        jit(f)(4)

"""Generators of the user's own: functions with `yield`, and what uses them up."""

from __future__ import annotations

import collections.abc
import contextlib
import gc
import itertools
import threading
import types

import numpy as np
import pytest

from anabranch import ConcretizationError, UnsupportedConstructError, UnsupportedOperationError, configure, jit
from anabranch.runtime.control.iteration.pull_iteration import THREAD
from tests.program_table import Program, Table

case = Table()
A = np.array([1.0, -2.0, 3.0])


def squares(n):
    i = 0
    while i < n:
        yield i * i
        i += 1


def positive_twice(a, k=10):
    for v in a:
        if v > 0:
            yield v
            yield v * k


def triangles(n):
    for i in range(n):
        yield from squares(i)
        yield -1


def forever(x):
    while True:
        yield x
        x = x * 2


def until_negative(a):
    for i, v in enumerate(a):
        if v < 0:
            return
        yield i, v


def noting(log, n):
    for i in range(n):
        log[0] = log[0] * 10 + 1
        yield i
    log[0] = log[0] * 10 + 2


class Grid:
    def __init__(self, n, scale):
        self.n, self.scale = n, scale

    def cells(self):
        for i in range(self.n):
            for j in range(i):
                yield self.scale * i, j


def above(items, least):
    for item in items:
        if item > least:
            yield item


@case(([3.0, 1.0, 4.0], 2), ([], 2))
def numbers_of_what_is_kept(items, least):
    begun = enumerate(above([1, 2, 3], 0), least)
    first, found = next(begun), []
    for i, x in enumerate(v for v in items if v > least):
        found.append(i * x)
    return first, list(begun), found, [(i, x) for i, x in enumerate(above(items, least), 1)]


def doubled_again_and_again(x):
    while True:
        yield x
        x = x * 2


@case((1,), (1.5,))
def a_long_part_of_a_generator_without_end(x):
    return list(itertools.islice(doubled_again_and_again(x), 40))


def smallest_so_far(items):
    held = []
    for item in items:
        while held and item < held[-1]:
            held.pop()
        held.append(item)
        yield held[0]


@case(([4, 3, 7, 0, 8],), ([],))
def a_part_of_a_generator_over_an_iterator(items):
    return list(itertools.islice(smallest_so_far(iter(items)), 40))


@case((4,), (0,), (1,))
def sum_in_a_loop(n):
    s = 0
    for v in squares(n):
        s = s + v
    return s


@case((A,), (-A,), (np.array([1.0, 0.5]),))
def break_and_else(a):
    s = 0.0
    for v in positive_twice(a):
        if v > 25:
            break
        s += v
    else:
        s = -s
    return s


@case((3,), (5,), (0,))
def yield_from_return_and_continue(n):
    s = 0
    for v in triangles(n):
        if v == 9:
            return s, "left"
        if v == 4:
            continue
        s = s * 3 + v
    return s, "through"


@case((100.0,), (1.0,))
def endless_with_a_break(limit):
    s = 0.0
    for v in forever(1.5):
        if v > limit:
            break
        s += v
    return s


@case((A,), (np.array([1.0, 5.0]),), (-A,))
def pairs_taken_apart(a):
    s = 0.0
    last = -1
    for i, v in until_negative(a):
        s = s * 2 + i * v
        last = i
    return s, last


@case((3,), (0,))
def order_of_effects(n):
    log = [0]
    for i in noting(log, n):
        log[0] = log[0] * 10 + 3 + i
    return log[0]


@case((3, 1), (3, 7), (0, 0))
def effects_when_left_early(n, k):
    log = [0]
    for i in noting(log, n):
        if i == k:
            break
    return log[0]


@case((3, 2.0), (0, 2.0))
def a_method(n, x):
    s = 0.0
    for v, j in Grid(n, x).cells():
        s = s * 2 + v - j
    return s


@case((3,), (0,))
def a_nested_function(n):
    def gen():
        yield n
        for k in (1, 2):
            yield k * n
        yield 7

    s = 0
    for v in gen():
        if v > 5:
            break
        s = s * 10 + v
    return s, list(gen()), sum(gen())


@case((4,), (0,))
def a_generator_over_a_generator(n):
    def shifted(k):
        for v in squares(n):
            if v % 2:
                yield v + k

    return sum(shifted(1)), max(shifted(2), default=-1)


@case((5,), (0,))
def one_loop_in_another(n):
    s = 0
    for v in squares(n):
        for w in squares(v):
            if w > 10:
                break
            s += w
    return s


@case((3, 2), (0, 2), (3, 0))
def under_a_condition_in_a_loop(n, k):
    s = 0
    for i in range(n):
        if i != k:
            for v in squares(i + k):
                s += v
        else:
            s = -s
    return s


@case((3,))
def asked_for_one_by_one(n):
    g = forever(n)
    a = next(g)
    b = next(g)
    s = 0
    for i, v in zip(range(3), g):  # noqa: B905
        s += i * v
    return a, b, s, [x * n for x in squares(3)], list(zip(squares(4), "ab"))  # noqa: B905


@case((4,), (0,))
def list_of_a_run_time_length(n):
    return list(squares(n))


@case((4,), (1,), (0,))
def used_again_after_a_break(n):
    g = squares(n)
    for v in g:
        if v > 1:
            break
    return sum(g)


@case((4,), (0,))
def used_again_after_its_end(n):
    g = squares(n)
    return sum(g), sum(g)


@case((4,), (0,), (1,))
def used_up_in_a_loop_around(n):
    g = squares(n)
    s = 0
    for i in range(n):
        for v in g:
            s += v + i
    return s


def averages():
    total, count, mean = 0.0, 0, None
    while True:
        x = yield mean
        total += x
        count += 1
        mean = total / count


@case((A,))
def sent_into(a):
    g = averages()
    next(g)
    return g.send(a[0]), g.send(a[1]), [g.send(a[i]) for i in range(3)]


@case((4,), (0,))
def sent_nothing_by_loops(n):
    def gen():
        for i in range(n):
            x = yield i
            if x is not None:
                yield 100

    return sum(gen()), list(gen())


@case((4,))
def value_at_the_end(n):
    def gen():
        sent = yield n
        return (yield sent + 1)

    g = gen()
    found = [next(g), g.send(n)]
    try:
        g.send(7)
    except StopIteration as end:
        return found, end.value
    return found, None


@case((3,), (0,))
def asked_until_it_stops(n):
    g = (i * n for i in range(3))
    s = 0
    while True:
        try:
            s += next(g)
        except StopIteration:
            break
    return s


@case((4, 2), (4, 200), (0, 1))
def value_of_yield_from(n, k):
    def inner():
        for i in range(n):
            yield i * 2
        return n * 10

    def outer():
        r = yield from inner()
        yield r
        nothing = yield from [1, 2]
        yield 3 if nothing is None else 4

    s = 0
    for v in outer():
        if v > k:
            break
        s = s * 2 + v
    return s


@case((3,))
def sent_through_yield_from(n):
    def inner():
        x = yield n
        yield x * 2
        return x

    def outer():
        yield from inner()
        y = yield from inner()
        yield y

    g = outer()
    return next(g), g.send(3), next(g), g.send(4), next(g)


@case((3,))
def thrown_into(n):
    def gen():
        yield n
        yield n + 1

    g = gen()
    found = [next(g)]
    try:
        g.throw(ValueError("mine"))
    except ValueError as error:
        found.append(str(error))
    return found, next(g, -7), list(g)


@case((3,))
def thrown_at_once(n):
    squares(n).throw(KeyError(n))


@case((3,))
def sent_at_once(n):
    squares(n).send(n)


@case((3,))
def closed(n):
    g, fresh = forever(n), forever(n)
    found = next(g)
    g.close()
    g.close()
    fresh.close()
    return found, next(g, -7), list(fresh)


@case((3,), refused=UnsupportedOperationError)
def closed_where_something_is_to_be_done(n):
    log = []

    def gen():
        try:
            yield n
        finally:
            log.append(n)

    g = gen()
    next(g)
    g.close()
    return log


@case((A,))
def sent_in_a_loop(a):
    g = averages()
    next(g)
    s = 0.0
    while s < a[2]:
        s += g.send(1.0)
    return s


@case((4,), refused=UnsupportedConstructError)
def yield_in_an_expression(n):
    def gen():
        x = 1 + (yield n)
        yield x

    return list(gen())


@case((3,), (-3,))
def yields_in_branches(n):
    def gen():
        if n > 0:
            yield n
        else:
            yield -n
            yield 2.5
        yield n * 2

    s = 0.0
    for v in gen():
        s = s * 10 + v
    return s


@case((4,), (0,))
def an_array_written_from_the_loop(n):
    a = np.zeros(20)
    for v in squares(n):
        a[v] = v + 1
    return a


@case((4,), (0,))
def an_array_written_from_the_generator(n):
    a = np.zeros(5)

    def gen():
        for i in range(n):
            a[i] += 1
            yield a[i] + i

    s = 0.0
    for v in gen():
        a[4] += v
        s += v
    return s, a


@case((4,), (0,))
def a_name_first_bound_in_the_loop(n):
    found = False
    for v in squares(n):
        last = v
        found = True
    return last if found else -1


@case((5, 3), (5, 100), (0, 3))
def first_match(n, k):
    best = None
    for v in squares(n):
        if v > k:
            best = v
            break
    return best


@case((3,), (0,))
def finally_of_a_generator(n):
    log = [0]

    def gen():
        try:
            for i in range(n):
                yield i * 1
        finally:
            log[0] += 100

    for v in gen():
        log[0] += v
    return log[0]


@case((4,), (0,))
def recursion_of_static_depth(n):
    def tree(depth):
        if depth == 0:
            yield n
        else:
            yield from tree(depth - 1)
            yield depth * n
            yield from tree(depth - 1)

    s = 0
    for v in tree(2):
        s = s * 3 + v
    return s


@case((2,), (0,), (30,))
def raised_inside_the_generator(n):
    def gen():
        for i in range(n):
            if i > 3:
                raise ValueError("too far")
            yield i

    s = 0
    for v in gen():
        s += v
    return s


@case((2,), (0,))
def a_context_manager_is_no_generator_to_stage(n):
    @contextlib.contextmanager
    def manager():
        yield 5

    return n + 5


def _make(kind, n):
    if kind == "map":
        return map(lambda i: i + n, range(n + 2))
    if kind == "filter":
        return filter(lambda i: i != n, range(n + 2))
    if kind == "range":
        return range(n)
    return (i + n for i in range(n + 2)) if kind == "expression" else _counting(n)


def _counting(n):
    yield n
    yield n + 1


_FORMS = ("map", "filter", "range", "expression", "function")


@case(*((k, 3) for k in _FORMS), static=("kind",))
def attribute_that_is_set(kind, n):
    made = _make(kind, n)
    made.foo = 1
    return list(made)


@case(*((k, 3) for k in _FORMS), static=("kind",))
def attribute_that_is_not_there(kind, n):
    return _make(kind, n).foo


@case(*((k, 3) for k in _FORMS), static=("kind",))
def attribute_that_is_deleted(kind, n):
    made = _make(kind, n)
    del made.foo


@case(*((k, 3) for k in _FORMS[:2] + _FORMS[3:]), static=("kind",))
def length_of_what_has_none(kind, n):
    return len(_make(kind, n))


@case(*((k, 3) for k in _FORMS), static=("kind",))
def call_of_what_is_no_function(kind, n):
    return _make(kind, n)()


@case(*((k, 3) for k in _FORMS), static=("kind",))
def classes(kind, n):
    made = _make(kind, n)
    known = isinstance(made, types.GeneratorType), isinstance(made, range), isinstance(made, (map, filter))
    return known, type(made).__name__, made.__class__ is type(made), isinstance(made, collections.abc.Iterator)


@pytest.mark.parametrize("program", case.programs)
def test_generators(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_generators_with_static_arguments(program: Program) -> None:
    program.check_static()


def test_the_error_of_a_run_time_length_says_what_to_write():
    def f(a):
        return bytes(int(v) for v in a if v > 0)

    with pytest.raises(ConcretizationError, match=r"a for statement, list\(\), sum, any"):
        jit(f)(A)


def test_a_generator_of_a_long_loop_is_one_loop():
    def f(a):
        return sum(v * v for v in a if v > 0)

    few, many = (len(jit(f).trace(np.ones(n)).program.equations) for n in (3, 3000))
    assert few == many


def test_no_thread_outlives_a_trace():

    def f(n):
        return next(forever(n)) + next(forever(n))

    def alive():
        gc.collect()
        return [t.name for t in threading.enumerate()].count(THREAD)

    before = alive()
    assert jit(f)(2) == 4
    assert alive() <= before


def test_next_again_of_a_generator_in_a_list():
    def f(n):
        made = [forever(n)]
        return next(made[0]) + next(made[0])

    assert jit(f)(2) == f(2)


class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None

    def insert(self, key):
        node = self
        while True:
            if key < node.key:
                if node.left is None:
                    node.left = type(self)(key)
                    return
                node = node.left
            else:
                if node.right is None:
                    node.right = type(self)(key)
                    return
                node = node.right


def in_order(node):
    if node is not None:
        yield from in_order(node.left)
        yield node.key
        yield from in_order(node.right)


def tree_of(keys, kind=Node):
    root = kind(keys[0])
    for key in keys[1:]:
        root.insert(key)
    return root


def test_a_generator_that_calls_itself_for_the_nodes_of_a_tree():
    def f(keys):
        return list(in_order(tree_of(keys))), sum(in_order(tree_of(keys)))

    for keys in ([5, 3, 8, 1], [1, 2, 4, 3], [4, 4, 2, 9]):
        assert jit(f)(keys) == f(keys)


def test_a_generator_that_calls_itself_to_any_depth():
    def f(keys):
        root = tree_of(keys)
        return list(in_order(root)), sorted(in_order(root), reverse=True)

    keys = np.random.default_rng(0).permutation(40) * 1.0
    assert jit(f, recursion_limit=4)(keys) == f(keys)


def leaves(node, above):
    if node is None:
        return
    if node.key > 30:
        raise ValueError(f"{node.key} is too large")
    yield from leaves(node.left, above + 1)
    if node.left is None and node.right is None:
        yield above, node.key
    yield from leaves(node.right, above + 1)


def test_what_a_generator_that_calls_itself_raises():
    def f(keys):
        found = []
        try:
            found.extend(leaves(tree_of(keys), 0))
        except ValueError as error:
            return found, str(error)
        return found, None

    for keys in (np.arange(25) * 7 % 25, np.arange(40) * 7 % 40):
        assert jit(f, recursion_limit=4)(keys) == f(keys)


def counted(node):
    if node is None:
        return 0
    left = yield from counted(node.left)
    yield node.key
    right = yield from counted(node.right)
    return left + right + 1


def over_limit(keys, most):
    total = np.zeros(2)
    for place, key in enumerate(in_order(tree_of(keys))):
        if key > most:
            break
        total[place % 2] += key
    return total


def reduced(keys, most):
    root = tree_of(keys)
    return sum(in_order(root)), max(k for k in in_order(root) if k <= most), any(k > most for k in in_order(root))


def until_it_raises(keys, most):
    total = 0
    try:
        for above, key in leaves(tree_of(keys), 0):
            total += above * key
            if key > most:
                return total, "enough"
    except ValueError as error:
        return total, str(error)
    return total, None


@pytest.mark.parametrize("f", [over_limit, reduced, until_it_raises])
def test_a_loop_over_a_generator_that_calls_itself(f):
    compiled = jit(f, recursion_limit=4)
    for keys in (np.arange(25) * 7 % 25, np.arange(40) * 7 % 40):
        for most in (5, 12, 36):
            np.testing.assert_equal(compiled(keys, most), f(keys, most))


class Branching(Node):
    def __iter__(self):
        if self.left is not None:
            yield from self.left
        yield self.key
        if self.right is not None:
            yield from self.right


def test_an_iterator_of_a_node_that_delegates_to_those_of_its_children():
    def f(keys):
        root = tree_of(keys, Branching)
        return list(root), sum(k * k for k in root)

    keys = np.arange(40) * 7 % 40
    assert jit(f, recursion_limit=4)(keys) == f(keys)


def doubled(node, factor):
    if node is not None:
        yield from doubled(node.left, factor)
        yield node.key * factor[0]
        yield from doubled(node.right, factor)


def test_a_generator_that_calls_itself_too_often_says_what_to_write():
    def returned(keys):
        return list(counted(tree_of(keys)))

    def writes_an_array(keys):
        factor, total = np.ones(1), 0.0
        for key in doubled(tree_of(keys), factor):
            total += key
            factor[0] += 1
        return total

    def changes_a_node(keys):
        root, total = tree_of(keys), 0.0
        for key in in_order(root):
            total += key
            root.key += 1
        return total

    def cuts_a_branch(keys):
        root, total = tree_of(keys), 0.0
        for key in in_order(root):
            total += key
            if key > 10 and root.right is not None:
                root.right = root.right.right
        return total

    for function in (returned, writes_an_array, changes_a_node, cuts_a_branch):
        with configure(recursion_limit=4), pytest.raises(UnsupportedOperationError, match="that returns a list"):
            jit(function)(np.arange(40) % 37)


def test_a_consumer_of_a_generator_may_go_over_another_of_the_same_function() -> None:
    def walk(tree, x):
        if isinstance(tree, tuple):
            for part in tree:
                yield from walk(part, x)
        else:
            yield tree * x

    def program(values):
        found = 0.0
        for v in values:
            if v > 0:
                for a in walk((1, (2, (3, 4)), 5), v):
                    for b in walk((1, (2, 3)), a):
                        found += b
        return found

    assert jit(program, recursion_limit=6)(A) == program(A)


def test_a_list_is_extended_by_a_generator_that_looks_at_it():
    def lengths(n, found):
        for _ in range(n):
            yield len(found)

    def f(n, x):
        found = []
        found.extend(lengths(n, found))
        found.extend(len(found) for _ in range(3))
        found += (v + found[-1] for v in x)
        return found

    assert jit(f, static_argnames="n")(5, A) == f(5, A)
    assert jit(f)(40, A) == f(40, A)

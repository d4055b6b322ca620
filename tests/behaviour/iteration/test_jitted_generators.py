"""Jitted generator functions: item by item what the plain ones give, and what they have changed by then."""

from __future__ import annotations

import copy
import functools
import inspect
import pickle
import traceback

import numpy as np
import pytest

from anabranch import UnsupportedConstructError, UnsupportedOperationError, djit, jit
from tests.equivalence import same

A = np.array([1.0, -2.0, 3.0])
G = np.zeros(2)


def steps(made, args, sends=(), most=30):
    """The items of a generator, with the arguments as they are at each."""
    rows, sends = [], list(sends)
    try:
        for k in range(most):
            item = made.send(sends.pop(0)) if k and sends else next(made)
            rows.append((copy.deepcopy(item), copy.deepcopy(args)))
    except StopIteration as end:
        rows.append(("end", copy.deepcopy(end.value), copy.deepcopy(args)))
    except Exception as error:
        rows.append((type(error), str(error), copy.deepcopy(args)))
    return rows


def check(function, *args, sends=(), **options):
    """Assert that the jitted generator does at each item what the plain one does, three times."""
    given = copy.deepcopy(args)
    want = steps(function(*given), given, sends)
    wrapped = jit(function, **options)
    for _ in range(3):
        given = copy.deepcopy(args)
        same(want, steps(wrapped(*given), given, sends))
    return want


def doubled(a):
    for i in range(len(a)):
        yield a[i] * 2


def items(a):
    for v in a:
        yield v * 2


def numbered(a, k=3):
    for i, v in enumerate(a, k):
        if v < 0:
            continue
        yield i, v
    return "end"


def pairs(a, b):
    for x, y in zip(a, b):  # noqa: B905
        yield x + y


def fibonacci(n):
    x, y = 0, 1
    while x < n:
        yield x
        x, y = y, x + y


def primes(n):
    for k in range(2, n):
        for d in range(2, k):
            if k % d == 0:
                break
        else:
            yield k


def changing(a):
    for i in range(len(a)):
        a[i] += 1
        yield i
    a[0] = 100


def of_rows(m):
    for row in m:
        row[0] += 1
        yield row


def left_in_the_middle(n):
    i = 0
    while True:
        i += 1
        if i % 3 == 0:
            continue
        if i > n:
            break
        yield i
        if i == 5:
            continue
        i += 1
    else:
        yield -1
    yield 99.5
    return i


def nested(n):
    for i in range(n):
        for j in range(i, -1, -1):
            yield i, j
            if j == 1:
                break
        else:
            yield "done"


def in_branches(x):
    if x > 0:
        yield "pos"
        x = -x
    elif x == 0:
        yield "zero"
    else:
        yield "neg"
    yield x


def averages():
    total, count, mean = 0.0, 0, None
    while True:
        x = yield mean
        if x is None:
            return total
        total += x
        count += 1
        mean = total / count


def unpacking():
    a, b = yield 0
    yield a + b


def too_far(n):
    for i in range(n):
        if i > 2:
            raise ValueError(f"too {i}")
        yield i


def stopping(n):
    yield n
    raise StopIteration


def of_an_array_of_its_own(n):
    c = np.zeros(3)
    for i in range(n):
        c[i] += i + 1
        yield c


def of_a_list_that_grows(n):
    found = []
    for i in range(n):
        found.append(i * i)
        yield found


def of_containers(n):
    d = {"a": n, "rows": [[0.0] * 2 for _ in range(2)]}
    while d["a"] < 4:
        d["a"] += 1
        d["rows"][d["a"] % 2][0] += n
        yield d


def with_a_function_of_its_own(a):
    import math

    def square(v):
        return v * v + len(a)

    for v in a:
        yield square(v), math.floor(v)


def counted(n):
    for i in range(n):  # noqa: UP028
        yield i
    return n * 10


def from_others(n):
    result = yield from counted(n)
    yield result
    yield from [1.5, n]
    yield from range(n, n + 2)
    yield from counted(2)


def over_others(n):
    for v in counted(n):
        if v == 1:
            continue
        if v == 4:
            break
        yield v * 2
    else:
        yield "else"
    return n


def over_one_that_changes(a):
    for v in changing(a):
        a[1] += 10
        yield v, a.sum()


def over_one_that_fails(n):
    for v in too_far(n):  # noqa: UP028
        yield v


def walk(tree):
    if tree is not None:
        yield from walk(tree[0])
        yield tree[1]
        yield from walk(tree[2])


def returning_early(n):
    if n > 1:
        return n
    yield n


def ending_early(n):
    for i in range(9):
        if i > n:
            return
        yield i
    yield -1


def of_many_parameters(a, *args, k=2, **rest):
    yield a
    yield args
    yield k
    k = rest["z"]
    yield k


def changing_its_type(n):
    x = 1
    for i in range(n):
        yield x
        x = x / 2 if i % 2 else x + 1


def of_run_time_length(a):
    n = 0
    p = a[a > 0]
    for v in p:
        yield v
        n += 1
    yield p, n


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (doubled, (A,)),
        (items, (A,)),
        (items, ("abc",)),
        (items, (A[:0],)),
        (items, (3.0,)),
        (items, (np.array(3.0),)),
        (numbered, (A,)),
        (pairs, (A, [1, 2, 3, 4])),
        (primes, (20,)),
        (changing, (A,)),
        (of_rows, (np.arange(6.0).reshape(3, 2),)),
        (left_in_the_middle, (9,)),
        (in_branches, (2.0,)),
        (too_far, (9,)),
        (stopping, (1,)),
        (of_an_array_of_its_own, (3,)),
        (of_a_list_that_grows, (3,)),
        (of_containers, (1,)),
        (with_a_function_of_its_own, (A,)),
        (from_others, (3,)),
        (over_others, (3,)),
        (over_one_that_changes, (A,)),
        (over_one_that_fails, (6,)),
        (walk, (((None, 1, None), 3, None),)),
        (returning_early, (3,)),
        (ending_early, (3,)),
        (of_many_parameters, (1, 2.0)),
        (changing_its_type, (4,)),
        (of_run_time_length, (A,)),
    ],
)
def test_items(function, args):
    check(function, *args)


@pytest.mark.parametrize("function", [nested, primes], ids=lambda f: f.__name__)
def test_items_without_loops_of_machine_code(function):
    check(function, 5, native_loops=False)


def test_values_are_sent_in():
    check(averages, sends=[1.0, 2.0, 6.0, None])
    check(averages, sends=[1, 2.0])
    check(unpacking, sends=[(1, 2)])
    check(unpacking, sends=[3])


def test_changes_between_two_items_are_seen():
    wrapped = jit(doubled)
    for _ in range(3):
        a = A.copy()
        made = wrapped(a)
        assert next(made) == 2
        a[1] = 50
        assert next(made) == 100


def of_one_list_and_array(n):
    rows, c = [], np.zeros(2)
    for i in range(n):
        rows.append(i)
        c[0] += len(rows)
        yield rows, {"c": c}, c[0]


def of_arrays_that_a_condition_chooses(n):
    x, y = np.zeros(2), np.ones(2)
    z = x if n > 2 else y
    for i in range(n):
        z[0] += i
        yield x, y


@pytest.mark.parametrize("function", [of_one_list_and_array, of_arrays_that_a_condition_chooses])
def test_items_that_are_kept_change_with_what_they_are(function):
    want = list(function(3))
    wrapped = jit(function)
    for _ in range(3):
        same(want, list(wrapped(3)))


def test_what_the_caller_does_with_an_item_is_seen():
    def told(made):
        for rows, *_ in made:
            rows[0] += 10
        return rows

    wrapped = jit(of_one_list_and_array)
    assert [told(wrapped(3)) for _ in range(3)] == [told(of_one_list_and_array(3))] * 3


def test_nothing_runs_before_the_first_item():
    a = A.copy()
    made = jit(changing)(a)
    assert a[0] == 1
    next(made)
    assert a[0] == 2


def test_it_is_a_generator():
    made = jit(doubled)(A)
    assert inspect.isgenerator(made)
    assert made.__name__ == "doubled"
    next(made)
    with pytest.raises(ValueError, match="mine"):
        made.throw(ValueError("mine"))
    assert list(made) == []
    made = jit(doubled)(A)
    next(made)
    made.close()
    assert list(made) == []
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        jit(doubled)(A, A)


def test_generators_side_by_side():
    wrapped = jit(fibonacci)
    one, other = wrapped(30), wrapped(10)
    assert [next(one), next(other), next(one), next(other), next(one), next(one)] == [0, 0, 1, 1, 1, 2]


class Private:
    def __init__(self):
        self.total = 0

    def adding(self, __x, *more, by=2):
        for v in more:
            __x += v * by
            yield __x


class Counter:
    def __init__(self):
        self.t, self.a = 0, np.zeros(2)

    @jit
    def run(self, n):
        for i in range(n):
            self.t += i
            self.a[0] += 1
            yield self.t

    @staticmethod
    @jit
    def plainly(n):
        yield n


def test_methods():
    counter = Counter()
    made = counter.run(4)
    assert [next(made), next(made), next(made)] == [0, 1, 3]
    assert counter.t == 3
    assert list(counter.a) == [3, 0]
    assert list(Counter.plainly(3)) == [3]
    assert list(jit(Private.adding)(Private(), 1, 2, 3)) == [5, 11]


def test_closures_and_globals():
    def outer(k):
        def gen(n):
            nonlocal k
            for i in range(n):
                k += i
                G[0] += 1
                yield k, G[0]

        return gen

    G[0] = 0
    want = list(outer(3)(4))
    G[0] = 0
    assert list(jit(outer(3))(4)) == want


def test_inside_of_a_compiled_function():
    inner = jit(counted)

    @jit
    def total(n):
        s = 0
        for v in inner(n):
            s += v
        return s

    assert [total(4), total(5), total(5)] == [6, 10, 10]


def test_options():
    assert list(jit(numbered, static_argnames="k")(A, 1)) == [(1, 1.0), (3, 3.0)]
    assert list(jit(functools.partial(numbered, k=1))(A)) == [(1, 1.0), (3, 3.0)]
    assert list(jit(doubled, disable_jit=True)(A)) == [2, -4, 6]
    assert list(pickle.loads(pickle.dumps(jit(doubled)))(A)) == [2, -4, 6]


def test_it_compiles_once_for_each_step():
    wrapped = jit(doubled)
    for _ in range(3):
        list(wrapped(A))
    assert wrapped.cache_info().currsize == 2
    wrapped.clear_cache()
    assert wrapped.cache_info().currsize == 0
    recursive = jit(walk)
    list(recursive((((None, 1, None), 2, None), 3, None)))
    before = recursive.cache_info().misses
    list(recursive((((None, 1, None), 2, None), 3, None)))
    assert recursive.cache_info().misses == before


def test_explain_and_source_show_the_steps():
    wrapped = jit(doubled)
    assert "yield 1 of the generator: compiled code runs up to here" in str(wrapped.explain(A))
    assert wrapped.source().count("deliver_, 1, a[i] * 2") == 2


def test_an_exception_names_the_users_line():
    try:
        list(jit(too_far)(9))
    except ValueError as error:
        found = traceback.extract_tb(error.__traceback__)[-1]
    assert found.line == 'raise ValueError(f"too {i}")'


def under_two_names(a):
    for v in a:
        yield v * 2
    first = np.zeros(3)
    second, rows = first, [first, a]
    yield first
    second += 1
    yield first.sum()
    rows[0] += 1
    yield first.sum(), second


def of_rows(rows):
    for row in rows:
        row += 1
        yield row


def of_rows_from_elsewhere(a):
    for v in a:
        yield v * 2
    own = np.zeros(3)
    yield from of_rows([own, a])
    yield own.sum()


def under_two_names_in_a_branch(a, n):
    if n > 2:
        yield 0
        first = np.zeros(3)
        second = first
    else:
        first = a * 2
        second = first
    yield 1
    second += 1
    yield first.sum()


def test_arrays_under_two_names_stay_one():
    check(under_two_names, A)
    check(of_rows_from_elsewhere, A)
    check(under_two_names_in_a_branch, A, 3)
    check(under_two_names_in_a_branch, A, 1)


def of_two_parts(a):
    for v in a:
        yield v * 2
    whole = np.zeros(3)
    part = whole[1:]
    yield 0
    part += 1
    yield whole.sum()


def in_match(n):
    match n:
        case 1:
            yield n
        case 2 | 3:
            yield n * 10
            yield n * 100
        case k if k > 7:
            yield k
            yield k + n
        case _:
            yield -1
    yield 5


def in_match_in_a_loop(a):
    total = 0.0
    for x in a:
        match int(x) % 3:
            case 0:
                total += x
                continue
            case 1:
                r = x * 2
            case _:
                yield total
                r = x
                if total > 5:
                    break
        got = yield r
        total += r if got is None else got
    return total


def of_patterns(p):
    match p:
        case [0, *rest]:
            for r in rest:
                yield r * 2
        case [x, y]:
            yield x
            yield y
        case {"a": v}:
            yield v
            yield v


@pytest.mark.parametrize("n", [1, 3, 9, 5])
def test_yields_in_match(n):
    check(in_match, n)


def test_yields_in_match_in_a_loop():
    check(in_match_in_a_loop, np.arange(7.0))
    check(in_match_in_a_loop, np.array([1.0, 4.0, 2.0, 2.0]), sends=[2.0, None])


@pytest.mark.parametrize("p", [[0, 1, 2], (3, 4), {"a": 2.0}, 7], ids=repr)
def test_yields_in_match_of_containers(p):
    check(of_patterns, p)


def in_try(n):
    try:
        yield n
    finally:
        n = 0


def in_with(n):
    with np.errstate(all="ignore"):
        yield n


def in_a_guard(n):
    match n:
        case 1 if (yield n):
            yield n


def in_an_expression(n):
    return 1 + (yield n)


def in_a_test(n):
    while (yield n):
        n += 1


def of_a_name_that_may_be_unbound(a):
    for v in a:
        if v > 0:
            last = v
        yield v
    yield last


def of_a_lambda(n):
    f = lambda v: v + n  # noqa: E731
    yield f(1)
    yield f(2)


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (in_try, "AB117"),
        (in_with, "AB117"),
        (in_a_guard, "AB115"),
        (in_an_expression, "AB115"),
        (in_a_test, "AB115"),
        (of_a_name_that_may_be_unbound, "AB118"),
        (of_a_lambda, "AB119"),
    ],
)
def test_yields_that_are_refused(function, code):
    with pytest.raises(UnsupportedConstructError, match=code):
        jit(function)(A if "bound" in function.__name__ else 1)


def test_djit_refuses_to_yield():
    with pytest.raises(UnsupportedConstructError, match="AB102"):
        djit(doubled)(A)


def of_a_view_of_its_own(n):
    c = np.zeros(3)
    for i in range(n):
        c[i] = 1
        yield c[1:]


def over_a_dict(d):
    for k in d:  # noqa: UP028
        yield k


def over_a_map(a):
    for v in map(abs, a):  # noqa: UP028
        yield v


@pytest.mark.parametrize(
    ("function", "argument", "match"),
    [
        (of_a_view_of_its_own, 3, "may share memory"),
        (of_two_parts, A, "may share memory"),
        (over_a_dict, {"a": 1}, "goes over a dict"),
        (over_a_map, A, "goes over a map"),
    ],
)
def test_items_that_are_refused(function, argument, match):
    with pytest.raises(UnsupportedOperationError, match=match):
        list(jit(function)(argument))

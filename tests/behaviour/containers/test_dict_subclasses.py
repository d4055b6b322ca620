"""Dicts, lists and deques of the user's own classes, with methods and attributes: as arguments, changed, and made."""

from __future__ import annotations

import bisect
import collections
import copy

import numpy as np
import pytest

from anabranch import AnabranchError, StructureMismatchError, UnsupportedValueError, jit
from tests.equivalence import check


class Settings(dict):
    """Items are attributes, too."""

    __setattr__ = dict.__setitem__
    __getattr__ = dict.__getitem__

    def norm(self):
        return sum(v * v for v in self.values())


class WithDefault(dict):
    def __missing__(self, key):
        return 7


class Scaled(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.scale = 3


class Line(list):
    def __init__(self, *args):
        super().__init__(*args)
        self.scale = 3.0

    def total(self):
        return sum(self) * self.scale


class Queue(collections.deque):
    pass


class Shared(dict):
    def __init__(self, *args):
        super().__init__(*args)
        self.__dict__ = self


class Counting(dict):
    def __getitem__(self, key):
        return 2 * super().__getitem__(key)


def _copied(value):
    made = type(value).__new__(type(value))
    if isinstance(value, dict):
        dict.update(made, copy.deepcopy(dict(value)))
    else:
        made.extend(copy.deepcopy(list(value)))
    if not isinstance(value, Settings):
        vars(made).update(vars(value))
    return made


def _outcome(function, p, x):
    given = _copied(p)
    try:
        made = function(given, x)
    except Exception as error:
        return type(error), str(error)
    held = vars(made) if hasattr(made, "__dict__") else None
    return type(made), repr(made), held, made is given, repr(given), vars(given)


def read(p, x):
    return p["k"] * x + p.get("zz", x)


def by_attribute(p, x):
    p.new = x
    p.k += 1
    return p.norm()


def missing(p, x):
    return p["nothing"] * x


def attribute_and_item(p, x):
    p.scale += x
    return p["k"] * p.scale


def changed(p, x):
    p.pop("k")
    p.setdefault("w", x)
    p.update(v=x * 2)
    return sorted(p)


def looped(p, x):
    for i in range(int(x)):
        p["k"] = p["k"] * 2 + i
    return p


def made(p, x):
    q = Scaled(a=x, b=p["k"])
    if x > 1:
        q["a"] = q["a"] + 1
        q.scale = 5
    return q


def looked_at(p, x):
    return isinstance(p, dict), type(p).__name__, "k" in p, len(p), list(p), {**p}, p | {"a": x}, p == {"k": 2.0}


def itself(p, x):
    return p


PROGRAMS = [
    (read, Scaled(k=2.0)), (by_attribute, Settings(k=2.0)), (missing, WithDefault(k=1.0)), (looped, WithDefault(k=2.0)),
    (attribute_and_item, Scaled(k=2.0)), (changed, Scaled(k=2.0)), (made, Scaled(k=2.0)), (looked_at, Scaled(k=2.0)),
    (itself, Scaled(k=2.0)),
]  # fmt: skip


@pytest.mark.parametrize(("function", "p"), PROGRAMS, ids=[f"{f.__name__}-{type(p).__name__}" for f, p in PROGRAMS])
def test_dicts(function, p):
    for compiled in (jit(function), jit(function, native_loops=False)):
        for x in (2.0, 2.0, 2.0, 0.5):
            assert _outcome(compiled, p, x) == _outcome(function, p, x)


def totalled(p, x):
    p.append(x)
    p.scale = p.scale + x
    return p.total()


def line(p, x):
    return Line([x, x + 1])


def queued(p, x):
    q = Queue([x])
    q.name = "q"
    q.append(x)
    return q


@pytest.mark.parametrize("function", [totalled, line, queued])
def test_sequences(function):
    compiled = jit(function)
    for x in (2.0, 2.0, 2.0):
        assert _outcome(compiled, Line([1.0, 2.0]), x) == _outcome(function, Line([1.0, 2.0]), x)


def test_attributes_tell_calls_apart():
    compiled = jit(lambda p, x: hasattr(p, "offset") and p.offset + x)
    first, second = Scaled(k=1.0), Scaled(k=1.0)
    second.offset = 4.0
    assert [compiled(p, 1.0) for p in (first, second, first, second)] == [False, 5.0, False, 5.0]


def test_keys_that_a_condition_decides_are_named():
    def f(p, x):
        if x > 1:
            p["z"] = x
        return p

    with pytest.raises(StructureMismatchError, match="set the key 'z' before the condition"):
        jit(f)(Scaled(k=1.0), 2.0)


@pytest.mark.parametrize("p", [Shared({"k": 1.0}), Counting(k=1.0)], ids=lambda p: type(p).__name__)
def test_dicts_with_other_ways_are_refused(p):
    with pytest.raises(UnsupportedValueError, match="not an array, scalar or pytree"):
        jit(read)(p, 2.0)


def test_run_time_keys_are_refused():
    def f(p, n):
        p[n] = n
        return len(p)

    with pytest.raises(AnabranchError):
        jit(f)(Scaled({1: 2}), 5)


def test_arrays_in_them_are_the_callers():
    def f(p, x):
        p["a"][0] = x
        return p["a"]

    p = Scaled(a=np.zeros(2))
    compiled = jit(f)
    for x in (1.0, 2.0, 3.0):
        assert compiled(p, x) is p["a"]
        assert p["a"][0] == x


class Bag(collections.Counter):
    def twice(self):
        return 2 * sum(self.values())


class Missing(collections.defaultdict):
    def __missing__(self, key):
        self[key] = made = 2 * key
        return made


class Recent(collections.OrderedDict):
    def __init__(self, items=(), most=2):
        super().__init__(items)
        self.most = most

    def put(self, key, value):
        self[key] = value
        self.move_to_end(key)
        if len(self) > self.most:
            self.popitem(last=False)


def bag(p, x):
    p.update([1, 1, 2])
    return p, p.twice(), p.most_common(1), type(p + p), p == Bag(p)


def by_key(p, x):
    return p[7], len(p), p


def of_factory(p, x):
    p["new"].append(x)
    return p


def recent(p, x):
    for key in range(5):
        p.put(key % 3, x + key)
    return p, p.most


def in_order(p, x):
    other = Recent(reversed(p.items()))
    return p == other, dict(p) == other, p != other, p == Recent(p)


def by_condition(p, x):
    if x > 1:
        p[1] += x
    return p


def a_new_one(p, x):
    return Bag({1: x}), Missing(int, {1: x}), Recent({1: x})


@pytest.mark.parametrize(
    ("function", "make"),
    [
        (bag, lambda: Bag({1: 2})), (by_key, lambda: Bag({1: 2})), (by_key, lambda: Missing(None, {1: 2})),
        (of_factory, lambda: type("Lists", (collections.defaultdict,), {})(list)), (recent, Recent),
        (in_order, lambda: Recent({1: 2, 2: 3})), (by_condition, lambda: Recent({1: 2})),
        (by_condition, lambda: Bag({1: 2})), (a_new_one, dict),
    ],
)  # fmt: skip
def test_classes_of_other_kinds_of_dicts(function, make):
    compiled = jit(function)
    for x in (2.0, 2.0, 0.5):
        mine, its = make(), make()
        if isinstance(its, collections.defaultdict):
            its.__class__ = type(mine)
        expected, got = function(mine, x), compiled(its, x)
        assert repr(got) == repr(expected)
        assert repr(its) == repr(mine)


class Mapping:
    """Nothing but what `dict.update` asks for."""

    def __init__(self, held):
        self.held = held

    def keys(self):
        return self.held.keys()

    def __getitem__(self, key):
        return self.held[key]


def updated(x):
    found = {"a": x}
    found.update(Mapping({"a": x + 1, "b": x}))
    return found


def updated_by_run_time_keys(n):
    squares, found = {}, {}
    for k in range(n):
        squares[k % 3] = k * k
    found.update(Mapping(squares))
    return found


@pytest.mark.parametrize("function", [updated, updated_by_run_time_keys])
def test_update_by_a_mapping_of_the_users(function):
    compiled = jit(function)
    for n in (2, 7):
        assert repr(compiled(n)) == repr(function(n))


class Sorted(dict):
    """Its own list of keys gets a key before the dict has it."""

    def __init__(self):
        super().__init__()
        self.keys_in_order = []

    def __setitem__(self, key, value):
        if key not in self.keys_in_order:
            bisect.insort(self.keys_in_order, key)
        super().__setitem__(key, value)

    def __iter__(self):
        return iter(self.keys_in_order)

    def items(self):
        return [(k, self[k]) for k in self]

    keys = __iter__


def test_a_dict_that_says_itself_what_its_keys_are():
    def f(a, b):
        table = Sorted()
        table[b] = 1.0
        table[a] = 2.0
        table[b] += a
        return list(table), table.items(), len(table)

    check(f, 2, 5)
    check(f, 5, 2)
    check(f, 2, 2)


class Squares(dict[int, int]):
    def __missing__(self, key):
        self[key] = made = key * key
        return made


class UpToThree(dict):
    def __missing__(self, key):
        if key > 3:
            raise ValueError(f"no {key}")
        self[key] = key
        return key


class Fibonacci(dict):
    def __missing__(self, n):
        made = n if n < 2 else self[n - 1] + self[n - 2]
        self[n] = made
        return made


class Numbers(dict):
    def __missing__(self, word):
        made = self[word] = len(self)
        return made


class Tally(dict):
    """How often there was each key."""

    def put(self, key, by=1):
        self[key] = self.get(key, 0) + by
        return self[key]

    def total(self):
        total = 0
        for count in self.values():
            total += count
        return total


def inserted_by_a_loop(a):
    squares, total = Squares({1: 1}), 0
    for v in a:
        total += squares[int(v)]
    return squares, total, type(squares) is Squares, isinstance(squares, dict)


def inserted_in_one_of_several(a):
    each = [Squares() for _ in range(3)]
    for v in a:
        each[int(v) % 3][int(v)] += 1
    return each


def inserted_where_nothing_fails(a):
    known, total = UpToThree(), 0
    for v in a:
        try:
            total += known[int(v)]
        except ValueError:
            total -= 100
    return known, total


def inserted_or_failed(a):
    known = UpToThree()
    return [known[int(v)] for v in a]


def inserted_by_recursion(a):
    return Fibonacci()[int(a[0]) + 7]


def inserted_words(a):
    numbers = Numbers()
    words = ["b", "a", "c"]
    return [numbers[words[int(v) % 3]] for v in a], numbers


def copies_of_inserted(a):
    squares = Squares()
    for v in a:
        squares[int(v)]
    copies = squares.copy(), copy.copy(squares), copy.deepcopy(squares), squares | {100: 1}
    squares[50]
    return squares, copies, copies[1] == squares, [type(c).__name__ for c in copies]


def put_by_a_method(a):
    tally = Tally()
    for v in a:
        tally.put(int(v), 2)
    return tally, tally.total(), 1 in tally, len(tally)


def no_such_method(a):
    squares = Squares()
    for v in a:
        squares[int(v)]
    return squares.put(1)


@pytest.mark.parametrize(
    "function",
    [
        inserted_by_a_loop,
        inserted_in_one_of_several,
        inserted_where_nothing_fails,
        inserted_or_failed,
        inserted_by_recursion,
        inserted_words,
        copies_of_inserted,
        put_by_a_method,
        no_such_method,
    ],
)
@pytest.mark.parametrize("a", [[1.0, 2, 3, 2, 1], [0.0, 2, 2, 9, 3], [2.0]])
def test_keys_of_own_dicts_known_only_at_run_time(function, a):
    check(function, np.array(a))


def test_an_attribute_of_a_table_is_refused():
    def f(a):
        squares = Squares()
        squares.calls = 0
        for v in a:
            squares[int(v)]
        return squares

    with pytest.raises(AnabranchError, match="the attribute 'calls' of Squares"):
        jit(f)(np.ones(3))

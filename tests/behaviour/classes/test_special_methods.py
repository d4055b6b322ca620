"""Methods that Python calls by itself (operators, properties, iteration, `with`) with control flow of their own."""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
import threading
from typing import Any

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()
GAIN = np.array([2.0])
LEVEL = 2.0
COUNT = 0


class Vector:
    def __init__(self, *items):
        self.items = list(items)

    def __getitem__(self, i):
        if self.items[i] < 0:
            return 0.0
        return self.items[i]

    def __setitem__(self, i, value):
        if value < 0:
            raise ValueError(f"negative {value} at {i}")
        self.items[i] = value

    def __add__(self, other):
        if other > 0:
            return Vector(*[a + other for a in self.items])
        return self

    def __radd__(self, other):
        return other if self.items[0] > 0 else self.items[0]

    def __iadd__(self, other):
        if other > 0:
            self.items[0] += other
        return self

    def __neg__(self):
        return Vector(*[-a if self.items[0] > 0 else a for a in self.items])

    def __matmul__(self, other):
        return sum(a * b if a > 0 else 0.0 for a, b in zip(self.items, other.items, strict=True))

    def __lt__(self, other):
        for a, b in zip(self.items, other.items, strict=True):
            if a < b:
                return True
        return False

    def __eq__(self, other):
        return all(a == b for a, b in zip(self.items, other.items, strict=True))

    def __hash__(self):
        return 1

    def __contains__(self, item):
        return any(a == item for a in self.items)

    def __bool__(self):
        return any(a != 0 for a in self.items)

    def __iter__(self):
        for a in self.items:
            yield 0.0 if a < 0 else a

    def __abs__(self):
        return self.items[0] if self.items[0] > 0 else -self.items[0]

    def __float__(self):
        return self.items[0] if self.items[0] > 0 else 1.5

    def __enter__(self):
        if self.items[0] > 0:
            self.items[0] += 1
        return self

    def __exit__(self, *details):
        if self.items[0] > 0:
            self.items[0] *= 3
        return False

    def __getattr__(self, name):
        if name == "squares":
            return [a * a if a > 0 else 0.0 for a in self.items]
        raise AttributeError(name)

    @property
    def top(self):
        return max(self.items) if self.items[0] > 0 else None

    @top.setter
    def top(self, value):
        if value > 1:
            self.items[0] = value
        else:
            self.items[-1] = value

    @functools.cached_property
    def clipped(self):
        return self.items[0] if self.items[0] > 0 else 0.0


class Whole:
    """A number by `__index__`, and by `__complex__`."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return int(self.value) + 1

    def __complex__(self):
        return complex(self.value, 1.0)


class Weighed:
    """A number by `__float__`, a float64, and by `__int__`."""

    def __init__(self, value):
        self.value = value

    def __float__(self):
        return np.float64(self.value) * 2

    def __int__(self):
        return int(self.value) if self.value >= 0 else "negative"


SIGNS = ((2.0,), (0.0,), (-3.0,))


@case(*SIGNS)
def subscripts(x):
    v = Vector(x, 1.0)
    v[1] = v[0] + x + 3.0
    return v.items, v[0]


@case(*SIGNS)
def numbers_by_methods(x):
    whole = Whole(x)
    return int(whole), float(whole), complex(whole), np.int64(whole), np.float32(whole), np.complex128(whole)


@case((1.5,), (-0.5,))
def numpy_numbers_by_methods(x):
    made = np.zeros(2)
    made[0] = Weighed(x)
    real = np.float64(Weighed(x)), np.complex128(Weighed(x)), complex(Weighed(x)), np.array([Weighed(x)], float)
    return made, real, np.asarray([[Whole(x), 1], [x, 2]], float), np.array(Whole(x), complex)


@case((1.5,), (-0.5,))
def no_number_by_its_method(x):
    return np.int64(Weighed(x))


@case(*SIGNS)
def failing_assignment(x):
    v = Vector(1.0, 2.0)
    v[1] = x
    return v.items


@case(*SIGNS)
def arithmetic(x):
    v = Vector(1.0, x)
    w = v + x
    v += x
    return (-v).items, w.items, v @ w, 1.0 + v, abs(v)


@case(*SIGNS)
def comparisons(x):
    v, w = Vector(x, x), Vector(2.0, 2.0)
    return v < w, v > w, v == w, v != w, x in w, 2.0 not in v


@case(*SIGNS)
def sorting(x):
    vectors = [Vector(x, 1.0), Vector(1.0, 0.5), Vector(-1.0, 0.0)]
    return (
        [v.items for v in sorted(vectors)],
        max(vectors).items,
        vectors.index(Vector(1.0, 0.5)),
        Vector(x, 1.0) in vectors,
    )


@case(*SIGNS)
def truth(x):
    v, n = Vector(x, 0.0), 0
    while v:
        v.items[0] = max(0.0, v.items[0] - 1) if v.items[0] > 0 else 0.0
        n += 1
    return n, not v, bool(v), "full" if Vector(x) else "empty", (Vector(x) and 3) == 3


@case(*SIGNS)
def iteration(x):
    total = 0.0
    for a in Vector(x, -1.0, 4.0):
        if a > 3:
            break
        total += a
    return total, sum(Vector(x, 1.0)), list(Vector(x, 1.0)), max(Vector(x, 1.0)), [2 * a for a in Vector(x, 1.0)]


@case(*SIGNS)
def attributes(x):
    v = Vector(x, 1.0)
    before = v.top
    v.top = x
    return before, v.items, v.squares, v.clipped, v.clipped


@case(*SIGNS)
def context(x):
    with Vector(x) as v:
        v.items[0] *= 2
    return v.items, float(v)


class Table1:
    def __init__(self, scale):
        self.scale = scale

    def __getitem__(self, i):
        try:
            return np.float64(ENTRIES[i] * self.scale)
        except IndexError:
            return np.float64(-1.0)

    @property
    def root(self):
        return math.sqrt(self.scale)

    def __neg__(self):
        print("negated", self.scale)
        return -self.scale

    @property
    def counted(self):
        global COUNT
        COUNT += 1
        return self.scale * 2

    def __mul__(self, other):
        return self.scale * GAIN[0] * other + LEVEL


ENTRIES = np.array([1.0, 2.0])


@case((1.0, 0), (1.0, 5))
def failure_inside(x, i):
    return Table1(x)[i], Table1(x + 1.0).root


@case((1.0,), (3.0,))
def output_inside(x):
    return -Table1(x)


@case((Vector(1.0, -2.0), 2.0), (Vector(-1.0, 2.0), 2.0))
def argument_and_result(v, x):
    v += x
    return v + x


class Base:
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return self.value + other if other > 0 else self.value


class Derived(Base):
    def __add__(self, other):
        return super().__add__(other) * 2 if self.value > 0 else Base.__add__(self, 1)


@case(*SIGNS)
def inherited(x):
    return Derived(x) + x, Base(x) + x, Derived(x).__add__(2.0)


class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, cls=None):
        return getattr(owner, self.name) if owner.scale > 0 else -1.0

    def __set__(self, owner, value):
        if value <= 0:
            raise ValueError("not positive")
        setattr(owner, self.name, value)


class Measured:
    size = Positive()

    def __init__(self, scale):
        self.scale = scale


@case(*SIGNS)
def descriptor(x):
    m = Measured(x)
    m.size = x + 2.0
    return m.size


class Interned:
    def __new__(cls, value):
        made = super().__new__(cls)
        made.sign = 1.0 if value > 0 else -1.0
        return made

    def __init__(self, value):
        self.value = value if value > 0 else 0.0


@case(*SIGNS)
def made_by_new(x):
    made = Interned(x)
    return made.value


@dataclasses.dataclass(order=True)
class Item:
    weight: float
    name: str = dataclasses.field(compare=False, default="item")

    def __post_init__(self):
        if self.weight < 0:
            self.weight = -self.weight
            self.name = "negative"


@case((3.0,), (-2.0,), (2.5,))
def dataclass_comparisons(x):
    a, b = Item(x), Item(2.5, "b")
    return a < b, a >= b, a == b, a != b, max([a, b]).name, sorted([a, b])[0].weight, a in [b], a


@case((3.0,), (-2.0,))
def dataclass_copies(x):
    a = Item(x)
    return dataclasses.replace(a, weight=1.0), dataclasses.astuple(a), dataclasses.asdict(a), copy.copy(a)


@dataclasses.dataclass
class Basket:
    items: list = dataclasses.field(default_factory=list)
    first: object = None


@case((np.array([3.0, -1.0, 2.0]),))
def dataclasses_of_run_time_length(x):
    basket = Basket(first=Item(x[0]))
    for v in x:
        if v > 0:
            basket.items.append(Item(v))
    made = dataclasses.asdict(basket)
    made["items"].append(x[1])
    return made, dataclasses.astuple(basket), len(basket.items)


@functools.total_ordering
class Ranked:
    def __init__(self, rank):
        self.rank = rank

    def __lt__(self, other):
        return self.rank < other.rank if self.rank > 0 else False

    def __eq__(self, other):
        return self.rank == other.rank

    def __hash__(self):
        return 1


@case((3.0,), (-2.0,), (1.0,))
def total_ordering(x):
    a, b = Ranked(x), Ranked(1.0)
    return a > b, a >= b, a <= b, a != b, max(a, b).rank


@pytest.mark.parametrize("program", case.programs)
def test_program(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_with_static_arguments(program: Program) -> None:
    program.check_static()


def test_what_an_operator_reads_from_outside_is_current() -> None:
    global LEVEL
    wrapped = jit(lambda x: Table1(x) * 1)
    assert wrapped(1.0) == 4.0
    GAIN[0] = 5.0
    assert wrapped(1.0) == 7.0
    LEVEL = 1.0
    try:
        assert wrapped(1.0) == 6.0
    finally:
        GAIN[0], LEVEL = 2.0, 2.0


def test_a_property_that_counts_in_a_global_counts_at_each_call() -> None:
    global COUNT
    wrapped = jit(lambda x: Table1(x).counted)
    COUNT = 0
    for k in range(1, 4):
        assert wrapped(float(k)) == 2 * k
        assert k == COUNT


def test_classes_are_as_they_were_after_a_trace() -> None:
    before = dict(vars(Vector))
    jit(arithmetic)(1.0)
    jit(attributes)(1.0)
    with pytest.raises(ValueError, match="negative"):
        jit(failing_assignment)(-1.0)
    assert dict(vars(Vector)) == before
    assert "__ne__" not in vars(Vector)


def test_other_threads_call_the_methods_as_they_are() -> None:
    seen: list[Any] = []

    class Watched:
        def __init__(self, value):
            self.value = value

        def __add__(self, other):
            return self.value + other if other > 0 else 0.0

        def __ne__(self, other):
            return True

    begin, ended = threading.Event(), threading.Event()

    def elsewhere():
        begin.wait()
        seen.append((Watched(2.0) + 1.0, Watched(2.0) + -1.0))
        ended.set()

    def function(x):
        made = Watched(x)
        begin.set()
        ended.wait()
        return made + x

    thread = threading.Thread(target=elsewhere)
    thread.start()
    assert jit(function)(1.0) == 2.0
    thread.join()
    assert seen == [(3.0, 0.0)]


class Registry:
    """Without a `__dict__`; its `__getattr__` names the object that it belongs to."""

    __slots__ = ("held",)

    def __init__(self, held):
        self.held = held

    def __call__(self, x):
        return x + 1

    def __getattr__(self, name):
        if name not in self.held:
            raise AttributeError("'%s' is not in %s" % (name, self))  # noqa: UP031
        return self.held[name]

    def __str__(self):
        return "the registry"


class Sole(Registry):
    __slots__ = ()
    __new__ = functools.lru_cache(maxsize=1)(lambda cls, held: object.__new__(cls))


SOLE = Sole(())


def test_getattr_of_an_object_without_a_dict_is_asked_for_what_the_user_asks_for() -> None:
    def function(x):
        try:
            return SOLE.missing
        except AttributeError as error:
            return str(error), SOLE(x)

    assert jit(function)(1.0) == function(1.0)

"""Methods that change their instance: its state is carried in and written back, call after call."""

from __future__ import annotations

import dataclasses
import math
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anabranch import AliasError, AnabranchError, configure, jit
from tests.equivalence import NEAR, Outcome, alike

Step = tuple[str, tuple[Any, ...]]


class Filter:
    def __init__(self):
        self.n = 0
        self.t = 0.0
        self.v = np.zeros(3)
        self.d = {"a": np.ones(2), "b": 3}
        self.items = [1, 2.5]
        self.name = "filter"
        self.nothing = None

    @jit
    def numbers(self, x):
        self.n += 1
        self.t += x
        return self.t

    @jit
    def in_place(self, x):
        self.v += x
        self.v[0] = x
        self.d["a"] += x
        self.d["b"] = self.d["b"] + 1
        self.items[0] += 1
        return self.v

    @jit
    def new_arrays(self, x):
        self.v = self.v * 2 + x
        self.d["a"] = self.v[:2].copy()

    @jit
    def in_a_branch(self, x):
        if x > 1:
            self.n += 1
            self.v[1] = x
        else:
            self.t -= x
        return self.n

    @jit
    def in_a_loop(self, x):
        for _ in range(self.n):
            self.t += x
            self.v += self.t
        while self.t > 100:
            self.t /= 2

    @jit
    def appends(self, x):
        self.items.append(x)
        self.d[len(self.items)] = x

    @jit
    def through_others(self, x):
        self.numbers(x)
        self.plain(x)
        return self.read() + self.shown

    def plain(self, x):
        self.n += 10
        self.v[2] -= x

    @jit
    def read(self):
        return self.v.sum() + self.t

    @property
    def shown(self):
        return self.n * 2

    @shown.setter
    def shown(self, value):
        self.n = value

    @jit
    def sets_a_property(self, x):
        self.shown = self.n + 3

    @jit
    def fails_half_way(self, x):
        self.n += 1
        self.v[0] = 77.0
        if x > 1:
            raise ValueError("too large")
        self.t = x

    @jit
    def deletes(self, x):
        del self.name
        self.nothing = x

    @jit
    def gives_itself(self, x):
        self.t = x
        return self

    @jit
    def called_name(self, x):
        return x if self.name == "filter" else -x


class Sub(Filter):
    offset = 2.0

    @jit
    def numbers(self, x):
        self.offset += x  # an attribute of the class becomes one of the instance
        return super().numbers(x) + self.offset


class Slots:
    __slots__ = ("__weakref__", "a", "n", "unset")

    def __init__(self):
        self.a = np.arange(3.0)
        self.n = 1

    @jit
    def step(self, x):
        self.n += 1
        self.a[0] += x
        if x > 1:
            self.a = self.a * 2
        return self.n

    @jit
    def sets(self, x):
        self.unset = x


class NoWeak:
    __slots__ = ("n",)

    def __init__(self):
        self.n = 1

    @jit
    def step(self, x):
        self.n += 1
        return self.n * x


@dataclasses.dataclass
class Record:
    n: int = 0
    values: list[float] = dataclasses.field(default_factory=lambda: [1.0, 2.0])
    inner: Any = None

    @jit
    def step(self, x):
        self.n += 1
        self.values[0] = self.values[0] + x
        if self.inner is not None:
            self.inner.step(x)
        return self.n


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: Any
    n: int = 2

    @jit
    def step(self, x):
        self.a[0] += x
        return self.a.sum() * self.n

    @jit
    def refused(self, x):
        self.n = 5


class Checked:
    def __init__(self):
        self.sets = 0
        self.value = 1.0

    def __setattr__(self, name, value):
        if name == "value" and "value" in vars(self):
            object.__setattr__(self, "sets", self.sets + 1)
        object.__setattr__(self, name, value)

    @jit
    def step(self, x):
        self.value = self.value + x
        self.value *= 2
        return self.sets


class Tree:
    """Objects that lead to one another, and back."""

    def __init__(self):
        self.me = self
        self.left = Record()
        self.right = Record(n=5, inner=self.left)
        self.both = (self.left, self.right)
        self.total = 0.0

    @jit
    def step(self, x):
        self.me.total += x
        self.left.n += 1
        self.right.inner.values[1] = x
        self.both[1].step(x)
        return self.total

    @jit
    def swap(self, x):
        self.left, self.right = self.right, self.left
        self.left.n += 100


class Holds:
    """An object with attributes that cannot be carried, which stay as they are."""

    def __init__(self):
        self.n = 0
        self.rng = np.random.default_rng(3)
        self.seen = {1, 2}
        self.big = 10**30
        self.words = np.array(["a", "b"])
        self.function = math.floor
        self.scale = lambda x: x * 2
        self.cls = Record
        self.lock_like = object()
        self.space = types.SimpleNamespace(a=1.0, b=np.zeros(2))
        self.table = OrderedDict(b=1.0, a=2.0)
        self.counts = defaultdict(int, {1: 2})
        self.queue = deque([1.0, 2.0], maxlen=3)

    @jit
    def step(self, x):
        self.n += 1
        self.space.a += x
        self.space.b[0] = self.n
        self.table["b"] += x
        self.counts[1] += 1
        self.queue.append(x)
        return self.scale(x) + self.function(x) + len(self.seen)


class Bound:
    """An attribute that leads back to the instance."""

    def __init__(self):
        self.n = 1
        self.v = np.zeros(2)
        self.method = self.plain
        self.closure = lambda x: self.n * x + self.v[0]

    def plain(self, x):
        return self.n * x

    @jit
    def reads(self, x):
        return self.method(x) + self.closure(x) + self.n

    @jit
    def step(self, x):
        self.n += 1
        return self.method(x) + self.closure(x)

    @jit
    def writes(self, x):
        self.v[0] += x
        return self.closure(x)


class Counted:
    made = 0

    def __init__(self, k):
        self.k = k

    @classmethod
    @jit
    def of_class(cls, x):
        return cls.made + x if x > 0 else x

    @staticmethod
    @jit
    def of_nothing(x):
        return x + 1 if x > 0 else x

    @jit
    def step(self, x):
        self.k += self.of_class(x) + self.of_nothing(x)
        return self.k

    @jit
    def __call__(self, x):
        self.k += x
        return self.k

    @jit
    def __iadd__(self, x):
        self.k += x
        return self

    @jit
    def sized(self, x):
        return np.zeros(self.k) + x


class Lazy:
    def __init__(self):
        self.cache = None

    @jit
    def step(self, x):
        if self.cache is None:
            self.cache = np.zeros(3)
        self.cache += x
        return self.cache.sum()


def state(value: Any, seen: dict[int, int] | None = None) -> Any:
    """Return the contents of an object, as containers; one that was met before is a number."""
    seen = {} if seen is None else seen
    if isinstance(value, np.random.Generator) or type(value) is object:
        return type(value)
    if isinstance(value, (list, dict, deque)) or hasattr(value, "__dict__") or hasattr(type(value), "__slots__"):
        if callable(value) and not type(value).__module__.startswith("tests"):
            return "callable"
        if id(value) in seen:
            return ("again", seen[id(value)])
        seen[id(value)] = len(seen)
    if isinstance(value, dict):
        return (type(value), [(k, state(v, seen)) for k, v in value.items()])
    if isinstance(value, (list, tuple, deque)):
        return (type(value), [state(v, seen) for v in value])
    held = dict(getattr(value, "__dict__", {}))
    held |= {n: getattr(value, n) for n in getattr(type(value), "__slots__", ()) if hasattr(value, n)}
    held.pop("__weakref__", None)
    if held or type(value).__module__.startswith("tests"):
        return (type(value).__name__, [(k, state(v, seen)) for k, v in held.items()])
    return value


def result(value: Any, owner: Any) -> Any:
    return "itself" if value is owner else value


def compare(make: Callable[[], Any], *steps: Step) -> None:
    """Assert that an instance is taken through the same states eagerly and compiled."""
    plain, compiled = make(), make()
    arrays = {k: v for k, v in getattr(compiled, "__dict__", {}).items() if isinstance(v, np.ndarray)}
    expected = {k: v for k, v in getattr(plain, "__dict__", {}).items() if isinstance(v, np.ndarray)}
    for name, args in steps:

        def run(owner: Any = plain, name: str = name, args: tuple[Any, ...] = args) -> Any:
            return result(getattr(owner, name)(*args), owner)

        with configure(disable_jit=True):
            want = Outcome(run, (), {})
        got = Outcome(lambda run=run: run(compiled), (), {})
        if isinstance(got.error, AnabranchError):
            raise got.error
        alike(want, got, NEAR, f"{name}{args}: ")
        if want.error is None:  # what a call that fails has changed stays as it was, as the docs say
            states = [Outcome(lambda owner=owner: state(owner), (), {}) for owner in (plain, compiled)]
            alike(*states, NEAR, f"the state after {name}{args}: ")
        kept = [k for k in arrays if vars(compiled).get(k) is arrays[k]]
        assert kept == [k for k in expected if vars(plain).get(k) is expected[k]]


def each(*names: str, x: tuple[float, ...] = (0.5, 2.0, 3.0)) -> tuple[Step, ...]:
    return tuple((name, (value,)) for value in x for name in names)


@pytest.mark.parametrize(
    "name",
    [
        "numbers",
        "in_place",
        "new_arrays",
        "in_a_branch",
        "in_a_loop",
        "appends",
        "through_others",
        "sets_a_property",
        "gives_itself",
        "called_name",
    ],
)
@pytest.mark.parametrize("cls", [Filter, Sub])
def test_a_method_called_again_and_again(cls: type, name: str) -> None:
    compare(cls, *each(name))


def test_methods_in_turn() -> None:
    names = ("numbers", "in_place", "in_a_branch", "in_a_loop", "through_others", "new_arrays")
    compare(Filter, *each(*names))


def test_an_attribute_deleted() -> None:
    compare(Filter, ("deletes", (1.0,)), ("numbers", (1.0,)))


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (Slots, ("step",)),
        (Slots, ("step", "sets", "step")),
        (NoWeak, ("step",)),
        (Record, ("step",)),
        (lambda: Record(inner=Record()), ("step",)),
        (lambda: Frozen(np.arange(3.0)), ("step",)),
        (Checked, ("step",)),
        (Tree, ("step",)),
        (Tree, ("swap",)),
        (Holds, ("step",)),
        (Bound, ("reads", "step")),
        (lambda: Counted(1), ("step", "__call__", "of_class", "of_nothing")),
        (lambda: Counted(3), ("sized",)),
        (Lazy, ("step",)),
    ],
)
def test_instances_of_every_kind(make: Callable[[], Any], names: tuple[str, ...]) -> None:
    compare(make, *each(*names))


def test_an_operator_in_place() -> None:
    counted, other = Counted(1.5), Counted(1.5)
    before = counted
    for _ in range(3):
        counted += 2.0
    assert counted is before
    assert counted.k == other.k + 6.0


def test_an_array_that_a_closure_reads_and_the_method_writes() -> None:
    bound = Bound()
    for _ in range(2):
        with pytest.raises(AliasError, match="also reaches from outside"):
            bound.writes(1.0)  # once more: the second call of a signature may go another way
    assert bound.v.tolist() == [0.0, 0.0]


def test_what_fails_changes_nothing() -> None:
    filter = Filter()
    filter.fails_half_way(0.5)
    before = state(filter)
    v = filter.v.copy()
    with pytest.raises(ValueError, match="too large"):
        filter.fails_half_way(2.0)
    assert (filter.n, filter.t, filter.v.tolist()) == (1, 0.5, v.tolist())
    assert str(state(filter)) == str(before)


def test_a_frozen_instance() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Frozen(np.zeros(2)).refused(1.0)


@pytest.mark.parametrize("name", ["numbers", "in_place", "in_a_branch", "in_a_loop", "new_arrays", "through_others"])
def test_one_compilation_for_many_calls_and_instances(name: str, compiled: list[int]) -> None:
    Filter.__dict__[name].clear_cache()
    one, other = Filter(), Filter()
    for x in (1.0, 2.0, 3.0, 4.0):
        getattr(one, name)(x)
        getattr(other, name)(-x)
    assert len(compiled) == 1
    assert getattr(one, name).cache_info()[:2] == (7, 1)


def test_state_that_the_caller_changes_between_calls(compiled: list[int]) -> None:
    filter = Filter()
    Filter.read.clear_cache()
    for k in range(4):
        filter.t = k + 0.5
        filter.v[:] = k
        assert filter.read() == 3 * k + k + 0.5
        filter.v = np.full(3, k, float)
        assert filter.read() == 3 * k + k + 0.5
    assert len(compiled) == 1


def test_text_is_told_apart(compiled: list[int]) -> None:
    filter = Filter()
    Filter.called_name.clear_cache()
    assert filter.called_name(1.0) == 1.0
    filter.name = "other"
    assert filter.called_name(1.0) == -1.0
    assert len(compiled) == 2


def test_an_int_that_must_be_known(compiled: list[int]) -> None:
    counted = Counted(2)
    Counted.sized.clear_cache()
    for k in (2, 2, 3, 3):
        counted.k = k
        assert counted.sized(1.0).tolist() == [1.0] * k
    assert len(compiled) == 2


# Globals of the names that the attributes of a class have, and what they hold.
shared = Filter()
n, v, d = 3, shared.v, shared.d


def test_globals_of_the_names_of_attributes(compiled: list[int]) -> None:
    """An attribute's name is no global's: neither guarded, nor an array from outside."""
    global n
    Filter.in_place.clear_cache()
    for k in range(3):
        n = k
        assert shared.in_place(1.0) is v
    assert len(compiled) == 1
    assert (v.tolist(), d["a"].tolist()) == ([1.0, 3.0, 3.0], [4.0, 4.0])

"""`isinstance`, `issubclass` and dispatch by class, where registrations, hooks and metaclasses say what a class is."""

from __future__ import annotations

import abc
import functools
from typing import Any

import pytest

from anabranch import jit
from tests.equivalence import check_calls


class Part:
    def __init__(self, x):
        self.x = x


class Detail(Part):
    pass


def asks_the_instance(kind):
    return lambda part: part.x + 1.0 if isinstance(part, (str, kind)) else -part.x


def asks_the_class(kind):
    return lambda part: part.x + 1.0 if issubclass(type(part), kind) else -part.x


def matches_the_class(kind):
    def function(part):
        match part:
            case kind(x=x):
                return x + 1.0
        return -part.x

    return function


def dispatches(kind):
    @functools.singledispatch
    def by_class(part):
        return -part.x

    by_class.register(kind, lambda part: part.x + 1.0)
    return lambda part: by_class(part)


def dispatches_a_method(kind):
    class Owner:
        @functools.singledispatchmethod
        def method(self, part):
            return -part.x

    vars(Owner)["method"].register(kind, lambda self, part: part.x + 1.0)
    return lambda part: Owner().method(part)


FORMS = (asks_the_instance, asks_the_class, matches_the_class, dispatches, dispatches_a_method)


@pytest.mark.parametrize("native_loops", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_a_class_that_is_registered_later(form: Any, native_loops: bool) -> None:
    class Kind(abc.ABC):  # noqa: B024
        pass

    function = form(Kind)
    wrapped = jit(function, native_loops=native_loops)
    assert [wrapped(Detail(2.0)) for _ in range(3)] == [-2.0] * 3 == [function(Detail(2.0))] * 3
    Kind.register(Part)
    assert [wrapped(Detail(2.0)) for _ in range(3)] == [3.0] * 3 == [function(Detail(2.0))] * 3


def test_a_number_of_a_class_that_is_registered_later() -> None:
    class Kind(abc.ABC):  # noqa: B024
        pass

    wrapped = jit(lambda x: x + 1.0 if isinstance(x, Kind | None) else -x)
    assert [wrapped(2.5) for _ in range(3)] == [-2.5] * 3
    Kind.register(float)
    assert [wrapped(2.5) for _ in range(3)] == [3.5] * 3


def test_a_hook_that_looks_outside() -> None:
    kinds: list[type] = []

    class Kind(abc.ABC):  # noqa: B024
        @classmethod
        def __subclasshook__(cls, other):
            return other in kinds

    wrapped = jit(lambda part: part.x + 1.0 if isinstance(part, Kind) else -part.x)
    assert [wrapped(Part(2.0)) for _ in range(3)] == [-2.0] * 3
    kinds.append(Part)
    abc.ABCMeta("Other", (), {}).register(int)  # the caches of all such classes are void then
    assert [wrapped(Part(2.0)) for _ in range(3)] == [3.0] * 3


LEAST = 1.0


class OfValue(type):
    def __instancecheck__(cls, part):
        print("asked", cls.__name__)
        return part.x > LEAST

    def __subclasscheck__(cls, other):
        print("asked of", other.__name__)
        return other is Detail


class Great(metaclass=OfValue):
    pass


def asks_metaclasses(part):
    found = isinstance(part, Great), isinstance(part, (Detail, Great)), issubclass(type(part), Great | int)
    match part:
        case Great():
            return found, 1
    return found, isinstance(Part(part.x * 2), Great)


def test_metaclasses_that_answer(monkeypatch: Any) -> None:
    check_calls(asks_metaclasses, (Part(0.75),), (Part(2.0),), (Detail(0.25),))
    wrapped = jit(lambda part: isinstance(part, Great))
    assert wrapped(Part(2.0))
    monkeypatch.setitem(globals(), "LEAST", 3.0)
    assert not wrapped(Part(2.0))


@pytest.mark.parametrize("asked", [3, (int, "a"), list[int], [1, 2]])
@pytest.mark.parametrize("test", [isinstance, issubclass])
def test_what_is_no_class(test: Any, asked: Any) -> None:
    function = (lambda x: isinstance(x, asked)) if test is isinstance else (lambda x: issubclass(type(x), asked))
    check_calls(function, (2.5,))

"""Classes that are defined inside of compiled functions."""

from __future__ import annotations

import dataclasses

import pytest

from tests.program_table import Program, Table

case = Table()


# fmt: off
@case((2.0, 3), (-2.0, 0))
def state_in_instances(x, n):
    class Account:
        rate = 2

        def __init__(self, balance, log=None):
            self.balance = balance
            self.moves = 0

        def move(self, amount):
            if self.balance + amount > 0:
                self.balance += amount * self.rate
            else:
                self.balance = 0.0
            self.moves += 1
            return self.balance

        @property
        def empty(self):
            return self.balance <= 0

    account = Account(x)
    for i in range(n):
        account.move(i - 1.0)
    if account.empty:
        account.move(5.0)
    return account.balance, account.moves, Account.rate


@case((3,), (-3,))
def inheritance_and_super(n):
    class Base:
        def __init__(self, v):
            if v > 0:
                self.v = v
            else:
                self.v = -v * 10

        def twice(self):
            return self.v * 2

    class Derived(Base):
        def __init__(self, v):
            super().__init__(v + 1)
            if v > 0:
                super().__init__(v + 2)

        def twice(self):
            return super().twice() + 1 if self.v > 4 else super().twice()

    return Derived(n).twice(), isinstance(Derived(n), Base)


@case((3,), (-3,))
def closures_and_nonlocal(n):
    calls = 0

    class Scale:
        factor = n * 2

        def __call__(self, v):
            nonlocal calls
            calls += 1
            if v > n:
                return v * self.factor
            return v

    s = Scale()
    r = s(1) + s(n)
    return r, calls, Scale.factor


@case((3,), (-3,))
def static_and_class_methods(n):
    class Tools:
        offset = 5

        @staticmethod
        def clip(v):
            return v if v > 0 else 0

        @classmethod
        def shifted(cls, v):
            return cls.clip(v) + cls.offset

    return Tools.clip(n), Tools.shifted(n), Tools().shifted(-n)


@case((3.0,), (-3.0,))
def local_dataclasses(x):
    @dataclasses.dataclass
    class Point:
        x: float
        y: float = 1.0

        def norm(self):
            return (self.x**2 + self.y**2) ** 0.5 if self.x > 0 else 0.0

    p = Point(x)
    if x > 0:
        p.y = x
    return p.norm(), p.x, p.y


@case((3,), (-3,))
def operators_and_private_names(n):
    class Vector:
        __slots__ = ("__x", "y")

        def __init__(self, x, y):
            self.__x, self.y = x, y

        def __add__(self, other):
            return Vector(self.__x + other.__x, self.y if self.y > 0 else other.y)

        def parts(self):
            return self.__x, self.y

    return (Vector(n, -1) + Vector(1, n)).parts()


@case((3,), (-3,))
def class_in_a_branch(n):
    if n > 0:
        class Pick:
            value = 2
        r = Pick.value * n
    else:
        r = -1
    return r


@case((3,), (-3,))
def match_on_a_local_class(n):
    class Shape:
        __match_args__ = ("size",)

        def __init__(self, size):
            self.size = size

    match Shape(n):
        case Shape(size) if size > 0:
            return size
        case Shape(size=s):
            return s * 100


@case((3.0,), (-3.0,))
def fields_named_as_unset_locals(x):
    @dataclasses.dataclass
    class Circle:
        r: float
        scale: int = 2

    match Circle(x):
        case Circle(r=r, scale=scale) if r > 0:
            return r * scale
        case Circle(r):
            return -r


@case((3.0,), (-3.0,))
def qualified_names(x):
    @dataclasses.dataclass
    class Point:
        at: float

        class Origin:
            pass

    if x > 0:
        class Sign:
            pass

        names = Sign.__qualname__
    else:
        class Sign:
            pass

        names = Sign.__qualname__
    return names, repr(Point(1.5)), Point.Origin.__qualname__, str(Point) == f"{Point!r}"


@case((2,))
def qualified_names_in_loops_and_branches(n):
    names = []
    for k in range(n):
        class Kind(Exception):
            pass

        def show():
            return Kind.__qualname__

        names.append((Kind.__qualname__, show.__qualname__, show(), repr(Kind(k))))
    if n > 1:
        class Sign:
            pass

        names.append(Sign.__qualname__)
    return names
# fmt: on


@pytest.mark.parametrize("program", case.programs)
def test_local_class(program: Program) -> None:
    program.check()

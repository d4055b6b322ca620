"""Attributes that objects have or are without, depending on run-time conditions."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.program_table import Program, Table

case = Table()
A = ((np.array([5, 3]),), (np.array([1, 4]),), (np.array([2, 0]),))


class Net:
    def __init__(self):
        self.w = np.ones(2)

    def step(self, x):
        self.h = np.tanh(x * self.w)
        self.w -= 0.1 * self.h
        return self.h.sum()


@case(*A)
def set_by_a_method_in_a_loop(a):
    net, total = Net(), 0.0
    for _ in range(int(a[1])):
        total += net.step(1.5)
    return net, total, hasattr(net, "h")


@case(*A[:2])
def read_after_a_loop_that_sets_it(a):
    net = Net()
    while net.w[0] > 0.3 * a[1]:
        net.step(1.5)
    return net.h


@case(*A)
def read_in_a_try(a):
    net = Net()
    if a[1] > 3:
        net.h = 1
    try:
        return net.h
    except AttributeError as error:
        return str(error)


@case((Net(), 3.0), (Net(), 5.0), (Net(), 1.0))
def set_on_an_argument(net, x):
    if x > 4:
        net.h = x
        net.k = 1
    elif x > 2:
        net.k = 2
    return getattr(net, "h", None)


@case(*A)
def copied_and_deleted(a):
    net = Net()
    if a[1] > 3:
        net.h = 1
    other, deep = copy.copy(net), copy.deepcopy(net)
    if hasattr(net, "h"):
        net.h += 1
    else:
        del other.w
        other.k = 2
    return net, other, hasattr(deep, "h")


@case(*A)
def deleted_where_it_may_not_be(a):
    net = Net()
    if a[1] > 3:
        net.h = 1
    del net.h
    return hasattr(net, "h")


class Best:
    found = None
    count = 0

    def see(self, x):
        self.count += 1
        if self.found is None or x > self.found:
            self.found = x


@case(*A)
def defaults_of_the_class(a):
    one, other, known = Best(), Best(), Best()
    for x in range(int(a[1])):
        one.see(x * a[0])
        if x > 2:
            other.see(x)
    return one.found, one.count, other.count, known.count, Best.found, Best.count


class Computed:
    def __init__(self, x):
        self.x = x

    @property
    def square(self):
        try:
            return self._square
        except AttributeError:
            self._square = self.x**2
            return self._square

    def double(self):
        if not hasattr(self, "_double"):
            self._double = self.x * 2
        return self._double


@case(*A)
def computed_when_it_is_asked_for(a):
    c, total = Computed(int(a[0])), 0
    for _ in range(int(a[1])):
        total += c.square + c.double()
    c.x = 7
    return total, c.square, c.double()


class Tree:
    def __init__(self, value):
        self.value = value


@case(*A)
def objects_that_objects_may_have(a):
    root = Tree(int(a[0]))
    if a[1] > 0:
        root.left = Tree(1)
        if a[1] > 3:
            root.left.right = Tree(2)
    total = root.value
    if hasattr(root, "left"):
        total += root.left.value
        if hasattr(root.left, "right"):
            total += root.left.right.value
    return total


@pytest.mark.parametrize("program", case.programs)
def test_as_eager(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.named({"set_by_a_method_in_a_loop", "objects_that_objects_may_have"}))
def test_as_eager_in_xla(program: Program) -> None:
    program.check_in_xla()


def test_all_attributes_at_once_are_refused() -> None:
    def shown(a):
        net = Net()
        if a[1] > 3:
            net.h = 1
        return sorted(vars(net))

    def written(a):
        net = Net()
        if a[1] > 3:
            net.h = 1
        net.__dict__["k"] = 2
        return net

    for function in (shown, written):
        with pytest.raises(UnsupportedOperationError, match="whether it has the attribute 'h' is known only"):
            jit(function)(A[0][0])


def test_classes_are_left_as_they_were() -> None:
    before = dict(vars(Best))
    jit(defaults_of_the_class)(A[0][0])
    assert dict(vars(Best)) == before


class Base:
    def __init__(self, v, after):
        self.v, self.after, self.seen = v, after, []

    def add(self, v):
        self.v += v
        self.seen.append(v)


class Counting(Base):
    count = 0

    def add(self, v):
        super().add(v * 2)
        self.count += 1


def test_defaults_of_objects_of_any_number_are_refused() -> None:
    def chained(ks, n):
        node = Base(n, None)
        for k in ks:
            if k > 2:
                node = Counting(n, node)
        node.add(3)
        return node.v

    with pytest.raises(UnsupportedOperationError, match="whether a Counting has the attribute 'count' is known only"):
        jit(chained)(np.array([3, 1, 4, 1, 5]), 2)

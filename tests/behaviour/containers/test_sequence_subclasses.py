"""Subclasses of tuple, list and deque with methods of their own: what their items are, on the general and fast path."""

from __future__ import annotations

import collections

import pytest

from anabranch import AnabranchError, jit
from tests.equivalence import check


class TupleItems(tuple):
    def __getitem__(self, i):
        return 2 * tuple.__getitem__(self, i)


class TupleSteps(tuple):
    def __iter__(self):
        return iter([2 * x for x in tuple.__iter__(self)])


class TupleOfOne(tuple):
    def __len__(self):
        return 1


class ListSteps(list):
    def __iter__(self):
        return iter([2 * x for x in list.__iter__(self)])


class ListOfOne(list):
    def __len__(self):
        return 1


class DequeSteps(collections.deque):
    def __iter__(self):
        return iter([2 * x for x in collections.deque.__iter__(self)])


CLASSES = (TupleItems, TupleSteps, TupleOfOne, ListSteps, ListOfOne, DequeSteps)


def first(v):
    return v[0] + 1


def added(v):
    s = 0.0
    for x in v:
        s = s + x
    return s


def counted(v):
    return len(v)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("function", [first, added, counted])
def test_items(cls, function):
    compiled = jit(function)
    for _ in range(3):
        assert compiled(cls((1.5, 2.5))) == function(cls((1.5, 2.5)))


@pytest.mark.parametrize("cls", [ListSteps, ListOfOne])
def test_items_that_are_written(cls):
    def changed(v):
        v[0] = v[0] + 1

    plain, compiled = cls((1.5, 2.5)), cls((1.5, 2.5))
    changed(plain)
    jit(changed)(compiled)
    assert list.__repr__(plain) == list.__repr__(compiled)


class Stack(list):
    def push(self, x):
        self.append(x)
        return self


class Queue(collections.deque):
    pass


def pushed(n, cls):
    made = cls([n]) if cls is Queue else cls([n]).push(n + 1)
    for i in range(3):
        made.append(i * n)
        if n > 1:
            made.pop()
    return made, made[-1], len(made), type(made).__name__


@pytest.mark.parametrize("cls", [Stack, Queue])
def test_items_that_are_appended_in_a_loop(cls):
    for n in (1, 3):
        check(pushed, n, cls)


def test_items_that_are_appended_in_each_step_of_an_unknown_number_are_refused():
    def program(n):
        made = Stack()
        while len(made) < n:
            made.append(n)
        return made

    with pytest.raises(AnabranchError, match="a Stack has one number of items or another"):
        jit(program)(3)

"""Methods of classes that compiled code replaces: put back again, they are as in Python; otherwise they are refused."""

from __future__ import annotations

import pytest

from anabranch import UnsupportedOperationError, jit
from tests.equivalence import check_calls


class Shape:
    def sides(self):
        return 3


def four(self):
    return 4


SIDES = Shape.sides


def in_a_branch(x):
    if x > 1:
        Shape.sides = four
    return Shape().sides()


def in_a_loop(x):
    for i in range(int(x)):
        if i == 2:
            Shape.sides = four
    return Shape().sides()


def before_an_exception(x):
    try:
        if x > 1:
            Shape.sides = four
            raise ValueError
    except ValueError:
        pass
    return Shape().sides()


def for_good(x):
    Shape.sides = four
    return x + Shape().sides()


def removed(x):
    if x > 1:
        del Shape.sides
    return hasattr(Shape, "sides")


def added(x):
    if x > 1:
        Shape.corners = four
    return hasattr(Shape, "corners")


def of_a_local_class(x):
    class Line:
        def sides(self):
            return 1

    if x > 1:
        Line.sides = four
    return Line().sides()


@pytest.mark.parametrize(
    "function", [in_a_branch, in_a_loop, before_an_exception, for_good, removed, added, of_a_local_class]
)
@pytest.mark.parametrize("x", [1.0, 4.0])
def test_others_are_refused(function, x):
    with pytest.raises(UnsupportedOperationError, match=r"the class (Shape|Line) gets another (sides|corners)"):
        jit(function)(x)
    assert Shape.sides is SIDES
    assert not hasattr(Shape, "corners")


def put_back(x):
    before = Shape.sides
    Shape.sides = four
    n = Shape().sides() + x if x > 1 else Shape().sides() - x
    Shape.sides = before
    return n + Shape().sides()


def before_it_is_used(x):
    class Line:
        def sides(self):
            return 1

    Line.sides = four
    Line.corners = four
    return Line().sides() if x > 1 else Line().corners() + 1


@pytest.mark.parametrize("function", [put_back, before_it_is_used])
def test_those_known_while_tracing(function):
    check_calls(function, (1.0,), (4.0,), (1.0,))

"""Methods whose names begin with two underscores, which Python keeps under the name of the class."""

from __future__ import annotations

import traceback

import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()


class _Walk:
    def __init__(self, steps):
        self.steps = steps

    def depth(self, k):
        return self.__depth(k, 0)

    def __depth(self, k, n):
        if k == 0:
            return n
        return self.__depth(k - 1, n + 1)

    def first(self, k):
        return self.__first(k) + self.__sum(k) + self.__signed(-k) + self.__size

    def __first(self, k):
        def __found(i):
            if i > k:
                return -i
            return i

        for i in range(self.steps):
            if i * i > k:
                return __found(i)
        return -1

    @staticmethod
    def __sum(n):
        total = 0
        while n > 0:
            total += n
            n -= 1
        return total

    @classmethod
    def __signed(cls, n):
        return -n if n < 0 else n

    @property
    def __size(self):
        if self.steps > 4:
            return 1
        return 2

    def checked(self, k):
        def __positive(n):
            if n < 0:
                raise ValueError(n)
            return n

        return __positive(k)


@case((3, 0), (3, 4))
def recursion(steps, k):
    return _Walk(steps).depth(k)


@case((3, 4), (5, 4), (5, 1))
def every_kind_of_method(steps, k):
    return _Walk(steps).first(k)


@case((3, 4), (3, -4))
def exceptions(steps, k):
    return _Walk(steps).checked(k)


@pytest.mark.parametrize("program", case.programs)
def test_private_methods(program: Program) -> None:
    program.check()


def test_a_private_method_itself_is_compiled() -> None:
    method = _Walk._Walk__first
    for k in (1, 4, 30):
        assert jit(method)(_Walk(5), k) == method(_Walk(5), k)


def test_functions_inside_keep_their_names_in_tracebacks() -> None:
    with pytest.raises(ValueError, match="-4") as caught:
        jit(_Walk.checked)(_Walk(3), -4)
    assert [f.name for f in traceback.extract_tb(caught.value.__traceback__)][-2:] == ["checked", "__positive"]

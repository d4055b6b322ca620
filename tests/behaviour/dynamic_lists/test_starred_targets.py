"""`first, *rest = items` and its like, of lists, generators and objects whose length is known only at run time."""

from __future__ import annotations

import numpy as np
import pytest

from tests.equivalence import check_calls
from tests.program_table import Program, Table

case = Table()
X = np.array([1.0, 2.0, 3.0, 4.0])
IN_XLA = ("of_run_time_length", "until_none_is_left")


def positive(a):
    return [x for x in a if x > 0]


def each(a):
    for x in a:
        if x > 0:
            yield x


@case((X,), (X - 1,))
def of_run_time_length(a):
    first, *rest = positive(a)
    *most, last = tuple(positive(a))
    one, *between, other = sorted(positive(a), reverse=True)
    rest.append(9.0)
    return first, rest, most, last, one, between, other


@case((X - 4,), (X - 3,))
def of_too_few(a):
    first, second, *rest = positive(a)
    return first, second, rest


@case((X,), (-X,))
def until_none_is_left(a):
    found, rest = [], positive(a)
    while rest:
        first, *rest = rest
        found.append(first)
    return found


@case((X,))
def of_what_is_gone_over(a):
    first, *rest = each(a)
    *most, last = map(abs, each(a))
    return first, rest, most, last, [*each(a), 1.0], (*each(a), 2)


@case((X,))
def of_known_length(a):
    first, *rest = a
    letter, *others = "abc"
    key, *_ = {1: 2, 3: 4}
    (*numbers, last), [i, *j] = range(4), a[:2]
    d = {}
    d["first"], *d["rest"] = (1, 2, 3)
    first, *(x, y, z) = a
    return first, rest, letter, others, key, numbers, last, i, j, d, x + y + z


@case((3,), (2.5,))
def of_numbers(n):
    first, *rest = n
    return first, rest


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.named(IN_XLA))
def test_without_native_loops(program: Program) -> None:
    program.check_in_xla()


def test_one_of_rows_of_several_lengths():
    def f(n):
        row = (1, 2.0) if n > 1 else (3, 4.0, 5.0)
        first, *rest = row
        *more, last = [n, 2.0] if n > 1 else [3.0]
        return first, rest, more, last

    check_calls(f, (2.0,), (0.0,))

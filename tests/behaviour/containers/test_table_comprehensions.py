"""Dict and set comprehensions, and lists of arrays, whose number of items is known only at run time."""

from __future__ import annotations

from collections import defaultdict, deque

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()
NUMBERS, NONE, OTHERS = np.array([3, 5, 3, 1, 5]), np.array([0, 1]), np.array([9, 2])
SETS = ((NUMBERS,), (NONE,), (OTHERS,))


@case(*SETS)
def over_zip(numbers):
    kept = [int(v) for v in numbers if v > 1]
    return {k: float(i) for i, k in zip(range(10), kept, strict=False)}


@case(*SETS)
def conditions(numbers):
    names = ["a", "b", "c", "d", "e"]
    places = {int(v): i for i, v in enumerate(numbers) if v > 1}
    return places, {n: v for n, v in zip(names, numbers, strict=False) if v > 2}


@case(*SETS)
def counts_of_each(numbers):
    return {int(u): int((numbers == u).sum()) for u in np.unique(numbers)}


@case(*SETS)
def members(numbers):
    kept = [int(v) for v in numbers if v > 1]
    return len({int(v) for v in numbers if v > 1}), sorted({k % 4 for k in kept}), 3 in {k for k in kept}


@case(*SETS)
def lists_of_arrays(numbers):
    large = numbers[numbers > 1]
    place = {v: i for i, v in enumerate(large.tolist())}
    return [place[v] for v in large.tolist()], place.get(1, -1), (large / 2).tolist(), (large > 3).tolist()


@case(*SETS)
def lists_as_values(numbers):
    return {i: [int(v), int(v) + 1] for i, v in enumerate(numbers) if v > 2}


@case(*SETS)
def several_loops(numbers):
    return {int(v) * k: k for v in numbers if v > 1 for k in (1, 2)}


@pytest.mark.parametrize("program", case.programs)
def test_comprehensions(program: Program) -> None:
    program.check()


def test_without_native_loops() -> None:
    assert jit(conditions, native_loops=False)(NUMBERS) == conditions(NUMBERS)


def _attribute(container):
    return container.no_such_name


def _call(container):
    return container(1)


def _operator(container):
    return -container


def _dict(numbers):
    return {int(v): 1 for v in numbers if v > 1}


def _set(numbers):
    return {int(v) for v in numbers if v > 1}


def _default_dict(numbers):
    made = defaultdict(int)
    for v in numbers:
        made[int(v)] += 1
    return made


def _list(numbers):
    return [int(v) for v in numbers if v > 1]


def _deque(numbers):
    return deque(int(v) for v in numbers if v > 1)


@pytest.mark.parametrize("use", [_attribute, _call, _operator])
@pytest.mark.parametrize("make", [_dict, _set, _default_dict, _list, _deque])
def test_messages_name_the_class_that_the_user_sees(make, use) -> None:
    def f(numbers):
        return use(make(numbers))

    with pytest.raises((AttributeError, TypeError)) as eager:
        f(NUMBERS)
    with pytest.raises(type(eager.value)) as jitted:
        jit(f)(NUMBERS)
    assert str(jitted.value).splitlines()[0] == str(eager.value)

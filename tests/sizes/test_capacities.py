"""Room for sizes that only the run knows: a run with too little of it is done again with more."""

from __future__ import annotations

import numpy as np
import pytest

import anabranch
from anabranch import jit
from anabranch.runtime.values import atoms, capacities


def below(n):
    """`np.arange(n)` summed up, which asks for room."""
    room = capacities.at("the numbers")
    capacities.exceeded(atoms.ufunc(np.greater, n.atom, atoms.literal(room.size, np.int64)), room, n.atom)
    numbers = np.arange(room.size)
    return (numbers * (numbers < n)).sum()


def total(a):
    return below(int(a.sum()))


SMALL, LARGE = np.array([3, 4]), np.array([300, 4])


def test_a_run_without_room_is_done_again(compiled):
    f = jit(total)
    assert f(SMALL) == 21
    assert len(compiled) == 1
    assert f(LARGE) == sum(range(304))
    assert len(compiled) == 2


def test_what_was_learned_is_kept(compiled):
    f = jit(total)
    assert f(LARGE) == sum(range(304))
    found = len(compiled)
    for a in (LARGE, SMALL, LARGE, LARGE, SMALL):
        assert f(a) == sum(range(int(a.sum())))
    assert len(compiled) == found


def test_the_limit_names_the_place_and_what_was_needed():
    f = jit(total, capacity_limit=1000)
    assert f(LARGE) == sum(range(304))
    with pytest.raises(anabranch.CapacityError) as caught:
        f(np.array([2000, 4]))
    line = total.__code__.co_firstlineno + 1
    assert "capacities.at(" in str(caught.value)
    assert "has room for 512 elements, and 2004 are needed" in str(caught.value)
    assert "capacity_limit allows no more than 1000" in str(caught.value)
    assert any(entry.lineno + 1 == line for entry in caught.traceback)


def test_compiled_ahead_of_time_has_the_room_it_was_compiled_with():
    fixed = jit(total).lower(SMALL).compile()
    assert fixed(SMALL) == 21
    for _ in range(4):
        with pytest.raises(anabranch.CapacityError, match=r"304 are needed.*Call the jitted function"):
            fixed(LARGE)
    assert fixed(SMALL) == 21

"""Hundreds of small random programs: rewritten, they do what they did."""

from __future__ import annotations

import pytest

from anabranch.transpile import UnsupportedConstructError
from tests.internals.transpile.eager_rewriting import from_text, outcome, rewritten
from tests.internals.transpile.random_programs import Generator

ARGUMENTS = ((0, 0), (3, 1), (2, 5), (-1, 4))


class TooLong(Exception):
    pass


class Clock:
    """Ends programs that loop for ever."""

    def __init__(self) -> None:
        self.ticks = 0

    def __call__(self) -> None:
        self.ticks += 1
        if self.ticks > 300:
            raise TooLong


class Manager:
    """Swallows a ValueError where its value is even."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __enter__(self) -> int:
        return self.value

    def __exit__(self, kind, error, trace) -> bool:
        return isinstance(error, ValueError) and self.value % 2 == 0


def differences(seed: int, native: bool) -> list[str]:
    text = Generator(seed, native).program()
    clock = Clock()
    function = from_text(text, f"<random {seed} {native}>", tick=clock, manager=Manager)
    try:
        new = rewritten(function)
    except UnsupportedConstructError as error:
        return [str(error)]
    found = []
    for args in ARGUMENTS:
        clock.ticks = 0
        want = outcome(function, *args)
        clock.ticks = 0
        got = outcome(new, *args)
        if want != got:
            found.append(f"seed {seed}{args}: {want} against {got}\n{text}")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 600, 200))
def test_loops_and_branches(start):
    assert not [d for seed in range(start, start + 200) for d in differences(seed, native=False)]


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 120, 60))
def test_with_try_and_match(start):
    assert not [d for seed in range(start, start + 60) for d in differences(seed, native=True)]


@pytest.mark.parametrize("native", [False, True])
def test_a_few_quickly(native):
    assert not [d for seed in range(5000, 5020) for d in differences(seed, native)]

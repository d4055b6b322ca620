"""Programs as users write them: plain and rewritten, they give and raise the same."""

from __future__ import annotations

import pytest

from tests.internals.transpile import programs
from tests.internals.transpile.eager_rewriting import outcome, rewritten

RUNS = [pytest.param(f, args, id=f"{f.__name__}{args}") for f, sets in programs.CASES for args in sets]


@pytest.mark.parametrize(("function", "args"), RUNS)
def test_rewritten_does_what_the_plain_one_does(function, args):
    assert outcome(rewritten(function), *args) == outcome(function, *args)


@pytest.mark.parametrize("x", [-1, 3, 4, 9])
def test_methods_private_names_and_super(x, monkeypatch):
    want = programs.Derived(2).scaled(x)
    for owner in (programs.Base, programs.Derived):
        monkeypatch.setattr(owner, "scaled", rewritten(owner.scaled))
    assert programs.Derived(2).scaled(x) == want


def test_globals_stay_live(monkeypatch):
    function = rewritten(reads_a_global)
    monkeypatch.setitem(globals(), "LEVEL", 5)
    assert function(1) == 5
    monkeypatch.setitem(globals(), "LEVEL", 6)
    assert function(1) == 6


LEVEL = 1


def reads_a_global(x):
    return LEVEL if x else 0


def test_cells_are_shared_with_the_plain_closure():
    count = 0

    def bump(x):
        nonlocal count
        if x:
            count += 1
        return count

    rewritten(bump)(True)
    assert count == 1


def test_lambdas_on_one_line():
    first, second = (lambda v: v if v > 0 else -v), (lambda v: 0 < v < 9)
    assert [rewritten(first)(v) for v in (-2, 3)] == [2, 3]
    assert [rewritten(second)(v) for v in (-2, 3)] == [False, True]


def test_defaults_keywords_and_attributes_carry_over():
    def f(a, b=2, *rest, c=3, **more):
        """Say what."""
        return a, b, rest, c, more if more else None

    f.mark = "x"
    new = rewritten(f)
    assert new(1, c=4) == f(1, c=4)
    assert new(1, 2, 3, z=1) == f(1, 2, 3, z=1)
    assert (new.__name__, new.__doc__, new.__qualname__, new.mark) == (f.__name__, f.__doc__, f.__qualname__, "x")

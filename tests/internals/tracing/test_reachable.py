"""The objects that the functions of a trace lead to are looked at once, however many branches there are."""

from __future__ import annotations

from anabranch import jit
from anabranch.runtime.values.heap import snapshot


def _helper(k):
    held = [k]
    return lambda x: x + held[0] * k


HELPERS = tuple(_helper(k) for k in range(30))


def _branches(x, n):
    for helper in HELPERS:
        x = helper(x)
    i = 0
    while i < n:
        x = x + 1.0 if x > i else x - 1.0
        i += 1
    return x


def test_each_branch_looks_at_little(monkeypatch) -> None:
    seen, slot_of = [], snapshot.slot_of

    def counted(value):
        seen.append(value)
        return slot_of(value)

    monkeypatch.setattr(snapshot, "slot_of", counted)
    counts = []
    for n in (10, 30):
        seen.clear()
        assert jit(_branches, static_argnames="n")(1.5, n) == _branches(1.5, n)
        counts.append(len(seen))
    assert counts[1] - counts[0] < 20 * len(HELPERS) / 4


def test_what_changes_between_branches_is_seen() -> None:
    held, seen = [1.0], {"n": 0}

    def add(x):
        seen["n"] += 1
        return x + held[0]

    def f(x):
        held[0] = 1.0
        x = add(x) if x > 0 else x
        held[0] = x * 2
        if x > 1:
            held[0] += 1
        x = add(x) if x > 2 else x - held[0]
        return x, held[0]

    for x in (-1.0, 0.5, 1.5, 3.0):
        held[0], seen["n"] = 1.0, 0
        want, after = f(x), seen["n"]
        held[0], seen["n"] = 1.0, 0
        assert (jit(f)(x), seen["n"]) == (want, after)

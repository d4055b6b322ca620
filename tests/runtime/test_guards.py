"""What a function reads from outside: changed, it is traced again; unchanged, it is not."""

from __future__ import annotations

import types

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.guards import Guards

SCALE = 2.0
TABLE = {"k": 2.0}
ITEMS = [1.0, 2.0]
MODULE = types.ModuleType("settings")
MODULE.gain = 3.0


class Model:
    shift = 1.0

    def __init__(self):
        self.weight = 2.0


MODEL = Model()


def helper(x):
    return x + 1


def reader(x):
    return x * SCALE + TABLE["k"] + ITEMS[0] + MODULE.gain + MODEL.weight + MODEL.shift + helper(x)


def other(x):
    return x - 1


CHANGES = {
    "global": lambda patch: patch.setitem(globals(), "SCALE", 5.0),
    "dict": lambda patch: patch.setitem(TABLE, "k", 5.0),
    "list": lambda patch: patch.setitem(globals(), "ITEMS", [5.0]),
    "module": lambda patch: patch.setattr(MODULE, "gain", 5.0),
    "instance": lambda patch: patch.setattr(MODEL, "weight", 5.0),
    "class": lambda patch: patch.setattr(Model, "shift", 5.0),
    "helper": lambda patch: patch.setitem(globals(), "helper", other),
}


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_a_change_is_seen_and_undone(name, monkeypatch):
    compiled = jit(reader)
    before = reader(1.0)
    assert compiled(1.0) == before
    with monkeypatch.context() as patch:
        CHANGES[name](patch)
        assert reader(1.0) != before
        assert compiled(1.0) == reader(1.0)
    assert compiled(1.0) == before


def test_nothing_changed_nothing_compiled():
    compiled = jit(reader)
    compiled(1.0)
    (first,) = compiled._executables.values()
    compiled(2.0)
    assert list(compiled._executables.values()) == [first]


def test_an_unrelated_global_is_not_guarded(monkeypatch):
    compiled = jit(helper)
    compiled(1.0)
    (first,) = compiled._executables.values()
    monkeypatch.setitem(globals(), "SCALE", 7.0)
    compiled(1.0)
    assert list(compiled._executables.values()) == [first]


def test_an_item_of_a_list():
    compiled = jit(reader)
    before = compiled(1.0)
    ITEMS[0] += 4.0
    try:
        assert compiled(1.0) == before + 4.0
    finally:
        ITEMS[0] -= 4.0
    assert compiled(1.0) == before


def test_closure_cells():
    k = 2.0

    def scaled(x):
        return x * k

    compiled = jit(scaled)
    assert compiled(1.0) == 2.0
    k = 3.0
    assert compiled(1.0) == 3.0


def test_a_captured_array_changed_in_place():
    a = np.ones(3)

    def total(x):
        return a.sum() * x

    compiled = jit(total)
    assert compiled(1.0) == 3.0
    a[1] = 5.0
    assert compiled(1.0) == 7.0


def test_hold_by_hand():
    guards = Guards()
    guards.add(reader)
    assert guards.hold()
    TABLE["other"] = 1
    try:
        assert not guards.hold()
    finally:
        del TABLE["other"]
    assert guards.hold()


def test_a_name_that_is_deleted(monkeypatch):
    guards = Guards()
    guards.add(reader)
    monkeypatch.delitem(globals(), "SCALE")
    assert not guards.hold()

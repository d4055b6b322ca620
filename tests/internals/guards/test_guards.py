"""Guards of what a function reads from outside: changed, it is traced again; unchanged, it is not."""

from __future__ import annotations

import collections
import contextvars
import functools
import importlib
import sys
import types

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.guards.guards import Guards

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


class Above:
    level = 1.0


class Below(Above):
    @classmethod
    def scaled(cls, x):
        return x * cls.level


class Meta(type):
    rank = 1.0


class Made(metaclass=Meta):
    pass


class Factor:
    by = 1.0

    def __call__(self, x):
        return x * self.by


class Outer:
    class Inner:
        size = 1.0

    above = Above
    factor = Factor()


MODULE.sub = types.ModuleType("settings.sub")
MODULE.sub.depth = 1.0
BELOW = Below()


def nested_class(x):
    return x * Outer.Inner.size


def class_in_an_attribute(x):
    return x * Outer.above.level


def inherited(x):
    return x * Below.level


def inherited_by_an_instance(x):
    return x * BELOW.level


def inherited_by_a_class_method(x):
    return Below.scaled(x)


def of_a_metaclass(x):
    return x * Made.rank


def object_that_is_called(x):
    return Outer.factor(x)


def module_in_a_module(x):
    return x * MODULE.sub.depth


def module_by_text(x):
    return x * getattr(MODULE, "gain")  # noqa: B009


def module_as_a_dict(x):
    return x * vars(MODULE)["gain"]


def globals_as_a_dict(x):
    return x * globals()["SCALE"]


@pytest.mark.parametrize(
    ("function", "target", "name"),
    [
        (nested_class, Outer.Inner, "size"), (class_in_an_attribute, Above, "level"), (inherited, Above, "level"),
        (inherited_by_an_instance, Above, "level"), (inherited_by_a_class_method, Above, "level"),
        (of_a_metaclass, Meta, "rank"), (object_that_is_called, Factor, "by"),
        (module_in_a_module, MODULE.sub, "depth"), (module_by_text, MODULE, "gain"),
        (module_as_a_dict, MODULE, "gain"), (globals_as_a_dict, sys.modules[__name__], "SCALE"),
    ],
)  # fmt: skip
def test_what_is_read_through_something_else(function, target, name, monkeypatch):
    compiled = jit(function)
    for value in (2.0, 5.0, 7.0):
        monkeypatch.setattr(target, name, value)
        for _ in range(3):
            assert compiled(3.0) == function(3.0) == 3.0 * value
    assert compiled.cache_info().hits == 6


def test_a_static_class_with_a_class_in_it(monkeypatch):
    def scaled(x, cls):
        return x * cls.Inner.size

    compiled = jit(scaled)
    for value in (2.0, 5.0):
        monkeypatch.setattr(Outer.Inner, "size", value)
        for _ in range(3):
            assert compiled(3.0, Outer) == 3.0 * value


def imports_a_module(x):
    import guarded_settings

    return x * guarded_settings.GAIN


def imports_a_name(x):
    from guarded_settings import GAIN

    return x * GAIN


def imports_a_class(x):
    from guarded_settings import Held

    return x * Held.gain


def imports_a_part(x):
    import guarded_package.part

    return x * guarded_package.part.GAIN


def imports_a_part_by_another_name(x):
    import guarded_package.part as part

    return x * part.GAIN


@pytest.mark.parametrize(
    "function",
    [imports_a_module, imports_a_name, imports_a_class, imports_a_part, imports_a_part_by_another_name],
)
def test_what_the_function_imports(function, tmp_path, monkeypatch):
    text = "GAIN = 2.0\nclass Held:\n    gain = 2.0\n"
    (tmp_path / "guarded_settings.py").write_text(text)
    (tmp_path / "guarded_package").mkdir()
    (tmp_path / "guarded_package" / "__init__.py").write_text("")
    (tmp_path / "guarded_package" / "part.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    compiled = jit(function)
    assert compiled(3.0) == 6.0
    for module in map(sys.modules.get, ("guarded_settings", "guarded_package.part")):
        if module is not None:
            module.GAIN = module.Held.gain = 5.0
    for _ in range(3):
        assert compiled(3.0) == function(3.0) == 15.0
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_module_of_the_functions_own_package(tmp_path, monkeypatch):
    (tmp_path / "guarded_home").mkdir()
    (tmp_path / "guarded_home" / "__init__.py").write_text("")
    (tmp_path / "guarded_home" / "settings.py").write_text("GAIN = 2.0\n")
    (tmp_path / "guarded_home" / "use.py").write_text(
        "def by_name(x):\n    from .settings import GAIN\n    return x * GAIN\n\n\n"
        "def by_module(x):\n    from . import settings\n    return x * settings.GAIN\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    use = importlib.import_module("guarded_home.use")
    compiled = [jit(use.by_name), jit(use.by_module)]
    assert [f(3.0) for f in compiled] == [6.0, 6.0]
    sys.modules["guarded_home.settings"].GAIN = 5.0
    for _ in range(3):
        assert [f(3.0) for f in compiled] == [15.0, 15.0]


class Scale:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return x * self.by


def test_what_a_partial_and_a_called_object_hold():
    scale = Scale(2.0)
    for compiled in (jit(functools.partial(lambda x, s: x * s.by, s=scale)), jit(scale), jit(scale.__call__)):
        for by in (2.0, 5.0, 7.0):
            scale.by = by
            for _ in range(3):
                assert compiled(3.0) == 3.0 * by


def by_keyword(x, *, scale=[2.0]):  # noqa: B006
    return x * scale[0]


def _scaled_by():
    held = [2.0]

    class ScaledBy:
        def by(self):
            return held[0]

    return ScaledBy, held


ScaledBy, SCALES = _scaled_by()
MISSING_ITEMS = collections.defaultdict(lambda: 2.0)
ERROR = ValueError()
ERROR.factor = 2.0
BEHIND = {"k": 2.0}
SHOWN = types.MappingProxyType(BEHIND)
CONTEXT = contextvars.ContextVar("CONTEXT", default=2.0)
BYTES = bytearray(b"\x02")
WINDOW = memoryview(BYTES)


@pytest.mark.parametrize(
    ("function", "change"),
    [
        (lambda x: by_keyword(x), lambda: by_keyword.__kwdefaults__["scale"].__setitem__(0, 5.0)),
        (lambda x: x * SHOWN["k"], lambda: BEHIND.__setitem__("k", 5.0)),
        (lambda x: x * CONTEXT.get(), lambda: CONTEXT.set(5.0)),
        (lambda x: x * WINDOW[0], lambda: BYTES.__setitem__(0, 5)),
        (lambda x: x * MISSING_ITEMS.default_factory(), lambda: setattr(MISSING_ITEMS, "default_factory", lambda: 5.0)),
        (lambda x: x * ERROR.factor, lambda: setattr(ERROR, "factor", 5.0)),
        (lambda x: x * ScaledBy().by(), lambda: SCALES.__setitem__(0, 5.0)),
    ],
    ids=[
        "keyword default",
        "mapping proxy",
        "context variable",
        "memory view",
        "factory",
        "exception",
        "closure of a method",
    ],
)
def test_what_shows_something_that_others_change(function, change):
    compiled = jit(function)
    for _ in range(3):
        assert compiled(3.0) == function(3.0) == 6.0
    change()
    for _ in range(3):
        assert compiled(3.0) == function(3.0) == 15.0


def test_a_method_of_an_array_holds_nothing_to_guard():
    seen = []

    @jit
    def least(x):
        seen.append(x.argmin)
        return x.argmin() + x.sum(axis=0)

    least(np.arange(3.0))
    guards = Guards()
    for value in (seen[0], np.linalg.norm):
        guards.add(value)
    assert not guards.heap.functions

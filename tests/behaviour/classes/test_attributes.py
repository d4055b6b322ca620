"""Attributes of user's objects and of values: a run-time value shows those of Python's or NumPy's object alone."""

from __future__ import annotations

import collections
import dis
import importlib
import linecache
import operator
import pkgutil
import re
import types
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import anabranch.runtime
from anabranch import StructureMismatchError, jit
from anabranch.runtime.control.iteration.generators import GeneratorCall
from anabranch.runtime.control.iteration.progress_bars import SHOWN, TqdmBar
from anabranch.runtime.control.iteration.push_iterator import PushIterator
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.stdlib.nditer_ import ElementIterator
from anabranch.runtime.values.arena_contents import InArena
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.hashed import Hashed
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.transpile.hidden_attributes import HIDDEN
from tests.equivalence import same
from tests.program_table import Program, Table

case = Table()
NAMES = sorted(n for n in HIDDEN if not n.startswith("__"))


def stand_ins(base):
    yield base
    for cls in base.__subclasses__():
        yield from stand_ins(cls)


def is_of_instances(name):
    return not (name.startswith("__") and name.endswith("__"))


@pytest.mark.parametrize(
    ("base", "like"),
    [(Tracer, (int, float, np.float64, np.ndarray)), (UnionValue, ()), (Growable, (list, collections.deque)),
     (Text, (str,)), (PushIterator, ()), (Countable, (range, type({}.keys()))), (InArena, (list,)),
     (Hashed, (dict, set, collections.defaultdict, collections.Counter, collections.OrderedDict))],
)  # fmt: skip
def test_no_name_of_a_stand_in_is_missing_from_those_that_are_hidden(base, like):
    for module in pkgutil.walk_packages(anabranch.runtime.__path__, "anabranch.runtime."):
        if not module.name.endswith("_jaxlib"):
            importlib.import_module(module.name)
    for cls in dict.fromkeys(stand_ins(base)):
        names = set(filter(is_of_instances, dir(cls)))
        for made in cls.__mro__:
            for function in vars(made).values():
                code = getattr(function, "__code__", None)
                if code is not None and function.__name__ == "__init__" and made.__module__.startswith("anabranch"):
                    names |= stored(code)
        kinds = (*like, types.GeneratorType) if issubclass(cls, GeneratorCall) else like
        shown = {name for kind in kinds for name in dir(kind)}
        shown |= SHOWN if issubclass(cls, TqdmBar) else set()
        shown |= set(dir(np.nditer)) if issubclass(cls, ElementIterator) else set()
        assert names - shown <= HIDDEN, cls


def stored(code):
    """The names of the attributes that a function sets."""
    return {i.argval for i in dis.get_instructions(code) if i.opname == "STORE_ATTR"}


def program(text, **scope):
    """A function of this text, with the source that `inspect` finds."""
    name = f"<attributes {abs(hash(text))}>"
    path = f"/nowhere/{name}.py"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    exec(compile(text, path, "exec"), scope)
    return scope["f"]


class Thing:
    def __init__(self, start, names):
        for place, name in enumerate(names):
            setattr(self, name, start + place)


@pytest.mark.parametrize("first", range(0, len(NAMES), 40))
@pytest.mark.parametrize("form", ["read", "write", "delete", "method", "getattr"])
def test_the_names_of_stand_ins_are_the_users_own(first, form):
    names = NAMES[first : first + 40]
    if form == "read":
        text = "def f(x, a, b):\n    o = a if x > 0 else b\n    return (" + ", ".join(f"o.{n}" for n in names) + ",)\n"
        check_on_things(text, names)
    elif form == "getattr":
        text = "def f(x, a, b):\n    o = a if x > 0 else b\n    return ("
        text += ", ".join(f"getattr(o, '{n}'), hasattr(o, '{n}'), getattr(o, '{n}s', 0)" for n in names) + ",)\n"
        check_on_things(text, names)
    elif form == "write":
        text = "def f(x, a, b):\n    o = a if x > 0 else b\n    "
        text += "\n    ".join(f"o.{n} += x\n    [o.{n}, y], z = [o.{n} * 2.0, 1], 0" for n in names[:12])
        text += "\n    return " + ", ".join(f"o.{n}" for n in names[:12]) + "\n"
        check_on_things(text, names)
    elif form == "delete":
        for name in names[:3]:
            check_on_things(f"def f(x, a, b):\n    o = a if x > 0 else b\n    del o.{name}\n", names)
            text = f"def f(x, a, b):\n    o = a\n    del o.{name}\n    delattr(b, '{name}')\n    return x\n"
            check_on_things(text, names)
    else:
        body = "".join(f"    def {n}(self, y):\n        return self.factor * y + {i}\n" for i, n in enumerate(names))
        scope: dict[str, Any] = {}
        text = f"class C:\n    def __init__(self, factor):\n        self.factor = factor\n{body}\n"
        text += "def f(x, a, b):\n    o = C(a) if x > 0 else C(b)\n"
        text += "    return (" + ", ".join(f"o.{n}(x)" for n in names[:20]) + ",)\n"
        function = program(text, **scope)
        for x in (1.5, -1.5):
            same(function(x, 2.0, 3.0), jit(function)(x, 2.0, 3.0))


def check_on_things(text, names):
    function = program(text)
    for x in (1.5, -1.5):
        ours, theirs = ((Thing(10.0, names), Thing(1000.0, names)) for _ in range(2))
        same(function(x, *theirs), jit(function)(x, *ours))
        for mine, other in zip(ours, theirs, strict=True):
            same(vars(other), vars(mine))


VALUES = {
    "an int": 3, "a float": 2.5, "a bool": True, "a complex": 1j, "a scalar": np.float32(2.5), "an integer": np.int8(3),
    "an array": np.arange(3.0), "a matrix": np.ones((2, 2)), "an array of no axes": np.array(2.0),
}  # fmt: skip
DUNDERS = ["__len__", "__iter__", "__array__", "__index__", "__float__", "__call__", "__dict__", "__slots__",
           "__getitem__", "__setitem__", "__matmul__", "__jax_array__", "__name__", "__doc__"]  # fmt: skip


@pytest.mark.parametrize("kind", VALUES)
def test_values_have_the_attributes_of_pythons_and_numpys(kind):
    text = "def f(x):\n    return ("
    text += ", ".join(f"hasattr(x, '{n}'), getattr(x, '{n}', None) is None" for n in NAMES) + ",)\n"
    function = program(text)
    same(function(VALUES[kind]), jit(function)(VALUES[kind]))
    text = "def f(x):\n    return (" + ", ".join(f"hasattr(x, '{n}')" for n in [*DUNDERS, "shape", "real"]) + ",)\n"
    function = program(text)
    same(function(VALUES[kind]), jit(function)(VALUES[kind]))


@pytest.mark.parametrize("statement", ["x.{}", "x.{} = 1", "del x.{}", "x.{} += 1", "setattr(x, '{}', 1)"])
@pytest.mark.parametrize("kind", VALUES)
def test_what_values_have_not_raises_pythons_error(kind, statement):
    for name in ("atom", "storage", "abstract", "python", "_binary", "readonly", "affine"):
        function = program(f"def f(x):\n    {statement.format(name)}\n    return x\n")
        with pytest.raises(AttributeError) as theirs:
            function(VALUES[kind])
        with pytest.raises(AttributeError, match=re.escape(str(theirs.value))):
            jit(function)(VALUES[kind])


class Pair(collections.namedtuple("Pair", "number tag options")):
    __slots__ = ()


@dataclass
class Node:
    tag: float
    kinds: Any
    next_: Any = None

    def chosen(self):
        return self.tag * 2


# fmt: off


@case((1.5,), (-1.5,))
def named_tuples(x):
    o = Pair(x, 2, 3.0) if x > 0 else Pair(4 * x, 5, 6.0)
    return o.number, o.tag, o.options, o._replace(tag=7).tag


@case((1.5,), (-1.5,))
def functions_have_their_own(x):
    def double(v):
        """Twice."""
        return 2 * v
    def triple(v):
        """Thrice."""
        return 3 * v
    double.tag, triple.tag = 1.0, 2.0
    f = double if x > 0 else triple
    return f.__doc__ == "Twice.", f.__name__ == "double", f.tag, f(x)


@case((1.5,), (-1.5,))
def what_reads_by_name(x):
    o = Pair(x, 2, 3.0) if x > 0 else Pair(4 * x, 5, 6.0)
    get = operator.attrgetter("number", "tag")
    return get(o), operator.attrgetter("options")(o), operator.methodcaller("count", 3.0)(o)


@case((1.5,), (-1.5,))
def patterns(x):
    o = Node(x, "a") if x > 0 else Node(-x, "b")
    match o:
        case Node(tag=t, kinds="a"):
            return t
        case Node(tag=t):
            return 2 * t


@case((3,), (9,))
def nodes_of_a_structure(n):
    top = None
    for i in range(12):
        top = Node(float(i), i % 2, top)
    at, total = top, 0.0
    for i in range(n):
        total += at.tag + at.kinds + at.chosen()
        at = at.next_
    return total


@case((3,))
def lists_and_texts(n):
    grown = []
    for i in range(n):
        if i % 2:
            grown.append(i)
    text = f"{n}"
    return [hasattr(grown, k) for k in ("items", "site", "home", "native", "append", "__len__")], [
        hasattr(text, k) for k in ("parts", "method", "upper", "nothing")], len(grown)


@case((3,))
def iterators(n):
    def numbers():
        yield n
    return [[hasattr(i, k) for k in ("run", "items", "strict", "start", "at")]
            for i in (numbers(), range(n), zip(range(n), range(n), strict=True), enumerate(range(n)))]


@case((1.5,), (-1.5,))
def in_targets(x):
    a, b = Node(x, 1.0), Node(x, 2.0)
    o = a if x > 0 else b
    for o.tag in (x, 2.5):
        pass
    with open_(4.0) as o.kinds:
        pass
    return a.tag, a.kinds, b.tag, b.kinds


@case((1.5,), (-1.5,))
def names_of_what_has_attributes(x):
    o = Node(x, 1) if x > 0 else Node(x, 2)
    return "tag" in dir(o), "options" in dir(o), "storage" in dir(np.arange(3) * x), "real" in dir(x)


# fmt: on


class open_:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, *_):
        return None


@pytest.mark.parametrize("program", case.programs)
def test_attributes(program: Program):
    program.check()


@dataclass
class Bag:
    v: float


def test_an_attribute_that_only_one_of_two_objects_gets_is_named():
    class Open(Bag):
        def __getattr__(self, name):
            return 0

    def f(x):
        a, b = Open(1.0), Open(2.0)
        chosen = a if x > 0 else b
        chosen.w = x
        return a, b

    words = "an Open that 'chosen' may be holds .*set the attribute 'w' before the condition"
    with pytest.raises(StructureMismatchError, match=words):
        jit(f)(1.0)


def test_an_object_that_is_called_is_compared_with_nothing():
    class Compared:
        def __init__(self, v):
            self.v = v

        def __eq__(self, other):
            return self.v == other.v

        __hash__ = None

        def __call__(self, x):
            self.v = x
            return x

    def f(x):
        made = Compared(1.0)
        return made(x), made.v

    assert jit(f)(2.0) == f(2.0)


class Single:
    """A class whose `__new__` returns the one instance that there is."""

    one = None

    def __new__(cls):
        if cls.one is None:
            cls.one = object.__new__(cls)
        return cls.one


class Counter:
    def __new__(cls, v):
        made = object.__new__(cls)
        made.v = v
        return made


COUNTER = Counter(0.0)


def the_one(x):
    Single().v = 1.0
    if x > 1:
        Single().v += x
    return Single().v


def a_new_one(x):
    a, b = Counter(0.0), Counter(x)
    if x > 1:
        a.v += x
    (a if x > 2 else b).v -= 1
    return a.v, b.v


def a_global_one(x):
    COUNTER.v = 0.0
    for k in range(3):
        if x > k:
            COUNTER.v += x
    return COUNTER.v


def names_of_one_of_several(x):
    thing, missing = Thing(1.0, ["low", "high"]), []
    for value in (x, -x):
        name = "low" if value > 1 else "high"
        setattr(thing, name, getattr(thing, name) + value)
    name = "low" if x > 1 else "none"
    try:
        getattr(thing, name)
    except AttributeError as error:
        missing.append(str(error))
    return thing.low, thing.high, hasattr(thing, name), getattr(thing, name, None), missing


def test_attributes_by_a_name_known_only_at_run_time():
    compiled = jit(names_of_one_of_several)
    for x in (0.5, 1.5, -2.5):
        same(names_of_one_of_several(x), compiled(x))


@pytest.mark.parametrize("f", [the_one, a_new_one, a_global_one])
def test_objects_of_a_class_with_its_own_new(f):
    compiled = jit(f)
    for x in (0.5, 1.5, 2.5):
        want = f(x)
        held = COUNTER.v, getattr(Single.one, "v", None)
        same(want, compiled(x))
        assert held == (COUNTER.v, getattr(Single.one, "v", None))


class Disguised:
    """A class whose objects have a name of their own, and another class as their own to see."""

    def __init__(self, scale):
        self.scale = scale

    @property
    def __name__(self):
        return f"times {self.scale}"

    @property
    def __class__(self):
        return int

    def __call__(self, x):
        return x * self.scale if x > 1 else x


@pytest.mark.parametrize("x", [1, 2])
def test_properties_of_the_names_that_classes_have_themselves(x):
    def f(x):
        made = Disguised(3)
        return made(x), isinstance(made, int)

    compiled = jit(f)
    for _ in range(3):
        same(f(x), compiled(x))

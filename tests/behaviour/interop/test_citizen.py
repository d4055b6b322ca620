"""A compiled function is a function among others: what Python, its library and its users ask of one."""

from __future__ import annotations

import abc
import asyncio
import contextlib
import copy
import dataclasses
import doctest
import functools
import gc
import inspect
import pickle
import pydoc
import sys
import typing
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from anabranch import NoSourceError, UnsupportedConstructError, UnsupportedValueError, Wrapped, configure, jit


@jit
def twice(x: float, *, k: int = 2) -> float:
    """Multiply a positive number.

    >>> twice(3.0)
    6.0
    >>> twice(-3.0)
    3.0
    """
    if x > 0:
        return x * k
    return -x


@jit(static_argnames="n")
def times(x, n):
    """Multiply.

    >>> times(3, 2)
    6
    """
    return x * n if x > 0 else x


class Model:
    """A model.

    >>> Model(2.0).run(3.0)
    6.0
    """

    bias = 3

    def __init__(self, weight):
        self.weight = weight

    @jit
    def run(self, x: float, n: int = 1) -> float:
        """Run it.

        >>> Model(2.0).run(3.0, n=2)
        12.0
        """
        for _ in range(n):
            x = x * self.weight
        return x

    @staticmethod
    @jit
    def outer_static(x):
        """A static method.

        >>> Model.outer_static(1)
        2
        """
        return x + 1 if x > 0 else x

    @jit
    @staticmethod
    def inner_static(x):
        return x + 1 if x > 0 else x

    @classmethod
    @jit
    def outer_class(cls, x):
        return x + cls.bias if x > 0 else x

    @jit
    @classmethod
    def inner_class(cls, x):
        return x + cls.bias if x > 0 else x

    @property
    @jit
    def doubled(self):
        return self.weight * 2 if self.weight > 0 else self.weight

    @functools.cached_property
    @jit
    def tripled(self):
        return self.weight * 3

    @jit
    def __call__(self, x):
        return self.run(x) + 1

    @jit
    def __add__(self, other):
        return self.weight + other

    def __reduce__(self):
        return Model, (self.weight,)


class SubModel(Model):
    bias = 10

    @jit
    def run(self, x, n=1):
        return super().run(x, n) + 100


# ---- what inspect, help, typing and doctest see --------------------------------------------------------------------


def test_names_documentation_and_signature():
    plain = twice.__wrapped__
    assert (twice.__name__, twice.__qualname__, twice.__module__) == ("twice", "twice", __name__)
    assert twice.__doc__ == inspect.getdoc(plain) or twice.__doc__ == plain.__doc__
    assert inspect.signature(twice) == inspect.signature(plain)
    assert inspect.getsource(twice) == inspect.getsource(plain)
    assert typing.get_type_hints(twice) == {"x": float, "k": int, "return": float}
    assert twice.__annotations__ == plain.__annotations__
    assert inspect.unwrap(twice) is plain
    assert inspect.getmodule(twice) is sys.modules.get(__name__)
    assert callable(twice)
    assert inspect.isroutine(twice)
    assert not inspect.iscoroutinefunction(twice)
    assert twice == twice
    assert {twice: 1}[twice] == 1
    assert weakref.ref(twice)() is twice
    assert isinstance(twice, typing.Callable)
    assert str(inspect.signature(Model(1.0).run)) == str(inspect.signature(Model(1.0).run.plain()))
    assert list(inspect.signature(Model.run).parameters) == ["self", "x", "n"]
    assert list(inspect.signature(Model(1.0).run).parameters) == ["x", "n"]
    assert str(inspect.signature(jit(functools.partial(plain, k=5)))) == "(x: 'float', *, k: 'int' = 5) -> 'float'"


def test_help():
    shown = pydoc.render_doc(twice, renderer=pydoc.plaintext)
    assert "twice(x: 'float', *, k: 'int' = 2) -> 'float'" in shown
    assert "Multiply a positive number." in shown
    shown = pydoc.render_doc(Model, renderer=pydoc.plaintext)
    for text in ("run(self, x: 'float', n: 'int' = 1) -> 'float'", "Run it.", "outer_static(x)", "outer_class(x)"):
        assert text in shown


def test_doctest_finds_examples_and_runs_them(monkeypatch):
    module = sys.modules.get(__name__) or pytest.skip("this module has no name")
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose=False)
    names = []
    for found in finder.find(module, "here"):
        if found.examples:
            names.append(found.name)
            runner.run(found)
    wanted = ["Model", "Model.outer_static", "Model.run", "times", "twice"]
    assert sorted(names) == [f"here.{name}" for name in wanted]
    assert runner.summarize(verbose=False).failed == 0


def test_doctest_functions_are_compiled():
    """A function that is defined in an example has its source where doctest keeps it."""
    text = """
    >>> from anabranch import jit
    >>> @jit
    ... def collatz(n):
    ...     steps = 0
    ...     while n != 1:
    ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
    ...         steps += 1
    ...     return steps
    >>> collatz(27)
    111
    """
    parsed = doctest.DocTestParser().get_doctest(text, {}, "collatz", None, 0)
    runner = doctest.DocTestRunner(verbose=False)
    assert runner.run(parsed).failed == 0


# ---- decorators in each order, methods, classes --------------------------------------------------------------------


def test_methods_in_each_order():
    model = Model(2.0)
    assert [model.run(3.0), Model.run(model, 3.0), model.run(3.0, n=2)] == [6.0, 6.0, 12.0]
    assert [Model.outer_static(1), model.outer_static(1), Model.inner_static(1), model.inner_static(1)] == [2] * 4
    assert [Model.outer_class(1), model.outer_class(1), Model.inner_class(1), model.inner_class(1)] == [4] * 4
    assert [SubModel.outer_class(1), SubModel.inner_class(1)] == [11, 11]
    assert [model.doubled, model.tripled, model.tripled] == [4.0, 6.0, 6.0]
    assert [model(3.0), model + 1.0] == [7.0, 3.0]
    model.weight = 5.0
    assert [model.run(3.0), model.doubled, model.tripled, model(3.0)] == [15.0, 10.0, 6.0, 16.0]


def test_inheritance_and_super():
    assert SubModel(2.0).run(3.0) == 106.0
    assert SubModel(2.0)(3.0) == 107.0
    assert Model.run(SubModel(2.0), 3.0) == 6.0


def test_abstract_methods_and_protocols():
    class Base(abc.ABC):
        @abc.abstractmethod
        @jit
        def outer(self, x): ...

        @jit
        @abc.abstractmethod
        def inner(self, x): ...

    assert Base.__abstractmethods__ == {"inner", "outer"}
    with pytest.raises(TypeError, match="abstract"):
        Base()

    class Done(Base):
        @jit
        def outer(self, x):
            return x + 1 if x > 0 else x

        @jit
        def inner(self, x):
            return self.outer(x) * 2

    assert Done().inner(1) == 4

    @typing.runtime_checkable
    class Inner(typing.Protocol):
        def inner(self, x): ...

    assert isinstance(Done(), Inner)


def test_metaclasses():
    class Meta(type):
        @jit
        def shifted(cls, x):
            return x + cls.offset if x > 0 else x

    class One(metaclass=Meta):
        offset = 7

    assert One.shifted(1) == 8


def test_tools_of_functools_and_contextlib_above_and_below():
    cached = functools.lru_cache(times)
    assert [cached(3, 2), cached(3, 2), cached.cache_info().hits] == [6, 6, 1]

    @jit
    @functools.lru_cache
    def below(x):
        return x * 2 if x > 0 else x

    assert [below(3), below(-3)] == [6, -3]

    @functools.singledispatch
    def kind(x):
        return "any"

    kind.register(int)(jit(lambda x: x + 1 if x > 0 else x))
    kind.register(float)(twice)
    assert [kind(1), kind(1.0), kind("a")] == [2, 2.0, "any"]

    @contextlib.contextmanager
    def block():
        yield

    assert block()(twice)(1.0) == 2.0

    def adding(function):
        @functools.wraps(function)
        def outer(*args, **kwargs):
            return function(*args, **kwargs) + 100

        return outer

    assert adding(twice)(1.0) == jit(adding(twice.__wrapped__))(1.0) == 102.0
    assert inspect.signature(jit(adding(twice))) == inspect.signature(twice)
    assert functools.partial(twice, k=5)(1.0) == 5.0
    assert functools.partialmethod(twice, k=5) is not None
    assert functools.reduce(jit(lambda a, b: a + b if a > 0 else b), [1, 2, 3]) == 6


class Scale:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return x * self.by if x > 0 else x


def test_callables_of_every_kind():
    scale = Scale(3)
    assert jit(scale)(2) == jit(scale.__call__)(2) == jit(functools.partial(Scale.__call__, scale))(2) == 6
    assert "Scale object" in repr(jit(scale))
    assert jit(Scale)(2.0).by == 2.0
    assert jit(Model(4.0).run.plain(), checks=False)(2.0) == 8.0
    assert jit(Model(4.0).run, checks=False)(2.0) == 8.0
    assert jit(lambda x: x if x > 0 else -x)(-2) == 2


@pytest.mark.parametrize("given", [3, "text", None, property(len), functools.cached_property(len)])
def test_what_is_no_function(given):
    if given is None:
        assert callable(jit(given))
        return
    with pytest.raises(UnsupportedValueError, match=f"jit takes a function, not an? {type(given).__name__}"):
        jit(given)


# ---- instances -----------------------------------------------------------------------------------------------------


class Slots:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a

    @jit
    def scaled(self, x):
        return self.a * x if x > 0 else x


@dataclasses.dataclass
class Plain:
    a: float

    @jit
    def scaled(self, x):
        return self.a * x if x > 0 else x


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float

    @jit
    def scaled(self, x):
        return self.a * x if x > 0 else x


@dataclasses.dataclass(frozen=True)
class ByContent:
    a: float

    @jit(static_argnames="self")
    def scaled(self, x):
        return self.a * x if x > 0 else x


class AllEqual:
    def __init__(self, a):
        self.a = a

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1

    @jit
    def scaled(self, x):
        return self.a * x if x > 0 else x


@pytest.mark.parametrize("cls", [Slots, Plain, Frozen, ByContent, AllEqual])
def test_each_instance_is_itself(cls):
    """An executable of one instance is not that of another one which equals it."""
    one, other, same = cls(2.0), cls(7.0), cls(2.0)
    assert [one.scaled(1.0), other.scaled(1.0), same.scaled(1.0), one.scaled(3.0)] == [2.0, 7.0, 2.0, 6.0]
    if cls not in (Frozen, ByContent):
        one.a = 5.0
        assert [one.scaled(1.0), same.scaled(1.0)] == [5.0, 2.0]


@pytest.mark.parametrize("cls", [Model, Slots, Plain, Frozen, AllEqual])
def test_one_compilation_for_all_instances(cls):
    instance = cls(2.0)
    method = "run" if cls is Model else "scaled"
    getattr(cls, method).clear_cache()
    before = getattr(instance, method).cache_info()
    for x in (1.0, 2.0, 3.0):
        getattr(instance, method)(x)
    for a in (5.0, 7.0):
        getattr(cls(a), method)(1.0)
    after = getattr(instance, method).cache_info()
    assert (after.hits - before.hits, after.misses - before.misses) == (4, 1)


def test_equal_instances_share_what_is_compiled_where_self_is_static():
    before = ByContent.scaled.cache_info().misses
    for a in (31.0, 32.0, 31.0, 31.0):
        assert ByContent(a).scaled(2.0) == 2 * a
    assert ByContent.scaled.cache_info().misses == before + 2


class Listed(list):
    def __init__(self, a):
        self.append(a)

    @jit
    def scaled(self, x):
        return self[0] * x if x > 0 else x


class WeakSlots:
    __slots__ = ("__weakref__", "a")
    __init__, scaled = Slots.__init__, jit(lambda self, x: self.a * x if x > 0 else x)


@pytest.mark.parametrize("cls", [Model, WeakSlots, Plain, Frozen, AllEqual, Listed])
def test_instances_go_when_nobody_has_them(cls):
    instance = cls(2.0)
    method = "run" if cls is Model else "scaled"
    assert getattr(instance, method)(1.0) == getattr(instance, method)(2.0) / 2 == 2.0
    gone = weakref.ref(instance)
    del instance
    gc.collect()
    assert gone() is None


def test_a_changed_list_of_a_class_of_its_own():
    items = Listed(2.0)
    assert [items.scaled(1.0), items.scaled(1.0)] == [2.0, 2.0]
    items[0] = 7.0
    assert items.scaled(1.0) == 7.0


def test_functions_and_arrays_go_when_nobody_has_them():
    class Marked(np.ndarray):
        pass

    table = np.arange(3.0)

    def made():
        inner = table.copy()

        @jit
        def f(x):
            return inner * x if x > 0 else inner

        f(2.0)
        f(np.float32(2.0))
        return f, weakref.ref(inner), weakref.ref(f.__wrapped__)

    f, array, function = made()
    assert array() is not None
    del f
    gc.collect()
    assert (array(), function()) == (None, None)


def test_bound_methods_are_like_bound_methods():
    model, other = Model(2.0), Model(2.0)
    assert model.run == model.run
    assert model.run != other.run
    assert len({model.run, model.run, other.run}) == 2
    assert model.run.__self__ is model
    assert model.run.__func__ is Model.run
    assert model.run.__name__ == "run"
    assert "bound method Model.run" in repr(model.run)
    kept = model.run
    del model
    gc.collect()
    assert kept(3.0) == 6.0
    with configure(disable_jit=True):
        assert kept(3.0) == 6.0


# ---- copies and pickles --------------------------------------------------------------------------------------------


def test_copies():
    assert copy.copy(twice) is copy.deepcopy(twice) is twice
    held = copy.deepcopy({"f": twice, "m": [Model(2.0)]})
    assert held["f"] is twice
    assert held["m"][0].run(3.0) == 6.0
    model = Model(2.0)
    assert copy.copy(model.run) == model.run
    deep = copy.deepcopy(model.run)
    assert deep.__self__ is not model
    model.weight = 50.0
    assert deep(3.0) == 6.0


@pytest.fixture
def here(monkeypatch):
    """This module under its name, by which things in it are pickled."""
    module = sys.modules.get(__name__)
    if module is None or getattr(module, "twice", None) is not twice:
        pytest.skip("this module cannot be imported by its name")


@pytest.mark.usefixtures("here")
def test_pickles():
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(twice, protocol)) is twice
        assert pickle.loads(pickle.dumps(Model.run, protocol)) is Model.run
        assert pickle.loads(pickle.dumps(Model.outer_static, protocol)) is Model.outer_static
        assert pickle.loads(pickle.dumps(Model(2.0).run, protocol))(3.0) == 6.0
        assert pickle.loads(pickle.dumps(Model.outer_class, protocol))(1) == 4
        assert pickle.loads(pickle.dumps(functools.partial(twice, k=5), protocol))(1.0) == 5.0
    # A plain function of this module under another name.
    assert pickle.loads(pickle.dumps(jit(undecorated)))(2.0) == 4.0


def undecorated(x):
    return x * 2 if x > 0 else x


def test_pickles_of_what_has_no_name():
    def local(x):
        return x

    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(jit(local))


def test_pickles_by_value():
    cloudpickle = pytest.importorskip("cloudpickle")
    k = 3

    @jit
    def local(x):
        return x * k if x > 0 else -x

    assert pickle.loads(cloudpickle.dumps(local))(2.0) == 6.0
    assert pickle.loads(cloudpickle.dumps(jit(lambda x: x + 1 if x > 0 else x)))(2.0) == 3.0


def test_pickles_by_value_with_what_it_calls():
    cloudpickle = pytest.importorskip("cloudpickle")

    def helper(x):
        return x * 2 if x > 0 else x

    @jit
    def local(x):
        return helper(x) if x < 5 else x

    assert pickle.loads(cloudpickle.dumps(local))(2.0) == 4.0


# ---- asyncio and threads -------------------------------------------------------------------------------------------


def test_from_async_code():
    async def main():
        loop = asyncio.get_running_loop()
        threads = [asyncio.to_thread(twice, float(i)) for i in range(4)]
        with ThreadPoolExecutor(2) as pool:
            executor = [loop.run_in_executor(pool, Model(float(i)).run, 2.0) for i in range(4)]
            return [twice(4.0), *await asyncio.gather(*threads), *await asyncio.gather(*executor)]

    assert asyncio.run(main()) == [8.0, 0.0, 2.0, 4.0, 6.0, 0.0, 2.0, 4.0, 6.0]


def test_an_async_function_is_an_error():
    async def later(x):
        return x

    with pytest.raises(UnsupportedConstructError, match="AB101 async code"):
        jit(later)(1.0)


# ---- generics ------------------------------------------------------------------------------------------------------


def test_wrapped_is_generic():
    assert typing.get_origin(Wrapped[[int], float]) is Wrapped


def test_without_source():
    scope = {"jit": jit}
    exec("@jit\ndef f(x):\n    return x + 1\n", scope)
    assert scope["f"](1) == 2  # there is nothing to rewrite
    exec("@jit\ndef g(x):\n    return x if x > 0 else -x\n", scope)
    with pytest.raises(NoSourceError, match="put the function into a file or a notebook cell"):
        scope["g"](1)


def test_without_source_in_a_cache():
    with pytest.raises(NoSourceError, match="wrap it in a function that calls it"):
        jit(functools.lru_cache(len))([4, 6])

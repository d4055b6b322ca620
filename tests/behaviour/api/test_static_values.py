"""Which values are static by themselves, what tells two of them apart, and where static arguments may stand."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import ipaddress
import itertools
import pathlib
import re
import time
import typing
import uuid

import numpy as np
import pytest

from anabranch import StaticArgumentError, UnsupportedOperationError, UnsupportedValueError, jit


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


class Mode(enum.Flag):
    A = 1
    B = 2


class Name(str):
    pass


class Meters(float):
    pass


class Count(int):
    pass


Row = collections.namedtuple("Row", "name x")
UserId = typing.NewType("UserId", int)


@dataclasses.dataclass(frozen=True)
class Frozen:
    g: object


@dataclasses.dataclass(eq=False)
class Same:
    g: float


class Plain:
    def __init__(self, g):
        self.g = g

    def scaled(self, x):
        return x * self.g

    def __call__(self, x):
        return x + self.g


def double(x):
    return x * 2


def scale(factor, x):
    return factor * x


def labelled(name):
    made = Name(name)
    made.language = "en"
    return made


def both(x, k):
    return x + 1, k


SHOWN = [
    Color.RED, Number.TWO, Mode.A, Mode.A | Mode.B, Name("q"), Meters(3.5), Count(3), pathlib.Path("a/b"),
    decimal.Decimal("1.50"), fractions.Fraction(1, 3), datetime.datetime(2020, 1, 1, fold=1), datetime.date(2020, 1, 1),
    datetime.timedelta(1), datetime.UTC, re.compile("a+", re.IGNORECASE), frozenset({1, 2}), uuid.UUID(int=3),
    ipaddress.ip_address("1.2.3.4"), np.datetime64("2020-01-01"), np.timedelta64(3, "s"), np.str_("a"), np.bytes_(b"a"),
    list[int], int | str, typing.TypeVar("T"), NotImplemented, ..., range(1, 5, 2), slice(0, 2), b"a", "a", None,
    np.dtype("f4"), np.float32, (None, ["x", {"a": None, "b": 1}]), Row("a", 2.0), UserId(3), time.gmtime(0),
]  # fmt: skip


@pytest.mark.parametrize("value", SHOWN, ids=lambda v: type(v).__name__)
def test_static_by_itself(value):
    compiled = jit(both)
    for _ in range(2):
        x, k = compiled(2.0, value)
        assert x == 3.0
        assert type(k) is type(value)
        assert repr(k) == repr(value)
    assert compiled.cache_info()[:2] == (1, 1)


CALLED = [
    double, functools.partial(scale, 2.0), functools.partial(scale, x=3.0), abs, np.sin, np.sum, np.add.reduce, float,
    Plain(2.0).scaled, Plain(2.0), jit(double), functools.lru_cache(double), "abc".count,
]  # fmt: skip


@pytest.mark.parametrize("function", CALLED[:-1], ids=lambda f: type(f).__name__)
def test_functions_are_static_by_themselves(function):
    def call(x, f):
        return f(x)

    assert jit(call)(3.0, function) == call(3.0, function)


def test_a_bound_method_of_a_built_in_class():
    assert jit(lambda x, f: (x, f("a")))(1.0, CALLED[-1]) == (1.0, 1)


@pytest.mark.parametrize("slots", [(), ("mark",)])
@pytest.mark.parametrize(
    ("kind", "args"),
    [
        (pathlib.PurePosixPath, ("a",)), (datetime.date, (2020, 1, 1)), (datetime.timedelta, (1,)),
        (decimal.Decimal, ("1.5",)), (fractions.Fraction, (1, 2)), (ipaddress.IPv4Address, ("10.0.0.1",)),
        (ipaddress.IPv6Network, ("fe80::/120",)), (frozenset, ((1, 2),)), (str, ("s",)), (uuid.UUID, ("12" * 16,)),
    ],
    ids=lambda v: v.__name__ if isinstance(v, type) else "",
)  # fmt: skip
def test_equal_values_of_a_subclass_are_told_apart_by_their_attributes(kind, args, slots):
    derived = type("Derived", (kind,), {"__slots__": slots} if slots else {})

    def f(x, k):
        return x + k.mark

    compiled = jit(f)
    for mark in (1, 2, 2.5, 1):
        value = derived(*args)
        object.__setattr__(value, "mark", mark)
        assert compiled(1.0, value) == 1.0 + mark
    assert compiled.cache_info()[:2] == (1, 3)


TELLING = [
    1, True, 1.0, np.int64(1), np.float64(1), np.True_, 0.0, -0.0, float("nan"), -float("nan"), 1 + 0j,
    (1,), (True,), (1.0,), ((1,),), frozenset({1}), frozenset({True}), "1", b"1", None, Frozen(1), Frozen(True),
    Frozen(1.0), Frozen((1,)), Row("a", 1), Row("a", True), ("a", 1), Name("1"), Count(1), Meters(1.0), Number.ONE,
    decimal.Decimal("1.0"), decimal.Decimal("1.00"), fractions.Fraction(1), range(0), range(1, 1), slice(1),
    datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 1, fold=1), np.float32(1), np.array(1), np.array([1]),
    np.datetime64("2020-01-01", "D"), np.datetime64("2020-01-01", "s"),
]  # fmt: skip


def test_values_that_compare_equal_are_told_apart():
    describe = jit(lambda x, k: repr(k), static_argnames="k")
    for value in TELLING * 2:
        assert describe(1.0, value) == repr(value)
    # Neither sign of a nan shows, and each nan is found again.
    assert describe.cache_info()[:2] == (len(TELLING), len(TELLING))


def test_attributes_of_a_str():
    compiled = jit(lambda x, k: getattr(k, "language", "none"))
    assert compiled(1.0, labelled("a")) == "en"
    assert compiled(1.0, Name("a")) == "none"


def test_a_lambda_in_the_call_is_compiled_once():
    def call(x, f):
        return f(x)

    compiled = jit(call)
    for _ in range(4):
        assert compiled(2.0, lambda v: v * 3) == 6.0
    assert compiled.cache_info()[:2] == (3, 1)
    for k in range(4):
        for _ in range(2):
            assert compiled(2.0, (lambda n: lambda v: v * n)(k)) == 2.0 * k
    assert compiled.cache_info().misses == 5
    for k in (1, True, 1.0):
        assert repr(jit(call)(2, (lambda n: lambda v: (v, n))(k))) == repr((2, k))


def test_lambdas_that_change_what_they_close_over_are_their_own():
    def counter():
        n = 0

        def count(x):
            nonlocal n
            n += 1
            return x + n

        return count, lambda: n

    compiled = jit(lambda x, f: f(x))
    for _ in range(2):
        count, seen = counter()
        assert [compiled(1.0, count) for _ in range(3)] == [2.0, 3.0, 4.0]
        assert seen() == 3


def test_lambdas_over_lists_and_arrays_follow_them():
    compiled = jit(lambda x, f: f(x))
    for _ in range(2):
        held, table = [1.0], np.array([10.0])
        f = lambda v, held=held: v + held[0] + table[0]  # noqa: E731
        assert compiled(1.0, f) == 12.0
        held[0], table[0] = 2.0, 20.0
        assert compiled(1.0, f) == 23.0


# ---- objects that change ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [Plain, Same])
def test_a_static_object_that_changes_between_calls(make):
    compiled = jit(lambda x, k: x * k.g, static_argnames="k")
    held = make(2.0)
    assert compiled(1.0, held) == 2.0
    held.g = 3.0
    assert compiled(1.0, held) == 3.0
    held.g = 2.0
    assert compiled(1.0, held) == 2.0


def test_what_a_static_object_leads_to():
    compiled = jit(lambda x, k: x * k.g[0], static_argnames="k")
    inner = [1.0]
    held = Plain(inner)
    assert compiled(1.0, held) == 1.0
    inner[0] = 7.0
    assert compiled(1.0, held) == 7.0


def test_a_method_of_an_object_that_changes():
    compiled = jit(lambda x, f: f(x))
    held = Plain(2.0)
    assert compiled(1.0, held.scaled) == 2.0
    held.g = 5.0
    assert compiled(1.0, held.scaled) == 5.0
    assert compiled(1.0, functools.partial(held.scaled)) == 5.0
    held.g = 6.0
    assert compiled(1.0, functools.partial(held.scaled)) == 6.0


def test_a_static_object_that_the_function_changes():
    def count(x, k):
        k.g = k.g + 1.0
        return x * k.g

    held = Plain(1.0)
    compiled = jit(count, static_argnames="k")
    assert [compiled(1.0, held) for _ in range(3)] == [2.0, 3.0, 4.0]
    assert held.g == 4.0

    @dataclasses.dataclass
    class Content:
        g: float

    with pytest.raises(UnsupportedOperationError, match=r"changes a Content that is, or is part of, a static argument"):
        compiled(1.0, Content(1.0))


class Failing:
    def __init__(self, answer):
        self.answer = answer

    def __hash__(self):
        if isinstance(self.answer, str):
            raise RuntimeError(self.answer)
        return 1

    def __eq__(self, other):
        if self.answer is None:
            raise RuntimeError("no answer")
        return self.answer


def test_classes_with_odd_comparisons():
    compiled = jit(lambda x, k: x, static_argnames="k")
    with pytest.raises(StaticArgumentError, match=r"argument 'k' of .* not hashable \(RuntimeError: no hash\)"):
        compiled(1.0, Failing("no hash"))
    compiled(1.0, Failing(np.array([True, False])))
    with pytest.raises(StaticArgumentError, match=r"class Failing cannot be told apart: .* ValueError"):
        compiled(1.0, Failing(None))
    compiled.cache_clear()
    compiled(1.0, Failing(None))
    with pytest.raises(StaticArgumentError, match="RuntimeError: no answer"):
        compiled(1.0, Failing(None))


@pytest.mark.parametrize("make", [lambda: iter([1, 2]), lambda: (i for i in range(2)), lambda: itertools.count()])
def test_iterators_cannot_be_static(make):
    with pytest.raises(StaticArgumentError, match="changed by being used"):
        jit(lambda x, k: x + next(k), static_argnames="k")(1.0, make())


def test_the_error_names_argument_type_and_call():
    compiled = jit(both, static_argnums=1)
    with pytest.raises(StaticArgumentError) as caught:
        compiled(1.0, [1])
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("static argument 'k' of both is a list, which is not hashable")
    assert lines[1].strip().startswith(f"{__file__}:")
    assert lines[2].strip() == "compiled(1.0, [1])"
    with pytest.raises(UnsupportedValueError, match=r"argument 'k' is a partial .* without a hash"):
        jit(both)(1.0, functools.partial(double, [1]))


# ---- places ----------------------------------------------------------------------------------------------------------


def listed(x, *rest, **named):
    return x, [repr(r) for r in rest], {k: repr(v) for k, v in named.items()}


@pytest.mark.parametrize(
    ("options", "args", "kwargs"),
    [
        ({"static_argnums": (1, 2)}, (1.0, 2, 3), {}),
        ({"static_argnums": (1, 2)}, (1.0, 2), {}),
        ({"static_argnums": -1, "static_argnames": "m"}, (1.0, 3), {"m": 2}),
        ({"static_argnames": "rest"}, (1.0, 2, 2.5), {}),
        ({"static_argnames": "named"}, (1.0,), {"n": 2, "m": True}),
        ({"static_argnames": ["n", "m"]}, (1.0,), {"n": 2, "m": True}),
    ],
)
def test_positions_and_names_that_the_signature_leaves_open(options, args, kwargs):
    def text(x, *rest, **named):
        return x, [f"{r!r}" * 2 for r in rest], {k: [0] * v for k, v in named.items()}, [[0] * int(r) for r in rest]

    compiled = jit(text, **options)
    for _ in range(2):
        assert compiled(*args, **kwargs) == text(*args, **kwargs)
    assert compiled.cache_info()[:2] == (1, 1)


def only(x, y=1.0, n=2, /, *, m=1):
    return [x * y] * n * m


def open_(x, y=1.0, n=2, *, m=1):
    return [x * y] * n * m


@pytest.mark.parametrize("function", [only, open_])
@pytest.mark.parametrize("options", [{"static_argnums": 2, "static_argnames": "m"}, {"static_argnames": ("n", "m")}])
def test_positional_only_defaults_and_keyword_only(function, options):
    compiled = jit(function, **options)
    for args in ((1.0,), (1.0, 3.0), (1.0, 3.0, 3)):
        for kwargs in ({}, {"m": 2}):
            assert compiled(*args, **kwargs) == function(*args, **kwargs)


def test_one_form_however_the_call_is_written():
    compiled = jit(open_, static_argnames=("n", "m"))
    calls = [
        ((1.0, 2.0, 3), {}),
        ((1.0, 2.0), {"n": 3}),
        ((1.0,), {"n": 3, "y": 2.0}),
        ((), {"n": 3, "y": 2.0, "x": 1.0}),
    ]
    for args, kwargs in calls:
        assert compiled(*args, **kwargs) == [2.0] * 3
    assert compiled.cache_info().misses == 1


def test_errors_of_the_call_are_python_s():
    compiled = jit(both, static_argnums=1)
    for args, kwargs in (((), {}), ((1.0,), {}), ((1.0, 2, 3), {}), ((1.0, 2), {"k": 2}), ((1.0, 2), {"z": 2})):
        with pytest.raises(TypeError) as want:
            both(*args, **kwargs)
        with pytest.raises(TypeError, match=re.escape(str(want.value))):
            compiled(*args, **kwargs)


class Model:
    def __init__(self):
        self.g = 2.0

    @functools.partial(jit, static_argnums=(2,))
    def by_place(self, x, n):
        return [x * self.g] * n

    @functools.partial(jit, static_argnames="n")
    def by_name(self, x, *, n=2):
        return [x * self.g] * n

    @functools.partial(jit, static_argnums=0)
    def itself(self, x):
        return x * self.g

    @functools.partial(jit, static_argnums=(2, -1))
    def more(self, x, *rest):
        return x * self.g, [0] * rest[0], [1] * rest[-1]


def test_methods():
    model = Model()
    for g in (2.0, 3.0):
        model.g = g
        assert model.by_place(1.0, 2) == [g] * 2
        assert model.by_name(1.0) == [g] * 2
        assert model.by_name(1.0, n=3) == [g] * 3
        assert model.itself(1.0) == g
        assert model.more(1.0, 1, 2.0, 3) == (g, [0], [1] * 3)


def test_partials():
    compiled = jit(functools.partial(open_, n=2), static_argnames=("n", "m"))
    assert compiled(1.0) == [1.0] * 2
    assert compiled(1.0, n=3, m=2) == [1.0] * 6
    assert jit(functools.partial(open_, 1.0, 2.0), static_argnums=0)(3) == [2.0] * 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"static_argnums": 4}, "static_argnums has 4, but both has 2 positional parameters"),
        ({"static_argnums": "k"}, "static_argnums holds positions of parameters, not 'k'"),
        ({"static_argnums": 1.5}, "static_argnums holds positions of parameters, not 1.5"),
        ({"static_argnames": "z"}, "static_argnames has 'z', but both has no such parameter"),
        ({"static_argnames": 3}, "static_argnames holds names of parameters, not 3"),
    ],
)
def test_what_the_function_does_not_have(options, message):
    with pytest.raises(StaticArgumentError, match=re.escape(message)):
        jit(both, **options)
